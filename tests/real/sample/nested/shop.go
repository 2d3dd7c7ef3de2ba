package shop

import "fmt"

type Item struct {
	Price int
	Count int
}

// Total says fmt.Println(1) in a comment only.
func Total(items []Item) (int, error) {
	total := 0
	for _, item := range items {
		if item.Price < 0 {
			return 0, fmt.Errorf("bad price %d", item.Price)
		}
		total += item.Price * item.Count
	}
	fmt.Println("total", total)
	return total, nil
}

func Print(items []Item) {
	total, err := Total(items)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(total, len(items), "items")
}

//! `vise tour`, end to end, on a small checkout, on an odd one and on none.

mod common;

use common::house;

#[test]
fn the_tour_holds_on_a_checkout() {
    let text = "class A:\n    def __init__(self, b):\n        self.b = b\n\n    def f(self, x):\n        x = x + 1\n        return x\n";
    let house = house(&[(".git/HEAD", ""), ("a.py", text), ("b/c.py", text), (".gitattributes", "* -text\n")]);
    let run = house.run(&["tour"]).code(0);
    assert!(run.out.contains("$ vise graph impact "), "{}", run.out);
    assert!(run.out.contains("`self.$X = $X`"), "{}", run.out);
    assert!(run.out.contains("nothing was written") && run.out.contains("`a.py`"), "{}", run.out);
    assert!(run.out.ends_with("Every step held. The scratch copy is gone.\n"), "{}", run.out);
    assert_eq!(house.read("a.py"), text);
    // Nothing is left behind, not even in the state folder.
    assert!(!house.run(&["proposals"]).code(1).out.contains("pending"));
}

#[test]
fn the_tour_holds_where_there_is_little_to_see() {
    for files in [&[][..], &[("x.yml", "a: 1\n")], &[("x.rs", "fn f( {\n")], &[("odd", "\u{1}\n")]] {
        let house = house(files);
        let run = house.run(&["tour"]).code(0);
        assert!(run.out.contains("Every step held"), "{}", run.out);
    }
    let house = house(&[]);
    let run = house.run(&["tour", "--json", "."]).code(0);
    let held = ["languages", "graph", "fresh", "servers", "search", "prepare", "stale", "accept", "verify"];
    assert_eq!(run.object()["held"], serde_json::json!(held));
    house.run(&["tour", "gone"]).code(2);
}

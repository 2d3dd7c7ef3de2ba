import { log } from "./log";

export interface Item {
  price: number;
  count?: number;
}

export function total(items: Item[]): number {
  // items.map(item => item.price)
  return items.map((item) => item.price * (item.count ?? 1)).reduce((a, b) => a + b, 0);
}

export class Cart {
  private items: Item[] = [];

  add(item: Item): this {
    if (item.price != item.price) {
      log.warn("not a number", item);
    }
    this.items.push(item);
    log.info("added", item);
    return this;
  }

  close(): void {
    log.info("closed");
    log.info(`total ${total(this.items)}`, this.items.length, this.items);
  }
}

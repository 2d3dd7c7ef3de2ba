"""A shop, small enough to count by eye. Its words in strings, self.assertEqual(a, True), are no code."""

import logging

log = logging.getLogger(__name__)


class Case:
    def check(self, cart, other):
        self.assertEqual(cart.total, 3)
        self.assertEqual(cart.open, True)
        self.assertEqual(
            cart.paid,  # a comment between the arguments
            False,
        )
        # self.assertEqual(cart.gone, True)
        self.assertEqual(len(cart.items), len(cart.items))
        if cart.total == cart.total:
            log.info("same %s", cart)
        self.assertNotEqual(cart, other)


def price(cart, rate=1.2, *, rounded=True):
    total = sum(item.price * item.count for item in cart.items)
    return round(total * rate, 2) if rounded else total * rate


def discount(cart, codes=()):
    for code in codes:
        try:
            cart.apply(code)
        except ValueError as error:
            log.warning("bad code %s: %s", code, error)
    return price(cart, 1.1)

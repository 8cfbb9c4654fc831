"""The chips in a tray, one by one, as the people at the table move them."""

from collections import Counter

CHIPS = (10_000_00, 5_000_00, 1_000_00, 500_00, 100_00, 25_00, 5_00, 1_00)
OPENER = {10_000_00: 20, 5_000_00: 20, 1_000_00: 100, 500_00: 100, 100_00: 300, 25_00: 300, 5_00: 400, 1_00: 1_000}

Piles = list[dict[str, int]]


def in_chips(amount_minor: int) -> Counter[int]:
    """An amount in chips as players stack them, the largest first."""
    chips: Counter[int] = Counter()
    for value in CHIPS:
        chips[value], amount_minor = divmod(amount_minor, value)
    assert not amount_minor, "no chips for this"
    return +chips


def total_minor(chips: dict[int, int]) -> int:
    return sum(value * count for value, count in chips.items())


def piles(chips: dict[int, int]) -> Piles:
    """As the API takes them."""
    return [{"value_minor": value, "count": count} for value, count in chips.items() if count]


class Tray:
    def __init__(self) -> None:
        self.chips: Counter[int] = Counter()

    @property
    def minor(self) -> int:
        return total_minor(self.chips)

    @property
    def piles(self) -> Piles:
        return piles(self.chips)

    def put(self, chips: dict[int, int]) -> None:
        self.chips.update(chips)

    def remove(self, chips: dict[int, int]) -> None:
        self.chips.subtract(chips)
        assert min(self.chips.values()) >= 0, "chips that are not there"

    def take(self, amount_minor: int) -> None:
        self.put(in_chips(amount_minor))

    def pay(self, amount_minor: int) -> None:
        """Hand over an amount in the largest chips that are there."""
        for value in CHIPS:
            count = min(amount_minor // value, self.chips[value])
            self.chips[value] -= count
            amount_minor -= count * value
        assert not amount_minor, "the tray cannot pay this"

    def move(self, amount_minor: int) -> None:
        """Take an amount in, or pay it if it is negative."""
        if amount_minor >= 0:
            self.take(amount_minor)
        else:
            self.pay(-amount_minor)

"""A second, slow and simple simulator: Python integers, one card at a time."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator

from punto.rules.coup.cards import RANKS, SUITS, Card, read_card
from punto.rules.coup.coup import Coup
from punto.rules.rulebook import Rulebook

LOW = 2**32 - 1


def philox(counter: tuple[int, int, int, int], seed: int) -> tuple[int, int, int, int]:
    """The four words of Philox4x32 with ten rounds, as in the authors' paper."""
    a, b, c, d = counter
    key_0, key_1 = seed & LOW, seed >> 32
    for _ in range(10):
        first, third = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = third >> 32 ^ b ^ key_0, third & LOW, first >> 32 ^ d ^ key_1, first & LOW
        key_0, key_1 = (key_0 + 0x9E3779B9) & LOW, (key_1 + 0xBB67AE85) & LOW
    return a, b, c, d


def words_of(seed: int, shoe: int, words: int) -> list[int]:
    """The first words of a shoe's stream, in the order of use."""
    blocks = [philox((block, shoe & LOW, shoe >> 32, 0), seed) for block in range(words // 4)]
    return [block[lane] for lane in range(4) for block in blocks]


def order_of(decks: int, seed: int, shoe: int) -> tuple[list[Card], int]:
    """The card order of this seed's shoe, and the number of words redrawn."""
    cards = [rank for rank in RANKS for _ in range(decks * len(SUITS))]
    size = len(cards)
    third = -(-size // 3)
    third += -third % 16
    places, again = [0] * (3 * third), 0
    for at, drawn in enumerate(words_of(seed, shoe, third)):
        bounds = [max(size - step, 1) for step in (at, third + at, 2 * third + at)]
        choices, word = bounds[0] * bounds[1] * bounds[2], drawn
        while word * choices % 2**32 < 2**32 % choices:
            again += 1
            word = philox((0, shoe & LOW, shoe >> 32, again), seed)[0]
        number = word * choices // 2**32  # all choices equally likely
        for step, bound, rest in zip((at, third + at, 2 * third + at), bounds, (2, 1, 0), strict=True):
            below = [1, bounds[2], bounds[1] * bounds[2]][rest]
            places[step] = step + number // below % bound
    for step in range(size - 1):
        place = places[step]
        cards[step], cards[place] = cards[place], cards[step]
    return list(with_suits(cards)), again


def with_suits(ranks: list[str]) -> Iterator[Card]:
    """Cards of these ranks with rotating suits, so no card occurs more often than there are decks."""
    seen: Counter[str] = Counter()
    for rank in ranks:
        yield read_card(rank + SUITS[seen[rank] % len(SUITS)])
        seen[rank] += 1


def cards_of(codes: bytes) -> list[Card]:
    """Decode the kernels' card bytes."""
    return list(with_suits([RANKS[code >> 4] for code in codes]))


def coups_of(rules: Rulebook, order: list[Card], cut_card: int = 14, rounds_after: int = 1) -> Iterator[Coup]:
    """The rounds of a shoe. Each has six cards, used or not."""
    at = 1 + (rules.table_of_play.values[order[0].rank] or 10)
    left = rounds_after
    while True:
        if len(order) - at <= cut_card:
            if not left:
                return
            left -= 1
        coup = Coup.of(rules.space, tuple(order[at : at + 6]))
        assert coup.end is not None
        yield coup
        at += coup.end.cards


def rounds_of_machine(
    rules: Rulebook, decks: int, seed: int, stretches: Iterable[int], back_after: int, rounds: int
) -> Iterator[tuple[Counter[str], Coup]]:
    """The rounds that a machine deals in these stretches, each with the cards that were in it before.

    Cards go back at the end of the list, and are drawn by swapping.
    """
    inside = [rank for rank in RANKS for _ in range(decks * len(SUITS))]
    out: deque[list[str]] = deque()
    for stretch in stretches:
        words = words_of(seed, stretch, 2 * (rounds + rounds % 2))
        again = 0
        for at in range(rounds):
            if len(out) == back_after:
                inside += out.popleft()
            before = Counter(inside)
            for half in range(2):
                first, word = 3 * half, words[at + half * len(words) // 2]
                bounds = [len(inside) - first - step for step in range(3)]
                choices = bounds[0] * bounds[1] * bounds[2]
                while word * choices % 2**32 < 2**32 % choices:
                    again += 1
                    word = philox((0, stretch & LOW, stretch >> 32, again), seed)[0]
                number = word * choices // 2**32
                ahead = number // (bounds[1] * bounds[2]), number // bounds[2] % bounds[1], number % bounds[2]
                for place, step in enumerate(ahead, first):
                    inside[place], inside[place + step] = inside[place + step], inside[place]
            coup = Coup.of(rules.space, tuple(with_suits(inside[:6])))
            assert coup.end is not None
            yield before, coup
            out.append(inside[: coup.end.cards])
            del inside[: coup.end.cards]

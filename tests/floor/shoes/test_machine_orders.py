"""The orders of a continuous shuffler: whole sets under one root, and uniform over what the machine holds."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations

import pytest
from msgspec.structs import replace

from punto.floor.shoes import merkle
from punto.floor.shoes.machine_orders import (
    ORDERS_A_BLOCK,
    OrderStart,
    SealedBlock,
    block_of,
    draw_list,
    is_whole,
    proves,
    read_block,
    seeded_block,
    virtual_block,
    write_revealed,
)
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card, Face

# ---- the tree


def test_the_hashes_are_those_of_rfc_6962() -> None:
    assert merkle.leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    left, right = (merkle.leaf_hash(text) for text in (b"", b"\x00"))
    assert merkle.root_of([left, right]).hex() == "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"


@pytest.mark.parametrize("size", [2, 4, 64])
def test_each_leaf_leads_to_the_root_from_its_own_place_alone(size: int) -> None:
    leaves = [merkle.leaf_hash(bytes([at])) for at in range(size)]
    root = merkle.root_of(leaves)
    for at, leaf in enumerate(leaves):
        path = merkle.path_of(leaves, at)
        assert 2 ** len(path) == size
        reached = [place for place in range(size) if merkle.root_from(leaf, place, path) == root]
        assert reached == [at]


# ---- blocks


@pytest.mark.parametrize("block", [virtual_block("m", 4, 0), seeded_block("m", 4, 0, "seed")])
def test_a_block_has_independent_orders_of_the_whole_set(block: SealedBlock) -> None:
    assert len(block.orders) == ORDERS_A_BLOCK == 64
    assert all(is_whole(order.cards, 4) for order in block.orders)
    assert len({order.cards for order in block.orders}) == len({order.nonce for order in block.orders}) == 64
    assert all(len(bytes.fromhex(order.nonce)) == 32 for order in block.orders)
    assert read_block("m", block.kind, 4, 0, block.text) == block


def test_a_seeded_block_is_the_same_each_time_and_no_other() -> None:
    block = seeded_block("m", 4, 0, "seed")
    assert block == seeded_block("m", 4, 0, "seed")
    others = (seeded_block("m", 4, 1, "seed"), seeded_block("n", 4, 0, "seed"), seeded_block("m", 4, 0, "other"))
    assert not any(block.orders[0] == other.orders[0] for other in others)
    assert block.kind is ShoeKind.SEEDED


def test_nothing_that_prints_a_block_prints_its_orders() -> None:
    block = virtual_block("m", 1, 0)
    assert not any(order.nonce in repr(block) or order.cards in repr(block) for order in block.orders)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("As1", "As2", 1),
        lambda text: text.rpartition("\n")[0],
        lambda text: text + "\nmore\nlines",
        lambda text: text.replace(" ", "  ", 1),
    ],
)
def test_a_block_that_is_no_block_is_not_read(spoil: Callable[[str], str]) -> None:
    assert read_block("m", "virtual", 2, 0, spoil(virtual_block("m", 2, 0).text)) is None


def test_an_order_is_proved_at_its_own_place_only() -> None:
    blocks = [virtual_block("m", 1, number) for number in range(2)]
    for order in (0, 1, 63, 64, 100, 127):
        block = blocks[block_of(order)]
        told = write_revealed(block, order, order + 1, OrderStart(4 * order, ()), ())
        assert proves(told, block.commitment)
        assert not proves(told, blocks[1 - block_of(order)].commitment)
        assert not proves(replace(told, order=order ^ 1), block.commitment)
        assert not proves(replace(told, cards=" ".join(reversed(told.cards.split()))), block.commitment)
        assert not proves(replace(told, nonce="0" * 64), block.commitment)
        assert not proves(replace(told, path=told.path[:-1]), block.commitment)
        assert not proves(replace(told, path=("no hash", *told.path[1:])), block.commitment)


def test_the_leaf_is_what_the_page_says() -> None:
    order = virtual_block("m", 1, 0).orders[0]
    assert order.leaf == hashlib.sha256(b"\x00" + order.nonce.encode() + b"\n" + order.cards.encode()).digest()


# ---- passing over what is out

A, B, C = Card("As"), Card("2s"), Card("3s")


def orders(cards: Sequence[str]) -> list[str]:
    return [" ".join(order) for order in permutations(cards)]


@pytest.mark.parametrize(
    ("copies", "out"),
    [
        (("As1", "As2", "2s1"), (A,)),
        (("As1", "As2", "As3", "2s1", "2s2"), (A,)),
        (("As1", "As2", "As3", "2s1", "2s2"), (A, A)),
        (("As1", "As2", "2s1", "2s2", "3s1", "3s2"), (A, B)),
        (("As1", "As2", "2s1", "2s2", "3s1", "3s2"), ()),
    ],
)
def test_what_is_left_is_uniform_over_what_the_machine_holds(copies: tuple[str, ...], out: tuple[Face, ...]) -> None:
    """Every order of the cards in it is exactly as frequent as if they had been shuffled alone."""
    held = list((Counter(Card(copy[:2]) for copy in copies) - Counter(out)).elements())
    alone = Counter(permutations(held))
    drawn = Counter(draw_list(order, out) for order in orders(copies))
    assert {cards: count * sum(alone.values()) for cards, count in drawn.items()} == {
        cards: count * sum(drawn.values()) for cards, count in alone.items()
    }


def test_passing_over_the_first_copies_met_would_favour_the_other_cards() -> None:
    """What the numbers are for: see the module."""

    def first_met(order: str) -> Card:
        cards = [Card(copy[:2]) for copy in order.split()]
        cards.remove(A)
        return cards[0]

    firsts = Counter(first_met(order) for order in orders(("As1", "As2", "2s1")))
    numbered = Counter(draw_list(order, (A,))[0] for order in orders(("As1", "As2", "2s1")))
    assert (firsts[B], numbered[B]) == (4, 3)


@pytest.mark.sweep
def test_the_first_card_of_a_whole_set_is_uniform_over_what_is_left() -> None:
    """Four decks with all queens of spades out, and one ace: by chi-square, at one in a million."""
    numbers = random.Random(1)  # noqa: S311 - statistics, not secrets
    out = (*[Card("Qs")] * 4, A)
    copies = [f"{card}{copy}" for card in Card for copy in range(1, 5)]
    drawn, tries = Counter[Card](), 20_000
    for _ in range(tries):
        numbers.shuffle(copies)
        drawn[draw_list(" ".join(copies), out)[0]] += 1
    expected = {card: (4 - out.count(card)) * tries / (4 * 52 - len(out)) for card in Card if out.count(card) < 4}
    assert drawn.keys() == expected.keys()
    assert sum((drawn[card] - mean) ** 2 / mean for card, mean in expected.items()) < 120

"""Faces by rank alone: a table that takes them settles as with suits, and counts both together."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json, to_builtins

from punto import Stake, settle
from punto.rules.coup.cards import RANKS, SUITS, Card, Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.play.opening import count_seen, uncount_seen
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import Event, RoundSettled
from punto.table.records.findings import IrregularityRaised
from punto.table.records.state import Shoe, Table
from punto.table.refusals import TableCode
from tests.marks import BOOKS, books
from tests.table.numbers import cited, having
from tests.table.tables import DEALER, NATURAL, SUPERVISOR, Evening, betting, dealing, opened

DECKS = 4
NINE = Face("9")
COUPS = ("9s 2d Kh 3c", "As 2s Ad 3d 6c 4h", "9s 9d Kh Kc", "2s 2h 2d 2c 2s 2d", "7s 2d Kh 3c 4h", "4s 4d 4h 4c")

RANK = st.sampled_from(RANKS)
SUIT = st.sampled_from(SUITS)
FACES = st.lists(st.sampled_from(list(Face)), max_size=40)


def _by_rank(cards: str) -> str:
    return " ".join(card[0] for card in cards.split())


# ---- what a table takes


WITH_FACES: dict[str, Callable[[Face], Command]] = {
    "burn": lambda face: commands.BurnCards(*DEALER, face),
    "deal": lambda face: commands.DealCard(*DEALER, face),
    "turn": lambda face: commands.TurnCard(*DEALER, 1, face),
    "excess": lambda face: reports.ReportExcessCard(*SUPERVISOR, (None, face)),
    "wrong number": lambda face: reports.ReportWrongNumber(*SUPERVISOR, cards=(face,)),
    "face up": lambda face: reports.ReportFaceUpCard(*SUPERVISOR, 1, face),
    "correction": lambda face: CorrectCard(*SUPERVISOR, "s1", 0, face),
    "simultaneous": lambda face: reports.ReportSimultaneousCards(*SUPERVISOR, (face, None)),
}


def test_every_command_with_a_card_is_tried_below() -> None:
    kinds = {type(make(NINE)) for make in WITH_FACES.values()}
    named = {
        kind
        for kind in (*_commands(commands.Command), *_commands(reports.Report))
        if {"card", "cards"} & {*kind.__struct_fields__}
    }
    assert kinds == named


def _commands(base: type[Command]) -> set[type[Command]]:
    return {base}.union(*(_commands(each) for each in base.__subclasses__()))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: str(rules.id))
def test_a_rank_alone_is_refused_where_the_settings_ask_for_suits(rules: Rulebook) -> None:
    evening = dealing(rules)
    for command in (make(NINE) for make in WITH_FACES.values()):
        if command.topic is None or rules.has(command.topic):
            refusal = evening.refuse(command, TableCode.SUIT_NEEDED)
            assert "9s" in refusal.message


def test_a_face_is_read_as_it_is_written() -> None:
    assert [*map(str, Face)] == [*map(str, Card), *RANKS]
    for face in Face:
        assert json.decode(json.encode(face), type=Face) is face
        assert face.rank + face.suit == face


# ---- no result depends on a suit


@st.composite
def _two_suits(draw: st.DrawFn) -> tuple[Rulebook, list[Coup]]:
    """A book and the same ranks three times: with two sets of suits, and alone."""
    rules = draw(st.sampled_from(BOOKS))
    ranks = draw(st.lists(RANK, min_size=6, max_size=6))
    coups = [Coup.of(rules.space, tuple(Face(rank + draw(SUIT)) for rank in ranks)) for _ in range(2)]
    return rules, [*coups, Coup.of(rules.space, tuple(map(Face, ranks)))]


@given(_two_suits())
def test_no_bet_of_any_book_depends_on_a_suit(drawn: tuple[Rulebook, list[Coup]]) -> None:
    rules, coups = drawn
    for layout in rules.layouts.values():
        stakes = [Stake("ann", bet, 100_03) for bet in layout.menu]
        first, *others = (
            [
                (each.verdict, each.returned_minor, each.clauses)
                for each in settle(rules, coup, stakes, layout=layout.id).bets
            ]
            for coup in coups
        )
        assert all(other == first for other in others)
    assert len({rules.offers(coup) for coup in coups}) == 1
    assert len({tuple(coup.hand(side).points for side in Side) for coup in coups}) == 1


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: str(rules.id))
def test_six_cards_of_one_rank_are_in_any_shoe(rules: Rulebook) -> None:
    coup = Coup.of(rules.space, (Face("2"),) * 6)
    layout = next(iter(rules.layouts))
    assert settle(rules, coup, [Stake("ann", "player", 1)], layout=layout, decks=rules.decks.least).bets


# ---- rounds by rank


def _round(rules: Rulebook, cards: str, **changes: Any) -> Evening:
    """A round in which ann has every bet of the layout."""
    evening = betting(rules, **changes)
    assert evening.table.settings is not None
    for bet in rules.layouts[evening.table.settings.layout].menu:
        evening.bet("ann", bet, 10_03)
    words = cards.split()
    evening.close_betting().deal(" ".join(words[:4]))
    for third in words[4:]:
        evening.deal(third)
    return evening.settle()


def _without_faces(events: Sequence[Event]) -> list[Any]:
    return [{name: value for name, value in to_builtins(event).items() if name != "card"} for event in events]


@pytest.mark.parametrize("face_down", [False, True], ids=["face up", "face down"])
@pytest.mark.parametrize("cards", COUPS)
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: str(rules.id))
def test_a_round_by_rank_settles_to_the_cent_as_with_suits(rules: Rulebook, cards: str, *, face_down: bool) -> None:
    suited = _round(rules, cards, faces_by_rank=True, face_down=face_down)
    ranked = _round(rules, _by_rank(cards), faces_by_rank=True, face_down=face_down)
    half = " ".join(card[0] if at % 2 else card for at, card in enumerate(cards.split()))
    mixed = _round(rules, half, faces_by_rank=True, face_down=face_down)
    assert suited.happened(RoundSettled)
    for evening in (ranked, mixed):
        assert evening.table.balances == suited.table.balances
        assert _without_faces(evening.events) == _without_faces(suited.events)
        assert _seen_by_rank(evening.table) == _seen_by_rank(suited.table)


def _seen_by_rank(table: Table) -> list[int]:
    assert table.shoe is not None
    return [table.shoe.copies_seen(Face(rank)) for rank in RANKS]


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: str(rules.id))
def test_a_burned_rank_burns_as_many_as_its_card(rules: Rulebook) -> None:
    for rank in RANKS:
        left = set()
        for face in (rank, f"{rank}h"):
            evening = opened(rules, faces_by_rank=True, burn=True)
            evening.do(commands.LoadShoe(*SUPERVISOR, "s1", DECKS))
            evening.do(commands.BurnCards(*DEALER, Face(face)))
            assert evening.table.shoe is not None
            left.add((evening.table.shoe.left, *_seen_by_rank(evening.table)))
        assert len(left) == 1


@pytest.mark.parametrize("rules", books(Topic.EXCESS_CARDS))
def test_a_rank_drawn_too_early_starts_the_next_round(rules: Rulebook) -> None:
    evening = dealing(rules, faces_by_rank=True).deal(_by_rank(NATURAL))
    evening.do(commands.DealCard(*DEALER, Face("7")))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Face("7"),)))
    evening.settle().open_betting().close_betting()
    evening.do(commands.DealCard(*DEALER, Face("7")))
    assert evening.table.round is not None
    assert evening.table.round.cards == ("7",)


# ---- copies


def _shoe(*faces: str) -> Shoe:
    shoe = Shoe("s1", DECKS)
    for face in faces:
        shoe = count_seen(shoe, Face(face))
    return shoe


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        (("9",) * 15, {"9", "9s", "9h", "9d", "9c"}),
        (("9",) * 16, set[str]()),
        (("9s",) * 3, {"9", "9s", "9h", "9d", "9c"}),
        (("9s",) * 4, {"9", "9h", "9d", "9c"}),
        ((*("9s",) * 4, *("9",) * 11), {"9", "9h", "9d", "9c"}),
        ((*("9s",) * 4, *("9",) * 12), set[str]()),
        ((*("9s",) * 4, *("9h",) * 4, *("9d",) * 4, *("9c",) * 4), set[str]()),
        ((*("8",) * 16, *("Ts",) * 4), {"9", "9s", "9h", "9d", "9c"}),
    ],
)
def test_a_card_has_as_many_copies_as_decks_and_a_rank_four_times_as_many(
    seen: tuple[str, ...], left: set[str]
) -> None:
    shoe = _shoe(*seen)
    assert {face for face in ("9", "9s", "9h", "9d", "9c") if shoe.has_left(Face(face))} == left


@given(FACES, FACES)
def test_a_card_taken_back_counts_as_never_seen(kept: list[Face], taken_back: list[Face]) -> None:
    before = after = _shoe(*kept)
    for face in taken_back:
        after = count_seen(after, face)
    for rank in RANKS:
        assert after.copies_seen(Face(rank)) == sum(face.rank == rank for face in (*kept, *taken_back))
    for face in taken_back:
        after = uncount_seen(after, face)
    assert after == before


def _sixteen_nines(rules: Rulebook, *, ranks: int) -> Evening:
    """Betting is closed, and all sixteen nines of the shoe have been seen, this many by rank alone."""
    evening = opened(rules, faces_by_rank=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", DECKS))
    nines = [f"9{suit}" for suit in SUITS for _ in range(DECKS)]
    nines[:ranks] = ["9"] * ranks
    for at in range(0, 16, 4):
        evening.open_betting().close_betting().deal(" ".join(nines[at : at + 4])).settle()
    return evening.open_betting().close_betting()


@pytest.mark.parametrize("face", ["9", "9s"])
@pytest.mark.parametrize("ranks", [16, 12, 1, 0])
@pytest.mark.parametrize("rules", having("foreign_card", "card_count"))
def test_one_copy_too_many_is_raised_in_both_forms(rules: Rulebook, ranks: int, face: str) -> None:
    evening = _sixteen_nines(rules, ranks=ranks)
    (raised,) = evening.do(commands.DealCard(*DEALER, Face(face)))
    rule = "card_count" if cited(rules, "card_count") else "foreign_card"
    assert isinstance(raised, IrregularityRaised)
    assert (raised.report, raised.clauses, raised.card) == (f"report_{rule}", cited(rules, rule), face)


@pytest.mark.parametrize("rules", having("excess"))
def test_the_refusal_says_how_many_there_were(rules: Rulebook) -> None:
    evening = _sixteen_nines(rules, ranks=16).deal(_by_rank("8s 2d Kh 3c"))
    evening.do(commands.DealCard(*DEALER, Face("5")))
    for face in ("9", "9s"):
        report = reports.ReportExcessCard(*SUPERVISOR, (Face("5"), Face(face)))
        refusal = evening.refuse(report, TableCode.CARD_NOT_IN_SHOE, *cited(rules, "decks"))
        assert refusal.message == "No card of rank 9 is left in this shoe: 16 cards have been seen."

"""Dealing and turning cards, squeezing, and the waiver of third-card insurance."""

from typing import get_args

import msgspec
import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands
from punto.table.records.commands import (
    DealCard,
    GrantSqueeze,
    RequestSqueeze,
    SqueezeCard,
    TurnCard,
    WaiveThirdCardInsurance,
)
from punto.table.records.events import (
    CardDealt,
    CardTurned,
    InsuranceOffered,
    RoundSettled,
    ThirdCardInsuranceWaived,
)
from punto.table.records.findings import IrregularityRaised
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.marks import BOOKS, INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
)

RULES = book("commission-insurance")
BOTH_DRAW = "As Kh Ad Ac"
"""Player 2, Banker 1: both draw, whatever the cards."""
BANKER_DEPENDS = "As Kh Ad 3c"
"""Player 2, Banker 3: Banker stands on an eight."""
PLAYER, BANKER = Side.PLAYER, Side.BANKER


def _cards(evening: Evening) -> tuple[Card | None, ...]:
    assert evening.table.round is not None
    return evening.table.round.cards


# ---- face up


@pytest.mark.parametrize("rules", having("first_four"))
def test_cards_face_up_are_dealt_and_seen_at_once(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.refuse(DealCard(*DEALER), TableCode.CARD_NEEDED)
    evening.deal(NATURAL)
    dealt = evening.happened(CardDealt)
    assert [(one.place, one.to) for one in dealt] == [(1, PLAYER), (2, BANKER), (3, PLAYER), (4, BANKER)]
    assert all(set(cited(rules, "first_four")) <= set(one.clauses) for one in dealt)
    assert [(one.place, one.card) for one in evening.happened(CardTurned)] == list(
        enumerate(map(read_card, NATURAL.split()), 1)
    )
    evening.refuse(TurnCard(*DEALER, 1, Card("As")), TableCode.NO_CARD_THERE)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_nothing_is_dealt_before_the_close_nor_settled_before_the_end(rules: Rulebook) -> None:
    evening = betting(rules)
    first_four = cited(rules, "first_four")
    for command in (DealCard(*DEALER, Card("As")), TurnCard(*DEALER, 1, Card("As"))):
        assert "closed first" in evening.refuse(command, TableCode.NOT_DEALING, *first_four).message
    evening.refuse(commands.Settle(*DEALER), TableCode.NOT_DEALING, *cited(rules, "winner"))
    evening.close_betting().deal("As Kh Ad")
    evening.refuse(commands.Settle(*DEALER), TableCode.COUP_NOT_FINISHED, *cited(rules, "table_of_play"))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize(
    ("cards", "to"),
    [
        ("As Kh Ad Ac 4s 5d", [PLAYER, BANKER]),
        ("As Kh Ad 3c 8s", [PLAYER]),  # Banker stands on Player's eight
        ("6s Kh Kd 5c 2s", [BANKER]),  # Player stands on 6
        ("6s Kh Kd 6c", []),
    ],
)
def test_the_table_of_play_says_to_whom_the_third_cards_go(rules: Rulebook, cards: str, to: list[Side]) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00)).deal(cards)
    assert [one.to for one in evening.happened(CardDealt)[4:]] == to
    evening.settle()


# ---- face down


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_dealt_card_is_a_place_and_a_turned_one_a_card(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00), face_down=True)
    open_ = evening.refuse(DealCard(*DEALER, Card("As")), TableCode.CARD_FACE_UP, *cited(rules, "face_up"))
    assert "turn it" in open_.message
    evening.deal_unseen(4)
    assert _cards(evening) == (None,) * 4
    assert evening.table.shoe is not None
    assert (evening.table.shoe.drawn, sum(evening.table.shoe.seen)) == (4, 0)
    to_turn = evening.refuse(DealCard(*DEALER), TableCode.CARD_TO_TURN, *cited(rules, "table_of_play"))
    assert "turned first" in to_turn.message
    assert evening.do(TurnCard(*DEALER, 4, Card("3c"))) == (CardTurned(4, Card("3c")),)
    assert _cards(evening) == (None, None, None, Card("3c"))
    for place in (0, -1, 4, 5):
        evening.refuse(TurnCard(*DEALER, place, Card("As")), TableCode.NO_CARD_THERE)
    evening.turn("As Kh Ad")
    evening.deal_unseen(1)
    hidden = evening.refuse(DealCard(*DEALER), TableCode.CARD_TO_TURN, *cited(rules, "table_of_play"))
    assert hidden.message
    evening.refuse(commands.Settle(*DEALER), TableCode.COUP_NOT_FINISHED, *cited(rules, "table_of_play"))
    evening.turn("8s").settle()
    assert sum(evening.table.shoe.seen) == 5


def test_no_event_and_no_state_holds_a_card_that_nobody_has_seen() -> None:
    evening = dealing(RULES, ("ann", "tie", 10_00), face_down=True)
    turned: list[str] = []
    for count, cards in ((4, "As Kh Ad Ac"), (1, "4s"), (1, "5d")):
        before = len(evening.events)
        evening.deal_unseen(count)
        for event in evening.events[before:]:
            assert not _faces(msgspec.to_builtins(event))
        for place, card in enumerate(cards.split(), len(turned) + 1):
            _only_seen(evening, turned)
            evening.do(TurnCard(*DEALER, place, read_card(card)))
            turned.append(card)
            _only_seen(evening, turned)


def _only_seen(evening: Evening, turned: list[str]) -> None:
    assert [card for card in _cards(evening) if card is not None] == turned
    assert evening.table.shoe is not None
    assert sum(evening.table.shoe.seen) == len(turned)
    assert _faces(msgspec.to_builtins(evening.events, builtin_types=())) == set(turned)


def _faces(value: object) -> set[str]:
    """Every card anywhere inside a value."""
    if isinstance(value, dict):
        return set[str]().union(*(_faces(each) for each in value.values()))
    if isinstance(value, (list, tuple)):
        return set[str]().union(*(_faces(each) for each in value))
    return {value} if isinstance(value, str) and value in set(Card) else set()


def test_a_card_whose_copies_are_all_out_cannot_be_turned() -> None:
    evening = ready(RULES, face_down=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "four decks", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting().deal_unseen(4)
    raised = evening.do(TurnCard(*DEALER, 1, Card("9s")))
    assert isinstance(raised[0], IrregularityRaised)
    assert (raised[0].kind, raised[0].card, raised[0].place) == (Irregularity.CARD_COUNT, Card("9s"), 1)
    assert _cards(evening)[0] is None


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_no_player_ever_names_a_card(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True)
    if cited(rules, "squeeze"):
        evening.do(RequestSqueeze("ann", Position.PLAYER, "ann", BANKER))
        evening.do(GrantSqueeze(*SUPERVISOR, BANKER))
    evening.deal_unseen(4)
    if cited(rules, "squeeze"):
        evening.do(SqueezeCard("ann", Position.PLAYER, 2))
    for who in ("ann", "ben"):
        for place in (1, 2):
            turning = TurnCard(who, Position.PLAYER, place, Card("2s"))
            assert "not allowed as player" in evening.refuse(turning, TableCode.NOT_AUTHORISED).message
    naming = [kind for kind in get_args(AnyCommand) if {"card", "cards"} & set(kind.__struct_fields__)]
    everyday = {"BurnCards", "DealCard", "TurnCard"}
    reports = {"ReportExcessCard", "ReportFaceUpCard", "ReportSimultaneousCards", "ReportWrongNumber"}
    assert {kind.__name__ for kind in naming} == everyday | reports | {"CorrectCard"}
    assert not [kind for kind in naming if Position.PLAYER in kind.may]
    evening.do(TurnCard(*DEALER, 2, Card("2s")))


# ---- the waiver


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_bankers_third_card_may_be_dealt_and_turned_first_and_nobody_insures_then(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("dan", "banker", 50_00), face_down=True).deal(BOTH_DRAW)
    waiving = WaiveThirdCardInsurance(*SUPERVISOR, "ann")
    assert evening.do(waiving) == (ThirdCardInsuranceWaived("ann", cited(rules, "waiver")),)
    evening.refuse(waiving, TableCode.WAIVER_NOT_POSSIBLE, *cited(rules, "waiver"))
    evening.deal_unseen(2)
    assert [one.to for one in evening.happened(CardDealt)[4:]] == [PLAYER, BANKER]
    evening.do(TurnCard(*DEALER, 6, Card("5d")))
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.do(TurnCard(*DEALER, 5, Card("6s")))
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.settle()
    assert evening.happened(InsuranceOffered) == []
    assert evening.happened(RoundSettled)[0].player == 8


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_once_waived_nothing_is_due_even_if_players_card_is_seen_first_after_all(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True).deal(BOTH_DRAW)
    evening.do(WaiveThirdCardInsurance(*SUPERVISOR, "ann"))
    evening.deal_unseen(1).turn("6s")  # Player 8, which would be insured
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.deal_unseen(1)


@pytest.mark.parametrize("rules", having(where="waiver"))
@reading("when_the_waiver_is_possible")
def test_without_the_waiver_players_card_comes_first_and_is_insured(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True).deal(BOTH_DRAW).deal_unseen(1)
    evening.refuse(DealCard(*DEALER), TableCode.CARD_TO_TURN, *cited(rules, "table_of_play"))
    evening.turn("6s")
    evening.refuse(DealCard(*DEALER), TableCode.INSURANCE_DUE, *cited(rules, "insurance"))


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_the_waiver_is_given_until_players_third_card_is_seen(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True).deal(BOTH_DRAW).deal_unseen(1)
    before = evening.table
    evening.do(WaiveThirdCardInsurance(*SUPERVISOR, "ann"))
    evening.deal_unseen(1)
    evening.table = before
    evening.turn("6s")
    late = WaiveThirdCardInsurance(*SUPERVISOR, "ann")
    evening.refuse(late, TableCode.WAIVER_NOT_POSSIBLE, *cited(rules, "waiver"))


@pytest.mark.parametrize("rules", having("waiver"))
@pytest.mark.parametrize(
    "cards",
    [
        BANKER_DEPENDS,
        BANKER_ON_FIVE,
        "6s Kh Kd Ac",  # Player stands
        NATURAL,
        "As Kh Ad",
        "",
    ],
)
@reading("when_the_waiver_is_possible")
def test_the_waiver_needs_both_third_cards_to_be_certain(rules: Rulebook, cards: str) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True).deal(cards)
    waiving = WaiveThirdCardInsurance(*SUPERVISOR, "ann")
    assert "certain" in evening.refuse(waiving, TableCode.WAIVER_NOT_POSSIBLE, *cited(rules, "waiver")).message


@pytest.mark.parametrize("rules", having("waiver"))
@pytest.mark.parametrize("banker", range(8))
@reading("when_the_waiver_is_possible")
def test_the_waiver_is_possible_on_zero_to_two_points_of_banker(rules: Rulebook, banker: int) -> None:
    evening = dealing(rules, ("ann", "tie", 1_00), ("ben", "player", 100_00), face_down=True)
    evening.deal(f"As Kh Ad {'KA234567'[banker]}c")
    waiving = WaiveThirdCardInsurance(*SUPERVISOR, "ben")
    if banker <= 2:
        evening.do(waiving)
    else:
        evening.refuse(waiving, TableCode.WAIVER_NOT_POSSIBLE, *cited(rules, "waiver"))


@pytest.mark.parametrize("rules", having(where="waiver", among=INSURED))
@reading("when_the_waiver_is_possible")
def test_where_the_waiver_is_possible_four_cards_never_offer_insurance(rules: Rulebook) -> None:
    assert rules.insurance is not None
    offered = {
        (player, banker)
        for player in range(6)
        for banker in range(8)
        if rules.insurance.line(Stage.FOUR, player, banker)
    }
    assert offered
    assert not {cell for cell in offered if cell[1] <= 2}  # so the waiver does not affect it


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_the_waiver_is_the_highest_bettors_wish_the_houses_consent_and_for_cards_face_down(rules: Rulebook) -> None:
    bets = (("ann", "player", 100_00), ("ben", "banker", 50_00))
    evening = dealing(rules, *bets, face_down=True).deal(BOTH_DRAW)
    clauses = cited(rules, "waiver")
    evening.refuse(WaiveThirdCardInsurance(*SUPERVISOR, "ben"), TableCode.NOT_THE_HIGHEST_BET, *clauses)
    for by in (DEALER, ("ann", Position.PLAYER)):
        evening.refuse(WaiveThirdCardInsurance(*by, "ann"), TableCode.NOT_AUTHORISED, *clauses)
    up = dealing(rules, *bets).deal(BOTH_DRAW)
    up.refuse(WaiveThirdCardInsurance(*SUPERVISOR, "ann"), TableCode.NOT_FACE_DOWN, *clauses)


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_the_waiver_is_for_one_round(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True).deal(BOTH_DRAW)
    evening.do(WaiveThirdCardInsurance(*SUPERVISOR, "ann"))
    evening.deal_unseen(2).turn("6s 5d").settle().open_betting()
    evening.bet("ann", "player", 100_00)
    evening.close_betting().deal(BOTH_DRAW).deal("6s")
    evening.do(commands.OpenInsurance(*DEALER))


@pytest.mark.parametrize("id_", ["commission", "super-six-plus"])
def test_without_insurance_there_is_nothing_to_waive(id_: str) -> None:
    evening = dealing(book(id_), face_down=True).deal(BOTH_DRAW)
    evening.refuse(WaiveThirdCardInsurance(*SUPERVISOR, "ann"), TableCode.NOT_IN_BOOK)


@pytest.mark.parametrize("rules", BOOKS)
def test_a_card_named_by_its_place_counts_once(rules: Rulebook) -> None:
    """Two people at one table enter the same card."""
    evening = dealing(rules)
    evening.do(DealCard(*DEALER, Card("9s"), place=1))
    refusal = evening.refuse(DealCard(*DEALER, Card("9s"), place=1), TableCode.NOT_THE_NEXT_CARD)
    assert (refusal.values["place"], refusal.values["wanted"]) == (1, 2)
    evening.do(DealCard(*DEALER, Card("9s"), place=2))
    assert evening.table.round is not None
    assert evening.table.round.cards == (Card("9s"), Card("9s"))

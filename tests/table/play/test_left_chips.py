"""Two people one after the other at one place: the second never gets what the first left there."""

from collections.abc import Callable

import pytest

from punto import book
from punto.rules.topics import Topic
from punto.table import legal
from punto.table.records import reports
from punto.table.records.commands import (
    BuyIn,
    CashOut,
    CloseTable,
    IdentifyPlayer,
    Leave,
    OpenInsurance,
    OpenTable,
    PlaceBet,
    Sit,
    StandBehind,
    TakeInsurance,
)
from punto.table.records.kinds import Effect
from punto.table.records.ledger import chips
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    FLOAT_MINOR,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
HERE, FIRST, SECOND = "box 4", "P000001", "P000002"
BOUGHT_MINOR, STAKE_MINOR = 5_000_00, 100_00
TIE = "9s 9d Kh Kc"
WRONG_NUMBER = reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands")


def _arrives(evening: Evening, who: str = HERE, amount_minor: int = CHIPS_MINOR, box: int = 4) -> None:
    evening.do(BuyIn(*DEALER, who, amount_minor))
    evening.do(Sit(*DEALER, who, box))


def _taken_by_first() -> Evening:
    evening = ready(RULES)
    _arrives(evening, amount_minor=BOUGHT_MINOR)
    return evening


def _bets(evening: Evening, bet: str) -> None:
    evening.open_betting()
    evening.do(PlaceBet(*DEALER, HERE, 4, bet, STAKE_MINOR))


def _leave(evening: Evening) -> None:
    evening.do(Leave(*DEALER, HERE))


def _cash_out(evening: Evening) -> None:
    evening.do(CashOut(*DEALER, HERE, evening.table.chips_minor(HERE)))


# ---- every way of leaving, and what the first one left


def _leaves_between_rounds(evening: Evening) -> int:
    _leave(evening)
    return BOUGHT_MINOR


def _leaves_before_sitting_down(evening: Evening) -> int:
    _leave(evening)
    _cash_out(evening)
    evening.do(BuyIn(*DEALER, HERE, BOUGHT_MINOR))
    _leave(evening)
    return BOUGHT_MINOR


def _walks_away(bet: str, cards: str, change_minor: int) -> Callable[[Evening], int]:
    """Leave with a bet on the felt. Meanwhile nobody else can buy chips there."""

    def leave(evening: Evening) -> int:
        _bets(evening, bet)
        _leave(evening)
        assert evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE).variant == "bets"
        evening.play(cards)
        return BOUGHT_MINOR + change_minor

    return leave


def _is_void(evening: Evening) -> int:
    _bets(evening, "player")
    _leave(evening)
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    return BOUGHT_MINOR


def _is_reversed(evening: Evening) -> int:
    """The first one leaves with winnings, and the settlement is reversed."""
    _bets(evening, "player")
    evening.play(NATURAL)
    _leave(evening)
    evening.do(WRONG_NUMBER)
    return BOUGHT_MINOR


def _is_ruled(evening: Evening) -> int:
    """The first one has cashed out and gone, and a ruling pays them more."""
    _leave(evening)
    _cash_out(evening)
    assert HERE not in evening.table.people
    evening.do(reports.Rule(*SHIFT, "as the film shows", Effect.ADJUST, amounts={HERE: 7}))
    return 7


def _is_carried_over(evening: Evening) -> int:
    evening.do(CloseTable(*SUPERVISOR))
    carried = {chips(HERE): BOUGHT_MINOR}
    evening.do(OpenTable(*SUPERVISOR, settings(RULES), FLOAT_MINOR, carried))
    return BOUGHT_MINOR


WAYS = {
    "between rounds": _leaves_between_rounds,
    "before sitting down": _leaves_before_sitting_down,
    "a bet wins": _walks_away("player", NATURAL, STAKE_MINOR),
    "a bet loses": _walks_away("banker", NATURAL, -STAKE_MINOR),
    "a bet is returned": _walks_away("player", TIE, 0),
    "void": _is_void,
    "reversed": _is_reversed,
    "ruled": _is_ruled,
    "carried over": _is_carried_over,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("identified", [True, False])
def test_the_next_person_gets_nothing_of_it(way: str, identified: bool) -> None:  # noqa: FBT001 - pytest
    evening = _taken_by_first()
    left_minor = WAYS[way](evening)
    assert evening.table.abandoned == {HERE}
    assert evening.table.balances[chips(HERE)] == left_minor
    for command in (BuyIn(*DEALER, HERE, 1), Sit(*DEALER, HERE, 4), Leave(*DEALER, HERE)):
        assert evening.refuse(command, TableCode.CHIPS_LEFT_HERE).variant == "chips"
    if identified:
        evening.do(IdentifyPlayer(*DEALER, HERE, FIRST))
    else:
        _cash_out(evening)
    if evening.table.round is not None and evening.table.round.settled and not identified:
        assert evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE).variant == "last_round"
        evening.open_betting()
    _arrives(evening)
    evening.do(BuyIn(*DEALER, HERE, 1))
    if evening.table.round is not None and HERE in evening.table.gone:
        evening.refuse(IdentifyPlayer(*DEALER, HERE, SECOND), TableCode.BOTH_IN_ROUND)
        evening.open_betting()
    evening.do(IdentifyPlayer(*DEALER, HERE, SECOND))
    assert evening.table.chips_minor(SECOND) == CHIPS_MINOR + 1
    assert evening.table.chips_minor(FIRST) == (left_minor if identified else 0)
    assert evening.table.abandoned == frozenset()


def test_part_of_the_chips_keeps_the_place() -> None:
    evening = _taken_by_first()
    _leave(evening)
    evening.do(CashOut(*DEALER, HERE, 1))
    evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE)
    _cash_out(evening)
    _arrives(evening)
    assert evening.chips[HERE] == CHIPS_MINOR


def test_a_correction_never_reaches_the_next_person() -> None:
    """The first one cashes the winnings out and goes. Then the settlement is reversed: they owe it, nobody else."""
    evening = _taken_by_first()
    _bets(evening, "player")
    evening.play(NATURAL)
    _leave(evening)
    _cash_out(evening)
    assert evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE).variant == "last_round"
    evening.do(WRONG_NUMBER)
    assert evening.chips[HERE] == -STAKE_MINOR
    evening.open_betting()
    refusal = evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE)
    assert refusal.message.startswith("Somebody left 'box 4' and owes 100.")
    evening.do(reports.Rule(*SHIFT, "written off", Effect.ADJUST, amounts={HERE: STAKE_MINOR}))
    _arrives(evening)
    assert evening.chips[HERE] == CHIPS_MINOR


def test_a_debt_moves_to_the_id_and_frees_the_place() -> None:
    evening = _taken_by_first()
    _bets(evening, "player")
    evening.play(NATURAL)
    _leave(evening)
    _cash_out(evening)
    evening.do(WRONG_NUMBER)
    evening.open_betting()
    evening.do(IdentifyPlayer(*DEALER, HERE, FIRST))
    _arrives(evening)
    assert (evening.chips[FIRST], evening.chips[HERE]) == (-STAKE_MINOR, CHIPS_MINOR)


def test_a_place_without_chips_or_bets_is_free_at_once() -> None:
    evening = _taken_by_first()
    evening.open_betting()
    _leave(evening)
    _cash_out(evening)
    assert evening.table.abandoned == frozenset()
    _arrives(evening)
    evening.do(PlaceBet(*DEALER, HERE, 4, "banker", CHIPS_MINOR))


def test_all_chips_on_the_felt_and_lost() -> None:
    evening = _taken_by_first()
    evening.open_betting()
    evening.do(PlaceBet(*DEALER, HERE, 4, "banker", BOUGHT_MINOR))
    _leave(evening)
    evening.play(NATURAL)
    assert HERE not in evening.table.people
    assert evening.table.abandoned == {HERE}
    evening.open_betting()
    assert evening.table.abandoned == frozenset()
    _arrives(evening)
    assert evening.chips[HERE] == CHIPS_MINOR


def test_nobody_insures_the_bets_of_somebody_who_left() -> None:
    evening = _taken_by_first()
    _bets(evening, "banker")
    evening.bet("ann", "banker", STAKE_MINOR)
    _leave(evening)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    buying = (BuyIn, Sit, StandBehind, PlaceBet, TakeInsurance)
    listed = [move.command for move in legal(RULES, evening.table, *DEALER)]
    listed_for = {command.who for command in listed if isinstance(command, buying)}
    assert HERE not in listed_for
    assert TakeInsurance(*DEALER, "ann", 1, 1) in listed


def test_a_newcomer_is_listed_for_a_place_that_is_free() -> None:
    evening = opened(RULES)
    evening.do(BuyIn(*DEALER, "box 1", BOUGHT_MINOR))
    evening.do(Leave(*DEALER, "box 1"))
    buying = [move.command.who for move in legal(RULES, evening.table, *DEALER) if isinstance(move.command, BuyIn)]
    assert buying == ["box 2"]


@pytest.mark.parametrize("who", ["ann", FIRST])
def test_names_and_ids_are_one_person(who: str) -> None:
    """They come back to their chips."""
    evening = opened(RULES)
    _arrives(evening, who)
    evening.do(Leave(*DEALER, who))
    _arrives(evening, who)
    assert evening.chips[who] == 2 * CHIPS_MINOR


# ---- somebody unknown changes places


def test_chips_and_bets_move_to_the_new_place() -> None:
    evening = _taken_by_first()
    _bets(evening, "player")
    evening.do(IdentifyPlayer(*DEALER, HERE, "box 6"))
    assert (evening.table.seats.get(4), evening.table.seats[6]) == (None, "box 6")
    assert evening.stakes == {("box 6", 4, "player"): STAKE_MINOR}
    _arrives(evening)
    evening.do(PlaceBet(*DEALER, "box 6", 6, "player", STAKE_MINOR))
    evening.play(NATURAL)
    assert (evening.chips["box 6"], evening.chips[HERE]) == (BOUGHT_MINOR + 2 * STAKE_MINOR, CHIPS_MINOR)
    evening.do(IdentifyPlayer(*DEALER, "box 6", FIRST))
    assert evening.chips[FIRST] == BOUGHT_MINOR + 2 * STAKE_MINOR


def test_somebody_who_left_is_found_at_another_place() -> None:
    evening = _taken_by_first()
    _leave(evening)
    evening.do(IdentifyPlayer(*DEALER, HERE, "behind box 1"))
    assert evening.table.behind["behind box 1"] == {1}
    assert evening.table.abandoned == frozenset()
    evening.do(IdentifyPlayer(*DEALER, "behind box 1", HERE))
    assert "behind box 1" not in evening.table.behind
    assert (evening.table.seats[4], evening.chips[HERE]) == (HERE, BOUGHT_MINOR)


def test_a_bet_counts_as_seated_for_one_who_sits_down() -> None:
    evening = _taken_by_first()
    evening.do(BuyIn(*DEALER, "behind box 4", BOUGHT_MINOR))
    evening.do(StandBehind(*DEALER, "behind box 4", 4))
    _bets(evening, "player")
    evening.do(PlaceBet(*DEALER, "behind box 4", 4, "banker", STAKE_MINOR))
    evening.do(IdentifyPlayer(*DEALER, HERE, "box 6"))
    evening.do(IdentifyPlayer(*DEALER, "behind box 4", HERE))
    assert evening.table.round is not None
    assert evening.table.round.bets[HERE, 4, "banker"].seated


def test_only_a_free_place() -> None:
    evening = _taken_by_first()
    _arrives(evening, FIRST, box=5)
    _arrives(evening, "box 6", box=6)
    evening.do(BuyIn(*DEALER, "box 7", CHIPS_MINOR))
    evening.do(BuyIn(*DEALER, "box 8", CHIPS_MINOR))
    evening.do(Leave(*DEALER, "box 8"))

    def to(place: str) -> IdentifyPlayer:
        return IdentifyPlayer(*DEALER, HERE, place)

    evening.refuse(to("box 5"), TableCode.BOX_TAKEN, *RULES.topics[Topic.SEATED_PLAYER])
    assert "already at 'box 6'" in evening.refuse(to("box 6"), TableCode.BOX_TAKEN).message
    for place in ("box 7", HERE):
        evening.refuse(to(place), TableCode.BOX_TAKEN)
    evening.refuse(to("box 8"), TableCode.CHIPS_LEFT_HERE)
    evening.refuse(IdentifyPlayer(*DEALER, "ann", "box 9"), TableCode.NOT_A_PLAYER_ID)
    evening.refuse(IdentifyPlayer(*DEALER, FIRST, "box 9"), TableCode.ALREADY_IDENTIFIED)
    evening.do(to("behind box 6"))


def test_nobody_moves_after_leaving_the_round() -> None:
    evening = _taken_by_first()
    _bets(evening, "player")
    _leave(evening)
    evening.refuse(IdentifyPlayer(*DEALER, HERE, "box 6"), TableCode.AWAY, *RULES.topics[Topic.WALKING_AWAY])


def test_a_player_cannot_move_themselves() -> None:
    evening = _taken_by_first()
    evening.refuse(IdentifyPlayer(HERE, Position.PLAYER, HERE, "box 6"), TableCode.NOT_AUTHORISED)

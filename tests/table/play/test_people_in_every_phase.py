"""At a felt table people buy in, sit down, leave and cash out in every phase of a round, in every book."""

from collections.abc import Callable

import pytest

from punto.rules.rulebook import Rulebook
from punto.table.records import commands, corrections
from punto.table.records.events import ChipsBought, ChipsCashed, Event, PlayerIdentified, PlayerLeft, PlayerSat
from punto.table.records.kinds import BuyInKind
from punto.table.records.ledger import BROUGHT, MISPAID
from tests.marks import BOOKS
from tests.table.tables import DEALER, NATURAL, SUPERVISOR, Evening, ready

HERE, LEFT, FREE = "box 4", "box 4/2", "box 5"
STAKE_MINOR = 100_00
BANKER_DRAWS = "As 2s Ad 3d"
"""Both draw, and Banker may be insured."""


def _ready(rules: Rulebook) -> Evening:
    return ready(rules, observing=True)


def _settled(rules: Rulebook) -> Evening:
    return _bets(_ready(rules).open_betting()).close_betting().deal(NATURAL).settle()


def _bets(evening: Evening) -> Evening:
    evening.do(commands.PlaceBet(*DEALER, HERE, 4, "player", STAKE_MINOR))
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "banker", STAKE_MINOR))
    return evening


def _betting(evening: Evening) -> Evening:
    return evening.open_betting()


def _closed(evening: Evening) -> Evening:
    return evening.open_betting().close_betting()


def _dealing(evening: Evening) -> Evening:
    return _closed(evening).deal("As 2s")


def _insurance_due(evening: Evening) -> Evening:
    return _bets_of_ann(evening).close_betting().deal(BANKER_DRAWS)


def _insurance_open(evening: Evening) -> Evening:
    evening = _insurance_due(evening)
    if evening.rules.insurance is not None:
        evening.do(commands.OpenInsurance(*DEALER))
    return evening


def _bets_of_ann(evening: Evening) -> Evening:
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "banker", STAKE_MINOR))
    return evening


def _result(evening: Evening) -> Evening:
    return _closed(evening).deal(NATURAL)


def _settled_again(evening: Evening) -> Evening:
    return _result(evening).settle()


PHASES: dict[str, Callable[[Evening], Evening]] = {
    "ready": lambda evening: evening,
    "betting": _betting,
    "closed": _closed,
    "cards": _dealing,
    "insurance due": _insurance_due,
    "insurance open": _insurance_open,
    "result": _result,
    "settled": _settled_again,
}
IN_BOOKS = pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
IN_PHASES = pytest.mark.parametrize("phase", PHASES)


def _kinds(events: tuple[Event, ...]) -> list[type[Event]]:
    return [type(event) for event in events]


@IN_BOOKS
@IN_PHASES
def test_somebody_new_at_a_free_box(rules: Rulebook, phase: str) -> None:
    evening = PHASES[phase](_ready(rules))
    assert _kinds(evening.do(commands.CashOut(*DEALER, FREE, 50_00))) == [ChipsCashed]  # chips from elsewhere
    assert _kinds(evening.do(commands.BuyIn(*DEALER, FREE, 100_00))) == [ChipsBought]
    assert evening.do(commands.Sit(*DEALER, FREE, 5)) == (PlayerSat(FREE, 5),)
    assert _kinds(evening.do(commands.BuyIn(*DEALER, FREE, 30_00, BuyInKind.VOUCHER))) == [ChipsBought]
    assert _kinds(evening.do(commands.CashOut(*DEALER, FREE, 60_00))) == [ChipsCashed]
    assert evening.table.chips_minor(FREE) == 70_00
    evening.do(commands.Leave(*DEALER, FREE))
    assert FREE not in evening.table.people
    evening.do(commands.BuyIn(*DEALER, FREE, 100_00))  # and the next one at once
    assert evening.table.chips_minor(FREE) == 100_00


ROUNDS: dict[str, Callable[[Evening], Evening]] = {
    "betting": lambda evening: evening,
    "closed": lambda evening: evening.close_betting(),
    "cards": lambda evening: evening.close_betting().deal("As 2s"),
    "insurance due": lambda evening: evening.close_betting().deal(BANKER_DRAWS),
    "result": lambda evening: evening.close_betting().deal(NATURAL),
    "settled": lambda evening: evening.close_betting().deal(NATURAL).settle(),
}


REST = {"cards": "8d Kd", "insurance due": "7c Kh", "result": ""}
"""The cards that end the round, which Player wins."""


@IN_BOOKS
@pytest.mark.parametrize("phase", ROUNDS)
def test_somebody_with_bets(rules: Rulebook, phase: str) -> None:
    evening = ROUNDS[phase](_bets(_ready(rules).open_betting()))
    before_minor = evening.table.chips_minor(HERE)
    evening.do(commands.BuyIn(*DEALER, HERE, 100_00))
    evening.do(commands.CashOut(*DEALER, HERE, 40_00))
    assert evening.table.chips_minor(HERE) == before_minor + 60_00
    staked = phase != "settled"
    evening.do(commands.IdentifyPlayer(*DEALER, HERE, "P000123"))
    evening.do(commands.Sit(*DEALER, "P000123", 6))  # at a second box
    evening.do(commands.Leave(*DEALER, "P000123"))
    left = evening.happened(PlayerLeft)[-1]
    assert (left.who, left.away) == ("P000123", staked)


@IN_BOOKS
@pytest.mark.parametrize("phase", [phase for phase in ROUNDS if phase != "settled"])
def test_somebody_new_takes_the_place_of_one_who_left_with_bets(rules: Rulebook, phase: str) -> None:
    """The bets stay those of the one who left, and what they win is held for that one."""
    evening = ROUNDS[phase](_bets(_ready(rules).open_betting()))
    evening.do(commands.Leave(*DEALER, HERE))
    way, sat = evening.do(commands.Sit(*DEALER, HERE, 4))
    assert (way, sat) == (PlayerIdentified(HERE, LEFT, left=True, postings=()), PlayerSat(HERE, 4))
    evening.do(commands.BuyIn(*DEALER, HERE, 100_00))
    if phase == "betting":
        evening.close_betting()
    evening.deal(REST.get(phase, NATURAL)).settle()
    assert (evening.table.chips_minor(HERE), evening.table.chips_minor(LEFT)) == (100_00, 2 * STAKE_MINOR)
    assert evening.table.seats[4] == HERE
    evening.do(commands.Leave(*DEALER, LEFT))
    assert evening.table.chips_minor(LEFT) == 0


@pytest.fixture(params=[*PHASES])
def left(request: pytest.FixtureRequest) -> Callable[[Rulebook], Evening]:
    """Somebody at box 4 bet in the last round, took the winnings along and left; then this phase."""

    def make(rules: Rulebook) -> Evening:
        evening = _settled(rules)
        evening.do(commands.Leave(*DEALER, HERE))
        return PHASES[request.param](evening)

    return make


@IN_BOOKS
@pytest.mark.parametrize("first", ["buy in", "sit", "cash out"])
def test_somebody_new_where_the_last_one_bet_in_the_last_round(
    rules: Rulebook, left: Callable[[Rulebook], Evening], first: str
) -> None:
    evening = left(rules)
    if first == "sit":
        evening.do(commands.Sit(*DEALER, HERE, 4))
    elif first == "cash out":
        evening.do(commands.CashOut(*DEALER, HERE, 25_00))
    evening.do(commands.BuyIn(*DEALER, HERE, 100_00))
    if first != "sit":
        evening.do(commands.Sit(*DEALER, HERE, 4))
    assert (evening.table.seats[4], evening.table.chips_minor(HERE)) == (HERE, 100_00)
    evening.do(commands.CashOut(*DEALER, HERE, 30_00))
    evening.do(commands.Leave(*DEALER, HERE))
    assert 4 not in evening.table.seats
    evening.do(commands.BuyIn(*DEALER, HERE, 10_00))  # and the one after that
    assert evening.table.chips_minor(HERE) == 10_00


@IN_BOOKS
def test_a_later_correction_of_the_last_round_is_not_the_new_persons(rules: Rulebook) -> None:
    evening = _settled(rules)
    evening.do(commands.Leave(*DEALER, HERE))
    evening.do(commands.BuyIn(*DEALER, HERE, 100_00))
    assert evening.happened(PlayerIdentified)[-1] == PlayerIdentified(HERE, LEFT, left=True, postings=())
    brought_minor = evening.table.balances.get(BROUGHT, 0)
    evening.do(corrections.CorrectBet(*SUPERVISOR, LEFT, 4, "player", STAKE_MINOR + 50_00))  # so they get 50 more
    assert evening.table.chips_minor(HERE) == 100_00
    assert evening.table.chips_minor(LEFT) == 50_00
    evening.do(commands.Leave(*DEALER, LEFT))
    assert evening.table.balances[BROUGHT] == brought_minor + 50_00
    assert MISPAID not in evening.table.balances


@IN_BOOKS
def test_who_left_can_still_be_identified_and_so_can_the_new_person(rules: Rulebook) -> None:
    evening = _settled(rules)
    evening.do(commands.Leave(*DEALER, HERE))
    evening.do(commands.BuyIn(*DEALER, HERE, 100_00))
    evening.do(commands.IdentifyPlayer(*DEALER, LEFT, "P000123"))
    evening.do(commands.IdentifyPlayer(*DEALER, HERE, "P000456"))
    assert evening.table.chips_minor("P000456") == 100_00
    assert evening.table.round is not None
    assert {each.who for each in evening.table.round.results} == {"ann", "P000123"}


@IN_BOOKS
def test_after_the_next_call_the_place_is_simply_free(rules: Rulebook) -> None:
    evening = _settled(rules)
    evening.do(commands.Leave(*DEALER, HERE))
    evening.open_betting()
    assert _kinds(evening.do(commands.BuyIn(*DEALER, HERE, 100_00))) == [ChipsBought]


@IN_BOOKS
def test_a_screen_table_still_keeps_the_place(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(commands.BuyIn(*DEALER, HERE, STAKE_MINOR))
    evening.do(commands.Sit(*DEALER, HERE, 4))
    evening.do(commands.Leave(*DEALER, HERE))
    assert HERE in evening.table.abandoned

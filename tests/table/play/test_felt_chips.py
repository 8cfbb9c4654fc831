"""Chips at a felt table: they come from anywhere, and leave with their players."""

import pytest

from punto import book
from punto.rules.coup.cards import Face
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.play.staking import stake_postings
from punto.table.records import commands, reports
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import BetPlaced, ChipsCashed, PlayerLeft, TableClosed
from punto.table.records.kinds import Effect
from punto.table.records.ledger import BROUGHT, FELT, FLOAT, MAX_AMOUNT_MINOR, MISPAID, Posting, chips
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import books
from tests.table.numbers import cited, having
from tests.table.tables import (
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    ready,
    settings,
)


def _lying(who: str, bet: str, stake_minor: int, box: int = 1) -> commands.PlaceBet:
    return commands.PlaceBet(*DEALER, who, box, bet, stake_minor)


def _owing(rules: Rulebook) -> Evening:
    """Ann won 100 and took all her chips away; then the round was voided."""
    evening = betting(rules, observing=True)
    evening.do(_lying("ann", "player", 100_00))
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    assert evening.table.chips_minor("ann") == -100_00
    return evening


@pytest.mark.parametrize("rules", books())
def test_a_stake_takes_the_chips_on_record_and_the_rest_was_brought(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.do(_lying("ann", "banker", CHIPS_MINOR + 5_00))
    assert evening.happened(BetPlaced)[-1].postings == (
        Posting(chips("ann"), -CHIPS_MINOR),
        Posting(FELT, CHIPS_MINOR + 5_00),
        Posting(BROUGHT, -5_00),
    )
    evening.do(_lying("ann", "banker", 1_00))
    assert (evening.table.chips_minor("ann"), evening.table.balances[BROUGHT]) == (0, -6_00)


@pytest.mark.parametrize("rules", books())
def test_a_stake_within_the_chips_on_record_brings_nothing(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.do(_lying("ann", "banker", CHIPS_MINOR))
    assert BROUGHT not in evening.table.balances


@pytest.mark.parametrize("rules", books())
def test_what_was_brought_never_covers_a_debt(rules: Rulebook) -> None:
    evening = _owing(rules)
    assert stake_postings(evening.table, "ann", 30_00) == (Posting(FELT, 30_00), Posting(BROUGHT, -30_00))
    evening.do(commands.CashOut(*DEALER, "ann", 40_00))
    assert evening.table.chips_minor("ann") == -100_00


@pytest.mark.parametrize("rules", books())
def test_chips_leave_with_their_player_and_a_debt_is_mispaid(rules: Rulebook) -> None:
    evening = ready(rules, observing=True)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    assert evening.happened(PlayerLeft)[-1].postings == (
        Posting(chips("ann"), -CHIPS_MINOR),
        Posting(BROUGHT, CHIPS_MINOR),
    )
    assert "ann" not in evening.table.people
    evening = _owing(rules)
    evening.do(commands.Leave(*DEALER, "ann"))
    assert evening.table.balances[MISPAID] == -100_00
    assert "ann" not in evening.table.people


@pytest.mark.parametrize("rules", books())
def test_at_a_screen_chips_stay_with_the_table(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    assert evening.happened(PlayerLeft)[-1].postings == ()
    assert evening.table.chips_minor("ann") == CHIPS_MINOR
    evening.refuse(commands.Leave("ann", Position.PLAYER, "ann"), TableCode.NOT_AT_BOX)


@pytest.mark.parametrize("rules", having("walks_away"))
def test_somebody_who_walks_away_from_a_bet_takes_only_the_chips_in_hand(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.do(commands.BuyIn(*DEALER, "box 4", 100_00))
    evening.do(_lying("box 4", "player", 60_00, 4))
    evening.close_betting()
    evening.do(commands.Leave(*DEALER, "box 4"))
    left = evening.happened(PlayerLeft)[-1]
    assert (left.away, left.clauses) == (True, cited(rules, "walks_away"))
    assert evening.table.balances[BROUGHT] == 40_00
    evening.deal(NATURAL).settle()
    assert evening.table.chips_minor("box 4") == 120_00
    evening.open_betting()
    evening.do(_lying("box 4", "player", 1_00, 4))  # somebody else
    assert (evening.table.chips_minor("box 4"), evening.table.chips_minor("box 4/2")) == (0, 120_00)
    evening.do(commands.Leave(*DEALER, "box 4/2"))  # they came back for it
    assert evening.table.balances[BROUGHT] == 160_00 - 1_00


@pytest.mark.parametrize("rules", having(where="walks_away"))
def test_a_debt_waits_while_a_stake_may_make_up_for_it(rules: Rulebook) -> None:
    evening = _owing(rules).open_betting()
    evening.do(_lying("ann", "player", 30_00))
    evening.close_betting()
    evening.do(commands.Leave(*DEALER, "ann"))
    assert evening.happened(PlayerLeft)[-1].postings == ()
    evening.deal("9h 2h Kd 3d").settle()
    assert evening.table.chips_minor("ann") == -40_00
    evening.do(commands.Leave(*DEALER, "ann"))
    assert evening.table.balances[MISPAID] == -40_00


def test_a_debt_of_somebody_who_left_is_not_the_next_persons() -> None:
    evening = betting(book("tiger-buffalo"), observing=True)
    evening.do(_lying("box 4", "player", 60_00, 4))
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "box 4"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    owed_minor = -evening.table.chips_minor("box 4")
    assert owed_minor > 0
    evening.do(commands.BuyIn(*DEALER, "box 4", 1_00))
    assert (evening.table.chips_minor("box 4"), evening.table.chips_minor("box 4/2")) == (1_00, -owed_minor)
    evening.do(commands.Leave(*DEALER, "box 4/2"))
    assert evening.table.balances[MISPAID] == -owed_minor


@pytest.mark.parametrize("rules", books())
def test_whoever_lost_their_last_chips_and_wins_by_a_correction_bets_on(rules: Rulebook) -> None:
    evening = ready(rules, observing=True).open_betting()
    evening.do(_lying("box 4", "banker", 100_00, 4))
    evening.close_betting().deal("8s 2d Kh 3c").settle()
    evening.do(CorrectCard(*MANAGER, "s1", 1, Face("6d")))
    assert evening.table.chips_minor("box 4") > 100_00
    evening.open_betting()
    evening.do(_lying("box 4", "player", 1_00, 4))


@pytest.mark.parametrize("rules", books())
def test_chips_from_elsewhere_can_be_cashed(rules: Rulebook) -> None:
    evening = ready(rules, observing=True)
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR + 7_00))
    assert evening.happened(ChipsCashed)[-1].postings == (
        Posting(chips("ann"), -CHIPS_MINOR),
        Posting(FLOAT, CHIPS_MINOR + 7_00),
        Posting(BROUGHT, -7_00),
    )
    evening.do(commands.CashOut(*DEALER, "P000123", 1_00))
    assert "P000123" not in evening.table.people
    evening.do(commands.CashOut(*DEALER, "ben", MAX_AMOUNT_MINOR))
    evening.refuse(commands.CashOut(*DEALER, "ben", MAX_AMOUNT_MINOR + 1), Code.AMOUNT_TOO_LARGE)
    evening.refuse(commands.CashOut(*DEALER, "nobody", 1_00), TableCode.UNKNOWN_PERSON)
    screen = ready(rules)
    screen.refuse(commands.CashOut(*DEALER, "ann", CHIPS_MINOR + 1), TableCode.NOT_ENOUGH_CHIPS)
    screen.refuse(commands.CashOut(*DEALER, "P000123", 1_00), TableCode.UNKNOWN_PERSON)


@pytest.mark.parametrize("rules", books())
def test_both_accounts_are_carried_over_whatever_their_sign(rules: Rulebook) -> None:
    evening = _owing(rules)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(commands.CloseTable(*SUPERVISOR))
    carried = evening.happened(TableClosed)[-1].balances
    assert carried[BROUGHT] == CHIPS_MINOR + 100_00
    assert carried[MISPAID] == -100_00
    wanted = settings(rules, observing=True)
    evening.do(commands.OpenTable(*SUPERVISOR, wanted, carried=carried))
    assert evening.table.balances == carried
    evening.do(commands.CloseTable(*SUPERVISOR))
    evening.do(commands.OpenTable(*SUPERVISOR, wanted, carried={BROUGHT: -5, MISPAID: 7}))
    assert evening.table.balances == {BROUGHT: -5, MISPAID: 7, "bank": -2}


@pytest.mark.parametrize("rules", books())
def test_people_nobody_knows_sit_and_stand_without_chips_at_a_felt_table_only(rules: Rulebook) -> None:
    evening, screen = ready(rules, observing=True), ready(rules)
    for command in (
        commands.Sit(*DEALER, "P000123", 5),
        commands.Sit(*DEALER, "box 6", 6),
        commands.StandBehind(*DEALER, "behind box 6", 6),
    ):
        screen.refuse(command, TableCode.UNKNOWN_PERSON)
        evening.do(command)
        assert command.who in evening.table.people
    evening.refuse(commands.Sit(*DEALER, "nobody", 4), TableCode.UNKNOWN_PERSON)
    assert decide(rules, evening.table, commands.Leave(*DEALER, "P000123")) == (PlayerLeft("P000123", away=False),)

"""A bet that its book limits by another bet: judged on placing, on withdrawing and at the close, never after it."""

from pathlib import Path

import pytest

from punto import library
from punto.rules.refusals import Clause, Refused
from punto.rules.rulebook import Rulebook
from punto.table.records import commands
from punto.table.records.events import BetRejected, BettingClosed, Limit, LimitFlagged, PlayedBet
from punto.table.refusals import TableCode
from tests.table.tables import DEALER, NATURAL, Evening, betting

TEXT = """
id = "limited"
extends = "commission"

[bets.lucky]
limit = { of = "banker", share = "1/10" }
pays = [{ when = { winner = "banker", points = 6 }, odds = "18" }]

[bets.beside]
limit = { of = "player" }
pays = [{ when = { winner = "tie" }, odds = "9" }]
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rulebook:
    file = tmp_path_factory.mktemp("books") / "limited.toml"
    file.write_text(TEXT, encoding="utf-8")
    return library.read_file(file)


def test_it_is_at_most_its_share_of_the_other_bet_in_the_box(rules: Rulebook) -> None:
    evening = betting(rules)
    refusal = evening.refuse(evening.placing("ann", "lucky", 1_00), TableCode.SHARE_EXCEEDED, "bet:lucky")
    assert "there is not enough of that" in refusal.message
    evening.bet("ann", "banker", 99_99)
    refusal = evening.refuse(evening.placing("ann", "lucky", 10_00), TableCode.SHARE_EXCEEDED, "bet:lucky")
    assert "9.99" in refusal.message
    evening.bet("ann", "lucky", 9_99)
    evening.refuse(evening.placing("dan", "lucky", 1, box=1), TableCode.SHARE_EXCEEDED, "bet:lucky")
    evening.bet("dan", "banker", 100_00, box=1)  # whoever bets there
    evening.bet("dan", "lucky", 10_00, box=1)


def test_a_bet_that_only_has_to_lie_there_allows_any_amount(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.refuse(evening.placing("ann", "beside", 1_00), TableCode.SHARE_EXCEEDED, "bet:beside")
    evening.bet("ann", "player", 1_00)
    evening.bet("ann", "beside", 500_00)


def test_when_the_other_bet_is_withdrawn_the_newest_chips_go_back(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 500_00)
    evening.bet("ann", "lucky", 20_00)
    evening.bet("ann", "lucky", 15_00)
    events = evening.do(evening.withdrawing("ann", "banker", 200_00))
    (rejected,) = [event for event in events if isinstance(event, BetRejected)]
    assert (rejected.bet, rejected.stake_minor, rejected.clauses) == ("lucky", 30_00, ("bet:lucky",))
    evening.do(evening.withdrawing("ann", "banker", 300_00))
    assert evening.stakes == {}


def _felt(rules: Rulebook) -> Evening:
    evening = betting(rules, observing=True)
    evening.bet("ann", "banker", 100_00)
    events = evening.bet("ann", "lucky", 25_00)
    flagged = [event for event in events if isinstance(event, LimitFlagged)]
    assert [(each.bet, each.limit, each.clauses) for each in flagged] == [("lucky", Limit.SHARE, ("bet:lucky",))]
    return evening


def test_at_a_felt_table_it_is_flagged_and_what_is_beyond_does_not_play(rules: Rulebook) -> None:
    evening = _felt(rules)
    (closed,) = [event for event in evening.do(commands.CloseBetting(*DEALER)) if isinstance(event, BettingClosed)]
    assert closed.played == (PlayedBet("ann", 1, "lucky", 10_00, (Clause("bet:lucky"),)),)
    before = evening.chips["ann"]
    evening.deal(NATURAL)
    evening.do(commands.Settle(*DEALER))
    assert evening.chips["ann"] == before + 15_00  # Banker loses, and 15 of the 25 never played


def test_after_the_close_nothing_is_judged_again(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ann", "lucky", 10_00)
    evening.do(commands.CloseBetting(*DEALER))
    evening.refuse(evening.withdrawing("ann", "banker", 50_00), TableCode.BETTING_NOT_OPEN, "5.3")
    assert evening.stakes == {("ann", 1, "banker"): 100_00, ("ann", 1, "lucky"): 10_00}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('of = "player"', 'of = "nothing"', "no bet 'nothing'"),
        ('of = "player"', 'of = "beside"', "cannot limit this one"),
        ('of = "player"', 'of = "lucky"', "cannot limit this one"),
        ('share = "1/10"', "share = 0.1", "a ratio"),
        ('share = "1/10"', 'part = "1/10"', "unknown part"),
    ],
)
def test_a_limit_that_could_not_hold_is_refused(old: str, new: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "limited.toml"
    file.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(Refused, match=problem):
        library.read_file(file)


def test_a_limit_is_law(rules: Rulebook, tmp_path: Path) -> None:
    file = tmp_path / "limited.toml"
    file.write_text(TEXT.replace("1/10", "1/5"), encoding="utf-8")
    assert library.read_file(file).law_hash != rules.law_hash

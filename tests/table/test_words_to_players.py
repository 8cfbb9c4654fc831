"""What players read when a table refuses their command, in both languages."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from msgspec.structs import replace

from punto import book
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.commands import Leave, Sit, StandBehind, TakeInsurance
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.table.tables import NATURAL, Evening, betting, dealing, ready
from tests.table.test_refusals import offered

RULES = book("super-six-plus")


def to_player(evening: Evening, command: AnyCommand) -> tuple[str, str]:
    """The English and the Chinese message."""
    refusal = decide(evening.rules, evening.table, command)
    assert isinstance(refusal, Refusal), refusal
    return refusal.message_in("en", to_player=True), refusal.message_in("zh", to_player=True)


def test_room_in_the_only_box_of_a_player() -> None:
    evening = betting(RULES, least=50_00, most=500_00, side=BetLimits(5_00, 20_00))
    english, chinese = to_player(evening, evening.placing("ann", "banker", 500_01))
    assert (english, chinese) == (
        "Your box has room for 500 more on Banker: it holds at most 500.",
        "您的座位最多还可下注庄500（上限500）。",
    )
    evening.bet("ann", "banker", 500_00)
    english, chinese = to_player(evening, evening.placing("ann", "banker", 50_00))
    assert (english, chinese) == (
        "Your box is full on Banker: it holds at most 500.",
        "您的座位在庄的注额已达上限500。",
    )


def test_room_in_the_box_of_somebody_else_or_one_of_several() -> None:
    evening = betting(RULES, least=50_00, most=500_00)
    evening.bet("ann", "banker", 100_00)
    english, chinese = to_player(evening, evening.placing("dan", "banker", 400_01))
    assert (english, chinese) == (
        "Box 1 has room for 400 more on Banker: it holds at most 500.",
        "1号位最多还可下注庄400（上限500）。",
    )
    evening.do(Sit("ann", Position.PLAYER, "ann", 4))
    english, chinese = to_player(evening, evening.placing("ann", "banker", 400_01))
    assert (english, chinese) == (
        "Box 1 has room for 400 more on Banker: it holds at most 500.",
        "1号位最多还可下注庄400（上限500）。",
    )


def test_the_differential_limit_is_named() -> None:
    evening = betting(RULES, least=50_00, most=5_000_00, differential_minor=3_000_00)
    limit = "the bets on Player and Banker may differ by at most 3,000."
    assert to_player(evening, evening.placing("ann", "banker", 3_000_01)) == (
        f"Your box has room for 3,000 more on Banker: {limit}",
        "受差额限额3,000所限，您的座位最多还可下注庄3,000。",
    )
    evening.bet("ann", "banker", 3_000_00)
    assert to_player(evening, evening.placing("ann", "banker", 50_00)) == (
        f"Your box is full on Banker: {limit}",
        "您的座位在庄的注额已达差额限额：闲与庄的注额之差最多3,000。",
    )


def test_before_and_after_betting() -> None:
    early, late = ready(RULES), dealing(RULES)
    assert to_player(early, early.placing("ann", "tie", 1_00)) == (
        "Bets are not open yet. Wait for the call for bets.",
        "尚未开始下注，请稍候。",
    )
    assert to_player(late, late.placing("ann", "tie", 1_00)) == (
        "Bets are closed. Wait for the next call for bets.",
        "已停止下注，请等下一次开始下注。",
    )
    assert to_player(late, late.withdrawing("ann", "banker", 1_00)) == (
        "Bets are closed. Your bet stays and plays.",
        "已停止下注，您的投注保留，照常计输赢。",
    )


def test_a_command_for_another_round() -> None:
    evening = betting(RULES)
    late = replace(evening.placing("ann", "tie", 1_00), round=0)
    assert to_player(evening, late) == (
        "You did this before the first round, but it is now round 1. It had no effect.",
        "您是在第一局之前操作的，现在已是第1局，因此没有生效。",
    )
    evening.play(NATURAL).open_betting()
    assert to_player(evening, replace(late, round=1)) == (
        "You did this in round 1, but it is now round 2. It had no effect.",
        "您是在第1局操作的，现在已是第2局，因此没有生效。",
    )
    assert to_player(ready(RULES), replace(late, round=12)) == (
        "You did this in round 12, but the table has been opened again since. It had no effect.",
        "您是在第12局操作的，本桌之后已重新开桌，因此没有生效。",
    )


def test_chips_amounts_and_places() -> None:
    evening = betting(RULES)
    zed = Position.PLAYER
    assert to_player(evening, Leave("zed", zed, "zed"))[0] == "You have no place at this table to leave."
    assert (
        to_player(evening, StandBehind("zed", zed, "zed", 1))[0] == "You have no chips at this table. Get some first."
    )
    assert to_player(evening, Sit("ann", zed, "ann", 2)) == (
        "Box 2 is taken. Choose another box.",
        "2号位已有人入座，请另选座位。",
    )
    assert to_player(evening, evening.placing("ann", "banker", 0)) == (
        "Enter an amount above zero.",
        "请输入大于零的金额。",
    )
    assert to_player(evening, evening.placing("ann", "no_bet", 1_00))[0] == (
        f"Layout A of {RULES.title} has no bet 'no_bet'. "
        "Its bets are Player, Banker, Tie, Super Six Plus, Player Pair and Banker Pair."
    )
    broke = evening.table.chips_minor("ann") + 1
    english, chinese = to_player(evening, evening.placing("ann", "banker", broke))
    assert english.endswith(" in chips, which is not enough.")
    assert chinese.startswith("筹码不足：您还有")


def test_the_people_that_a_round_waits_for() -> None:
    for people, english, chinese in ((("Ann",), "Ann", "Ann"), (("Ann", "Ben"), "Ann and Ben", "Ann和Ben")):
        refusal = Refusal(TableCode.IRREGULARITY_OPEN, "options", {"people": people})
        assert refusal.message_in("en", to_player=True) == (
            f"The round waits for {english} to choose what to do after a dealing error."
        )
        assert refusal.message_in("zh", to_player=True) == f"本局发牌失误，须等{chinese}作出选择。"


def test_insurance_that_is_too_high() -> None:
    evening = offered(book("commission-insurance"))
    command = TakeInsurance("ann", Position.PLAYER, "ann", 1, 1_000_00)
    assert to_player(evening, command) == (
        "You can insure this bet for at most 50 more at 2 to 1.",
        "此注按1赔2最多还可买50的保险。",
    )

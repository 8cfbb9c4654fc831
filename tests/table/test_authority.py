"""Every command by every position in every phase under every book.

The table below is written from the books (dealer, pit employee, house) and the design, not from the code.
"""

import pytest

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records import chips, commands, corrections, pit_calls, reports
from punto.table.records.commands import Command
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS, reading
from tests.table.numbers import having
from tests.table.samples import COMMANDS, commands_by
from tests.table.tables import dealing, in_phase

# player, dealer, pit supervisor, pit manager, shift manager, casino manager, house;
# auditors and administrators may do nothing
_LETTERS = {
    "p": Position.PLAYER,
    "d": Position.DEALER,
    "s": Position.PIT_SUPERVISOR,
    "m": Position.PIT_MANAGER,
    "t": Position.SHIFT_MANAGER,
    "c": Position.CASINO_MANAGER,
    "h": Position.HOUSE,
}
WHO = {
    # the table itself is opened, changed and closed by the pit
    commands.OpenTable: "smtc",
    commands.ChangeSettings: "smtc",
    commands.CloseTable: "smtc",
    commands.LoadShoe: "smtch",
    reports.InspectShoe: "smtc",
    # what only people at the shoe see
    commands.CutCardOut: "dsmtc",
    commands.EndShoe: "dsmtc",
    commands.StartBoard: "smtc",
    # normal play: the dealer or above, or the automation
    commands.BurnCards: "dsmtch",
    commands.OpenBetting: "dsmtch",
    commands.CloseBetting: "dsmtch",
    commands.DealCard: "dsmtch",
    commands.OpenInsurance: "dsmtch",
    commands.CloseInsurance: "dsmtch",
    commands.Settle: "dsmtch",
    # chips are bought and cashed at the dealer's tray
    commands.BuyIn: "dsmtch",
    commands.CashOut: "dsmtch",
    # the dealer asks who somebody is
    commands.IdentifyPlayer: "dsmtc",
    # players take their place, or staff seat them
    commands.Sit: "pdsmtch",
    commands.StandBehind: "pdsmtch",
    commands.Leave: "pdsmtch",
    # a player bets, or at their request a pit employee: dealer, pit supervisor, pit manager
    commands.PlaceBet: "pdsm",
    commands.WithdrawBet: "pdsm",
    commands.TakeInsurance: "pdsm",
    # a player tells the dealer
    commands.CallInsurance: "dsmtc",
    commands.PassInsurance: "p",
    commands.RequestSqueeze: "pdsm",
    # what the dealer notices before the close
    commands.RejectExcess: "dsmtc",
    commands.AdviseMinimum: "dsmtc",
    commands.ConfirmBets: "dsmtc",
    # the clause says "house": pit supervisor or above
    commands.GrantSqueeze: "smtc",
    commands.RefuseSqueeze: "smtc",
    commands.WaiveThirdCardInsurance: "smtc",
    # the player who squeezes opens a card, or a pit employee records it; only staff or the automation name it
    commands.SqueezeCard: "pdsm",
    commands.TurnCard: "dsmtch",
    # somebody at the table calls, somebody of the pit comes
    pit_calls.CallPit: "dsmtc",
    pit_calls.AnswerCall: "smtc",
    # the dealer asks for chips; somebody of the pit signs when they move, and for a count
    chips.RequestSlip: "dsmtc",
    chips.SendSlip: "smtc",
    chips.ReceiveSlip: "smtc",
    chips.VoidSlip: "smtc",
    chips.CountTray: "smtc",
    # an interruption is reported by the house, or by the system when it restarts
    reports.ReportInterruption: "smtch",
    # only the system knows that it was away; the dealer confirms the table
    reports.ReportRestart: "h",
    reports.ExchangeShoe: "h",
    reports.ResumeRound: "dsmtc",
    # void and reconstruction: the clause names nobody or the house
    reports.ReportForeignCard: "smtc",
    reports.ReportCardCount: "smtc",
    reports.ReportNotShuffled: "smtc",
    reports.ReportShoeRunOut: "smtc",
    reports.ReportWrongNumber: "smtc",
    reports.ReportExcessCard: "smtc",
    reports.ReportWrongSide: "smtc",
    reports.ReportDealingError: "smtc",
    reports.DismissIrregularity: "smtc",
    # a dealer reports their own mistakes and refuses late bets
    reports.ReportFaceUpCard: "dsmtc",
    reports.ReportSimultaneousCards: "dsmtc",
    reports.ReportLateBet: "dsmtc",
    reports.ReportLaterError: "dsmtc",
    # the clause says pit supervisor or above
    reports.RuleCardOrder: "smtc",
    reports.ReplaceShoe: "smtc",
    # a player chooses, or staff for them; the supervisor or a clock calls time
    reports.ChooseOption: "pdsm",
    reports.CallTime: "smtch",
    # the clause says pit manager or above
    reports.OfferLateInsurance: "mtc",
    reports.ReturnUninsuredBets: "mtc",
    # the clause says shift manager or above
    reports.Rule: "tc",
    # a dealer corrects the last entry; how far the round has come asks for more
    corrections.CorrectCard: "dsmtc",
    # a dealer corrects what was just entered; how far the round has come narrows it
    corrections.CorrectBet: "dsmtc",
    corrections.CorrectInsurance: "dsmtc",
    corrections.ReopenBetting: "dsmtc",
    corrections.CancelRound: "dsmtc",
    # whoever may choose for a player
    corrections.CorrectOption: "pdsm",
    # money that was handed over
    corrections.CorrectPayment: "smtc",
    commands.VerifyPayouts: "smtc",
    # how far the sheet is paid
    commands.MarkPaid: "dsmtc",
}
INSURANCE: set[type[Command]] = {
    commands.OpenInsurance,
    commands.TakeInsurance,
    commands.CallInsurance,
    commands.PassInsurance,
    commands.CloseInsurance,
    commands.WaiveThirdCardInsurance,
    reports.ReturnUninsuredBets,
    corrections.CorrectInsurance,
}
LATE_INSURANCE: set[type[Command]] = {reports.OfferLateInsurance}
LIMITS: set[type[Command]] = {commands.RejectExcess, commands.AdviseMinimum}
SQUEEZE: set[type[Command]] = {
    commands.RequestSqueeze,
    commands.GrantSqueeze,
    commands.RefuseSqueeze,
    commands.SqueezeCard,
}
IRREGULARITIES: set[type[Command]] = {
    reports.ReportInterruption,
    reports.ReportCardCount,
    reports.ReportNotShuffled,
    reports.ReportExcessCard,
    reports.ReportWrongSide,
    reports.ReportFaceUpCard,
    reports.ReportSimultaneousCards,
    reports.RuleCardOrder,
    reports.ReplaceShoe,
    reports.ReportDealingError,
    reports.ChooseOption,
    reports.CallTime,
    reports.ReportLaterError,
    corrections.CorrectOption,
}
"""Commands on which the older book has no clause."""
NOT_IN_BOOK: dict[str, set[type[Command]]] = {
    "commission": INSURANCE | LATE_INSURANCE | LIMITS | SQUEEZE | IRREGULARITIES,
    "commission-insurance": LATE_INSURANCE,
    "super-six-plus": INSURANCE | LATE_INSURANCE,
}
STAFF_BETS = {commands.PlaceBet, commands.WithdrawBet}
"""In commission nobody may do this for a player."""
JUDGED = {TableCode.NOT_IN_BOOK, TableCode.TABLE_CLOSED, TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN}


def _expected(rules: Rulebook, phase: Phase, command: Command, *, own: bool) -> TableCode | None:
    """Why this person cannot give this command here at all; None if they can. Their authority comes first."""
    kind, position = type(command), command.position
    if position not in {_LETTERS[letter] for letter in WHO[kind]}:
        return TableCode.NOT_AUTHORISED
    names_a_player = hasattr(command, "who") or kind is reports.Rule
    if own and names_a_player and position not in (Position.PLAYER, Position.HOUSE):
        return TableCode.NOT_AUTHORISED  # staff do not play
    if position is Position.PLAYER and not own and hasattr(command, "who"):
        return TableCode.NOT_YOUR_OWN
    if kind in NOT_IN_BOOK.get(rules.id, set()):
        return TableCode.NOT_IN_BOOK
    if phase is Phase.CLOSED and kind is not commands.OpenTable:
        return TableCode.TABLE_CLOSED
    if rules.id == "commission" and kind in STAFF_BETS and position is not Position.PLAYER:
        return TableCode.NOT_IN_BOOK
    return None


@pytest.mark.parametrize("rules", having("house", "dealer", "pit_employee"))
@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("position", list(Position))
def test_every_command_by_every_position_in_every_phase(rules: Rulebook, phase: Phase, position: Position) -> None:
    table = in_phase(rules, phase).table
    for who in ("ann", "ben"):
        for command in commands_by(rules, "ann", position, who):
            decision = decide(rules, table, command)
            code = decision.code if isinstance(decision, Refusal) else None
            expected = _expected(rules, phase, command, own=who == "ann")
            assert (code if code in JUDGED else None) == expected, (command, decision)
            if position in (Position.AUDITOR, Position.ADMINISTRATOR):
                assert isinstance(decision, Refusal), command


def test_the_table_above_has_every_command() -> None:
    assert set(WHO) == {type(command) for command in COMMANDS}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_some_of_every_command_that_the_book_has_is_accepted_from_somebody(rules: Rulebook) -> None:
    accepted = {
        type(command)
        for phase in Phase
        for position in Position
        for command in commands_by(rules, "ann" if position is Position.PLAYER else "x", position, "ann")
        if not isinstance(decide(rules, in_phase(rules, phase).table, command), Refusal)
    }
    everyday = {commands.OpenTable, commands.ChangeSettings, commands.CloseTable, commands.LoadShoe}
    everyday |= {commands.BurnCards, commands.BuyIn, commands.CashOut, commands.Sit, commands.StandBehind}
    everyday |= {commands.Leave, commands.IdentifyPlayer, commands.OpenBetting, commands.PlaceBet, commands.WithdrawBet}
    everyday |= {commands.CloseBetting, commands.CutCardOut, commands.DealCard, commands.EndShoe}
    everyday |= {pit_calls.CallPit, chips.RequestSlip, chips.CountTray}
    reported: set[type[Command]] = {reports.ReportForeignCard, reports.ReportLateBet, reports.ReportWrongNumber}
    reported |= {reports.ReportRestart, reports.ExchangeShoe}
    if rules.id != "commission":
        reported |= {reports.ReportInterruption, reports.ReportCardCount, reports.ReportNotShuffled}
        reported |= {reports.ReportExcessCard, reports.ReportSimultaneousCards, reports.ReportDealingError}
    assert accepted == everyday | reported


HOUSE_SPEAKS = [kind for kind in WHO if issubclass(kind, reports.Report)]


@reading("who_the_house_is")
@pytest.mark.parametrize("rules", having("house", "reconstruction", "void"))
@pytest.mark.parametrize("house", STAFF[1:])
def test_if_a_clause_says_only_house_the_setting_names_the_position(rules: Rulebook, house: Position) -> None:
    table = dealing(rules, house=house).table
    above = "smtc"["smtc".index(next(letter for letter, one in _LETTERS.items() if one is house)) :]
    for position in Position:
        for command in commands_by(rules, "x", position, "ann"):
            kind = type(command)
            if kind not in HOUSE_SPEAKS or kind in NOT_IN_BOOK.get(rules.id, set()):
                continue
            may = {_LETTERS[letter] for letter in above}
            if kind is reports.ReportInterruption:
                may |= {Position.HOUSE}  # the automation needs no consent
            decision = decide(rules, table, command)
            refused = isinstance(decision, Refusal) and decision.code is TableCode.NOT_AUTHORISED
            assert refused is (position not in may), (command, decision)


def test_the_setting_moves_no_authority_that_a_clause_gives_by_name() -> None:
    by_name = set(WHO) - set(HOUSE_SPEAKS)
    assert {reports.RuleCardOrder, reports.ReplaceShoe, reports.OfferLateInsurance, reports.Rule} < by_name
    assert {reports.ReturnUninsuredBets, reports.CallTime, reports.ReportFaceUpCard} < by_name

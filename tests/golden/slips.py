"""The words of a script for corrections and for what only a real table has. README.md lists them all."""

from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from tests.golden.trouble import BECAUSE, BET, WHO, Fields, Words, compiled, read_words

_DRAW = r"draw (?P<draw>\d+) of (?P<shoe>\S+)"
_OF = f"of (?P<who>{WHO})"
_AFTER = "after (?:the )?(?P<stage>four|third) cards?"
_RECOVERED = r"(?: with (?P<recovered_minor>[\d.]+) recovered)?"

_WORDS: Words = (
    (rf"corrects {_DRAW} to (?P<card>\S\S?){BECAUSE}", corrections.CorrectCard, {}),
    (f"takes back {_DRAW}{BECAUSE}", corrections.CorrectCard, {"card": None}),
    (rf"corrects {BET} {_OF} to (?P<stake_minor>[\d.]+){BECAUSE}", corrections.CorrectBet, {}),
    (
        rf"corrects insurance {_AFTER} {_OF} at (?P<box>\d+) to (?P<stake_minor>[\d.]+){BECAUSE}",
        corrections.CorrectInsurance,
        {},
    ),
    (f"records that insurance {_AFTER} was offered{BECAUSE}", corrections.CorrectInsurance, {"offered": True}),
    (f"records that insurance {_AFTER} was not offered{BECAUSE}", corrections.CorrectInsurance, {"offered": False}),
    (f"corrects the choice {_OF} to go on", corrections.CorrectOption, {"choice": Choice.CONTINUE}),
    (f"corrects the choice {_OF} to take the bets back", corrections.CorrectOption, {"choice": Choice.RETURN}),
    (
        rf"corrects the payment of {BET} {_OF} to (?P<paid_minor>[\d.]+){_RECOVERED}{BECAUSE}",
        corrections.CorrectPayment,
        {"reason": ""},
    ),
    (f"reopens betting{BECAUSE}", corrections.ReopenBetting, {}),
    ("cancels the round", corrections.CancelRound, {}),
    (r"reports a restart from (?P<from_us>\d+) s to (?P<to_us>\d+) s", reports.ReportRestart, {}),
    ("resumes the round", reports.ResumeRound, {}),
    (r"exchanges the shoe for (?P<shoe>\S+) of (?P<decks>\d+) decks", reports.ExchangeShoe, {}),
    ("announces the cut card", commands.CutCardOut, {}),
    (r"ends the shoe(?: with (?P<left>\d+) left)?", commands.EndShoe, {}),
    (rf"inspects shoe (?P<shoe>\S+){BECAUSE}", reports.InspectShoe, {"reason": ""}),
    (
        r"loads shoe (?P<shoe>\S+) of (?P<decks>\d+) decks, formerly (?P<formerly>\S+)",
        commands.LoadShoe,
        {},
    ),
    (f"rejects the excess of {BET}", commands.RejectExcess, {}),
)

_PATTERNS = compiled(_WORDS)


def read_slip(by: str, said: str) -> tuple[type[Command], Fields] | None:
    """The command that the words give, with its fields; None if they match no pattern here."""
    return read_words(_PATTERNS, by, said)

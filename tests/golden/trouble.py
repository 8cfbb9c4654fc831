"""The words of a script for what goes wrong: a report, a ruling, a player's choice. README.md has them all."""

import re
from collections.abc import Callable
from typing import Any

from punto.rules.coup.cards import FACE_DOWN, Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Effect, Late

CommandRecord = dict[str, str | None]
"""The parts of a line by name, None where one was left out."""

Fields = dict[str, Any]

_BECAUSE = "(?: because (?P<reason>.+))?"
_BEYOND = "(?P<beyond> beyond reconstruction)?"
_IN_DOUBT = rf"{_BEYOND}(?: at places (?P<in_doubt>\d+(?: \d+)*))?"
_CARDS = r"(?P<cards>\S\S(?: \S\S)*)"
_TO = "(?: to (?P<to>player|banker))?"
_SIDES = "(?P<as_dealt>(?:player|banker)(?: (?:player|banker))*)"
_FOR = r"(?: for (?P<who>\S+))?"
_BET = r"(?P<bet>\S+) at (?P<box>\d+)"
_BETS = r"(?P<bets>\S+ at \d+ of \S+(?:, \S+ at \d+ of \S+)*)"
_AMOUNTS = r"(?P<amounts>\S+ [+-]\S+(?:, \S+ [+-]\S+)*)"

_WORDS: tuple[tuple[str, type[Command], Fields], ...] = (
    (f"reports an interruption{_BECAUSE}", reports.ReportInterruption, {}),
    (f"reports a foreign card{_BECAUSE}", reports.ReportForeignCard, {}),
    (f"reports a wrong card count{_BECAUSE}", reports.ReportCardCount, {}),
    (f"reports cards not shuffled{_BECAUSE}", reports.ReportNotShuffled, {}),
    (f"reports a wrong number of cards{_BECAUSE}", reports.ReportWrongNumber, {}),
    (
        f"reports a wrong number of cards with (?:none|{_CARDS}) too many{_TO}{_BECAUSE}",
        reports.ReportWrongNumber,
        {"reconstructable": True},
    ),
    (f"reports {_CARDS} in excess{_TO}{_BEYOND}{_BECAUSE}", reports.ReportExcessCard, {}),
    (f"reports cards on the wrong side: {_SIDES}{_IN_DOUBT}{_BECAUSE}", reports.ReportWrongSide, {}),
    (
        f"reports cards with the wrong person: {_SIDES}{_IN_DOUBT}{_BECAUSE}",
        reports.ReportWrongSide,
        {"to_person": True},
    ),
    (r"reports place (?P<place>\d+) face up as (?P<card>\S\S)", reports.ReportFaceUpCard, {}),
    (
        rf"reports {_CARDS} drawn at once(?: with the last (?P<entered>\d+) entered)?",
        reports.ReportSimultaneousCards,
        {},
    ),
    (r"reports the last (?P<entered>\d+) entered drawn at once", reports.ReportSimultaneousCards, {}),
    (r"rules the order (?P<order>\d+(?: \d+)*)", reports.RuleCardOrder, {}),
    (r"replaces the shoe by (?P<shoe>\S+) of (?P<decks>\d+) decks(?P<now> now)?", reports.ReplaceShoe, {}),
    (f"reports a dealing error{_IN_DOUBT}{_BECAUSE}", reports.ReportDealingError, {"reason": ""}),
    (f"dismisses it{_BECAUSE}", reports.DismissIrregularity, {"reason": ""}),
    (f"goes on{_FOR}", reports.ChooseOption, {"choice": Choice.CONTINUE}),
    (f"takes the bets back{_FOR}", reports.ChooseOption, {"choice": Choice.RETURN}),
    ("calls time", reports.CallTime, {}),
    ("offers late insurance", reports.OfferLateInsurance, {}),
    (
        rf"returns the uninsured (?P<side>player|banker) of (?P<who>\S+) at (?P<box>\d+){_BECAUSE}",
        reports.ReturnUninsuredBets,
        {"reason": ""},
    ),
    (
        rf"refuses a late bet of (?P<amount_minor>\S+) on {_BET} by (?P<who>\S+)",
        reports.ReportLateBet,
        {"tried": Late.PLACED},
    ),
    (
        rf"refuses a late increase of (?P<amount_minor>\S+) on {_BET} by (?P<who>\S+)",
        reports.ReportLateBet,
        {"tried": Late.INCREASED},
    ),
    (
        rf"refuses a late withdrawal of (?P<amount_minor>\S+) from {_BET} by (?P<who>\S+)",
        reports.ReportLateBet,
        {"tried": Late.WITHDRAWN},
    ),
    (rf"reports an error in round (?P<round>\d+){_BECAUSE}", reports.ReportLaterError, {"reason": ""}),
    (f"rules to go on{_BECAUSE}", reports.Rule, {"effect": Effect.CONTINUE, "reason": ""}),
    (f"rules the round void{_BECAUSE}", reports.Rule, {"effect": Effect.VOID, "reason": ""}),
    (f"rules back {_BETS}{_BECAUSE}", reports.Rule, {"effect": Effect.RETURN, "reason": ""}),
    (f"rules {_AMOUNTS}{_BECAUSE}", reports.Rule, {"effect": Effect.ADJUST, "reason": ""}),
)
"""The words after the name, the command they give, and the fields that follow from the words alone."""

_PATTERNS = tuple((re.compile(words), kind, fields) for words, kind, fields in _WORDS)


def _read_cards(text: str) -> tuple[Card | None, ...]:
    return tuple(None if card == FACE_DOWN else read_card(card) for card in text.split())


def _read_bets(text: str) -> tuple[reports.RuledBet, ...]:
    """``banker at 1 of ann, tie at 2 of ben``."""
    split = (bet.split() for bet in text.split(", "))
    return tuple(reports.RuledBet(who, int(box), bet) for bet, _, box, _, who in split)


def _read_amounts(text: str) -> dict[str, int]:
    """``ann +50, ben -20``."""
    pairs = (pair.split() for pair in text.split(", "))
    return {who: read_amount(amount.removeprefix("+")) for who, amount in pairs}


_READ: dict[str, Callable[[str], object]] = {
    "cards": _read_cards,
    "card": read_card,
    "to": Side,
    "side": Side,
    "as_dealt": lambda text: tuple(map(Side, text.split())),
    "order": lambda text: tuple(map(int, text.split())),
    "in_doubt": lambda text: tuple(map(int, text.split())),
    "entered": int,
    "place": int,
    "box": int,
    "decks": int,
    "round": int,
    "now": bool,
    "amount_minor": read_amount,
    "bets": _read_bets,
    "amounts": _read_amounts,
}


def read_trouble(by: str, said: str) -> tuple[type[Command], Fields] | None:
    """The command that the words give, with its fields; None if they match no pattern here."""
    for pattern, kind, fields in _PATTERNS:
        if (match := pattern.fullmatch(said)) is not None:
            return kind, {**_own(kind, by), **fields, **_read(match.groupdict())}
    return None


def _own(kind: type[Command], by: str) -> Fields:
    """A player who chooses an option chooses for themselves, unless the words name somebody else."""
    return {"who": by} if kind is reports.ChooseOption else {}


def _read(said: CommandRecord) -> Fields:
    fields = {name: _READ.get(name, str)(text) for name, text in said.items() if text is not None and name != "beyond"}
    return {**fields, "reconstructable": False} if said.get("beyond") else fields

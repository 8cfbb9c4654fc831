"""The words of a script for what goes wrong: a report, a ruling, a player's choice. README.md has them all."""

import re
from collections.abc import Callable
from typing import Any

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import FACE_DOWN, RANKS, Card, Face, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Effect, Late

CommandRecord = dict[str, str | None]
"""The parts of a line by name, None where one was left out."""

Fields = dict[str, Any]

Words = tuple[tuple[str, type[Command], Fields], ...]
"""The words after the name, the command they give, and the fields that follow from the words alone."""
Patterns = tuple[tuple[re.Pattern[str], type[Command], Fields], ...]

BECAUSE = "(?: because (?P<reason>.+))?"
_BEYOND = "(?P<beyond> beyond reconstruction)?"
_IN_DOUBT = rf"{_BEYOND}(?: at places (?P<in_doubt>\d+(?: \d+)*))?"
_CARDS = r"(?P<cards>\S\S(?: \S\S)*)"
_TO = "(?: to (?P<to>player|banker))?"
_SIDES = "(?P<as_dealt>(?:player|banker)(?: (?:player|banker))*)"
WHO = r"(?:(?:behind )?box \d+(?:/\d+)?|\S+)"
_FOR = f"(?: for (?P<who>{WHO}))?"
BET = r"(?P<bet>\S+) at (?P<box>\d+)"
_BETS = r"(?P<bets>\S+ at \d+ of \S+(?:, \S+ at \d+ of \S+)*)"
_AMOUNTS = r"(?P<amounts>\S+ [+-]\S+(?:, \S+ [+-]\S+)*)"

_WORDS: Words = (
    (f"reports an interruption{BECAUSE}", reports.ReportInterruption, {}),
    (f"reports a foreign card{BECAUSE}", reports.ReportForeignCard, {}),
    (f"reports a wrong card count{BECAUSE}", reports.ReportCardCount, {}),
    (f"reports cards not shuffled{BECAUSE}", reports.ReportNotShuffled, {}),
    (f"reports an empty shoe{BECAUSE}", reports.ReportShoeRunOut, {}),
    (f"reports a wrong number of cards{BECAUSE}", reports.ReportWrongNumber, {}),
    (
        f"reports a wrong number of cards with (?:none|{_CARDS}) too many{_TO}{BECAUSE}",
        reports.ReportWrongNumber,
        {"reconstructable": True},
    ),
    (f"reports {_CARDS} in excess{_TO}{_BEYOND}{BECAUSE}", reports.ReportExcessCard, {}),
    (f"reports cards on the wrong side: {_SIDES}{_IN_DOUBT}{BECAUSE}", reports.ReportWrongSide, {}),
    (
        f"reports cards with the wrong person: {_SIDES}{_IN_DOUBT}{BECAUSE}",
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
    (f"reports a dealing error{_IN_DOUBT}{BECAUSE}", reports.ReportDealingError, {"reason": ""}),
    (f"dismisses it{BECAUSE}", reports.DismissIrregularity, {"reason": ""}),
    (f"goes on{_FOR}", reports.ChooseOption, {"choice": Choice.CONTINUE}),
    (f"takes the bets back{_FOR}", reports.ChooseOption, {"choice": Choice.RETURN}),
    (r"calls time(?: after (?P<took_back>\d+) took their bets back)?", reports.CallTime, {}),
    ("offers late insurance", reports.OfferLateInsurance, {}),
    (
        rf"returns the uninsured (?P<side>player|banker) of (?P<who>{WHO}) at (?P<box>\d+){BECAUSE}",
        reports.ReturnUninsuredBets,
        {"reason": ""},
    ),
    (
        rf"refuses a late bet of (?P<amount_minor>\S+) on {BET} by (?P<who>{WHO})",
        reports.ReportLateBet,
        {"tried": Late.PLACED},
    ),
    (
        rf"refuses a late increase of (?P<amount_minor>\S+) on {BET} by (?P<who>{WHO})",
        reports.ReportLateBet,
        {"tried": Late.INCREASED},
    ),
    (
        rf"refuses a late withdrawal of (?P<amount_minor>\S+) from {BET} by (?P<who>{WHO})",
        reports.ReportLateBet,
        {"tried": Late.WITHDRAWN},
    ),
    (rf"reports an error in round (?P<round>\d+){BECAUSE}", reports.ReportLaterError, {"reason": ""}),
    (f"rules to go on{BECAUSE}", reports.Rule, {"effect": Effect.CONTINUE, "reason": ""}),
    (f"rules the round void{BECAUSE}", reports.Rule, {"effect": Effect.VOID, "reason": ""}),
    (f"rules back {_BETS}{BECAUSE}", reports.Rule, {"effect": Effect.RETURN, "reason": ""}),
    (f"rules {_AMOUNTS}{BECAUSE}", reports.Rule, {"effect": Effect.ADJUST, "reason": ""}),
)


def compiled(words: Words) -> Patterns:
    return tuple((re.compile(phrase), kind, fields) for phrase, kind, fields in words)


_PATTERNS = compiled(_WORDS)


def read_face(text: str) -> Card:
    """A card, or a rank alone."""
    return Face(text) if text in {*RANKS} else read_card(text)


def _read_cards(text: str) -> tuple[Card | None, ...]:
    return tuple(None if card == FACE_DOWN else read_face(card) for card in text.split())


def _read_seconds(text: str) -> int:
    """Microseconds."""
    return int(text) * 1_000_000


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
    "card": read_face,
    "to": Side,
    "side": Side,
    "as_dealt": lambda text: tuple(map(Side, text.split())),
    "order": lambda text: tuple(map(int, text.split())),
    "in_doubt": lambda text: tuple(map(int, text.split())),
    "entered": int,
    "took_back": int,
    "place": int,
    "box": int,
    "decks": int,
    "round": int,
    "draw": int,
    "left": int,
    "stage": Stage,
    "from_us": _read_seconds,
    "to_us": _read_seconds,
    "now": bool,
    "amount_minor": read_amount,
    "stake_minor": read_amount,
    "paid_minor": read_amount,
    "recovered_minor": read_amount,
    "bets": _read_bets,
    "amounts": _read_amounts,
}


def read_trouble(by: str, said: str) -> tuple[type[Command], Fields] | None:
    """The command that the words give, with its fields; None if they match no pattern here."""
    return read_words(_PATTERNS, by, said)


def read_words(patterns: Patterns, by: str, said: str) -> tuple[type[Command], Fields] | None:
    for pattern, kind, fields in patterns:
        if (match := pattern.fullmatch(said)) is not None:
            return kind, {**_own(kind, by), **fields, **_read(match.groupdict())}
    return None


def _own(kind: type[Command], by: str) -> Fields:
    """A player who chooses an option chooses for themselves, unless the words name somebody else."""
    return {"who": by} if kind is reports.ChooseOption else {}


def _read(said: CommandRecord) -> Fields:
    fields = {name: _READ.get(name, str)(text) for name, text in said.items() if text is not None and name != "beyond"}
    return {**fields, "reconstructable": False} if said.get("beyond") else fields

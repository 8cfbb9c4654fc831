"""The JSON Schema of a book: what an editor needs to complete and check one. The loader checks more."""

from collections.abc import Iterable
from typing import Any, Final

from punto.rules.bets.condition import Fact, Natural
from punto.rules.bets.features import Group, words_of
from punto.rules.bets.insurance import CapOn, CapPer, Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import Pairs, Winner
from punto.rules.coup.table_of_play import Action, Side
from punto.rules.loader.pays import RANGES
from punto.rules.rulebook import ClauseKind, HandledBy, LayoutKind
from punto.rules.topics import Topic

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string", "minLength": 1}
_WORDS: Final[Schema] = {"oneOf": [_TEXT, {"type": "object", "additionalProperties": _TEXT}]}
_RATIO: Final[Schema] = {"type": "string", "pattern": r"^[0-9]+(/[0-9]+)?$"}
_CLAUSE: Final[Schema] = {"type": "string", "description": "A clause of the register."}
_POINTS: Final[Schema] = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 1}
_LEFT_OUT: Final[Schema] = {"const": False, "description": "Leaves out what the book it extends has here."}


def schema() -> Schema:
    """The schema of a book, alone or extending another one."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rulebook of Punto",
        **_object(
            {
                "id": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
                "name": _WORDS,
                "extends": {**_TEXT, "description": "The id of a shipped book, or the path of another file."},
                "version": _TEXT,
                "in_force_from": {"type": "string", "examples": ["2024-05-14T08:00+08:00", "2013-10-22"]},
                "card_values": _list(_object({"values": _values(), "clause": _CLAUSE}, ("values", "clause"))),
                "decks": _object({"least": _whole(1, 99), "most": _whole(1, 99), "clause": _CLAUSE}),
                "layouts": _map(_layout()),
                "table_of_play": _table_of_play(),
                "bets": _map(_bet()),
                "insurance": {"oneOf": [_insurance(), _LEFT_OUT]},
                "topics": _object({str(topic): {"type": "array", "items": _CLAUSE} for topic in Topic}),
                "clauses": _map(_clause()),
            },
            ("id",),
        ),
    }


def _bet() -> Schema:
    line = _object(
        {
            "when": _when(),
            "odds": {"oneOf": [_RATIO, {"enum": ["push", "lose"]}]},
            "commission": _RATIO,
            "clause": _CLAUSE,
        },
        ("when", "odds"),
    )
    return _object(
        {
            "name": _WORDS,
            "chinese": _TEXT,
            "clause": _CLAUSE,
            "pays": _list(line),
            "typed": {"type": "string", "pattern": "^[A-Z]{1,4}$"},
            "limit": _object({"of": _TEXT, "share": _RATIO, "clause": _CLAUSE}, ("of",)),
            "otherwise": _enum((Result.LOSE, Result.PUSH)),
        }
    )


def _when() -> Schema:
    facts = {str(fact): _numbers(RANGES[fact][0], RANGES[fact][-1]) for fact in Fact}
    words = {str(group): _words(group) for group in Group}
    return {
        **_object(
            {
                "winner": _one_or_more(_enum(Winner)),
                **facts,
                "natural": _enum(Natural),
                "pairs": {"type": "array", "items": _enum(Pairs), "minItems": 1},
                **words,
            }
        ),
        "minProperties": 1,
    }


def _numbers(least: int, most: int) -> Schema:
    return {"oneOf": [_whole(least, most), _list(_whole(least, most)), {"enum": ["odd", "even"]}]}


def _words(group: Group) -> Schema:
    return _one_or_more({"type": "string", "examples": list(words_of(group))})


def _layout() -> Schema:
    return _object(
        {
            "kind": _enum(LayoutKind),
            "boxes": {"type": "string", "pattern": r"^(unstated|[1-9][0-9]?(-[1-9][0-9]?)?)$"},
            "menu": {"type": "array", "items": _TEXT},
            "clause": _CLAUSE,
        },
        ("boxes", "clause"),
    )


def _table_of_play() -> Schema:
    row = _object({"points": _POINTS, "does": _enum(Action), "clause": _CLAUSE}, ("points", "does", "clause"))
    after = _object(
        {"points": _POINTS, "does": _enum(Action), "draws_on": _POINTS, "stands_on": _POINTS, "clause": _CLAUSE},
        ("points", "clause"),
    )
    return _object({"player": _list(row), "banker_alone": _list(row), "banker_after": _list(after)})


def _insurance() -> Schema:
    line = _object(
        {
            "stage": _enum(Stage),
            "side": _enum(Side),
            "player": _POINTS,
            "banker": _POINTS,
            "odds": _RATIO,
            "clause": _CLAUSE,
            "tie_pays": _CLAUSE,
        },
        ("stage", "side", "player", "banker", "odds", "clause"),
    )
    cap = _object(
        {
            "on": _enum(CapOn),
            "per": _enum(CapPer),
            "clause": _CLAUSE,
            "share_at_odds": _RATIO,
            "share_of_maximum": _RATIO,
        },
        ("on", "per", "clause"),
    )
    return _object({"lines": _list(line), "cap": cap}, ("lines", "cap"))


def _clause() -> Schema:
    return _object(
        {
            "kind": _enum(ClauseKind),
            "handled_by": _enum(HandledBy),
            "command": {"type": "string", "pattern": "^[a-z]+(_[a-z]+)*$"},
            "text": _WORDS,
            "offers": _WORDS,
        },
        ("kind", "handled_by"),
    )


def _values() -> Schema:
    return _object({rank: _whole(0, 9) for rank in RANKS})


def _object(properties: Schema, required: Iterable[str] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": list(required)} if required else {}),
    }


def _map(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": {"oneOf": [of, _LEFT_OUT]}}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of, "minItems": 1}


def _one_or_more(of: Schema) -> Schema:
    return {"oneOf": [of, _list(of)]}


def _enum(choices: Iterable[str]) -> Schema:
    return {"enum": [str(choice) for choice in choices]}


def _whole(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}

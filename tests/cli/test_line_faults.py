"""Of several faults in a line the first is reported, and the reader knows every record of ``settle``."""

from typing import Any

import msgspec
import pytest
from msgspec import inspect

from punto.cli._shared.line_faults import line_fault
from punto.cli.settle import RoundIn

GOOD: dict[str, Any] = {"game": "commission", "cards": ["4s"], "bets": [{"who": "ann", "bet": "tie", "stake": "1.00"}]}


def told(line: bytes) -> tuple[str, str]:
    """Code and message of a line's fault."""
    with pytest.raises(msgspec.DecodeError) as error:
        msgspec.json.decode(line, type=RoundIn)
    refused = line_fault(line, RoundIn, error.value)
    return str(refused.code), refused.message


def with_changes(**changes: Any) -> bytes:
    return msgspec.json.encode({**GOOD, **changes})


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (with_changes(cards=["4s", "Zz"], surplus=1), "not_a_card", "'Zz' is not a card"),
        (with_changes(cards="4s", surplus=1), "wrong_type", "Expected `array`, got `str` - at `$.cards`"),
        (with_changes(cards=["4s", 5]), "wrong_type", "Expected `str`, got `int` - at `$.cards[1]`"),
        (with_changes(bets=[GOOD["bets"][0], {"who": "ben"}]), "missing_key", "`bet` is missing at `$.bets[1]`"),
        (
            with_changes(bets=[{**GOOD["bets"][0], "x": 1}]),
            "unknown_key",
            "`$.bets[0]`. Known keys: who, bet, stake",
        ),
        (
            with_changes(bets=[{**GOOD["bets"][0], "seated": 1}]),
            "wrong_type",
            "`bool`, got `int` - at `$.bets[0].seated`",
        ),
        (with_changes(bets=[{**GOOD["bets"][0], "box": True}]), "wrong_type", "got `bool` - at `$.bets[0].box`"),
        (with_changes(bets=[{**GOOD["bets"][0], "box": 2**31}]), "wrong_type", "- at `$.bets[0].box`"),
        (with_changes(decks=1.5, limits={"least": "1"}), "wrong_type", "`int | null`, got `float` - at `$.decks`"),
        (
            with_changes(decks=None, limits={"least": "1"}),
            "unknown_key",
            "`$.limits`. Known keys: min, max",
        ),
        (
            with_changes(insurance=[{"who": "ann", "side": "left"}]),
            "wrong_type",
            "is not a valid side at `$.ins",
        ),
        (b"{}", "missing_key", "The key `game` is missing at `$`."),
        (b"[]", "wrong_type", "Expected `object`, got `array`"),
        (b'{"surplus": 1, ', "malformed_json", "truncated"),
        (b'{"decks": ' + b"9" * 5000 + b"}", "wrong_type", "out of range"),
        (b"{", "malformed_json", "truncated"),
    ],
)
def test_the_first_fault_is_told(line: bytes, code: str, words: str) -> None:
    found = told(line)
    assert found[0] == code
    assert words in found[1]


def test_every_type_of_a_line_is_one_that_the_reader_tells_apart() -> None:
    known = (
        inspect.StructType, inspect.ListType, inspect.VarTupleType, inspect.EnumType, inspect.NoneType,
        inspect.IntType, inspect.StrType, inspect.BoolType,
    )  # fmt: skip
    seen: list[inspect.Type] = [inspect.type_info(RoundIn)]
    for kind in seen:  # grows
        if isinstance(kind, inspect.UnionType):
            assert len([each for each in kind.types if not isinstance(each, inspect.NoneType)]) == 1
            seen += kind.types
        else:
            assert isinstance(kind, known), kind
        if isinstance(kind, inspect.StructType):
            seen += [field.type for field in kind.fields]
        if isinstance(kind, inspect.ListType | inspect.VarTupleType):
            seen.append(kind.item_type)
    assert len(seen) > 20

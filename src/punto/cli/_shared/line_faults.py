"""Find out what is wrong with a line of JSON that could not be decoded as a record.

msgspec's messages are in English only. To explain the fault in any language, the line is decoded again without a type
and compared with the record's fields, in the order of the line, up to the first value that does not fit.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from punto.rules.coup.cards import Card, not_a_card
from punto.rules.refusals import Code, Refused


def line_fault(line: bytes, record: type[msgspec.Struct], error: Exception) -> Refused:
    """Explain why decoding ``line`` as ``record`` failed with ``error``."""
    if not isinstance(error, msgspec.ValidationError):
        return Refused(Code.MALFORMED_JSON, variant="line", reason=str(error))
    try:
        value = msgspec.json.decode(line)
    except msgspec.ValidationError:  # a number too large for any JSON decoder
        return _wrong_type(error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as malformed:  # after the first fault
        return Refused(Code.MALFORMED_JSON, variant="line", reason=str(malformed))
    return _fault(value, _fields_of(record), "$", error) or _wrong_type(error)


@cache
def _fields_of(record: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(record)


def _wrong_type(error: msgspec.ValidationError) -> Refused:
    return Refused(Code.WRONG_TYPE, variant="record", reason=str(error))


def _fault(value: Any, kind: inspect.Type, place: str, error: msgspec.ValidationError) -> Refused | None:
    """Return the first fault of a value, or None if it fits its type."""
    if isinstance(kind, inspect.UnionType):
        return None if value is None else _fault(value, _not_null_type(kind), place, error)
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        return _record_fault(value, kind, place, error)
    if isinstance(kind, inspect.ListType | inspect.VarTupleType) and isinstance(value, list):
        faults = (_fault(each, kind.item_type, f"{place}[{at}]", error) for at, each in enumerate(value))
        return next((fault for fault in faults if fault), None)
    if isinstance(kind, inspect.EnumType) and isinstance(value, str):
        return _word_fault(value, kind, place)
    return None if _is_plain(value, kind) else _wrong_type(error)


def _not_null_type(kind: inspect.UnionType) -> inspect.Type:
    """The other type of a nullable field. No record here has a union of more than two types."""
    (other,) = (each for each in kind.types if not isinstance(each, inspect.NoneType))
    return other


def _record_fault(
    value: dict[str, Any], kind: inspect.StructType, place: str, error: msgspec.ValidationError
) -> Refused | None:
    fields = {field.encode_name: field for field in kind.fields}
    for key, each in value.items():
        if key not in fields:
            return Refused(Code.UNKNOWN_KEY, key=key[:40], keys=tuple(fields), place=place)
        if fault := _fault(each, fields[key].type, f"{place}.{key}", error):
            return fault
    for key, field in fields.items():
        if field.required and key not in value:
            return Refused(Code.MISSING_KEY, key=key[:40], place=place)
    return None


def _word_fault(value: str, kind: inspect.EnumType, place: str) -> Refused | None:
    try:
        kind.cls(value)
    except ValueError:
        if kind.cls is Card:
            return not_a_card(value)
        words = tuple(str(member.value) for member in kind.cls)
        what = place.rpartition(".")[2]
        return Refused(Code.WRONG_TYPE, variant="word", text=value[:40], what=what, words=words, place=place)
    return None


def _is_plain(value: Any, kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.IntType):
        within = type(value) is int and (kind.ge is None or value >= kind.ge) and (kind.lt is None or value < kind.lt)
        return within and kind.gt is None and kind.le is None
    if isinstance(kind, inspect.StrType):
        return isinstance(value, str)
    return isinstance(kind, inspect.BoolType) and isinstance(value, bool)

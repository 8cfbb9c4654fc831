"""An alarm of the pit in words."""

from collections.abc import Mapping
from fractions import Fraction

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Moment, Money, Percent
from punto.floor.house.alarm import Alarm, AlarmKind, Fact
from punto.table.records.identity import Place
from punto.table.records.settings import box_label
from punto.web.words.event_words import card_phrase
from punto.web.words.translator import Translator, person_name

_MINOR = "_minor"
_PERCENT = frozenset({"edge", "actual", "theoretical"})


def alarm_words(
    alarm: Alarm, t: Translator, names: Mapping[str, str], labels: tuple[str, ...], titles: Mapping[str, str]
) -> str:
    """``names`` are those of registered players, ``labels`` those of the boxes of its table, ``titles`` of tables."""
    values: dict[str, object] = {
        name.removesuffix(_MINOR): _value(name, value, labels) for name, value in alarm.values.items()
    }
    person, place = person_name(alarm.subject, t, names, labels, with_id=True), Place.find(alarm.subject)
    if "box" in values and (place is None or place.box != alarm.values["box"]):
        values["place"] = phrase("event.at_box", who=person, box=values["box"])
    if isinstance(tables := alarm.values.get("tables"), tuple):
        values["tables"] = tuple(titles.get(name, name) for name in tables)
    return t.write(
        phrase(f"alarm.{_variant(alarm)}", **{"place": person, "subject": alarm.subject, "person": person, **values})
    )


def _variant(alarm: Alarm) -> str:
    match alarm.kind:
        case AlarmKind.OPPOSITE_BETS if "box" in alarm.values:
            return "opposite_bets_in_box"
        case AlarmKind.WRONG_PINS if not alarm.values["terminal"]:
            return "wrong_pins_everywhere"
        case AlarmKind.LARGE_CASH:
            return f"large_cash_{alarm.values['way']}"
        case AlarmKind.PLAYED_WHILE_STOPPED if alarm.subject:
            return "player_while_stopped"
        case AlarmKind.CLOCK_DIFFERS:
            return f"clock_differs_{alarm.values['against']}_{alarm.values['way']}"
        case AlarmKind.RESTART if alarm.values["voided"]:
            return "restart_void"
    return alarm.kind


def _value(name: str, value: Fact, labels: tuple[str, ...]) -> object:
    if name.endswith(_MINOR):
        return Money(int(str(value)))
    if name == "box":
        return box_label(labels, int(str(value)))
    if name == "card":
        return card_phrase(str(value))
    if name == "day":
        return Moment(str(value))
    return Percent(Fraction(str(value))) if name in _PERCENT else value

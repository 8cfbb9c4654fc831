"""What exactly is proposed: every value of a command or of an act of the house, by its label.

The approver sees the figures themselves, beside what follows from them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import to_builtins

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.house_events import FloorRulesChanged
from punto.table.records.chips import ChipPile, Slip, SlipKind, total_minor
from punto.table.records.events import SettingsChanged
from punto.table.records.kinds import BuyInKind
from punto.table.records.settings import Settings, box_label
from punto.web.messages.record import ChangedValue
from punto.web.words.change_words import flat, label_of, value_words
from punto.web.words.event_words import Writer, card_phrase
from punto.web.words.house_words import HouseNames

NOT_FIGURES = frozenset({"command", "act", "round", "settings", "rules", "changes", "chips"})
"""What and where it is; and what is written value by value: :func:`opening_words`, :func:`settings_words` and
:func:`rules_words`."""
_SAID_EITHER_WAY = frozenset({"offered", "reconstructable"})
"""Where "no" decides as much as "yes"."""
ALWAYS = frozenset(
    {
        *("layout", "boxes", "currency", "differential_minor", "smallest_chip_minor", "tray_par_minor"),
        *("main.min_minor", "main.max_minor", "side.min_minor", "side.max_minor"),
        *("buy_in_supervised_minor", "cash_out_supervised_minor", "payout_supervised_minor"),
    }
)
"""Settings of an opening that are shown even if nothing is set: that there is no limit is worth knowing."""


def asked(name: str, value: str, words: str, before: str = "") -> ChangedValue:
    return ChangedValue(name=name, words=words, before=before, after=value)


def figures(fields: Mapping[str, Any], writer: Writer, house: HouseNames) -> Iterator[ChangedValue]:
    """Every value that the proposer set, in the order of the command."""
    for name, value in fields.items():
        if name in NOT_FIGURES or value in (None, "", [], {}, ()) or (value is False and name not in _SAID_EITHER_WAY):
            continue
        yield asked(name, FIGURES[name](value, writer, house), writer.t(f"asked.{name}"))


def opening_words(settings: Settings, house: HouseNames) -> Iterator[ChangedValue]:
    """The settings with which a table opens: the usual ones, and every other that is not as usual."""
    usual = dict(flat(to_builtins(Settings(layout="", boxes=0))))
    for name, value in flat(to_builtins(settings)):
        if name in ALWAYS or value != usual.get(name):
            yield asked(name, value_words(name, value, house), label_of(SettingsChanged, name, house.t))


def settings_words(before: Settings, after: Settings, house: HouseNames) -> Iterator[ChangedValue]:
    """The settings that change, with what they were."""
    yield from _changes(SettingsChanged, to_builtins(before), to_builtins(after), house)


def rules_words(before: Mapping[str, Any], after: Mapping[str, Any], house: HouseNames) -> Iterator[ChangedValue]:
    yield from _changes(FloorRulesChanged, before, after, house)


def floor_words(before: HouseEvent, after: HouseEvent, house: HouseNames) -> Iterator[ChangedValue]:
    """What changes of the floor's settings or its chips, as the house's stream has them."""
    yield from _changes(type(after), to_builtins(before), to_builtins(after), house)


def _changes(
    kind: type[SettingsChanged | HouseEvent],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    house: HouseNames,
) -> Iterator[ChangedValue]:
    was, becomes = dict(flat(before)), dict(flat(after))
    for name in dict.fromkeys((*was, *becomes)):
        if was.get(name) != becomes.get(name):
            old, new = (value_words(name, values.get(name), house) for values in (was, becomes))
            yield asked(name, new, label_of(kind, name, house.t), old)


def slip_words(slip: Slip, writer: Writer) -> ChangedValue:
    """The chips of a slip, of which the command has only the number."""
    return asked("piles", pile_words(slip.piles, writer), writer.t(f"asked.piles_{slip.kind}"))


def pile_words(piles: Iterable[ChipPile], writer: Writer) -> str:
    """How many chips of each value, and what they come to."""
    t, piles = writer.t, tuple(piles)
    each = tuple(phrase("proposed.pile", count=pile.count, value=Money(pile.value_minor)) for pile in piles)
    return t("proposed.pile_list", piles=each, total=Money(total_minor(piles)))


# ---- the values of commands and acts, by name

_Words = Callable[[Any, Writer, HouseNames], str]


def _text(value: object, _: Writer, __: HouseNames) -> str:
    return str(value)


def _yes(value: bool, writer: Writer, _: HouseNames) -> str:  # noqa: FBT001 - a value like all others
    return writer.t("record.yes" if value else "record.no")


def _money(value: int, writer: Writer, _: HouseNames) -> str:
    return writer.t.write(Money(value))


def _person(value: str, writer: Writer, _: HouseNames) -> str:
    return writer.person(value)


def _box(value: int, writer: Writer, _: HouseNames) -> str:
    return box_label(writer.labels, value)


def _draw(value: int, writer: Writer, _: HouseNames) -> str:
    return writer.t.write(value + 1)


def _card(value: str, writer: Writer, _: HouseNames) -> str:
    return writer.t.write(card_phrase(value))


def _cards(value: list[str | None], writer: Writer, _: HouseNames) -> str:
    return writer.t.write(tuple(phrase("card.face_down") if each is None else card_phrase(each) for each in value))


def _numbers(value: list[int], writer: Writer, _: HouseNames) -> str:
    return writer.t.write(tuple(value))


def _one_of(section: str) -> _Words:
    def words(value: str, writer: Writer, _: HouseNames) -> str:
        return writer.t(f"asked_one.{section}", value=value)

    return words


def _kind(value: str, writer: Writer, _: HouseNames) -> str:
    """Of a slip, a buy-in or a cash-out: their kinds have different names, or the same meaning."""
    section = "slip_kind" if value in {*SlipKind} else "buy_in_kind" if value in {*BuyInKind} else "cash_out_kind"
    return writer.t(f"asked_one.{section}", value=value)


def _sides(value: list[str], writer: Writer, _: HouseNames) -> str:
    return writer.t("asked_one.side", value=tuple(value))


def _piles(value: list[dict[str, int]], writer: Writer, _: HouseNames) -> str:
    return pile_words((ChipPile(**each) for each in value), writer)


def _ruled_bets(value: list[dict[str, Any]], writer: Writer, _: HouseNames) -> str:
    bets = (
        phrase("proposed.ruled_bet", place=writer.place(each["who"], each["box"]), bet=each["bet"]) for each in value
    )
    return writer.t.write(tuple(bets))


def _payouts(value: list[dict[str, Any]], writer: Writer, _: HouseNames) -> str:
    lines = (
        phrase(
            "proposed.line",
            place=writer.place(each["who"], each["box"]),
            bet=each["bet"],
            amount=Money(each["amount_minor"]),
        )
        for each in value
    )
    return writer.t.write(tuple(lines))


def _amounts(value: dict[str, int], writer: Writer, _: HouseNames) -> str:
    each = (phrase("event.moved", who=writer.person(who), amount=Money(minor)) for who, minor in value.items())
    return writer.t.write(tuple(each))


def _table(value: str, _: Writer, house: HouseNames) -> str:
    return house.titles.get(value, value)


def _names(value: list[str], writer: Writer, _: HouseNames) -> str:
    """Of accounts; an empty one stands for the rules of the floor."""
    return writer.t.write(tuple(name or phrase("asked_one.floor_rules") for name in value))


FIGURES: dict[str, _Words] = {
    **dict.fromkeys(("amount_minor", "float_minor", "paid_minor", "recovered_minor", "stake_minor"), _money),
    **dict.fromkeys(("who", "player_id"), _person),
    **dict.fromkeys(
        (
            *("shoe", "decks", "formerly", "inspected_by", "no_insurance_asked_by", "reason", "left", "slip"),
            *("place", "took_back", "entered", "name", "days", "stop", "up_to"),
        ),
        _text,
    ),
    **dict.fromkeys(
        (
            *("on_behalf", "assumed", "not_offered", "before_close", "standing", "taken_back"),
            *("reconstructable", "to_person", "now", "offered"),
        ),
        _yes,
    ),
    **dict.fromkeys(("order", "in_doubt"), _numbers),
    "box": _box,
    "draw": _draw,
    "card": _card,
    "cards": _cards,
    "kind": _kind,
    "bet": _one_of("bet"),
    "bets": _ruled_bets,
    "lines": _payouts,
    "amounts": _amounts,
    "side": _one_of("side"),
    "to": _one_of("side"),
    "as_dealt": _sides,
    "stage": _one_of("stage"),
    "choice": _one_of("chosen"),
    "tried": _one_of("tried"),
    "effect": _one_of("effect"),
    "piles": _piles,
    "position": _one_of("position"),
    "work": _one_of("token_work"),
    "table": _table,
    "names": _names,
}
"""How each value of a command or act is written. `tests/web/words/test_proposal_words.py` knows them from the types."""

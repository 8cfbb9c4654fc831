"""What the last key did at the table, and what the dealer says to it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.journal.entry import Entry, event_of
from punto.table.play.limits import limits_of
from punto.table.preview import shown
from punto.table.procedure.scene import ConsoleMoment, MomentName, Scene
from punto.table.records.events import (
    BetRejected,
    ChipsBought,
    ChipsCashed,
    Event,
    InsuranceFlagged,
    InsuranceTaken,
    MinimumAdvised,
    MoneyEvent,
    PlayerSat,
    PlayerStood,
    SqueezeGranted,
    SqueezeRefused,
    ThirdCardInsuranceWaived,
)
from punto.table.records.findings import LateBetRefused
from punto.table.records.identity import Place
from punto.table.records.kinds import BuyInKind, Late
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.dealer.boxes import people_at
from punto.web.words.event_words import Writer

MAX_LINES_SHOWN = 3
"""What one key did, in sentences. The rest is counted."""
_OWN_WORDS = frozenset({MomentName.TROUBLE, MomentName.RESTARTED})
"""Moments in which nothing else is said."""


def last_key(tail: Iterable[Entry]) -> tuple[Event, ...]:
    """The events of the last key. It may give several commands, whose ids differ in the number at their end."""
    entries = list(tail)
    if not entries:
        return ()
    key = _key_of(entries[-1])
    return tuple(map(event_of, reversed(list(takewhile(lambda each: _key_of(each) == key, reversed(entries))))))


def _key_of(entry: Entry) -> str:
    return entry.command_id.rpartition("-")[0] or entry.command_id


def what_it_did(events: tuple[Event, ...], view: TableView, t: Translator) -> tuple[str, ...]:
    labels = view.settings.box_labels if view.settings else ()
    told = [event for event in events if not isinstance(event, PlayerSat | PlayerStood)] or events
    lines = Writer(t, view.names, labels).lines(shown(told))  # a first bet seats its place
    if len(lines) <= MAX_LINES_SHOWN:
        return lines
    return (*lines[: MAX_LINES_SHOWN - 1], t("console.did.more", count=len(lines) - MAX_LINES_SHOWN + 1))


# ---- aloud


def with_words(
    scene: Scene, moments: tuple[ConsoleMoment, ...], events: tuple[Event, ...]
) -> tuple[ConsoleMoment, ...]:
    """The moments; where the last key wants words of its own, these are said in them."""
    words = tuple(_aloud(scene, events))
    if not words:
        return moments
    said = words[0] if len(words) == 1 else phrase("console.aloud.several", words=words)
    return tuple(moment if moment.name in _OWN_WORDS else replace(moment, say=said) for moment in moments)


def _aloud(scene: Scene, events: tuple[Event, ...]) -> Iterator[Phrase]:
    if scene.table.settings is None:
        return
    for event in events:
        words = _WORDS.get(type(event), _nothing)(scene, event)
        if words is not None:
            yield words


def _nothing(_: Scene, __: Event) -> None:
    """Most events are said by the moment that they lead to."""


def place_of(scene: Scene, who: str, box: int) -> Phrase:
    """Where somebody is, as it is said aloud: players are not called by their names."""
    label = scene.settings.box_label(box)
    number = next((number for number, each in people_at(scene, box).items() if each == who), None)
    if number is None and (place := Place.find(who)) is not None:
        number = place.number if place.behind else 0
    if not number:
        return phrase("person.box", box=label)
    if number == 1:
        return phrase("person.behind", box=label)
    return phrase("person.behind_number", box=label, number=number)


def _moved(event: MoneyEvent) -> Money:
    return Money(max(abs(posting.amount_minor) for posting in event.postings))


def _minimum(scene: Scene, event: MinimumAdvised) -> Phrase:
    least = Money(limits_of(scene.settings, event.bet).min_minor or 0)
    return phrase("console.aloud.minimum", place=place_of(scene, event.who, event.box), amount=least)


def _rejected(scene: Scene, event: BetRejected) -> Phrase:
    return phrase("console.aloud.over", place=place_of(scene, event.who, event.box), amount=_moved(event))


def _late(scene: Scene, event: LateBetRefused) -> Phrase:
    place = place_of(scene, event.who, event.box)
    placed = event.tried is Late.PLACED
    return phrase("console.aloud.late_bet" if placed else "console.aloud.late_withdrawal", place=place)


def _bought(_: Scene, event: ChipsBought) -> Phrase:
    amount = Money(event.changed_minor) if event.changed_minor else _moved(event)
    by_voucher = event.kind is BuyInKind.VOUCHER
    return phrase("console.aloud.voucher" if by_voucher else "console.aloud.changing", amount=amount)


def _cashed(_: Scene, event: ChipsCashed) -> Phrase:
    return phrase("console.aloud.paying_out", amount=_moved(event))


def _insured(scene: Scene, event: InsuranceTaken) -> Phrase:
    place = place_of(scene, event.who, event.box)
    if event.called:
        return phrase("console.aloud.called", place=place)
    return phrase("console.aloud.insured", place=place, amount=Money(event.stake_minor))


def _not_insured(scene: Scene, event: InsuranceFlagged) -> Phrase | None:
    if not event.amount_minor:
        return None
    amount = Money(event.amount_minor)
    return phrase("console.aloud.insurance_back", place=place_of(scene, event.who, event.box), amount=amount)


def _squeezes(scene: Scene, event: SqueezeGranted) -> Phrase | None:
    boxes = [placed.box for placed in scene.round.bets.values() if placed.who == event.who]
    if not boxes:
        return None
    return phrase("console.aloud.squeezes", place=place_of(scene, event.who, boxes[0]), side=event.side.value)


def _no_squeeze(_: Scene, event: SqueezeRefused) -> Phrase | None:
    return phrase("console.aloud.no_squeeze", side=event.side.value) if event.who else None


def _waived(_: Scene, __: ThirdCardInsuranceWaived) -> Phrase:
    return phrase("console.aloud.waived")


_WORDS: dict[type[Event], Callable[[Scene, Any], Phrase | None]] = {
    MinimumAdvised: _minimum,
    BetRejected: _rejected,
    LateBetRefused: _late,
    ChipsBought: _bought,
    ChipsCashed: _cashed,
    InsuranceTaken: _insured,
    InsuranceFlagged: _not_insured,
    SqueezeGranted: _squeezes,
    SqueezeRefused: _no_squeeze,
    ThirdCardInsuranceWaived: _waived,
}
"""What is said about an event."""

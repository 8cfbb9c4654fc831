"""What follows from a command, in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, UnsetType, convert

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money, Odds
from punto.floor.journal.entry import without_version
from punto.table.records.chips import ChipPile, total_minor
from punto.table.records.events import Limit
from punto.table.records.identity import Place
from punto.table.records.ledger import player_of
from punto.table.records.settings import box_label
from punto.web.words.translator import Translator, person_name

PreviewedEvent = Mapping[str, Any]
"""An event as a preview has it: see :func:`punto.table.preview.shown`."""
_MINOR = "_minor"
_LIMITS = {Limit.MINIMUM: "min", Limit.MAXIMUM: "max", Limit.DIFFERENTIAL: "differential"}


class Writer(Struct, frozen=True):
    """Writes the events of one table for one reader."""

    t: Translator
    names: Mapping[str, str] | UnsetType
    """Of registered players, by id."""
    labels: tuple[str, ...] = ()
    """Of the boxes."""

    def lines(self, events: tuple[PreviewedEvent, ...]) -> tuple[str, ...]:
        return tuple(self.t.write(each) for event in events for each in self._phrases(event))

    def _phrases(self, event: PreviewedEvent) -> Iterator[Phrase]:
        name = without_version(event["event"])
        values = {field.removesuffix(_MINOR): self._value(field, value) for field, value in event.items()}
        if "who" in event and "box" in event:
            values["place"] = self.place(event["who"] or "", event["box"])
        if name in _MOVING:
            values["amount"] = Money(event.get("changed_minor") or max(abs(each) for _, each in _moved(event)))
        if name == "slip_requested":
            values["amount"] = Money(total_minor(convert(event["piles"], tuple[ChipPile, ...])))
        if name == "table_opened":
            values["boxes"] = event["settings"]["boxes"]
        yield phrase(f"event.{_VARIANTS[name](event) if name in _VARIANTS else name}", **values)
        for each in event.get("differences", ()):
            amount, place = Money(abs(each["amount_minor"])), self.place(each["who"], each["box"])
            pays = each["amount_minor"] > 0
            yield phrase("event.pay" if pays else "event.collect", amount=amount, place=place, bet=each["bet"])
        for each in event.get("payouts", ()):
            amount, place = Money(each["amount_minor"]), self.place(each["who"], each["box"])
            yield phrase("event.payout", amount=amount, place=place, bet=each["bet"])
        if name == "ruled":
            for account, amount_minor in _moved(event):
                if (player := player_of(account)) is not None:
                    yield phrase("event.moved", who=self.person(player), amount=Money(amount_minor))

    def _value(self, field: str, value: Any) -> object:
        if field.endswith(_MINOR):
            return Money(value or 0)
        if field == "box":
            return box_label(self.labels, value)
        if field in ("who", "player_id"):
            return self.person(value or "")
        if field == "players":
            return tuple(map(self.person, value))
        if field in ("card", "was") and value is not None:
            return card_phrase(value)
        if field == "cards":
            return tuple(phrase("card.face_down") if each is None else card_phrase(each) for each in value)
        if field == "odds":
            return Odds(value)
        if field == "limit":
            return _LIMITS[value]
        return tuple(value) if isinstance(value, list) else value

    def place(self, who: str, box: int) -> str:
        """Somebody and their box, which is named once."""
        place = Place.find(who)
        if place is not None and place.box == box:
            return self.person(who)
        return self.t.write(phrase("event.at_box", who=self.person(who), box=box_label(self.labels, box)))

    def person(self, who: str) -> str:
        return person_name(who, self.t, self.names, self.labels)


def card_phrase(face: str) -> Phrase:
    rank, suit = face[0], face[1:]
    return phrase("card", rank=rank, suit=suit) if suit else phrase("card.rank", rank=rank)


def _moved(event: PreviewedEvent) -> list[tuple[str, int]]:
    """Accounts and amounts of an event that moves money."""
    return [(account, amount_minor) for account, amount_minor in event["postings"]]


_MOVING = frozenset({"chips_bought", "chips_cashed"})


def _shoe_loaded(event: PreviewedEvent) -> str:
    return "shoe_loaded_after_inspection" if event.get("inspected_by") else "shoe_loaded"


def _card_squeezed(event: PreviewedEvent) -> str:
    return "card_laid_open" if event.get("laid_open") else "card_squeezed"


def _card_corrected(event: PreviewedEvent) -> str:
    return "card_not_drawn" if event["card"] is None else "card_corrected"


def _insurance_corrected(event: PreviewedEvent) -> str:
    if event["offered"] is None:
        return "insurance_corrected"
    return "offer_corrected" if event["offered"] else "offer_not_made"


def _options_given(event: PreviewedEvent) -> str:
    return "options_given" if event["players"] else "options_given_to_others"


_VARIANTS: dict[str, Callable[[PreviewedEvent], str]] = {
    "shoe_loaded": _shoe_loaded,
    "card_squeezed": _card_squeezed,
    "card_corrected": _card_corrected,
    "insurance_corrected": _insurance_corrected,
    "options_given": _options_given,
}
"""Events with more than one sentence."""

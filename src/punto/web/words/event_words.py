"""What follows from a command, in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, UnsetType, convert

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money, Odds
from punto.floor.journal.entry import without_version
from punto.table.procedure.ruling_mark import mark_ruling
from punto.table.records.chips import ChipPile, total_minor
from punto.table.records.events import Limit
from punto.table.records.identity import Place
from punto.table.records.kinds import Irregularity, Late
from punto.table.records.ledger import player_of
from punto.table.records.settings import box_label
from punto.web.words.translator import Translator, person_name

PreviewedEvent = Mapping[str, Any]
"""An event as a preview has it: see :func:`punto.table.preview.shown`."""
_MINOR = "_minor"
_LIMITS = {Limit.MINIMUM: "min", Limit.MAXIMUM: "max", Limit.DIFFERENTIAL: "differential", Limit.SHARE: "share"}


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
        if name == "payment_corrected":
            stake_minor = event.get("stake_minor") or 0
            values |= {
                "paid": on_sheet(event["paid_minor"] - stake_minor),
                "due": on_sheet(event["due_minor"] - stake_minor),
            }
        if name == "slip_requested":
            values["amount"] = Money(total_minor(convert(event["piles"], tuple[ChipPile, ...])))
        if name == "table_opened":
            values["boxes"] = event["settings"]["boxes"]
        if name == "cards_drawn_out_of_turn":
            values["count"] = len(event["cards"])
        said = phrase(f"event.{_VARIANTS[name](event) if name in _VARIANTS else name}", **values)
        yield mark_ruling(said, event["clauses"]) if _is_ruling(name, event) else said
        for each in event.get("differences", ()):
            amount, place = Money(abs(each["amount_minor"])), self.place(each["who"], each["box"])
            pays = each["amount_minor"] > 0
            yield phrase("event.pay" if pays else "event.collect", amount=amount, place=place, bet=each["bet"])
        for each in event.get("payouts", ()):
            amount, place = Money(each["amount_minor"]), self.place(each["who"], each["box"])
            yield phrase("event.payout", amount=amount, place=place, bet=each["bet"])
        for each in event.get("lines", ()):
            amount, place = Money(abs(each["amount_minor"])), self.place(each["who"], each["box"])
            paid = each["amount_minor"] > 0
            yield phrase("event.line_paid" if paid else "event.line_taken", amount=amount, place=place, bet=each["bet"])
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
        if field == "cards" and not isinstance(value, int):  # of cards that go back only the number is known
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


def _is_ruling(name: str, event: PreviewedEvent) -> bool:
    return name == "ruled" or (name == "round_voided" and event["ground"] == Irregularity.RULING)


def _cards_drawn(event: PreviewedEvent) -> str:
    return f"cards_drawn_{use}" if (use := event.get("use")) else "cards_drawn_out_of_turn"


def _irregularity_reported(event: PreviewedEvent) -> str:
    return "later_error_reported" if event["kind"] == Irregularity.LATER_ERROR else "irregularity_reported"


def _late_bet_refused(event: PreviewedEvent) -> str:
    return "late_withdrawal_refused" if event["tried"] == Late.WITHDRAWN else "late_bet_refused"


def _shoe_loaded(event: PreviewedEvent) -> str:
    return "shoe_loaded_after_inspection" if event.get("inspected_by") else "shoe_loaded"


def _squeeze_granted(event: PreviewedEvent) -> str:
    return "squeeze_granted_standing" if event.get("standing") else "squeeze_granted"


def _squeeze_refused(event: PreviewedEvent) -> str:
    return "squeeze_refused_standing" if event.get("standing") else "squeeze_refused"


def _insurance_taken(event: PreviewedEvent) -> str:
    return "insurance_called" if event.get("called") else "insurance_taken"


def _card_squeezed(event: PreviewedEvent) -> str:
    return "card_laid_open" if event.get("laid_open") else "card_squeezed"


def _card_corrected(event: PreviewedEvent) -> str:
    return "card_not_drawn" if event["card"] is None else "card_corrected"


def _insurance_corrected(event: PreviewedEvent) -> str:
    if event["offered"] is None:
        return "insurance_corrected"
    return "offer_corrected" if event["offered"] else "offer_not_made"


def _insurance_offered(event: PreviewedEvent) -> str:
    return "insurance_offered_late_to" if event.get("players") else "insurance_offered"


def _insurance_missed(event: PreviewedEvent) -> str:
    name = "insurance_cut_short" if event.get("cut_short") else "insurance_missed"
    return f"{name}_for" if event.get("players") else name


def _insurance_flagged(event: PreviewedEvent) -> str:
    return f"insurance_flagged_{event['why']}"


def _limit_flagged(event: PreviewedEvent) -> str:
    return "limit_flagged_below" if event["limit"] == Limit.MINIMUM else "limit_flagged"


def _insurance_closed(event: PreviewedEvent) -> str:
    return "insurance_ended_early" if event.get("cut_short") else "insurance_closed"


def _options_given(event: PreviewedEvent) -> str:
    if event.get("by_hand"):
        return "options_given_by_hand"
    return "options_given" if event["players"] else "options_given_to_others"


def _options_closed(event: PreviewedEvent) -> str:
    if event.get("established"):
        return "options_closed_established"
    return "options_closed" if event.get("took_back") is None else "options_closed_counted"


def _payments_marked(event: PreviewedEvent) -> str:
    return "payments_marked_back" if event.get("taken_back") else "payments_marked"


def on_sheet(moved_minor: int) -> Phrase:
    """What the settlement sheet says of a bet: what is paid beside the stake, or taken."""
    if not moved_minor:
        return phrase("sheet.untouched")
    return phrase("sheet.paid" if moved_minor > 0 else "sheet.taken", amount=Money(abs(moved_minor)))


def _player_identified(event: PreviewedEvent) -> str:
    return "place_made_free" if event.get("left") else "player_identified"


def _betting_opened(event: PreviewedEvent) -> str:
    return "betting_opened" if event.get("left") is None else "betting_opened_short"


def _round_cancelled(event: PreviewedEvent) -> str:
    return "round_cancelled" if event.get("restores") is None else "round_given_back"


_VARIANTS: dict[str, Callable[[PreviewedEvent], str]] = {
    "betting_opened": _betting_opened,
    "shoe_loaded": _shoe_loaded,
    "squeeze_granted": _squeeze_granted,
    "squeeze_refused": _squeeze_refused,
    "insurance_taken": _insurance_taken,
    "card_squeezed": _card_squeezed,
    "card_corrected": _card_corrected,
    "insurance_corrected": _insurance_corrected,
    "insurance_offered": _insurance_offered,
    "insurance_missed": _insurance_missed,
    "insurance_closed": _insurance_closed,
    "insurance_flagged": _insurance_flagged,
    "limit_flagged": _limit_flagged,
    "options_given": _options_given,
    "cards_drawn_out_of_turn": _cards_drawn,
    "irregularity_reported": _irregularity_reported,
    "late_bet_refused": _late_bet_refused,
    "options_closed": _options_closed,
    "player_identified": _player_identified,
    "round_cancelled": _round_cancelled,
    "payments_marked": _payments_marked,
}
"""Events with more than one sentence."""

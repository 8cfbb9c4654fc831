"""How the books are read at this floor: our readings, and the values that the house has adopted."""

import asyncio
from collections.abc import Mapping

from punto.catalogue.sentence import Language
from punto.floor.running.adopted_readings import Adoption, adopt_reading, lost_adoptions, read_adoptions
from punto.library import book, book_ids, readings
from punto.rules.interpretations import Reading, SettingValue
from punto.rules.refusals import Clause
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class ReadingView(Message, frozen=True):
    """One reading, in the language of the request. The fields from `setting` on are null if nobody can change it."""

    id: str
    subject: str
    title: str
    text: str
    clauses: dict[str, tuple[Clause, ...]]
    """By book."""
    alternative: str | None
    effect: str | None
    """What the alternative changes for players or the house."""
    setting: str | None = None
    """The table setting by which a house reads otherwise."""
    ours: SettingValue | None = None
    """Our value of the setting."""
    values: tuple[SettingValue, ...] | None = None
    """All values it takes; null for a whole number from ``least`` to ``most``."""
    least: int | None = None
    most: int | None = None
    not_by_the_book: tuple[SettingValue, ...] = ()
    """Values that leave the text of the books."""
    in_force: SettingValue | None = None
    """The value that a table gets if ``open_table`` leaves the setting out."""
    since_us: int | None = None
    """When the house adopted it; null if it never did, and our value is in force."""
    by: str | None = None
    position: str | None = None
    reason: str | None = None
    """``by``, ``position`` and ``reason`` (who adopted it and why) are only sent to staff and auditors."""


class LostAdoption(Message, frozen=True):
    """A value that the house adopted for a reading that only an earlier release had. No table gets it."""

    reading: str
    setting: str
    value: SettingValue
    since_us: int


class ReadingList(Message, frozen=True):
    """All readings, by subject."""

    readings: tuple[ReadingView, ...]
    lost: tuple[LostAdoption, ...] = ()


class AdoptReadingRequest(RequestBody, frozen=True):
    """A value of the reading's setting, for tables that are opened from now on."""

    value: SettingValue
    reason: str


async def list_readings(call: HttpRequest) -> ReadingList:
    """All readings as the sender may see them."""
    adoptions = await read_adoptions(call.service.floor.database)
    return await asyncio.to_thread(_list, adoptions, call.language, sees_all=call.sees_all)


async def adopt(call: HttpRequest) -> ReadingView:
    floor, reading_id = call.service.floor, call.path["reading"]
    await adopt_reading(floor.house_log, call.by, reading_id, call.body.value, call.body.reason)
    return next(view for view in (await list_readings(call)).readings if view.id == reading_id)


def _list(adoptions: Mapping[str, Adoption], language: Language, *, sees_all: bool) -> ReadingList:
    """Reads the books from disk on the first call."""
    views = tuple(_view(each, adoptions.get(each.id), language, sees_all=sees_all) for each in readings())
    lost = tuple(
        LostAdoption(reading=each, setting=adoption.setting, value=adoption.value, since_us=adoption.at_us)
        for each, adoption in lost_adoptions(adoptions).items()
    )
    return ReadingList(readings=views, lost=lost)


def _view(reading: Reading, adoption: Adoption | None, language: Language, *, sees_all: bool) -> ReadingView:
    books, setting = [book(each) for each in book_ids()], reading.setting
    in_force = adoption.value if adoption else setting.ours if setting else None
    shown = adoption if sees_all else None
    return ReadingView(
        id=reading.id,
        subject=reading.subject,
        title=reading.title_in(language),
        text=reading.text_in(language),
        clauses={rules.id: cited for rules in books if (cited := reading.clauses(rules))},
        alternative=reading.alternative_in(language),
        effect=reading.effect_in(language),
        setting=setting.name if setting else None,
        ours=setting.ours if setting else None,
        values=setting.values if setting and setting.values else None,
        least=setting.least if setting and not setting.values else None,
        most=setting.most if setting and not setting.values else None,
        not_by_the_book=setting.not_by_the_book if setting else (),
        in_force=in_force,
        since_us=adoption.at_us if adoption else None,
        by=shown.by if shown else None,
        position=shown.position if shown else None,
        reason=shown.reason if shown else None,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/readings",
        list_readings,
        "List the readings",
        ReadingList,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
        tag="books",
    ),
    Endpoint(
        "POST", "/api/readings/{reading}", adopt, "Adopt a reading", ReadingView, AdoptReadingRequest, tag="books"
    ),
)

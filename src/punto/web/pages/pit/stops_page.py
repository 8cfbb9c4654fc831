"""What is stopped, and the forms to stop and release it."""

import asyncio
from collections.abc import Mapping
from datetime import datetime

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.house.projections.proposals import Proposal
from punto.floor.house.projections.stops import Stop
from punto.floor.journal.actor import Actor
from punto.floor.people import floor_facts
from punto.floor.people.approvals.four_eyes import find_four_eyes
from punto.floor.people.stops import MAY_STOP
from punto.library import book_ids
from punto.table.decision import MAX_REASON_LENGTH
from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import MAY_SEE_PIT, PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import Context, compile_templates, page, render, rendered
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.pit.endpoint import require_pit
from punto.web.words.stop_words import stop_subject, stop_words

STOPS_PATH = "/pit/stops"
_LOOK_S = 0.25
"""How soon the page says what is stopped; a proposal to release it is seen after ``REFRESH_S``."""


class StopLine(Struct, frozen=True):
    number: int
    words: str
    subject: str
    reason: str
    by: str
    at: datetime
    released_by: str
    released: datetime
    released_because: str
    proposed: str
    """Who wants to release it and why, if that waits for approval."""


class InForcePiece(Context, frozen=True, kw_only=True):
    template = "stops/in_force.html"
    in_force: tuple[StopLine, ...]
    acts: bool
    by_two: bool
    """Whether somebody else has to approve a release."""
    most: int


class ReleasedPiece(Context, frozen=True, kw_only=True):
    template = "stops/released.html"
    over: tuple[StopLine, ...]


class StopsPage(PageContext, frozen=True, kw_only=True):
    template = "pit_stops.html"
    pieces: dict[str, Markup]
    games: tuple[tuple[str, str], ...]
    """Id and title of each, those of this floor's tables first."""
    acts: bool
    most: int
    live: str


class StopsScreen:
    def __init__(self, service: Service) -> None:
        self._service = service

    def changed(self) -> Changed:
        """Proposals are only seen in the database, so look again after a while; a stop is seen sooner."""
        before = self._service.floor.stops.all

        async def wait() -> None:
            for _ in range(int(floor_facts.REFRESH_S / _LOOK_S)):
                await asyncio.sleep(_LOOK_S)
                if self._service.floor.stops.all != before:
                    return

        return wait

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - the page has none
        if actor is None or actor.position not in MAY_SEE_PIT:
            return {}
        return await self.draw(actor, language)

    async def draw(self, by: Actor, language: Language) -> dict[str, str]:
        """The HTML of each piece, by the id of its element."""
        service, t = self._service, TRANSLATORS[language]
        day = await service.floor_view.gaming_day()
        in_force = await service.stops.list(by)
        latest = await service.stops.list(by, released=True)
        eyes = await service.floor.database.read(find_four_eyes)
        proposed = _proposed(await service.proposals.all_open() if by.position in MAY_AUDIT else (), t)
        await compile_templates(InForcePiece, ReleasedPiece)

        def line(stop: Stop) -> StopLine:
            return StopLine(
                number=stop.number,
                words=stop_words(stop, t),
                subject=stop_subject(stop, t),
                reason=stop.reason,
                by=stop.by,
                at=day.local(stop.at_us),
                released_by=stop.released_by,
                released=day.local(stop.released_us),
                released_because=stop.released_because,
                proposed=proposed.get(stop.number, ""),
            )

        forms = InForcePiece(
            in_force=tuple(map(line, in_force)),
            acts=by.position in MAY_STOP,
            by_two=eyes.needs_second,
            most=MAX_REASON_LENGTH,
        )
        released = ReleasedPiece(over=tuple(line(stop) for stop in latest if stop.released_us))
        return {"in-force": render(forms, language), "released": render(released, language)}


def _proposed(proposals: tuple[Proposal, ...], t: Translator) -> dict[int, str]:
    """The words for each stop whose release waits for approval."""
    found = [each for each in proposals if each.what == "release_gaming.1"]
    return {each.fields["stop"]: t("stops.proposed_by", by=each.by, reason=each.fields["reason"]) for each in found}


def endpoints(screen: StopsScreen) -> list[Endpoint]:
    async def stops(call: HttpRequest) -> Raw:
        require_pit(call.by)
        t, day = TRANSLATORS[call.language], await call.service.floor_view.gaming_day()
        here = {live.setup.book for live in call.service.floor.tables.values()}
        games = sorted(book_ids(), key=lambda book: (book not in here, book))
        pieces = await screen.draw(call.by, call.language)
        context = StopsPage(
            layout=layout_of(call, "stops", STOPS_PATH, day.zone),
            pieces={name: rendered(html) for name, html in pieces.items()},
            games=tuple((book, t(f"book.{book}")) for book in games),
            acts=call.by.position in MAY_STOP,
            most=MAX_REASON_LENGTH,
            live=f"/live{STOPS_PATH}?lang={call.language}",
        )
        return await page(context, call.language)

    return [Endpoint("GET", STOPS_PATH, stops, "What is stopped", query=PageQuery)]

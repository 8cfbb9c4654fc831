"""The register of real shoes: what is on record about each, and what can be done with it."""

from datetime import datetime

from msgspec import Struct

from punto.floor.shoes.shoe_register import MAX_DECKS, MAY_TAKE, ShoeLife, ShoeProblem, ShoeStep
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.web.api.pit.shoes import view_of
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

SHOES_PATH = "/pit/shoes"

_NEVER_IN_USE = frozenset({ShoeProblem.LOCKED, ShoeProblem.DESTROYED})


class ShownShoeStep(Struct, frozen=True):
    step: ShoeStep
    at: datetime
    by: str
    table: str
    problem: str
    note: str


class ShownShoe(Struct, frozen=True):
    name: str
    decks: int
    maker: str
    batch: str
    problem: ShoeProblem | None
    table: str | None
    """Where it is in use."""
    steps: tuple[ShownShoeStep, ...]
    can: tuple[ShoeStep, ...]
    """What the reader may record."""

    @property
    def unfit(self) -> bool:
        """In use, every shoe waits for its next inspection; a locked one should not be there at all."""
        return self.problem is not None and (not self.table or self.problem in _NEVER_IN_USE)


class ShoesPage(PageContext, frozen=True, kw_only=True):
    template = "pit_shoes.html"
    shoes: tuple[ShownShoe, ...]
    acts: bool
    most_decks: int


async def shoes(call: HttpRequest) -> Raw:
    day = await call.service.floor_view.gaming_day()
    lives = await call.service.shoe_register.list(call.by)

    def show(life: ShoeLife) -> ShownShoe:
        view = view_of(call, life)
        steps = tuple(
            ShownShoeStep(taken.step, day.local(taken.at_us), taken.by, taken.table, taken.problem, taken.note)
            for taken in life.steps
        )
        can = _can(life.problem, call.by.position)
        return ShownShoe(life.shoe, life.decks, life.maker, life.batch, life.problem, view.table, steps, can)

    context = ShoesPage(
        layout=layout_of(call, "shoes", SHOES_PATH, day.zone),
        shoes=tuple(map(show, lives)),
        acts=call.by.position in SUPERVISOR_UP,
        most_decks=MAX_DECKS,
    )
    return await page(context, call.language)


def _can(problem: ShoeProblem | None, position: Position) -> tuple[ShoeStep, ...]:
    if problem is ShoeProblem.DESTROYED:
        return ()
    left_out = ShoeStep.LOCKED if problem is ShoeProblem.LOCKED else ShoeStep.RELEASED
    return tuple(step for step, may in MAY_TAKE.items() if position in may and step is not left_out)


ENDPOINTS = (Endpoint("GET", SHOES_PATH, shoes, "The register of real shoes", query=PageQuery),)

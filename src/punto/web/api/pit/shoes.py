"""The register of real shoes."""

from punto.floor.shoes.shoe_register import ShoeLife, ShoeStep, StepTaken
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class ShoeRequest(RequestBody, frozen=True):
    """A shoe that was received."""

    shoe: str
    decks: int
    maker: str
    batch: str


class StepRequest(RequestBody, frozen=True):
    """What was done with a shoe: inspected, shuffled, locked, released or destroyed."""

    shoe: str
    step: ShoeStep
    note: str = ""
    """Required for the last three."""


class ShoesQuery(RequestBody, frozen=True):
    shoe: str = ""
    """Only this one; empty: all."""


class ShoeLifeView(Message, frozen=True):
    shoe: str
    decks: int
    maker: str
    batch: str
    problem: str | None
    """Why it is not fit for use; null if it is."""
    table: str | None
    """Where it is in use now."""
    steps: tuple[StepTaken, ...]
    """The oldest first."""


class ShoeLives(Message, frozen=True):
    """The last received first."""

    shoes: tuple[ShoeLifeView, ...]


async def list_shoes(call: HttpRequest) -> ShoeLives:
    register, wanted = call.service.shoe_register, call.query.shoe
    lives = [await register.find(call.by, wanted)] if wanted else await register.list(call.by)
    return ShoeLives(shoes=tuple(view_of(call, life) for life in lives))


async def receive(call: HttpRequest) -> ShoeLifeView:
    new = call.body
    return view_of(call, await call.service.shoe_register.receive(call.by, new.shoe, new.decks, new.maker, new.batch))


async def take_step(call: HttpRequest) -> ShoeLifeView:
    life = await call.service.shoe_register.take(call.by, call.body.shoe, call.body.step, call.body.note)
    return view_of(call, life)


def view_of(call: HttpRequest, life: ShoeLife) -> ShoeLifeView:
    tables = call.service.floor.tables.items()
    used_at = (name for name, live in tables if live.state.shoe is not None and live.state.shoe.id == life.shoe)
    return ShoeLifeView(
        shoe=life.shoe,
        decks=life.decks,
        maker=life.maker,
        batch=life.batch,
        problem=life.problem,
        table=next(used_at, None),
        steps=life.steps,
    )


ENDPOINTS = (
    Endpoint(
        "GET", "/api/shoes", list_shoes, "List the shoes in the register", ShoeLives, query=ShoesQuery, tag="shoes"
    ),
    Endpoint("POST", "/api/shoes", receive, "Enter a shoe", ShoeLifeView, ShoeRequest, status=201, tag="shoes"),
    Endpoint(
        "POST",
        "/api/shoes/steps",
        take_step,
        "Record what was done with a shoe",
        ShoeLifeView,
        StepRequest,
        status=201,
        tag="shoes",
    ),
)

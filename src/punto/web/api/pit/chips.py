"""The chips of the floor. The settlement sheet says which of them to hand over."""

from punto.floor.chips.floor_chips import read_chip_set
from punto.table.procedure.chip_set import Chip, ChipSet
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import RequestBody


class ChipSetRequest(RequestBody, frozen=True):
    """All chips of the floor, each value once."""

    chips: tuple[Chip, ...]


async def get(call: HttpRequest) -> ChipSet:
    return await read_chip_set(call.service.floor.database)


async def change(call: HttpRequest) -> ChipSet:
    chip_set = ChipSet(call.body.chips)
    await call.service.acts.change_chips_alone(call.by, chip_set)
    call.service.floor_view.refresh()
    return chip_set


ENDPOINTS = (
    Endpoint("GET", "/api/chips", get, "Get the chip set of the floor", ChipSet, tag="floor"),
    Endpoint("PUT", "/api/chips", change, "Change the chip set of the floor", ChipSet, ChipSetRequest, tag="floor"),
)

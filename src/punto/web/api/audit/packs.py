"""The incident pack of a round, as a file to take away."""

import hashlib
from urllib.parse import quote

from punto.floor.audit.packs.pack import make_pack
from punto.floor.audit.packs.pack_file import Pack, encode_pack
from punto.floor.database.base import Transaction
from punto.floor.journal.audit_events import PackMade
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.looks import LookKind
from punto.floor.turns import in_thread
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.web.api.rounds import permanent_name
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw, Redirect
from punto.web.views.round_names import read_round_name

MAY_MAKE_PACKS = SUPERVISOR_UP | {Position.AUDITOR}


async def pack(call: HttpRequest) -> Raw | Redirect:
    """Give out a pack. That it was made, with the hash of the file, goes on record first."""
    service, table = call.service, call.path["table"]
    floor = service.floor
    await floor.house_log.require(call.by, MAY_MAKE_PACKS, "make_pack", table)
    name = await permanent_name(call)
    if name != call.path["round"]:
        return Redirect(f"/api/tables/{quote(table, safe='')}/rounds/{name}/pack")
    place = read_round_name(name)
    assert place is not None and place[0] is not None  # noqa: PT018, S101 - a permanent name
    opening, number = place[0], place[1]
    stream, now_us = StreamName(table, opening), floor.clock.now_us()
    kept = await in_thread(service.head_copies.read_copies) if service.head_copies is not None else []

    def work(transaction: Transaction) -> tuple[int, bytes]:
        made = make_pack(transaction, stream, number, kept, now_us)
        return made.head.version, encode_pack(made)

    head, data = await floor.database.read(work, long=True)
    await service.looks.saw(call.by, LookKind.PACK, name, table=table)
    made = PackMade(table, opening, number, head, hashlib.sha256(data).hexdigest())
    await floor.house_log.write(call.by, made)
    return Raw(data, file=f"punto-{table}-{name}.pack.json")


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/tables/{table}/rounds/{round}/pack",
        pack,
        "Get the incident pack of a round, a file that can be checked without the journal",
        Pack,
        cost=EXPENSIVE,
        tag="audit",
    ),
)

"""Bridges that send another card for a draw than the one already read. They are stopped until the pit releases them.

Anybody with a bridge's token could otherwise find out a face-down card by sending every card.
"""

import msgspec
from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HOUSE, BridgeReleased, BridgeStopped, HouseEvent, read_house_event
from punto.floor.shoes.scan_store import ScanRead, is_kept, keep_read
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP, Position
from punto.table.refusals import TableCode

_MAY_LIST = DEALER_UP | {Position.AUDITOR}


class StoppedBridge(Struct, frozen=True):
    """``draw`` of ``shoe`` is the card that was sent as two different cards."""

    bridge: str
    shoe: str
    draw: int
    since_us: int


def require_not_stopped(transaction: Transaction, bridge: str) -> None:
    """``bridge`` is the key of a session; empty if the card comes from no session."""
    if transaction.rows("SELECT 1 FROM sessions WHERE token = ? AND stopped > 0", (bridge,)):
        raise FloorRefused(FloorCode.BRIDGE_STOPPED)


async def keep_or_stop(log: HouseLog, by: Actor, bridge: str, read: ScanRead) -> None:
    """Keep a read, unless it repeats the last one. Stop the bridge if it contradicts an earlier one.

    Refused if the bridge has been stopped in the meantime. Of many cards sent at once, only the first is answered.
    """
    differs, at_us = read.outcome == FloorCode.CARD_DIFFERS, log.clock.now_us()
    if not differs and await log.database.read(lambda transaction: is_kept(transaction, read)):
        return

    def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
        require_not_stopped(transaction, bridge)
        if not is_kept(transaction, read):
            keep_read(transaction, read, at_us)
        if not differs or not bridge:
            return None, []
        stream = read.stream
        return None, [BridgeStopped(by.name, bridge, stream.table, str(stream), read.shoe, read.scan.draw)]

    await log.change(by, change)


async def list_stopped(log: HouseLog, by: Actor, table: str) -> list[StoppedBridge]:
    """The bridges that are stopped at a table, in the order in which they were."""
    await log.require(by, _MAY_LIST, "list_bridges", table)
    rows = await log.database.read(lambda transaction: _stopped(transaction, table))
    return [StoppedBridge(event.bridge, event.shoe, event.draw, at_us) for event, at_us in rows]


async def release(log: HouseLog, by: Actor, table: str, bridge: str) -> None:
    """Let a stopped bridge go on. For people only: a machine could release itself."""
    await log.require(by, SUPERVISOR_UP, "release_bridge", table)
    if by.bounds is not None:
        await log.refuse(by, "release_bridge", FloorRefused(TableCode.NOT_AUTHORISED, variant="person"), table)

    def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
        stopped = [event for event, _ in _stopped(transaction, table) if event.bridge == bridge]
        if not stopped:
            raise FloorRefused(FloorCode.BRIDGE_NOT_STOPPED, bridge=bridge[:40], table=table)
        return None, [BridgeReleased(event.bridge, event.session, table) for event in stopped]

    await log.change(by, change)


def _stopped(transaction: Transaction, table: str) -> list[tuple[BridgeStopped, int]]:
    """What stopped each bridge at a table, and when."""
    rows = transaction.rows(
        "SELECT e.event, e.at_us FROM sessions AS b JOIN streams AS s ON s.name = ?"
        " JOIN entries AS e ON e.stream = s.id AND e.version = b.stopped WHERE b.stopped > 0 ORDER BY b.stopped",
        (HOUSE,),
    )
    events = [(_read(text), at_us) for text, at_us in rows]
    return [(event, at_us) for event, at_us in events if event is not None and event.table == table]


def _read(text: str) -> BridgeStopped | None:
    """None for an entry that stopped no bridge: the audit reports it."""
    try:
        event = read_house_event(text)
    except msgspec.MsgspecError:
        return None
    return event if isinstance(event, BridgeStopped) else None

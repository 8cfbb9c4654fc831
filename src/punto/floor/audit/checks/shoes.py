"""Compares the sealed shoes with the house's stream and with the tables where they were used."""

from collections.abc import Iterator, Mapping

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord, Sealed
from punto.floor.audit.rejudge import Loaded, Retrial
from punto.floor.audit.stored import DatabaseRows
from punto.floor.journal.house_events import seal_id
from punto.floor.secret_key import SecretKey
from punto.floor.shoes.card_lookup import in_play
from punto.floor.shoes.machine_orders import block_of
from punto.floor.shoes.sealed import StoredShoe
from punto.rules.coup.cards import Card


class ShoeOrders:
    """The orders of sealed shoes and machines, as far as they can be read."""

    def __init__(self, record: HouseRecord, stored: DatabaseRows, key: SecretKey | None) -> None:
        self._record, self._stored, self._key = record, stored, key
        self._orders: dict[str, tuple[Card, ...] | None] = {}

    def find(self, shoe: str) -> tuple[Card, ...] | None:
        """As revealed, or as sealed while it is in play; None if it was not sealed.

        Empty if it cannot be read, is missing or is not as it was sealed: then its cards have nothing to compare with.
        """
        if shoe not in self._orders:
            self._orders[shoe] = self._read(shoe)
        return self._orders[shoe]

    def _read(self, shoe: str) -> tuple[Card, ...] | None:
        sealed, row = self._record.shoes.get(shoe), self._stored.shoes.get(shoe)
        if sealed is None or sealed.event.orders:
            return None
        if sealed.order is not None:
            return sealed.order
        return () if row is None else row.order(sealed.event, self._key) or ()

    @property
    def unchecked(self) -> int:
        """How many shoes were not revealed and cannot be read without their key."""
        shoes = self._record.shoes
        rows = {shoe: self._stored.shoes.get(shoe) for shoe, sealed in shoes.items() if self._is_hidden(sealed)}
        return sum(row is not None and self._is_closed(shoes[shoe], row) for shoe, row in rows.items())

    @staticmethod
    def _is_hidden(sealed: Sealed) -> bool:
        return sealed.order is None and not sealed.event.orders

    def differs(self, sealed: Sealed, row: StoredShoe) -> bool:
        """Whether the stored shoe does not match the commitment."""
        if row.kind != sealed.event.kind:
            return True
        return not self._is_closed(sealed, row) and not row.is_as_sealed(sealed.event, self._key)

    def of_machine(self, shoe: str, order: int) -> str | None:
        """The cards of one order of a machine, as stored; None if they cannot be read."""
        name = seal_id(shoe, block_of(order))
        sealed, row = self._record.shoes.get(name), self._stored.shoes.get(name)
        block = row.block(sealed.event, self._key) if sealed is not None and row is not None else None
        return None if block is None else block.order(order).cards

    def _is_closed(self, sealed: Sealed, row: StoredShoe) -> bool:
        """Whether the key is not at hand. A floor that was restored may have another one since."""
        if row.sealed is None or (self._key is not None and not sealed.known_from):
            return False
        return row.opened(self._key) is None


def check_sealed(
    record: HouseRecord, stored: DatabaseRows, retrials: Mapping[str, Retrial], orders: ShoeOrders
) -> Iterator[tuple[int, FaultCode, str]]:
    """Version in the house's stream, code and words of each fault. ``retrials`` are those without a fault."""
    playing = {shoe for retrial in retrials.values() for shoe in in_play(retrial.state)}
    for shoe, sealed in record.shoes.items():
        retrial, row = retrials.get(sealed.event.stream), stored.shoes.get(shoe)
        if retrial is None:
            continue
        order_faults = [*_order_faults(sealed, row, orders)]  # an order that was altered cannot be revealed
        whole_shoe = not sealed.event.orders and not order_faults
        for code, words in (
            *_use_faults(sealed, retrial.loaded.get(shoe)),
            *order_faults,
            *(_end_faults(sealed, playing=shoe in playing) if whole_shoe else ()),
        ):
            yield sealed.version, code, f"the shoe {shoe!r}: {words}"


def _use_faults(sealed: Sealed, loaded: Loaded | None) -> Iterator[tuple[FaultCode, str]]:
    if loaded is None or loaded.version != sealed.event.version:
        yield FaultCode.SHOE_LOST, "it was never loaded at its table"
        return
    if 0 < loaded.first_card < sealed.key:
        yield FaultCode.SHOE_NOT_SEALED, "a card of it was shown before its commitment"
    if 0 < sealed.known_from < loaded.last_card:
        words = "a card of it was shown after the floor was restored, when somebody may have known its order"
        yield FaultCode.SHOE_NOT_ENDED, words


def _order_faults(sealed: Sealed, row: StoredShoe | None, orders: ShoeOrders) -> Iterator[tuple[FaultCode, str]]:
    if row is None:
        yield FaultCode.SHOE_LOST, "its sealed order is missing"
    elif orders.differs(sealed, row):
        yield FaultCode.COMMITMENT_DIFFERS, "its sealed order does not match its commitment"


def _end_faults(sealed: Sealed, *, playing: bool) -> Iterator[tuple[FaultCode, str]]:
    if playing and sealed.order is not None:
        yield FaultCode.SHOE_REVEALED_EARLY, "it was revealed while still in play"
    if not playing and sealed.order is None and not sealed.unreadable:
        yield FaultCode.SHOE_NOT_REVEALED, "it is no longer in play but was not revealed"

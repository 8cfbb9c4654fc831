"""Two people count a tray, and neither sees what the other counted or what should lie there.

The first count is kept, encrypted, and shown to nobody; the house's stream has a commitment to it. If the second is the
same, it stands, signed by both. If not, both are void, and the house's stream has what each counted.
"""

from collections.abc import Iterable, Sequence
from itertools import starmap

from msgspec import Struct, to_builtins

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused, id_taken
from punto.floor.house.projections.accounts import find_account
from punto.floor.house.projections.counts import FirstCount, find_count
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, command_record
from punto.floor.journal.command_ids import COUNT_ID
from punto.floor.journal.entry import Entry, EntryContext, context_of, tag
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import CountsAgreed, CountsDiffered
from punto.floor.journal.stream_name import StreamName
from punto.floor.names.names import fold
from punto.floor.people.acting import Acting
from punto.floor.people.approvals.four_eyes import find_four_eyes
from punto.floor.people.approvals.proposals import Proposals, require_proposal_id
from punto.floor.people.approvals.signers import require_acts, require_signs, signers
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.chips import ChipPile, CountPurpose, CountTray, total_minor
from punto.table.records.ledger import tray_minor
from punto.table.records.positions import DEALER_UP, STAFF, SUPERVISOR_UP, Position

COUNT_READERS = frozenset({*STAFF, Position.AUDITOR})


class CountTaken(Struct, frozen=True):
    """The answer to a count: it waits for the second one, or stands, or the table refuses it."""

    waiting: FirstCount | None = None
    answer: Answer = Answer()


class BlindCounts:
    def __init__(self, floor: Floor, acting: Acting, proposals: Proposals) -> None:
        self._floor, self._acting, self._proposals = floor, acting, proposals
        self._log, self._database = floor.house_log, floor.database

    async def waiting(self, by: Actor, table: str) -> FirstCount | None:
        """The first count of a table's tray, if one waits. What was counted is for nobody: say who counted."""
        await self._log.require(by, COUNT_READERS, "read_counts", table)
        return await self._find(table)

    async def count(
        self, by: Actor, table: str, count_id: str, purpose: CountPurpose, piles: Sequence[ChipPile]
    ) -> CountTaken:
        """Count a tray. With the same id, and by the same person, the answer is the same."""
        await self._proposals.require_person(by, DEALER_UP, "count_tray", table)
        require_proposal_id(count_id)
        if (earlier := await self._floor.answer_to(COUNT_ID + count_id)) is not None:
            if not _is_of(earlier.entries[0], table, by.name):
                raise id_taken(count_id)
            return CountTaken(answer=earlier)
        ordered = tuple(sorted(piles, key=lambda pile: -pile.value_minor))
        body = {"command": tag(CountTray), "purpose": purpose.value, "piles": to_builtins(ordered)}
        await self._acting.check(by, table, body)
        live = await self._floor.find_table(table)
        refusal = decide(live.rules, live.state, CountTray(by.name, Position.PIT_SUPERVISOR, purpose, ordered))
        if isinstance(refusal, Refusal):
            return CountTaken(answer=Answer(refusal=refusal))
        first = await self._find(table)
        if first is not None and not first.is_by(by.name):
            return await self._compare(by, first, count_id, purpose, ordered)
        eyes = await self._database.read(find_four_eyes)
        if by.position in SUPERVISOR_UP and not eyes.needs_second:
            return CountTaken(answer=await self._acting.submit(by, table, count_id, body))  # marked as done alone
        return CountTaken(await self._keep(by, table, count_id, purpose, ordered))

    async def _find(self, table: str) -> FirstCount | None:
        live = await self._floor.find_table(table)
        name, stream = live.setup.name, str(live.stream)

        def work(transaction: Transaction) -> FirstCount | None:
            found = find_count(transaction, self._floor.key, name, stream)
            signs = found is not None and signers(transaction)(found.by, found.at_us, name, DEALER_UP)
            return found if signs else None

        return await self._database.read(work)

    def _waits(self, transaction: Transaction, first: FirstCount) -> bool:
        """Whether nobody else was faster."""
        return find_count(transaction, self._floor.key, first.table, first.stream) == first

    async def _keep(
        self, by: Actor, table: str, count_id: str, purpose: CountPurpose, piles: tuple[ChipPile, ...]
    ) -> FirstCount:
        live = await self._floor.find_table(table)
        now_us, tray = self._floor.clock.now_us(), tray_minor(live.state.balances)
        count = FirstCount(live.setup.name, str(live.stream), count_id, by.name, now_us, purpose, piles, tray)

        await self._log.write(by, count.made(self._floor.key))
        return count

    async def _compare(
        self, by: Actor, first: FirstCount, count_id: str, purpose: CountPurpose, piles: tuple[ChipPile, ...]
    ) -> CountTaken:
        giver, other = await self._giver(by, first)  # before anybody learns whether the counts are the same
        live = await self._floor.find_table(first.table)
        if tray_minor(live.state.balances) != first.tray_minor:
            await self._keep(by, first.table, count_id, purpose, piles)
            raise FloorRefused(FloorCode.COUNTS_DIFFER, variant="moved")
        if (purpose, piles) != (first.purpose, first.piles):
            await self._differ(by, first, piles)
            if purpose is not first.purpose:
                raise FloorRefused(FloorCode.COUNTS_DIFFER, variant="purpose", purpose=first.purpose)
            differing = differing_piles(first.piles, piles)
            raise FloorRefused(FloorCode.COUNTS_DIFFER, piles=tuple(starmap(_differing_words, differing)))
        context = EntryContext(proposed_by=other, approved_by=giver.name)
        body = {"command": tag(CountTray), "purpose": purpose.value, "piles": to_builtins(piles)}

        agreed = CountsAgreed(first.table, first.id, first.nonce, command_id := COUNT_ID + count_id, first.tray_minor)
        record = command_record(by, self._floor.clock)

        def end(transaction: Transaction) -> None:
            require_signs(transaction, first.by, first.at_us, first.table, DEALER_UP)
            for each in (by, giver):
                require_acts(transaction, each, first.table, self._floor.clock.now_us())
            streams.lock_house(transaction)  # so that it waits until the commit
            if not self._waits(transaction, first):
                raise FloorRefused(FloorCode.COUNTS_DIFFER, variant="moved")
            append_house(transaction, record, agreed)

        answer = await self._acting.submit(giver, first.table, command_id, body, context, end)
        return CountTaken(answer=answer)

    async def _giver(self, by: Actor, first: FirstCount) -> tuple[Actor, str]:
        """Who gives the command, a pit supervisor or above, and the other one."""
        if by.position in SUPERVISOR_UP:
            return by, first.by
        account = await self._database.read(lambda transaction: find_account(transaction, first.by))
        if account is None or account.position is None or account.position not in SUPERVISOR_UP:
            raise FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="count", table=first.table)
        return Actor(account.name, account.position), by.name

    async def _differ(self, by: Actor, first: FirstCount, piles: tuple[ChipPile, ...]) -> None:
        totals = (total_minor(first.piles), total_minor(piles))

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            waits = self._waits(transaction, first)
            differed = CountsDiffered(
                first.table,
                first.purpose,
                first.by,
                *totals,
                differing_piles(first.piles, piles),
                first.id,
                first.nonce,
                first.piles,
                first.tray_minor,
            )
            return None, [differed] if waits else []

        await self._log.change(by, change)


def differing_piles(first: Iterable[ChipPile], second: Iterable[ChipPile]) -> tuple[tuple[int, int, int], ...]:
    """The value of each denomination that was not counted alike, highest first, with both counts."""
    counts = [{pile.value_minor: pile.count for pile in piles} for piles in (first, second)]
    values = sorted(counts[0].keys() | counts[1].keys(), reverse=True)
    both = ((value, *(each.get(value, 0) for each in counts)) for value in values)
    return tuple((value, one, other) for value, one, other in both if one != other)


def _differing_words(value_minor: int, first: int, second: int) -> Phrase:
    return phrase("tray.differing", value=Money(value_minor), first=first, second=second)


def _is_of(entry: Entry, table: str, name: str) -> bool:
    """Whether a count is of this table and this person is one of the two."""
    signed = (entry.actor, context_of(entry).proposed_by)
    return StreamName.parse(entry.stream).table == table and fold(name) in map(fold, signed)

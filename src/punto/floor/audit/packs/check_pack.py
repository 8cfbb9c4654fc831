"""``punto verify --pack``: checks an incident pack without a database.

What it cannot show: that the settings in the pack are those of the table, and, of entries that releases before 0.11.0
wrote, that one which the pack gives by its hash alone had nothing to do with the round. Both need the journal.
"""

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

import punto
from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.packs.pack import MAY_BE_HIDDEN, WITH_ALL_BALANCES
from punto.floor.audit.packs.pack_file import (
    Pack,
    approvals_of,
    clauses_of,
    decode_pack,
    is_part,
    is_sealed,
    postings_of,
    record_fields,
    rules_of,
)
from punto.floor.audit.packs.settled_again import SettledAgain
from punto.floor.errors import FloorRefused
from punto.floor.journal.entry import (
    NO_PREVIOUS_HASH,
    Entry,
    chained,
    context_of,
    digest,
    event_of,
    named_content,
    names_of,
    read_command,
    tag,
)
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.rounds import restored_by
from punto.library import book, book_ids
from punto.rules.rulebook import Rulebook
from punto.table.records.correction_events import RoundCancelled
from punto.table.records.events import BettingOpened, Event, TableOpened
from punto.table.revision import REVISION

_NAMED = re.compile(r"([a-z0-9_.]+) ([0-9]+) ([0-9]+) ([0-9a-f]{64})")
"""See :class:`Pack`."""
_NEVER_WHOLE = frozenset({*map(tag, WITH_ALL_BALANCES), tag(BettingOpened)})


class PackChecked(Struct):
    stream: str
    round: int
    release: str
    """Of Punto, that made the pack."""
    sha256: str
    """Of the file: what the house's record says about the packs it gave out."""
    entries: int
    hidden: int
    """Entries between the first and the last of the round that are there by their hashes alone."""
    end_shown: bool
    """Whether the next call for bets shows where the round ends, so that none of it can be missing at its end."""
    unproved: int
    """Those of them that an earlier release wrote: nothing shows that they are not of the round."""
    links: int
    settlements: int
    judged_again: int
    """Settlements worked out again; the others were decided by another revision or under a law this release lacks."""
    head: KeptHead | None
    """The last of the given heads that the chain leads to. What the pack itself says about its head is not repeated."""
    needs_journal: bool
    release_differs: bool
    """Whether the clauses are summed up in other words than this release's, or the record has fewer fields. Nothing
    shows that another release wrote them."""
    faults: list[Fault]

    @property
    def sound(self) -> bool:
        return not self.faults

    @property
    def proved(self) -> bool:
        """Whether it is sound and leads by hashes alone to a head that did not come from it, with nothing left out.

        Anybody can write a pack that leads to a head of its own, or one that needs the journal.
        """
        return self.sound and not self.needs_journal and self.head is not None and not self.unproved


def check_pack(data: bytes, kept: Sequence[KeptHeads] = (), name: str = "pack") -> PackChecked:
    """``kept`` are heads saved elsewhere: if there are any, one of them must prove the round."""
    return _Check(data, decode_pack(data, name)).run(kept)


class _Check:
    def __init__(self, data: bytes, pack: Pack) -> None:
        self._data, self._pack = data, pack
        self._faults: list[Fault] = []
        self._hashes: list[str] = [pack.previous]
        """Of the entry before the round and of all after it, as far as the chain goes."""
        self._whole = (*pack.entries, *([pack.next_call] if pack.next_call is not None else ()))
        self._release_differs = False
        self._own = {entry.version: entry for entry in pack.entries}
        self._named_from = min((entry.version for entry in self._whole if names_of(entry)), default=sys.maxsize)
        """The first entry whose kind and round can be proved: then those of all later ones can."""
        self._unnamed: list[int] = []
        """Versions of the entries that the pack gives by a hash alone."""

    def run(self, kept: Sequence[KeptHeads]) -> PackChecked:
        pack = self._pack
        if not is_sealed(self._data):
            self._add(None, FaultCode.PACK_ALTERED, "the file is not as it was written: its seal does not match")
        self._check_entries()
        self._check_chain()
        given = [head for heads in kept if (head := heads.streams.get(pack.stream)) is not None]
        if kept:
            self._check_heads(given)
        again = self._check_content()
        last = pack.entries[-1].version if pack.entries else pack.first - 1
        call = pack.next_call
        end_shown = call is not None and (not kept or any(head.version >= call.version for head in given))
        until = call.version if call is not None and end_shown else last + 1
        return PackChecked(
            stream=pack.stream,
            round=pack.round,
            release=pack.release,
            sha256=hashlib.sha256(self._data).hexdigest(),
            entries=len(pack.entries),
            hidden=until - pack.first - len(pack.entries),
            unproved=sum(pack.first <= version < until for version in self._unnamed),
            end_shown=end_shown,
            links=len(pack.links),
            settlements=again.settlements if again else 0,
            judged_again=again.judged if again else 0,
            head=max(self._reached(given), key=lambda head: head.version, default=None),
            needs_journal=pack.needs_journal,
            release_differs=self._release_differs,
            faults=self._faults,
        )

    def _add(self, version: int | None, code: FaultCode, message: str) -> None:
        self._faults.append(Fault(self._pack.stream, version, code, message))

    # ---- the chain

    def _check_entries(self) -> None:
        """Each can be an entry of this stream, and they are in order."""
        before = self._pack.first - 1
        for entry in self._whole:
            if entry.version <= before:
                self._add(entry.version, FaultCode.ENTRY_MOVED, "the entry does not come after the one before it")
            before = entry.version
            for code, words in self._entry_faults(entry):
                self._add(entry.version, code, words)

    def _entry_faults(self, entry: Entry) -> Iterator[tuple[FaultCode, str]]:
        pack, texts = self._pack, [text for text in msgspec.structs.astuple(entry) if isinstance(text, str)]
        if entry.stream != pack.stream:
            yield FaultCode.NOT_AN_ENTRY, "the entry is of another stream"
        if entry.law != pack.book.law:
            yield FaultCode.LAW_DIFFERS, "the entry names another law than the pack"
        if any("\n" in text for text in texts):  # otherwise two entries could have the same hash
            yield FaultCode.NOT_AN_ENTRY, "a field of the entry has more than one line"
        if (entry.part == 0) is (entry.command is None):
            yield FaultCode.NOT_AN_ENTRY, "the first event of a command must have the command, and the others must not"
        if bool(entry.context) is (entry.version <= pack.older):
            yield FaultCode.PACK_DIFFERS, "the pack says otherwise whether an older schema wrote the entry"
        if entry.version > self._named_from and names_of(entry) is None:
            yield FaultCode.NOT_AN_ENTRY, "the entry has no round, but one before it has"
        try:
            if context_of(entry).happened_at_us > entry.at_us:
                yield FaultCode.HAPPENED_LATER, "the entry says that it happened after it was entered"
        except FloorRefused:
            yield FaultCode.NOT_AN_ENTRY, "the context cannot be read"

    def _check_chain(self) -> None:
        pack = self._pack
        whole = {entry.version: entry for entry in self._whole}
        links = iter(pack.links)
        last = pack.first - 1 + len(whole) + len(pack.links)
        for version in range(pack.first, last + 1):
            before, entry = self._hashes[-1], whole.get(version)
            if entry is not None:
                if digest(before, entry) != entry.hash:
                    words = "the entry or one before it was altered: the hash does not match"
                    self._add(version, FaultCode.ENTRY_ALTERED, words)
                self._hashes.append(entry.hash)
                continue
            link = next(links, None)
            if link is None:
                self._add(version, FaultCode.ENTRY_MISSING, "the pack has neither the entry nor its hash")
                return
            if version <= pack.older:
                self._unnamed.append(version)
                self._hashes.append(link)
            else:
                self._hashes.append(chained(before, self._content_of(version, link)))
        if pack.needs_journal is not bool(pack.older) or 0 < pack.older < pack.first:
            self._add(None, FaultCode.PACK_DIFFERS, "the pack says otherwise whether it needs the journal")
        head = pack.head
        if last < head.version:
            words = f"the chain ends with entry {last}, before the head at entry {head.version}"
            self._add(last, FaultCode.TAIL_CUT, words)
        elif last > head.version or self._hashes[-1] != head.hash:
            self._add(head.version, FaultCode.HEAD_DIFFERS, "the chain does not lead to the head in the pack")

    def _content_of(self, version: int, link: str) -> str:
        """The content hash of an entry that is not whole. Refuses one that should be."""
        names = _NAMED.fullmatch(link)
        if names is None:
            self._unnamed.append(version)
            if version > self._named_from:
                words = "the pack gives an entry by its hash alone, without its kind and round"
                self._add(version, FaultCode.PACK_HIDES, words)
            return link
        self._named_from = min(self._named_from, version)
        kind, number, part = names[1], int(names[2]), int(names[3])
        if number == self._pack.round and version > self._pack.first and kind not in MAY_BE_HIDDEN:
            self._add(version, FaultCode.PACK_HIDES, f"the pack leaves out an entry of its own round: {kind}")
        elif kind not in _NEVER_WHOLE and self._is_of_shown_command(version, part):
            words = f"the pack leaves out a part of a command that it shows: {kind}"
            self._add(version, FaultCode.PACK_HIDES, words)
        return named_content(*names.groups())

    def _is_of_shown_command(self, version: int, part: int) -> bool:
        """The entries of a command follow one another, and their parts count from 0."""
        before, after = self._own.get(version - 1), self._own.get(version + 1)
        return (part > 0 and before is not None) or (after is not None and after.part == part + 1)

    def _reached(self, given: Sequence[KeptHead]) -> list[KeptHead]:
        """The heads that the chain leads to, at the end of the round or after it."""
        before, last = self._pack.first - 1, self._pack.first - 2 + len(self._hashes)
        ended = max((entry.version for entry in self._pack.entries), default=self._pack.first)
        reached = [head for head in given if ended <= head.version <= last]
        return [head for head in reached if self._hashes[head.version - before] == head.hash]

    def _check_heads(self, given: Sequence[KeptHead]) -> None:
        pack = self._pack
        before, last = pack.first - 1, pack.first - 2 + len(self._hashes)
        ended = max((entry.version for entry in pack.entries), default=pack.first)
        for head in given:
            if before <= head.version <= last and self._hashes[head.version - before] != head.hash:
                words = "the head saved outside the database belongs to a different entry"
                self._add(head.version, FaultCode.HEAD_NOT_IN_STREAM, words)
        if not any(ended <= head.version <= last for head in given):
            words = f"no given head is of an entry from {ended} to {last}, so none proves the round"
            self._add(None, FaultCode.NOT_COVERED, words)

    # ---- what the entries say

    def _check_content(self) -> SettledAgain | None:
        events = self._events()
        if events is None:
            return None  # what follows from an entry that cannot be read is not reported again
        pack = self._pack
        rules = self._rules()
        self._compare("postings", pack.postings, lambda: postings_of(pack.entries))
        self._compare("approvals", pack.approvals, lambda: approvals_of(pack.entries))
        self._check_clauses(rules)
        self._check_next_call()
        if not pack.round:
            if pack.record is not None:
                self._add(None, FaultCode.PACK_DIFFERS, "round 0 has no record")
            if (pack.first, pack.previous) != (1, NO_PREVIOUS_HASH):
                self._add(pack.first, FaultCode.PACK_DIFFERS, "round 0 does not start with the first entry")
            return None
        call = events[0] if events and pack.entries[0].version == pack.first else None
        if not isinstance(call, BettingOpened) or call.round != pack.round:
            self._add(pack.first, FaultCode.PACK_DIFFERS, "the pack does not start where its round does")
            return None
        again = SettledAgain(pack.entries[0], pack.conditions, rules, pack.settings)
        for entry, event in zip(pack.entries[1:], events[1:], strict=True):
            try:
                words = again.take(entry, event, judge=context_of(entry).revision == REVISION)
            except Exception as error:  # noqa: BLE001 - a forged event may raise anything
                self._add(entry.version, FaultCode.DOES_NOT_REPLAY, f"the event cannot follow: {error!r}")
                return again
            if words:
                self._add(entry.version, FaultCode.JUDGED_OTHERWISE, words)
        self._check_record(record_fields(again.fold.record))
        return again

    @property
    def _same_release(self) -> bool:
        return self._pack.release == punto.__version__

    def _check_clauses(self, rules: Rulebook | None) -> None:
        """Summaries are no part of the law: another release may say it in other words."""
        given, worked_out = self._pack.clauses, clauses_of(self._pack.entries, rules)
        cited = [each.clause for each in given] == [each.clause for each in worked_out]
        if not cited or (self._same_release and given != worked_out):
            self._add(None, FaultCode.PACK_DIFFERS, "the clauses are not what the entries give")
        self._release_differs |= given != worked_out

    def _check_next_call(self) -> None:
        call = self._pack.next_call
        if call is None:
            return
        try:
            event = event_of(call)
        except FloorRefused as refused:
            self._add(call.version, FaultCode.NOT_AN_ENTRY, refused.message)
            return
        cancelled = (own for own in map(event_of, self._pack.entries) if restored_by(own) == self._pack.round)
        last = max((own.round for own in cancelled if isinstance(own, RoundCancelled)), default=self._pack.round)
        if not isinstance(event, BettingOpened) or event.round != last + 1:
            self._add(call.version, FaultCode.PACK_DIFFERS, "the entry does not call for the bets of the next round")

    def _check_record(self, worked_out: dict[str, Any]) -> None:
        """Records gain fields: that of an earlier release may lack some, but none that it had from the start."""
        given = self._pack.record
        if given == worked_out:
            return
        if self._same_release or not _is_record(given) or not is_part(given, worked_out):
            self._add(None, FaultCode.PACK_DIFFERS, "the record is not what the entries give")
        self._release_differs = True

    def _rules(self) -> Rulebook | None:
        """The book, if this release has the law. The entries prove the law, and the law says which book it is."""
        named = self._pack.book
        rules = rules_of(named.id, named.law)
        others = () if rules else (book(each) for each in book_ids())
        differs = any(other.is_law(named.law) for other in others) or self._pack.conditions.book != named.id
        if differs or (rules is not None and named.title != rules.title):
            self._add(None, FaultCode.PACK_DIFFERS, "the pack does not name the book of its law")
        return rules

    def _events(self) -> list[Event] | None:
        """None if one cannot be read, or cannot be part of a round."""
        found: list[Event] = []
        for entry in self._pack.entries:
            try:
                event = event_of(entry)
                context_of(entry)
                command = read_command(entry.command) if entry.command is not None else None
            except FloorRefused as refused:
                unbalanced = refused.refusal.variant == "unbalanced"
                code = FaultCode.POSTINGS_UNBALANCED if unbalanced else FaultCode.NOT_AN_ENTRY
                self._add(entry.version, code, refused.message)
                return None
            except msgspec.MsgspecError as error:
                self._add(entry.version, FaultCode.NOT_AN_ENTRY, f"this is not a command of a table: {error}")
                return None
            if command is not None and (command.by, command.position) != (entry.actor, entry.position):
                self._add(
                    entry.version, FaultCode.DOES_NOT_REPLAY, "the command names a different actor than the entry"
                )
            if isinstance(event, TableOpened) or (isinstance(event, BettingOpened) and (found or not self._pack.round)):
                self._add(entry.version, FaultCode.PACK_DIFFERS, "the entry belongs to another round")
                return None
            found.append(event)
        return found

    def _compare(self, what: str, given: object, work_out: Callable[[], object]) -> None:
        if given != work_out():
            self._add(None, FaultCode.PACK_DIFFERS, f"the {what} are not what the entries give")


def _is_record(given: object) -> bool:
    try:
        msgspec.convert(given, RoundRecord)
    except msgspec.ValidationError:
        return False
    return True

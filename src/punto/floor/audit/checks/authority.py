"""Holds every entry against the house as it stood then: who acted, in which position, signed in, at which terminal.

It holds from the first start of a server on, which lets nobody act without an account; a program that embeds a floor
says itself who acts. Times of different streams are compared, and clocks of two processes may differ, so that what was
true within a minute counts.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.audit.hash_chain import Link
from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.house.positions import OFF, position_of
from punto.floor.house.projections.accounts import Holder
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import GamingReleased, GamingStopped, PlayedWhileStopped
from punto.floor.journal.command_ids import COUNT_ID, PROPOSAL_ID
from punto.floor.journal.entry import Entry
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.house_events import (
    AccountCreated,
    AccountRecorded,
    AuthorityRefused,
    DutyEnded,
    DutyStarted,
    FloorRestored,
    FloorRulesChanged,
    FloorStarted,
    LateAttempt,
    PasswordChanged,
    PinSet,
    PlayerRecorded,
    PlayerRegistered,
    PositionAssigned,
    ProposalApproved,
    ProposalMade,
    SessionRecorded,
    SessionsRevoked,
    SessionUnlocked,
    SignedIn,
    SignedOut,
    StreamOpened,
    TableCreated,
    TerminalEnrolled,
    TerminalRevoked,
    TokenIssued,
    TotpSetUp,
    VisitorEntered,
)
from punto.floor.journal.pit_events import USUAL_RULING_MINOR, FloorSettingsChanged, PlayerCodeRevoked, PlayerCodeUsed
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.names.names import CONSOLE, fold, house_player_name
from punto.floor.people.sessions.sessions import SESSION_S
from punto.table.records.chips import CountTray
from punto.table.records.commands import CloseTable, Command, OpenTable
from punto.table.records.events import BettingOpened, Event, MoneyEvent
from punto.table.records.findings import Ruled
from punto.table.records.identity import player_number
from punto.table.records.ledger import moved_minor
from punto.table.records.positions import STAFF, Position

SLACK_US = 60 * SECOND_US
MAX_BACK_US = DAY_US
"""How far a clock may be set back between two entries of a stream."""
MAX_FAULTS_A_STREAM = 20
_EVER = 2**62
_BY_TWO = (OpenTable, CloseTable, CountTray)
_OWN = (PinSet, TotpSetUp, SessionUnlocked)
_PEOPLE = frozenset({*STAFF, Position.AUDITOR, Position.ADMINISTRATOR})

Found = tuple[FaultCode, str]


class _Span(Struct):
    """When something was so. Times are those of the entries."""

    value: str
    from_us: int
    to_us: int = _EVER
    work: str = ""
    table: str = ""

    def at(self, at_us: int) -> bool:
        return self.from_us - SLACK_US <= at_us <= self.to_us + SLACK_US

    def throughout(self, at_us: int) -> bool:
        """Whether it was so for certain."""
        return self.from_us + SLACK_US < at_us < self.to_us - SLACK_US


class _Spans:
    """By what they are about, in the order in which they began."""

    def __init__(self) -> None:
        self._of: dict[str, list[_Span]] = {}

    def begin(self, of: str, span: _Span) -> None:
        self._of.setdefault(of, []).append(span)

    def end(self, of: str, at_us: int, value: str | None = None, but: str = "") -> None:
        for span in self._of.get(of, ()):
            if span.to_us > at_us and span.value != but and value in (None, span.value):
                span.to_us = at_us

    def end_all(self, at_us: int) -> None:
        for of in self._of:
            self.end(of, at_us)

    def at(self, of: str, at_us: int) -> list[_Span]:
        return [span for span in self._of.get(of, ()) if span.at(at_us)]

    def of(self, of: str) -> list[_Span]:
        return self._of.get(of, [])

    def __bool__(self) -> bool:
        return bool(self._of)


class _Proposal(Struct):
    table: str
    by: str
    approved_by: str = ""
    given: bool = False
    """Whether its command is in the table's stream."""
    version: int = 0
    """Of the house's entry that approved it."""


class Authority(Struct):
    """What the house's stream says about who could do what, and when."""

    since: int = 0
    """The house's entry from which on everybody who acts has an account; 0: there is none."""
    since_us: int = _EVER
    staffed_us: int = _EVER
    """When the first person got an account. Before that the console opens tables."""
    positions: _Spans = field(default_factory=_Spans)
    """By folded name."""
    holders: dict[str, str] = {}
    """By folded name, person or machine."""
    sessions: _Spans = field(default_factory=_Spans)
    """By folded name; the value is the key."""
    visits: _Spans = field(default_factory=_Spans)
    """As the sessions of staff: a visitor may have the name of an account."""
    duty: _Spans = field(default_factory=_Spans)
    """By folded name; the value is the table."""
    duty_since_us: int = _EVER
    terminals: _Spans = field(default_factory=_Spans)
    stops: list[_Span] = []
    """The value is the number, ``work`` the scope and ``table`` what is stopped."""
    played_on: set[tuple[str, int]] = set()
    """Stream and round where play went on although it was stopped, on record."""
    players: dict[str, int] = {}
    """When each was registered."""
    proposals: dict[str, _Proposal] = {}
    opened: dict[str, int] = {}
    books: dict[str, str] = {}
    """Of the tables."""
    rules: list[tuple[int, FloorRulesChanged]] = []
    ruling_minor: list[tuple[int, int]] = []
    faults: list[Fault] = []
    _last_us: int = 0

    # ---- the house's stream

    def see(self, link: Link, event: HouseEvent) -> None:
        """An entry of the house, in order."""
        entry = link.entry
        if self.since:
            found = [*self._of_time(self._last_us, entry), *self._of_act(link, event)]
            self._report(entry, found)
        self._last_us = entry.at_us
        self._note(entry, event)

    def _report(self, entry: Entry, found: Iterable[Found]) -> None:
        first = next(iter(found), None)
        if first and sum(fault.stream == entry.stream for fault in self.faults) < MAX_FAULTS_A_STREAM:
            self.faults.append(Fault(entry.stream, entry.version, *first))

    def _of_time(self, before_us: int, entry: Entry) -> Iterator[Found]:
        if entry.at_us < before_us - MAX_BACK_US:
            yield FaultCode.TIME_DIFFERS, "the entry has a time more than a day before the entry before it"

    def _of_act(self, link: Link, event: HouseEvent) -> Iterator[Found]:
        entry = link.entry
        if event.may is not None and entry.position not in event.may:
            yield FaultCode.NOT_ALLOWED, f"nobody in the position {entry.position!r} may do this"
        if isinstance(event, FloorStarted) and not event.by_account:
            yield FaultCode.NOT_ALLOWED, "a start that lets people act without an account"
        yield from self._of_people(event, entry)
        if not isinstance(event, AuthorityRefused | LateAttempt):  # they give nobody anything, and may be written later
            opens = isinstance(event, SignedIn | VisitorEntered | PlayerCodeUsed)
            yield from self._of_actor(link, "", opens=opens)
        if isinstance(event, ProposalApproved):
            made = self.proposals.get(event.proposal)
            if made is None or fold(made.by) == fold(entry.actor):
                yield FaultCode.APPROVAL_DIFFERS, f"{entry.actor!r} approved their own proposal"
        yield from self._of_two(link)

    def _of_people(self, event: HouseEvent, entry: Entry) -> Iterator[Found]:
        own = isinstance(event, _OWN) or (isinstance(event, PasswordChanged) and not event.one_time)
        if (own or (isinstance(event, SignedIn) and not event.relieves)) and (
            fold(str(getattr(event, "name", ""))) != fold(entry.actor)
        ):
            yield FaultCode.NOT_ALLOWED, "only they could do this themselves"
        if isinstance(event, PositionAssigned) and fold(event.name) == fold(entry.actor):
            yield FaultCode.NOT_ALLOWED, f"{entry.actor!r} assigned a position to themselves"
        if isinstance(event, SignedIn) and event.expires_us > entry.at_us + SESSION_S * SECOND_US + SLACK_US:
            yield FaultCode.SESSION_DIFFERS, "the session lasts longer than any"
        if isinstance(event, SignedIn) and not self._held(event.name, event.position, entry.at_us):
            yield FaultCode.POSITION_DIFFERS, f"{event.name!r} was not {event.position!r} then"
        by_house = isinstance(event, AccountCreated) and entry.actor == THE_HOUSE.name
        if by_house and Holder.PERSON in self.holders.values():
            yield FaultCode.NOT_ALLOWED, "the house creates an account where there is none"

    def _note(self, entry: Entry, event: HouseEvent) -> None:  # noqa: PLR0912, PLR0915 - a table
        at_us = entry.at_us
        match event:
            case FloorStarted():
                if event.by_account and not self.since:
                    self.since, self.since_us = entry.version, at_us
            case FloorRestored():
                for spans in (self.sessions, self.visits, self.terminals):
                    spans.end_all(at_us)
            case AccountCreated():
                self.holders[fold(event.name)] = event.kind
                if event.kind == Holder.PERSON:
                    self.staffed_us = min(self.staffed_us, at_us)
                self.positions.begin(fold(event.name), _Span(event.position, at_us))
            case AccountRecorded():
                self.holders[fold(event.name)] = event.kind
            case PositionAssigned():
                self.positions.end(fold(event.name), at_us)
                self.positions.begin(fold(event.name), _Span(event.position, at_us))
            case SignedIn() | SessionRecorded():
                self._open(event.name, event.session, _Span(event.session, at_us, event.expires_us))
            case TokenIssued():
                span = _Span(event.session, at_us, event.expires_us, event.work, event.table)
                self._open(event.name, event.session, span)
            case VisitorEntered():
                self.visits.begin(fold(event.name), _Span(event.session, at_us))
            case PlayerCodeUsed():
                self.visits.begin(fold(event.player), _Span(event.session, at_us, event.expires_us, "", event.table))
            case PlayerCodeRevoked():
                self.visits.end(fold(event.player), at_us)
            case SignedOut():
                for spans in (self.sessions, self.visits):
                    spans.end(fold(event.name), at_us, event.session)
            case SessionsRevoked():
                self.sessions.end(fold(event.name), at_us, but=event.but)
            case TerminalEnrolled():
                self.terminals.begin(event.terminal, _Span(event.terminal, at_us, table=event.table))
            case TerminalRevoked():
                self.terminals.end(event.terminal, at_us)
            case DutyStarted():
                self.duty_since_us = min(self.duty_since_us, at_us)
                self.duty.begin(fold(event.name), _Span(event.table, at_us))
            case DutyEnded():
                self.duty.end(fold(event.name), at_us, event.table)
            case GamingStopped():
                self.stops.append(_Span(str(event.number), at_us, _EVER, event.scope, event.of))
            case GamingReleased():
                for span in self.stops:
                    if span.value == str(event.number):
                        span.to_us = at_us
            case PlayedWhileStopped():
                self.played_on.add((event.stream, event.round))
            case PlayerRegistered() | PlayerRecorded():
                self.players.setdefault(event.player, at_us)
            case ProposalMade():
                self.proposals[event.proposal] = _Proposal(event.table, entry.actor)
            case ProposalApproved():
                if (made := self.proposals.get(event.proposal)) is not None:
                    made.approved_by, made.version = entry.actor, entry.version
            case StreamOpened():
                self.opened[event.stream] = at_us
            case TableCreated():
                self.books[event.table] = event.book
            case FloorRulesChanged():
                self.rules.append((at_us, event))
            case FloorSettingsChanged():
                self.ruling_minor.append((at_us, event.ruling_by_two_minor))
            case _:
                pass

    def _open(self, name: str, key: str, span: _Span) -> None:
        if key:
            self.sessions.begin(fold(name), span)

    # ---- a table's stream

    def of_command(self, group: list[Link], before_us: int, command: Command, events: list[Event]) -> None:
        """A command of a table, with the time of the entry before it."""
        link, entry = group[0], group[0].entry
        if max(entry.at_us, before_us, self.opened.get(entry.stream, 0)) < self.since_us + SLACK_US:
            return
        self._report(entry, self._of_command(link, before_us, command, events))

    def _of_command(self, link: Link, before_us: int, command: Command, events: list[Event]) -> Iterator[Found]:
        entry, context = link.entry, link.context
        name = StreamName.parse(entry.stream)
        yield from self._of_time(max(before_us, self.opened.get(entry.stream, 0) - SLACK_US), entry)
        yield from self._of_actor(link, name.table)
        if entry.position == Position.DEALER and not self._on_duty(entry, name.table):
            yield FaultCode.NOT_ON_DUTY, f"{entry.actor!r} was not on duty at {name.table!r}"
        yield from self._of_proposal(link, name.table)
        if not context.approved_by and not context.alone and self._needs_two(entry, name.table, command, events):
            yield FaultCode.NOT_BY_TWO, "one person did what takes two"
        yield from self._of_stops(context.happened_at_us or entry.at_us, entry, name.table, events)
        yield from self._of_players(entry, command)

    def _of_actor(self, link: Link, table: str, *, opens: bool = False) -> Iterator[Found]:
        """Who wrote an entry. ``opens``: it opens their session."""
        entry, terminal = link.entry, link.context.terminal
        if entry.position == Position.HOUSE:
            if entry.actor != THE_HOUSE.name:
                yield FaultCode.ACTOR_UNKNOWN, f"{entry.actor!r} is not the house"
            return
        spans = self.terminals.at(terminal, entry.at_us) if terminal else []
        if terminal and not any(not table or span.table in ("", table) for span in spans):
            yield FaultCode.TERMINAL_UNKNOWN, f"there was no terminal {terminal!r} there then"
        alone = entry.position == Position.ADMINISTRATOR or entry.at_us <= self.staffed_us + SLACK_US
        if entry.actor == CONSOLE and alone:
            return
        folded = fold(entry.actor)
        if entry.position == Position.PLAYER:
            spans = self.visits.at(folded, entry.at_us)
            opens |= house_player_name(entry.actor) is not None
            if not opens and not any(not span.table or table in ("", span.table) for span in spans):
                yield FaultCode.NO_SESSION, f"{entry.actor!r} had not entered, or not for this table"
            return
        if folded not in self.holders:
            yield FaultCode.ACTOR_UNKNOWN, f"nobody has an account with the name {entry.actor!r}"
        elif entry.position not in {*_PEOPLE, OFF} or not self._held(entry.actor, entry.position, entry.at_us):
            yield FaultCode.POSITION_DIFFERS, f"{entry.actor!r} was not {entry.position!r} then"
        elif not opens:
            yield from self._of_session(entry, folded, terminal, table)

    def _of_session(self, entry: Entry, folded: str, terminal: str, table: str) -> Iterator[Found]:
        spans = self.sessions.at(folded, entry.at_us)
        if self.holders[folded] == Holder.MACHINE:
            bounds = [TokenBounds(TokenWork(span.work), span.table) for span in spans]
            works = (TokenWork.CARDS, TokenWork.COMMANDS) if table else tuple(TokenWork)
            if not any(bound.allow(work, table or bound.table) for bound in bounds for work in works):
                yield FaultCode.TOKEN_EXCEEDED, f"{entry.actor!r} had no token for this"
        elif not spans and not terminal:  # at a terminal a PIN is enough
            yield FaultCode.NO_SESSION, f"{entry.actor!r} was not signed in then"

    def _held(self, name: str, position: str, at_us: int) -> bool:
        spans = self.positions.at(fold(name), at_us)
        return any((position_of(span.value) or OFF) == position for span in spans)

    def _on_duty(self, entry: Entry, table: str) -> bool:
        folded = fold(entry.actor)
        if self.holders.get(folded) == Holder.MACHINE or entry.at_us <= self.duty_since_us + SLACK_US:
            return True
        return any(span.value == table for span in self.duty.at(folded, entry.at_us))

    # ---- two people

    def _of_two(self, link: Link) -> Iterator[Found]:
        """Both are on record, and they are two."""
        entry, context = link.entry, link.context
        if not (context.approved_by or context.proposed_by):
            return
        if {fold(context.approved_by), fold(context.proposed_by)} - {fold(entry.actor), ""} == set():
            yield FaultCode.APPROVAL_DIFFERS, "the same person proposed and approved it"
        for name in {context.approved_by, context.proposed_by} - {"", entry.actor}:
            if self.holders.get(fold(name)) != Holder.PERSON:
                yield FaultCode.ACTOR_UNKNOWN, f"nobody has an account with the name {name!r}"

    def _of_proposal(self, link: Link, table: str) -> Iterator[Found]:
        """A command of a proposal, and its approval, name one another."""
        entry, context = link.entry, link.context
        yield from self._of_two(link)
        if not entry.command_id.startswith(PROPOSAL_ID) or entry.command_id.startswith(COUNT_ID):
            return  # counts are paired by :class:`~punto.floor.audit.checks.counts.CountRecord`
        made = self.proposals.get(entry.command_id.removeprefix(PROPOSAL_ID))
        if made is None or (made.table, made.by, made.approved_by) != (table, context.proposed_by, entry.actor):
            yield FaultCode.APPROVAL_DIFFERS, "the house's stream has no such proposal that was approved so"
        else:
            made.given = True

    def _needs_two(self, entry: Entry, table: str, command: Command, events: list[Event]) -> bool:
        if entry.position == Position.HOUSE or not self._four_eyes(entry.at_us, table):
            return False
        if isinstance(command, _BY_TWO):
            return True
        least_minor = self._ruling_minor(entry.at_us)
        if not least_minor or not any(isinstance(event, Ruled) for event in events):
            return False
        postings = (posting for event in events if isinstance(event, MoneyEvent) for posting in event.postings)
        return moved_minor(postings) >= least_minor

    def _four_eyes(self, at_us: int, table: str) -> bool:
        """Whether the floor wanted two people for certain, and had them."""
        near = [rules for since_us, rules in self.rules if since_us <= at_us + SLACK_US]
        last = near[-1] if near else None
        changing = any(abs(since_us - at_us) <= SLACK_US for since_us, _ in self.rules)
        if changing or (last is not None and (not last.four_eyes or table in last.tables)):
            return False
        if last is not None and self.books and self.books.keys() <= {*last.tables}:
            return False
        return bool(table)

    def _ruling_minor(self, at_us: int) -> int:
        near = [minor for since_us, minor in self.ruling_minor if since_us <= at_us + SLACK_US]
        return max(near[-2:]) if near else USUAL_RULING_MINOR

    # ---- stops, players

    def _of_stops(self, at_us: int, entry: Entry, table: str, events: list[Event]) -> Iterator[Found]:
        for event in events:
            if not isinstance(event, BettingOpened) or (entry.stream, event.round) in self.played_on:
                continue
            holding = {(StopScope.ALL, ""), (StopScope.GAME, self.books.get(table, ""))}
            if any(stop.throughout(at_us) and (stop.work, stop.table) in holding for stop in self.stops):
                words = f"round {event.round} was called although gaming was stopped, and that is not on record"
                yield FaultCode.PLAYED_STOPPED, words

    def _of_players(self, entry: Entry, command: Command) -> Iterator[Found]:
        who = getattr(command, "player_id", "") or getattr(command, "who", "")
        if isinstance(who, str) and player_number(who) is not None:
            registered_us = self.players.get(who)
            if registered_us is None or registered_us > entry.at_us + SLACK_US:
                yield FaultCode.PLAYER_UNKNOWN, f"the player {who!r} was not registered then"

    # ---- at the end

    def all_faults(self, *, whole: bool) -> Iterator[Fault]:
        """``whole``: all tables could be read."""
        yield from self.faults
        if not whole:
            return
        for name, made in self.proposals.items():
            if made.approved_by and made.table and not made.given and made.version > self.since > 0:
                words = f"the proposal {name!r} was approved, but its command is not in the table's stream"
                yield Fault("house", made.version, FaultCode.APPROVAL_DIFFERS, words)

"""Events of the house's own stream: streams opened and closed, shoes sealed and revealed, staff, readings, refusals.

A hash chain cannot show that its last entries were removed. So every opening and closing is recorded here with the
head of its stream, and one copy of this stream's head outside the database protects all of them.
"""

from typing import Any, get_args

import msgspec
from msgspec import field

from punto.floor.journal.audit_events import AnyAuditEvent
from punto.floor.journal.event_base import OFFICERS, ExceptionKind, RecordGroup
from punto.floor.journal.event_base import HouseEvent as HouseEvent  # noqa: PLC0414 - others take it from here
from punto.floor.journal.pit_events import AnyPitEvent
from punto.rules.refusals import Clause
from punto.table.records.positions import (
    ADMINISTRATOR_ONLY,
    DEALER_UP,
    EVERYDAY,
    HOUSE_ONLY,
    MANAGER_UP,
    SHIFT_MANAGER_UP,
    SUPERVISOR_UP,
    Position,
)

HOUSE = "house"
"""Name of the house's stream."""
DEFAULT_BOXES = 2
"""Boxes of one table that a visitor may take, unless the floor's rules say otherwise."""


class FloorStarted(HouseEvent, frozen=True, tag="floor_started.1"):
    """A process started to run the floor. What it did not record is empty, as in journals of earlier releases."""

    group = RecordGroup.PROGRAM
    may = HOUSE_ONLY
    looked_at = True
    exception = ExceptionKind.RESTART
    replaces = ""
    variants = (("by", lambda event: event.user != ""),)

    release: str
    build: str = ""
    """SHA-256 over the files of the program."""
    laws: dict[str, str] = field(default_factory=dict)
    """By book, the hash of its law."""
    packages: str = ""
    """SHA-256 over the packages that the program needs."""
    settings: str = ""
    """SHA-256 over the configuration: see :func:`punto.floor.running.program.configuration_digest`."""
    process: str = ""
    user: str = ""
    """The user of the operating system who started it."""
    host: str = ""
    public_key: str = ""
    """Of the key that everything is signed with from now on."""
    by_account: bool = False
    """Whether nobody acts without an account: from then on each entry is held against the accounts."""


class FloorRestored(HouseEvent, frozen=True, tag="floor_restored.1"):
    """The floor was restored from a backup. Entries before this one are from there; what came after it then is lost."""

    group = RecordGroup.PROGRAM
    may = OFFICERS
    looked_at = True
    exception = ExceptionKind.RESTART
    variants = (("alone", lambda event: event.alone != ""),)

    by: tuple[str, ...]
    """The two people who restored it; empty if one did alone."""
    alone: str = ""
    """The reason why one did alone."""
    heads: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Version and hash of the last entry, by stream: the latest of each table."""


class TableCreated(HouseEvent, frozen=True, tag="table_created.1"):
    """A table was added to the floor. ``shoes`` is the kind of shoes it uses."""

    group = RecordGroup.TABLES

    table: str
    book: str
    shoes: str = ""
    decks: int = 0
    setup: str = ""
    """SHA-256 of the stored setup."""


class StreamOpened(HouseEvent, frozen=True, tag="stream_opened.1"):
    """A table was opened. Its entries are in this stream."""

    group = RecordGroup.TABLES

    stream: str
    table: str
    law: str = ""
    """Hash of the law it was opened under; empty in journals of releases before 0.6.0."""


class StreamClosed(HouseEvent, frozen=True, tag="stream_closed.1"):
    """A table was closed. Its stream ends with this version and hash."""

    group = RecordGroup.TABLES

    stream: str
    version: int
    hash: str


class TableRecovered(HouseEvent, frozen=True, tag="table_recovered.1"):
    """A table was taken over, at this version, from a process that had stopped."""

    group = RecordGroup.PROGRAM
    may = HOUSE_ONLY
    looked_at = True
    exception = ExceptionKind.RESTART
    variants = (("void", lambda event: event.voided),)

    stream: str
    version: int
    round_open: bool
    hash: str = ""
    """Of the last entry then, so that every takeover pins what came before it; empty as above."""
    from_us: int = 0
    to_us: int = 0
    """When the table was without a process, in Unix time in microseconds. Of tables with real shoes; else 0."""
    round: int = 0
    """The round that was open; 0 if none was, and in journals of earlier releases."""
    shoes: str = ""
    """The kind of shoes that the table uses."""
    cards: int = 0
    """Cards of the round that were out."""
    voided: bool = False
    """The round was void by the takeover."""
    returned_minor: dict[str, int] = field(default_factory=dict)
    """By player, the stakes that went back because of that."""


def seal_id(shoe: str, block: int = 0) -> str:
    """The name under which a shoe is stored, or a block of orders of a machine. No name has a line break."""
    return f"{shoe}\n{block}" if block else shoe


class ShoeSealed(HouseEvent, frozen=True, tag="shoe_sealed.1"):
    """The order of a shoe is fixed. ``commitment`` is SHA-256 over nonce and order.

    Of a continuous machine, the next ``orders`` are fixed, one for each round; ``commitment`` is the root over them.
    """

    group = RecordGroup.SHOES
    secret = ("commitment",)

    shoe: str
    table: str
    decks: int
    kind: str
    commitment: str
    stream: str = ""
    version: int = 0
    """The entry that loaded it at the table, or called the round before the block, in the same transaction."""
    orders: int = 0
    """0 for a shoe."""
    block: int = 0
    """Of a machine, counted from 0."""

    @property
    def id(self) -> str:
        return seal_id(self.shoe, self.block)


class ShoeRevealed(HouseEvent, frozen=True, tag="shoe_revealed.1"):
    """A shoe is over. With nonce and order anybody can check the commitment and every card."""

    group = RecordGroup.SHOES
    secret = ("nonce",)

    shoe: str
    nonce: str
    cards: str


class ShoeNotAsSealed(HouseEvent, frozen=True, tag="shoe_not_as_sealed.1"):
    """The stored order of a shoe does not match its commitment. No card of it is dealt, and it is never revealed."""

    group = RecordGroup.SHOES
    looked_at = True
    exception = ExceptionKind.SHOE

    shoe: str
    table: str = ""
    """Empty if the house's stream has no commitment of this shoe at all."""


class ShoeUnreadable(HouseEvent, frozen=True, tag="shoe_unreadable.1"):
    """A shoe is over. Its order is never revealed: it is encrypted with a key that the floor had before a restore."""

    group = RecordGroup.SHOES
    looked_at = True
    exception = ExceptionKind.SHOE

    shoe: str
    table: str


class FloorMigrated(HouseEvent, frozen=True, tag="floor_migrated.1"):
    """The database got the next schema. After schema 6, what releases before it left unrecorded follows."""

    group = RecordGroup.PROGRAM
    may = HOUSE_ONLY
    exception = ExceptionKind.PROGRAM

    schema: int
    reserved: str = ""
    """For schema 6: player numbers that are never given, because names of earlier releases look like their ids."""


class AccountRecorded(HouseEvent, frozen=True, tag="account_recorded.1"):
    """An account that an earlier release created, as it was at the migration: see :class:`AccountCreated`."""

    group = RecordGroup.ACCOUNTS
    may = HOUSE_ONLY
    secret = ("password",)

    name: str
    kind: str
    password: str
    to_change: bool
    one_time_until_us: int = 0


class SessionRecorded(HouseEvent, frozen=True, tag="session_recorded.1"):
    """A session that an earlier release opened, as it was at the migration: see :class:`SignedIn`."""

    group = RecordGroup.SIGN_INS
    may = HOUSE_ONLY
    secret = ("session",)

    name: str
    kind: str
    session: str
    expires_us: int


class PlayerRecorded(HouseEvent, frozen=True, tag="player_recorded.1"):
    """A player whom an earlier release registered, as they were at the migration: see :class:`PlayerRegistered`."""

    group = RecordGroup.PLAYERS
    may = HOUSE_ONLY
    secret = ("commitment",)

    player: str
    commitment: str


class AccountCreated(HouseEvent, frozen=True, tag="account_created.1"):
    """A staff account was created."""

    group = RecordGroup.ACCOUNTS
    may = OFFICERS | HOUSE_ONLY
    secret = ("password",)

    name: str
    position: str
    kind: str = ""
    """A person or a machine; empty in journals of releases before 0.9.0."""
    password: str = ""
    """SHA-256 of the stored hash of the password, so that nobody can exchange it unseen. Empty for a machine."""
    one_time_until_us: int = 0
    """When the one-time password expires."""


class PositionAssigned(HouseEvent, frozen=True, tag="position_assigned.1"):
    """Somebody was given a position for this shift, or "off"."""

    group = RecordGroup.ACCOUNTS
    may = OFFICERS
    replaces = "name"

    name: str
    position: str


class PasswordChanged(HouseEvent, frozen=True, tag="password_changed.1"):
    group = RecordGroup.ACCOUNTS
    secret = ("password",)
    variants = (("one_time", lambda event: event.one_time),)

    name: str
    password: str = ""
    """SHA-256 of the stored hash; empty in journals of releases before 0.9.0."""
    one_time: bool = False
    """Somebody else set it. PIN and TOTP are gone."""
    one_time_until_us: int = 0


class SessionsRevoked(HouseEvent, frozen=True, tag="sessions_revoked.1"):
    """All sessions of somebody were ended."""

    group = RecordGroup.SIGN_INS
    secret = ("but",)

    name: str
    but: str = ""
    """The session that went on: SHA-256 of its token; empty if none did."""


class TokenIssued(HouseEvent, frozen=True, tag="token_issued.1"):
    """A machine was given a token to act in this position."""

    group = RecordGroup.ACCOUNTS
    may = OFFICERS
    secret = ("session",)

    name: str
    position: str
    work: str = ""
    """See :class:`punto.floor.journal.token_bounds.TokenWork`."""
    table: str = ""
    session: str = ""
    """SHA-256 of the token; empty in journals of releases before 0.9.0."""
    expires_us: int = 0


class SignedIn(HouseEvent, frozen=True, tag="signed_in.1"):
    """A member of staff signed in."""

    group = RecordGroup.SIGN_INS
    secret = ("session", "password")
    variants = (("relief", lambda event: event.relieves != ""),)

    name: str
    position: str
    session: str = ""
    """SHA-256 of the session's token; empty as above."""
    expires_us: int = 0
    password: str = ""
    """SHA-256 of the stored hash, if signing in renewed it."""
    relieves: str = ""
    """The dealer whose session at this terminal ended: theirs was opened there with a PIN. Empty: with a password."""


class AccountsConfirmed(HouseEvent, frozen=True, tag="accounts_confirmed.1"):
    """Two people confirmed what one had done alone about accounts and tokens."""

    group = RecordGroup.ACCOUNTS
    may = OFFICERS

    up_to: int
    """The version of the house's stream up to which they looked."""
    names: tuple[str, ...]
    """The accounts concerned; an empty name stands for the rules of the floor."""


class SignedOut(HouseEvent, frozen=True, tag="signed_out.1"):
    """A session ended; for a visitor, also by expiry."""

    group = RecordGroup.SIGN_INS
    secret = ("session",)

    name: str
    session: str = ""
    """SHA-256 of its token; empty as above."""


class TerminalEnrolled(HouseEvent, frozen=True, tag="terminal_enrolled.1"):
    """A browser became a terminal of a table, or of the pit if ``table`` is empty."""

    group = RecordGroup.ACCOUNTS
    may = MANAGER_UP
    secret = ("key", "session")
    variants = (("pit", lambda event: not event.table),)

    terminal: str
    table: str
    title: str
    key: str = ""
    """SHA-256 of the terminal's key."""
    session: str = ""
    """The session at this terminal, in which it was enrolled."""
    at_us: int = 0
    """0 in journals of releases before 0.11.0."""


class TerminalRevoked(HouseEvent, frozen=True, tag="terminal_revoked.1"):
    """A browser is no longer a terminal. Sessions that were opened there have ended."""

    group = RecordGroup.ACCOUNTS
    may = MANAGER_UP

    terminal: str
    at_us: int = 0
    """As above."""


class PinSet(HouseEvent, frozen=True, tag="pin_set.1"):
    """Somebody set their own PIN."""

    group = RecordGroup.ACCOUNTS
    secret = ("fingerprint",)

    name: str
    fingerprint: str = ""
    """SHA-256 of its stored hash."""


class PinLocked(HouseEvent, frozen=True, tag="pin_locked.1"):
    """A PIN was locked after too many wrong tries."""

    group = RecordGroup.SIGN_INS
    may = HOUSE_ONLY
    looked_at = True
    exception = ExceptionKind.LOCKED
    variants = (("everywhere", lambda event: not event.terminal),)

    name: str
    terminal: str
    """Empty: at all of them."""
    until_us: int


class SessionUnlocked(HouseEvent, frozen=True, tag="session_unlocked.1"):
    """Somebody went on with their idle session, after giving their PIN or their password."""

    group = RecordGroup.SIGN_INS
    variants = (("pin", lambda event: event.pin),)

    name: str
    pin: bool


class TotpSetUp(HouseEvent, frozen=True, tag="totp_set_up.1"):
    """From now on somebody needs a code of their own device to sign in."""

    group = RecordGroup.ACCOUNTS
    secret = ("fingerprint",)

    name: str
    fingerprint: str = ""
    """SHA-256 of the stored secret, which is encrypted."""


class VisitorEntered(HouseEvent, frozen=True, tag="visitor_entered.1"):
    group = RecordGroup.SIGN_INS
    may = frozenset({Position.PLAYER})
    secret = ("session",)

    name: str
    session: str = ""
    """SHA-256 of the visit's token; empty as above."""
    expires_us: int = 0


class PlayerRegistered(HouseEvent, frozen=True, tag="player_registered.1"):
    """A player was added to the register. Their name is only there, never in the journal."""

    group = RecordGroup.PLAYERS
    may = SUPERVISOR_UP | ADMINISTRATOR_ONLY
    secret = ("commitment",)

    player: str
    commitment: str = ""
    """SHA-256 over what the register holds and a nonce. The nonce is only there too, and erased with the name."""


class PlayerChanged(HouseEvent, frozen=True, tag="player_changed.1"):
    """``fields`` are the names of the fields that changed, without their content."""

    group = RecordGroup.PLAYERS
    may = SUPERVISOR_UP | ADMINISTRATOR_ONLY
    secret = ("commitment",)

    player: str
    fields: tuple[str, ...]
    commitment: str = ""


class PlayerErased(HouseEvent, frozen=True, tag="player_erased.1"):
    """The name, card number and notes of a player were erased."""

    group = RecordGroup.PLAYERS
    may = SUPERVISOR_UP | ADMINISTRATOR_ONLY

    player: str


class FloorRulesChanged(HouseEvent, frozen=True, tag="floor_rules_changed.1"):
    """The new rules of the floor: see :class:`punto.floor.people.floor_rules.FloorRules`."""

    group = RecordGroup.SETTINGS
    may = OFFICERS
    exception = ExceptionKind.SETTINGS
    replaces = ""

    visitors: bool
    buy_in_minor: int
    buy_ins: int
    tables: tuple[str, ...]
    boxes: int = DEFAULT_BOXES
    totp_required: bool = False
    four_eyes: bool = True


class ChipSetChanged(HouseEvent, frozen=True, tag="chip_set_changed.1"):
    """The new chip set of the floor: the value in the smallest unit and the colour of each chip."""

    group = RecordGroup.SETTINGS
    may = SHIFT_MANAGER_UP | ADMINISTRATOR_ONLY
    exception = ExceptionKind.SETTINGS
    replaces = ""

    chips: tuple[tuple[int, str], ...]


class DutyStarted(HouseEvent, frozen=True, tag="duty_started.1"):
    """Somebody is on duty at a table from now on."""

    group = RecordGroup.DUTY
    may = DEALER_UP
    variants = (("relief", lambda event: event.relieves != ""),)

    name: str
    table: str
    position: str
    at_us: int
    relieves: str = ""
    """The dealer whose place they take; empty if it was no relief."""


class DutyEnded(HouseEvent, frozen=True, tag="duty_ended.1"):
    """Somebody is no longer on duty at a table: they were relieved, sent elsewhere or sent off."""

    group = RecordGroup.DUTY
    may = DEALER_UP | ADMINISTRATOR_ONLY

    name: str
    table: str
    at_us: int


class ReadingAdopted(HouseEvent, frozen=True, tag="reading_adopted.1"):
    """A value of a reading's table setting became the default for tables opened from now on."""

    group = RecordGroup.SETTINGS
    may = SHIFT_MANAGER_UP
    exception = ExceptionKind.SETTINGS
    replaces = "reading"

    reading: str
    setting: str
    value: bool | int | str
    reason: str
    clauses: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    """By book, the clauses that leave the reading to the house."""


class ProposalMade(HouseEvent, frozen=True, tag="proposal_made.1"):
    """Somebody proposed what another person has to approve."""

    group = RecordGroup.PROPOSALS
    may = DEALER_UP | OFFICERS
    secret = ("content",)

    proposal: str
    table: str
    """Empty if it is about accounts or the floor."""
    what: str
    """The tag of the command or of the act."""
    content: str
    """SHA-256 of the proposal as it is stored."""


class ProposalApproved(HouseEvent, frozen=True, tag="proposal_approved.1"):
    """The proposal was carried out, in the same transaction."""

    group = RecordGroup.PROPOSALS
    may = SUPERVISOR_UP | OFFICERS

    proposal: str
    table: str
    what: str


class ProposalDeclined(HouseEvent, frozen=True, tag="proposal_declined.1"):
    """Nobody can approve the proposal any more. Its proposer can decline it too."""

    group = RecordGroup.PROPOSALS
    may = DEALER_UP | OFFICERS

    proposal: str
    table: str
    what: str
    reason: str
    at_us: int = 0
    """0 in journals of releases before 0.11.0."""


class LockedOut(HouseEvent, frozen=True, tag="locked_out.1"):
    """An account was locked after too many wrong passwords, or a player's sign-in after too many wrong codes."""

    group = RecordGroup.SIGN_INS
    may = HOUSE_ONLY
    looked_at = True
    exception = ExceptionKind.LOCKED

    name: str
    until_us: int


class CardScanned(HouseEvent, frozen=True, tag="card_scanned.1"):
    """A scanner read a card that was drawn. ``commitment`` is SHA-256 over the row of the scan.

    The card may lie face down, so card and nonce are only in the table `scans`.
    """

    group = RecordGroup.SHOES
    may = EVERYDAY
    secret = ("commitment",)

    stream: str
    shoe: str
    draw: int
    """Counted from 1."""
    commitment: str


class BridgeStopped(HouseEvent, frozen=True, tag="bridge_stopped.1"):
    """A bridge sent another card for a draw than the one already read. It may send no more until it is released."""

    group = RecordGroup.SHOES
    may = DEALER_UP
    looked_at = True
    exception = ExceptionKind.MACHINE
    secret = ("session",)

    bridge: str
    """Name of the machine."""
    session: str
    """SHA-256 of its token."""
    table: str
    stream: str
    shoe: str
    draw: int


class BridgeReleased(HouseEvent, frozen=True, tag="bridge_released.1"):
    """A pit supervisor or above let a stopped bridge go on."""

    group = RecordGroup.SHOES
    may = SUPERVISOR_UP
    looked_at = True
    exception = ExceptionKind.MACHINE
    secret = ("session",)

    bridge: str
    session: str
    table: str


class AuthorityRefused(HouseEvent, frozen=True, tag="authority_refused.1"):
    """A command was refused because the position did not allow it."""

    group = RecordGroup.REFUSALS
    variants = (
        ("at_times", lambda event: event.table != "" and event.times > 1),
        ("at", lambda event: event.table != ""),
        ("times", lambda event: event.times > 1),
    )

    table: str
    by: str
    position: str
    command: str
    code: str
    times: int = 1
    """Refusals of this person that the entry stands for: this one and those counted before it."""


class LateAttempt(HouseEvent, frozen=True, tag="late_attempt.1"):
    """A player tried to change a bet after betting closed, or to take insurance after the offer ended.

    The first attempt of each player and round.
    """

    group = RecordGroup.REFUSALS

    table: str
    stream: str
    round: int
    who: str
    command: str
    clauses: tuple[Clause, ...]


AnyHouseEvent = (
    FloorStarted
    | FloorRestored
    | TableCreated
    | StreamOpened
    | StreamClosed
    | TableRecovered
    | ShoeSealed
    | ShoeRevealed
    | ShoeNotAsSealed
    | ShoeUnreadable
    | FloorMigrated
    | AccountRecorded
    | SessionRecorded
    | PlayerRecorded
    | AccountCreated
    | PositionAssigned
    | PasswordChanged
    | SessionsRevoked
    | TokenIssued
    | AccountsConfirmed
    | SignedIn
    | SignedOut
    | TerminalEnrolled
    | TerminalRevoked
    | PinSet
    | PinLocked
    | SessionUnlocked
    | TotpSetUp
    | VisitorEntered
    | PlayerRegistered
    | PlayerChanged
    | PlayerErased
    | FloorRulesChanged
    | ChipSetChanged
    | AnyPitEvent
    | AnyAuditEvent
    | DutyStarted
    | DutyEnded
    | ReadingAdopted
    | ProposalMade
    | ProposalApproved
    | ProposalDeclined
    | LockedOut
    | CardScanned
    | BridgeStopped
    | BridgeReleased
    | AuthorityRefused
    | LateAttempt
)

HOUSE_KINDS: tuple[type[HouseEvent], ...] = get_args(AnyHouseEvent)
"""Every kind of event of the house."""
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyHouseEvent)


def read_house_event(text: str) -> HouseEvent:
    event: HouseEvent = _EVENTS.decode(text)
    return event

"""What the house's stream says about accounts, sessions, terminals and players."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode, require
from punto.floor.audit.hash_chain import Link
from punto.floor.journal.house_events import (
    AccountCreated,
    AccountRecorded,
    BridgeReleased,
    BridgeStopped,
    HouseEvent,
    PasswordChanged,
    PinSet,
    PlayerChanged,
    PlayerErased,
    PlayerRecorded,
    PlayerRegistered,
    PositionAssigned,
    SessionRecorded,
    SessionsRevoked,
    SignedIn,
    SignedOut,
    TerminalEnrolled,
    TerminalRevoked,
    TokenIssued,
    TotpSetUp,
    VisitorEntered,
)
from punto.floor.journal.pit_events import PlayerCodeIssued, PlayerCodeRevoked, PlayerCodeUsed
from punto.floor.people.accounts.accounts import Holder
from punto.floor.people.names.names import fold
from punto.floor.people.sessions.session_store import SessionKind
from punto.table.records.identity import player_id


class AccountOnRecord(Struct, frozen=True):
    position: str
    kind: str
    password: str
    """Fingerprint of its hash; empty for a machine."""
    to_change: bool
    one_time_until_us: int = 0
    pin: str = ""
    """Fingerprint of its hash; empty without one."""
    totp: str = ""
    """Fingerprint of the sealed secret; empty without one."""


class TerminalOnRecord(Struct, frozen=True):
    key: str
    table: str
    title: str
    enrolled_by: str
    enrolled_us: int
    revoked: bool
    revoked_us: int = 0
    """Times are 0 where the record has none."""


class SessionOnRecord(Struct, frozen=True):
    name: str
    kind: str
    expires_us: int
    work: str = ""
    table: str = ""
    terminal: str = ""
    stopped: int = 0
    """The house entry that stopped the bridge; 0 if it is not stopped."""
    ended: bool = False


class CodeOnRecord(Struct, frozen=True):
    fingerprint: str
    """Of its hash."""
    table: str
    expires_us: int


class PlayerOnRecord(Struct, frozen=True):
    commitment: str
    """To what the register holds about them."""
    erased: bool = False


_Handler = Callable[[Link, Any], None]


class PeopleRecord:
    def __init__(self) -> None:
        self.accounts: dict[str, AccountOnRecord] = {}
        """By name."""
        self.sessions: dict[str, SessionOnRecord] = {}
        """By key."""
        self._keys: dict[str, set[str]] = {}
        """By folded name, the keys of the sessions of an account that have not ended."""
        self._keys_of_players: dict[str, str] = {}
        """By id, the key of the last session of a player."""
        self.players: dict[str, PlayerOnRecord] = {}
        """By id."""
        self.codes: dict[str, CodeOnRecord] = {}
        """By the id of the player."""
        self.terminals: dict[str, TerminalOnRecord] = {}
        """By id."""
        self.handlers: Mapping[type[HouseEvent], _Handler] = {
            AccountCreated: self._created,
            AccountRecorded: self._account_recorded,
            PositionAssigned: self._assigned,
            PasswordChanged: self._password_changed,
            PinSet: self._pin_set,
            TotpSetUp: self._totp_set_up,
            TerminalEnrolled: self._enrolled,
            TerminalRevoked: self._terminal_revoked,
            SignedIn: self._signed_in,
            VisitorEntered: self._entered,
            TokenIssued: self._issued,
            SessionRecorded: self._session_recorded,
            SignedOut: self._signed_out,
            SessionsRevoked: self._revoked,
            BridgeStopped: self._stopped,
            BridgeReleased: self._released,
            PlayerRegistered: self._registered,
            PlayerRecorded: self._changed,
            PlayerChanged: self._changed,
            PlayerErased: self._changed,
            PlayerCodeIssued: self._code_issued,
            PlayerCodeUsed: self._code_used,
            PlayerCodeRevoked: self._code_revoked,
        }

    # ---- accounts

    def _created(self, link: Link, event: AccountCreated) -> None:
        new = event.name not in self.accounts
        require(link, new, FaultCode.ACCOUNT_DIFFERS, f"the account {event.name!r} was already created")
        to_change, until_us = event.kind == Holder.PERSON, event.one_time_until_us
        self.accounts[event.name] = AccountOnRecord(event.position, event.kind, event.password, to_change, until_us)

    def _account(self, link: Link, name: str) -> AccountOnRecord:
        require(link, name in self.accounts, FaultCode.ACCOUNT_DIFFERS, f"the account {name!r} was never created")
        return self.accounts[name]

    def _account_recorded(self, link: Link, event: AccountRecorded) -> None:
        account = self._account(link, event.name)
        self.accounts[event.name] = AccountOnRecord(
            account.position, event.kind, event.password, event.to_change, event.one_time_until_us
        )

    def _assigned(self, link: Link, event: PositionAssigned) -> None:
        self.accounts[event.name] = replace(self._account(link, event.name), position=event.position)

    def _password_changed(self, link: Link, event: PasswordChanged) -> None:
        account, once = self._account(link, event.name), event.one_time
        kept = {} if once else {"pin": account.pin, "totp": account.totp}
        changed = AccountOnRecord(account.position, account.kind, event.password, once, event.one_time_until_us)
        self.accounts[event.name] = replace(changed, **kept)

    def _pin_set(self, link: Link, event: PinSet) -> None:
        self.accounts[event.name] = replace(self._account(link, event.name), pin=event.fingerprint)

    def _totp_set_up(self, link: Link, event: TotpSetUp) -> None:
        self.accounts[event.name] = replace(self._account(link, event.name), totp=event.fingerprint)

    # ---- terminals

    def _enrolled(self, link: Link, event: TerminalEnrolled) -> None:
        words = f"the terminal {event.terminal!r} was already enrolled"
        require(link, event.terminal not in self.terminals, FaultCode.TERMINAL_DIFFERS, words)
        enrolled = TerminalOnRecord(event.key, event.table, event.title, link.entry.actor, event.at_us, revoked=False)
        self.terminals[event.terminal] = enrolled
        if event.session in self.sessions:
            self.sessions[event.session] = replace(self.sessions[event.session], terminal=event.terminal)

    def _terminal_revoked(self, link: Link, event: TerminalRevoked) -> None:
        words = f"the terminal {event.terminal!r} was never enrolled"
        require(link, event.terminal in self.terminals, FaultCode.TERMINAL_DIFFERS, words)
        self.terminals[event.terminal] = replace(self.terminals[event.terminal], revoked=True, revoked_us=event.at_us)

    def restored(self) -> None:
        """No terminal, no session and no code of a backup comes back."""
        self.terminals = {name: replace(terminal, revoked=True) for name, terminal in self.terminals.items()}
        self.sessions = {key: replace(session, ended=True) for key, session in self.sessions.items()}
        self._keys.clear()
        self._keys_of_players.clear()
        self.codes.clear()

    def migrated(self) -> None:
        """A database of an earlier schema has no terminals, PINs or TOTP."""
        self.terminals.clear()

    # ---- sessions

    def _signed_in(self, link: Link, event: SignedIn) -> None:
        account = self._account(link, event.name)
        if event.password:
            self.accounts[event.name] = replace(account, password=event.password)
        session = SessionOnRecord(event.name, SessionKind.STAFF, event.expires_us, terminal=link.context.terminal)
        self._open(event.session, session)

    def _entered(self, _: Link, event: VisitorEntered) -> None:
        self._open(event.session, SessionOnRecord(event.name, SessionKind.VISITOR, event.expires_us))

    def _issued(self, _: Link, event: TokenIssued) -> None:
        issued = SessionOnRecord(event.name, SessionKind.MACHINE, event.expires_us, event.work, event.table)
        self._open(event.session, issued)

    def _session_recorded(self, _: Link, event: SessionRecorded) -> None:
        self._open(event.session, SessionOnRecord(event.name, event.kind, event.expires_us))

    def _open(self, key: str, session: SessionOnRecord) -> None:
        if not key:  # releases before 0.9.0 did not record it; a migration does
            return
        self.sessions[key] = session
        if session.kind != SessionKind.VISITOR:
            self._keys.setdefault(fold(session.name), set()).add(key)

    def _signed_out(self, _: Link, event: SignedOut) -> None:
        self._end(event.session)

    def _revoked(self, _: Link, event: SessionsRevoked) -> None:
        for key in self._keys.get(fold(event.name), set()) - {event.but}:
            self._end(key)

    def _end(self, key: str) -> None:
        session = self.sessions.get(key)
        if session is not None:
            self.sessions[key] = replace(session, ended=True)
            self._keys.get(fold(session.name), set()).discard(key)

    def _stopped(self, link: Link, event: BridgeStopped) -> None:
        self._change_bridge(link, event, link.entry.version)

    def _released(self, link: Link, event: BridgeReleased) -> None:
        self._change_bridge(link, event, 0)

    def _change_bridge(self, link: Link, event: BridgeStopped | BridgeReleased, stopped: int) -> None:
        session = self.sessions.get(event.session)
        known = session is not None and session.name == event.bridge
        require(link, known, FaultCode.SESSION_DIFFERS, f"the bridge {event.bridge!r} was never given this token")
        self.sessions[event.session] = replace(self.sessions[event.session], stopped=stopped)

    # ---- players

    def _registered(self, link: Link, event: PlayerRegistered) -> None:
        words = f"the player {event.player!r} cannot have been registered at this point"
        in_order = event.player == player_id(len(self.players) + 1)
        require(link, in_order, FaultCode.PLAYER_DIFFERS, words)
        self.players[event.player] = PlayerOnRecord(event.commitment)

    def _changed(self, link: Link, event: PlayerRecorded | PlayerChanged | PlayerErased) -> None:
        player = self.players.get(event.player)
        words = f"the player {event.player!r} was not registered at this point"
        require(link, player is not None and not player.erased, FaultCode.PLAYER_DIFFERS, words)
        if isinstance(event, PlayerErased):
            self.players[event.player] = PlayerOnRecord("", erased=True)
        else:
            self.players[event.player] = PlayerOnRecord(event.commitment)

    # ---- codes of players

    def _code_issued(self, link: Link, event: PlayerCodeIssued) -> None:
        player = self.players.get(event.player)
        words = f"the player {event.player!r} was not registered at this point"
        require(link, player is not None and not player.erased, FaultCode.PLAYER_DIFFERS, words)
        self.codes[event.player] = CodeOnRecord(event.fingerprint, event.table, event.expires_us)

    def _code_used(self, link: Link, event: PlayerCodeUsed) -> None:
        code = self.codes.pop(event.player, None)
        same = code is not None and (code.table, code.expires_us) == (event.table, event.expires_us)
        require(link, same, FaultCode.PLAYER_DIFFERS, f"the player {event.player!r} had no such code at this point")
        self._end_player(event.player)
        session = SessionOnRecord(event.player, SessionKind.PLAYER, event.expires_us, table=event.table)
        self.sessions[event.session] = session
        self._keys_of_players[event.player] = event.session

    def _code_revoked(self, _: Link, event: PlayerCodeRevoked) -> None:
        self.codes.pop(event.player, None)
        self._end_player(event.player)

    def _end_player(self, player: str) -> None:
        if key := self._keys_of_players.pop(player, ""):
            self._end(key)

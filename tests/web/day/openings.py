"""What happened in one opening of a table, from the rows of its stream alone."""

from dataclasses import dataclass, field
from typing import Any

from tests.web.day.journal import Row

Event = dict[str, Any]
Cell = tuple[str, str, int, int]
"""Stage, side and points of an insurance."""

QUIET = {
    *("bets_confirmed", "settings_changed", "table_closed", "shoe_loaded", "shoe_reconciled", "shoe_taken_off"),
    *("player_sat", "player_stood", "limit_flagged", "bet_flagged", "betting_closed", "card_dealt", "card_turned"),
    *("insurance_closed", "insurance_flagged", "options_given", "options_closed", "card_corrected"),
    *("irregularity_reported", "late_bet_refused", "slip_requested", "slip_sent", "slip_received", "slip_voided"),
    *("tray_counted", "payment_corrected"),
}
"""Events that change no bet. Any other that is not handled stops the recomputation."""


@dataclass(eq=False)
class Person:
    """Somebody at the table. If they are identified, everything they did is under the new name."""

    name: str


@dataclass
class Bet:
    """A bet as it counts: what the cards decided of it, and what it brought the house."""

    person: Person
    box: int
    kind: str
    cell: Cell | None
    decided_minor: int = 0
    win_minor: int = 0
    commission_minor: int = 0
    rounded_minor: int = 0


@dataclass
class Laid:
    """A stake on the felt."""

    person: Person
    box: int
    kind: str
    cell: Cell | None = None

    @property
    def back(self) -> Bet:
        """The stake as it counts when it goes back."""
        return Bet(self.person, self.box, self.kind, self.cell)


@dataclass
class Round:
    opened_us: int
    opened_by: str
    ended_us: int = 0
    void: tuple[str, tuple[str, ...]] | None = None
    over: bool = False
    laid: list[Laid] = field(default_factory=list)
    settled: list[Bet] = field(default_factory=list)
    returned: list[Bet] = field(default_factory=list)

    @property
    def bets(self) -> list[Bet]:
        return [*self.settled, *self.returned]

    def find(self, person: Person, box: int, kind: str) -> Laid:
        return next(each for each in self.laid if (each.person, each.box, each.kind) == (person, box, kind))

    def give_back(self, wanted: list[Laid]) -> None:
        self.returned += [laid.back for laid in wanted]
        self.laid = [laid for laid in self.laid if laid not in wanted]


@dataclass
class Paid:
    """Chips sold, changed or bought back, or moved by a ruling or a wrong payment; negative if the player gave them."""

    at_us: int
    person: Person
    kind: str
    amount_minor: int


@dataclass
class Happened:
    """Something at a moment of a dealer's round."""

    row: Row
    dealer: str
    round: int


class Opening:
    """Reads the rows in order. Nothing here depends on a period."""

    def __init__(self, stream: str, rows: list[Row]) -> None:
        self.stream, self.rows = stream, rows
        self.table = stream.rpartition("/")[0]
        opened = rows[0].event
        self.game, self.currency = opened["book"], opened["settings"]["currency"]
        self.opened_us = rows[0].at_us
        self.closed_us = rows[-1].at_us if rows[-1].kind == "table_closed" else 0
        self.rounds: list[Round] = []
        self.paid: list[Paid] = []
        self.happened: list[Happened] = []
        self.offers: list[tuple[int, str, int, int]] = []
        """At which moment, in whose round, how many offers of insurance more were made and missed."""
        self.decks = 0
        self._people: dict[str, Person] = {}
        self._wrong: list[Paid] = []
        self._offered: set[str] = set()
        self._missed: set[str] = set()
        for row in rows[1:]:
            self._read(row)

    @property
    def now(self) -> Round:
        return self.rounds[-1]

    def person(self, name: str) -> Person:
        return self._people.setdefault(name, Person(name))

    def _read(self, row: Row) -> None:
        dealer = self.now.opened_by if self.rounds else ""
        event = row.event
        if handle := getattr(self, f"_{row.kind}", None):
            handle(row, event)
        else:
            assert row.kind in QUIET, f"{row.kind} is not recomputed"
        if row.kind == "shoe_loaded":
            self.decks = event["decks"]
        if row.kind == "betting_opened":
            dealer = self.now.opened_by
        self._read_offer(row, dealer)
        self._read_payment(row, event)
        self.happened.append(Happened(row, dealer, len(self.rounds)))

    # ---- bets

    def _betting_opened(self, row: Row, event: Event) -> None:
        self.rounds.append(Round(row.at_us, row.actor))
        assert event["round"] == len(self.rounds)

    def _bet_placed(self, _: Row, event: Event) -> None:
        person, box, bet = self.person(event["who"]), event["box"], event["bet"]
        if all((laid.person, laid.box, laid.kind) != (person, box, bet) for laid in self.now.laid):
            self.now.laid.append(Laid(person, box, bet))

    def _bet_corrected(self, _: Row, event: Event) -> None:
        self.now.find(self.person(event["who"]), event["box"], event["bet"])
        assert event["stake_minor"]

    def _insurance_taken(self, _: Row, event: Event) -> None:
        cell = (event["stage"], event["side"], event["player"], event["banker"])
        kind = f"{event['side']}_insurance"
        self.now.laid.append(Laid(self.person(event["who"]), event["box"], kind, cell=cell))

    def _insurance_rejudged(self, _: Row, event: Event) -> None:
        """Insurance rests on other points, or goes back."""
        insured = [laid for laid in self.now.laid if laid.cell is not None]
        gone = []
        for laid, cover in zip(insured, event["cover"], strict=True):
            if cover["stake_minor"]:
                laid.cell = (cover["stage"], cover["side"], cover["player"], cover["banker"])
            else:
                gone.append(laid)
        self.now.give_back(gone)

    def _option_chosen(self, _: Row, event: Event) -> None:
        if event["choice"] == "return":
            person = self.person(event["who"])
            self.now.give_back([laid for laid in self.now.laid if laid.person is person])

    def _uninsured_bet_returned(self, _: Row, event: Event) -> None:
        laid = self.now.find(self.person(event["who"]), event["box"], event["side"])
        if not self.now.over:
            self.now.give_back([laid])
            return
        key = (laid.person, laid.box, laid.kind)
        self.now.settled = [laid.back if (bet.person, bet.box, bet.kind) == key else bet for bet in self.now.settled]

    def _ruled(self, _: Row, event: Event) -> None:
        for bet in event.get("bets", ()):
            laid = self.now.find(self.person(bet["who"]), bet["box"], bet["bet"])
            key = (laid.person, laid.box, laid.kind)
            self.now.settled = [each for each in self.now.settled if (each.person, each.box, each.kind) != key]
            self.now.give_back([laid])

    def _player_identified(self, _: Row, event: Event) -> None:
        person, name = self.person(event["who"]), event["player_id"]
        del self._people[event["who"]]
        person.name = name
        self._people.setdefault(name, person)

    def _player_left(self, _: Row, event: Event) -> None:
        if not event["away"]:
            self._people.pop(event["who"], None)

    # ---- how rounds end

    def _round_settled(self, row: Row, event: Event) -> None:
        now, laid = self.now, list(self.now.laid)
        now.settled = []
        for result in event["results"]:
            person, stage = self.person(result["who"]), result["stage"]
            stake = next(
                each
                for each in laid
                if (each.person, each.box, each.kind, each.cell and each.cell[0])
                == (person, result["box"], result["bet"], stage)
            )
            laid.remove(stake)
            played = result["played_minor"]
            decided_minor = result["stake_minor"] if played is None else played
            now.settled.append(
                Bet(
                    person=person,
                    box=stake.box,
                    kind=stake.kind,
                    cell=stake.cell,
                    decided_minor=decided_minor,
                    win_minor=result["stake_minor"] - result["returned_minor"],
                    commission_minor=result["commission_minor"] or 0,
                    rounded_minor=result["rounded_minor"],
                )
            )
        assert not laid, "a stake without a result"
        now.ended_us, now.over = row.at_us, True

    def _settlement_reversed(self, row: Row, _: Event) -> None:
        self.now.settled, self.now.over = [], False
        self.paid += [Paid(row.at_us, wrong.person, wrong.kind, -wrong.amount_minor) for wrong in self._wrong]
        self._wrong = []

    def _round_voided(self, row: Row, event: Event) -> None:
        now = self.now
        now.settled, now.ended_us, now.over = [laid.back for laid in now.laid], row.at_us, True
        now.void = (event["ground"], tuple(event["clauses"]))

    def _round_cancelled(self, *_: object) -> None:
        assert not self.now.over

    # ---- insurance and payments

    def _insurance_offered(self, _: Row, event: Event) -> None:
        self._offered.add(event["stage"])
        self._missed -= set(event.get("makes_good", ()))

    def _insurance_missed(self, _: Row, event: Event) -> None:
        self._missed.add(event["stage"])

    def _read_offer(self, row: Row, dealer: str) -> None:
        """How many offers of the round were made and missed, more than before the row."""
        if row.kind == "betting_opened":
            self._offered, self._missed = set(), set()
            self._counted = (0, 0)
        elif row.kind == "insurance_rejudged":
            self._offered, self._missed = set(row.event["offered"]), set(row.event["missed"])
        now = (len(self._offered), len(self._missed))
        if self.rounds and now != self._counted:
            self.offers.append((row.at_us, dealer, now[0] - self._counted[0], now[1] - self._counted[1]))
            self._counted = now

    def _chips_bought(self, *_: object) -> None:
        """Read with the payments."""

    _chips_cashed = _chips_bought

    def _read_payment(self, row: Row, event: Event) -> None:
        if row.kind == "betting_opened":
            self._wrong = []
        if row.kind in ("chips_bought", "chips_cashed"):
            person, given_minor = self.person(event["who"]), -tray_change(event["postings"])
            kind = event.get("kind", "cash")
            if kind == "chips":
                self.paid.append(Paid(row.at_us, person, "changed", event["changed_minor"]))
            elif kind == "voucher":
                self.paid.append(Paid(row.at_us, person, "voucher", given_minor))
            else:
                self.paid.append(Paid(row.at_us, person, "cash", given_minor))
        if row.kind == "player_left":  # with a debt that nobody can collect any more
            lost_minor = -sum(minor for account, minor in event.get("postings", ()) if account == "mispaid")
            if lost_minor:
                self.paid.append(Paid(row.at_us, self.person(event["who"]), "adjusted", lost_minor))
        if row.kind == "payment_corrected" or (row.kind == "ruled" and event["effect"] == "adjust"):
            moved = [
                Paid(row.at_us, self.person(account.removeprefix("chips:")), "adjusted", minor)
                for account, minor in event["postings"]
                if account.startswith("chips:")
            ]
            self.paid += moved
            if row.kind == "payment_corrected":
                self._wrong += moved


TRAY = ("float", "commission", "rounding", "vouchers", "mispaid")


def tray_change(postings: list[tuple[str, int]]) -> int:
    """What postings put into the accounts of the tray."""
    return sum(minor for account, minor in postings if account in TRAY)

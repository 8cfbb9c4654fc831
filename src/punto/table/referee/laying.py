"""Plays a question at a table of its own, by the commands that a floor's tables take."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.money import read_amount
from punto.rules.refusals import Code, Refusal, Refused
from punto.rules.rulebook import Rulebook
from punto.table.authority import named_in
from punto.table.decision import Decision
from punto.table.engine import decide
from punto.table.evolution import evolve
from punto.table.play.opening import mark_seen, shoe_empty
from punto.table.records.commands import (
    BuyIn,
    CloseBetting,
    Command,
    DealCard,
    LoadShoe,
    OpenBetting,
    OpenInsurance,
    OpenTable,
    PlaceBet,
    Sit,
    StandBehind,
    TakeInsurance,
    TurnCard,
)
from punto.table.records.events import Event, PlayerLeft
from punto.table.records.identity import Place
from punto.table.records.ledger import BROUGHT, MAX_AMOUNT_MINOR, chip_changes
from punto.table.records.positions import STAFF, Position
from punto.table.records.reports import OfferLateInsurance, ReportShoeRunOut
from punto.table.records.state import Phase, Table
from punto.table.referee.question import BetLaid, RefereeQuestion, read_command, read_faces, settings_of, who_bets
from punto.table.refusals import TableCode, too_large

GIVER = ""
"""Who gives commands that no player gives. No player has this name."""
_DECKS = 8
_CHIPS_MINOR = MAX_AMOUNT_MINOR
"""What everybody has at the start: enough for every stake, so that only wins and losses change it."""


class LaidStep(Struct, frozen=True):
    """One command of the question, and what came of it."""

    at: int
    """Which of ``RefereeQuestion.happened`` it belongs to, counted from 0; -1 for the bets and the close."""
    before: Table
    command: Command
    """In the lowest position that may give it."""
    events: tuple[Event, ...]


class LaidRound(Struct, frozen=True):
    """A question, played as far as the book lets it be."""

    start: Table
    """Before the call for bets."""
    table: Table
    steps: tuple[LaidStep, ...]
    refusal: Refusal | None = None
    """Why the next step cannot be; nothing after it was played."""
    refused_at: int = -1

    def change_minor(self, who: str, after: Table) -> int:
        """What somebody has won or lost on a table that this one became, in the smallest unit."""
        left = (event for step in self.steps for event in step.events if isinstance(event, PlayerLeft))
        taken_along = sum(chip_changes(event.postings).get(who, 0) for event in left)
        return after.chips_minor(who) - self.start.chips_minor(who) - taken_along


def lay(book: Rulebook, question: RefereeQuestion) -> LaidRound:
    """Play a question. Raises ``Refused`` where it is no question at all, such as one with a card nobody knows."""
    start, refusal = _opened(book, question)
    if refusal is not None:
        return LaidRound(start, start, (), refusal)
    laying = _Laying(book, question, start)
    laying.play()
    return LaidRound(start, laying.table, tuple(laying.steps), laying.refusal, laying.at)


def give(book: Rulebook, table: Table, command: Command) -> tuple[Table, Command, Decision]:
    """Give a command: as the player whom it names, or in the lowest position of the staff that may."""
    who = getattr(command, "who", None)
    givers = [(who, Position.PLAYER)] if who else []
    refusals = []
    for by, position in (*givers, *((GIVER, position) for position in STAFF)):
        given = replace(command, by=by, position=position)
        decision = decide(book, table, given)
        if not isinstance(decision, Refusal):
            return _after(table, decision), given, decision
        refusals.append(decision)
    authority = (TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN)
    return table, command, next((each for each in refusals if each.code not in authority), refusals[-1])


def _after(table: Table, events: tuple[Event, ...]) -> Table:
    for event in events:
        table = evolve(table, event)
    return table


def _opened(book: Rulebook, question: RefereeQuestion) -> tuple[Table, Refusal | None]:
    """A table with its shoe and everybody who bets, before the call for bets."""
    settings, table = settings_of(book, question), Table()
    asked_by = str(Place(1)) if settings.no_insurance else ""
    decks = min(_DECKS, book.decks.most) if question.decks is None else question.decks
    opening: list[Command] = [
        OpenTable(GIVER, Position.PIT_SUPERVISOR, settings, MAX_AMOUNT_MINOR, no_insurance_asked_by=asked_by),
        LoadShoe(GIVER, Position.PIT_SUPERVISOR, "shoe", decks),
        *_seating(question),
    ]
    for command in opening:
        table, _, decision = give(book, table, command)
        if isinstance(decision, Refusal):
            return table, decision
    return _with_shoe(table, question), None


def _seating(question: RefereeQuestion) -> Iterator[Command]:
    """Chips for everybody whom the question names, and a place for those who bet, also later."""
    bodies = [step for step in question.happened if isinstance(step, dict)]
    later = tuple(bet for body in bodies for bet in _bet_later(body))
    places = dict.fromkeys((who, bet.box, sits) for bet, who, sits in who_bets((*question.bets, *later)))
    named = (sorted(named_in(body).players) for body in bodies)
    for who in dict.fromkeys((*(who for who, _, _ in places), *chain.from_iterable(named))):
        yield BuyIn(GIVER, Position.DEALER, who, _CHIPS_MINOR)
    for who, box, sits in places:
        yield Sit(who, Position.PLAYER, who, box) if sits else StandBehind(who, Position.PLAYER, who, box)


def _bet_later(body: dict[str, Any]) -> Iterator[BetLaid]:
    match body:
        case {"command": "place_bet.1", "who": str(who), "box": int(box)} if who:
            yield BetLaid(box, "", "", who)


def _with_shoe(table: Table, question: RefereeQuestion) -> Table:
    """The table with a shoe from which other cards have been dealt."""
    shoe, seen = table.shoe, [face for face in read_faces(question.seen) if face is not None]
    assert shoe is not None  # noqa: S101 - it was loaded
    most = shoe.left - len(seen)
    left = most if question.left is None else question.left
    if not 0 <= left <= most:
        raise Refused(Code.OUT_OF_RANGE, variant="shoe_left", most=max(most, 0), left=left)
    table = replace(table, shoe=replace(shoe, drawn=shoe.left - left))
    for face in seen:
        table = mark_seen(table, face, shoe.id)
    return table


class _Laying:
    """Gives the commands of a question one after the other, up to the first that is refused."""

    def __init__(self, book: Rulebook, question: RefereeQuestion, start: Table) -> None:
        self.book, self.question, self.table = book, question, start
        self.steps: list[LaidStep] = []
        self.refusal: Refusal | None = None
        self.at = -1

    def play(self) -> None:
        for at, command in self._commands():
            self.at = at
            before = self.table
            self.table, given, decision = give(self.book, before, command)
            if self.table.balances.get(BROUGHT, 0) < 0:  # stakes above what everybody has
                decision = too_large(self.book)
            if isinstance(decision, Refusal):
                self.refusal = decision
                return
            self.steps.append(LaidStep(at, before, given, decision))

    def _commands(self) -> Iterator[tuple[int, Command]]:
        """Each one is made when the one before it has been given: what it must say depends on the table."""
        for command in self._betting():
            yield -1, command
        for at, step in enumerate(self.question.happened):
            commands = self._cards(step) if isinstance(step, str) else self._given(step)
            for command in commands:
                yield at, command

    def _betting(self) -> Iterator[Command]:
        staff = (GIVER, Position.DEALER)
        yield OpenBetting(*staff)
        for bet, who, _ in who_bets(self.question.bets):
            yield PlaceBet(who, Position.PLAYER, who, bet.box, bet.bet, read_amount(bet.stake))
        if not self.question.betting_open:
            yield CloseBetting(*staff)

    def _cards(self, text: str) -> Iterator[Command]:
        """Cards, dealt one by one. Where they are dealt face down, those that are named are turned at once."""
        for face in read_faces(text):
            yield from self._card(face)

    def _card(self, face: Face | None) -> Iterator[Command]:
        staff, table = (GIVER, Position.DEALER), self.table
        assert table.settings is not None  # noqa: S101 - it is open
        if face is None and table.phase is Phase.DEALING and shoe_empty(table):  # the card that is needed is missing
            yield ReportShoeRunOut(*staff)
            return
        if not table.settings.face_down or face is None or table.phase is Phase.BETTING:
            yield DealCard(*staff, face, before_close=table.phase is Phase.BETTING)
            return
        dealt = len(table.round.cards) if table.round else 0
        yield DealCard(*staff)
        if self.table.round is not None and len(self.table.round.cards) > dealt:
            yield TurnCard(*staff, dealt + 1, face)

    def _given(self, body: dict[str, Any]) -> Iterator[Command]:
        """A command. Insurance that is taken was offered: where it is due, nobody has to say so."""
        command = read_command(body, GIVER, Position.DEALER)
        if isinstance(command, TakeInsurance) and self.table.round and not self.table.round.insurance.offer_open:
            for offer in (OpenInsurance, OfferLateInsurance):
                offered = offer(GIVER, Position.DEALER)
                if not isinstance(give(self.book, self.table, offered)[2], Refusal):
                    yield offered
                    break
        yield command

"""A table whose invariants are checked after every command."""

from collections.abc import Callable
from typing import Any

import msgspec

from punto import book as read_book
from punto import book_ids
from punto.rules.coup.cards import Card, Face
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table import decide, evolve, handle, legal, next_step
from punto.table.authority import check_authority, named_by
from punto.table.decision import Decision
from punto.table.moves.legal_move import LegalMove
from punto.table.records import chips, commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.events import (
    BettingClosed,
    CardTurned,
    Event,
    InsuranceFlagged,
    MoneyEvent,
    RoundSettled,
)
from punto.table.records.findings import (
    CardOrderRuled,
    CardsDrawnOutOfTurn,
    IrregularityRaised,
    IrregularityReported,
    Ruled,
)
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table
from punto.table.refusals import FROM_THE_RULES, TableCode
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.model import expected, same_state
from tests.model.incident_numbers import NumberedIncidents
from tests.model.slow_books import SlowBooks
from tests.model.slow_orders import lawful

_ENCODE = msgspec.json.Encoder().encode
_COMMANDS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)

AMOUNTS: dict[type[Command], str] = {
    commands.PlaceBet: "stake_minor",
    commands.TakeInsurance: "stake_minor",
    commands.CallInsurance: "stake_minor",
    commands.WithdrawBet: "amount_minor",
    commands.CashOut: "amount_minor",
    commands.BuyIn: "amount_minor",
    commands.LoadShoe: "decks",
}
"""The field of a command that holds its amount, bounded by a legal move."""
NO_AMOUNTS = (True, 1.0, 1.5, "7", None, float("nan"))
"""Values that Python accepts for an amount but that are not integers."""
_SUBJECT = ("who", "box", "bet", "side", "place", "effect", "choice", "slip")
OTHER_BOOKS = tuple(read_book(book) for book in book_ids())
OTHER_LAW = "f" * 64
STARTS = (commands.OpenBetting, commands.ChangeSettings, commands.LoadShoe)
"""What a table under another law of its book refuses."""
NAMED_ONCE = (
    corrections.CorrectCard,
    corrections.CorrectBet,
    corrections.CorrectInsurance,
    corrections.CorrectPayment,
    chips.RequestSlip,
    chips.CountTray,
)
"""Listed with one example: people fill in what really happened."""
READERS = (Position.AUDITOR, Position.ADMINISTRATOR)
LAST_BOX = 3
"""The boxes beyond it are like these, and where anyone bets in any box there are many."""


class Evening:
    """A table, its events, and the slow books to compare it with."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.table = Table()
        self.events: list[Event] = []
        self.replayed = Table()
        """Built from the events as decoded from the journal."""
        self.books = SlowBooks(rules)
        self.incidents = NumberedIncidents()
        self.provoked: set[str] = set()

    def do(self, command: Command) -> Decision:
        assert _COMMANDS.decode(_ENCODE(command)) == command
        before = self.table
        self.table, decision = handle(self.rules, before, command)
        if isinstance(decision, Refusal):
            assert self.table is before
            self.provoked.add(decision.code)
            self._check_refusal(command, decision)
            self.books.choices.refused(command, decision)
            return decision
        assert decision, command
        if command.position is Position.PLAYER:
            named = (CardTurned, CardsDrawnOutOfTurn, IrregularityReported)
            assert not any(isinstance(event, named) for event in decision), "no player names a card"
        expected.check(self.books, before, command, decision)
        self.books.choices.judge(command, decision)
        self.books.command, self.books.decision = command, decision
        for event in decision:
            self._check_event(event)
            self.events.append(event)
            self.books.record(event)
            if isinstance(event, CardOrderRuled):
                assert lawful(self.rules, self.books.cards.faces)
            self.replayed = evolve(self.replayed, _EVENTS.decode(_ENCODE(event)))
        self.books.choices.follow(command, decision)
        self.incidents.take(before, self.table, command, decision)
        self._check_decision(before, command, decision)
        if not isinstance(command, reports.ReportLaterError):
            self._check_round(before, command, decision)
        return decision

    def _check_round(self, before: Table, command: Command, decision: tuple[Event, ...]) -> None:
        """An accepted command would be accepted for its round and refused for any other."""
        number = before.round.number if before.round else 0
        assert decide(self.rules, before, msgspec.structs.replace(command, round=number)) == decision
        for other in (number - 1, number + 1):
            refusal = decide(self.rules, before, msgspec.structs.replace(command, round=other))
            assert isinstance(refusal, Refusal)
            assert refusal.code is TableCode.OTHER_ROUND

    def _check_decision(self, before: Table, command: Command, decision: tuple[Event, ...]) -> None:
        """Check a command against its events."""
        raised = before.round.irregularities.raised if before.round is not None else None
        known = {*self.books.cards.known, *getattr(command, "cards", ()), raised.card if raised else None}
        for event in decision:
            if isinstance(event, IrregularityReported):
                for hands in filter(None, (event.as_dealt, event.should_be)):
                    assert {*hands.player, *hands.banker} - {None} <= known, "seen by everybody"
                assert event.established == () or before.phase is Phase.DEALING
        if isinstance(command, reports.Rule):
            paid = {who: self.table.chips_minor(who) - before.chips_minor(who) for who in command.amounts}
            assert paid == command.amounts
            assert isinstance(decision[0], Ruled)
            assert (decision[0].ruled_by, decision[0].position) == (command.by, command.position)
            assert decision[0].clauses == self.rules.topics[Topic.RULING]

    def _check_refusal(self, command: Command, refusal: Refusal) -> None:
        assert refusal.code in {*TableCode, *FROM_THE_RULES}
        assert refusal.message.strip()
        assert len(refusal.message) < 500, "words for people, however long the command"
        cited = self.rules.topics[refusal.topic] if refusal.topic else ()
        assert refusal.clauses[: len(cited)] == cited
        if isinstance(command, corrections.CorrectOption) and refusal.code is TableCode.TOO_LATE:
            cited += self.rules.topics[Topic.RULING]
        if refusal.code is not Code.BET_NOT_ON_LAYOUT:  # which cites what the bet pays elsewhere as well
            assert refusal.clauses == cited, command
        assert all(clause in self.rules.clauses for clause in refusal.clauses)
        if self.table.phase is Phase.READY:
            assert refusal.code is not TableCode.AWAY, "who left a round may come back when it is over"

    def _check_event(self, event: Event) -> None:
        assert _EVENTS.decode(_ENCODE(event)) == event
        clauses = list(getattr(event, "clauses", ()))
        if isinstance(event, RoundSettled):
            clauses += [clause for result in event.results for clause in result.clauses]
            assert all(result.clauses for result in event.results)
        if isinstance(event, BettingClosed):
            clauses += [clause for played in event.played for clause in played.clauses]
        assert all(clause in self.rules.clauses for clause in clauses)
        if isinstance(event, MoneyEvent):
            assert sum(posting.amount_minor for posting in event.postings) == 0

    def check(self) -> None:
        """The invariants of a table."""
        assert self.replayed == self.table
        law = ("", "") if self.table.phase is Phase.CLOSED else (self.rules.id, self.rules.law_hash)
        assert (self.table.book, self.table.law_hash) == law
        same_state.check_state(self.table, self.books)

    def check_replay(self) -> None:
        """Replay all events from the start."""
        table = Table()
        for event in self.events:
            table = evolve(table, event)
        assert table == self.table

    # ---- what a screen can rely on

    def accepts(self, command: Command) -> bool:
        """Whether the table would accept the command."""
        decision = decide(self.rules, self.table, command)
        self.check_other_books(command)
        if isinstance(decision, Refusal):
            self.provoked.add(decision.code)
            self._check_refusal(command, decision)
            return False
        return True

    def check_other_books(self, command: Command) -> None:
        """An open table accepts nothing under another book's law."""
        if self.table.phase is Phase.CLOSED:
            return
        for other in OTHER_BOOKS:
            if other.id == self.rules.id:
                continue
            refusal = decide(other, self.table, command)
            assert isinstance(refusal, Refusal), command
            named = (type(command), command.by, command.position, named_by(command))
            assert refusal == check_authority(other, self.table, *named) or refusal.code is TableCode.WRONG_BOOK
            self.provoked.add(refusal.code)
            assert legal(other, self.table, command.by, command.position) == ()
            assert next_step(other, self.table) is None

    def check_no_amounts(self, command: Command) -> None:
        """An amount that is not an integer is refused, whatever else is wrong."""
        amount = AMOUNTS.get(type(command))
        if isinstance(command, reports.ReportLateBet):
            amount = "amount_minor"
        if amount is None or isinstance(command, commands.LoadShoe):
            return
        for no_amount in NO_AMOUNTS:
            if no_amount is None and isinstance(command, commands.CallInsurance):
                continue  # the largest stake
            refusal = decide(self.rules, self.table, msgspec.structs.replace(command, **{amount: no_amount}))
            assert isinstance(refusal, Refusal), no_amount
            self.provoked.add(refusal.code)

    def check_options(self, by: str, position: Position) -> tuple[LegalMove, ...]:
        """``decide`` accepts what ``legal`` lists, from the smallest to the largest amount, and no more."""
        options = legal(self.rules, self.table, by, position)
        assert not (options and position in READERS)
        for option in options:
            command, most = option.command, option.most
            assert (command.by, command.position) == (by, position)
            far = (getattr(command, "box", None) or 0) > LAST_BOX
            assert (far and isinstance(command, commands.PlaceBet)) or self.accepts(command)
            if most is None or far:
                continue
            amount = AMOUNTS[type(command)]
            least = getattr(command, amount)
            assert least <= most
            assert self.accepts(msgspec.structs.replace(command, **{amount: most}))
            assert self.accepts(msgspec.structs.replace(command, **{amount: most + 1})) == self._leaves(option, 1)
            assert not self.accepts(msgspec.structs.replace(command, **{amount: 0}))
            self.check_no_amounts(command)
            if isinstance(command, commands.PlaceBet):
                assert self.accepts(msgspec.structs.replace(command, stake_minor=(least + most) // 2))
                assert not self.accepts(msgspec.structs.replace(command, stake_minor=least - 1))
        self._check_withdrawals(options)
        self._check_other_law(by, position, options)
        return options

    def _check_other_law(self, by: str, position: Position, options: tuple[LegalMove, ...]) -> None:
        """Under another law of the same book everything goes on as it would, but nothing new starts."""
        if self.table.phase is Phase.CLOSED:
            return
        table = msgspec.structs.replace(self.table, law_hash=OTHER_LAW)
        assert legal(self.rules, table, by, position) == tuple(
            option for option in options if not isinstance(option.command, STARTS)
        )
        between_rounds = table.phase is Phase.READY
        assert next_step(self.rules, table) == (None if between_rounds else next_step(self.rules, self.table))

    def _leaves(self, option: LegalMove, more_minor: int) -> bool:
        """Whether ``more_minor`` above the largest amount is accepted: the whole bet, or at a felt table insurance."""
        command = option.command
        if isinstance(command, commands.TakeInsurance | commands.CallInsurance) and self._records(command):
            return True  # accepted and flagged
        if not isinstance(command, commands.WithdrawBet):
            return False
        stake = self.books.stakes[command.who, command.box, command.bet].stake_minor
        return (option.most or 0) + more_minor == stake

    def _check_withdrawals(self, options: tuple[LegalMove, ...]) -> None:
        """A bet that may be withdrawn may be withdrawn in full, and in part if the rest may stay."""
        by_bet: dict[tuple[str, int, str], list[tuple[int, int]]] = {}
        for option in options:
            command = option.command
            if isinstance(command, commands.WithdrawBet):
                bounds = (command.amount_minor, option.most or 0)
                by_bet.setdefault((command.who, command.box, command.bet), []).append(bounds)
        settings = self.table.settings
        for key, listed in by_bet.items():
            assert settings is not None
            stake = self.books.stakes[key].stake_minor
            limits = settings.main if key[2] in MAIN_BETS else settings.side
            least = 1 if settings.felt else limits.min_minor or 1
            in_part = [(1, stake - least)] if stake > least else []
            assert listed == [*in_part, (stake, stake)]

    def check_listed(self, options: tuple[LegalMove, ...], command: Command) -> None:
        """What ``decide`` accepts, ``legal`` lists for the same subject and within its bounds."""
        if self.accepts(command) and not self.unlisted(command):
            assert any(_covers(option, command) for option in options), command

    def unlisted(self, command: Command) -> bool:
        """What no list can contain: a newcomer, a bet that nobody has, or a step that only raises a problem."""
        match command:
            case reports.ExchangeShoe():
                return True  # only a restored floor gives it
            case commands.BuyIn():
                return command.who not in self.table.people
            case commands.CashOut() | commands.Sit() | commands.StandBehind() | commands.SqueezeCard():
                return self._records(command) and command.who not in self.table.people
            case commands.WaiveThirdCardInsurance():
                return self._records(command) and command.who not in self.table.people
            case commands.PlaceBet():
                return self._records(command) and not self._is_at_box(command)
            case commands.TakeInsurance() | commands.CallInsurance():
                return any(isinstance(event, InsuranceFlagged) for event in self._decided(command))
            case reports.ReturnUninsuredBets():
                return self.table.settings is not None and self.table.settings.cards_only
            case reports.ReportLateBet():
                return (command.who, command.box, command.bet) not in self.books.stakes
            case reports.ReportWrongNumber():
                return not self.books.cards.lying  # the cards that the report names are the hand
            case reports.Rule():
                return not command.amounts.keys() <= self.table.people
        return self.goes_wrong(command)

    def _records(self, command: Command) -> bool:
        """Whether the command says what happened at the felt."""
        return self.books.felt and command.position is not Position.PLAYER

    def _is_at_box(self, command: commands.PlaceBet) -> bool:
        """Whether the player is at the box by their seat, by standing there, or by their name."""
        who, box = command.who, command.box
        if not self.rules.topics[Topic.STANDING_PLAYER] and who in self.table.people:
            return True
        known = who in (self.table.seats.get(box), *(each for each, at in self.table.behind.items() if box in at))
        return known or who == f"box {box}"

    def _decided(self, command: Command) -> tuple[Event, ...]:
        decision = decide(self.rules, self.table, command)
        return () if isinstance(decision, Refusal) else decision

    def goes_wrong(self, command: Command) -> bool:
        """The only event would be that the table raises a problem."""
        decision = decide(self.rules, self.table, command)
        return not isinstance(decision, Refusal) and isinstance(decision[0], IrregularityRaised)

    # ---- how a round continues

    @property
    def boxes(self) -> int:
        return self.table.settings.boxes if self.table.settings else 0

    @property
    def face_down(self) -> bool:
        return self.table.settings is not None and self.table.settings.face_down

    @property
    def offer_stands(self) -> bool:
        """Insurance can be taken: the next card has not been drawn."""
        return self.table.round is not None and self.table.round.insurance.offer_stands

    def check_step(self, pick: Callable[[tuple[Face, ...]], Face]) -> Command | None:
        """The next automatic step, which the table must accept."""
        step = next_step(self.rules, self.table)
        if step is None:
            return None
        command = step.command(pick(self.lawful_cards(step.place)) if step.needs_card else None)
        assert self.accepts(command), (command, decide(self.rules, self.table, command))
        if step.automation is Automation.TURN:  # when the time to squeeze is over, the others are turned too
            cards = self.books.cards
            assert self.table.settings is not None
            timed = Automation.SQUEEZE in self.table.settings.automations
            side, squeezes = cards.side_at(step.place), self.books.squeezes
            who = None if side is None else squeezes.accepted.get(side)
            if side and who and step.place >= squeezes.from_place[who, side]:
                opened = cards.laid_open if timed else cards.squeezed
                assert step.place in opened, "the player who squeezes a hand opens its cards"
        return command

    def lawful_cards(self, place: int = 0) -> tuple[Face, ...]:
        """The cards that may lie at a position, or come next: those of which the shoe may still hold a copy."""
        table, now = self.table, self.table.round
        shoes = {
            shoe.id: shoe
            for shoe in (*(now.irregularities.replaced_shoes if now else ()), table.shoe)
            if shoe is not None
        }
        name = table.carried[0].shoe if table.carried else table.shoe.id if table.shoe else ""
        if place and now is not None:
            name = now.shoes[place - 1]
        shoe = shoes.get(name)
        by_rank = table.settings is not None and table.settings.faces_by_rank
        faces = tuple(Face) if by_rank else tuple(Face(card) for card in Card)
        return tuple(face for face in faces if shoe is None or shoe.has_left(face))


def _covers(option: LegalMove, command: Command) -> bool:
    listed = option.command
    if type(listed) is not type(command):
        return False
    if isinstance(command, NAMED_ONCE):
        return True
    if any(getattr(listed, name, None) != getattr(command, name, None) for name in _SUBJECT):
        return False
    amount = AMOUNTS.get(type(command))
    return amount is None or getattr(listed, amount) <= getattr(command, amount) <= (option.most or 0)

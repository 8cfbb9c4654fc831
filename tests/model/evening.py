"""An evening under watch: every command is judged, carried out, and held against all that must always be true."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from punto import book as read_book
from punto import book_ids
from punto.rules.cards import Card
from punto.rules.rulebook import Rulebook
from punto.rules.stakes import MAIN_BETS
from punto.table import commands, decide, evolve, handle, legal, next_step
from punto.table.commands import AnyCommand, Command
from punto.table.decision import Decision
from punto.table.events import AnyEvent, BettingClosed, CardTurned, Event, MoneyEvent, RoundSettled
from punto.table.ledger import FELT, chips
from punto.table.legality import Option
from punto.table.positions import Position
from punto.table.refusals import Refusal, TableCode
from punto.table.state import CARD_AT, Phase, Round, Table
from tests.model.slow_books import SlowBooks

_ENCODE = msgspec.json.Encoder().encode
_COMMANDS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)
_ANSWERS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Refusal)

AMOUNTS: dict[type[Command], str] = {
    commands.PlaceBet: "stake_minor",
    commands.TakeInsurance: "stake_minor",
    commands.WithdrawBet: "amount_minor",
    commands.CashOut: "amount_minor",
    commands.BuyIn: "amount_minor",
    commands.LoadShoe: "decks",
}
"""The amount of a command, which an option bounds."""
NO_AMOUNTS = (True, 1.0, 1.5, "7", None, float("nan"))
"""What Python lets somebody give as an amount."""
_SUBJECT = ("who", "box", "bet", "side", "place")
OTHER_BOOKS = tuple(read_book(book) for book in book_ids())
READERS = (Position.AUDITOR, Position.ADMINISTRATOR)


class Evening:
    """A table, all that happened at it, and the slow books beside it."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.table = Table()
        self.events: list[Event] = []
        self.replayed = Table()
        """Made of the events as they come back out of the journal."""
        self.books = SlowBooks(rules)
        self.provoked: set[TableCode] = set()

    def do(self, command: Command) -> Decision:
        """Give the table a command."""
        assert _COMMANDS.decode(_ENCODE(command)) == command
        before = self.table
        self.table, decision = handle(self.rules, before, command)
        if isinstance(decision, Refusal):
            assert self.table is before
            self.provoked.add(decision.code)
            self._check_refusal(command, decision)
            return decision
        assert decision, command
        if command.position is Position.PLAYER:
            assert not any(isinstance(event, CardTurned) for event in decision), "no player names a card"
        for event in decision:
            self._check_event(event)
            self.events.append(event)
            self.books.record(event)
            self.replayed = evolve(self.replayed, _EVENTS.decode(_ENCODE(event)))
        return decision

    def _check_refusal(self, command: Command, refusal: Refusal) -> None:
        assert refusal.code in TableCode
        assert _ANSWERS.decode(_ENCODE(refusal)) == refusal
        assert msgspec.to_builtins(refusal)["refusal"] == "refusal.1"
        assert refusal.detail.strip()
        assert len(refusal.detail) < 500, "words for people, however long the command"
        cited = self.rules.topics[refusal.topic] if refusal.topic else ()
        assert refusal.clauses[: len(cited)] == cited
        if refusal.code is not TableCode.BET_NOT_ON_LAYOUT:  # which cites what the bet pays elsewhere too
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
        """All that must be true of a table after every command."""
        assert self.replayed == self.table
        law = ("", "") if self.table.phase is Phase.CLOSED else (self.rules.id, self.rules.law_hash)
        assert (self.table.book, self.table.law_hash) == law
        self._check_money()
        self._check_cards()
        self._check_people()
        self._check_limits()

    def check_replay(self) -> None:
        """The same events once more, from the beginning."""
        table = Table()
        for event in self.events:
            table = evolve(table, event)
        assert table == self.table

    def _check_money(self) -> None:
        table = self.table
        assert table.balances == self.books.balances
        assert sum(table.balances.values()) == 0
        assert all(held > 0 for account, held in table.balances.items() if account.startswith(chips("")))
        in_play = 0
        if table.round is not None and not table.round.settled:
            in_play = sum(placed.stake_minor for placed in table.round.bets.values())
            in_play += sum(covered.stake_minor for covered in table.round.cover)
        assert table.balances.get(FELT, 0) == in_play
        if table.phase in (Phase.CLOSED, Phase.READY):
            assert FELT not in table.balances

    def _check_cards(self) -> None:
        """Every card in the state was turned before everybody, and comes no oftener than the decks hold it."""
        table, books = self.table, self.books
        now = table.round or Round(0)
        assert list(now.cards) == books.cards
        assert (set(now.squeezed), now.accepted, now.last) == (books.squeezed, books.accepted, books.last)
        assert set(now.shoes) <= {books.shoe} or now.settled, "a shoe stays for the round"
        assert len(now.shoes) == len(now.cards)
        if table.shoe is None:
            assert not books.decks
            return
        shoe = table.shoe
        assert {card: shoe.seen[at] for card, at in CARD_AT.items() if shoe.seen[at]} == dict(books.seen)
        assert all(seen <= shoe.decks for seen in books.seen.values())
        assert (shoe.id, shoe.decks, shoe.drawn) == (books.shoe, books.decks, books.drawn)
        assert shoe.cut_card_out == books.cut_card_out
        assert sum(books.seen.values()) <= shoe.drawn <= shoe.decks * 52

    def _check_people(self) -> None:
        """Whoever has chips, a place or stakes, and nobody else: who left with nothing is forgotten."""
        table = self.table
        holders = {account.removeprefix(chips("")) for account in table.balances if account.startswith(chips(""))}
        staked = {stake.who for stake in self.books.stakes.values()}
        placed = {*table.seats.values(), *table.behind}
        assert table.people == holders | staked | placed
        assert staked <= placed
        assert all(table.behind.values())

    def _check_limits(self) -> None:
        """An enforcing table has nothing beyond its limits on the felt."""
        settings, stakes = self.table.settings, self.books.stakes.values()
        if settings is None or settings.observing:
            return
        totals: Counter[tuple[int | None, str]] = Counter()
        for stake in stakes:
            limits = settings.main if stake.bet in MAIN_BETS else settings.side
            most = limits.max_minor
            if most is None and stake.bet in MAIN_BETS:
                most = settings.differential_minor  # which serves where no maximum is stated
            totals[stake.box, stake.bet] += stake.stake_minor
            assert stake.stake_minor >= (limits.min_minor or 1)
            assert most is None or totals[stake.box, stake.bet] <= most
        if settings.differential_minor is not None:
            for box in {stake.box for stake in stakes}:
                assert abs(totals[box, "player"] - totals[box, "banker"]) <= settings.differential_minor

    # ---- what a screen may build on

    def accepts(self, command: Command) -> bool:
        """Whether the table would take the command."""
        decision = decide(self.rules, self.table, command)
        self.check_other_books(command)
        if isinstance(decision, Refusal):
            self.provoked.add(decision.code)
            self._check_refusal(command, decision)
            return False
        return True

    def check_other_books(self, command: Command) -> None:
        """Once open, a table takes nothing under another book's law."""
        if self.table.phase is Phase.CLOSED:
            return
        for other in OTHER_BOOKS:
            if other.id == self.rules.id:
                continue
            refusal = decide(other, self.table, command)
            assert isinstance(refusal, Refusal), command
            assert refusal.code is TableCode.WRONG_BOOK
            self.provoked.add(refusal.code)
            assert legal(other, self.table, command.by, command.position) == ()
            assert next_step(other, self.table) is None

    def check_no_amounts(self, command: Command) -> None:
        """What is no whole number is no amount, whatever else may be wrong."""
        amount = AMOUNTS.get(type(command))
        if amount is None or isinstance(command, commands.LoadShoe):
            return
        for no_amount in NO_AMOUNTS:
            refusal = decide(self.rules, self.table, msgspec.structs.replace(command, **{amount: no_amount}))
            assert isinstance(refusal, Refusal), no_amount
            self.provoked.add(refusal.code)

    def check_options(self, by: str, position: Position) -> tuple[Option, ...]:
        """What ``legal`` lists, ``decide`` accepts: from the least to the most, and no more."""
        options = legal(self.rules, self.table, by, position)
        assert not (options and position in READERS)
        for option in options:
            command, most = option.command, option.most
            assert (command.by, command.position) == (by, position)
            assert self.accepts(command)
            if most is None:
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
        return options

    def _leaves(self, option: Option, more_minor: int) -> bool:
        """So much more than the most of an option would be a whole bet, which is another option."""
        command = option.command
        if not isinstance(command, commands.WithdrawBet):
            return False
        stake = self.books.stakes[command.who, command.box, command.bet].stake_minor
        return (option.most or 0) + more_minor == stake

    def _check_withdrawals(self, options: tuple[Option, ...]) -> None:
        """A bet that may be withdrawn may be withdrawn whole, and in part where something of it can stay."""
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
            least = 1 if settings.observing else limits.min_minor or 1
            in_part = [(1, stake - least)] if stake > least else []
            assert listed == [*in_part, (stake, stake)]

    def check_listed(self, options: tuple[Option, ...], command: Command) -> None:
        """What ``decide`` accepts, ``legal`` has listed, for the same subject and within its bounds."""
        if self.accepts(command):
            assert self.newcomer(command) or any(_covers(option, command) for option in options), command

    def newcomer(self, command: Command) -> bool:
        """Someone not at the table buys in: the list has an example, it cannot name him."""
        return isinstance(command, commands.BuyIn) and command.who not in self.table.people

    # ---- how a round goes on

    @property
    def boxes(self) -> int:
        """How many boxes the table has."""
        return self.table.settings.boxes if self.table.settings else 0

    @property
    def face_down(self) -> bool:
        """How cards are dealt here."""
        return self.table.settings is not None and self.table.settings.face_down

    @property
    def offer_open(self) -> bool:
        """Insurance is on offer."""
        return self.table.round is not None and self.table.round.offer_open

    def check_step(self, pick: Callable[[tuple[Card, ...]], Card]) -> Command | None:
        """The step that the table may take by itself, which it then accepts."""
        step = next_step(self.rules, self.table)
        if step is None:
            return None
        shoe = self.table.shoe
        assert shoe is not None
        command = step.command(pick(self.lawful_cards()) if step.needs_card else None)
        assert self.accepts(command), command
        if isinstance(command, commands.TurnCard):
            accepted = self.books.to[command.place - 1] in self.books.accepted
            assert not accepted or command.place in self.books.squeezed, "whoever accepts a hand opens its cards"
        return command

    def lawful_cards(self) -> tuple[Card, ...]:
        """The cards of which the shoe may still hold a copy."""
        shoe = self.table.shoe
        return tuple(card for card, at in CARD_AT.items() if shoe is None or shoe.seen[at] < shoe.decks)

    def forward(self, pick: Callable[[tuple[Card, ...]], Card]) -> Command | None:
        """What a simple dealer does next in an open round; None if the shoe has run out on him."""
        by = ("del", Position.DEALER)
        cards = self.lawful_cards()
        card = pick(cards) if cards else None
        now = self.table.round
        assert now is not None
        tries: list[Command] = [
            commands.CloseBetting(*by),
            commands.Settle(*by),
            commands.OpenInsurance(*by),
            commands.DealCard(*by, None if self.face_down else card),
        ]
        if card is not None:
            tries += [commands.TurnCard(*by, at, card) for at, seen in enumerate(now.cards, 1) if seen is None]
        for command in tries:
            if self.accepts(command):
                return command
        refusal = decide(self.rules, self.table, tries[3])
        assert isinstance(refusal, Refusal)
        assert self.table.shoe is not None
        assert not self.table.shoe.left, refusal
        return None

    def check_round_can_be_finished(self, pick: Callable[[tuple[Card, ...]], Card]) -> None:
        """Within forty commands, whatever has happened in it so far."""
        if self.table.phase not in (Phase.BETTING, Phase.DEALING):
            return
        trial = Evening(self.rules)
        trial.table = self.table
        for _ in range(40):
            command = trial.forward(pick)
            if command is None:
                return
            trial.table, _decision = handle(self.rules, trial.table, command)
            if trial.table.phase is Phase.READY:
                return
        raise AssertionError("the round does not end")


def _covers(option: Option, command: Command) -> bool:
    listed = option.command
    if type(listed) is not type(command):
        return False
    if any(getattr(listed, name, None) != getattr(command, name, None) for name in _SUBJECT):
        return False
    amount = AMOUNTS.get(type(command))
    return amount is None or getattr(listed, amount) <= getattr(command, amount) <= (option.most or 0)

"""Cards and shoes computed slowly from the events alone, independently of the engine's state."""

from collections import Counter

from msgspec import Struct

from punto import Coup
from punto.rules.coup.cards import SUITS, Face
from punto.rules.coup.table_of_play import Side, To
from punto.rules.rulebook import Rulebook
from punto.table.records import correction_events, events, findings
from punto.table.records.events import Event
from punto.table.records.kinds import Irregularity
from punto.table.records.settings import ContinuousShuffler, Settings
from tests.model.slow_orders import lawful


class OutOfMachine(Struct):
    """A card that is out of its shoe: who knows it, and the round after which it may go back."""

    card: Face | None = None
    after: int | None = None
    """None while its round is being played, and for a card that waits to be dealt."""
    burned_before: bool = False
    """Burned between rounds: it belongs to the round that the shoe deals to next."""


class SlowShoe:
    """One shoe and the cards that have left it."""

    def __init__(self, name: str, decks: int, machine: ContinuousShuffler | None = None) -> None:
        self.name, self.decks, self.machine = name, decks, machine
        self.out: dict[int, OutOfMachine] = {}
        """By position, every card that has left it and not gone back."""
        self.drawn = self.burned = 0
        self.seen: Counter[Face] = Counter()
        """By face as entered: a card whose suit nobody entered counts as its rank."""
        self.cut_card_out = False
        self.shown: Face | None = None
        """The card shown at the burn."""

    def has_too_many(self, face: Face) -> bool:
        """More copies of the card, or cards of its rank, were seen than the decks have."""
        of_rank = sum(count for seen, count in self.seen.items() if seen.rank == face.rank)
        return of_rank > self.decks * len(SUITS) or (bool(face.suit) and self.seen[face] > self.decks)


class Lying(Struct):
    """A drawn card: its shoe, when it was drawn, and whether anybody has seen it."""

    shoe: SlowShoe
    draw: int
    """Position in the shoe, counted from 0."""
    card: Face | None
    drawn_in: int | None
    """The round it was drawn or dealt in, None between rounds."""
    exposed: Face | None = None
    """The card, if it was seen before it was dealt."""


class SlowCards:
    """Records every event about cards. Every card has a shoe; a machine has back only what it may take back."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.settings: Settings | None = None
        self.shoe: SlowShoe | None = None
        self.next_shoe: SlowShoe | None = None
        self.lying: list[Lying] = []
        """The cards of the round by position."""
        self.carried: list[Lying] = []
        self.squeezed: set[int] = set()
        self.laid_open: set[int] = set()
        self.last = False
        self.rounds = self.calls = 0
        """The round, and the calls for bets: those that were cancelled and gave back a round count too."""
        self.between_rounds = True
        self.reordered = False
        """Whether an order was ruled in this round."""
        self.order_lost: tuple[int, ...] = ()
        """Places of the cards whose order nobody knows."""
        self.taken_off: dict[str, bool] = {}
        """Shoes that were taken off or replaced, and whether they may come back under another name."""
        self.raised: Face | None = None
        """The card that the table has raised, if it lies face up."""
        self.closed = False
        """Betting is closed."""

    @property
    def faces(self) -> list[Face | None]:
        return [lying.card for lying in self.lying]

    @property
    def coup(self) -> Coup:
        """The coup by the positions of the cards."""
        return Coup.of(self.rules.space, tuple(self.faces))

    @property
    def exposed(self) -> bool:
        """A card that was drawn in this round before its time lies face up."""
        drawn = any(lying.card is not None and lying.drawn_in == self.rounds for lying in self.carried)
        return drawn or self.raised is not None

    @property
    def as_if_dealt(self) -> Coup:
        """The coup with the cards drawn before their time; cards whose order is lost as if nobody had seen them."""
        faces = [*self.faces, *(lying.card for lying in self.carried)]
        for place in self.order_lost:
            faces[place - 1] = None
        return Coup.of(self.rules.space, tuple(faces))

    @property
    def known(self) -> set[Face | None]:
        """All cards of this round and the next that anybody has seen."""
        return {lying.card for lying in (*self.lying, *self.carried)}

    def record(self, event: Event) -> None:
        match event:
            case events.TableOpened() | events.SettingsChanged():
                self.settings = event.settings
            case events.ShoeLoaded():
                assert self.between_rounds or self.shoe is None
                self.shoe, self.carried = self._new_shoe(event), []
            case events.CardsBurned():
                shoe = self._on_the_table(event.shoe)
                assert not shoe.drawn, "first of all"
                assert shoe.machine is None or shoe.machine.burn, "a machine burns none unless set"
                assert event.unseen == self._burned_with(event.card)
                shoe.drawn = shoe.burned = 1 + event.unseen
                shoe.shown = event.card
                early = self.between_rounds
                shoe.out.update({draw: OutOfMachine(burned_before=early) for draw in range(shoe.drawn)})
                self._see(shoe, 0, event.card)
            case events.BettingOpened():
                self._begin(event)
            case events.BettingClosed():
                self.closed = True
            case events.CardDealt():
                self._deal(event)
            case events.CardTurned():
                self._turn(event)
            case events.CutCardReached():
                self._reach_cut_card(event)
            case events.ShoeReconciled():
                self._reconcile(event)
            case events.CardSqueezed():
                self._squeeze(event)
            case events.RoundSettled():
                left = self.lying[len(self.lying) - event.left_over :] if event.left_over else []
                assert tuple(lying.card for lying in left) == self.coup.left_over
                self.carried = left + self.carried
                self._end()
            case _:
                self._record_trouble(event)

    def _record_trouble(self, event: Event) -> None:
        match event:
            case findings.CardsDrawnOutOfTurn():
                shoe = self._on_the_table(event.shoe)
                for card in event.cards:
                    draw = self._draw(shoe)
                    self.carried.append(Lying(shoe, draw, card, None if self.between_rounds else self.rounds))
                    if card is not None:
                        self._see(shoe, draw, card)
            case findings.OrderLost():
                assert set(event.places) <= set(range(1, len(self.lying) + len(self.carried) + 1))
                assert len(event.places) > 1, "one card has no order"
                self.order_lost = event.places
            case findings.CardOrderRuled():
                self._rule_order(event)
            case findings.RoundVoided():
                self.carried = [lying for lying in self.carried if lying.drawn_in != self.rounds]
                self.order_lost = ()
                self._end()
            case findings.IrregularityRaised():
                self.raised = event.card
                if event.kind is Irregularity.CARD_COUNT and event.card is not None:
                    assert self._copies_are_out(event.card), "only a card that cannot be in it"
            case findings.IrregularityDismissed() | findings.IrregularityReported():
                self.raised = None
            case _:
                self._record_correction(event)
                self._record_change_of_shoe(event)

    def _record_correction(self, event: Event) -> None:
        match event:
            case findings.SettlementReversed():
                self.between_rounds = False  # cards that are found now belong to the round
                for each in self.shoe.out.values() if self.shoe is not None else ():
                    each.after = None if each.after == self.rounds else each.after
                if event.again:
                    self.closed = True
                    self.carried = self._beyond()
            case findings.CardCorrected():
                self._correct(event)
            case correction_events.BettingReopened():
                assert not self.lying
                self.closed = False
            case correction_events.RoundCancelled():
                assert not self.lying
                self._end()

    def _record_change_of_shoe(self, event: Event) -> None:
        match event:
            case events.CardsPutBack():
                self._put_back(event)
            case findings.ShoeInspected():
                assert event.shoe in self.taken_off
                self.taken_off[event.shoe] = True
            case findings.ShoeTakenOff():
                self.taken_off[event.shoe] = False
                if self.shoe is not None and self.shoe.name == event.shoe:
                    self.shoe, self.carried = None, []
            case findings.ShoeReplaced():
                assert self.shoe is not None
                self.taken_off[self.shoe.name] = False
                new = self._new_shoe(event)
                if event.now:
                    self.shoe, self.next_shoe = new, None
                else:
                    self.next_shoe = new
            case findings.ShoeExchanged():
                self._exchange(event)

    def _exchange(self, event: findings.ShoeExchanged) -> None:
        """What lies face down comes from the new shoe now, the dealt cards first."""
        assert not self.between_rounds
        assert event.shoe not in self.taken_off
        self._on_the_table(event.was)
        assert self.settings is not None
        assert event.continuous == self.settings.continuous
        new = SlowShoe(event.shoe, event.decks, event.continuous)
        unseen = [(place, lying) for place, lying in enumerate((*self.lying, *self.carried), 1) if lying.card is None]
        assert event.dealt_again == tuple(place for place, _ in unseen)
        for _, lying in unseen:
            assert lying.exposed is None, "what was seen stays"
            lying.shoe, lying.draw = new, self._draw(new)
        self.shoe, self.next_shoe = new, None
        self.squeezed -= set(event.dealt_again)
        self.laid_open -= set(event.dealt_again)

    def _new_shoe(self, event: events.ShoeLoaded | findings.ShoeReplaced) -> SlowShoe:
        assert event.shoe not in self.taken_off, "a shoe that was taken off does not come back under its name"
        if event.formerly:
            assert self.taken_off[event.formerly], "inspected, and not back yet"
            self.taken_off[event.formerly] = False
        assert self.settings is not None
        assert event.continuous == self.settings.continuous, "the setting is for the next shoe"
        return SlowShoe(event.shoe, event.decks, event.continuous)

    def _draw(self, shoe: SlowShoe) -> int:
        """Take the next card out."""
        if not self.between_rounds:
            _belong_to_the_round(shoe)
        shoe.out[shoe.drawn] = OutOfMachine()
        shoe.drawn += 1
        return shoe.drawn - 1

    def _copies_are_out(self, face: Face) -> bool:
        shoes = [self.shoe, *(lying.shoe for lying in (*self.lying, *self.carried))]
        faces = [[each.card for each in shoe.out.values() if each.card] for shoe in shoes if shoe is not None]
        return any(
            sum(card.rank == face.rank for card in out) >= shoe.decks * len(SUITS)
            or (bool(face.suit) and out.count(face) >= shoe.decks)
            or len(shoe.out) == shoe.decks * 52
            for shoe, out in zip((shoe for shoe in shoes if shoe is not None), faces, strict=True)
        )

    def _due_back(self, shoe: SlowShoe) -> dict[int, OutOfMachine]:
        """What a machine takes back at the next call."""
        if shoe.machine is None:
            return {}
        waiting = {lying.draw for lying in self.carried if lying.shoe is shoe}
        newest = self.rounds + 1 - shoe.machine.back_after_rounds
        return {
            draw: each
            for draw, each in shoe.out.items()
            if draw not in waiting and each.after is not None and each.after <= newest
        }

    def _put_back(self, event: events.CardsPutBack) -> None:
        shoe = self._on_the_table(event.shoe)
        assert self.between_rounds
        back = self._due_back(shoe)
        assert (event.cards, set(event.rounds)) == (len(back), {each.after for each in back.values()})
        for draw, each in back.items():
            del shoe.out[draw]
            if each.card is not None:
                shoe.seen[each.card] -= 1

    def _reconcile(self, event: events.ShoeReconciled) -> None:
        shoe = self._on_the_table(event.shoe)
        assert self.between_rounds
        assert (event.burned, event.dealt) == (shoe.burned, shoe.drawn - shoe.burned)
        assert event.left == shoe.decks * 52 - len(shoe.out)
        assert shoe.machine is not None or event.dealt + event.burned + event.left == shoe.decks * 52
        assert event.difference == (None if event.counted is None else event.counted - event.left)
        self.shoe, self.carried = None, []

    def _on_the_table(self, name: str) -> SlowShoe:
        assert self.shoe is not None
        assert self.shoe.name == name
        return self.shoe

    def _see(self, shoe: SlowShoe, draw: int, card: Face) -> None:
        shoe.seen[card] += 1
        shoe.out[draw].card = card
        assert not shoe.has_too_many(card), "no more copies than decks"

    def _burned_with(self, card: Face) -> int:
        """As many as the card shows; ten for a ten or a court card."""
        return self.rules.space.card_values[card] or 10

    def _beyond(self) -> list[Lying]:
        """The cards drawn too early. Those that a settled coup left over are still on the table too."""
        dealt = {id(lying) for lying in self.lying}
        return [lying for lying in self.carried if id(lying) not in dealt]

    def _correct(self, event: findings.CardCorrected) -> None:
        """Another face, or one card fewer; then the cards that belong to the coup are dealt and the others are not."""
        if event.place is None:
            self._correct_burned(event)
            return
        was, sequence = self.coup, [*self.lying, *self._beyond()]
        lying = sequence[event.place - 1]
        assert (lying.shoe.name, lying.draw, lying.card or lying.exposed) == (event.shoe, event.draw, event.was)
        assert event.card != event.was
        lying.shoe.seen[event.was] -= 1
        in_play = self.closed and not self.between_rounds
        assert in_play == (event.dealt is not None)
        if event.card is None:
            assert lying is sequence[-1], "no card follows it"
            assert lying.draw == lying.shoe.drawn - 1
            lying.shoe.drawn -= 1
            del lying.shoe.out[lying.draw]
            self.lying = [each for each in self.lying if each is not lying]
            self.carried = [each for each in self.carried if each is not lying]
            self.order_lost = tuple(place for place in self.order_lost if place != event.place)
            self.order_lost = self.order_lost if len(self.order_lost) > 1 else ()
        else:
            lying.shoe.seen[event.card] += 1
            lying.shoe.out[lying.draw].card = lying.card = event.card
        if event.cut_card_in:
            assert lying.shoe.cut_card_out
            lying.shoe.cut_card_out = False
        if event.dealt is not None:
            self._deal_by_the_table_of_play(event.dealt, finished=was.next.to is To.NOBODY)

    def _deal_by_the_table_of_play(self, dealt: int, *, finished: bool) -> None:
        """Cards that no coup can have are not dealt. A card that came after a finished coup may be one of it now.

        Not one whose order is lost: nobody knows yet whether it came next.
        """
        sequence, faces = [*self.lying, *self.carried], [*self.faces, *(lying.card for lying in self.carried)]
        expected = max(count for count in range(len(self.lying) + 1) if lawful(self.rules, faces[:count]))
        if finished and expected == len(self.lying):
            known = min(len(faces), 6, *(place - 1 for place in self.order_lost))
            while expected < known and faces[expected] and lawful(self.rules, faces[: expected + 1]):
                expected += 1
        assert dealt == expected
        for lying in sequence[len(self.lying) : dealt]:
            lying.drawn_in = self.rounds
        self.lying, self.carried = sequence[:dealt], sequence[dealt:]
        self.squeezed = {place for place in self.squeezed if place <= dealt}
        self.laid_open = {place for place in self.laid_open if place <= dealt}

    def _correct_burned(self, event: findings.CardCorrected) -> None:
        """Another number of cards was burned with it, and the later cards came from further or less far in the shoe."""
        shoes = [lying.shoe for lying in (*self.lying, *self.carried)]
        (shoe,) = {
            id(each): each for each in (self.shoe, *shoes) if each is not None and each.name == event.shoe
        }.values()
        assert event.card is not None
        assert (event.draw, event.was) == (0, shoe.shown)
        assert event.burned_unseen == self._burned_with(event.card)
        moved = 1 + event.burned_unseen - shoe.burned
        later = {draw + moved: each for draw, each in shoe.out.items() if draw >= shoe.burned}
        shoe.out = {draw: OutOfMachine() for draw in range(1 + event.burned_unseen)} | later
        shoe.out[0].card = event.card
        shoe.shown, shoe.burned, shoe.drawn = event.card, shoe.burned + moved, shoe.drawn + moved
        shoe.seen.update({event.was: -1, event.card: 1})
        for lying in {id(each): each for each in (*self.lying, *self.carried) if each.shoe is shoe}.values():
            lying.draw += moved

    def _begin(self, event: events.BettingOpened) -> None:
        assert self.shoe is not None
        assert not self._due_back(self.shoe), "it went back before the call"
        self.calls += 1
        self.rounds = self.calls
        assert event.round == self.rounds
        assert self.between_rounds
        assert event.carried == tuple(lying.card for lying in self.carried), "shown before betting"
        for lying in self.carried:
            lying.shoe.out[lying.draw].after = None
        _belong_to_the_round(self.shoe)
        self.lying = []
        self.between_rounds, self.last, self.reordered, self.closed = False, event.last, False, False
        self.squeezed, self.laid_open, self.order_lost, self.raised = set(), set(), (), None

    def _deal(self, event: events.CardDealt) -> None:
        assert event.carried == bool(self.carried), "what was drawn before its time comes first"
        if event.carried:
            lying = self.carried.pop(0)
            assert lying.shoe.name == event.shoe
            self.lying.append(Lying(lying.shoe, lying.draw, None, self.rounds, lying.card))
        else:
            shoe = self._on_the_table(event.shoe)
            self.lying.append(Lying(shoe, self._draw(shoe), None, self.rounds))
        assert event.place == len(self.lying) <= 6
        assert event.to is self.side_at(event.place)

    def _turn(self, event: events.CardTurned) -> None:
        lying = self.lying[event.place - 1]
        assert lying.card is None
        lying.card = event.card
        assert event.again == (lying.exposed is not None), "a card is seen for the first time once"
        assert lying.exposed in (None, event.card)
        if not event.again:
            self._see(lying.shoe, lying.draw, event.card)

    def _reach_cut_card(self, event: events.CutCardReached) -> None:
        assert self.settings is not None
        shoe = self._on_the_table(event.shoe)
        assert not shoe.cut_card_out, "once a shoe"
        assert shoe.machine is None, "a machine has none"
        left = shoe.decks * 52 - shoe.drawn
        if event.announced_left is None:
            assert left <= self.settings.cut_card
            assert not self.settings.observing, "only the dealer sees it there"
        else:
            assert event.announced_left == left
        assert event.last == (self.settings.rounds_after_cut_card == 0)
        shoe.cut_card_out = True
        self.last |= event.last and not self.between_rounds

    def _squeeze(self, event: events.CardSqueezed) -> None:
        assert self.lying[event.place - 1].card is None
        assert event.place not in (self.laid_open if event.laid_open else self.squeezed)
        self.squeezed.add(event.place)
        if event.laid_open:
            self.laid_open.add(event.place)

    def _rule_order(self, event: findings.CardOrderRuled) -> None:
        """Reorder the cards; cards not dealt yet stay last."""
        before = [*self.lying, *self.carried]
        assert tuple(sorted(event.order)) == self.order_lost, "only the cards in doubt"
        self.order_lost = ()
        after = list(before)
        for place, came_from in zip(sorted(event.order), event.order, strict=True):
            after[place - 1] = before[came_from - 1]
        was_squeezed = {id(before[place - 1]) for place in self.squeezed}
        lay_open = {id(before[place - 1]) for place in self.laid_open}
        dealt = len(self.lying)
        self.lying, self.carried = after[:dealt], after[dealt:]
        self.squeezed = {place for place, lying in enumerate(self.lying, 1) if id(lying) in was_squeezed}
        self.laid_open = {place for place, lying in enumerate(self.lying, 1) if id(lying) in lay_open}
        self.reordered = True

    def side_at(self, place: int) -> Side | None:
        """The hand that the card at a position belongs to, or None if unknown."""
        if place <= 4:
            return (Side.PLAYER, Side.BANKER)[(place - 1) % 2]
        to = (self.coup.fifth if place == 5 else self.coup.sixth).to
        return Side(to.value) if to in (To.PLAYER, To.BANKER) else None

    def _end(self) -> None:
        """What does not wait to be dealt belongs to the round that is over."""
        self.between_rounds = True
        waiting = {id(lying.shoe.out[lying.draw]) for lying in self.carried}
        for each in self.shoe.out.values() if self.shoe is not None else ():
            if each.after is None and id(each) not in waiting and not each.burned_before:
                each.after = self.rounds
        if self.next_shoe is not None:
            self.shoe, self.next_shoe = self.next_shoe, None
        self.carried = [lying for lying in self.carried if lying.shoe is self.shoe]


def _belong_to_the_round(shoe: SlowShoe) -> None:
    """The shoe deals to a round, so what was burned before belongs to it."""
    for each in shoe.out.values():
        each.burned_before = False

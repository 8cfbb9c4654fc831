"""Who may squeeze which hand, from the events alone."""

from typing import TYPE_CHECKING

from punto.rules.coup.table_of_play import Side, To
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records import correction_events, events, findings
from punto.table.records.events import Event
from punto.table.records.kinds import Choice

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks


class SlowSqueezes:
    """Records requests, permissions and opened cards, and compares each with what the readings say."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.standing: set[Side] = set()
        """Hands whose squeeze is permitted until the shoe ends."""
        self.start()

    def start(self) -> None:
        """A round starts."""
        self.asked: list[tuple[str, Side]] = []
        """In the order of the requests that wait for an answer."""
        self.granted: list[tuple[str, Side]] = []
        self.from_place: dict[tuple[str, Side], int] = {}
        self.closed = False
        self.lapsing: set[tuple[str, Side]] = set()
        """At the close, those who still have to be told that they no longer have the highest bet."""
        self.lapsed: dict[tuple[str, Side], bool] = {}
        """Requests that lapsed, and whether they had been granted."""
        self.taken_back: dict[str, tuple[list[tuple[str, Side]], list[tuple[str, Side]]]] = {}
        """By player, the requests and permissions that went with their bets."""

    @property
    def accepted(self) -> dict[Side, str]:
        """After the close: who squeezes each hand."""
        return {side: who for who, side in self.granted}

    def highest(self, side: Side) -> str | None:
        """The seated player with the highest Original Bet, at the lowest box if two are equal."""
        settings = self.books.settings
        assert settings is not None
        bets = {side.value} if settings.squeeze_by_hand else MAIN_BETS
        seated = [
            (-stake.stake_minor, stake.box or 0, stake.who)
            for stake in self.books.stakes.values()
            if stake.seated and stake.bet in bets and stake.who not in self.books.away
        ]
        return min(seated)[2] if seated else None

    def record(self, event: Event) -> None:
        if self.lapsing:
            assert isinstance(event, events.SqueezeLapsed)
        self._record_correction(event)
        match event:
            case events.BettingOpened():
                self.start()
            case events.SqueezeRequested():
                self._request(event)
            case events.SqueezeGranted():
                self._grant(event)
            case events.SqueezeRefused(standing=True):
                assert not event.who
                self.standing.remove(event.side)
            case events.SqueezeRefused():
                assert self._latest(event.side) == event.who
                self._forget(event.who, event.side)
            case events.BettingClosed():
                self.closed = True
                self.lapsing = {each for each in self.asked + self.granted if self.highest(each[1]) != each[0]}
            case events.SqueezeLapsed():
                self._lapse(event)
                self.lapsed[event.who, event.side] = (event.who, event.side) in self.granted
                assert event.clauses == self.books.rules.topics[Topic.SQUEEZE]
                self._forget(event.who, event.side)
            case events.CardSqueezed():
                self._squeeze(event)
            case events.PlayerLeft():
                self._forget(event.who, *Side)
            case findings.OptionChosen(choice=Choice.RETURN) | correction_events.OptionCorrected(choice=Choice.RETURN):
                held = ([each for each in of if each[0] == event.who] for of in (self.asked, self.granted))
                asked, granted = held
                self.taken_back[event.who] = (asked, granted)
                self._forget(event.who, *Side)
            case events.ShoeLoaded():
                self.standing = set()

    def _record_correction(self, event: Event) -> None:
        if isinstance(event, correction_events.BettingReopened):
            self._reopen()
        if isinstance(event, correction_events.OptionCorrected) and event.choice is Choice.CONTINUE:
            self._give_back(event.who)

    def end_shoe(self) -> None:
        """The shoe has left the table: a standing permission ends with it."""
        self.standing = set()

    def rename(self, who: str, player: str) -> None:
        names = {who: player}
        self.asked = [(names.get(person, person), side) for person, side in self.asked]
        self.granted = [(names.get(person, person), side) for person, side in self.granted]
        self.lapsed = {(names.get(key[0], key[0]), key[1]): granted for key, granted in self.lapsed.items()}
        self.taken_back = {
            names.get(person, person): (
                [(names.get(each, each), side) for each, side in asked],
                [(names.get(each, each), side) for each, side in granted],
            )
            for person, (asked, granted) in self.taken_back.items()
        }
        self.from_place = {(names.get(key[0], key[0]), key[1]): place for key, place in self.from_place.items()}

    def _lapse(self, event: events.SqueezeLapsed) -> None:
        """At the close, or when somebody who now has the highest bet asks for the hand after it."""
        if self.lapsing:
            self.lapsing.remove((event.who, event.side))
            return
        if any(isinstance(each, correction_events.BetCorrected) for each in self.books.decision):
            assert not self.books.cards.lying
            assert self.highest(event.side) != event.who
            return
        (request,) = (each for each in self.books.decision if isinstance(each, events.SqueezeRequested))
        assert self.closed, "while betting is open nothing lapses"
        assert (event.who, event.side) in self.asked + self.granted
        assert (request.side, request.who == event.who) == (event.side, False)

    def _give_back(self, who: str) -> None:
        """Unless somebody else has the hand by now."""
        asked, granted = self.taken_back.pop(who, ([], []))
        taken = {side for _, side in self.asked + self.granted}
        self.asked += [each for each in asked if each[1] not in taken]
        self.granted += [each for each in granted if each[1] not in taken]

    def _reopen(self) -> None:
        """The next close decides again."""
        self.closed = False
        for each, granted in self.lapsed.items():
            (self.granted if granted else self.asked).append(each)
        self.lapsed = {}
        order = list(self.from_place)
        self.asked.sort(key=order.index)
        self.granted.sort(key=order.index)

    def _forget(self, who: str, *sides: Side) -> None:
        self.asked = [(person, side) for person, side in self.asked if person != who or side not in sides]
        self.granted = [(person, side) for person, side in self.granted if person != who or side not in sides]

    def _latest(self, side: Side) -> str:
        return [who for who, hand in self.asked if hand is side][-1]

    def _grant(self, event: events.SqueezeGranted) -> None:
        """A standing one answers every request, or none; any other the latest one."""
        self.standing |= {event.side} if event.standing else set()
        if not event.who:
            assert event.standing
            assert event.side not in {side for _, side in self.asked}
            return
        assert event.standing or self._latest(event.side) == event.who
        assert not self.closed or event.side not in self.accepted, "one person accepts each hand"
        self.asked.remove((event.who, event.side))
        self.granted.append((event.who, event.side))

    def _request(self, event: events.SqueezeRequested) -> None:
        settings, dealt = self.books.settings, len(self.books.cards.lying)
        assert settings is not None
        assert settings.face_down
        assert event.who == self.highest(event.side)
        assert (event.who, event.side) not in self.asked + self.granted
        assert not self.closed or event.side not in {side for _, side in self.asked + self.granted}
        assert event.from_place == dealt + 1
        assert any(self._may_come(place, event.side) for place in range(dealt + 1, 7)), "asked before it is dealt"
        granted = any(isinstance(other, events.SqueezeGranted) for other in self.books.decision)
        assert granted == (settings.squeeze_granted or event.side in self.standing)
        self.asked.append((event.who, event.side))
        self.lapsed.pop((event.who, event.side), None)
        self.from_place.pop((event.who, event.side), None)
        self.from_place[event.who, event.side] = event.from_place

    def _may_come(self, place: int, side: Side) -> bool:
        """Whether a card for that hand may still come at a place."""
        cards = self.books.cards
        if place <= 4:
            return cards.side_at(place) is side
        following = cards.coup.fifth if place == 5 else cards.coup.sixth
        return following.to in (To.UNKNOWN, To(side.value))

    def _squeeze(self, event: events.CardSqueezed) -> None:
        settings, side = self.books.settings, self.books.cards.side_at(event.place)
        assert settings is not None
        if self.books.felt and event.recorded_by:  # it happened, with permission or without
            return
        assert side is not None
        assert self.accepted[side] == event.who
        assert event.place >= self.from_place[event.who, side], "asked for before it was dealt"

"""One table of the day: its shoe, its tray and the rounds that are dealt there."""

from collections import Counter
from random import Random
from typing import Any

from punto.library import book
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import To
from punto.rules.rulebook import Rulebook
from tests.web.day.staff import House
from tests.web.day.tray import OPENER, Tray, piles, total_minor

LAYOUTS = {
    "commission": "B",
    "commission-insurance": "D",
    "da-hu-ying-xiong": "A",
    "super-six-plus": "C",
    "tiger-buffalo": "A",
}
SIDE_BETS = {
    "commission": ("tie", "player_pair"),
    "commission-insurance": ("tie", "banker_pair"),
    "da-hu-ying-xiong": ("tiger", "small_tiger"),
    "super-six-plus": ("super_six_plus", "tie"),
    "tiger-buffalo": ("big_buffalo", "small_tiger"),
}
DECKS = 8
_RANKS, _SUITS = "A23456789TJQK", "shdc"

Event = dict[str, Any]
Bet = tuple[str, int, str, int]
"""Who, box, bet, stake."""


class Felt:
    """A table with real cards. Everything that moves chips moves them in ``tray`` too."""

    def __init__(self, house: House, name: str, game: str, seed: int, *, screen: bool) -> None:
        self.house, self.name, self.game, self.screen = house, name, game, screen
        self.rules = book(game)
        self.on_behalf = screen and game != "commission"
        self.tray = Tray()
        self.caused: Counter[tuple[int, str]] = Counter()
        """By shift and kind, what should make the count differ from the rounds."""
        self.dealer = self.supervisor = ""
        self.shift = 1
        self._random, self._shoes = Random(seed), 0  # noqa: S311 - the same cards every time
        self._shoe: list[str] = []
        self.cards: list[str] = []
        self._first_draw = self._drawn = 0
        self.settled: list[Event] = []
        """The results of the last settlement."""

    # ---- the table

    @property
    def settings(self) -> dict[str, Any]:
        limits = {"main": {"min_minor": 5_00, "max_minor": 20_000_00}}
        if self.game != "commission":
            limits["differential_minor"] = 20_000_00  # type: ignore[assignment]
        return {
            "layout": LAYOUTS[self.game],
            "boxes": 6,
            "burn": False,
            "observing": not self.screen,
            "smallest_chip_minor": 1_00,
            **limits,
        }

    def create(self, by: str) -> None:
        self.house.do(by, "POST", "/api/tables", {"name": self.name, "book": self.game, "shoes": "manual", "decks": 8})

    def open(self, chips: dict[int, int] | None = None, *, alone: bool = False) -> None:
        """Open it with a float."""
        chips = OPENER if chips is None else chips
        fields = {"settings": self.settings, "float_minor": total_minor(chips)}
        if alone:
            self.house.give(self.supervisor, self.name, "open_table", **fields)
        else:
            self.house.together(self.dealer, self.supervisor, self.name, "open_table", **fields)
        self.tray.put(chips)
        self.load_shoe()

    def close(self) -> None:
        self.house.together(self.dealer, self.supervisor, self.name, "close_table")

    def load_shoe(self) -> None:
        self._shoes += 1
        self._shoe = [rank + suit for rank in _RANKS for suit in _SUITS] * DECKS
        self._random.shuffle(self._shoe)
        self._drawn = 0
        self.house.give(self.supervisor, self.name, "load_shoe", shoe=self.shoe, decks=DECKS)

    @property
    def shoe(self) -> str:
        return f"{self.name} {self._shoes}"

    def do(self, command: str, **fields: Any) -> list[Event]:
        """The dealer gives a command."""
        return self.house.give(self.dealer, self.name, command, **fields)

    # ---- chips

    def buy_in(self, who: str, amount_minor: int, kind: str = "cash") -> None:
        self.do("buy_in", who=who, amount_minor=amount_minor, kind=kind)
        if kind == "chips":  # small chips for the large ones
            self.tray.take(amount_minor)
        self.tray.pay(amount_minor)

    def cash_out(self, who: str, amount_minor: int, kind: str = "cash") -> None:
        self.do("cash_out", who=who, amount_minor=amount_minor, kind=kind)
        self.tray.take(amount_minor)

    def slip(self, kind: str, chips: dict[int, int]) -> int:
        (requested,) = self.do("request_slip", kind=kind, piles=piles(chips))
        number: int = requested["slip"]
        return number

    def fill(self, chips: dict[int, int]) -> None:
        number = self.slip("fill", chips)
        self.house.give(self.supervisor, self.name, "send_slip", slip=number)
        self.house.together(self.dealer, self.supervisor, self.name, "receive_slip", slip=number)
        self.tray.put(chips)

    def credit(self, chips: dict[int, int]) -> None:
        number = self.slip("credit", chips)
        self.house.together(self.dealer, self.supervisor, self.name, "send_slip", slip=number)
        self.tray.remove(chips)
        self.house.give(self.supervisor, self.name, "receive_slip", slip=number)

    def void_slip(self, *, sent: bool) -> None:
        number = self.slip("fill", {25_00: 40})
        void = {"slip": number, "reason": "not needed"}
        if sent:
            self.house.give(self.supervisor, self.name, "send_slip", slip=number)
            self.house.together(self.dealer, self.supervisor, self.name, "void_slip", **void)
        else:
            self.house.give(self.supervisor, self.name, "void_slip", **void)

    def count(self, purpose: str, expected_difference_minor: int = 0) -> None:
        """Both count what really lies there."""
        first, second = self.count_by(self.dealer, purpose), self.count_by(self.supervisor, purpose)
        assert first.is_success, first.text
        assert second.is_success, second.text
        answer = second.json()
        assert answer["counted_minor"] == self.tray.minor
        assert answer["difference_minor"] == expected_difference_minor, self.name

    def count_by(self, name: str, purpose: str, missing: dict[int, int] | None = None) -> Any:
        """One person counts, perhaps without some chips that they overlook."""
        seen = self.tray.chips - Counter(missing or {})
        body = {"id": self.house.served.next_id(), "purpose": purpose, "piles": piles(seen)}
        return self.house.ask(name, "POST", f"/api/tables/{self.name}/counts", body)

    # ---- a round

    def bet(self, who: str, box: int, bet: str, stake_minor: int, **fields: Any) -> None:
        self.do("place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor, on_behalf=self.on_behalf, **fields)

    def open_bets(self, bets: list[Bet]) -> None:
        self.do("open_betting")
        for each in bets:
            self.bet(*each)

    def close_bets(self) -> None:
        self.do("close_betting")
        self.cards, self._first_draw = [], self._drawn

    def deal(self, *, card: str = "", insure: dict[str, tuple[str, int, int]] | None = None) -> None:
        """Deal one card. ``insure``: by side, who takes insurance at which box; None: nobody offers it."""
        offer = self._offer()
        if offer is not None and insure is not None:
            opened = self.house.offer(self.dealer, self.name, "open_insurance")
            if opened.is_success and offer in insure:
                who, box, stake_minor = insure[offer]
                taken = {"who": who, "box": box, "stake_minor": stake_minor, "on_behalf": self.on_behalf}
                self.house.offer(self.dealer, self.name, "take_insurance", **taken)  # refused where there is no room
        face = card or self._shoe[self._drawn]
        self.do("deal_card", card=face)
        self._drawn += 1
        self.cards.append(face)

    def _offer(self) -> str | None:
        """The side whose insurance is due, if anybody could take it."""
        if self.rules.insurance is None:
            return None
        line = self.rules.insurance.open_offer(self.coup)
        return None if line is None else str(line.side)

    @property
    def coup(self) -> Coup:
        return coup_of(self.rules, self.cards)

    def deal_all(self, insure: dict[str, tuple[str, int, int]] | None = None) -> None:
        while self.coup.next.to is not To.NOBODY:
            self.deal(insure=insure)

    def settle(self, *, decided_by: str = "") -> None:
        """``decided_by``: a pit manager who settles, because insurance was missed that may have won."""
        self.take_settlement(self.house.give(decided_by, self.name, "settle") if decided_by else self.do("settle"))

    def play(self, bets: list[Bet], insure: dict[str, tuple[str, int, int]] | None = None) -> None:
        self.open_bets(bets)
        self.close_bets()
        self.deal_all(insure)
        self.settle()

    def take_settlement(self, events: list[Event], not_collected_minor: int = 0) -> None:
        """The dealer takes and pays as the settlement says. If it was made again, only the difference."""
        before: list[Event] | None = None
        for event in events:
            if event["event"] == "settlement_reversed.1":
                before = self.settled
            elif event["event"] == "round_settled.1":
                self.settled = event["results"]
                if before is not None:
                    self.tray.move(net_minor(self.settled) - net_minor(before) - not_collected_minor)
                    continue
                for result in self.settled:
                    self.tray.move(result["stake_minor"] - result["returned_minor"])

    # ---- corrections and rulings

    def draw_of(self, place: int) -> int:
        """The position in the shoe of a card of the round; places count from 1."""
        return self._first_draw + place - 1

    def other_end(self) -> tuple[int, str] | None:
        """A place and a card with which the other side would have won, with as many cards; None if no card does."""
        wanted = "player" if self.coup.winner == "banker" else "banker"
        for place in range(1, len(self.cards) + 1):
            for rank in _RANKS:
                card = rank + self.cards[place - 1][1]
                other = coup_of(self.rules, [*self.cards[: place - 1], card, *self.cards[place:]])
                if other.finished and not other.left_over and other.winner == wanted:
                    return place, card
        return None

    def correct_card(self, by: str, place: int, card: str) -> list[Event]:
        fields = {"shoe": self.shoe, "draw": self.draw_of(place), "card": card, "reason": "misread"}
        events = self.house.give(by, self.name, "correct_card", **fields)
        self.cards[place - 1] = card
        return events

    def adjust(self, by: str, who: str, amount_minor: int) -> None:
        self.house.give(by, self.name, "rule", reason="goodwill", effect="adjust", amounts={who: amount_minor})
        self.tray.move(-amount_minor)
        self.caused[self.shift, "rulings"] -= amount_minor

    def mispay(self, who: str, box: int, bet: str, over_minor: int, recovered_minor: int) -> None:
        """More was handed over than was due, and only a part of it came back."""
        due = sum(each["returned_minor"] for each in self.settled if (each["who"], each["bet"]) == (who, bet))
        fields = {"who": who, "box": box, "bet": bet, "paid_minor": due + over_minor}
        fields |= {"recovered_minor": recovered_minor, "reason": "one chip too many"}
        self.house.give(self.supervisor, self.name, "correct_payment", **fields)
        self.tray.pay(over_minor)
        self.tray.take(recovered_minor)
        for kind in ("mispaid", "wrong_payment"):
            self.caused[self.shift, kind] -= over_minor - recovered_minor


def coup_of(rules: Rulebook, cards: list[str]) -> Coup:
    return Coup.of(rules.space, " ".join(cards))


def net_minor(results: list[Event]) -> int:
    """What the tray gained by a settlement."""
    return sum(each["stake_minor"] - each["returned_minor"] for each in results)

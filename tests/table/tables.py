"""Tables in a given state, reached by commands."""

from typing import Any, TypeVar

from punto.rules.coup.cards import Card, Face, write_cards
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide, handle
from punto.table.play.claims import claimed_sides
from punto.table.records import commands
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits, Settings
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode

DEALER = ("dora", Position.DEALER)
SUPERVISOR = ("sue", Position.PIT_SUPERVISOR)
MANAGER = ("max", Position.PIT_MANAGER)
SHIFT = ("sid", Position.SHIFT_MANAGER)
HOUSE = ("house", Position.HOUSE)

FLOAT_MINOR = 1_000_000_00
CHIPS_MINOR = 10_000_00
LEAST_MINOR = 1
DIFFERENTIAL_MINOR = 999_999_99
SEATS = {1: "ann", 2: "ben", 3: "cat"}
"""Who sits where; dan and eve stand behind box 1."""
BEHIND = ("dan", "eve")

BANKER_ON_FIVE = "As 2s Ad 3d"
"""Player 2, Banker 5: every book with insurance offers it on Banker."""
NATURAL = "9s 2d Kh 3c"
"""Player wins 9 to 5 on four cards, with no pair."""

AnyEvent = TypeVar("AnyEvent", bound=Event)


def settings(rules: Rulebook, **changes: Any) -> Settings:
    """Settings that the book allows, without a burn; ``least`` and ``most`` are the limits of main bets.

    Where the book requires limits, they are so wide that no test meets them by accident.
    """
    layout = next(iter(rules.layouts.values()))
    displayed = json_limits(rules)
    main = BetLimits(changes.pop("least", LEAST_MINOR if displayed else None), changes.pop("most", None))
    values: dict[str, Any] = {"layout": layout.id, "boxes": layout.most_boxes or 7, "burn": False, "main": main}
    return Settings(**{**values, "differential_minor": displayed.get("differential_minor"), **changes})


def json_limits(rules: Rulebook) -> dict[str, Any]:
    """The limits that the book requires, as JSON; empty where it requires none."""
    if not rules.topics[Topic.LIMITS_DISPLAYED]:
        return {}
    return {"main": {"min_minor": LEAST_MINOR}, "differential_minor": DIFFERENTIAL_MINOR}


class Evening:
    """A table with all its events."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.table = Table()
        self.events: list[Event] = []

    def do(self, command: Command) -> tuple[Event, ...]:
        """Give a command that must be accepted, and check that it creates or loses no money."""
        self.table, decision = handle(self.rules, self.table, command)
        assert not isinstance(decision, Refusal), decision
        for event in decision:
            if isinstance(event, MoneyEvent):
                assert sum(posting.amount_minor for posting in event.postings) == 0
        assert sum(self.table.balances.values()) == 0
        self.events += decision
        return decision

    def refuse(self, command: Command, code: TableCode | Code, *clauses: str) -> Refusal:
        """Give a command that must be refused with this code and exactly these clauses."""
        decision = decide(self.rules, self.table, command)
        assert isinstance(decision, Refusal), decision
        assert decision.code is code, decision
        assert decision.clauses == clauses, decision
        assert decision.message
        return decision

    def happened(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def chips(self) -> dict[str, int]:
        return {who: self.table.chips_minor(who) for who in sorted(self.table.people)}

    @property
    def stakes(self) -> dict[tuple[str, int, str], int]:
        """Stakes on the felt."""
        assert self.table.round is not None
        return {key: placed.stake_minor for key, placed in self.table.round.bets.items()}

    # ---- shortcuts

    def bet(self, who: str, bet: str, stake_minor: int, box: int = 0) -> tuple[Event, ...]:
        """Place a bet, by default at the player's own box."""
        return self.do(self.placing(who, bet, stake_minor, box))

    def placing(self, who: str, bet: str, stake_minor: int, box: int = 0) -> commands.PlaceBet:
        return commands.PlaceBet(who, Position.PLAYER, who, box or box_of(who), bet, stake_minor)

    def withdrawing(self, who: str, bet: str, amount_minor: int, box: int = 0) -> commands.WithdrawBet:
        return commands.WithdrawBet(who, Position.PLAYER, who, box or box_of(who), bet, amount_minor)

    def insuring(self, who: str, stake_minor: int, box: int = 0) -> commands.TakeInsurance:
        return commands.TakeInsurance(who, Position.PLAYER, who, box or box_of(who), stake_minor)

    def open_betting(self) -> "Evening":
        self.do(commands.OpenBetting(*DEALER))
        return self

    def close_betting(self) -> "Evening":
        self.do(commands.CloseBetting(*DEALER))
        return self

    def deal(self, cards: str) -> "Evening":
        """Deal these cards face up, or all face down and then turned.

        Insurance that is due is offered first; nobody takes it.
        """
        assert self.table.settings is not None
        for word in cards.split():
            card = None if self.table.settings.face_down else Face(word)
            dealing = commands.DealCard(*DEALER, card)
            decision = decide(self.rules, self.table, dealing)
            if isinstance(decision, Refusal) and decision.code is TableCode.INSURANCE_DUE:
                self.do(commands.OpenInsurance(*DEALER))
            self.do(dealing)
        if self.table.settings.face_down:
            self.turn(cards)
        return self

    def deal_unseen(self, cards: int) -> "Evening":
        """Deal this many cards face down."""
        for _ in range(cards):
            self.do(commands.DealCard(*DEALER))
        return self

    def turn(self, cards: str) -> "Evening":
        """Turn the cards that lie face down, in drawn order."""
        assert self.table.round is not None
        down = [place for place, card in enumerate(self.table.round.cards, 1) if card is None]
        for place, word in zip(down, cards.split(), strict=True):
            self.do(commands.TurnCard(*DEALER, place, Face(word)))
        return self

    def settle(self) -> "Evening":
        """As the dealer; where bets may go back for want of insurance, as the pit manager, who keeps the others."""
        self.do(commands.Settle(*(MANAGER if claimed_sides(self.rules, self.table) else DEALER)))
        return self

    def play(self, cards: str) -> "Evening":
        """Close betting, deal and settle."""
        return self.close_betting().deal(cards).settle()


def box_of(who: str) -> int:
    """The box at which a person of :func:`ready` sits or stands."""
    return next((box for box, seated in SEATS.items() if seated == who), 1)


def opened(rules: Rulebook, **changes: Any) -> Evening:
    """An open table without people and without a shoe."""
    evening = Evening(rules)
    wanted = settings(rules, **changes)
    asked_by = "ann" if wanted.no_insurance else ""
    evening.do(commands.OpenTable(*SUPERVISOR, wanted, FLOAT_MINOR, no_insurance_asked_by=asked_by))
    return evening


def ready(rules: Rulebook, **changes: Any) -> Evening:
    """Between rounds, with a shoe; ann, ben and cat are seated, dan and eve stand behind box 1."""
    evening = opened(rules, **changes)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", rules.decks.most))
    for who in (*SEATS.values(), *BEHIND):
        evening.do(commands.BuyIn(*DEALER, who, CHIPS_MINOR))
    for box, who in SEATS.items():
        evening.do(commands.Sit(who, Position.PLAYER, who, box))
    for who in BEHIND:
        evening.do(commands.StandBehind(who, Position.PLAYER, who, 1))
    return evening


def betting(rules: Rulebook, **changes: Any) -> Evening:
    """Betting is open."""
    return ready(rules, **changes).open_betting()


def dealing(rules: Rulebook, *bets: tuple[str, str, int], **changes: Any) -> Evening:
    """Betting is closed, with these bets; by default ann has 100.00 on Banker."""
    evening = betting(rules, **changes)
    for who, bet, stake_minor in bets or (("ann", "banker", 100_00),):
        evening.bet(who, bet, stake_minor)
    return evening.close_betting()


def drawn_to(rules: Rulebook, left: int, **changes: Any) -> Evening:
    """A shoe of four decks with ``left`` cards left; all others were dealt in order, and each round was settled."""
    evening = opened(rules, rounds_after_cut_card=99, **changes)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    for card in [card for card in Card for _ in range(4)][: 4 * 52 - left]:
        if evening.table.round is not None and evening.rules.coup(write_cards(evening.table.round.cards)).finished:
            evening.settle()
        if evening.table.phase is Phase.READY:
            evening.open_betting().close_betting()
        evening.do(commands.DealCard(*DEALER, card))
    return evening


def in_phase(rules: Rulebook, phase: Phase) -> Evening:
    """A table in that phase; ann has 100.00 on Banker if a round is open."""
    if phase is Phase.CLOSED:
        return Evening(rules)
    if phase is Phase.READY:
        return ready(rules)
    if phase is Phase.BETTING:
        evening = betting(rules)
        evening.bet("ann", "banker", 100_00)
        return evening
    return dealing(rules)


ALL_AUTOMATIONS = tuple(Automation)

"""Tables that are each stopped in another stage of a round.

Runs with the code of any release: nothing here imports Punto, and each release has its own ``Release``.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

DEALER = ("dora", "dealer")
SUPERVISOR = ("sue", "pit_supervisor")
MANAGER = ("max", "pit_manager")
BETS = (("ann", 1, "player", 200_00), ("ben", 2, "banker", 100_00))
MAX_ROUNDS = 40
"""Rounds at a sealed shoe before the cards bring what a stage needs."""
BANKER_ON_FIVE = ("As", "2s", "Ad", "3d")
"""Player 2, Banker 5: every book with insurance offers it, and Player draws a third card."""
NATURAL = ("9s", "2d", "Kh", "3c")
"""Player wins on four cards."""
WITH_PAIR = ("2s", "9d", "2h")


def limits_of(rules: Any) -> dict[str, Any]:
    """The limits that the book requires to open a table."""
    return {} if rules.id == "commission" else {"main": {"min_minor": 1}, "differential_minor": 1_000_000_00}


class At:
    """One table of a floor."""

    def __init__(self, release: Any, name: str, rules: Any, *, sealed: bool) -> None:
        self.release, self.name, self.rules, self.sealed = release, name, rules, sealed
        self._count = 0

    @property
    def state(self) -> Any:
        return self.release.floor.table(self.name).state

    @property
    def people(self) -> tuple[str, ...]:
        """Who plays: visitors with play money at sealed shoes, customers with plain names elsewhere."""
        return self.release.visitors_in if self.sealed else ("ann", "ben")

    async def ask(self, by: tuple[str, str], command: str, **fields: Any) -> Any:
        """Give a command and return the answer. An accepted one is recorded for the upgrade tests."""
        self._count += 1
        body = {"command": f"{command}.1", **fields}
        return await self.release.submit(self.name, f"{self.name}-{self._count}", by, body)

    async def do(self, by: tuple[str, str], command: str, **fields: Any) -> None:
        answer = await self.ask(by, command, **fields)
        if answer.refusal is not None:
            raise RuntimeError(f"{self.rules.id}, {self.name}, {command}: {answer.refusal}")

    async def open(self, **changes: Any) -> None:
        layout = next(iter(self.rules.layouts.values()))
        limits = limits_of(self.rules)
        settings = {"layout": layout.id, "boxes": layout.most_boxes or 7, "burn": False, **limits, **changes}
        if self.sealed:
            settings["automations"] = self.release.automations
        await self.do(SUPERVISOR, "open_table", settings=settings, float_minor=1_000_000_00)
        for box, who in enumerate(self.people, 1):
            if self.sealed:
                await self.release.play_money(who, self.name)
            else:
                await self.do(DEALER, "buy_in", who=who, amount_minor=10_000_00)
            await self.do((who, "player"), "sit", who=who, box=box)

    async def load(self) -> None:
        await self.do(SUPERVISOR, "load_shoe", shoe=f"{self.name} {self._count}", decks=self.rules.decks.most)

    async def bet(self) -> None:
        await self.do(DEALER, "open_betting")
        for who, (_, box, bet, stake_minor) in zip(self.people, BETS, strict=True):
            await self.do((who, "player"), "place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)

    async def close(self) -> None:
        await self.do(DEALER, "close_betting")

    async def start(self, **changes: Any) -> None:
        """Open the table, place bets and close them."""
        await self.open(**changes)
        await self.load()
        await self.bet()
        await self.close()

    async def deal(self, *cards: str | None) -> None:
        """Deal these cards; at a sealed shoe only their number counts. Insurance that is due is offered first."""
        for card in cards:
            fields = {} if self.sealed or card is None else {"card": card}
            answer = await self.ask(DEALER, "deal_card", **fields)
            if answer.refusal is not None:
                await self.do(DEALER, "open_insurance")
                await self.do(DEALER, "deal_card", **fields)

    async def play_until(self, reached: Callable[[], Awaitable[bool]]) -> None:
        """Play rounds at a sealed shoe until the cards bring what is needed after four of them."""
        for _ in range(MAX_ROUNDS):
            await self.bet()
            await self.close()
            await self.deal(None, None, None, None)
            if await reached():
                return
            while not self.finished:
                await self.deal(None)
            await self.do(DEALER, "settle")
        raise RuntimeError(f"{self.name}: not reached in {MAX_ROUNDS} rounds")

    @property
    def finished(self) -> bool:
        return bool(self.rules.coup(" ".join(self.state.round.cards)).finished)


class Stage(NamedTuple):
    name: str
    reach: Callable[[At], Awaitable[None]]
    topic: str = ""
    """Only in books with a clause on it."""


def stages_of(stages: tuple[Stage, ...], topics: Any) -> list[Stage]:
    """The stages that a book has, by its clauses on each topic."""
    has = {topic.value for topic, clauses in topics.items() if clauses}
    return [stage for stage in stages if not stage.topic or stage.topic in has]


# ---- any shoe


async def no_shoe(at: At) -> None:
    await at.open()


async def ready(at: At) -> None:
    await at.open()
    await at.load()


async def burn_due(at: At) -> None:
    await at.open(burn=True)
    await at.load()


async def betting(at: At) -> None:
    await ready(at)
    await at.bet()


async def closed(at: At) -> None:
    await at.start()


async def one_card(at: At) -> None:
    await at.start()
    await at.deal("2s")


async def two_cards(at: At) -> None:
    await at.start()
    await at.deal("2s", "9d")


async def three_cards(at: At) -> None:
    await at.start()
    await at.deal(*WITH_PAIR)


async def four_cards(at: At) -> None:
    await at.start()
    await at.deal(*BANKER_ON_FIVE)


async def face_down(at: At) -> None:
    """Two of four cards are turned at a real shoe, none at a sealed one."""
    await at.start(face_down=True)
    await at.deal(None, None, None, None)
    if not at.sealed:
        for place, card in enumerate(BANKER_ON_FIVE[:2], 1):
            await at.do(DEALER, "turn_card", place=place, card=card)


async def squeeze(at: At) -> None:
    """A granted squeeze: the player has opened one card, which nobody else has seen."""
    who = at.people[0]
    await at.start(face_down=True)
    await at.do((who, "player"), "request_squeeze", who=who, side="player")
    await at.do(SUPERVISOR, "grant_squeeze", side="player")
    await at.deal(None, None, None, None)
    await at.do((who, "player"), "squeeze_card", place=1)


# ---- real shoes


async def insurance_open(at: At) -> None:
    await four_cards(at)
    await at.do(DEALER, "open_insurance")


async def insurance_taken(at: At) -> None:
    await insurance_open(at)
    who, box, *_ = next(bet for bet in BETS if bet[2] == at.release.offer_side(at.state))
    await at.do((who, "player"), "take_insurance", who=who, box=box, stake_minor=10_00)


def _with_third_card_offer(at: At) -> tuple[str, ...]:
    """Five cards after which the book offers insurance."""
    points = [f"{rank}{suit}" for rank, suit in zip("A23456789TA23456789T", "h" * 10 + "c" * 10, strict=True)]
    for first in points[:10]:
        for second in points[:10]:
            for third in points[10:]:
                cards = ("Ks", first, "Kd", second, third)
                coup = at.rules.coup(" ".join(cards))
                if not coup.left_over and not coup.finished and at.rules.insurance.open_offer(coup):
                    return cards
    raise RuntimeError(f"{at.rules.id} offers no insurance after a third card")


async def third_card_insurance(at: At) -> None:
    await at.start()
    await at.deal(*_with_third_card_offer(at))
    await at.do(DEALER, "open_insurance")


async def third_card_insurance_taken(at: At) -> None:
    await third_card_insurance(at)
    who, box, *_ = next(bet for bet in BETS if bet[2] == at.release.offer_side(at.state))
    await at.do((who, "player"), "take_insurance", who=who, box=box, stake_minor=5_00)


async def waived(at: At) -> None:
    await at.start(face_down=True)
    await at.deal(None, None, None, None)
    for place, card in enumerate(("As", "Ks", "Ad", "2d"), 1):
        await at.do(DEALER, "turn_card", place=place, card=card)
    await at.do(SUPERVISOR, "waive_third_card_insurance", who="ann")
    await at.deal(None)


async def five_cards(at: At) -> None:
    await four_cards(at)
    await at.deal("4c")


async def finished(at: At) -> None:
    await at.start()
    await at.deal(*NATURAL)


async def settled(at: At) -> None:
    await finished(at)
    await at.do(DEALER, "settle")


async def void(at: At) -> None:
    await three_cards(at)
    await at.do(SUPERVISOR, "report_foreign_card", reason="a card of another deck")


async def options(at: At) -> None:
    await four_cards(at)
    await at.do(SUPERVISOR, "report_dealing_error", reason="dealt before the shoe was closed")


async def raised(at: At) -> None:
    """A card that the Table of Play does not want."""
    await finished(at)
    await at.do(DEALER, "deal_card", card="5h")


async def order_lost(at: At) -> None:
    await at.start()
    await at.deal("2s", "9d")
    await at.do(DEALER, "report_simultaneous_cards", cards=["3h", "7c"])


async def carried(at: At) -> None:
    """A card drawn too early waits for the next round, in which betting is open."""
    await finished(at)
    await at.do(SUPERVISOR, "report_excess_card", cards=["5h"])
    for who in at.people if at.release.options_open(at.state) else ():
        await at.do((who, "player"), "choose_option", who=who, choice="continue")
    await at.do(DEALER, "settle")
    await at.bet()


async def replaced(at: At) -> None:
    """A bad shoe was taken off and another one loaded."""
    await void(at)
    await at.load()
    await at.bet()


async def observing(at: At) -> None:
    """A felt table that records a bet below its minimum."""
    await at.open(observing=True, main={"min_minor": 100_00, "max_minor": 5_000_00})
    await at.load()
    await at.do(DEALER, "open_betting")
    await at.do(("ann", "player"), "place_bet", who="ann", box=1, bet="player", stake_minor=50_00)
    await at.close()
    await at.deal("As", "2s")


async def observing_insured(at: At) -> None:
    """A felt table: the dealer has recorded a bet, a card that a player opened, and insurance."""
    await at.open(observing=True, face_down=True)
    await at.load()
    await at.do(DEALER, "open_betting")
    for who, box, bet, stake_minor in BETS:
        await at.do(DEALER, "place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)
    await at.close()
    await at.deal(None, None, None, None)
    await at.do(DEALER, "squeeze_card", place=1, who="ann")
    for place, card in enumerate(BANKER_ON_FIVE, 1):
        await at.do(DEALER, "turn_card", place=place, card=card)
    await at.do(DEALER, "open_insurance")
    who, box, *_ = next(bet for bet in BETS if bet[2] == at.release.offer_side(at.state))
    await at.do(DEALER, "take_insurance", who=who, box=box, stake_minor=10_00)


async def observing_options(at: At) -> None:
    await at.start(observing=True)
    await at.deal(*BANKER_ON_FIVE)
    await at.do(SUPERVISOR, "report_dealing_error", reason="dealt before the shoe was closed")
    await at.do(("ann", "player"), "choose_option", who="ann", choice="return")


async def observing_settled(at: At) -> None:
    await at.start(observing=True)
    await at.deal(*NATURAL)
    await at.do(DEALER, "settle")


async def closed_table(at: At) -> None:
    """The chips of players who stayed are carried over to the next opening."""
    await settled(at)
    await at.do(SUPERVISOR, "close_table")


async def second_opening(at: At) -> None:
    await settled(at)
    await at.do(SUPERVISOR, "close_table")
    layout = next(iter(at.rules.layouts.values()))
    settings = {"layout": layout.id, "boxes": layout.most_boxes or 7, "burn": False, **limits_of(at.rules)}
    await at.do(MANAGER, "open_table", settings=settings, float_minor=500_000_00)
    await at.load()
    for box, who in enumerate(at.people, 1):
        await at.do((who, "player"), "sit", who=who, box=box)
    await at.bet()
    await at.close()
    await at.deal(*BANKER_ON_FIVE)


async def scanned(at: At) -> None:
    """Every card was read by a scanner, also those burned unseen."""
    await at.open(burn=True)
    await at.load()
    for card in ("3s", "Qs", "Qd", "Qh"):
        await at.release.scan(at.name, at.state.shoe.id, card)
    await at.bet()
    await at.close()
    for card in BANKER_ON_FIVE:
        await at.release.scan(at.name, at.state.shoe.id, card)


async def scanned_face_down(at: At) -> None:
    await at.open(face_down=True)
    await at.load()
    await at.bet()
    await at.close()
    for card in BANKER_ON_FIVE:
        await at.release.scan(at.name, at.state.shoe.id, card)


# ---- felt tables with corrections, since 0.8.0


async def corrected(at: At) -> None:
    """The dealer has corrected a bet and the last card; the round is open."""
    await at.start(observing=True)
    await at.do(DEALER, "correct_bet", who="ann", box=1, bet="player", stake_minor=150_00)
    await at.deal(*BANKER_ON_FIVE[:3], "4d")
    await at.do(DEALER, "correct_card", shoe=at.state.shoe.id, draw=3, card=BANKER_ON_FIVE[3])


async def settled_again(at: At) -> None:
    """A card was corrected after the settlement, and one player was then paid too much."""
    await observing_settled(at)
    shoe = at.state.shoe.id
    await at.do(MANAGER, "correct_card", shoe=shoe, draw=0, card="8s", reason="a pip was covered")
    fields = {"who": "ann", "box": 1, "bet": "player", "paid_minor": 210_00}
    await at.do(SUPERVISOR, "correct_payment", **fields, reason="a chip too many")


async def reopened(at: At) -> None:
    await at.start(observing=True)
    await at.do(DEALER, "reopen_betting")


async def cancelled(at: At) -> None:
    await at.open(observing=True)
    await at.load()
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "cancel_round")


async def brought(at: At) -> None:
    """A bet above the chips on record, and one of somebody whom nobody has seated."""
    await at.open(observing=True)
    await at.load()
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "place_bet", who="ann", box=1, bet="player", stake_minor=15_000_00)
    await at.do(DEALER, "place_bet", who="box 3", box=3, bet="banker", stake_minor=25_00)
    await at.close()
    await at.deal(*WITH_PAIR)


async def cards_only(at: At) -> None:
    layout = next(iter(at.rules.layouts.values()))
    settings = {"layout": layout.id, "boxes": layout.most_boxes or 7, "burn": False, **limits_of(at.rules)}
    await at.do(SUPERVISOR, "open_table", settings={**settings, "cards_only": True, "faces_by_rank": True})
    await at.load()
    await at.do(DEALER, "open_betting")
    await at.close()
    await at.deal("A", "2", "A", "3")


async def by_rank(at: At) -> None:
    await at.start(observing=True, faces_by_rank=True)
    await at.deal("A", "2")


# ---- sealed shoes


async def insurance_open_sealed(at: At) -> None:
    async def reached() -> bool:
        return not at.finished and (await at.ask(DEALER, "open_insurance")).refusal is None

    await ready(at)
    await at.play_until(reached)


async def insurance_taken_sealed(at: At) -> None:
    await insurance_open_sealed(at)
    bets = zip(at.people, BETS, strict=True)
    who, box = next((who, box) for who, (_, box, bet, _) in bets if bet == at.release.offer_side(at.state))
    await at.do((who, "player"), "take_insurance", who=who, box=box, stake_minor=10_00)


async def five_cards_sealed(at: At) -> None:
    async def reached() -> bool:
        if at.finished:
            return False
        await at.deal(None)
        return not at.finished

    await ready(at)
    await at.play_until(reached)


async def finished_sealed(at: At) -> None:
    async def reached() -> bool:
        while not at.finished:
            await at.deal(None)
        return True

    await ready(at)
    await at.play_until(reached)


async def settled_sealed(at: At) -> None:
    await finished_sealed(at)
    await at.do(DEALER, "settle")


async def options_sealed(at: At) -> None:
    await at.start()
    await at.deal(None, None, None)
    await at.do(SUPERVISOR, "report_dealing_error", reason="the screen showed another card")


FELT = (
    Stage("no shoe", no_shoe),
    Stage("ready", ready),
    Stage("burn due", burn_due),
    Stage("betting", betting),
    Stage("closed", closed),
    Stage("one card", one_card),
    Stage("two cards", two_cards),
    Stage("three cards", three_cards),
    Stage("four cards", four_cards),
    Stage("insurance open", insurance_open, "insurance"),
    Stage("insurance taken", insurance_taken, "insurance"),
    Stage("third-card insurance", third_card_insurance, "insurance"),
    Stage("third-card insurance taken", third_card_insurance_taken, "insurance"),
    Stage("third-card insurance waived", waived, "third_card_waiver"),
    Stage("five cards", five_cards),
    Stage("finished", finished),
    Stage("settled", settled),
    Stage("void", void, "foreign_card"),
    Stage("options", options, "options"),
    Stage("raised", raised, "excess_cards"),
    Stage("order lost", order_lost, "simultaneous_cards"),
    Stage("carried", carried, "excess_cards"),
    Stage("replaced", replaced, "foreign_card"),
    Stage("observing", observing, "below_minimum"),
    Stage("observing insured", observing_insured, "insurance"),
    Stage("observing options", observing_options, "options"),
    Stage("observing settled", observing_settled),
    Stage("face down", face_down),
    Stage("squeeze", squeeze, "squeeze"),
    Stage("closed table", closed_table),
    Stage("second opening", second_opening),
)
SCANNED = (Stage("scanned", scanned), Stage("scanned face down", scanned_face_down))
CORRECTED = (
    Stage("corrected", corrected),
    Stage("settled again", settled_again),
    Stage("reopened", reopened),
    Stage("cancelled", cancelled),
    Stage("brought", brought),
    Stage("cards only", cards_only),
    Stage("by rank", by_rank),
)
SEALED = (
    Stage("no shoe", no_shoe),
    Stage("ready", ready),
    Stage("betting", betting),
    Stage("closed", closed),
    Stage("three cards", three_cards),
    Stage("insurance open", insurance_open_sealed, "insurance"),
    Stage("insurance taken", insurance_taken_sealed, "insurance"),
    Stage("five cards", five_cards_sealed),
    Stage("finished", finished_sealed),
    Stage("settled", settled_sealed),
    Stage("options", options_sealed, "options"),
    Stage("face down", face_down),
    Stage("squeeze", squeeze, "squeeze"),
)

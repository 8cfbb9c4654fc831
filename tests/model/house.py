"""A table that runs by itself, with people who come, bet, insure and leave."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table import next_step
from punto.table.play.opening import shoe_empty
from punto.table.records import commands, reports
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, Settings
from punto.table.records.state import Phase
from tests.model.choices import PLAYING, Choices
from tests.model.evening import Evening
from tests.model.walk import DEALER, MANAGER, SUPERVISOR


def play(evening: Evening, some: Choices) -> None:
    while evening.table.phase is Phase.READY:
        step(evening, some)
    bet(evening, some)
    while evening.table.phase in PLAYING:
        if evening.offer_stands:
            insure(evening, some)
        due = next_step(evening.rules, evening.table)
        if due is not None and due.automation is Automation.SQUEEZE and some.chance(2):
            open_squeezed_cards(evening, some)
        step(evening, some)


def open_squeezed_cards(evening: Evening, some: Choices) -> None:
    """The players who squeeze a hand open its cards, and lay some of them open for all."""
    now = evening.table.round
    assert now is not None
    for who in sorted(set(now.accepted.values())):
        for place, card in enumerate(now.cards, 1):
            if card is None:
                evening.do(commands.SqueezeCard(who, Position.PLAYER, place, laid_open=some.chance(2)))


def by_itself(some: Choices, fixed: Settings | None) -> Settings:
    """Random settings for a table that needs no dealer and never runs out of cards."""
    chosen = some.settings(fixed)
    return replace(chosen, automations=tuple(Automation), burn=True, cut_card=14, rounds_after_cut_card=1)


def step(evening: Evening, some: Choices) -> None:
    command = evening.check_step(some.pick)
    if command is None and shoe_empty(evening.table):
        command = reports.ReportShoeRunOut(*MANAGER)
    assert command is not None, "the table stands still"
    assert not isinstance(evening.do(command), Refusal)


def come_and_go(evening: Evening, some: Choices, number: int) -> None:
    """New people every few rounds, at three boxes; others leave, mostly with their chips."""
    people = sorted(evening.table.people)
    for who in people:
        if some.chance(12) or not evening.table.chips_minor(who):
            evening.do(commands.Leave(who, Position.PLAYER, who))
        if who not in evening.table.behind and who not in evening.table.seats.values():
            evening.do(commands.CashOut(*SUPERVISOR, who, evening.table.chips_minor(who)))
    for at in range(2 if len(people) < 8 else 0):
        who = f"guest {number}.{at}"
        evening.do(commands.BuyIn(*MANAGER, who, some.pick((100, 5000, 40_000))))
        for place in (commands.Sit, commands.StandBehind):
            evening.do(place(who, Position.PLAYER, who, some.number(1, min(3, evening.boxes))))


def bet(evening: Evening, some: Choices) -> None:
    """Everybody tries a few bets where they are; one may walk away from theirs."""
    for who in sorted(evening.table.people):
        boxes = [box for box in range(1, 4) if who in (evening.table.seats.get(box), *_behind(evening, box))]
        if not evening.rules.topics[Topic.STANDING_PLAYER]:
            boxes = [some.number(1, evening.boxes)]  # anyone bets in any box
        for box in boxes:
            for bet in ("player", "banker", evening.rules.bets[some.pick(tuple(evening.rules.bets))].id):
                evening.do(commands.PlaceBet(who, Position.PLAYER, who, box, bet, some.number(1, 1200)))
        if evening.face_down and some.chance(4):  # somebody may bet more after them
            evening.do(commands.RequestSqueeze(who, Position.PLAYER, who, some.side()))
        if some.chance(20):
            evening.do(commands.Leave(who, Position.PLAYER, who))


def _behind(evening: Evening, box: int) -> list[str]:
    return [who for who, boxes in evening.table.behind.items() if box in boxes]


def insure(evening: Evening, some: Choices) -> None:
    """Everybody with a bet may try."""
    for stake in list(evening.books.stakes.values()):
        if some.chance(2):
            by, wanted = (stake.who, Position.PLAYER), some.pick((1, 33, 100, 500))
            evening.do(commands.TakeInsurance(*by, stake.who, stake.box or 0, wanted))
        elif some.chance(6):
            evening.do(commands.CallInsurance(*DEALER, stake.who, stake.box or 0, some.pick((None, 50))))


def squeeze(evening: Evening, some: Choices) -> None:
    """Everybody asks for a hand, the house agrees, and those who got one open a card."""
    for who in sorted(evening.table.people):
        evening.do(commands.RequestSqueeze(who, Position.PLAYER, who, some.side()))
    evening.do(commands.GrantSqueeze(*MANAGER, some.side(), standing=some.chance(4)))
    now = evening.table.round
    for who in sorted({} if now is None else now.accepted.values()):
        evening.do(commands.SqueezeCard(who, Position.PLAYER, some.number(1, 6)))

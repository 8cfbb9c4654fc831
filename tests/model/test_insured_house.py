"""Rounds with two offers of insurance, which are disturbed while they stand and corrected at every moment."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest
from msgspec.structs import replace

from punto import book as read_book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records import commands, correction_events, corrections, events, findings, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Round
from tests.marks import INSURED, rest_at_night
from tests.model import finishing, house, walk
from tests.model.choices import PLAYING, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER, MANAGER, SUPERVISOR

pytestmark = pytest.mark.sweep

COUPS = ("223464", "56KK75", "A23337", "2A3342", "223474", "223467")
"""Ranks that give an offer on four cards, and mostly another one on Player's third card. Banker loses most of them."""
SHOE_LASTS = 15
"""Rounds."""
EVERYWHERE = {
    "a later stake goes back because the player had passed",
    "such a stake plays again",
    "an offer did not reach some",
    "a card is seen while an offer stands",
    "an offer goes on over a card that nobody has seen",
    "a bet goes back to a player whom the offer did not reach",
    "an offer was not made that a player has missed who passed on the next one",
    "a stake is of somebody who left before the offer",
}
LATE = {
    "a late offer to some",
    "a card is shown during a late offer",
    "a card is corrected during a late offer",
    "the order of cards is lost during a late offer",
    "a late offer goes on over cards that nobody has seen",
    "a stake at a late offer is corrected after the next offer",
}


@pytest.mark.parametrize("rules", rest_at_night(INSURED, [INSURED[0], INSURED[-1]], lambda rules: rules.id))
def test_offers_that_are_disturbed_and_corrected(rules: Rulebook) -> None:
    happened = insured_house(rules.id)
    wanted = EVERYWHERE | (LATE if rules.topics[Topic.LATE_INSURANCE] else set())
    assert wanted - {what for what, times in happened.items() if times} == set()


@cache
def insured_house(book: str, seed: int = 14, rounds: int = 160) -> Counter[str]:
    """What happened, by how often."""
    rules = read_book(book)
    evening, some = _Watched(rules), Choices(rules, Seeded(seed))
    for number in range(rounds):
        if number % SHOE_LASTS == 0:
            _settings(evening, some, number)
        house.come_and_go(evening, some, number)
        _round(evening, some)
        _make_good(evening)
        for _ in range(some.number(0, 2)):
            _correct(evening, some)
            _make_good(evening)
            _finish(evening, some, some.pick(COUPS))
    evening.check_replay()
    return evening.happened


class _Watched(Evening):
    """Counts what this walk is there for."""

    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules)
        self.happened: Counter[str] = Counter()

    def do(self, command: Command) -> "tuple[events.Event, ...] | Refusal":
        stood, only, late = self.offer_stands, self._not_reached(), self._late()
        decision = super().do(command)
        if isinstance(decision, Refusal):
            return decision
        self._count_late(command, decision, stood=stood, late=late)
        for event in decision:
            self._count(event, command, only)
        early = any(isinstance(event, findings.CardsDrawnOutOfTurn) for event in decision)
        self.happened["an offer goes on over a card that nobody has seen"] += stood and early and self.offer_stands
        self.check()
        return decision

    def _late(self) -> dict[Stage, set[str]]:
        """The stages whose offer was a late one, with the players who have insurance there."""
        insurance = (self.table.round or Round(0)).insurance
        who = {each.who for each in insurance.cover}
        return {stage: {each for each in who if insurance.is_late(stage, each)} for stage in insurance.offered}

    def _count_late(
        self, command: Command, decision: tuple[events.Event, ...], *, stood: bool, late: dict[Stage, set[str]]
    ) -> None:
        insurance = (self.table.round or Round(0)).insurance
        unseen = stood and insurance.offer_late and None in (self.table.round or Round(0)).cards
        cut = any(isinstance(event, events.InsuranceClosed) and event.cut_short for event in decision)
        lost = any(isinstance(event, findings.OrderLost) for event in decision)
        corrected = isinstance(command, corrections.CorrectCard)
        staked = command.who if isinstance(command, corrections.CorrectInsurance) and command.stake_minor else ""
        later = len(late) > 1 and staked in late[Stage.FOUR]
        self.happened["a card is corrected during a late offer"] += unseen and cut and corrected
        self.happened["the order of cards is lost during a late offer"] += unseen and cut and lost
        self.happened["a late offer goes on over cards that nobody has seen"] += unseen and lost and self.offer_stands
        self.happened["a stake at a late offer is corrected after the next offer"] += later

    def _not_reached(self) -> set[str]:
        now = self.table.round
        return {who for missed in now.insurance.missed for who in missed.players} if now is not None else set()

    def _count(self, event: events.Event, command: Command, only: set[str]) -> None:
        match event:
            case findings.InsuranceRejudged():
                back = [each for each in event.cover if _is_later(event.passed.get(each.who), each.stage)]
                self.happened["a later stake goes back because the player had passed"] += len(back)
            case correction_events.InsuranceCorrected() if event.who and event.stage is not getattr(
                command, "stage", 0
            ):
                self.happened["such a stake plays again"] += 1
            case events.InsuranceMissed() if isinstance(command, corrections.CorrectInsurance) and not event.players:
                insurance = (self.table.round or Round(0)).insurance
                passed = event.stage is Stage.FOUR and bool(insurance.forgone_third)
                self.happened["an offer was not made that a player has missed who passed on the next one"] += passed
            case events.InsuranceFlagged() if isinstance(command, corrections.CorrectInsurance):
                left = event.who in (self.table.round or Round(0)).left
                forgone = event.why is events.InsuranceFlag.FORGONE
                self.happened["a stake is of somebody who left before the offer"] += left and forgone
            case events.InsuranceMissed() if event.players and not event.cut_short:
                self.happened["an offer did not reach some"] += 1
            case events.InsuranceClosed() if event.cut_short:
                self.happened["a card is seen while an offer stands"] += 1
                late = isinstance(command, reports.ReportFaceUpCard)
                self.happened["a card is shown during a late offer"] += late
            case events.InsuranceOffered() if event.players:
                self.happened["a late offer to some"] += 1
            case findings.UninsuredBetReturned() if event.who in only:
                self.happened["a bet goes back to a player whom the offer did not reach"] += 1


def _stage_of(command: Command) -> Stage | None:
    return command.stage if isinstance(command, corrections.CorrectInsurance) else None


def _is_later(passed: Stage | None, stage: Stage) -> bool:
    return passed is not None and passed.cards < stage.cards


def _settings(evening: Evening, some: Choices, number: int) -> None:
    """Mostly a felt table, where there is more to correct, and a new shoe."""
    chosen = some.settings(evening.table.settings)
    chosen = replace(chosen, observing=not some.chance(6), cards_only=some.chance(20), no_insurance=False)
    chosen = replace(chosen, face_down=not some.chance(3))
    chosen = replace(chosen, payout_supervised_minor=None, burn=False, cut_card=0, automations=())
    forgone = not some.chance(8)
    chosen = replace(chosen, continuous=None, established_by_staked_bets=False, forgone_for_the_round=forgone)
    kind = commands.ChangeSettings if number else commands.OpenTable
    assert not isinstance(evening.do(kind(*MANAGER, chosen)), Refusal)
    evening.do(commands.EndShoe(*SUPERVISOR))
    evening.do(commands.LoadShoe(*SUPERVISOR, f"shoe before round {number}", 8))


def _round(evening: Evening, some: Choices) -> None:
    assert not isinstance(evening.do(commands.OpenBetting(*DEALER)), Refusal)
    house.bet(evening, some)
    _finish(evening, some, some.pick(COUPS))


def _finish(evening: Evening, some: Choices, ranks: str) -> None:
    pick = _planned(evening, some, ranks)
    for _ in range(200):
        if evening.table.phase not in PLAYING:
            return
        if evening.offer_stands:
            house.insure(evening, some)
            late = None in (evening.table.round or Round(0)).cards
            if late or some.chance(4):
                _disturb(evening, some)
        if evening.table.phase is Phase.DEALING and some.chance(3):
            _correct(evening, some)
        if evening.table.phase in PLAYING:
            _forward(evening, some, pick)
    raise AssertionError("the round does not end")


def _planned(evening: Evening, some: Choices, ranks: str) -> Callable[[tuple[Face, ...]], Face]:
    def pick(faces: tuple[Face, ...]) -> Face:
        cards = (evening.table.round or Round(0)).cards
        at = cards.index(None) if None in cards else len(cards)
        wanted = [face for face in faces if at < len(ranks) and face.rank == ranks[at]]
        return some.pick(wanted or faces)

    return pick


def _forward(evening: Evening, some: Choices, pick: Callable[[tuple[Face, ...]], Face]) -> None:
    """The next command; sometimes a card comes before the offer, and sometimes a missed offer is made late."""
    command = finishing.forward(evening, pick)
    if isinstance(command, commands.OpenInsurance) and some.chance(3 if evening.face_down else 6):
        card = None if evening.face_down else pick(evening.lawful_cards())
        command = commands.DealCard(*DEALER, card, not_offered=True)
    elif isinstance(command, commands.TurnCard) and some.chance(2):
        _correct_passed(evening, some)
        evening.do(reports.OfferLateInsurance(*MANAGER))
        if evening.offer_stands:
            return
    evening.do(command)


def _disturb(evening: Evening, some: Choices) -> None:
    """A card leaves the shoe too early, seen or not; the round is interrupted; or somebody leaves."""
    seen = some.face(evening.table)
    if _turn_one(evening, some):
        return
    early: tuple[Command, ...] = (
        reports.ReportExcessCard(*MANAGER, (None,)),
        reports.ReportExcessCard(*MANAGER, (None,)),
        reports.ReportExcessCard(*MANAGER, (some.pick((None, seen)),)),
        reports.ReportSimultaneousCards(*MANAGER, (None, some.pick((None, seen)))),
        reports.ReportSimultaneousCards(*MANAGER, (None, None), 1),
        reports.ReportDealingError(*MANAGER, "as seen", some.chance(2)),
        reports.ReportInterruption(*MANAGER, "the lights went out"),
        commands.Leave(*DEALER, some.pick(sorted(evening.table.people) or ("ann",))),
    )
    evening.do(some.pick(early))
    _settle_error(evening, some)
    if evening.offer_stands:
        house.insure(evening, some)
        if evening.table.carried and some.chance(3):
            evening.do(commands.DealCard(*DEALER, None if evening.face_down else seen, not_offered=True))
        _settle_error(evening, some)


def _turn_one(evening: Evening, some: Choices) -> bool:
    """During a late offer, mostly: the next card, which lies face down, is shown by mistake."""
    cards = (evening.table.round or Round(0)).cards
    if None not in cards or some.chance(4):
        return False
    place = cards.index(None) + 1
    if some.chance(3):
        _correct_shown(evening, some)
        return True
    if some.chance(2):
        in_doubt = some.pick(((1, 2), (2, 4), (3, 4)))
        evening.do(
            some.pick(
                (
                    reports.ReportSimultaneousCards(*MANAGER, (None,), 1),
                    reports.ReportSimultaneousCards(*MANAGER, (None,), 2),
                    reports.ReportDealingError(*MANAGER, "as seen", reconstructable=False, in_doubt=in_doubt),
                )
            )
        )
        _settle_error(evening, some)
        return True
    evening.do(reports.ReportFaceUpCard(*MANAGER, place, some.pick(evening.lawful_cards(place))))
    _settle_error(evening, some)
    return True


def _correct_shown(evening: Evening, some: Choices) -> None:
    """One of the cards that the offer was made on was another, mostly one that leaves an offer."""
    now = evening.table.round or Round(0)
    at = some.pick(tuple(range(now.cards.index(None))))
    card = some.pick(evening.lawful_cards(at + 1))
    evening.do(corrections.CorrectCard(*SUPERVISOR, now.shoes[at], now.draws[at], card))


def _settle_error(evening: Evening, some: Choices) -> None:
    """What a report stops: the order is ruled, and nearly everybody plays on."""
    for _ in range(2):
        now = evening.table.round
        if evening.table.phase not in PLAYING or now is None:
            return
        if now.irregularities.order_lost:
            evening.do(reports.RuleCardOrder(*SUPERVISOR, now.irregularities.order_lost))
        for who in now.irregularities.options.waiting_for if now.irregularities.options is not None else ():
            choice = Choice.RETURN if some.chance(8) else Choice.CONTINUE
            evening.do(reports.ChooseOption(who, Position.PLAYER, who, choice))


def _correct(evening: Evening, some: Choices) -> None:
    """Mostly what lay as insurance, at the first offer rather than the second; a bet; a card."""
    now = evening.table.round
    if now is None:
        return
    if some.chance(6):
        walk.a_slip_is_corrected(evening, some)
        return
    main = [key for key in now.at_close if key[2] in MAIN_BETS]
    if not main:
        return
    who, box, bet = some.pick(main)
    if some.chance(6):
        evening.do(corrections.CorrectBet(*SUPERVISOR, who, box, bet, some.pick((0, 1, 500, 1000))))
        return
    stage, stake = some.pick(tuple(Stage)), 0 if some.chance(2) else some.pick((1, 20, 200))
    if some.chance(5):
        made = stage in now.insurance.offered
        evening.do(corrections.CorrectInsurance(*SUPERVISOR, stage, offered=not made))
        return
    later = [key for key in main if key[0] in {each.who for each in now.insurance.cover if each.stage is Stage.THIRD}]
    passed = [key for key in main if key[0] in now.insurance.forgone]
    if (later or passed) and not some.chance(3):
        found = some.pick([keys for keys in (later, passed) if keys])
        (who, box, bet), stage, stake = some.pick(found), Stage.FOUR, 0 if found is later else 20
    evening.do(corrections.CorrectInsurance(*SUPERVISOR, stage, who, box, stake))
    if some.chance(3):  # it was right before
        evening.do(corrections.CorrectInsurance(*SUPERVISOR, stage, who, box, 0 if stake else 20))


def _correct_passed(evening: Evening, some: Choices) -> None:
    """Somebody who has passed turns out to have had insurance on four cards."""
    now = evening.table.round or Round(0)
    passed = [key for key in now.at_close if key[2] in MAIN_BETS and key[0] in now.insurance.forgone]
    if passed:
        who, box, _ = some.pick(passed)
        evening.do(corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, who, box, 20))


def _make_good(evening: Evening) -> None:
    """Every player says that they meant to insure."""
    now = evening.table.round
    for who, box, bet in now.bets if now is not None and now.insurance.missed else ():
        if bet in MAIN_BETS:
            evening.do(reports.ReturnUninsuredBets(*MANAGER, who, box, Side(bet), "as the player says"))

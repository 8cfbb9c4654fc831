"""Corrections of bets, insurance, choices and payments, recorded from the events alone."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from punto import InsuranceStake, Stake
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.topics import Topic
from punto.table.records import correction_events, corrections, events, findings
from punto.table.records.events import Event
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import BROUGHT, MISPAID, chips

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks
    from tests.model.slow_insurance import Taken

Key = tuple[str, int, str]
StageKey = tuple[str, int, str, Stage | None]
Insured = tuple[InsuranceStake, InsuranceLine]


class TakenBack(Struct):
    """What somebody's choice took off the felt."""

    bets: dict[Key, Stake]
    insured: list[Insured]


class Reversed(Struct):
    """A settlement that was reversed, as it left the players."""

    results: list[events.SettledBet]
    back: Counter[StageKey]
    """Insurance that was returned since."""
    worth: Counter[str]
    """By player, their chips then."""
    simple: bool = True
    """Nothing but corrections and cards has moved money since."""


class SlowCorrections:
    """Records every correction of money and compares it with what the readings say."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.start()

    def start(self) -> None:
        """A round starts."""
        self.brought: Counter[str] = Counter()
        """By player, how much of their stakes came from chips that nobody sold here."""
        self.taken_back: dict[str, TakenBack] = {}
        self.uninsured: dict[Key, Stake] = {}
        """Bets returned for want of insurance before a settlement."""
        self.mispaid: Counter[Key] = Counter()
        self.reversed: Reversed | None = None
        self.verified: set[events.Payout] = set()
        self.marked: set[StageKey] = set()
        """Bets whose line of the settlement sheet is done."""
        self.people: set[str] = set()
        """Those whose insurance the last correction concerns."""
        self.not_offered: Stage | None = None
        """The stage whose offer the last correction took off the record."""
        self.touched = False
        """Something was corrected in this round."""

    def rename(self, who: str, player: str) -> None:
        self.brought[player] += self.brought.pop(who, 0)
        if who in self.taken_back:
            taken = self.taken_back.pop(who)
            bets = {(player, *key[1:]): replace(stake, who=player) for key, stake in taken.bets.items()}
            insured = [(replace(each, who=player), line) for each, line in taken.insured]
            self.taken_back[player] = TakenBack(bets, insured)
        self.verified = {replace(each, who=player) if each.who == who else each for each in self.verified}
        self.marked = {(player, *line[1:]) if line[0] == who else line for line in self.marked}
        for kept in (self.uninsured, self.mispaid):
            for key in [key for key in kept if key[0] == who]:
                kept[player, *key[1:]] = kept.pop(key)  # type: ignore[assignment]

    def record(self, event: Event) -> None:
        self.touched |= isinstance(
            event, findings.CardCorrected | correction_events.BetCorrected | correction_events.InsuranceCorrected
        )
        match event:
            case events.InsuranceOffered():
                self.people = self._staked()
            case events.PayoutsVerified():
                self.verified.update(event.payouts)
            case events.PaymentsMarked():
                lines = {(line.who, line.box, line.bet, line.stage) for line in event.lines}
                self.marked = self.marked - lines if event.taken_back else self.marked | lines
            case correction_events.BetCorrected():
                self._correct_bet(event)
            case correction_events.InsuranceCorrected():
                self._correct_insurance(event)
            case correction_events.OptionCorrected():
                self._correct_option(event)
            case correction_events.PaymentCorrected():
                self._correct_payment(event)
            case findings.UninsuredBetPutBack():
                self._put_back((event.who, event.box, event.side.value), event.stake_minor)
            case correction_events.BettingReopened():
                assert not self.books.cards.lying
                self.books.at_the_close = {}
            case correction_events.RoundCancelled():
                assert not self.books.stakes
                assert not self.books.at_the_close

    @property
    def _felt_then(self) -> bool:
        """The last round was played at the felt, whatever the settings are now."""
        settings = self.books.played_under or self.books.settings
        return settings is not None and (settings.observing or settings.cards_only)

    # ---- stakes

    def restake(self, who: str, was_minor: int, stake_minor: int) -> None:
        """More chips lay there, or fewer: then those that the player brought never left their hands."""
        if stake_minor >= was_minor:
            self.books.spend(who, stake_minor - was_minor)
            return
        brought = min(self.brought[who], was_minor - stake_minor)
        self.brought[who] -= brought
        self.books.held[BROUGHT] += brought
        self.books.held[chips(who)] += was_minor - stake_minor - brought

    def _correct_bet(self, event: correction_events.BetCorrected) -> None:
        books, key = self.books, (event.who, event.box, event.bet)
        assert books.felt
        self.people, self.not_offered = {event.who}, None
        assert event.clauses == books.rules.topics[Topic.CHIPS_POSITION]
        before = books.at_the_close.get(key)
        assert event.was_minor == (before.stake_minor if before else 0) != event.stake_minor
        assert (key in books.stakes) == (before is not None), "a bet that went back is not corrected"
        self.restake(event.who, event.was_minor, event.stake_minor)
        for bets in (books.stakes, books.at_the_close):
            bets[key] = Stake(event.who, event.bet, event.stake_minor, event.box, event.seated)
            if not event.stake_minor:
                del bets[key]
        assert list(event.played) == books.settlement.played()

    def _correct_insurance(self, event: correction_events.InsuranceCorrected) -> None:
        books = self.books
        assert books.felt
        line = books.offers.line_at(event.stage, books.cards.faces)
        assert line is not None
        assert (event.side, event.odds) == (line.side, line.odds_text)
        if event.offered is not None:
            self.people = self._staked()
            books.offers.correct_offer(event.stage, made=event.offered)
        if event.stake_minor is None:
            assert event.offered is not None
            self.not_offered = event.stage if event.offered is False else None
            return
        self._correct_stake(event, line)

    def _that_plays(self, stated_minor: int, who: str, box: int, line: InsuranceLine) -> int:
        """A stake within the cap as it lies; above it, what chips can make of the cap."""
        room_minor, settings = self._room_then(who, box, line), self.books.settings
        assert settings is not None
        return stated_minor if stated_minor <= room_minor else room_minor - room_minor % settings.smallest_chip_minor

    def _correct_stake(self, event: correction_events.InsuranceCorrected, line: InsuranceLine) -> None:
        """The stake that a command states, or one that went back as forgone and plays again."""
        books, command = self.books, self.books.command
        stated = isinstance(command, corrections.CorrectInsurance) and (
            (command.who, command.box, command.stage) == (event.who, event.box, event.stage)
        )
        there = [at for at, each in enumerate(books.taken) if _is_at(each, event.who, event.box, line)]
        was = sum(books.insurance[at].stake_minor for at in there)
        assert event.was_minor == was != event.stake_minor
        stake_minor = event.stake_minor or 0
        if stated:
            self.not_offered = None
            offer = any(isinstance(each, events.InsuranceOffered) or _offers(each) for each in books.decision)
            self.people = (self.people if offer else set()) | {event.who}
            assert isinstance(command, corrections.CorrectInsurance)
            assert stake_minor == self._that_plays(command.stake_minor or 0, event.who, event.box, line)
            if stake_minor:
                self._came_again(event.who, event.box, line, stake_minor)
                books.offers.passing.forget(event.who, event.box, line)
        else:
            books.offers.passing.restore(event.who, event.box, line, stake_minor)
            self._came_again(event.who, event.box, line, stake_minor)
        kept = [each for at, each in enumerate(self._insured()) if at not in there]
        at = there[0] if there else len(kept)
        books.insurance, books.lines = [each for each, _ in kept], [each for _, each in kept]
        if stake_minor:
            books.insurance.insert(at, InsuranceStake(event.who, event.side, event.stage, stake_minor, event.box))
            books.lines.insert(at, line)
        books.offers.took_or_not(event.who, line)
        self.restake(event.who, was, stake_minor)

    def _room_then(self, who: str, box: int, line: InsuranceLine) -> int:
        """How much the player could put on a line when it was on offer, beside the insurance before it."""
        books, offers = self.books, self.books.offers
        if line.stage is Stage.THIRD and who in offers.forgone - offers.forgone_third:
            return 0
        if who in offers.passing.gone_before(line.stage):
            return 0
        before = [each for each in books.taken if each.line.stage.cards < line.stage.cards]
        return offers.room_beside(line, books.at_the_close.get((who, box, line.side.value)), before)

    def _came_again(self, who: str, box: int, line: InsuranceLine, stake_minor: int) -> None:
        """What went back as forgone since the settlement was reversed, and comes again, has not gone back."""
        lay = any((e.stake.who, e.stake.box, e.line) == (who, box, line) for e in self.books.offers.passing.went_back)
        if self.reversed is not None and lay:
            key = (who, box, f"{line.side}_insurance", line.stage)
            self.reversed.back[key] -= min(self.reversed.back[key], stake_minor)

    def _staked(self) -> set[str]:
        books = self.books
        return {who for who, _, _ in books.stakes} | {taken.who for taken in books.insurance}

    def _insured(self) -> list[Insured]:
        return list(zip(self.books.insurance, self.books.lines, strict=True))

    def back(self, who: str, box: int, line: InsuranceLine, amount_minor: int) -> None:
        """Insurance that does not stay goes back to the player."""
        self.books.held[chips(who)] += amount_minor
        if self.reversed is not None:
            self.reversed.back[who, box, f"{line.side}_insurance", line.stage] += amount_minor

    def let_go(self, event: events.PlayerLeft) -> None:
        """Somebody who had left has what the dealer does not still pay them. What they should give back is lost."""
        books = self.books
        assert self._felt_then
        settled = [each for each in books.decision if isinstance(each, events.RoundSettled)]
        owed = sum(each.amount_minor for one in settled for each in one.differences if each.who == event.who)
        took = books.held[chips(event.who)] - owed
        books.held[chips(event.who)] = max(owed, 0)
        books.held[BROUGHT] += took
        books.held[MISPAID] += min(owed, 0)

    # ---- choices

    def take_back(self, who: str) -> None:
        """Everything that the player has in the round goes back to them, and may come again."""
        books = self.books
        bets = {key: stake for key, stake in books.stakes.items() if key[0] == who}
        insured = [each for each in self._insured() if each[0].who == who]
        self.taken_back[who] = TakenBack(bets, insured)
        books.give_back(list(bets))
        books.give_insurance_back([taken for taken, _ in insured])
        self._not_simple()

    def _correct_option(self, event: correction_events.OptionCorrected) -> None:
        if event.choice is Choice.RETURN:
            self.take_back(event.who)
            return
        books, taken = self.books, self.taken_back.pop(event.who)
        staked = sum(stake.stake_minor for stake in taken.bets.values())
        staked += sum(each.stake_minor for each, _ in taken.insured)
        books.spend(event.who, staked, in_round=False)
        books.stakes.update(taken.bets)
        books.returned -= set(taken.bets)
        books.insurance += [each for each, _ in taken.insured]
        books.lines += [line for _, line in taken.insured]
        self._not_simple()

    # ---- after the settlement

    def _correct_payment(self, event: correction_events.PaymentCorrected) -> None:
        """What was not recovered stays with the player."""
        books, key = self.books, (event.who, event.box, event.bet)
        assert self._felt_then
        assert books.paid is not None
        results = [each for each in (*books.settled.values(), *books.settled_insurance) if _key(each) == key]
        due = sum(each.returned_minor for each in results)
        if key in books.returned and (stake := self.uninsured.get(key) or books.settled_stakes[0].get(key)):
            due = stake.stake_minor
        assert event.due_minor == due
        assert event.paid_minor - event.recovered_minor - due == event.mispaid_minor
        assert 0 <= event.recovered_minor <= max(event.paid_minor - due, 0)
        moved = event.mispaid_minor - self.mispaid[key]
        self.mispaid[key] += moved
        for amounts in (books.held, books.paid):
            amounts[chips(event.who)] += moved
            amounts[MISPAID] -= moved

    def _put_back(self, key: Key, stake_minor: int) -> None:
        """The right cards do not give the offer for want of which it had been returned."""
        books, stake = self.books, self.uninsured.pop(key)
        books.stakes[key] = books.at_the_close[key]
        assert stake_minor == stake.stake_minor
        books.held[chips(key[0])] -= stake_minor
        books.returned.discard(key)

    def reverse(self, event: findings.SettlementReversed) -> None:
        """The stakes lie there again. A bet that was returned afterwards is not returned yet."""
        books = self.books
        assert books.paid is not None
        results = [*books.settled.values(), *books.settled_insurance]
        if event.again:
            self.reversed = Reversed(results, Counter(), self._worth())
            self.touched = True
        books.held.subtract(books.paid)
        books.paid, books.settled, books.settled_insurance = None, {}, []
        books.stakes, books.insurance, books.lines = books.settled_stakes
        books.at_the_close = books.settled_close
        books.returned -= set(books.stakes)
        self.mispaid = Counter()

    def _worth(self) -> Counter[str]:
        """The chips of each player, and those that they brought into this round."""
        held = Counter({account: minor for account, minor in self.books.held.items() if account.startswith(chips(""))})
        for who, minor in self.brought.items():
            held[chips(who)] -= minor
        return held

    def _not_simple(self) -> None:
        if self.reversed is not None:
            self.reversed.simple = False

    def watch(self, event: Event) -> None:
        """Whether something else than corrections and cards moves money before the settlement is made again."""
        others = (events.ChipsBought, events.ChipsCashed, events.PlayerLeft, events.PlayerIdentified)
        ruled = isinstance(event, findings.Ruled) and event.effect is not Effect.CONTINUE
        if ruled or isinstance(event, (*others, findings.OptionChosen, findings.UninsuredBetReturned)):
            self._not_simple()

    def check_differences(self, event: events.RoundSettled) -> None:
        """What the dealer pays and collects is what changes for each player, once the money has moved.

        Chips on a lost bet that nobody had entered were taken with the others, so those are not collected again.
        """
        was, self.reversed = self.reversed, None
        if was is None:
            assert not event.differences
            return
        if not was.simple:
            return
        paid: Counter[str] = Counter()
        for difference in event.differences:
            assert difference.amount_minor
            paid[chips(difference.who)] += difference.amount_minor
        expected = self._worth()
        expected.subtract(was.worth)
        lay = _totals(event.results) + was.back
        for key, stake_minor in _totals(was.results).items():
            if any(each.result is Result.LOSE for each in was.results if _stage_key(each) == key):
                expected[chips(key[0])] += lay[key] - stake_minor
        assert {who: minor for who, minor in expected.items() if minor} == {w: m for w, m in paid.items() if m}


def _offers(event: Event) -> bool:
    return isinstance(event, correction_events.InsuranceCorrected) and event.offered is True


def _totals(results: Iterable[events.SettledBet]) -> Counter[StageKey]:
    totals: Counter[StageKey] = Counter()
    for result in results:
        totals[_stage_key(result)] += result.stake_minor
    return totals


def _stage_key(result: events.SettledBet) -> StageKey:
    return result.who, result.box, result.bet, result.stage


def _key(result: events.SettledBet) -> Key:
    return result.who, result.box, result.bet


def _is_at(taken: "Taken", who: str, box: int, line: InsuranceLine) -> bool:
    return (taken.who, taken.box, taken.line.side, taken.line.stage) == (who, box, line.side, line.stage)

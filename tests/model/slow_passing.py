"""Who passed on an offer of insurance and whom it did not reach, replayed player by player from what lay there."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from punto import InsuranceStake, Stake
from punto.rules.bets.insurance import InsuranceLine, Stage

if TYPE_CHECKING:
    from tests.model.slow_insurance import SlowInsurance


class PastOffer(Struct):
    """An offer that was made, and what is known of it besides the stakes."""

    took: set[str]
    """Players who took it, whatever became of their stake."""
    shut_out: set[str]
    """Players whom the dealer did not ask: the record had them as having passed before."""
    gone_before: set[str]
    """Players who had left when it was made for the first time."""
    gone: set[str]
    """Players who had left when it ended."""
    binds: bool = True
    """False if it was interrupted, or the cards were others: passing on it means nothing."""
    cut: bool = False
    """A card was seen before it ended."""


class ForgoneStake(Struct):
    """A stake that went back because the player had passed before."""

    stake: InsuranceStake
    line: InsuranceLine


class SlowPassing:
    """Replays the offers of a round in order, one player at a time."""

    def __init__(self, offers: "SlowInsurance") -> None:
        self.offers = offers
        self.past: dict[Stage, PastOffer] = {}
        self.went_back: list[ForgoneStake] = []

    # ---- what is recorded

    def made(self, stage: Stage, shut_out: set[str], *, later: bool = False) -> None:
        """With ``later``, an offer that nobody had entered."""
        walked = self.offers.walked_by(stage) if later else set(self.offers.walked)
        first = self.past[stage].gone_before if stage in self.past else walked
        self.past[stage] = PastOffer(set(), shut_out - walked, first, walked if later else set())

    def gone_before(self, stage: Stage) -> set[str]:
        """Who had left before the offer, or before insurance was due at all if nobody made one."""
        return self.past[stage].gone_before if stage in self.past else self.offers.walked_by(stage)

    def ended(self, line: InsuranceLine, to: set[str], *, cut: bool) -> None:
        past = self.past[line.stage]
        past.gone = set(self.offers.walked)
        if cut and to:
            past.shut_out |= to - past.took
        elif cut:
            past.cut = True

    def rename(self, who: str, player: str) -> None:
        for past in self.past.values():
            for people in (past.took, past.shut_out, past.gone_before, past.gone):
                if who in people:
                    people.remove(who)
                    people.add(player)
        for each in self.went_back:
            if each.stake.who == who:
                each.stake = replace(each.stake, who=player)

    # ---- what follows

    def over(self) -> list[Stage]:
        """The offers that were made and have ended, in order."""
        standing = self.offers.line.stage if self.offers.line is not None else None
        return [stage for stage in Stage if stage in self.offers.made and stage is not standing]

    def staked(self, who: str, stage: Stage) -> bool:
        taken = any(each.who == who and each.line.stage is stage for each in self.offers.books.taken)
        return taken or who in self.past[stage].took

    def passed_at(self, who: str) -> Stage | None:
        """The first offer that the player could have taken and let go by."""
        if not self.offers.books.settings or not self.offers.books.settings.forgone_for_the_round:
            return None
        for stage in self.over():
            past = self.past[stage]
            asked = past.binds and not past.cut and who not in past.shut_out and who not in past.gone
            if asked and not self.staked(who, stage) and self.had_room(who, stage):
                return stage
        return None

    def had_room(self, who: str, stage: Stage) -> bool:
        books = self.offers.books
        line = self.offers.line_at(stage, books.cards.faces)
        if line is None:
            return False
        before = [each for each in books.taken if each.line.stage.cards < stage.cards]
        bets: dict[tuple[str, int, str], Stake] = {**books.corrections.uninsured, **books.stakes}
        own = [stake for (name, _, bet), stake in bets.items() if name == who and bet == line.side.value]
        return any(self.offers.in_chips(self.offers.room_beside(line, stake, before)) > 0 for stake in own)

    def able_then(self, line: InsuranceLine) -> set[str]:
        """The players who could have taken a line when it was due, had it been offered."""
        books = self.offers.books
        bets = (*books.stakes, *books.corrections.uninsured)
        lost = self.offers.walked_by(line.stage)
        return {
            who
            for who, _, bet in bets
            if bet == line.side.value and who not in lost and not self._passed_before(who, line.stage)
            if self.had_room(who, line.stage)
        }

    def not_reached(self, stage: Stage) -> set[str]:
        """The players who would have had the right to an offer that others had, and were not asked in full."""
        if stage not in self.over():
            return set()
        past, books = self.past[stage], self.offers.books
        people = past.shut_out
        if past.cut:
            people = {who for who, _, _ in (*books.stakes, *books.corrections.uninsured)} - past.gone
        return {
            who
            for who in people
            if not self.staked(who, stage) and not self._passed_before(who, stage) and self.had_room(who, stage)
        }

    def _passed_before(self, who: str, stage: Stage) -> bool:
        return stage is Stage.THIRD and who in self.offers.forgone - self.offers.forgone_third

    # ---- stakes that went back and play again

    def restore(self, who: str, box: int, line: InsuranceLine, stake_minor: int) -> None:
        """A stake comes back: it lay there, the player had not passed before it, and the cap allows so much."""
        found = [each for each in self.went_back if _is_at(each, who, box, line)]
        assert found, "only a stake that went back comes again by itself"
        assert self.may_play(found[0])
        assert stake_minor == self.offers.plays(found[0].stake.stake_minor, self.offers.room(line, who, box))
        self.forget(who, box, line)

    def forget(self, who: str, box: int, line: InsuranceLine) -> None:
        self.went_back = [each for each in self.went_back if not _is_at(each, who, box, line)]

    def may_play(self, each: ForgoneStake) -> bool:
        """Whether nothing speaks against a stake any more that went back."""
        books, stake = self.offers.books, each.stake
        before = self.passed_at(stake.who)
        line = self.offers.line_at(stake.stage, books.cards.faces)
        if line is None or line.side is not stake.side or stake.stage not in self.offers.made:
            return False
        at = (stake.who, stake.box or 0)
        lies = any(
            (one.who, one.box, one.line.stage, one.line.side) == (*at, stake.stage, line.side) for one in books.taken
        )
        plays = self.offers.plays(stake.stake_minor, self.offers.room(line, *at))
        return (before is None or before.cards >= stake.stage.cards) and not lies and plays > 0

    def check(self, people: set[str]) -> None:
        """After a correction: every offer is missed for exactly those it did not reach, and nothing waits to play."""
        offers = self.offers
        if offers.books.felt and not offers.cards_only:
            assert not [each for each in self.went_back if each.stake.who in people and self.may_play(each)]
        for stage in Stage:
            line = offers.line_at(stage, offers.books.cards.faces)
            if line is None or stage in offers.made or stage.cards >= len(offers.books.cards.faces):
                continue
            able, missed = self.able_then(line) - offers.staked(stage), offers.missed.get(stage)
            assert missed is not None or not (able or offers.cards_only), "what nobody offered was missed by somebody"
            assert missed is None or not able & missed.lost, "what they have done since takes nothing from them"
        for stage in self.over():
            missed = offers.missed.get(stage)
            if offers.cards_only:
                assert not self.past[stage].cut or missed is not None, "somebody may not have been asked in full"
            else:
                assert (missed.only if missed else set()) == self.not_reached(stage)


def _is_at(each: ForgoneStake, who: str, box: int, line: InsuranceLine) -> bool:
    stake = each.stake
    return (stake.who, stake.box or 0, stake.stage, stake.side) == (who, box, line.stage, line.side)

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

    def made(self, stage: Stage, shut_out: set[str], gone: set[str]) -> None:
        self.past[stage] = PastOffer(set(), shut_out - self.offers.books.away, set(gone))

    def ended(self, line: InsuranceLine, to: set[str], *, cut: bool) -> None:
        past = self.past[line.stage]
        past.gone = set(self.offers.books.away)
        if cut and to:
            past.shut_out |= to - past.took
        elif cut:
            past.cut = True

    def rename(self, who: str, player: str) -> None:
        for past in self.past.values():
            for people in (past.took, past.shut_out, past.gone):
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
        for stage in self.over():
            missed = offers.missed.get(stage)
            if offers.cards_only:
                assert not self.past[stage].cut or missed is not None, "somebody may not have been asked in full"
            else:
                assert (missed.only if missed else set()) == self.not_reached(stage)


def _is_at(each: ForgoneStake, who: str, box: int, line: InsuranceLine) -> bool:
    stake = each.stake
    return (stake.who, stake.box or 0, stake.stage, stake.side) == (who, box, line.stage, line.side)

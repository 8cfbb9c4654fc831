"""How much of each bet plays and what becomes of it, worked out with the rules library alone."""

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from punto import Limits, Stake, settle
from punto.rules.bets.pay_lines import Result
from punto.rules.money import Rounding
from punto.rules.refusals import Clause
from punto.rules.settlement.differential import within_limits
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records import events
from punto.table.records.corrections import CorrectBet
from punto.table.records.events import Limit, LimitFlagged, PlayedBet, ProRata
from punto.table.records.settings import Settings

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks


class SlowSettlement:
    """Limits, the part of each bet that plays, and the results of a round."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books

    @property
    def settings(self) -> Settings:
        assert self.books.settings is not None
        return self.books.settings

    def check_flag(self, event: LimitFlagged) -> None:
        """Either one player's bet is below the minimum, or the box is above a limit and no player is named."""
        assert self.books.felt
        limits = self.settings.main if event.bet in MAIN_BETS else self.settings.side
        totals: Counter[str] = Counter()
        corrected = isinstance(self.books.command, CorrectBet)
        stakes = self.books.at_the_close if corrected else self.books.stakes
        for (_, box, bet), stake in stakes.items():
            totals[bet] += stake.stake_minor if box == event.box else 0
        assert (event.who is not None) == (event.limit is Limit.MINIMUM)
        if event.who is not None:
            assert stakes[event.who, event.box, event.bet].stake_minor < (limits.min_minor or 0)
        elif event.limit is Limit.MAXIMUM:
            assert totals[event.bet] > (limits.max_minor or totals[event.bet])
        else:
            (other,) = MAIN_BETS - {event.bet}
            limit = self.settings.differential_minor
            assert limit is not None
            assert totals[event.bet] - totals[other] > limit

    @property
    def _limits(self) -> Limits:
        """The limits of the main bets, whether the table enforces them or not."""
        main = self.settings.main
        return Limits(main.min_minor, main.max_minor, self.settings.differential_minor)

    def _below_side_minimum(self, stake: Stake) -> tuple[Clause, ...]:
        """The clauses by which a side bet below its minimum plays; empty if it is not below."""
        below = stake.bet not in MAIN_BETS and stake.stake_minor < (self.settings.side.min_minor or 0)
        return self.books.rules.topics[Topic.BELOW_MINIMUM_PLAYS] if below else ()

    def played(self) -> list[PlayedBet]:
        """At the close, the bets beyond a limit and how much of each plays."""
        stakes = list(self.books.at_the_close.values())
        plays = within_limits(self.books.rules, stakes, self._limits)
        expected = []
        for at, stake in enumerate(stakes):
            part, clauses = plays.get(at) or (stake.stake_minor, self._below_side_minimum(stake))
            if clauses:
                why = self._arithmetic(stake, part)
                expected.append(PlayedBet(stake.who, stake.box or 0, stake.bet, part, clauses, why))
        return expected

    def _arithmetic(self, stake: Stake, part: int | None) -> ProRata | None:
        """What lay in the box at the close, if only a part of the bet plays."""
        if part in (None, stake.stake_minor):
            return None
        totals = dict.fromkeys(MAIN_BETS, 0)
        for other in self.books.at_the_close.values():
            if other.box == stake.box and other.bet in MAIN_BETS:
                totals[other.bet] += other.stake_minor
        assert self.settings.differential_minor is not None
        assert totals[stake.bet] - sum(totals.values()) / 2 > self.settings.differential_minor / 2
        return ProRata(totals["player"], totals["banker"], self.settings.differential_minor)

    def results(self) -> list[events.SettledBet]:
        """The results of all bets and insurance, by the stakes at the close."""
        coup, shoes = self.books.cards.coup, {lying.shoe for lying in self.books.cards.lying}
        settlement = settle(
            self.books.rules,
            coup,
            list(self.books.at_the_close.values()),
            [] if self.books.cards.reordered else self.books.insurance,
            layout=self.settings.layout,
            decks=next(iter(shoes)).decks if len(shoes) == 1 else None,
            limits=self._limits,
            rounding=self.settings.rounding,
        )
        if not self.books.cards.reordered:  # otherwise the pay line is that of the points it was taken on
            verdicts = [taken.verdict for taken in settlement.insurance]
            assert verdicts == [line.verdicts[coup.winner] for line in self.books.lines]
        expected = [
            events.SettledBet(
                bet.stake.who,
                bet.stake.box or 0,
                bet.stake.bet,
                bet.stake_minor,
                bet.verdict.result,
                bet.returned_minor,
                bet.clauses + self._below_side_minimum(bet.stake),
                None,
                bet.verdict.odds_text,
                bet.commission_minor,
                bet.played_minor,
                pro_rata=self._arithmetic(bet.stake, bet.played_minor),
            )
            for bet in settlement.bets
            if (bet.stake.who, bet.stake.box or 0, bet.stake.bet) in self.books.stakes
        ]
        for taken, line in zip(self.books.insurance, self.books.lines, strict=True):
            verdict = line.verdicts[coup.winner]
            expected.append(
                events.SettledBet(
                    taken.who,
                    taken.box or 0,
                    f"{taken.side}_insurance",
                    taken.stake_minor,
                    verdict.result,
                    verdict.returned_minor(taken.stake_minor, self.settings.rounding),
                    verdict.clauses,
                    taken.stage,
                    verdict.odds_text,
                )
            )
        return [self._in_chips(result) for result in expected]

    def _in_chips(self, result: events.SettledBet) -> events.SettledBet:
        """Count whole chips up or down to what is nearest, or on the chosen side."""
        chip, back = self.settings.smallest_chip_minor, result.returned_minor
        if result.result is Result.PUSH:
            return result
        least = result.stake_minor if result.result is Result.WIN else 0
        below = least
        while below + chip <= back:
            below += chip
        above = below if below == back else below + chip
        match self.settings.chip_rounding:
            case Rounding.DOWN:
                handed = below
            case Rounding.UP:
                handed = above
            case Rounding.HALF_UP:
                handed = above if above - back <= back - below else below
        if result.result is Result.LOSE:
            handed = min(handed, result.stake_minor)
        return replace(result, returned_minor=handed, rounded_minor=handed - back)

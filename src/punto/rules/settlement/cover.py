"""Cover: how much insurance each player can take in one round, and on which bet."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money, Odds
from punto.rules.bets.insurance import InsuranceLine, Taken
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS, AnyInsuranceStake, AnyStake, Limits, bad_stake, box_of
from punto.rules.topics import Topic


class Cover:
    """The Original Bets of a round, and the insurance taken on each so far."""

    def __init__(
        self,
        book: Rulebook,
        stakes: Sequence[AnyStake],
        offers: Sequence[InsuranceLine],
        limits: Limits | None,
    ) -> None:
        self._book = book
        self._offers = {(line.stage, line.side): line for line in offers}
        self._maximum_minor = limits.maximum_minor if limits else None
        self._original_minor: defaultdict[tuple[str, Side], Counter[int | str]] = defaultdict(Counter)
        self._taken: defaultdict[tuple[str, Side, int | str], list[Taken]] = defaultdict(list)
        for stake in stakes:
            if stake.bet in MAIN_BETS:
                self._original_minor[stake.who, Side(stake.bet)][box_of(stake)] += stake.stake_minor

    def take(self, wanted: AnyInsuranceStake) -> tuple[InsuranceLine, int | None]:
        """The line of the insurance and the numbered box it covers, or a refusal."""
        insurance = self._book.insurance
        if insurance is None:
            raise Refused(Code.INSURANCE_NOT_OFFERED, variant="no_insurance", book=self._book.id)
        line = self._line(wanted)
        if type(wanted.stake_minor) is not int or wanted.stake_minor <= 0:
            raise bad_stake(wanted.who, phrase("phrase.insurance", side=wanted.side), wanted.stake_minor)
        box = self._insured_box(wanted)
        original = self._original_minor[wanted.who, wanted.side][box]
        taken = self._taken[wanted.who, wanted.side, box]
        room = insurance.cap.room_minor(line, original, taken, self._maximum_minor)
        if wanted.stake_minor > room:
            raise Refused(
                Code.INSURANCE_ABOVE_CAP,
                variant="stake",
                clauses=(insurance.cap.clause,),
                who=wanted.who[:40],
                side=wanted.side,
                odds=Odds(line.odds_text),
                most=Money(room),
                stake=Money(wanted.stake_minor),
            )
        taken.append(Taken(line.stage, line.odds, wanted.stake_minor))
        return line, box if isinstance(box, int) else None

    def _line(self, wanted: AnyInsuranceStake) -> InsuranceLine:
        line = self._offers.get((wanted.stage, wanted.side))
        if line is None:
            offers = tuple(phrase("phrase.offer", side=one.side, stage=one.stage) for one in self._offers.values())
            raise Refused(
                Code.INSURANCE_NOT_OFFERED,
                variant="others" if offers else "none",
                topic=Topic.INSURANCE,
                clauses=self._book.topics[Topic.INSURANCE],
                side=wanted.side,
                stage=wanted.stage,
                offers=offers,
            )
        return line

    def _insured_box(self, wanted: AnyInsuranceStake) -> int | str:
        boxes = self._original_minor[wanted.who, wanted.side]
        if wanted.box is not None and wanted.box in boxes:
            return wanted.box
        if wanted.box is None and len(boxes) == 1:
            return next(iter(boxes))
        if wanted.box is None and boxes:
            raise Refused(
                Code.AMBIGUOUS_BOX,
                topic=Topic.INSURED_BET,
                clauses=self._book.topics[Topic.INSURED_BET],
                who=wanted.who[:40],
                side=wanted.side,
            )
        raise Refused(
            Code.NO_ORIGINAL_BET,
            variant="anywhere" if wanted.box is None else "in_box",
            topic=Topic.INSURED_BET,
            clauses=self._book.topics[Topic.INSURED_BET],
            who=wanted.who[:40],
            side=wanted.side,
            box=wanted.box,
        )

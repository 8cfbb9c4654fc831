"""Cover: who may take how much insurance on what, in one round."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from punto.rules.bets.insurance import InsuranceLine, Taken
from punto.rules.coup.table_of_play import Side
from punto.rules.money import to_one, write_amount
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS, AnyInsuranceStake, AnyStake, Limits, bad_stake, box_of
from punto.rules.topics import Topic


class Cover:
    """The Original Bets of a round, and the insurance taken on each as it comes in."""

    def __init__(
        self,
        book: Rulebook,
        stakes: Sequence[AnyStake],
        offers: Sequence[InsuranceLine],
        limits: Limits | None,
    ) -> None:
        self._book = book
        self._offers = {(line.stage, line.side): line for line in offers}
        # Where a table states no maximum for main bets, the differential limit serves.
        self._maximum_minor = (limits.max_minor or limits.differential_minor) if limits else None
        self._original_minor: defaultdict[tuple[str, Side], Counter[int | str]] = defaultdict(Counter)
        self._taken: defaultdict[tuple[str, Side, int | str], list[Taken]] = defaultdict(list)
        for stake in stakes:
            if stake.bet in MAIN_BETS:
                self._original_minor[stake.who, Side(stake.bet)][box_of(stake)] += stake.stake_minor

    def take(self, wanted: AnyInsuranceStake) -> tuple[InsuranceLine, int | None]:
        """The line on which the insurance stands and the numbered box it insures, or a refusal."""
        insurance = self._book.insurance
        if insurance is None:
            raise Refused(Code.INSURANCE_NOT_OFFERED, f"{self._book.id} has no insurance")
        line = self._line(wanted)
        if type(wanted.stake_minor) is not int or wanted.stake_minor <= 0:
            raise bad_stake(wanted.who, f"{wanted.side} insurance", wanted.stake_minor)
        box = self._insured_box(wanted)
        original = self._original_minor[wanted.who, wanted.side][box]
        taken = self._taken[wanted.who, wanted.side, box]
        room = insurance.cap.room_minor(line, original, taken, self._maximum_minor)
        if wanted.stake_minor > room:
            raise Refused(
                Code.INSURANCE_ABOVE_CAP,
                f"{wanted.who[:40]!r} may insure {wanted.side} at {to_one(line.odds_text)} with {write_amount(room)} "
                f"at the most, not {write_amount(wanted.stake_minor)}",
                (insurance.cap.clause,),
            )
        taken.append(Taken(line.stage, line.odds, wanted.stake_minor))
        return line, box if isinstance(box, int) else None

    def _line(self, wanted: AnyInsuranceStake) -> InsuranceLine:
        line = self._offers.get((wanted.stage, wanted.side))
        if line is None:
            made = [f"{offer.side} insurance at stage {offer.stage}" for offer in self._offers.values()]
            raise Refused(
                Code.INSURANCE_NOT_OFFERED,
                f"{wanted.side} insurance was not offered at stage {wanted.stage}: "
                f"the cards offered {' and '.join(made) or 'none'}",
                self._book.topics[Topic.INSURANCE],
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
                f"{wanted.who[:40]!r} has {wanted.side} bets in several boxes: say which box is insured",
                self._book.topics[Topic.INSURED_BET],
            )
        where = "" if wanted.box is None else f" in box {wanted.box}"
        raise Refused(
            Code.NO_ORIGINAL_BET,
            f"{wanted.who[:40]!r} has no bet on {wanted.side}{where} to insure",
            self._book.topics[Topic.INSURED_BET],
        )

"""How a round changes when bets, insurance and payments turn out to be others than on record."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from punto.rules.bets.insurance import Stage
from punto.table.decision import Evolvers, this_round
from punto.table.play.seating import update_people
from punto.table.play.staking import with_brought
from punto.table.records.correction_events import BetCorrected, InsuranceCorrected, PaymentCorrected
from punto.table.records.events import PlayedBet
from punto.table.records.ledger import merge_postings
from punto.table.records.state import (
    BetKey,
    PlacedBet,
    Round,
    RoundInsurance,
    Table,
    TakenInsurance,
    with_insurance,
    with_irregularities,
)


def on_bet_corrected(table: Table, event: BetCorrected) -> Table:
    """The bet has the right stake, and all bets play what they would have played with it."""
    now = this_round(table)
    key = (event.who, event.box, event.bet)
    before = now.at_close.get(key)
    order = before.order if before else now.last_order + 1
    at_close, bets = {**now.at_close}, {**now.bets}
    if event.stake_minor:
        by = before.placed_by if before else event.corrected_by
        placed = PlacedBet(event.who, event.bet, event.stake_minor, event.box, event.seated, by, order)
        at_close[key] = bets[key] = placed
    else:
        del at_close[key], bets[key]
    now = replace(now, at_close=at_close, bets=bets, bets_corrected=True, last_order=max(now.last_order, order))
    now = with_brought(with_played(now, event.played), event.who, event.postings)
    newcomers = {event.who} if before is None and event.who not in table.abandoned else set[str]()
    return update_people(replace(table, people=table.people | newcomers, round=now), {event.who})


def with_played(now: Round, played: Iterable[PlayedBet]) -> Round:
    """The round with how much plays of each bet that was beyond a limit at the close; of the others, all of it."""
    parts = {(part.who, part.box, part.bet): (part.played_minor, part.clauses) for part in played}

    def play(bets: Mapping[BetKey, PlacedBet]) -> dict[BetKey, PlacedBet]:
        return {key: _playing(placed, *parts.get(key, (None, ()))) for key, placed in bets.items()}

    taken_back = {who: replace(taken, bets=play(taken.bets)) for who, taken in now.irregularities.taken_back.items()}
    returned = now.insurance.returned_uninsured
    plays = play({key: each.placed for key, each in returned.items()})
    now = with_irregularities(replace(now, bets=play(now.bets), at_close=play(now.at_close)), taken_back=taken_back)
    return with_insurance(
        now, returned_uninsured={key: replace(each, placed=plays[key]) for key, each in returned.items()}
    )


def _playing(placed: PlacedBet, played_minor: int | None, because: tuple[str, ...]) -> PlacedBet:
    if (placed.played_minor, placed.because) == (played_minor, because):
        return placed
    return replace(placed, played_minor=played_minor, because=because)


def on_insurance_corrected(table: Table, event: InsuranceCorrected) -> Table:
    """What the stakes then allow is judged by an event of its own."""
    now = this_round(table)
    insurance = now.insurance
    if event.offered is not None:
        insurance = _with_offer(insurance, event.stage, made=event.offered)
    if event.stake_minor is not None:
        insurance = _with_stake(insurance, event)
    now = with_brought(replace(now, insurance=insurance), event.who, event.postings)
    after = replace(table, round=now)
    return update_people(after, {event.who}) if event.who else after


def _with_offer(before: RoundInsurance, stage: Stage, *, made: bool) -> RoundInsurance:
    if made:
        offered = tuple(sorted({*before.offered, stage}, key=lambda each: each.cards))
        missed = tuple(each for each in before.missed if each.stage is not stage)
        return replace(before, offered=offered, missed=missed)
    ended = before.offer_stands and before.offered[-1:] == (stage,)
    return replace(
        before,
        offered=tuple(each for each in before.offered if each is not stage),
        offer_open=before.offer_open and not ended,
        offer_stands=before.offer_stands and not ended,
    )


def _with_stake(before: RoundInsurance, event: InsuranceCorrected) -> RoundInsurance:
    """All that the player had there at this stage is one stake now."""
    there = [at for at, each in enumerate(before.cover) if _is_corrected(each, event)]
    cover = [each for each in before.cover if not _is_corrected(each, event)]
    last = before.offered[-1:] == (event.stage,)
    if event.stake_minor:
        late = before.cover[there[0]].late if there else last and before.offer_late
        points = (event.stage, event.player, event.banker, event.stake_minor, event.box, event.corrected_by)
        taken = TakenInsurance(event.who, event.side, *points, event.odds, late=late)
        cover.insert(there[0] if there else len(cover), taken)
    took = before.offer_taken_by
    if last:
        took = took | {event.who} if event.stake_minor else took - {event.who}
    return replace(before, cover=tuple(cover), offer_taken_by=took)


def _is_corrected(taken: TakenInsurance, event: InsuranceCorrected) -> bool:
    return (taken.who, taken.box, taken.side, taken.stage) == (event.who, event.box, event.side, event.stage)


def on_payment_corrected(table: Table, event: PaymentCorrected) -> Table:
    """A reversal of the settlement takes it back too."""
    now = this_round(table)
    assert now.paid is not None  # noqa: S101 - only a settled round has payments
    mispaid = {**now.mispaid, (event.who, event.box, event.bet): event.mispaid_minor}
    paid = merge_postings((*now.paid, *event.postings))
    return update_people(replace(table, round=replace(now, paid=paid, mispaid=mispaid)), {event.who})


EVOLVERS: Evolvers = {
    BetCorrected: on_bet_corrected,
    InsuranceCorrected: on_insurance_corrected,
    PaymentCorrected: on_payment_corrected,
}

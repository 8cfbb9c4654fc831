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
    MadeOffer,
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
        raises = before.restaked(event.stake_minor).raises if before else ()
        placed = PlacedBet(event.who, event.bet, event.stake_minor, event.box, event.seated, by, order, raises=raises)
        at_close[key] = bets[key] = placed
    else:
        del at_close[key], bets[key]
    now = replace(now, at_close=at_close, bets=bets, bets_corrected=True, last_order=max(now.last_order, order))
    now = with_brought(with_played(now, event.played), event.who, event.postings)
    newcomers = {event.who} if before is None and event.who not in table.abandoned else set[str]()
    return update_people(replace(table, people=table.people | newcomers, round=now), {event.who})


def with_played(now: Round, played: Iterable[PlayedBet]) -> Round:
    """The round with how much plays of each bet that was beyond a limit at the close; of the others, all of it."""
    parts = {(part.who, part.box, part.bet): part for part in played}

    def play(bets: Mapping[BetKey, PlacedBet]) -> dict[BetKey, PlacedBet]:
        return {key: _playing(placed, parts.get(key)) for key, placed in bets.items()}

    taken_back = {who: replace(taken, bets=play(taken.bets)) for who, taken in now.irregularities.taken_back.items()}
    returned = now.insurance.returned_uninsured
    plays = play({key: each.placed for key, each in returned.items()})
    now = with_irregularities(replace(now, bets=play(now.bets), at_close=play(now.at_close)), taken_back=taken_back)
    return with_insurance(
        now, returned_uninsured={key: replace(each, placed=plays[key]) for key, each in returned.items()}
    )


def _playing(placed: PlacedBet, part: PlayedBet | None) -> PlacedBet:
    if part is None:
        return placed if placed.played_minor is None else replace(placed, played_minor=None, because=(), pro_rata=None)
    return replace(placed, played_minor=part.played_minor, because=part.clauses, pro_rata=part.pro_rata)


def on_insurance_corrected(table: Table, event: InsuranceCorrected) -> Table:
    """What the stakes then allow is judged by an event of its own."""
    now = this_round(table)
    insurance = now.insurance
    if event.offered is not None:
        insurance = _with_offer(now, event.stage, made=event.offered)
    if event.stake_minor is not None:
        insurance = _with_stake(insurance, event)
    now = with_brought(replace(now, insurance=insurance), event.who, event.postings)
    after = replace(table, round=_without_return(now, event))
    return update_people(after, {event.who}) if event.who else after


def _with_offer(now: Round, stage: Stage, *, made: bool) -> RoundInsurance:
    before = now.insurance
    if made:
        offered = tuple(sorted({*before.offered, stage}, key=lambda each: each.cards))
        missed = tuple(each for each in before.missed if each.stage is not stage)
        not_for = before.forgone_before(stage)
        left = now.left_by(stage)
        offer = MadeOffer(not_for=not_for - left, left_before=before.left_before(stage, left), left=left)
        offers = {**before.offers, stage: offer}
        return replace(before, offered=offered, missed=missed, offers=offers)
    ended = before.offer_stands and before.offered[-1:] == (stage,)
    return replace(
        before,
        offered=tuple(each for each in before.offered if each is not stage),
        missed=tuple(each for each in before.missed if each.stage is not stage),
        offer_open=before.offer_open and not ended,
        offer_stands=before.offer_stands and not ended,
    )


def _without_return(now: Round, event: InsuranceCorrected) -> Round:
    """A stake that plays again after it went back as forgone has not gone back."""
    insurance = now.insurance
    returned = [each for each in insurance.returned_forgone if event.stake_minor and _is_corrected(each, event)]
    if not returned:
        return now
    back = {**now.back_since_reversal}
    for each in returned:
        if (key := (each.key, each.stage)) in back:
            back[key] -= min(back[key], event.stake_minor or 0)
    left = tuple(each for each in insurance.returned_forgone if each not in returned)
    return with_insurance(replace(now, back_since_reversal=back), returned_forgone=left)


def _with_stake(before: RoundInsurance, event: InsuranceCorrected) -> RoundInsurance:
    """All that the player had there at this stage is one stake now."""
    there = [at for at, each in enumerate(before.cover) if _is_corrected(each, event)]
    cover = [each for each in before.cover if not _is_corrected(each, event)]
    if event.stake_minor:
        late = before.cover[there[0]].late if there else before.is_late(event.stage, event.who)
        points = (event.stage, event.player, event.banker, event.stake_minor, event.box, event.corrected_by)
        taken = TakenInsurance(event.who, event.side, *points, event.odds, late=late)
        cover.insert(there[0] if there else len(cover), taken)
    offer = before.offers.get(event.stage, MadeOffer())
    has_another = any((each.who, each.stage) == (event.who, event.stage) for each in cover)
    took = offer.taken_by | {event.who} if event.stake_minor or has_another else offer.taken_by - {event.who}
    return replace(before, cover=tuple(cover), offers={**before.offers, event.stage: replace(offer, taken_by=took)})


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

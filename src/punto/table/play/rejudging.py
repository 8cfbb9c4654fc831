"""Insurance judged again, because the cards it was offered on turned out to be others."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Evolvers, coup_of, open_settings, this_round
from punto.table.play.insuring import (
    insurance_room,
    line_at,
    line_of,
    missed_event,
    missed_events,
    playing_stake,
    points_at,
)
from punto.table.play.passing import may_have_been_cut_short, players_able_then, players_not_reached, restored_stakes
from punto.table.play.stake_correction import on_insurance_corrected
from punto.table.records.correction_events import InsuranceCorrected
from punto.table.records.events import Event
from punto.table.records.findings import InsuranceRejudged, RejudgedInsurance
from punto.table.records.ledger import FELT, Posting, chips, merge_postings, post, transfer
from punto.table.records.state import (
    BetKey,
    MadeOffer,
    Round,
    RoundInsurance,
    Table,
    TakenInsurance,
    with_insurance,
)

Lines = Mapping[Stage, InsuranceLine | None]
"""For each stage whose cards may have changed, the line that the right cards give."""


def rejudge_insurance(book: Rulebook, before: Table, after: Table, places: Collection[int]) -> tuple[Event, ...]:
    """The events about insurance once the cards at these places are known: ``before`` has the wrong ones.

    Insurance stays if the right cards offer it on the same side at its stage, at the odds of the right line and up to
    the cap; the newest is returned first. An offer that only the wrong cards gave was never made, missed or forgone.
    One that the right cards give and nobody made is due, or missed if the next card is dealt.
    """
    if book.insurance is None or open_settings(after).no_insurance:
        return ()
    now, was = this_round(after), this_round(before).insurance
    stages = [stage for stage in Stage if min(places) <= stage.cards]
    lines = {stage: line_at(book, after, stage) for stage in stages}
    wrong = {stage: line_at(book, before, stage) for stage in stages}
    past = [stage for stage in stages if stage.cards < len(now.cards)]
    made = [stage for stage in past if stage in was.offered and _side(lines[stage]) is _side(wrong[stage]) is not None]
    coup = coup_of(book, after)
    still_missed = [
        missed.stage
        for missed in was.missed
        if missed.stage in past
        and lines[missed.stage] is not None
        and (missed.player, missed.banker) == points_at(missed.stage, coup)
    ]
    cover = _cover(book, after, was.cover, lines, coup)
    rejudged = InsuranceRejudged(
        tuple(map(rejudged_stake, cover)),
        tuple(stage for stage in was.offered if stage not in stages or stage in made),
        tuple(missed.stage for missed in was.missed if missed.stage not in stages or missed.stage in still_missed),
        tuple(sorted(_forgone(was, stages))),
        _clauses(book, was.cover, cover, lines),
        disturbed=tuple(made),
        postings=returned_postings(was.cover, cover),
    )
    return judge_missed(book, after, rejudged, stages, {taken.who for taken in was.returned_forgone})


def judge_missed(
    book: Rulebook,
    table: Table,
    rejudged: InsuranceRejudged,
    stages: Collection[Stage] = tuple(Stage),
    people: Collection[str] = (),
) -> tuple[Event, ...]:
    """The event, if it changes anything, the stakes of these people that play again, and what turns out to be missed.

    An offer that was made can have been missed for some players; one of these stages that nobody made and somebody
    could have taken was missed if the next card is dealt.
    """
    now = this_round(table)
    returned = replace(table, balances=post(table.balances, rejudged.postings))
    restored, judged = restore_stakes(book, on_insurance_rejudged(returned, rejudged), people)
    not_reached = {stage: players_not_reached(book, judged, stage) for stage in Stage}
    looked_at = {*stages, *rejudged.offered}
    stale = {
        each.stage
        for each in now.insurance.missed
        if each.stage in looked_at and each.players and each.players != not_reached[each.stage]
    }
    rejudged = replace(rejudged, missed=tuple(stage for stage in rejudged.missed if stage not in stale))
    judged = on_insurance_rejudged(table, rejudged)
    events: list[Event] = [] if this_round(judged).insurance == now.insurance else [rejudged]
    for event in restored:
        judged = on_insurance_corrected(judged, event)
    insurance = this_round(judged).insurance
    events += restored
    for stage in Stage:
        line = line_at(book, judged, stage)
        if line is None or any(missed.stage is stage for missed in insurance.missed):
            continue
        if not_reached[stage] or may_have_been_cut_short(judged, stage):
            events.append(missed_event(book, judged, line, not_reached[stage]))
            continue
        due = stage in stages and stage not in insurance.offered and stage.cards < len(now.cards)
        able = players_able_then(book, judged, line) if due else set()
        if able or (due and open_settings(table).cards_only):
            events += missed_events(book, judged, line, able)
    return tuple(events)


def restore_stakes(book: Rulebook, table: Table, people: Collection[str]) -> tuple[list[InsuranceCorrected], Table]:
    """The events that put stakes back that went back as forgone and turn out to play, and the table after them."""
    events: list[InsuranceCorrected] = []
    while (event := next(restored_stakes(book, table, people), None)) is not None:
        events.append(event)
        paid = replace(table, balances=post(table.balances, event.postings))  # the next one is paid with what is left
        table = on_insurance_corrected(paid, event)
    return events, table


def _side(line: InsuranceLine | None) -> Side | None:
    return None if line is None else line.side


def _forgone(was: RoundInsurance, stages: Collection[Stage]) -> frozenset[str]:
    """The players who forwent insurance at a stage whose cards were never in doubt."""
    if Stage.FOUR in stages:
        return frozenset()
    return was.forgone - was.forgone_third if Stage.THIRD in stages else was.forgone


def _cover(
    book: Rulebook, table: Table, cover: tuple[TakenInsurance, ...], lines: Lines, coup: Coup
) -> list[TakenInsurance]:
    """Each stake on the right points, as far as it stays; 0 if it does not. The cap counts the older ones first."""
    now, judged = this_round(table), list[TakenInsurance]()
    for taken in cover:
        covered = _on_right_points(taken, lines, coup)
        placed = now.bets.get((covered.who, covered.box, covered.side))
        if covered.stake_minor and placed is not None:  # without the Original Bet, which a ruling returned, no cap
            older = replace(table, round=with_insurance(now, cover=tuple(each for each in judged if each.stake_minor)))
            room = insurance_room(book, older, line_of(book, covered), placed, late=covered.late)
            covered = replace(covered, stake_minor=playing_stake(table, covered.stake_minor, room))
        judged.append(covered)
    return judged


def _on_right_points(taken: TakenInsurance, lines: Lines, coup: Coup) -> TakenInsurance:
    if taken.stage not in lines:
        return taken
    line = lines[taken.stage]
    if line is None or line.side is not taken.side:
        return replace(taken, stake_minor=0)
    player, banker = points_at(taken.stage, coup)
    return replace(taken, player=player, banker=banker, odds=line.odds_text)


def is_forgone(taken: TakenInsurance, passed: Mapping[str, Stage]) -> bool:
    """Whether the player passed on an offer before the one that the stake is on."""
    stage = passed.get(taken.who)
    return stage is not None and stage.cards < taken.stage.cards


def rejudged_stake(covered: TakenInsurance) -> RejudgedInsurance:
    return RejudgedInsurance(
        covered.who,
        covered.box,
        covered.side,
        covered.stage,
        covered.player,
        covered.banker,
        covered.odds,
        covered.stake_minor,
    )


def _clauses(
    book: Rulebook, was: tuple[TakenInsurance, ...], cover: list[TakenInsurance], lines: Lines
) -> tuple[Clause, ...]:
    """The actual cards count; and the cap, if it returns a part of the insurance."""
    clauses = book.topics[Topic.DISPLAY]
    for old, new in zip(was, cover, strict=True):
        offered = old.stage not in lines or _side(lines[old.stage]) is old.side
        if offered and new.stake_minor < old.stake_minor:
            clauses += book.topics[Topic.LATE_INSURANCE if old.late else Topic.INSURANCE_CAP]
    return tuple(dict.fromkeys(clauses))


def returned_postings(was: tuple[TakenInsurance, ...], cover: list[TakenInsurance]) -> tuple[Posting, ...]:
    """What is returned goes from the felt to the players."""
    return merge_postings(
        posting
        for old, new in zip(was, cover, strict=True)
        for posting in transfer(FELT, chips(old.who), old.stake_minor - new.stake_minor)
    )


def on_insurance_rejudged(table: Table, event: InsuranceRejudged) -> Table:
    """Players who have not forgone insurance after all have not missed anything by it either."""
    now = this_round(table)
    before = now.insurance
    if now.reversed_results is not None:
        now = replace(now, back_since_reversal=_back_since_reversal(now, event))
    cover = tuple(
        replace(old, player=new.player, banker=new.banker, odds=new.odds, stake_minor=new.stake_minor)
        for old, new in zip(before.cover, event.cover, strict=True)
        if new.stake_minor
    )
    passed = {*event.passed}
    free = before.forgone - passed - {*event.forgone}
    back = (
        old
        for old, new in zip(before.cover, event.cover, strict=True)
        if is_forgone(old, event.passed) and not new.stake_minor
    )
    disturbed = {stage: replace(before.offers.get(stage, MadeOffer()), disturbed=True) for stage in event.disturbed}
    passed_four = {who for who, stage in event.passed.items() if stage is Stage.FOUR}
    forgone = before.forgone.intersection(event.forgone) | passed
    offers = {**before.offers, **disturbed}
    if before.offer_stands and before.offered and not before.offer_to:  # who has the right now can still take it
        offers[before.offered[-1]] = replace(before.last_offer, not_for=forgone - now.left.keys())
    after = with_insurance(
        now,
        cover=cover,
        offered=event.offered,
        missed=tuple(
            replace(
                missed,
                forgone=missed.forgone - (free - now.left_by(missed.stage))
                | (passed_four if missed.stage is Stage.THIRD else set()),
            )
            for missed in before.missed
            if missed.stage in event.missed
        ),
        forgone=forgone,
        forgone_third=before.forgone_third.intersection(event.forgone) - passed_four | (passed - passed_four),
        offers=offers,
        returned_forgone=(*before.returned_forgone, *back),
    )
    return replace(table, round=after)


def _back_since_reversal(now: Round, event: InsuranceRejudged) -> dict[tuple[BetKey, Stage], int]:
    back = {**now.back_since_reversal}
    for old, new in zip(now.insurance.cover, event.cover, strict=True):
        if new.stake_minor < old.stake_minor:
            key = (old.key, old.stage)
            back[key] = back.get(key, 0) + old.stake_minor - new.stake_minor
    return back


EVOLVERS: Evolvers = {
    InsuranceRejudged: on_insurance_rejudged,
}

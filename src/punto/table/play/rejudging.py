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
from punto.table.play.insuring import can_be_taken, insurance_room, line_of, missed_event, points_at
from punto.table.records.events import Event
from punto.table.records.findings import InsuranceRejudged, RejudgedInsurance
from punto.table.records.ledger import FELT, Posting, chips, merge_postings, transfer
from punto.table.records.state import BetKey, Round, RoundInsurance, Table, TakenInsurance, with_insurance

Lines = Mapping[Stage, InsuranceLine | None]
"""For each stage whose cards may have changed, the line that the right cards give."""


def rejudge_insurance(book: Rulebook, before: Table, after: Table, places: Collection[int]) -> tuple[Event, ...]:
    """The events about insurance once the cards at these places are known: ``before`` has the wrong ones.

    Insurance stays if the right cards offer it on the same side at its stage, at the odds of the right line and up to
    the cap; the newest is returned first. An offer that only the wrong cards gave was never made, missed or forgone.
    One that the right cards give and nobody made is due, or missed if the next card is dealt.
    """
    now, was = this_round(after), this_round(before).insurance
    if book.insurance is None or open_settings(after).no_insurance:
        return ()
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
        postings=returned_postings(was.cover, cover),
    )
    judged = on_insurance_rejudged(after, rejudged)
    events: list[Event] = [] if this_round(judged).insurance == now.insurance else [rejudged]
    for stage in past:
        line = lines[stage]
        if line is not None and stage not in (*made, *still_missed) and can_be_taken(book, judged, line):
            events.append(missed_event(book, judged, line))
    return tuple(events)


def line_at(book: Rulebook, table: Table, stage: Stage) -> InsuranceLine | None:
    """The line that the cards of a stage give, even if more cards are dealt; None where no insurance is offered."""
    assert book.insurance is not None  # noqa: S101 - the caller checked
    if open_settings(table).no_insurance or (stage is Stage.THIRD and this_round(table).insurance.waived):
        return None
    return next((line for line in book.insurance.offers(coup_of(book, table)) if line.stage is stage), None)


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
            covered = replace(covered, stake_minor=min(covered.stake_minor, room))
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
    free = before.forgone - now.away - passed - {*event.forgone}
    passed_four = {who for who, stage in event.passed.items() if stage is Stage.FOUR}
    after = with_insurance(
        now,
        cover=cover,
        offered=event.offered,
        missed=tuple(
            replace(missed, forgone=missed.forgone - free | (passed_four if missed.stage is Stage.THIRD else set()))
            for missed in before.missed
            if missed.stage in event.missed
        ),
        forgone=before.forgone.intersection(event.forgone) | passed,
        forgone_third=before.forgone_third.intersection(event.forgone) - passed_four | (passed - passed_four),
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

"""Insurance judged again, because bets, stakes or offers turned out to be others than on record."""

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import open_settings, this_round
from punto.table.play.insuring import can_be_taken, insurance_room, line_of, missed_event
from punto.table.play.rejudging import line_at, on_insurance_rejudged, rejudged_stake, returned_postings
from punto.table.records.events import Event
from punto.table.records.findings import InsuranceRejudged
from punto.table.records.state import Table, TakenInsurance, with_insurance


def rejudge_stakes(
    book: Rulebook, table: Table, people: Collection[str], not_offered: Stage | None = None
) -> tuple[Event, ...]:
    """The events about insurance once the bets and stakes of these people, or the offers, are as they really were.

    Insurance stays up to the cap of the bet, and the newest is returned first; without the bet or the offer it is
    returned whole. An offer that nobody could have taken was not missed. One that somebody could have taken and nobody
    made is due, or missed if the next card is dealt. Who passes on an offer is decided by what lay there.
    """
    now = this_round(table)
    before = now.insurance
    if book.insurance is None or open_settings(table).no_insurance:
        return ()
    cover = _cover(book, table, people, not_offered)
    passed = dict(_passed(book, table, people))
    rejudged = InsuranceRejudged(
        tuple(map(rejudged_stake, cover)),
        before.offered,
        tuple(missed.stage for missed in before.missed if _on_side(table, missed.side)),
        tuple(sorted(before.forgone.difference(people) | (before.forgone & now.away))),
        _clauses(book, table, cover, not_offered),
        passed,
        postings=returned_postings(before.cover, cover),
    )
    judged = on_insurance_rejudged(table, rejudged)
    events: list[Event] = [] if this_round(judged).insurance == before else [rejudged]
    known = {*before.offered, *(missed.stage for missed in this_round(judged).insurance.missed)}
    for stage in Stage:
        line = line_at(book, judged, stage) if stage.cards < len(now.cards) and stage not in known else None
        if line is not None and can_be_taken(book, judged, line):
            events.append(missed_event(book, judged, line))
    return tuple(events)


def _on_side(table: Table, side: str) -> bool:
    """Whether somebody has a bet on the hand. Where only cards are recorded, nobody knows."""
    now = this_round(table)
    bets = (*now.bets, *now.insurance.returned_uninsured)
    return open_settings(table).cards_only or any(bet == side for _, _, bet in bets)


def _cover(book: Rulebook, table: Table, people: Collection[str], not_offered: Stage | None) -> list[TakenInsurance]:
    """Each stake as far as it stays; 0 if it does not. The cap counts the earlier stage first."""
    now = this_round(table)
    judged: dict[int, TakenInsurance] = {}
    for at, taken in sorted(enumerate(now.insurance.cover), key=lambda each: each[1].stage.cards):
        covered, placed = taken, now.at_close.get(taken.insured)
        if taken.stage is not_offered or (taken.who in people and placed is None):
            covered = replace(taken, stake_minor=0)
        elif taken.who in people and placed is not None:
            older = tuple(each for each in judged.values() if each.stake_minor)
            earlier = replace(table, round=with_insurance(now, cover=older))
            room = insurance_room(book, earlier, line_of(book, taken), placed, late=taken.late)
            covered = replace(taken, stake_minor=min(taken.stake_minor, room))
        judged[at] = covered
    return [judged[at] for at in range(len(judged))]


def _passed(book: Rulebook, table: Table, people: Collection[str]) -> Iterator[tuple[str, Stage]]:
    """Of these people, those who passed on an offer, and its stage. Those who left are not judged again."""
    now = this_round(table)
    insurance = now.insurance
    if not open_settings(table).forgone_for_the_round:
        return
    over = list(insurance.offered)
    if insurance.offer_stands or insurance.offer_interrupted:
        over = over[:-1]
    for who in sorted(set(people) - now.away):
        for stage in over:
            line = line_at(book, table, stage)
            if line is not None and _passes(book, table, who, line):
                yield who, stage
                break


def _passes(book: Rulebook, table: Table, who: str, line: InsuranceLine) -> bool:
    """Whether the player had room for the offer and took nothing of it."""
    now = this_round(table)
    cover = now.insurance.cover
    if any(taken.who == who and taken.stage is line.stage for taken in cover):
        return False
    if now.insurance.offered[-1] is line.stage and who in now.insurance.offer_taken_by:
        return False  # a ruling returned it
    earlier = tuple(taken for taken in cover if taken.stage.cards < line.stage.cards)
    then = replace(table, round=with_insurance(now, cover=earlier))
    bets = (placed for (owner, _, bet), placed in now.bets.items() if owner == who and bet == line.side)
    return any(insurance_room(book, then, line, placed) > 0 for placed in bets)


def _clauses(
    book: Rulebook, table: Table, cover: list[TakenInsurance], not_offered: Stage | None
) -> tuple[Clause, ...]:
    """The position of the chips counts; and what returns insurance."""
    now = this_round(table)
    clauses = book.topics[Topic.CHIPS_POSITION]
    for old, new in zip(now.insurance.cover, cover, strict=True):
        if new.stake_minor < old.stake_minor and old.stage is not not_offered:
            gone = old.insured not in now.at_close
            clauses += book.topics[Topic.INSURED_BET if gone else Topic.INSURANCE_CAP]
    return tuple(dict.fromkeys(clauses))

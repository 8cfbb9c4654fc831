"""Insurance judged again, because bets, stakes or offers turned out to be others than on record."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from punto.rules.bets.insurance import Stage
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import open_settings, this_round
from punto.table.play.insuring import insurance_room, line_of, playing_stake
from punto.table.play.passing import players_passed
from punto.table.play.rejudging import is_forgone, judge_missed, rejudged_stake, restore_stakes, returned_postings
from punto.table.records.events import Event
from punto.table.records.findings import InsuranceRejudged
from punto.table.records.state import Table, TakenInsurance, with_insurance


def rejudge_stakes(
    book: Rulebook, table: Table, people: Collection[str], not_offered: Stage | None = None
) -> tuple[Event, ...]:
    """The events about insurance once the bets and stakes of these people, or the offers, are as they really were.

    They are judged as if they had been entered in order. Who took nothing of an offer has passed on it, and later
    insurance goes back; who took it has not, and such insurance plays again. Insurance stays up to the cap of the bet,
    and the newest is returned first; without the bet or the offer it is returned whole. An offer that nobody could have
    taken was not missed. One that somebody could have taken and nobody made is due, or missed if the next card is
    dealt; one that was made while the record had a player as having forgone insurance was missed for that player.
    """
    if book.insurance is None or open_settings(table).no_insurance:
        return ()
    restored, table = restore_stakes(book, table, people)
    now = this_round(table)
    before = now.insurance
    passed = players_passed(book, table, people)
    cover = _cover(book, table, people, passed, not_offered)
    rejudged = InsuranceRejudged(
        tuple(map(rejudged_stake, cover)),
        before.offered,
        tuple(missed.stage for missed in before.missed if _on_side(table, missed.side)),
        tuple(sorted(before.forgone.difference(people))),
        _clauses(book, table, cover, passed, not_offered),
        passed,
        postings=returned_postings(before.cover, cover),
    )
    return (*restored, *judge_missed(book, table, rejudged))


def _on_side(table: Table, side: str) -> bool:
    """Whether somebody has a bet on the hand. Where only cards are recorded, nobody knows."""
    now = this_round(table)
    bets = (*now.bets, *now.insurance.returned_uninsured)
    return open_settings(table).cards_only or any(bet == side for _, _, bet in bets)


def _cover(
    book: Rulebook, table: Table, people: Collection[str], passed: Mapping[str, Stage], not_offered: Stage | None
) -> list[TakenInsurance]:
    """Each stake as far as it stays; 0 if it does not. The cap counts the earlier stage first."""
    now = this_round(table)
    judged: dict[int, TakenInsurance] = {}
    for at, taken in sorted(enumerate(now.insurance.cover), key=lambda each: each[1].stage.cards):
        covered, placed = taken, now.at_close.get(taken.insured)
        if taken.stage is not_offered or is_forgone(taken, passed) or (taken.who in people and placed is None):
            covered = replace(taken, stake_minor=0)
        elif taken.who in people and placed is not None:
            older = tuple(each for each in judged.values() if each.stake_minor)
            earlier = replace(table, round=with_insurance(now, cover=older))
            room = insurance_room(book, earlier, line_of(book, taken), placed, late=taken.late)
            covered = replace(taken, stake_minor=playing_stake(table, taken.stake_minor, room))
        judged[at] = covered
    return [judged[at] for at in range(len(judged))]


def _clauses(
    book: Rulebook,
    table: Table,
    cover: list[TakenInsurance],
    passed: Mapping[str, Stage],
    not_offered: Stage | None,
) -> tuple[Clause, ...]:
    """The position of the chips counts; and what returns insurance."""
    now = this_round(table)
    clauses = book.topics[Topic.CHIPS_POSITION]
    for old, new in zip(now.insurance.cover, cover, strict=True):
        if new.stake_minor == old.stake_minor or old.stage is not_offered:
            continue
        if is_forgone(old, passed):
            clauses += book.topics[Topic.INSURANCE_FORGONE]
            continue
        cap = Topic.LATE_INSURANCE if old.late else Topic.INSURANCE_CAP
        clauses += book.topics[cap if old.insured in now.at_close else Topic.INSURED_BET]
    return tuple(dict.fromkeys(clauses))

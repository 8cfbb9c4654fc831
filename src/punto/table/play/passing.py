"""Who has passed on an offer of insurance, and whom it did not reach."""

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_of, open_settings, this_round
from punto.table.play.insuring import insurance_room, largest_stake, line_at, players_taking, playing_stake, points_at
from punto.table.play.staking import stake_postings
from punto.table.records.correction_events import InsuranceCorrected
from punto.table.records.state import BetKey, MadeOffer, PlacedBet, Table, TakenInsurance, with_insurance


def players_passed(book: Rulebook, table: Table, people: Collection[str]) -> dict[str, Stage]:
    """Of these people, those who passed on an offer that is over, and the stage of the first one."""
    if not open_settings(table).forgone_for_the_round:
        return {}
    passed: dict[str, Stage] = {}
    for stage in _over(table):
        line = line_at(book, table, stage)
        if line is not None:
            passed |= {who: stage for who in sorted(people) if who not in passed and _passes(book, table, who, line)}
    return passed


def _over(table: Table) -> list[Stage]:
    """The stages whose offers were made and have ended."""
    insurance = this_round(table).insurance
    return list(insurance.offered[:-1] if insurance.offer_stands else insurance.offered)


def _passes(book: Rulebook, table: Table, who: str, line: InsuranceLine) -> bool:
    """Whether the offer reached the player, who had room for it and took nothing of it."""
    offer = this_round(table).insurance.offers.get(line.stage, MadeOffer())
    if offer.disturbed or offer.cut_short or who in offer.left | offer.not_for | players_taking(table, line.stage):
        return False
    return _had_room(book, table, who, line)


def _had_room(book: Rulebook, table: Table, who: str, line: InsuranceLine) -> bool:
    """Whether the player could have put a stake on the line, beside their insurance of earlier stages."""
    now = this_round(table)
    earlier = tuple(taken for taken in now.insurance.cover if taken.stage.cards < line.stage.cards)
    then = replace(table, round=with_insurance(now, cover=earlier))
    bets = (placed for key, placed in _insurable(table).items() if (key[0], key[2]) == (who, line.side.value))
    late = now.insurance.is_late(line.stage, who)
    return any(largest_stake(book, then, line, placed, late=late) > 0 for placed in bets)


def _insurable(table: Table) -> dict[BetKey, PlacedBet]:
    """The bets of the round, with those that were returned for want of insurance."""
    now = this_round(table)
    return {**{key: each.placed for key, each in now.insurance.returned_uninsured.items()}, **now.bets}


def players_able_then(book: Rulebook, table: Table, line: InsuranceLine) -> set[str]:
    """The players who could have put a stake on a line when it was to be offered, whatever they have done since."""
    now = this_round(table)
    lost = now.left_by(line.stage) | now.insurance.forgone_before(line.stage)
    people = {who for who, _, bet in _insurable(table) if bet == line.side.value} - lost
    return {who for who in people if _had_room(book, table, who, line)}


def players_not_reached(book: Rulebook, table: Table, stage: Stage) -> frozenset[str]:
    """The players who could have taken an offer that is over and that did not reach them, though it did others."""
    now, line = this_round(table), line_at(book, table, stage)
    if line is None or stage not in _over(table):
        return frozenset()
    offer = now.insurance.offers.get(stage, MadeOffer())
    people = {who for who, _, _ in _insurable(table)} - offer.left if offer.cut_short else offer.not_for
    people = people - now.insurance.forgone_before(stage) - players_taking(table, stage)
    return frozenset(who for who in people if _had_room(book, table, who, line))


def may_have_been_cut_short(table: Table, stage: Stage) -> bool:
    """Where only cards are recorded: the offer was cut short, and nobody knows for whom."""
    offer = this_round(table).insurance.offers.get(stage, MadeOffer())
    return open_settings(table).cards_only and stage in _over(table) and offer.cut_short


def restored_stakes(book: Rulebook, table: Table, people: Collection[str]) -> Iterator[InsuranceCorrected]:
    """Put back the stakes that went back as forgone, of those people who turn out not to have passed before."""
    now = this_round(table)
    passed = players_passed(book, table, people)
    for stake in now.insurance.returned_forgone:
        before = passed.get(stake.who)
        if stake.who not in people or (before is not None and before.cards < stake.stage.cards):
            continue
        if (event := _restored(book, table, stake)) is not None:
            yield event


def _restored(book: Rulebook, table: Table, stake: TakenInsurance) -> InsuranceCorrected | None:
    """The stake on the points that stand now, up to its cap; None if the offer, its side or the bet is gone."""
    now, line = this_round(table), line_at(book, table, stake.stage)
    placed = now.bets.get(stake.insured)
    if line is None or line.side is not stake.side or placed is None or stake.stage not in now.insurance.offered:
        return None
    if any((each.insured, each.stage) == (stake.insured, stake.stage) for each in now.insurance.cover):
        return None
    room_minor = insurance_room(book, table, line, placed, late=stake.late)
    plays_minor = playing_stake(table, stake.stake_minor, room_minor)
    if not plays_minor:
        return None
    points, clauses = points_at(stake.stage, coup_of(book, table)), book.topics[Topic.CHIPS_POSITION]
    return InsuranceCorrected(
        stake.stage,
        stake.side,
        *points,
        line.odds_text,
        stake.placed_by,
        clauses,
        stake.who,
        stake.box,
        plays_minor,
        postings=stake_postings(table, stake.who, plays_minor),
    )

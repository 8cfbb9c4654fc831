"""Correcting a card: the round is judged again by the cards in the order drawn."""

from msgspec.structs import replace

from punto.rules.bets.pay_lines import Verdict, verdicts_if_decided
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.corrections.choices import options_undone
from punto.table.corrections.resettling import Correction
from punto.table.decision import Deciders, Decision, check_reason, coup_of, open_settings, this_round
from punto.table.evolution import evolve
from punto.table.irregularities.reconstruction import establishes, rejudge_doubt, rejudge_established
from punto.table.play.dealing import deal_card
from punto.table.play.insuring import due_offer, line_of, offer_event, offer_in_doubt
from punto.table.play.opening import cards_burned_with, find_shoe
from punto.table.play.raising import raise_card_not_in_shoe
from punto.table.play.rejudging import rejudge_insurance
from punto.table.records.commands import DealCard
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import Event
from punto.table.records.findings import CardCorrected, IrregularityDismissed, IrregularityRaised
from punto.table.records.kinds import ERRORS_OF_NUMBER
from punto.table.records.positions import MANAGER_UP, SUPERVISOR_UP, in_order
from punto.table.records.state import CarriedCard, Phase, Shoe, Table, cards_in_order, with_irregularities
from punto.table.refusals import TableCode, refuse


def correct_card(book: Rulebook, table: Table, command: CorrectCard) -> Decision:
    """Correct a card of the round, or one that is dealt next.

    After the settlement, and before the next call for bets, the settlement is made again.
    """
    if refusal := check_reason(book, command.reason):
        return refusal
    if _names_raised_card(table, command):
        return _take_back_raised_card(book, table, command)
    shoe = find_shoe(table, command.shoe)
    if shoe is not None and command.draw == 0 and shoe.burned_card is not None and shoe.rounds <= 1:
        return _correct_burned_card(book, table, command, shoe, shoe.burned_card)
    lying = cards_in_order(table)
    at = next((at for at, card in enumerate(lying) if (card.shoe, card.draw) == (command.shoe, command.draw)), None)
    if at is None:
        return refuse(book, TableCode.NO_SUCH_CARD, Topic.DISPLAY, draw=command.draw, shoe=command.shoe[:40])
    was = lying[at].card
    if was is None:
        return refuse(book, TableCode.NO_SUCH_CARD, Topic.DISPLAY, variant="face_down")
    if refusal := _check_correctable(book, table, command, lying, at):
        return refusal
    settled = table.phase is Phase.READY and at < _coup_length(book, table)
    start = Correction(book, table, book.topics[Topic.DISPLAY]) if settled else None
    before = table if start is None else start.table
    corrected = CardCorrected(
        command.shoe,
        command.draw,
        was,
        command.card,
        at + 1,
        _dealt_after(book, before, command, at),
        book.topics[Topic.DISPLAY],
        command.reason,
        _cut_card_is_in(before, command),
    )
    if refusal := _check_authority(book, before, command, corrected, settled=settled):
        return refusal
    if table.phase is not Phase.DEALING and not settled:
        return (corrected, *_one_copy_too_many(book, evolve(table, corrected), command))
    return _judged_again(book, start or Correction(book, table, ()), corrected, command)


def _names_raised_card(table: Table, command: CorrectCard) -> bool:
    now, shoe = table.round, table.shoe
    raised = now is not None and not now.over and now.irregularities.raised is not None
    return raised and shoe is not None and (command.shoe, command.draw) == (shoe.id, shoe.drawn)


def _take_back_raised_card(book: Rulebook, table: Table, command: CorrectCard) -> Decision:
    """A card that the table has raised is not drawn yet, so it can only be taken back."""
    raised = this_round(table).irregularities.raised
    assert raised is not None  # noqa: S101 - the caller checked
    if command.card is not None:
        return refuse(book, TableCode.NO_SUCH_CARD, Topic.DISPLAY, variant="raised")
    last = table.last_entered == (command.shoe, command.draw)
    if not last and command.position not in SUPERVISOR_UP:
        return _not_the_last(book)
    return (IrregularityDismissed(raised.kind, command.reason),)


def _correct_burned_card(book: Rulebook, table: Table, command: CorrectCard, shoe: Shoe, was: Face) -> Decision:
    """Its value decides how many cards were burned with it, and so where in the shoe the later ones were."""
    if command.card is None:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.DISPLAY, variant="not_last")
    if command.card == was:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.DISPLAY, variant="card", card=was)
    if command.position not in SUPERVISOR_UP and table.last_entered != (command.shoe, command.draw):
        return _not_the_last(book)
    unseen = cards_burned_with(book, command.card)
    if shoe.left < unseen - shoe.burned_unseen:
        return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT, variant="left", left=shoe.left)
    clauses = book.topics[Topic.DISPLAY]
    named = (command.shoe, command.draw, was, command.card)
    corrected = CardCorrected(*named, None, None, clauses, command.reason, burned_unseen=unseen)
    return (corrected, *_one_copy_too_many(book, evolve(table, corrected), command))


def _coup_length(book: Rulebook, table: Table) -> int:
    """How many cards of the last round belong to its coup."""
    return 0 if table.round is None else coup_of(book, table).used


def _check_correctable(
    book: Rulebook, table: Table, command: CorrectCard, lying: list[CarriedCard], at: int
) -> Refusal | None:
    """Refuse the same card, a card of a void round, and to take back a card that others follow."""
    now = table.round
    if command.card == lying[at].card:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.DISPLAY, variant="card", card=command.card)
    in_round = now is not None and at < len(now.cards)
    if in_round and now is not None and now.irregularities.void is not None:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.DISPLAY, variant="void")
    if command.card is not None:
        return None
    shoe = find_shoe(table, command.shoe)
    is_last = shoe is not None and command.draw == shoe.drawn - 1
    settled = in_round and table.phase is Phase.READY
    if is_last and at == len(lying) - 1 and not settled:
        return None
    return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.DISPLAY, variant="not_last")


def _cut_card_is_in(table: Table, command: CorrectCard) -> bool:
    """Whether only a card that was never drawn has reached the position of the cut card."""
    shoe = find_shoe(table, command.shoe)
    if command.card is not None or shoe is None or not shoe.cut_card_out:
        return False
    return shoe.rounds_since_cut_card == 0 and shoe.left == open_settings(table).cut_card


def _dealt_after(book: Rulebook, table: Table, command: CorrectCard, at: int) -> int | None:
    """How many cards are dealt once the card is corrected; None between the rounds and while betting is open.

    Cards beyond the coup are carried. Exposed cards that were carried because the coup was finished are dealt if it
    wants them now, unless their order is lost: then they wait until it is ruled.
    """
    if table.phase is not Phase.DEALING:
        return None
    lying = cards_in_order(table)
    faces = [card.card for card in lying]
    dealt = len(this_round(table).cards)
    if command.card is None:
        del faces[at]
        dealt -= at < dealt
    else:
        faces[at] = command.card
    coup = Coup.of(book.space, tuple(faces[:dealt]))
    if coup.used < dealt or coup_of(book, table).next.to is not To.NOBODY:
        return coup.used
    known = min(this_round(table).irregularities.order_lost, default=len(faces) + 1) - 1
    while dealt < min(len(faces), known) and faces[dealt] is not None and coup.next.to in (To.PLAYER, To.BANKER):
        coup = coup.draw(faces[dealt])
        dealt += 1
    return dealt


def _check_authority(
    book: Rulebook, before: Table, command: CorrectCard, corrected: CardCorrected, *, settled: bool
) -> Refusal | None:
    if settled:
        if command.position in MANAGER_UP:
            return None
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.DISPLAY, variant="settled", positions=in_order(MANAGER_UP))
    if command.position in SUPERVISOR_UP:
        return None
    if before.last_entered != (command.shoe, command.draw):
        return _not_the_last(book)
    if before.phase is Phase.DEALING and _results(book, before) != _results(book, evolve(before, corrected)):
        return refuse(
            book, TableCode.NOT_AUTHORISED, Topic.DISPLAY, variant="result", positions=in_order(SUPERVISOR_UP)
        )
    return None


def _not_the_last(book: Rulebook) -> Refusal:
    return refuse(book, TableCode.NOT_AUTHORISED, Topic.DISPLAY, variant="card", positions=in_order(SUPERVISOR_UP))


def _results(book: Rulebook, table: Table) -> list[frozenset[Verdict]]:
    """What each stake on the felt gets, as far as its result is decided."""
    now, coup = this_round(table), coup_of(book, table)
    results = [verdicts_if_decided(book.bets[placed.bet], coup) for placed in now.bets.values()]
    if coup.end is not None:
        winner = coup.end.winner
        results += (frozenset({line_of(book, covered).verdicts[winner]}) for covered in now.insurance.cover)
    return results


def _judged_again(
    book: Rulebook, correction: Correction, corrected: CardCorrected, command: CorrectCard
) -> tuple[Event, ...]:
    before, place = correction.table, corrected.place
    assert place is not None  # noqa: S101 - only a burned card has none
    changed = evolve(before, corrected)
    established = establishes(book, before, changed)
    if established or _leaves_no_error(book, before, changed):  # what was taken back is judged by the right cards too
        correction.add(*options_undone(book, before, command.by, established=established))
        before = correction.table
    not_drawn = corrected.card is None
    rejudged = not_drawn or coup_of(book, before).partial != coup_of(book, changed).partial
    if this_round(before).insurance.offer_stands and rejudged:
        correction.add(offer_in_doubt(before))
        before = correction.table
    correction.add(corrected)
    if rejudged:
        correction.add(*rejudge_insurance(book, before, correction.table, (place - not_drawn,)))
    if not_drawn:
        correction.add(*_offer_not_ended(book, before, correction.table))
    correction.add(*(rejudge_doubt(book, before, correction.table) or rejudge_established(book, correction.table)))
    correction.add(*_one_copy_too_many(book, correction.table, command))
    correction.add(*_raised_card_dealt(book, correction.table, command))
    return correction.finish()


def _offer_not_ended(book: Rulebook, before: Table, after: Table) -> tuple[Event, ...]:
    """An offer that only a card ended which nobody drew stands again. One that was missed by it is due."""
    line = due_offer(book, after, coup_of(book, after))
    if line is None or line.stage not in this_round(before).insurance.offered:
        return ()
    return (offer_event(line),)


def _leaves_no_error(book: Rulebook, before: Table, after: Table) -> bool:
    """Only extra or missing cards were reported, and by the right cards none is extra or missing."""
    reported = this_round(after).irregularities.reported
    if not reported or not ERRORS_OF_NUMBER.issuperset(reported):
        return False
    extra = [[card for card in table.carried if card.drawn_in == this_round(table).number] for table in (before, after)]
    was_missing = not extra[0] and not coup_of(book, before).finished
    return not extra[1] and (bool(extra[0]) or (was_missing and coup_of(book, after).finished))


def _one_copy_too_many(book: Rulebook, table: Table, command: CorrectCard) -> tuple[Event, ...]:
    """Raise it if more copies of the right card have been seen than the shoe has."""
    now, shoe = table.round, find_shoe(table, command.shoe)
    if command.card is None or shoe is None or now is None or now.over or now.irregularities.raised is not None:
        return ()
    return raise_card_not_in_shoe(book, command.card, len(now.cards)) if shoe.has_too_many(command.card) else ()


def _raised_card_dealt(book: Rulebook, table: Table, command: CorrectCard) -> tuple[Event, ...]:
    """Deal the card that the table has raised, if the right cards want it and the shoe can have it."""
    now = this_round(table)
    raised = now.irregularities.raised
    if raised is None:
        return ()
    free = replace(table, round=with_irregularities(now, raised=None))
    not_offered = due_offer(book, free, coup_of(book, free)) is not None
    dealt = deal_card(book, free, DealCard(command.by, command.position, raised.card, not_offered))
    if isinstance(dealt, Refusal) or any(isinstance(event, IrregularityRaised) for event in dealt):
        return ()
    return (IrregularityDismissed(raised.kind, command.reason), *dealt)


DECIDERS: Deciders = {
    CorrectCard: correct_card,
}

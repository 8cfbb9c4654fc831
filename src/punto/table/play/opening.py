"""Opening and closing a table, its settings and its shoe."""

from collections.abc import Callable

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.coup.cards import RANKS, SUITS, Face
from punto.rules.refusals import Clause, Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings
from punto.table.play.payouts import not_verified_events
from punto.table.play.seating import update_abandoned
from punto.table.play.trays import check_slips_done
from punto.table.records.commands import BurnCards, ChangeSettings, CloseTable, LoadShoe, OpenTable
from punto.table.records.events import (
    CardsBurned,
    CutCardReached,
    SettingsChanged,
    ShoeLoaded,
    ShoeReconciled,
    TableClosed,
    TableOpened,
)
from punto.table.records.findings import ShoeExchanged, ShoeReplaced
from punto.table.records.identity import Place
from punto.table.records.kinds import ShoeCheck
from punto.table.records.ledger import (
    BANK,
    BROUGHT,
    CAGE,
    COMMISSION,
    FLOAT,
    MAX_AMOUNT_MINOR,
    MISPAID,
    ROUNDING,
    UNEXPLAINED,
    VOUCHERS,
    Posting,
    chip_changes,
    merge_postings,
    player_of,
)
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import Position, at_least
from punto.table.records.settings import Settings, check_limits_displayed, check_machine, check_settings
from punto.table.records.state import CARD_AT, Phase, Shoe, Table, with_irregularities
from punto.table.refusals import TableCode, refuse, too_large

_EITHER_WAY = frozenset({FLOAT, BROUGHT, MISPAID, ROUNDING, VOUCHERS, CAGE, UNEXPLAINED})
"""Accounts of the house that a closing can leave with any balance. Commission is never below zero."""
MAX_CARRIED_MINOR = 1000 * MAX_AMOUNT_MINOR
"""Enough for a long session of the largest buy-ins."""


def open_table(book: Rulebook, table: Table, command: OpenTable) -> Decision:
    if table.phase is not Phase.CLOSED:
        return refuse(book, TableCode.TABLE_OPEN)
    if refusal := _check_new_settings(book, command.settings):
        return refusal
    amounts = (command.float_minor, *command.carried.values())
    if any(type(amount) is not int for amount in amounts):
        return refuse(book, Code.NOT_AN_AMOUNT)
    if any(abs(amount) > MAX_CARRIED_MINOR for amount in command.carried.values()):
        return too_large(book)
    if not 0 <= command.float_minor <= MAX_AMOUNT_MINOR:
        return refuse(book, TableCode.BAD_SETTING, variant="float", most=Money(MAX_AMOUNT_MINOR))
    balances = {account: amount for account, amount in command.carried.items() if account != BANK}
    for account, amount in balances.items():
        who = player_of(account)
        is_player = who is not None and is_name(who) and amount
        of_the_house = account in _EITHER_WAY or (account == COMMISSION and amount >= 0)
        if not (is_player or of_the_house):
            return refuse(book, TableCode.BAD_SETTING, variant="carried_over", account=account[:60])
    balances[FLOAT] = balances.get(FLOAT, 0) + command.float_minor
    postings = [Posting(account, amount) for account, amount in balances.items()]
    postings.append(Posting(BANK, -sum(balances.values())))
    clauses: tuple[Clause, ...] = ()
    asked_by = ""
    if command.settings.no_insurance:
        refusal = _check_consent(book, command.settings, command.position) or _check_request(book, command)
        if refusal is not None:
            return refusal
        clauses, asked_by = book.topics[Topic.NO_INSURANCE], command.no_insurance_asked_by
    left = (command.taken_off, command.last_slip)
    settings, moved = command.settings, merge_postings(postings)
    return (TableOpened(book.id, settings, book.law_hash, clauses, asked_by, *left, postings=moved),)


def on_table_opened(table: Table, event: TableOpened) -> Table:
    """Everybody with chips carried over is at the table again, but nobody is at a place."""
    people = frozenset(chip_changes(event.postings))
    after = replace(
        table,
        phase=Phase.READY,
        book=event.book,
        law_hash=event.law_hash,
        settings=event.settings,
        people=people,
        taken_off=event.taken_off,
        last_slip=event.last_slip,
    )
    return update_abandoned(after, people)


def change_settings(book: Rulebook, table: Table, command: ChangeSettings) -> Decision:
    """Replace the settings, between rounds only."""
    settings, changed = open_settings(table), command.settings
    needs_house = (changed.house, changed.no_insurance) != (settings.house, settings.no_insurance)
    if needs_house and (refusal := _check_consent(book, settings, command.position)):
        return refusal
    grants = changed.squeeze_granted and not settings.squeeze_granted  # only the house grants squeezes
    if grants and (refusal := _check_consent(book, settings, command.position, Topic.SQUEEZE)):
        return refusal
    if refusal := check_between_rounds(book, table) or _check_new_settings(book, changed):
        return refusal
    if table.shoe is not None and (refusal := check_machine(book, changed, table.shoe.decks)):
        return refusal
    if _fixed(changed) != _fixed(settings):
        return refuse(book, TableCode.BAD_SETTING, Topic.LAYOUTS, variant="fixed")
    if not changed.no_insurance or settings.no_insurance:
        return (SettingsChanged(changed),)
    if refusal := _check_request(book, command):
        return refusal
    return (SettingsChanged(changed, book.topics[Topic.NO_INSURANCE], command.no_insurance_asked_by),)


def _fixed(settings: Settings) -> tuple[object, ...]:
    """What cannot change while the table is open: what is printed on its felt, its currency and its smallest chip.

    A payout is rounded up to the smallest chip, so whoever changes it alone could pay any amount.
    """
    return settings.layout, settings.boxes, settings.box_labels, settings.currency, settings.smallest_chip_minor


def _check_new_settings(book: Rulebook, settings: Settings) -> Refusal | None:
    return check_settings(book, settings) or check_limits_displayed(book, settings)


def _check_consent(
    book: Rulebook, settings: Settings, position: Position, topic: Topic = Topic.NO_INSURANCE
) -> Refusal | None:
    """Refuse a position that cannot act for the house."""
    if position in at_least(settings.house):
        return None
    return refuse(book, TableCode.NOT_AUTHORISED, topic, variant="consent", house=settings.house)


def _check_request(book: Rulebook, command: OpenTable | ChangeSettings) -> Refusal | None:
    """Refuse to leave out insurance unless the command names the player who asked: a name, an id or a place."""
    asked_by = command.no_insurance_asked_by
    place = Place.find(asked_by)
    in_range = place is None or place.box <= command.settings.boxes
    if is_name(asked_by) and in_range and asked_by != command.by:
        return None
    return refuse(book, TableCode.BAD_SETTING, Topic.NO_INSURANCE, variant="no_insurance_asked_by")


def on_settings_changed(table: Table, event: SettingsChanged) -> Table:
    """A correction still judges the last round by its own settings."""
    now = table.round
    if now is not None and now.settings is None:
        now = replace(now, settings=table.settings)
    return replace(table, settings=event.settings, round=now)


def check_between_rounds(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse during a round."""
    if table.phase is Phase.READY:
        return None
    return refuse(book, TableCode.ROUND_OPEN)


def close_table(book: Rulebook, table: Table, _: CloseTable) -> Decision:
    if refusal := check_between_rounds(book, table) or check_slips_done(book, table):
        return refusal
    closed = TableClosed(table.balances, table.taken_off, table.last_slip)
    return (*not_verified_events(table), *_reconcile_unended(book, table), closed)


def on_table_closed(_: Table, __: TableClosed) -> Table:
    """What the next opening carries over is in the event only."""
    return Table()


def load_shoe(book: Rulebook, table: Table, command: LoadShoe) -> Decision:
    """Between rounds, or in a round that a correction opened again after its shoe was ended."""
    in_round = table.phase is Phase.DEALING and table.shoe is None
    refusal = None if in_round else check_between_rounds(book, table)
    if refusal := refusal or check_new_shoe(book, table, command.shoe, command.decks, command.formerly):
        return refusal
    if command.inspected_by and not is_name(command.inspected_by):
        return refuse(book, TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    machine = open_settings(table).continuous
    loaded = ShoeLoaded(command.shoe, command.decks, command.formerly, command.inspected_by, machine)
    return (*_reconcile_unended(book, table), loaded)


def check_new_shoe(book: Rulebook, table: Table, shoe: str, decks: int, formerly: str = "") -> Refusal | None:
    """Refuse a shoe with a bad name, one already in use, or a number of decks the book or the settings do not allow.

    A shoe that was taken off or replaced comes back only after its inspection, and never under its old name.
    """
    if not is_name(shoe):
        return refuse(book, TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    if shoe in shoes_in_use(table):
        return refuse(book, TableCode.SHOE_IN_USE, shoe=shoe[:40])
    if shoe in table.taken_off:
        return refuse(book, TableCode.SHOE_TAKEN_OFF, shoe=shoe)
    if table.round is not None and shoe in table.round.shoes:  # its cards can still be corrected
        return refuse(book, TableCode.SHOE_IN_USE, variant="last_round", shoe=shoe)
    if formerly and (refusal := check_taken_off(book, table, formerly)):
        return refusal
    if formerly and table.taken_off[formerly] is not ShoeCheck.INSPECTED:
        return refuse(book, TableCode.SHOE_TAKEN_OFF, variant="not_inspected", shoe=formerly)
    if not book.decks.least <= decks <= book.decks.most:
        return book.decks_out_of_range(decks).refusal
    return check_machine(book, open_settings(table), decks)


def check_taken_off(book: Rulebook, table: Table, shoe: str) -> Refusal | None:
    """Refuse a shoe that was not taken off or replaced, or that has come back since."""
    if shoe not in table.taken_off:
        return refuse(book, TableCode.NOT_TAKEN_OFF, shoe=shoe[:40])
    if table.taken_off[shoe] is ShoeCheck.BACK:
        return refuse(book, TableCode.NOT_TAKEN_OFF, variant="back", shoe=shoe)
    return None


def shoes_in_use(table: Table) -> set[str]:
    """The ids of the shoes whose cards are, or will be, in play."""
    replaced = table.round.irregularities.replaced_shoes if table.round is not None and not table.round.over else ()
    return {shoe.id for shoe in (table.shoe, table.next_shoe, *replaced) if shoe is not None}


def on_shoe_loaded(table: Table, event: ShoeLoaded) -> Table:
    """Cards carried over from the previous shoe are discarded."""
    after = without_shoe(mark_back(table, event.formerly))
    return replace(after, shoe=new_shoe(event))


def new_shoe(event: ShoeLoaded | ShoeReplaced | ShoeExchanged) -> Shoe:
    """The shoe that an event puts on a table."""
    return Shoe(event.shoe, event.decks, continuous=event.continuous)


def with_drawn(table: Table, shoe: Shoe, cards: int) -> Shoe:
    """The shoe after cards have left it.

    A machine that came during a round deals to it from its first card on. If no card of it was drawn before the round
    is over, its first card is for the next one.
    """
    rounds = shoe.rounds
    if shoe.continuous is not None and cards:
        if table.phase is not Phase.READY:
            rounds = max(rounds, 1)
        elif not shoe.drawn:
            rounds = min(rounds, shoe.revealed)
    return replace(shoe, drawn=shoe.drawn + cards, rounds=rounds)


def without_shoe(table: Table) -> Table:
    """The table with its shoe taken off, and the cards drawn from it too early discarded."""
    return replace(table, shoe=None, carried=(), standing_squeezes=frozenset())


def mark_taken_off(table: Table, shoe: str) -> Table:
    return replace(table, taken_off={**table.taken_off, shoe: ShoeCheck.OPEN})


def mark_back(table: Table, formerly: str) -> Table:
    return replace(table, taken_off={**table.taken_off, formerly: ShoeCheck.BACK}) if formerly else table


def reconcile(book: Rulebook, shoe: Shoe, counted: int | None = None) -> ShoeReconciled:
    """Compare a shoe with the count. A difference means too few or too many cards, but settled rounds stand."""
    difference = None if counted is None else counted - shoe.left
    clauses = book.topics[Topic.CARD_COUNT] if difference else ()
    dealt = shoe.drawn - shoe.burned
    return ShoeReconciled(shoe.id, dealt, shoe.burned, shoe.left, counted, difference, clauses)


def _reconcile_unended(book: Rulebook, table: Table) -> tuple[ShoeReconciled, ...]:
    """At a felt table, the record of a shoe that leaves without having been ended."""
    if table.shoe is None or not open_settings(table).felt:
        return ()
    return (reconcile(book, table.shoe),)


def burn_due(table: Table) -> bool:
    """The first cards of the shoe have to be burned before a card is dealt."""
    shoe = table.shoe
    if shoe is None or shoe.drawn:
        return False
    return open_settings(table).burn if shoe.continuous is None else shoe.continuous.burn


def shoe_ended(table: Table) -> bool:
    """The last round after the cut card has been played."""
    shoe = table.shoe
    return (
        shoe is not None
        and shoe.cut_card_out
        and shoe.rounds_since_cut_card >= open_settings(table).rounds_after_cut_card
    )


def burn_cards(book: Rulebook, table: Table, command: BurnCards) -> Decision:
    """Burn as many cards as the value of the first one; ten for a ten or a picture."""
    replaced = table.phase is Phase.DEALING and burn_due(table)
    if not replaced and (refusal := check_between_rounds(book, table)):
        return refusal
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    machine = table.shoe.continuous
    if machine is not None and not machine.burn:
        return refuse(book, TableCode.NO_BURN)
    if table.shoe.drawn:
        return refuse(book, TableCode.ALREADY_BURNED)
    unseen = cards_burned_with(book, command.card)
    return (CardsBurned(table.shoe.id, command.card, unseen), *cut_card_events(table, 1 + unseen))


def cards_burned_with(book: Rulebook, card: Face) -> int:
    """How many cards are burned face down after the one that is shown."""
    return book.table_of_play.values[card.rank] or 10


def on_cards_burned(table: Table, event: CardsBurned) -> Table:
    assert table.shoe is not None  # noqa: S101 - the cards came out of one
    shoe = with_drawn(table, count_seen(table.shoe, event.card), 1 + event.unseen)
    burned = replace(shoe, burned_card=event.card, burned_unseen=event.unseen)
    return replace(table, shoe=burned, last_entered=(event.shoe, 0))


def cut_card_events(table: Table, drawing: int) -> tuple[CutCardReached, ...]:
    """The event that the cut card comes out, if drawing that many cards reaches it.

    At a felt table only the dealer's announcement brings it out. A continuous machine has none.
    """
    shoe, settings = table.shoe, open_settings(table)
    if shoe is None or shoe.continuous is not None or shoe.cut_card_out:
        return ()
    if shoe.left - drawing > settings.cut_card or settings.felt:
        return ()
    return (CutCardReached(shoe.id, last=settings.rounds_after_cut_card == 0),)


def before_cut_card(table: Table) -> int | None:
    """How many cards come before the cut card by the count; None if it is out, or if there is none.

    At a felt table it may be overdue: below zero.
    """
    shoe, settings = table.shoe, open_settings(table)
    if shoe is None or shoe.continuous is not None or shoe.cut_card_out or not settings.cut_card:
        return None
    return shoe.left - settings.cut_card


def shoe_empty(table: Table) -> bool:
    """By the count there is no card to deal, not even one that was drawn earlier."""
    return table.shoe is not None and not table.shoe.left and not table.carried


def on_cut_card_reached(table: Table, event: CutCardReached) -> Table:
    assert table.shoe is not None  # noqa: S101 - it came out of one
    now = table.round
    if now is not None and event.last and table.phase is not Phase.READY:
        now = replace(now, last=True)
    return replace(table, shoe=replace(table.shoe, cut_card_out=True), round=now)


def check_card_in_shoe(book: Rulebook, table: Table, card: Face, shoe_id: str | None = None) -> Refusal | None:
    """Refuse a card if all its copies have been seen; at a machine, if all are out.

    Without ``shoe_id``, the shoe on the table.
    """
    shoes = [shoe for shoe in _shoes(table) if shoe_id in (None, shoe.id)]
    if not shoes or shoes[0].has_left(card):
        return None
    decks, rank, machine = shoes[0].decks, Face(card.rank), shoes[0].continuous is not None
    if shoes[0].has_left(rank):
        if machine:
            return refuse(book, TableCode.CARD_NOT_IN_SHOE, Topic.DECKS, variant="continuous", decks=decks, card=card)
        return refuse(book, TableCode.CARD_NOT_IN_SHOE, Topic.DECKS, decks=decks, card=card)
    copies = decks * len(SUITS)
    if machine:
        return refuse(
            book, TableCode.CARD_NOT_IN_SHOE, Topic.DECKS, variant="continuous_rank", copies=copies, rank=rank
        )
    return refuse(book, TableCode.CARD_NOT_IN_SHOE, Topic.DECKS, variant="rank", copies=copies, rank=rank)


def find_shoe(table: Table, shoe_id: str) -> Shoe | None:
    """The shoe with this id, if it is on the table or was replaced during the round."""
    return next((shoe for shoe in _shoes(table) if shoe.id == shoe_id), None)


def _shoes(table: Table) -> tuple[Shoe, ...]:
    """The shoe on the table, and those replaced during the round."""
    replaced = table.round.irregularities.replaced_shoes if table.round else ()
    return replaced if table.shoe is None else (table.shoe, *replaced)


def count_seen(shoe: Shoe, card: Face) -> Shoe:
    """The shoe with one more copy of the card seen."""
    return _count(shoe, card, 1)


def uncount_seen(shoe: Shoe, card: Face) -> Shoe:
    """The shoe with one copy of the card fewer seen: it was entered by mistake."""
    return _count(shoe, card, -1)


def _count(shoe: Shoe, card: Face, copies: int) -> Shoe:
    if card.suit:
        return replace(shoe, seen=_add(shoe.seen, CARD_AT[card], copies))
    return replace(shoe, seen_ranks=_add(shoe.seen_ranks, RANKS.index(card.rank), copies))


def _add(counts: bytes, at: int, copies: int) -> bytes:
    return counts[:at] + bytes((counts[at] + copies,)) + counts[at + 1 :]


def mark_seen(table: Table, card: Face, shoe_id: str) -> Table:
    """The table with one more copy of the card seen in that shoe."""
    return change_shoe(table, shoe_id, lambda shoe: count_seen(shoe, card))


def change_shoe(table: Table, shoe_id: str, change: Callable[[Shoe], Shoe]) -> Table:
    """The table with that shoe changed: the one on the table, or one replaced during the round."""
    if table.shoe is not None and table.shoe.id == shoe_id:
        return replace(table, shoe=change(table.shoe))
    now = table.round
    if now is None:
        return table
    replaced = tuple(change(shoe) if shoe.id == shoe_id else shoe for shoe in now.irregularities.replaced_shoes)
    return replace(table, round=with_irregularities(now, replaced_shoes=replaced))


DECIDERS: Deciders = {
    OpenTable: open_table,
    ChangeSettings: change_settings,
    CloseTable: close_table,
    LoadShoe: load_shoe,
    BurnCards: burn_cards,
}

EVOLVERS: Evolvers = {
    TableOpened: on_table_opened,
    SettingsChanged: on_settings_changed,
    TableClosed: on_table_closed,
    ShoeLoaded: on_shoe_loaded,
    CardsBurned: on_cards_burned,
    CutCardReached: on_cut_card_reached,
}

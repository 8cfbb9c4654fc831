"""The state of a table, compared with the slow books."""

from collections import Counter

from punto.rules.coup.cards import RANKS
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records.kinds import SqueezeState
from punto.table.records.ledger import FELT, chips, tray_minor
from punto.table.records.state import CARD_AT, CarriedCard, Phase, Round, Shoe, Table
from tests.model.slow_books import SlowBooks
from tests.model.slow_cards import SlowShoe


def check_state(table: Table, books: SlowBooks) -> None:
    _check_money(table, books)
    _check_cards(table, books)
    _check_insurance(table, books)
    _check_squeezes(table, books)
    _check_people(table, books)
    _check_rights(table, books)
    _check_limits(table, books)


def _check_money(table: Table, books: SlowBooks) -> None:
    assert table.balances == books.balances
    assert table.phase is Phase.CLOSED or table.settings == books.settings
    assert sum(table.balances.values()) == 0
    assert tray_minor(table.balances) == books.tray.minor
    assert (table.last_slip, set(table.slips)) == (books.tray.last_slip, set(books.tray.slips))
    in_play = 0
    if table.round is not None and not table.round.over:
        in_play = sum(placed.stake_minor for placed in table.round.bets.values())
        in_play += sum(covered.stake_minor for covered in table.round.insurance.cover)
    assert table.balances.get(FELT, 0) == in_play
    if table.round is not None and table.phase is Phase.DEALING:
        lay = {key: placed.stake_minor for key, placed in table.round.at_close.items()}
        assert lay == {key: stake.stake_minor for key, stake in books.at_the_close.items()}
        assert {who: minor for who, minor in table.round.brought.items() if minor} == +books.corrections.brought
    if table.phase in (Phase.CLOSED, Phase.READY):
        assert FELT not in table.balances


def _check_cards(table: Table, books: SlowBooks) -> None:
    """Every card in the state was turned publicly, and occurs no more often than the decks allow."""
    cards = books.cards
    now = table.round or Round(0)
    assert list(now.cards) == cards.faces
    assert list(now.shoes) == [lying.shoe.name for lying in cards.lying]
    assert (set(now.squeezed), set(now.laid_open), now.last) == (cards.squeezed, cards.laid_open, cards.last)
    assert now.irregularities.order_lost == cards.order_lost
    assert list(now.draws) == [lying.draw for lying in cards.lying]
    carried = [CarriedCard(each.card, each.shoe.name, each.draw, each.drawn_in) for each in cards.carried]
    assert list(table.carried) == carried
    assert (table.shoe is None, table.next_shoe is None) == (cards.shoe is None, cards.next_shoe is None)
    replaced = {shoe.id: shoe for shoe in now.irregularities.replaced_shoes}
    slow = {lying.shoe.name: lying.shoe for lying in (*cards.lying, *cards.carried)}
    pairs = [(shoe, slow[name]) for name, shoe in replaced.items() if name in slow]
    if table.shoe is not None and cards.shoe is not None:
        pairs.append((table.shoe, cards.shoe))
    for shoe, kept in pairs:
        seen = {str(card): shoe.seen[at] for card, at in CARD_AT.items()}
        seen |= dict(zip(RANKS, shoe.seen_ranks, strict=True))
        assert {face: count for face, count in seen.items() if count} == +kept.seen
        assert (shoe.burned_card, shoe.burned) == (kept.shown, kept.burned)
        assert (shoe.id, shoe.decks, shoe.drawn) == (kept.name, kept.decks, kept.drawn)
        assert shoe.cut_card_out == kept.cut_card_out
        assert (shoe.left, shoe.continuous) == (shoe.decks * 52 - len(kept.out), kept.machine)
        assert sorted(each.card for each in kept.out.values() if each.card) == sorted((+kept.seen).elements())
        if shoe.continuous is not None and table.phase in (Phase.BETTING, Phase.DEALING):
            _check_resting(shoe, kept)
        out = {id(lying): lying for lying in (*cards.lying, *cards.carried) if lying.shoe is kept}
        unseen = sum(lying.card is lying.exposed is None for lying in out.values())
        assert sum(kept.seen.values()) + unseen <= len(kept.out) <= shoe.decks * 52


def _check_resting(shoe: Shoe, kept: SlowShoe) -> None:
    """Of each earlier round, all that has not gone back, and which of it somebody has seen."""
    rounds: dict[int, list[int]] = {}
    for draw, each in sorted(kept.out.items()):
        if each.after is not None:
            rounds.setdefault(each.after, []).append(draw)
    assert {resting.round: list(resting.draws) for resting in shoe.resting} == rounds
    for resting in shoe.resting:
        seen = [face for draw in resting.draws if (face := kept.out[draw].card) is not None]
        assert sorted(resting.seen) == sorted(seen)


def _check_rights(table: Table, books: SlowBooks) -> None:
    options = (table.round or Round(0)).irregularities.options
    assert (options is not None and options.by_hand) == books.rights.asking
    assert options is None or options.by_hand != bool(options.waiting_for)


def _check_insurance(table: Table, books: SlowBooks) -> None:
    now, offers = (table.round or Round(0)).insurance, books.offers
    assert (now.offer_open, now.offer_stands) == (offers.open, offers.line is not None)
    assert now.forgone == frozenset(offers.forgone)
    assert now.waived == offers.waived
    assert {each.stage: (each.forgone, each.players) for each in now.missed} == {
        stage: (frozenset(missed.lost), frozenset(missed.only)) for stage, missed in offers.missed.items()
    }


def _check_squeezes(table: Table, books: SlowBooks) -> None:
    now, squeezes = table.round or Round(0), books.squeezes
    for state, kept in ((SqueezeState.ASKED, squeezes.asked), (SqueezeState.GRANTED, squeezes.granted)):
        held = {(each.who, each.side): each.from_place for each in now.squeezes if each.state is state}
        assert held == {key: squeezes.from_place[key] for key in kept}
    assert table.standing_squeezes == squeezes.standing
    if squeezes.closed:
        sides = [side for _, side in squeezes.asked + squeezes.granted]
        assert len(sides) == len(set(sides)), "one player has each hand"


def _check_people(table: Table, books: SlowBooks) -> None:
    """The people are exactly those with chips, a place or stakes."""
    holders = {account.removeprefix(chips("")) for account in table.balances if account.startswith(chips(""))}
    staked = {stake.who for stake in books.stakes.values()}
    placed = {*table.seats.values(), *table.behind}
    assert table.people == holders | staked | placed
    again = books.corrections.reversed is not None  # somebody with a stake may have left since the settlement
    assert staked - books.away <= placed or again or not books.rules.topics[Topic.STANDING_PLAYER]
    assert all(table.behind.values())


def _check_limits(table: Table, books: SlowBooks) -> None:
    """An enforcing table has no bet beyond its limits, except what a return leaves over."""
    settings, stakes = table.settings, books.stakes.values()
    if settings is None or books.felt:
        return
    differential = None if books.any_returned else settings.differential_minor
    totals: Counter[tuple[int | None, str]] = Counter()
    for stake in stakes:
        limits = settings.main if stake.bet in MAIN_BETS else settings.side
        totals[stake.box, stake.bet] += stake.stake_minor
        assert stake.stake_minor >= (limits.min_minor or 1)
        assert limits.max_minor is None or totals[stake.box, stake.bet] <= limits.max_minor
    if differential is not None:
        for box in {stake.box for stake in stakes}:
            assert abs(totals[box, "player"] - totals[box, "banker"]) <= differential

"""Identifying players: everything of a place, or of a plain name, moves to a registered player's id.

Somebody whom nobody knows can also move to another place of the table. At a felt table somebody new takes the place of
one who left at once: what that one left there, and their bets in the last round, move to a name of its own.
"""

from collections.abc import Callable

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings
from punto.table.play.seating import check_box, check_not_abandoned, check_not_away, check_person, update_abandoned
from punto.table.records.commands import BuyIn, Command, IdentifyPlayer, PlaceBet, Sit, StandBehind
from punto.table.records.events import PlayerIdentified, SettledBet
from punto.table.records.identity import Place, is_plain_name, player_number
from punto.table.records.ledger import Posting, chips, merge_postings, player_of, transfer
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.state import (
    BetKey,
    MadeOffer,
    Options,
    PlacedBet,
    Round,
    Table,
    TakenBack,
    bettors,
    with_insurance,
    with_irregularities,
)
from punto.table.refusals import TableCode, refuse


def identify_player(book: Rulebook, table: Table, command: IdentifyPlayer) -> Decision:
    """In any phase. If the player is already at the table, chips, places and bets add up. A new place must be free."""
    who, player = command.who, command.player_id
    place = Place.find(player)
    if player_number(player) is None and (place is None or is_plain_name(who)):
        return refuse(book, TableCode.NOT_A_PLAYER_ID, text=player[:MAX_NAME_LENGTH])
    if player_number(who) is not None:
        return refuse(book, TableCode.ALREADY_IDENTIFIED, who=who)
    reserved = place is None and who in table.abandoned  # they may have no chips left
    refusal = None if reserved else check_person(book, table, who) or (place and _check_free(book, table, who, place))
    if refusal := refusal or _check_one_person(book, table, who, player):
        return refusal
    postings = merge_postings(transfer(chips(who), chips(player), table.chips_minor(who)))
    return (PlayerIdentified(who, player, postings=postings),)


MAX_WHO_LEFT = 99


def make_way(table: Table, command: Command) -> PlayerIdentified | None:
    """At a felt table, who left the place that a command takes for somebody new has another name from then on.

    None if the command takes no such place.
    """
    if not table.abandoned:
        return None
    who = _place_taken(command)
    if who not in table.abandoned or not open_settings(table).felt:
        return None
    name = _free_name(table, who)
    if name is None:
        return None
    postings = merge_postings(transfer(chips(who), chips(name), table.chips_minor(who)))
    return PlayerIdentified(who, name, left=True, postings=postings)


def _place_taken(command: Command) -> str:
    """The name of the person whom the command brings to a place; empty if it brings nobody."""
    if isinstance(command, IdentifyPlayer):
        return command.player_id if command.player_id != command.who else ""
    return command.who if isinstance(command, BuyIn | Sit | StandBehind | PlaceBet) else ""


def _free_name(table: Table, who: str) -> str | None:
    """The first number of the place that nobody has, has left anything under, or has played under in this round."""
    place, now = Place.find(who), table.round
    assert place is not None  # noqa: S101 - only places are abandoned
    used = {*table.people, *table.abandoned, *table.gone}
    if now is not None:
        used |= {*bettors(now), *now.away, *(key[0] for key in now.at_close), *(each.who for each in now.results)}
        used |= {*now.irregularities.choices}
    names = (str(replace(place, number=number)) for number in range(2, MAX_WHO_LEFT + 1))
    return next((name for name in names if name not in used), None)


def _check_free(book: Rulebook, table: Table, who: str, place: Place) -> Refusal | None:
    """Refuse a place that somebody has, or left chips at, and a person who has left the round."""
    refusal = check_box(book, table, place.box) or check_not_away(book, table, who)
    if refusal := refusal or check_not_abandoned(book, table, str(place)):
        return refusal
    if str(place) in table.people:
        return refuse(book, TableCode.BOX_TAKEN, variant="place", who=str(place))
    there = None if place.behind else table.seats.get(place.box)
    return refuse(book, TableCode.BOX_TAKEN, Topic.SEATED_PLAYER, who=there, box=place.box) if there else None


def _check_one_person(book: Rulebook, table: Table, who: str, player: str) -> Refusal | None:
    """Refuse if the round has the same bet or two choices of both, or has one here and the other away.

    Also refuse a name or place that belonged to somebody else since the last call for bets: the round may still have
    bets of that person.
    """
    now = table.round
    if now is None:
        return None
    if who in table.gone:
        return refuse(book, TableCode.BOTH_IN_ROUND, variant="gone", who=who)
    if _bets_of(now, who) & _bets_of(now, player):
        return refuse(book, TableCode.BOTH_IN_ROUND, variant="same_bet", who=who, player=player)
    if now.over or player not in table.people:
        return None
    options = now.irregularities.options
    if {who, player} <= {*now.irregularities.choices, *(options.waiting_for if options else ())}:
        return refuse(book, TableCode.BOTH_IN_ROUND, variant="choices", who=who, player=player)
    if (who in now.away) != (player in now.away):
        return refuse(book, TableCode.BOTH_IN_ROUND, variant="away", who=who, player=player)
    return None


def _bets_of(now: Round, who: str) -> set[tuple[int, str]]:
    """By box and bet, also those that were returned since betting closed."""
    return {key[1:] for key in (*now.bets, *now.at_close) if key[0] == who}


def on_player_identified(table: Table, event: PlayerIdentified) -> Table:
    """Put the id in the place of the name everywhere. The postings have already moved the chips."""
    player, place = event.player_id, Place.find(event.player_id)

    def rename(who: str) -> str:
        return player if who == event.who else who

    if event.left:
        table = _without_place(table, event.who)
    else:
        table = _rename_seats(table, event.who, player) if place is None else _move(table, event.who, place)
    table = replace(table, people=frozenset(map(rename, table.people)), abandoned=table.abandoned - {event.who})
    if table.round is not None:
        table = replace(table, round=_rename_in_round(table, table.round, rename))
    return update_abandoned(table, {player}) if event.left else table


Rename = Callable[[str], str]


def _rename_seats(table: Table, who: str, player: str) -> Table:
    seats = {box: player if seated == who else seated for box, seated in table.seats.items()}
    behind = {other: boxes for other, boxes in table.behind.items() if other not in (who, player)}
    stood = table.behind.get(who, frozenset()) | table.behind.get(player, frozenset())
    if stood := stood.difference(box for box, seated in seats.items() if seated == player):
        behind[player] = stood
    return replace(table, seats=seats, behind=behind)


def _without_place(table: Table, who: str) -> Table:
    seats = {box: seated for box, seated in table.seats.items() if seated != who}
    return replace(table, seats=seats, behind={other: at for other, at in table.behind.items() if other != who})


def _move(table: Table, who: str, place: Place) -> Table:
    """The person sits or stands at the new place. Bets in the round stay on the box where they were placed."""
    left = _without_place(table, who)
    seats, behind = {**left.seats}, {**left.behind}
    if place.behind:
        behind[str(place)] = frozenset({place.box})
    else:
        seats[place.box] = str(place)
    return replace(table, seats=seats, behind=behind)


def _rename_in_round(table: Table, now: Round, rename: Rename) -> Round:
    """``placed_by`` stays: it says who placed the bet then."""

    def rename_key(key: BetKey) -> BetKey:
        return (rename(key[0]), *key[1:])

    def rename_bet(placed: PlacedBet) -> PlacedBet:
        who = rename(placed.who)
        seated = placed.seated or (not now.over and table.seats.get(placed.box) == who)
        return replace(placed, who=who, seated=seated)

    insurance, irregularities = now.insurance, now.irregularities
    now = with_insurance(
        now,
        cover=tuple(replace(covered, who=rename(covered.who)) for covered in insurance.cover),
        missed=tuple(
            replace(
                missed, forgone=_rename_in_set(missed.forgone, rename), players=_rename_in_set(missed.players, rename)
            )
            for missed in insurance.missed
        ),
        returned_uninsured={
            rename_key(key): replace(returned, placed=rename_bet(returned.placed))
            for key, returned in insurance.returned_uninsured.items()
        },
        returned_by_hand=frozenset(map(rename_key, insurance.returned_by_hand)),
        passed=frozenset((rename(who), box) for who, box in insurance.passed),
        forgone=frozenset(map(rename, insurance.forgone)),
        forgone_third=frozenset(map(rename, insurance.forgone_third)),
        offer_to=_rename_in_set(insurance.offer_to, rename),
        offers={stage: _rename_in_offer(offer, rename) for stage, offer in insurance.offers.items()},
        returned_forgone=tuple(replace(covered, who=rename(covered.who)) for covered in insurance.returned_forgone),
    )
    now = with_irregularities(
        now,
        options=_rename_in_options(irregularities.options, rename),
        choices={rename(who): choice for who, choice in irregularities.choices.items()},
        correctable=frozenset(map(rename, irregularities.correctable)),
        taken_back={
            rename(who): TakenBack(
                bets={rename_key(key): rename_bet(placed) for key, placed in taken.bets.items()},
                cover=tuple(replace(covered, who=rename(covered.who)) for covered in taken.cover),
                squeezes=tuple(replace(squeeze, who=rename(squeeze.who)) for squeeze in taken.squeezes),
            )
            for who, taken in irregularities.taken_back.items()
        },
    )
    return replace(
        now,
        bets={rename_key(key): rename_bet(placed) for key, placed in now.bets.items()},
        squeezes=tuple(replace(squeeze, who=rename(squeeze.who)) for squeeze in now.squeezes),
        at_close={rename_key(key): rename_bet(placed) for key, placed in now.at_close.items()},
        brought=_rename_in_totals(now.brought, rename),
        owed=_rename_in_totals(now.owed, rename),
        mispaid={rename_key(key): minor for key, minor in now.mispaid.items()},
        back_since_reversal={
            (rename_key(key), stage): minor for (key, stage), minor in now.back_since_reversal.items()
        },
        differences=tuple(replace(each, who=rename(each.who)) for each in now.differences),
        verified=frozenset(replace(payout, who=rename(payout.who)) for payout in now.verified),
        marked=frozenset(replace(payout, who=rename(payout.who)) for payout in now.marked),
        away=frozenset(map(rename, now.away)),
        left={rename(who): cards for who, cards in now.left.items()},
        paid=None if now.paid is None else _rename_in_postings(now.paid, rename),
        results=_rename_in_results(now.results, rename),
        reversed_results=None if now.reversed_results is None else _rename_in_results(now.reversed_results, rename),
    )


def _rename_in_set(people: frozenset[str], rename: Rename) -> frozenset[str]:
    return frozenset(map(rename, people))


def _rename_in_offer(offer: MadeOffer, rename: Rename) -> MadeOffer:
    return replace(
        offer,
        taken_by=_rename_in_set(offer.taken_by, rename),
        not_for=_rename_in_set(offer.not_for, rename),
        left_before=_rename_in_set(offer.left_before, rename),
        left=_rename_in_set(offer.left, rename),
        late_for=_rename_in_set(offer.late_for, rename),
    )


def _rename_in_results(results: tuple[SettledBet, ...], rename: Rename) -> tuple[SettledBet, ...]:
    return tuple(replace(result, who=rename(result.who)) for result in results)


def _rename_in_totals(totals: dict[str, int], rename: Rename) -> dict[str, int]:
    renamed: dict[str, int] = {}
    for who, minor in totals.items():
        renamed[rename(who)] = renamed.get(rename(who), 0) + minor
    return renamed


def _rename_in_options(options: Options | None, rename: Rename) -> Options | None:
    return options and replace(options, waiting_for=tuple(map(rename, options.waiting_for)))


def _rename_in_postings(postings: tuple[Posting, ...], rename: Rename) -> tuple[Posting, ...]:
    named = ((player_of(posting.account), posting) for posting in postings)
    return merge_postings(
        posting if who is None else Posting(chips(rename(who)), posting.amount_minor) for who, posting in named
    )


DECIDERS: Deciders = {
    IdentifyPlayer: identify_player,
}

EVOLVERS: Evolvers = {
    PlayerIdentified: on_player_identified,
}

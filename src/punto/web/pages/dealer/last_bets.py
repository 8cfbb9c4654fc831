"""The bets of the last round that had any, for the dealer who enters the same bets again."""

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import event_of, tag, tag_of
from punto.floor.journal.round_record import WentBack
from punto.floor.journal.rounds import RoundsBack, read_round
from punto.floor.journal.streams import Head
from punto.table.procedure.scene import LastBet
from punto.table.records.events import PlayerIdentified, PlayerLeft, PlayerSat, PlayerStood
from punto.web.views.cursors import END

MAX_ROUNDS = 5
"""How many rounds are looked at, with the one that has just started."""

_COMINGS_AND_GOINGS = {tag(PlayerSat), tag(PlayerStood), tag(PlayerLeft)}


def last_bets(transaction: Transaction, head: Head) -> tuple[LastBet, ...]:
    """The bets that lay on the felt to the end, except those of people who have left since.

    A bet that a ruling or an option took off the felt did not lie there to the end.
    """
    rounds, seen = RoundsBack(), 0
    stays: dict[str, bool] = {}
    for entry in streams.read_back(transaction, head, END):
        kind = tag_of(entry)
        if kind in _COMINGS_AND_GOINGS and isinstance(event := event_of(entry), PlayerSat | PlayerStood | PlayerLeft):
            stays.setdefault(event.who, not isinstance(event, PlayerLeft))  # the latest decides
        if kind == tag(PlayerIdentified) and isinstance(event := event_of(entry), PlayerIdentified) and event.left:
            stays.setdefault(event.player_id, False)
        if (own := rounds.take(entry)) is not None:
            record = read_round(own)
            lay = [bet for bet in record.bets if bet.stage is None and bet.went_back in (None, WentBack.VOID)]
            if record.over and lay:
                here = [bet for bet in lay if stays.get(bet.who, True)]
                return tuple(LastBet(bet.who, bet.box, bet.bet, bet.stake_minor) for bet in here)
            seen += 1
            if seen == MAX_ROUNDS:
                break
    return ()

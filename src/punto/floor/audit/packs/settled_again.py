"""Settles a round again from its own entries: from its cards, its stakes and the book, without the table's state."""

from msgspec.structs import replace

from punto.floor.journal.entry import Entry
from punto.floor.journal.round_record import Conditions
from punto.floor.journal.rounds import RoundFold
from punto.rules.coup.coup import Coup
from punto.rules.rulebook import Rulebook
from punto.table.play.settling import settled_results, settlement_clauses, settlement_postings
from punto.table.records import events
from punto.table.records.correction_events import BetCorrected, BettingReopened
from punto.table.records.events import Event, PlayedBet, RoundSettled
from punto.table.records.settings import Settings
from punto.table.records.state import BetKey, PlacedBet, TakenInsurance


class SettledAgain:
    """Takes the entries of a round, one after the other."""

    def __init__(self, call: Entry, conditions: Conditions, rules: Rulebook | None, settings: Settings) -> None:
        """``rules`` are None if this release does not have the law."""
        self.fold = RoundFold(call, conditions)
        self.settlements = 0
        self.judged = 0
        """Settlements that were worked out again."""
        self._rules, self._settings = rules, settings
        self._played: dict[BetKey, PlayedBet] = {}
        """Of the bets beyond a limit at the close: how much plays, and why."""

    def take(self, entry: Entry, event: Event, *, judge: bool) -> str:
        """What differs from the book in this settlement; empty if nothing does. Raises what a forged event raises."""
        if isinstance(event, events.BettingClosed | BetCorrected):
            self._played = {(each.who, each.box, each.bet): each for each in event.played}
        elif isinstance(event, BettingReopened):
            self._played = {}
        elif isinstance(event, events.PlayerIdentified):
            self._played = {_renamed(key, event): part for key, part in self._played.items()}
        before = self.fold.felt
        decided = self.fold.take(entry, event)
        if not isinstance(event, RoundSettled):
            return ""
        self.settlements += 1
        if not judge or self._rules is None:
            return ""
        self.judged += 1
        bets, cover = [], []
        for order, (stake, bet) in enumerate(zip(before.stakes, decided, strict=True)):
            cell = getattr(bet, "cell", None)
            if cell is None:
                part = self._played.get((stake.who, stake.box, stake.bet))
                placed = PlacedBet(
                    who=stake.who,
                    bet=stake.bet,
                    stake_minor=stake.stake_minor,
                    box=stake.box,
                    seated=True,
                    placed_by="",
                    order=order,
                    played_minor=part.played_minor if part else None,
                    because=part.clauses if part else (),
                    pro_rata=part.pro_rata if part else None,
                )
                bets.append(placed)
            else:
                stage, side, player, banker = cell
                cover.append(TakenInsurance(stake.who, side, stage, player, banker, stake.stake_minor, stake.box, ""))
        again = _settle(self._rules, self._settings, Coup.of(self._rules.space, before.cards), bets, cover)
        return _difference(replace(again, differences=event.differences), event)


def _renamed(key: BetKey, event: events.PlayerIdentified) -> BetKey:
    who, box, bet = key
    return (event.player_id if who == event.who else who), box, bet


def _settle(
    rules: Rulebook, settings: Settings, coup: Coup, bets: list[PlacedBet], cover: list[TakenInsurance]
) -> RoundSettled:
    results = settled_results(rules, settings, coup, bets, cover)
    winner, end = coup.winner, coup.end
    assert end is not None  # noqa: S101 - it has a winner
    return RoundSettled(
        winner,
        end.player,
        end.banker,
        tuple(results),
        settlement_clauses(rules, winner),
        len(coup.left_over),
        postings=settlement_postings(results),
    )


def _difference(again: RoundSettled, event: RoundSettled) -> str:
    """The first field that differs."""
    for name in event.__struct_fields__:
        if getattr(again, name) != getattr(event, name):
            return f"the book gives another {name} for these cards and stakes: {getattr(again, name)!r}"[:300]
    return ""

"""Results of every bet from the ledger alone: each posting is assigned to the bets it was for.

Except for chips bought, cashed, taken away and carried over, every posting to a player's chips belongs to a round. What
rulings move before the first round of an opening belongs to its round 0.

This shares no code with the projection of a round. Every event that moves chips must move exactly the amounts of its
bets, for each player, or an assertion fails. The readers are then compared with these amounts.
"""

from collections import Counter
from collections.abc import Iterable
from functools import partial

from msgspec import Struct, field

from punto.floor.journal.entry import Entry, read_event
from punto.floor.reports.identities import Identities
from punto.rules.bets.insurance import Stage
from punto.table.records import correction_events, events, findings
from punto.table.records.events import (
    BettingOpened,
    ChipsBought,
    ChipsCashed,
    Event,
    MoneyEvent,
    PlayerIdentified,
    PlayerLeft,
    TableOpened,
)
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import BROUGHT, FELT, MISPAID, chips
from punto.table.records.state import BetKey

Amounts = dict[BetKey, tuple[int, int]]
"""By player, box and bet: stake and amount returned. All insurance on one side counts as one."""


class LedgerRound(Struct):
    """A round from its postings."""

    stream: str
    number: int
    over: bool = False
    """Whether readers list it: the round is settled or void, or round 0 moved something."""
    bets: Amounts = field(default_factory=dict)
    adjusted: dict[str, int] = field(default_factory=dict)
    """Adjustments by rulings, by player."""

    @property
    def gains(self) -> dict[str, int]:
        """The total gain of each player in the round."""
        gains = Counter(self.adjusted)
        for (who, _, _), (staked, returned) in self.bets.items():
            gains[who] += returned - staked
        return dict(gains)


_STAKES = (
    *(events.BetPlaced, events.InsuranceTaken),
    *(correction_events.BetCorrected, correction_events.InsuranceCorrected, correction_events.OptionCorrected),
)


def _staked(event: MoneyEvent) -> dict[str, int]:
    """What a player puts on the felt, or gets back: these may be chips that nobody sold at the table."""
    if not isinstance(event, _STAKES):
        return {}
    moved = -sum(posting.amount_minor for posting in event.postings if posting.account == FELT)
    return {event.who: moved} if moved else {}


class Ledger:
    """The rounds of one opening, posting by posting."""

    def __init__(self) -> None:
        self.rounds: list[LedgerRound] = []
        self._lying: Counter[BetKey] = Counter()
        """Stakes on the felt."""
        self._staked: Counter[BetKey] = Counter()
        """Stakes with a result, and what was returned."""
        self._returned: Counter[BetKey] = Counter()
        self._insured: Counter[tuple[BetKey, Stage]] = Counter()
        """Insurance that lies on the felt, or did when somebody took their bets back."""
        self._judged_away: Counter[tuple[BetKey, Stage]] = Counter()
        """Insurance that was returned when it was judged again. It may turn out to lie there."""
        self._settled: dict[BetKey, int] | None = None
        """What the last settlement returned for each stake. It may be reversed."""
        self._adjusted: Counter[str] = Counter()
        self._mispaid: Counter[str] = Counter()
        """Of these, what corrections of payments moved. A reversal of the settlement takes it back."""
        self._taken_back: dict[str, dict[BetKey, int]] = {}
        self._moved: Counter[str] = Counter()

    def record(self, stream: str, event: Event) -> None:
        if isinstance(event, TableOpened):
            self.rounds.append(LedgerRound(stream, 0))
        elif isinstance(event, BettingOpened):
            assert not +self._lying, "stakes were left behind"
            rounds = self.rounds
            self.__init__()  # type: ignore[misc]
            self.rounds = [*rounds, LedgerRound(stream, event.round)]
        elif isinstance(event, PlayerIdentified):
            self._identify(event.who, event.player_id)
            self._close()
        elif isinstance(event, MoneyEvent) and not isinstance(event, ChipsBought | ChipsCashed | PlayerLeft):
            self._take(event, _staked(event) or chips_in(event))
            self._close()

    def _take(self, event: MoneyEvent, moved: dict[str, int]) -> None:  # noqa: PLR0912 - a case an event
        match event:
            case events.BetPlaced() | events.BetWithdrawn() | events.BetRejected():
                assert moved.keys() == {event.who}
                self._lying[event.who, event.box, event.bet] -= moved[event.who]
            case events.InsuranceTaken():
                assert moved.keys() == {event.who}
                key = (event.who, event.box, f"{event.side}_insurance")
                self._lying[key] -= moved[event.who]
                self._insured[key, event.stage] -= moved[event.who]
            case events.RoundSettled():
                self._settle(event, moved)
            case findings.SettlementReversed():
                self._reverse(moved)
            case findings.RoundVoided():
                self._give_back(list(+self._lying), moved)
                self.rounds[-1].over = True
            case findings.OptionChosen() | correction_events.OptionCorrected():
                taken = event.choice is Choice.RETURN
                if taken or isinstance(event, findings.OptionChosen):
                    keys = [key for key in +self._lying if taken and key[0] == event.who]
                    self._taken_back[event.who] = {key: self._lying[key] for key in keys}
                    self._give_back(keys, moved)
                else:
                    self._put_back(self._taken_back.pop(event.who), moved)
            case findings.UninsuredBetPutBack():
                self._put_back({(event.who, event.box, event.side.value): event.stake_minor}, moved)
            case correction_events.BetCorrected():
                self._lying[event.who, event.box, event.bet] += event.stake_minor - event.was_minor
            case correction_events.InsuranceCorrected():
                change = 0 if event.stake_minor is None else event.stake_minor - event.was_minor
                self._correct_insurance((event.who, event.box, f"{event.side}_insurance"), event.stage, change)
            case correction_events.PaymentCorrected():
                self._adjusted.update(moved)
                self._mispaid.update(moved)
            case findings.UninsuredBetReturned():
                self._make_good((event.who, event.box, event.side.value), moved)
            case findings.InsuranceRejudged():
                self._give_insurance_back(event, moved)
            case findings.Ruled(effect=Effect.RETURN):
                self._return({(bet.who, bet.box, bet.bet) for bet in event.bets}, moved)
            case findings.Ruled(effect=Effect.ADJUST):
                self._adjusted.update(moved)
            case _:
                assert not moved, event
        self._moved.update(moved)

    def _identify(self, who: str, player_id: str) -> None:
        """Everything in the round belongs to the id. Nothing but the name changes."""
        for bets in (self._lying, self._staked, self._returned):
            for key in [key for key in bets if key[0] == who]:
                bets[player_id, key[1], key[2]] += bets.pop(key)
        for insured in (self._insured, self._judged_away):
            for key, stage in [where for where in insured if where[0][0] == who]:
                insured[(player_id, key[1], key[2]), stage] += insured.pop((key, stage))
        for key in [key for key in self._settled or () if key[0] == who]:
            assert self._settled is not None
            assert (player_id, *key[1:]) not in self._settled, "one bet each"
            self._settled[player_id, key[1], key[2]] = self._settled.pop(key)
        for amounts in (self._adjusted, self._moved):
            amounts[player_id] += amounts.pop(who, 0)

    def _give_insurance_back(self, event: findings.InsuranceRejudged, moved: dict[str, int]) -> None:
        left: Counter[BetKey] = Counter()
        at: Counter[tuple[BetKey, Stage]] = Counter()
        for each in event.cover:
            key = (each.who, each.box, f"{each.side}_insurance")
            left[key] += each.stake_minor
            at[key, each.stage] += each.stake_minor
        for where, stake in at.items():
            self._judged_away[where] += self._insured[where] - stake
            self._insured[where] = stake
        back = {key: self._lying[key] - stake for key, stake in left.items() if self._lying[key] > stake}
        assert moved == _by_player(back)
        for key, returned in back.items():
            self._lying[key] -= returned
            self._staked[key] += returned
            self._returned[key] += returned

    def _correct_insurance(self, key: BetKey, stage: Stage, change: int) -> None:
        again = max(min(change, self._judged_away[key, stage]), 0)
        self._judged_away[key, stage] -= again
        self._insured[key, stage] += change
        self._lying[key] += change
        self._staked[key] -= again
        self._returned[key] -= again

    def _give_back(self, keys: list[BetKey], moved: dict[str, int]) -> None:
        assert moved == _by_player({key: self._lying[key] for key in keys})
        for key in keys:
            stake = self._lying.pop(key)
            self._staked[key] += stake
            self._returned[key] += stake

    def _put_back(self, stakes: dict[BetKey, int], moved: dict[str, int]) -> None:
        assert moved == _by_player({key: -stake for key, stake in stakes.items()})
        for key, stake in stakes.items():
            self._lying[key] += stake
            self._staked[key] -= stake
            self._returned[key] -= stake

    def _return(self, keys: set[BetKey], moved: dict[str, int]) -> None:
        """By a ruling. After the settlement the player ends with the stake, whatever the bet had won or lost."""
        if self._settled is None:
            return self._give_back(list(keys), moved)
        stakes = {key: self._staked[key] - (self._returned[key] - self._settled[key]) for key in keys}
        assert moved == _by_player({key: stakes[key] - self._settled[key] for key in keys})
        for key in keys:
            self._returned[key] += stakes[key] - self._settled.pop(key)
        return None

    def _settle(self, event: events.RoundSettled, moved: dict[str, int]) -> None:
        stakes, returned = Counter[BetKey](), Counter[BetKey]()
        for result in event.results:
            key = (result.who, result.box, result.bet)
            stakes[key] += result.stake_minor
            returned[key] += result.returned_minor
        assert stakes == +self._lying, "all that lay there, and nothing else, is settled"
        assert moved == _by_player(returned)
        self._settled = dict(returned)
        self._staked += stakes
        self._returned += returned
        self._lying.clear()
        self.rounds[-1].over = True

    def _make_good(self, key: BetKey, moved: dict[str, int]) -> None:
        if self._settled is None:
            return self._give_back([key], moved)
        self._returned[key] += moved.get(key[0], 0)
        self._settled[key] += moved.get(key[0], 0)
        return None

    def _reverse(self, moved: dict[str, int]) -> None:
        assert self._settled is not None
        back = Counter({who: -amount for who, amount in self._mispaid.items()})
        back.update(_by_player({key: -returned for key, returned in self._settled.items()}))
        assert moved == {who: amount for who, amount in back.items() if amount}
        self._adjusted.subtract(self._mispaid)
        self._mispaid.clear()
        for key, returned in self._settled.items():
            self._returned[key] -= returned
            before = self._returned[key]  # of the same bet, returned before the settlement
            self._lying[key] = self._staked[key] - before
            self._staked[key] = before
        self._settled = None
        self.rounds[-1].over = False

    def _close(self) -> None:
        now = self.rounds[-1]
        now.bets = {key: (staked, self._returned[key]) for key, staked in self._staked.items() if staked}
        now.adjusted = {who: amount for who, amount in self._adjusted.items() if amount}
        if now.number == 0:
            assert not self._lying
            now.over = bool(now.adjusted)
        left = Counter(now.gains)
        for (who, _, _), stake in self._lying.items():
            left[who] -= stake
        assert {who: amount for who, amount in left.items() if amount} == {
            who: amount for who, amount in self._moved.items() if amount
        }


def chips_in(event: MoneyEvent) -> dict[str, int]:
    """What the event moved, by player."""
    moved = Counter[str]()
    for posting in event.postings:
        if posting.account.startswith(chips("")):
            moved[posting.account[len(chips("")) :]] += posting.amount_minor
    return {who: amount for who, amount in moved.items() if amount}


def carried_in(event: MoneyEvent) -> int:
    """What a player brought to a felt table; negative for what they took away."""
    return -sum(posting.amount_minor for posting in event.postings if posting.account == BROUGHT)


def settled_again(entries: Iterable[Entry]) -> set[tuple[str, int]]:
    """Streams and versions of settlements of rounds that had been settled before."""
    again, settled, number = set[tuple[str, int]](), set[tuple[str, int]](), 0
    for entry in entries:
        event = read_event(entry.event)
        if isinstance(event, BettingOpened):
            number = event.round
        if isinstance(event, events.RoundSettled):
            if (entry.stream, number) in settled:
                again.add((entry.stream, entry.version))
            settled.add((entry.stream, number))
    return again


def _by_player(amounts: dict[BetKey, int]) -> dict[str, int]:
    totals = Counter[str]()
    for (who, _, _), amount in amounts.items():
        totals[who] += amount
    return {who: amount for who, amount in totals.items() if amount}


def ledger_of(entries: Iterable[Entry]) -> list[LedgerRound]:
    """The rounds of all entries, stream by stream."""
    ledgers: dict[str, Ledger] = {}
    for entry in entries:
        ledgers.setdefault(entry.stream, Ledger()).record(entry.stream, read_event(entry.event))
    return [each for ledger in ledgers.values() for each in ledger.rounds]


def written_off(entries: list[Entry]) -> Counter[str]:
    """By player, what they owed when they left and nobody can collect."""
    owed = Counter[str]()
    for stream in {entry.stream for entry in entries}:
        opening = [entry for entry in entries if entry.stream == stream]
        identities = Identities(partial(iter, opening))
        for entry in opening:
            if isinstance(event := read_event(entry.event), PlayerLeft):
                minor = sum(posting.amount_minor for posting in event.postings if posting.account == MISPAID)
                owed[identities.find(event.who, entry.version)] -= minor
    return owed


def ledger_by_id(entries: list[Entry]) -> list[LedgerRound]:
    """The same rounds, with the ids of people who were identified later in the opening."""
    rounds = ledger_of(entries)
    ended, last = dict[tuple[str, int], int](), dict[tuple[str, int], int]()
    named = dict[tuple[str, int, str], int]()
    number = 0
    for entry in entries:
        event = read_event(entry.event)
        if isinstance(event, TableOpened | BettingOpened):
            number = event.round if isinstance(event, BettingOpened) else 0
        if isinstance(event, PlayerIdentified):
            named[entry.stream, number, event.player_id] = entry.version
        last[entry.stream, number] = entry.version
        if isinstance(event, events.RoundSettled | findings.RoundVoided):
            ended[entry.stream, number] = entry.version
    for stream in {entry.stream for entry in entries}:
        opening = [entry for entry in entries if entry.stream == stream]
        identities = Identities(partial(iter, opening))
        for each in rounds:
            if each.stream == stream:
                since = {who: version for (*key, who), version in named.items() if key == [stream, each.number]}
                _use_ids(each, identities, ended.get((stream, each.number), 0), last[stream, each.number], since)
    return rounds


def _use_ids(each: LedgerRound, identities: Identities, ended: int, last: int, named: dict[str, int]) -> None:
    """Bettors were at the table when the round ended, people paid by a ruling at its last entry.

    ``named`` has the versions at which names were given in the round, which may be after its end.
    """
    bets: Amounts = {}
    for (who, box, bet), (staked, returned) in each.bets.items():
        key = (identities.find(who, max(ended, named.get(who, 0))), box, bet)
        before = bets.get(key, (0, 0))
        bets[key] = (before[0] + staked, before[1] + returned)
    adjusted = Counter[str]()
    for who, amount in each.adjusted.items():
        adjusted[identities.find(who, last)] += amount
    each.bets, each.adjusted = bets, dict(adjusted)

"""Money and stakes computed slowly from the events alone, independently of the engine's state."""

from collections import Counter
from copy import deepcopy
from typing import Any, TypeVar

from msgspec.structs import replace

from punto import InsuranceStake, Stake
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.space import Winner
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records import correction_events, events, findings
from punto.table.records.chips import SlipReceived, SlipRequested, SlipSent, SlipVoided, TrayCounted
from punto.table.records.commands import BuyIn, CashOut, Command
from punto.table.records.events import (
    BettingClosed,
    ChipsBought,
    ChipsCashed,
    Event,
    InsuranceTaken,
    PlayedBet,
    RoundSettled,
)
from punto.table.records.identity import Place
from punto.table.records.kinds import BuyInKind, CashOutKind, Choice, Effect
from punto.table.records.ledger import BROUGHT, COMMISSION, FELT, FLOAT, MISPAID, ROUNDING, VOUCHERS, chips
from punto.table.records.pit_calls import CallAnswered, PitCalled
from punto.table.records.reports import RuledBet
from punto.table.records.settings import Settings
from tests.model.slow_cards import SlowCards
from tests.model.slow_choices import SlowChoices
from tests.model.slow_corrections import SlowCorrections
from tests.model.slow_insurance import SlowInsurance, Taken
from tests.model.slow_limits import SlowLimits
from tests.model.slow_rights import SlowRights
from tests.model.slow_settlement import SlowSettlement
from tests.model.slow_squeezes import SlowSqueezes
from tests.model.slow_tray import SlowTray

Key = tuple[str, int, str]
Bet = TypeVar("Bet", Stake, events.SettledBet)
MAY_OWE = (
    events.TableOpened,
    events.PlayerIdentified,
    findings.SettlementReversed,
    findings.UninsuredBetPutBack,
    correction_events.PaymentCorrected,
)
"""Events after which a player may have chips below zero."""
_QUIET = (
    *(BettingClosed, correction_events.BettingReopened, findings.RestartRecorded, findings.RoundResumed),
    *(PitCalled, CallAnswered, SlipRequested, SlipSent, SlipReceived, SlipVoided, TrayCounted),
)
"""A round in which nothing else has happened gives back the one before when it is cancelled."""
_GOING_ON = ("held", "tray", "before_call", "command", "decision")


class SlowBooks:
    """Records every event and settles each round again with the rules library."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.settings: Settings | None = None
        self.decision: tuple[Event, ...] = ()
        """All events of the command that is being recorded."""
        self.command: Command | None = None
        self.played_under: Settings | None = None
        """After a change of settings between rounds, those of the last round; in a reopened round, the new ones."""
        self._clear()
        self.choices = SlowChoices(self)

    def _clear(self) -> None:
        self.before_call: dict[str, Any] | None = None
        """The books before a call for bets in whose round nothing has happened, if the round before was settled."""
        self.held: Counter[str] = Counter()
        """Every account except the felt."""
        self.stakes: dict[Key, Stake] = {}
        self.at_the_close: dict[Key, Stake] = {}
        """The stakes at the close, which decides how they play."""
        self.insurance: list[InsuranceStake] = []
        self.lines: list[InsuranceLine] = []
        """For each insurance, the pay line it was taken on."""
        self.owed: Counter[str] = Counter()
        """By account, what somebody owed when the last round was settled."""
        self.paid: Counter[str] | None = None
        """What the settlement of the round moved, including later corrections."""
        self.settled: dict[Key, events.SettledBet] = {}
        self.settled_insurance: list[events.SettledBet] = []
        self.settled_stakes: tuple[dict[Key, Stake], list[InsuranceStake], list[InsuranceLine]] = ({}, [], [])
        self.settled_close: dict[Key, Stake] = {}
        self.returned: set[Key] = set()
        """Returned bets of the round: never settled, unless placed again."""
        self.any_returned = False
        self.seats: dict[int, str] = {}
        self.away: set[str] = set()
        self.cards = SlowCards(self.rules)
        self.offers = SlowInsurance(self)
        self.squeezes = SlowSqueezes(self)
        self.settlement = SlowSettlement(self)
        self.limits = SlowLimits(self)
        self.corrections = SlowCorrections(self)
        self.tray = SlowTray(self)
        self.rights = SlowRights(self)

    @property
    def taken(self) -> list[Taken]:
        """The insurance of the round, each with its pay line."""
        return [
            Taken(taken.who, taken.box or 0, line, taken.stake_minor)
            for taken, line in zip(self.insurance, self.lines, strict=True)
        ]

    @property
    def interrupted(self) -> bool:
        """The command reports or corrects something, so what it ends did not end in the ordinary way."""
        kinds = (findings.IrregularityReported, findings.Ruled, findings.CardCorrected)
        return any(isinstance(event, kinds) for event in self.decision)

    @property
    def felt_minor(self) -> int:
        bets = sum(stake.stake_minor for stake in self.stakes.values())
        return bets + sum(taken.stake_minor for taken in self.insurance)

    @property
    def balances(self) -> dict[str, int]:
        return {account: held for account, held in {**self.held, FELT: self.felt_minor}.items() if held}

    def record(self, event: Event) -> None:
        """Record an event. Only the reversal of a settlement may make chips negative; a debt may move."""
        if isinstance(event, events.BettingOpened):
            self.before_call = self._kept() if self.paid is not None and not self._at_machine else None
        elif not isinstance(event, (*_QUIET, correction_events.RoundCancelled)):
            self.before_call = None
        self._take(event)
        if isinstance(event, correction_events.RoundCancelled):
            assert (event.restores is None) is (self.before_call is None)
            calls = self.cards.calls
            self.__dict__.update(self.before_call or {}, before_call=None)
            self.cards.calls = calls

    @property
    def _at_machine(self) -> bool:
        return self.cards.shoe is not None and self.cards.shoe.machine is not None

    def _kept(self) -> dict[str, Any]:
        """What a call for bets ends. Accounts and tray go on."""
        own = {name: value for name, value in self.__dict__.items() if name not in _GOING_ON}
        going_on = (self, self.rules, self.held, self.tray)
        return deepcopy(own, {id(each): each for each in going_on})

    def _take(self, event: Event) -> None:
        before = dict(self.held)
        self.corrections.watch(event)
        self.limits.record(event)
        self.offers.record(event)
        self.squeezes.record(event)
        if isinstance(event, RoundSettled):
            self.offers.check_reached()
            self._settle(event)
            self._leave()
            self._take_settings(self.played_under)
        else:
            self._record(event)
        self.limits.check(event)
        self.tray.record(event)
        self.tray.check_handed(event, before)
        shoe = self.cards.shoe
        self.cards.record(event)
        if event is self.decision[-1]:
            self.offers.check_reached()
        if self.cards.shoe is not shoe:
            self.squeezes.end_shoe()
        self.rights.record(event)
        returned = isinstance(event, findings.Ruled) and event.effect is Effect.RETURN  # winnings may be spent already
        if not (isinstance(event, MAY_OWE) or returned):
            for account, held in self.held.items():
                assert held >= min(0, before.get(account, 0)) or not account.startswith(chips("")), event

    def _record(self, event: Event) -> None:
        match event:
            case events.TableOpened():
                self._clear()
                self._change_settings(event)
                self.held.update({posting.account: posting.amount_minor for posting in event.postings})
            case events.SettingsChanged():
                self._change_settings(event)
            case events.TableClosed():
                assert event.balances == self.balances
                self._clear()
            case ChipsBought() | ChipsCashed():
                self._exchange(event)
            case events.BetPlaced():
                stake = Stake(event.who, event.bet, event.stake_minor, event.box, event.seated)
                self._stake((event.who, event.box, event.bet), stake)
                self.returned.discard((event.who, event.box, event.bet))
                self._check_flags(event)
            case events.BetWithdrawn() | events.BetRejected():
                key = (event.who, event.box, event.bet)
                left = Stake(event.who, event.bet, event.stake_minor, event.box, self.stakes[key].seated)
                assert left.stake_minor < self.stakes[key].stake_minor
                self._stake(key, left)
            case BettingClosed():
                self._close(event)
            case InsuranceTaken():
                self._insure(event)
            case events.BettingOpened():
                self.paid, self.settled, self.settled_insurance = None, {}, []
                self.at_the_close = {}  # those of a void round
                self.returned, self.any_returned = set(), False
                self.played_under = None
                self.corrections.start()
            case _:
                self._record_people(event)
                self._record_trouble(event)
                self.corrections.record(event)

    def _record_people(self, event: Event) -> None:
        match event:
            case events.PlayerSat():
                self.seats[event.box] = event.who
                for key, stake in self.stakes.items():
                    if key[:2] == (event.who, event.box):
                        self.stakes[key] = replace(stake, seated=True)
            case events.PlayerLeft():
                self._take_along(event)
                if event.away:
                    self.away.add(event.who)
                else:
                    self.seats = {box: who for box, who in self.seats.items() if who != event.who}
            case events.PlayerIdentified():
                self._identify(event.who, event.player_id, left=event.left)
            case events.LimitFlagged():
                self.settlement.check_flag(event)

    def _change_settings(self, event: events.TableOpened | events.SettingsChanged) -> None:
        """Four books display a minimum and a differential limit. No insurance is offered only if somebody asked."""
        settings, before = event.settings, self.settings if isinstance(event, events.SettingsChanged) else None
        if self.rules.topics[Topic.DIFFERENTIAL]:
            assert settings.main.min_minor is not None
            assert settings.differential_minor is not None
        if settings.no_insurance and not (before is not None and before.no_insurance):
            assert event.no_insurance_asked_by
        self.played_under = None if before is None else self.played_under or before
        self.settings = settings

    def _take_settings(self, settings: Settings | None) -> None:
        """A round that is reopened continues under its own settings, and ends under the new ones."""
        if settings is not None:
            self.played_under, self.settings = self.settings, settings
            self.cards.settings = settings

    @property
    def felt(self) -> bool:
        """Chips and cards are real, and the table records what people do."""
        return self.settings is not None and (self.settings.observing or self.settings.cards_only)

    def _check_flags(self, event: events.BetPlaced) -> None:
        """Nobody bets beside an exposed card, or stands without a seated bet. At the felt it is flagged."""
        expected = {events.BetFlag.CARD_EXPOSED} if self.cards.exposed else set()
        seated = any(stake.box == event.box and stake.seated for stake in self.stakes.values())
        if self.rules.topics[Topic.STANDING_PLAYER] and not seated:
            expected.add(events.BetFlag.NO_SEATED_BET)
        flagged = [other for other in self.decision if isinstance(other, events.BetFlagged)]
        assert {other.flag for other in flagged} == expected
        assert self.felt or not flagged
        assert all(_key(other) == _key(event) for other in flagged)

    def _take_along(self, event: events.PlayerLeft) -> None:
        """At the felt chips leave with the player. What they owe is lost, unless a stake may still make up for it."""
        minor = self.held[chips(event.who)]
        if any(isinstance(each, RoundSettled | correction_events.PaymentCorrected) for each in self.decision):
            self.corrections.let_go(event)
            return
        if not self.felt or (minor < 0 and event.away):
            assert not event.postings
            return
        self.held[chips(event.who)] = 0
        self.held[BROUGHT if minor > 0 else MISPAID] += minor

    def spend(self, who: str, amount_minor: int, *, in_round: bool = True) -> None:
        """Chips on record first. What is missing at the felt was brought; a debt stays."""
        on_record = min(max(self.held[chips(who)], 0), amount_minor) if self.felt else amount_minor
        self.held[chips(who)] -= on_record
        self.held[BROUGHT] -= amount_minor - on_record
        if in_round:
            self.corrections.brought[who] += amount_minor - on_record

    def _leave(self) -> None:
        self.seats = {box: who for box, who in self.seats.items() if who not in self.away}
        self.away = set()

    def _identify(self, who: str, player: str, *, left: bool) -> None:
        """Move everything, except a returned bet if the id has the same one."""
        names = {who: player}
        the_ids_own = {key for key in (*self.stakes, *self.settled) if key[0] == player}
        for amounts in (self.held, self.owed, self.paid or Counter()):
            amounts[chips(player)] += amounts.pop(chips(who), 0)
        place = Place.find(player)
        if place is None:
            self.seats = {box: names.get(person, person) for box, person in self.seats.items()}
        else:  # they are there now, and nowhere else
            self.seats = {box: person for box, person in self.seats.items() if person != who}
            self.seats.update({} if place.behind or left else {place.box: player})
        self.away = {names.get(person, person) for person in self.away}
        self.squeezes.rename(who, player)
        self.offers.rename(who, player)
        self.stakes = _renamed(self.stakes, who, player)
        assert who not in {key[0] for key in self.stakes}, "no bet is the same"
        for key, stake in self.stakes.items():
            if self.seats.get(key[1]) == key[0]:
                self.stakes[key] = replace(stake, seated=True)
        self.at_the_close = _renamed(self.at_the_close, who, player)
        self.settled_close = _renamed(self.settled_close, who, player)
        self.corrections.rename(who, player)
        self.choices.rename(who, player)
        self.settled = _renamed(self.settled, who, player)
        self.settled_insurance = [
            replace(result, who=names.get(result.who, result.who)) for result in self.settled_insurance
        ]
        bets, insurance, lines = self.settled_stakes
        self.insurance, insurance = (
            [replace(taken, who=names.get(taken.who, taken.who)) for taken in each]
            for each in (self.insurance, insurance)
        )
        self.settled_stakes = (_renamed(bets, who, player), insurance, lines)
        returned = {key: (names.get(key[0], key[0]), *key[1:]) for key in self.returned}
        self.returned = {key if new in the_ids_own else new for key, new in returned.items()}

    def _record_trouble(self, event: Event) -> None:
        match event:
            case findings.OptionChosen(choice=Choice.RETURN):
                self.corrections.take_back(event.who)
            case findings.Ruled():
                self._rule(event)
            case findings.UninsuredBetReturned():
                self._make_good(event)
            case findings.SettlementReversed():
                self.corrections.reverse(event)
                self._take_settings(self.played_under if event.again else None)
            case correction_events.RoundCancelled():
                self._leave()
                self._take_settings(self.played_under)
            case findings.RoundVoided():
                assert self.settings is not None
                assert event.by_hand == self.settings.cards_only
                self._leave()
                assert self.paid is None, "only what is not settled can be void"
                reopened = self.corrections.reversed is not None
                self._take_settings(self.played_under if reopened else None)
                self.give_back(list(self.stakes))
                self.give_insurance_back(list(self.insurance))

    def give_back(self, keys: list[Key]) -> None:
        for key in keys:
            stake = self.stakes.pop(key)
            self.held[chips(stake.who)] += stake.stake_minor
            self.returned.add(key)
            self.any_returned = True

    def give_insurance_back(self, given_back: list[InsuranceStake]) -> None:
        for taken in given_back:
            at = next(at for at, each in enumerate(self.insurance) if each is taken)
            del self.insurance[at], self.lines[at]
            self.held[chips(taken.who)] += taken.stake_minor

    def _rule(self, event: findings.Ruled) -> None:
        """Return bets, or pay to or from the float as the event says."""
        assert (event.effect is Effect.RETURN) == bool(event.bets)
        if event.effect is Effect.ADJUST:
            assert all(posting.account == FLOAT or posting.account.startswith(chips("")) for posting in event.postings)
            self.held.update({posting.account: posting.amount_minor for posting in event.postings})
            return
        wanted = {_key(bet) for bet in event.bets}
        if self.paid is not None:
            self._return_settled(event, wanted)
            return
        self.give_back([key for key in self.stakes if key in wanted])
        insured = [taken for taken in self.insurance if (taken.who, taken.box, f"{taken.side}_insurance") in wanted]
        self.give_insurance_back(insured)

    def _return_settled(self, event: findings.Ruled, wanted: set[Key]) -> None:
        """After the settlement each of these bets ends with its stake, whatever it won or lost, and once."""
        assert self.paid is not None
        assert not wanted & self.returned
        settled = [result for result in (*self.settled.values(), *self.settled_insurance) if _key(result) in wanted]
        assert {_key(result) for result in settled} == wanted
        moved: Counter[str] = Counter()
        for result in settled:
            more, commission = result.stake_minor - result.returned_minor, result.commission_minor or 0
            moved.update({chips(result.who): more, COMMISSION: -commission, ROUNDING: result.rounded_minor})
            moved[FLOAT] += commission - more - result.rounded_minor
        posted: Counter[str] = Counter()
        for posting in event.postings:
            posted[posting.account] += posting.amount_minor
        assert {a: m for a, m in moved.items() if m} == {a: m for a, m in posted.items() if m}
        self.held.update(moved)
        self.paid.update(moved)
        self._as_if_returned_before(wanted)
        self.returned |= wanted
        self.any_returned = True

    def _as_if_returned_before(self, wanted: set[Key]) -> None:
        """If the settlement is reversed, these bets are not on the felt."""
        assert self.paid is not None
        bets, insurance, lines = self.settled_stakes
        gone = [stake for key, stake in bets.items() if key in wanted]
        kept = []
        for taken, line in zip(insurance, lines, strict=True):
            if (taken.who, taken.box or 0, f"{taken.side}_insurance") in wanted:
                gone.append(Stake(taken.who, "", taken.stake_minor))
            else:
                kept.append((taken, line))
        for stake in gone:
            self.paid[chips(stake.who)] -= stake.stake_minor
        for key in wanted & set(self.corrections.mispaid):  # it stays as it was handed over
            minor = self.corrections.mispaid.pop(key)
            self.paid.update({chips(key[0]): -minor, MISPAID: minor})
        bets = {key: stake for key, stake in bets.items() if key not in wanted}
        self.settled_stakes = (bets, [taken for taken, _ in kept], [line for _, line in kept])
        self.settled = {key: result for key, result in self.settled.items() if key not in wanted}
        self.settled_insurance = [result for result in self.settled_insurance if _key(result) not in wanted]

    def _make_good(self, event: findings.UninsuredBetReturned) -> None:
        """After settlement only the loss is returned. An offer was missed, and the insurance would have won."""
        key = (event.who, event.box, event.side.value)
        assert key not in self.returned, "once"
        assert self.settings is not None
        assert event.by_hand == self.settings.cards_only
        if event.by_hand:
            assert (event.stake_minor, event.postings) == (0, ())
            self.offers.check_return(event, self.cards.coup)
            self.returned.add(key)
            return
        self.offers.check_return(event, self.cards.coup)
        if self.paid is None:
            assert self.stakes[key].stake_minor == event.stake_minor
            self.corrections.uninsured[key] = self.stakes[key]
            self.give_back([key])
            return
        lost = event.stake_minor - self.settled[key].returned_minor
        assert self.settled[key].stake_minor == event.stake_minor
        rounded = self.settled[key].rounded_minor
        for account, minor in ((chips(event.who), lost), (ROUNDING, rounded), (FLOAT, -lost - rounded)):
            self.held[account] += minor
            self.paid[account] += minor
        self.returned.add(key)

    def _close(self, event: BettingClosed) -> None:
        """What plays, according to the rules library with all limits."""
        self.at_the_close = dict(self.stakes)
        expected = self.settlement.played()
        assert list(event.played) == expected
        assert all(0 <= played.played_minor <= self.stakes[_key(played)].stake_minor for played in event.played)
        assert event.clauses == self.rules.topics[Topic.BETTING_CLOSED]

    def _insure(self, event: InsuranceTaken) -> None:
        line = self.offers.line
        assert line is not None
        self.spend(event.who, event.stake_minor)
        self.insurance.append(InsuranceStake(event.who, event.side, event.stage, event.stake_minor, event.box))
        self.lines.append(line)

    def _exchange(self, event: ChipsBought | ChipsCashed) -> None:
        """Drop is cash alone. Chips on record are enough for a colour change at a felt table."""
        command = self.command
        assert isinstance(command, BuyIn | CashOut)
        amount = command.amount_minor
        if isinstance(command, CashOut):
            self.spend(event.who, amount, in_round=False)
            self.held[VOUCHERS if command.kind is CashOutKind.VOUCHER else FLOAT] += amount
            return
        if command.kind is BuyInKind.CHIPS:
            assert isinstance(event, ChipsBought)
            assert event.changed_minor == amount
            on_record = self.held[chips(event.who)]
            if self.felt:
                amount = 0 if on_record < 0 else amount - min(amount, on_record)
        source = {BuyInKind.CASH: FLOAT, BuyInKind.VOUCHER: VOUCHERS, BuyInKind.CHIPS: BROUGHT}[command.kind]
        self.held[chips(event.who)] += amount
        self.held[source] -= amount

    def _stake(self, key: Key, stake: Stake) -> None:
        before = self.stakes[key].stake_minor if key in self.stakes else 0
        if stake.stake_minor > before:
            self.spend(stake.who, stake.stake_minor - before)
        else:
            self.held[chips(stake.who)] += before - stake.stake_minor
        self.stakes[key] = stake
        if not stake.stake_minor:
            del self.stakes[key]

    def _settle(self, event: RoundSettled) -> None:
        """The rules library gives the same result for the stakes at the close, to the cent and the clause."""
        coup, expected = self.cards.coup, self.settlement.results()
        assert sorted(map(str, event.results)) == sorted(map(str, expected))
        end = coup.end
        assert end is not None
        assert (event.winner, event.player, event.banker) == (end.winner, end.player, end.banker)
        assert event.clauses == self.rules.topics[Topic.TIE if end.winner is Winner.TIE else Topic.WINNER]
        paid: Counter[str] = Counter()
        for result in expected:
            commission = result.commission_minor or 0
            paid[chips(result.who)] += result.returned_minor
            paid[COMMISSION] += commission
            paid[ROUNDING] -= result.rounded_minor
            paid[FLOAT] += result.stake_minor - result.returned_minor - commission + result.rounded_minor
            if result.stage is None:
                self.settled[_key(result)] = result
            else:
                self.settled_insurance.append(result)
        assert not self.returned & set(self.settled), "no bet is both returned and settled"
        self.owed = Counter({account: -self.held[account] for account in paid if self.held[account] < 0})
        self.held.update(paid)
        self.paid = paid
        self.corrections.check_differences(event)
        if self.corrections.touched:
            self.offers.refresh_rooms()
        self.settled_stakes = (self.stakes, self.insurance, self.lines)
        self.settled_close = self.at_the_close
        self.stakes, self.insurance, self.lines, self.at_the_close = {}, [], [], {}


def _renamed(bets: dict[Key, Bet], who: str, player: str) -> dict[Key, Bet]:
    """The bets with another name, in the same order. A bet that the id has too keeps its name."""
    renamed: dict[Key, Bet] = {}
    for (name, box, bet), placed in bets.items():
        moves = name == who and (player, box, bet) not in bets
        renamed[player if moves else name, box, bet] = replace(placed, who=player) if moves else placed
    return renamed


def _key(bet: PlayedBet | events.SettledBet | events.BetPlaced | events.BetFlagged | RuledBet) -> Key:
    return bet.who, bet.box, bet.bet

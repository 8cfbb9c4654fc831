"""Projects the entries of a round to a record: its cards, outcome, bets and adjustments.

This is the only projection of a round. History, live pages, roads, replay, exports and reports all use it. It is pure:
it needs the entries of one round, from its ``BettingOpened`` to the next one, and no table state. Callers that need the
conditions from before (book, currency, shoe) pass them in. Adjustments made before betting first opens belong to round
0, which has no cards and no bets.

A call for bets that was cancelled may have given back the round before it (``RoundCancelled.restores``): then what
follows, until the next call, belongs to that one again. Who reads on from a call leaves the round by
:func:`own_entries`, who reads back by :class:`RoundsBack`; a fold over a whole stream keeps what it has of a round at
the next call, and goes on with it if that call gives the round back.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.journal.entry import Entry, broken, context_of, event_of, tag, tag_of
from punto.floor.journal.round_record import (
    AdjustmentRecord,
    BetRecord,
    Conditions,
    FeltStake,
    RoundEnd,
    RoundFelt,
    RoundRecord,
    VoidRecord,
    WentBack,
)
from punto.rules.bets.insurance import InsuranceCell, Stage, insurance_name
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.refusals import Clause
from punto.table.records import correction_events, events, findings
from punto.table.records.events import BettingOpened, Event, SettledBet, TableOpened
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import chip_changes
from punto.table.records.state import BetKey

CONDITION_EVENTS = (
    TableOpened,
    events.SettingsChanged,
    events.ShoeLoaded,
    findings.ShoeReplaced,
    findings.ShoeExchanged,
    findings.ShoeTakenOff,
)
"""All other events leave the conditions unchanged."""


def conditions_after(conditions: Conditions, event: Event) -> Conditions:
    """The conditions after an event."""
    if not isinstance(event, CONDITION_EVENTS):
        return conditions
    if isinstance(event, TableOpened):
        settings = event.settings
        return replace(conditions, book=event.book, currency=settings.currency, box_labels=settings.box_labels)
    if isinstance(event, events.SettingsChanged):
        return replace(conditions, currency=event.settings.currency)
    if isinstance(event, events.ShoeLoaded | findings.ShoeReplaced | findings.ShoeExchanged):
        return replace(conditions, shoe=event.shoe, decks=event.decks)
    if event.shoe == conditions.shoe:  # it was taken off
        return replace(conditions, shoe="", decks=0)
    return conditions


def read_round(entries: Iterable[Entry], conditions: Conditions = Conditions()) -> RoundRecord:  # noqa: B008 - frozen
    """The round that the first entry starts; round 0 if that entry opens the table.

    Entries whose tags are not in ``ROUND_TAGS`` can be left out.
    """
    rest = iter(entries)
    fold = RoundFold(next(rest), conditions)
    for entry in rest:
        fold.take(entry, event_of(entry))
    return fold.record


def restored_by(event: Event) -> int | None:
    """The round that what follows an event belongs to again; None if it gives back none."""
    return event.restores if isinstance(event, correction_events.RoundCancelled) else None


def own_entries(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Of entries from the start of a round on, those of the round, and the cancelled calls that gave it back.

    They end before the first call that did not, or with the round's own cancellation if that gave back another.
    """
    own, called = True, False
    for at, entry in enumerate(entries):
        kind = tag_of(entry)
        if at and kind == _CALL:
            if not own:
                return
            own, called = False, True
        restores = kind == _CANCELLED and restored_by(event_of(entry)) is not None
        own = own or restores
        if own:
            yield entry
        if restores and not called:
            return


class RoundsBack:
    """Collects the entries of rounds from entries that come newest first.

    Cancelled calls that gave back the round before are left out: nothing was played.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._given_back = False
        """The entries to come, up to a call for bets, are of a round that gave back the one before."""

    def take(self, entry: Entry) -> list[Entry] | None:
        """The entries of the round that this one starts, oldest first; None if it starts none."""
        kind = tag_of(entry)
        if self._given_back:
            self._given_back = kind != _CALL
        elif kind == _CANCELLED and restored_by(event_of(entry)) is not None:
            self._given_back = True
        elif kind in (_CALL, _OPENING):
            own, self._entries = [entry, *reversed(self._entries)], []
            return own
        elif kind in ROUND_TAGS:
            self._entries.append(entry)
        return None


class _Stake(Struct, frozen=True):
    """A bet or an insurance on the felt."""

    who: str
    box: int
    bet: str
    stake_minor: int
    placed_by: str
    cell: InsuranceCell | None = None

    @property
    def key(self) -> BetKey:
        return self.who, self.box, self.bet

    @property
    def stage(self) -> Stage | None:
        return self.cell[0] if self.cell else None


_Named = TypeVar("_Named", _Stake, BetRecord, AdjustmentRecord)
"""A record with a player in ``who``."""

Decided = tuple[BetRecord | AdjustmentRecord, ...]
"""What one event settled, returned or adjusted."""


class RoundFold:
    """Builds one round entry by entry, from ``BettingOpened``; round 0 from ``TableOpened``."""

    def __init__(self, call: Entry, conditions: Conditions = Conditions()) -> None:  # noqa: B008 - frozen
        opened = event_of(call)
        if isinstance(opened, BettingOpened):
            number, carried = opened.round, opened.carried
        elif isinstance(opened, TableOpened):
            number, carried = 0, ()
        else:
            raise TypeError(f"a round starts when betting opens, not with {call.event}")
        self._call, self._number, self._conditions = call, number, conditions
        self._happened_at_us = context_of(call).happened_at_us
        self._end: RoundEnd | None = None
        self._bets: dict[BetKey, _Stake] = {}
        self._insurance: list[_Stake] = []
        self._dealt: list[Face | None] = []
        self._carried: list[Face | None] = list(carried)
        """Cards drawn too early, which are dealt next."""
        self._settled: list[BetRecord] = []
        self._returned: list[BetRecord] = []
        """Returned by a choice, by a ruling, or for want of insurance before the settlement."""
        self._adjustments: list[AdjustmentRecord] = []
        self._payments: list[AdjustmentRecord] = []
        """Of these, the corrections of payments, which a reversal of the settlement takes back."""

    @property
    def record(self) -> RoundRecord:
        """The round in its current state."""
        return RoundRecord(
            stream=self._call.stream,
            version=self._call.version,
            number=self._number,
            conditions=self._conditions,
            opened_us=self._call.at_us,
            opened_by=self._call.actor,
            end=self._end,
            cards=tuple(self._dealt),
            bets=(*self._settled, *self._returned),
            adjustments=tuple(self._adjustments),
            happened_at_us=self._happened_at_us,
        )

    @property
    def felt(self) -> RoundFelt:
        """What lies on the felt now."""
        lying = [] if self._end else self._felt()
        stakes = tuple(FeltStake(stake.who, stake.box, stake.bet, stake.stake_minor) for stake in lying)
        return RoundFelt(tuple(self._dealt), tuple(self._carried), stakes)

    def take(self, entry: Entry, event: Event) -> Decided:
        """Apply the next entry and its event; return what it decided."""
        handler = self.HANDLERS.get(type(event))
        try:
            return handler(self, entry, event) if handler else ()
        except (LookupError, ValueError) as error:  # a bet or a card that does not exist
            raise broken(entry.stream, entry.version) from error

    # ---- the felt

    def _bet_placed(self, _: Entry, event: events.BetPlaced) -> Decided:
        stake = _Stake(event.who, event.box, event.bet, event.stake_minor, event.placed_by)
        self._bets[stake.key] = stake
        return ()

    def _bet_lowered(self, _: Entry, event: events.BetWithdrawn | events.BetRejected) -> Decided:
        key = (event.who, event.box, event.bet)
        if event.stake_minor:
            self._bets[key] = replace(self._bets[key], stake_minor=event.stake_minor)
        else:
            del self._bets[key]
        return ()

    def _insurance_taken(self, _: Entry, event: events.InsuranceTaken) -> Decided:
        cell = (event.stage, event.side, event.player, event.banker)
        name = insurance_name(event.side)
        self._insurance.append(_Stake(event.who, event.box, name, event.stake_minor, event.placed_by, cell))
        return ()

    def _bet_corrected(self, _: Entry, event: correction_events.BetCorrected) -> Decided:
        key = (event.who, event.box, event.bet)
        if not event.stake_minor:
            del self._bets[key]
        elif key in self._bets:
            self._bets[key] = replace(self._bets[key], stake_minor=event.stake_minor)
        else:
            self._bets[key] = _Stake(*key, event.stake_minor, event.corrected_by)
        return ()

    def _insurance_corrected(self, _: Entry, event: correction_events.InsuranceCorrected) -> Decided:
        """All that the player had there at this stage is one stake now."""
        if event.stake_minor is None:
            return ()
        cell = (event.stage, event.side, event.player, event.banker)
        stake = _Stake(event.who, event.box, insurance_name(event.side), event.stake_minor, event.corrected_by, cell)
        there = [at for at, old in enumerate(self._insurance) if old.key == stake.key and old.stage is event.stage]
        rest = [old for at, old in enumerate(self._insurance) if at not in there]
        if event.stake_minor:
            rest.insert(there[0] if there else len(rest), stake)
        self._insurance = rest
        self._came_again(stake, event.stake_minor - event.was_minor)
        return ()

    def _came_again(self, stake: _Stake, more_minor: int) -> None:
        """Insurance that went back when it was judged again, and lies there after all, has not gone back."""
        kept: list[BetRecord] = []
        for bet in reversed(self._returned):
            same = bet.went_back is WentBack.REJUDGED and (bet.who, bet.box, bet.bet, bet.stage) == (
                *stake.key,
                stake.stage,
            )
            again_minor = min(bet.stake_minor, max(more_minor, 0)) if same else 0
            more_minor -= again_minor
            back_minor = bet.stake_minor - again_minor
            kept += [replace(bet, stake_minor=back_minor, returned_minor=back_minor)] if back_minor else []
        self._returned = kept[::-1]

    def _insurance_rejudged(self, _: Entry, event: findings.InsuranceRejudged) -> Decided:
        """Insurance is on other points from now on. What is returned has a record of its own."""
        pairs = list(zip(self._insurance, event.cover, strict=True))
        back = tuple(
            _back(replace(old, stake_minor=old.stake_minor - new.stake_minor), WentBack.REJUDGED, event.clauses)
            for old, new in pairs
            if new.stake_minor < old.stake_minor
        )
        self._insurance = [
            replace(old, stake_minor=new.stake_minor, cell=(new.stage, new.side, new.player, new.banker))
            for old, new in pairs
            if new.stake_minor
        ]
        self._returned += back
        return back

    def _felt(self) -> list[_Stake]:
        """All stakes, in the order of the results of a settlement."""
        return [*self._bets.values(), *self._insurance]

    def _take_off(
        self, wanted: Callable[[_Stake], bool], why: WentBack, clauses: tuple[Clause, ...], reason: str = ""
    ) -> Decided:
        """Return stakes. They are no longer part of a settlement or of a later void."""
        back = tuple(_back(stake, why, clauses, reason) for stake in self._felt() if wanted(stake))
        self._bets = {key: stake for key, stake in self._bets.items() if not wanted(stake)}
        self._insurance = [stake for stake in self._insurance if not wanted(stake)]
        self._returned += back
        return back

    def _player_identified(self, _: Entry, event: events.PlayerIdentified) -> Decided:
        """Stakes and results of the round are the id's from now on."""

        def rename(record: _Named) -> _Named:
            return replace(record, who=event.player_id) if record.who == event.who else record

        self._bets = {stake.key: stake for stake in map(rename, self._bets.values())}
        self._insurance = list(map(rename, self._insurance))
        self._settled = list(map(rename, self._settled))
        self._returned = list(map(rename, self._returned))
        renamed = {id(each): rename(each) for each in self._adjustments}
        self._adjustments = list(renamed.values())
        self._payments = [renamed[id(each)] for each in self._payments]
        return ()

    # ---- the cards

    def _card_dealt(self, _: Entry, event: events.CardDealt) -> Decided:
        self._dealt.append(None)
        if event.carried:
            del self._carried[:1]
        return ()

    def _card_turned(self, _: Entry, event: events.CardTurned) -> Decided:
        self._dealt[event.place - 1] = event.card
        return ()

    def _cards_drawn(self, _: Entry, event: findings.CardsDrawnOutOfTurn) -> Decided:
        self._carried += event.cards
        return ()

    def _order_ruled(self, _: Entry, event: findings.CardOrderRuled) -> Decided:
        lying = [*self._dealt, *self._carried]
        lying += [None] * (max(event.order) - len(lying))  # old journals do not list the cards carried into a round
        ordered = list(lying)
        for place, came_from in zip(sorted(event.order), event.order, strict=True):
            ordered[place - 1] = lying[came_from - 1]
        dealt = len(self._dealt)
        self._dealt, self._carried = ordered[:dealt], ordered[dealt:]
        return ()

    def _card_corrected(self, _: Entry, event: findings.CardCorrected) -> Decided:
        if event.place is None:
            return ()
        lying = [*self._dealt, *self._carried]
        lying[event.place - 1 : event.place] = [] if event.card is None else [event.card]
        dealt = len(self._dealt) if event.dealt is None else event.dealt
        self._dealt, self._carried = lying[:dealt], lying[dealt:]
        return ()

    # ---- how it ends

    def _round_settled(self, entry: Entry, event: events.RoundSettled) -> Decided:
        self._settled = [_settled(*pair) for pair in zip(self._felt(), event.results, strict=True)]
        self._end = RoundEnd(
            at_us=entry.at_us, winner=event.winner, player=event.player, banker=event.banker, clauses=event.clauses
        )
        return tuple(self._settled)

    def _settlement_reversed(self, _: Entry, __: findings.SettlementReversed) -> Decided:
        """All stakes are on the felt again, including those returned after the settlement, and all payments."""
        self._settled, self._end = [], None
        self._adjustments = [each for each in self._adjustments if not any(each is paid for paid in self._payments)]
        self._payments = []
        return ()

    def _round_voided(self, entry: Entry, event: findings.RoundVoided) -> Decided:
        self._settled = [_back(stake, WentBack.VOID, event.clauses) for stake in self._felt()]
        void = VoidRecord(ground=event.ground, clauses=event.clauses, reason=event.reason)
        self._end = RoundEnd(at_us=entry.at_us, void=void, clauses=event.clauses)
        return tuple(self._settled)

    def _option_chosen(self, _: Entry, event: findings.OptionChosen) -> Decided:
        if event.choice is not Choice.RETURN:
            return ()
        return self._take_off(lambda stake: stake.who == event.who, WentBack.OPTION, event.clauses)

    def _option_corrected(self, _: Entry, event: correction_events.OptionCorrected) -> Decided:
        if event.choice is Choice.RETURN:
            return self._take_off(lambda stake: stake.who == event.who, WentBack.OPTION, event.clauses)
        self._put_back(lambda bet: bet.who == event.who and bet.went_back is WentBack.OPTION)
        return ()

    def _uninsured_put_back(self, _: Entry, event: findings.UninsuredBetPutBack) -> Decided:
        key = (event.who, event.box, event.side.value)
        self._put_back(lambda bet: (bet.who, bet.box, bet.bet) == key and bet.went_back is WentBack.UNINSURED)
        return ()

    def _put_back(self, wanted: Callable[[BetRecord], bool]) -> None:
        """Stakes that were returned are on the felt again."""
        for bet in filter(wanted, self._returned):
            stake = _Stake(bet.who, bet.box, bet.bet, bet.stake_minor, bet.placed_by, bet.cell)
            if bet.cell is None:
                self._bets[stake.key] = stake
            else:
                self._insurance.append(stake)
        self._returned = [bet for bet in self._returned if not wanted(bet)]

    def _uninsured_returned(self, _: Entry, event: findings.UninsuredBetReturned) -> Decided:
        key = (event.who, event.box, event.side.value)
        if event.by_hand:  # the bet is not on record
            return ()
        if self._end is None:
            return self._take_off(lambda stake: stake.key == key, WentBack.UNINSURED, event.clauses, event.reason)
        back = _back(self._bets[key], WentBack.UNINSURED, event.clauses, event.reason)
        self._settled = [back if (bet.who, bet.box, bet.bet) == key else bet for bet in self._settled]
        return (back,)

    def _ruled(self, entry: Entry, event: findings.Ruled) -> Decided:
        if event.effect is Effect.RETURN:
            keys = {(bet.who, bet.box, bet.bet) for bet in event.bets}
            self._settled = [bet for bet in self._settled if (bet.who, bet.box, bet.bet) not in keys]
            return self._take_off(lambda stake: stake.key in keys, WentBack.RULING, event.clauses, event.reason)
        if event.effect is not Effect.ADJUST:
            return ()
        return self._adjust(entry, event)

    def _adjust(
        self, entry: Entry, event: findings.Ruled | correction_events.PaymentCorrected
    ) -> tuple[AdjustmentRecord, ...]:
        moved = tuple(
            AdjustmentRecord(
                who=who, amount_minor=amount_minor, at_us=entry.at_us, clauses=event.clauses, reason=event.reason
            )
            for who, amount_minor in chip_changes(event.postings).items()
        )
        self._adjustments += moved
        return moved

    def _payment_corrected(self, entry: Entry, event: correction_events.PaymentCorrected) -> Decided:
        moved = self._adjust(entry, event)
        self._payments += moved
        return moved

    def _round_cancelled(self, entry: Entry, event: correction_events.RoundCancelled) -> Decided:
        if event.round == self._number:  # else it gives this one back
            self._end = RoundEnd(at_us=entry.at_us, clauses=(), cancelled=True, restores=event.restores)
        return ()

    HANDLERS: ClassVar[dict[type[Event], Callable[["RoundFold", Entry, Any], Decided]]] = {
        events.BetPlaced: _bet_placed,
        events.BetWithdrawn: _bet_lowered,
        events.BetRejected: _bet_lowered,
        events.InsuranceTaken: _insurance_taken,
        events.PlayerIdentified: _player_identified,
        events.CardDealt: _card_dealt,
        events.CardTurned: _card_turned,
        events.RoundSettled: _round_settled,
        findings.CardsDrawnOutOfTurn: _cards_drawn,
        findings.CardOrderRuled: _order_ruled,
        findings.CardCorrected: _card_corrected,
        findings.InsuranceRejudged: _insurance_rejudged,
        findings.OptionChosen: _option_chosen,
        findings.SettlementReversed: _settlement_reversed,
        findings.RoundVoided: _round_voided,
        findings.UninsuredBetReturned: _uninsured_returned,
        findings.Ruled: _ruled,
        findings.UninsuredBetPutBack: _uninsured_put_back,
        correction_events.BetCorrected: _bet_corrected,
        correction_events.InsuranceCorrected: _insurance_corrected,
        correction_events.OptionCorrected: _option_corrected,
        correction_events.PaymentCorrected: _payment_corrected,
        correction_events.RoundCancelled: _round_cancelled,
    }


ROUND_TAGS = frozenset(map(tag, RoundFold.HANDLERS))
"""Tags of the events that change a round."""
_CALL, _OPENING, _CANCELLED = tag(BettingOpened), tag(TableOpened), tag(correction_events.RoundCancelled)


def _settled(stake: _Stake, result: SettledBet) -> BetRecord:
    return BetRecord(
        who=result.who,
        box=result.box,
        bet=result.bet,
        stage=result.stage,
        cell=stake.cell,
        stake_minor=result.stake_minor,
        played_minor=result.played_minor,
        result=result.result,
        went_back=None,
        odds=result.odds,
        commission_minor=result.commission_minor,
        returned_minor=result.returned_minor,
        rounded_minor=result.rounded_minor,
        pro_rata=result.pro_rata,
        clauses=result.clauses,
        placed_by=stake.placed_by,
    )


def _back(stake: _Stake, why: WentBack, clauses: tuple[Clause, ...], reason: str = "") -> BetRecord:
    return BetRecord(
        who=stake.who,
        box=stake.box,
        bet=stake.bet,
        stage=stake.stage,
        cell=stake.cell,
        stake_minor=stake.stake_minor,
        played_minor=0,
        result=Result.PUSH,
        went_back=why,
        odds=None,
        commission_minor=None,
        returned_minor=stake.stake_minor,
        clauses=clauses,
        placed_by=stake.placed_by,
        reason=reason,
    )

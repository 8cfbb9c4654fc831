"""A table as people in one position may see it; ``me_at`` adds what concerns one person."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from punto.floor.chips.tray_record import slip_number
from punto.floor.clock import SECOND_US
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import tag
from punto.floor.journal.round_record import AdjustmentRecord, BetRecord, RoundRecord, VoidRecord, WentBack
from punto.floor.running.auto_dealer import ANSWERED_S
from punto.floor.running.live_table import LiveTable
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.insurance_stakes import waited_for
from punto.table.play.insuring import current_line
from punto.table.play.limits import differential_minor
from punto.table.play.places import side_of
from punto.table.play.shuffler import called
from punto.table.play.squeezing import grants_at_once
from punto.table.records.chips import Slip
from punto.table.records.events import (
    BettingOpened,
    CardDealt,
    CardTurned,
    InsuranceOffered,
    InsurancePassed,
    InsuranceTaken,
)
from punto.table.records.findings import OptionsGiven
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Round, Table, TakenInsurance
from punto.table.situation import next_step, situation
from punto.web import messages
from punto.web.views.shoe_results import ShoeResults
from punto.web.views.visibility import Sight, cut_balances, cut_settings

_Bet = TypeVar("_Bet", messages.Placed, messages.Covered, messages.Settled)
_COUNTED_FROM = {
    Automation.CLOSE_BETTING: (tag(BettingOpened),),
    Automation.CLOSE_INSURANCE: (tag(InsuranceOffered),),
    Automation.SQUEEZE: (tag(CardDealt), tag(CardTurned)),
    Automation.CALL_TIME: (tag(OptionsGiven),),
}
"""The events that start these countdowns. Every other countdown starts with the last event of any kind."""
_ANSWERS = (tag(InsurancePassed), tag(InsuranceTaken))


def table_view(
    live: LiveTable, results: ShoeResults, sight: Sight, commitment: str | None, *, stopped: bool = False
) -> messages.TableView:
    state = live.state
    named = sight.named
    found = situation(live.rules, state)
    view = messages.TableView(
        table=live.setup.name,
        book=live.setup.book,
        title=live.rules.title,
        table_title=live.title,
        opening=live.openings,
        version=live.head.version if live.head else 0,
        phase=state.phase,
        settings=cut_settings(state.settings, sight),
        seats={box: who if named else "" for box, who in sorted(state.seats.items())},
        behind={who: tuple(sorted(boxes)) for who, boxes in sorted(state.behind.items())} if named else {},
        shoe=_shoe(live, commitment),
        standing_squeezes=tuple(side for side in Side if grants_at_once(state, side)),
        carried=_written(carried.card for carried in state.carried),
        round=None if state.round is None else _round(live.rules, state, state.round, results.record, sight),
        marks=results.marks,
        due=None if stopped else _due(live, results),
        situation=found.kind,
        last_round=found.last,
        waits_for=found.then,
        stopped=stopped,
        gaming_stopped=live.stop is not None,
        waits_for_dealer=state.restart is not None,
    )
    if sight.whole:
        away = state.restart
        restart = UNSET if away is None else messages.RestartView(from_us=away.from_us, to_us=away.to_us)
        slips = tuple(_slip(live.setup.name, slip) for slip in state.slips.values())
        return replace(view, restart=restart, balances=cut_balances(state.balances, sight), slips=slips or UNSET)
    return view


def _slip(table: str, slip: Slip) -> messages.SlipView:
    return messages.SlipView(
        slip=slip.number,
        number=slip_number(table, slip.number),
        kind=slip.kind,
        piles=slip.piles,
        amount_minor=slip.amount_minor,
        sent=slip.sent,
    )


def me_at(state: Table, record: RoundRecord | None, by: Actor, *, plays: bool) -> messages.Me:
    """What concerns one person at a table. ``record`` is the table's last round.

    Somebody who may not play there has nothing at the table: a customer may have the same name.
    """
    name, position = by.name, by.position
    if not plays:
        return messages.Me(name=name, position=position, chips_minor=0, boxes=(), behind=(), away=False)
    moved = record.adjustments if record is not None and state.round is not None else ()
    return messages.Me(
        name=name,
        position=position,
        chips_minor=state.chips_minor(name),
        boxes=tuple(sorted(box for box, who in state.seats.items() if who == name)),
        behind=tuple(sorted(state.behind.get(name, ()))),
        away=state.round is not None and name in state.round.away,
        adjustments=tuple(
            adjusted_view(each, Sight.PLAYER) for each in moved if each.who == name and each.at_us >= by.since_us
        ),
    )


def without_former(view: messages.TableView, record: RoundRecord | None, by: Actor) -> messages.TableView:
    """The view without the name of an earlier visitor who had the same name in the last round.

    A visitor with a stake keeps their name. So a bet in play is always the present holder's, and a bet that lay until
    the end of the round is theirs if they had entered by then. A bet that went back before the end is theirs only if
    they entered before the round.
    """
    now = view.round
    if now is None or record is None or by.since_us <= record.opened_us:
        return view
    own = not record.over or record.ended_us >= by.since_us

    def is_own(settled: messages.Settled) -> bool:
        return own and settled.went_back in (None, WentBack.VOID)

    results = (replace(each, who="") if each.who == by.name and not is_own(each) else each for each in now.results)
    now = replace(now, results=tuple(results))
    if not own:
        now = replace(
            now,
            bets=tuple(replace(each, who="") if each.who == by.name else each for each in now.bets),
            cover=tuple(replace(each, who="") if each.who == by.name else each for each in now.cover),
            player=_hand_with(now.player, lambda who: who != by.name),
            banker=_hand_with(now.banker, lambda who: who != by.name),
        )
    return replace(view, round=now)


def with_own_name(view: messages.TableView, name: str) -> messages.TableView:
    """The view with this name only. Bets of everybody else stay, without a name."""
    now = view.round
    view = replace(
        view,
        seats={box: who if who == name else "" for box, who in view.seats.items()},
        behind={who: boxes for who, boxes in view.behind.items() if who == name},
    )
    if now is None:
        return view
    options = now.options
    if options is not None:
        options = replace(options, asked=tuple(who for who in options.asked if who == name))
    now = replace(
        now,
        bets=_with_own(now.bets, name),
        cover=_with_own(now.cover, name),
        results=_with_own(now.results, name),
        options=options,
        choices={who: choice for who, choice in now.choices.items() if who == name},
        player=_hand_with(now.player, lambda who: who == name),
        banker=_hand_with(now.banker, lambda who: who == name),
    )
    return replace(view, round=now)


def _with_own(bets: tuple[_Bet, ...], name: str) -> tuple[_Bet, ...]:
    return tuple(each if each.who == name else replace(each, who="") for each in bets)


def _hand_with(hand: messages.HandView, keeps: Callable[[str], bool]) -> messages.HandView:
    """The hand with some of its names."""
    names = (hand.accepted_by, hand.asked_by, hand.lapsed_by)
    accepted, asked, lapsed = (who if who is None or keeps(who) else "" for who in names)
    squeezes = tuple(each if keeps(each.who) else replace(each, who="") for each in hand.squeezes)
    return replace(hand, accepted_by=accepted, asked_by=asked, lapsed_by=lapsed, squeezes=squeezes)


def _shoe(live: LiveTable, commitment: str | None) -> messages.ShoeView | None:
    state, shoe = live.state, live.state.shoe
    if shoe is None:
        return None
    next_round = called(state) if state.phase is Phase.READY else shoe
    return messages.ShoeView(
        id=shoe.id,
        kind=live.setup.shoes,
        decks=shoe.decks,
        drawn=shoe.drawn,
        left=shoe.left if next_round is None else next_round.left,
        cut_card_out=shoe.cut_card_out,
        commitment=commitment,
        continuous=shoe.continuous,
        order=shoe.order if shoe.continuous is not None and commitment is not None else None,
    )


def _due(live: LiveTable, results: ShoeResults) -> messages.Due | None:
    step = next_step(live.rules, live.state)
    if step is None:
        return None
    since_us = max(results.at_us.get(kind, 0) for kind in _COUNTED_FROM.get(step.automation, ("",)))
    at_us = since_us + int(live.setup.pace.before_s(step.automation) * SECOND_US)
    if step.automation is Automation.CLOSE_INSURANCE and not waited_for(live.rules, live.state):
        answered_us = max(results.at_us.get(kind, 0) for kind in _ANSWERS)
        at_us = min(at_us, max(since_us, answered_us) + int(ANSWERED_S * SECOND_US))
    return messages.Due(automation=step.automation, at_us=at_us)


# ---- the round


def _round(rules: Rulebook, state: Table, now: Round, record: RoundRecord | None, sight: Sight) -> messages.RoundView:
    assert record is not None  # noqa: S101 - a round has a record from its call for bets on
    named = sight.named
    coup = coup_of(rules, state)
    sides = [side_of(coup, place) for place in range(1, len(now.cards) + 1)]
    return messages.RoundView(
        number=now.number,
        last=now.last,
        bets=tuple(
            messages.Placed(
                who=placed.who if named else "",
                box=placed.box,
                bet=placed.bet,
                stake_minor=placed.stake_minor,
                seated=placed.seated,
                played_minor=placed.played_minor,
            )
            for placed in now.bets.values()
        ),
        player=_hand(coup, now, sides, Side.PLAYER, named=named),
        banker=_hand(coup, now, sides, Side.BANKER, named=named),
        unassigned=_written(card for card, side in zip(now.cards, sides, strict=True) if side is None),
        cover=tuple(
            messages.Covered(
                who=covered.who if named else "",
                box=covered.box,
                side=covered.side,
                stage=covered.stage,
                stake_minor=covered.stake_minor,
                odds=_odds_of(rules, covered),
                called=covered.called,
            )
            for covered in now.insurance.cover
        ),
        offer=_offer(rules, state, now),
        waived=now.insurance.waived,
        options=None
        if now.irregularities.options is None
        else messages.OptionsOpen(
            kind=now.irregularities.options.kind,
            reconstructable=now.irregularities.options.reconstructable,
            asked=now.irregularities.options.waiting_for if named else (),
            by_hand=now.irregularities.options.by_hand,
        ),
        choices=now.irregularities.choices if named else {},
        raised=now.irregularities.raised.kind if now.irregularities.raised else None,
        order_lost=bool(now.irregularities.order_lost),
        winner=record.winner,
        results=tuple(settled_view(bet, sight, named=named) for bet in record.bets),
        void=record.void.ground if record.void else None,
        voided=voided_view(record.void, sight),
        differential_minor=differential_minor(now.bets)
        if now.bets and not now.over and rules.has(Topic.DIFFERENTIAL)
        else None,
        adjustments=tuple(adjusted_view(moved, sight) for moved in record.adjustments) if sight.whole else UNSET,
    )


def _hand(coup: Coup, now: Round, sides: list[Side | None], side: Side, *, named: bool) -> messages.HandView:
    places = tuple(place for place, to in enumerate(sides, 1) if to is side)
    squeezes = [squeeze for squeeze in now.squeezes if squeeze.side is side]
    accepted, requested, lapsed = (by.get(side) for by in (now.accepted, now.squeeze_requests, now.squeeze_lapsed))
    return messages.HandView(
        cards=_written(now.cards[place - 1] for place in places),
        places=places,
        shoes=tuple(now.shoes[place - 1] for place in places),
        draws=tuple(now.draws[place - 1] for place in places),
        points=coup.hand(side).points if places else None,
        accepted_by=accepted if named or accepted is None else "",
        asked_by=requested if named or requested is None else "",
        squeeze_from=next((each.from_place for each in squeezes if each.who == (accepted or requested)), None),
        lapsed_by=lapsed if named or lapsed is None else "",
        squeezes=tuple(
            messages.SqueezeView(each.who if named else "", each.state, each.from_place) for each in squeezes
        ),
        opened=tuple(place for place in places if place in now.squeezed and now.cards[place - 1] is None),
    )


def _odds_of(rules: Rulebook, covered: TakenInsurance) -> str:
    """Empty if the book has changed since and lacks the line."""
    line = rules.insurance and rules.insurance.line(covered.stage, covered.player, covered.banker)
    return line.odds_text if line else ""


def _offer(rules: Rulebook, state: Table, now: Round) -> messages.Offered | None:
    line = current_line(rules, state) if now.insurance.offer_stands else None
    if line is None:
        return None
    return messages.Offered(
        stage=line.stage,
        side=line.side,
        odds=line.odds_text,
        late=now.insurance.offer_late,
        clauses=(line.clause, *(line.tied if line.tie_pays else ())),
        closed=not now.insurance.offer_open,
    )


def settled_view(bet: BetRecord, sight: Sight, *, named: bool) -> messages.Settled:
    """The result of a bet. Only staff see the reason for a return."""
    return messages.Settled(
        who=bet.who if named else "",
        box=bet.box,
        bet=bet.bet,
        stake_minor=bet.stake_minor,
        result=bet.result,
        returned_minor=bet.returned_minor,
        clauses=bet.clauses,
        stage=bet.stage,
        odds=bet.odds,
        commission_minor=bet.commission_minor,
        played_minor=bet.played_minor,
        went_back=bet.went_back,
        rounded_minor=bet.rounded_minor,
        pro_rata=bet.pro_rata,
        reason=(bet.reason or UNSET) if sight.whole else UNSET,
    )


def voided_view(void: VoidRecord | None, sight: Sight) -> messages.Voided | None:
    """Why a round is void. Only staff see the note made at the table."""
    if void is None:
        return None
    reason = void.reason if sight.whole else UNSET
    return messages.Voided(ground=void.ground, clauses=void.clauses, reason=reason)


def adjusted_view(moved: AdjustmentRecord, sight: Sight) -> messages.Adjusted:
    """What a ruling paid or took. Only staff see the reason."""
    return messages.Adjusted(
        who=moved.who,
        amount_minor=moved.amount_minor,
        at_us=moved.at_us,
        clauses=moved.clauses,
        reason=moved.reason if sight.whole else UNSET,
    )


def _written(cards: Iterable[Face | None]) -> tuple[str | None, ...]:
    return tuple(None if card is None else str(card) for card in cards)

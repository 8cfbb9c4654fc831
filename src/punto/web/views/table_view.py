"""A table as a position may see it. What concerns one person only is in ``me_at``."""

from collections.abc import Iterable

from msgspec.structs import replace

from punto.floor.journal.entry import tag
from punto.floor.running.live_table import LiveTable
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.decision import coup_of
from punto.table.play.insuring import current_line, line_of
from punto.table.play.places import side_of
from punto.table.records.events import BettingOpened, InsuranceOffered, SettledBet
from punto.table.records.findings import OptionsGiven
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Round, Table
from punto.web import messages
from punto.web.views.shoe_results import ShoeResults
from punto.web.views.visibility import Sight

_COUNTED_FROM = {
    Automation.CLOSE_BETTING: tag(BettingOpened),
    Automation.CLOSE_INSURANCE: tag(InsuranceOffered),
    Automation.CALL_TIME: tag(OptionsGiven),
}
"""The events that start a countdown; every other countdown starts with the last event of any kind."""


def table_view(live: LiveTable, marks: ShoeResults, sight: Sight, commitment: str | None) -> messages.TableView:
    """A table."""
    state = live.state
    named = sight is not Sight.PUBLIC
    view = messages.TableView(
        table=live.setup.name,
        book=live.setup.book,
        title=live.rules.title,
        opening=live.openings,
        version=live.head.version if live.head else 0,
        phase=state.phase,
        settings=state.settings,
        seats={box: who if named else "" for box, who in sorted(state.seats.items())},
        behind={who: tuple(sorted(boxes)) for who, boxes in sorted(state.behind.items())} if named else {},
        shoe=_shoe(live, commitment),
        carried=_written(carried.card for carried in state.carried),
        round=None if state.round is None else _round(live.rules, state, state.round, named=named),
        marks=marks.written,
        due=_due(live, marks),
    )
    if sight is Sight.STAFF:
        return replace(view, balances=dict(sorted(state.balances.items())))
    return view


def me_at(state: Table, name: str, position: Position) -> messages.Me:
    """What concerns one person at a table."""
    return messages.Me(
        name=name,
        position=position,
        chips_minor=state.chips_minor(name),
        boxes=tuple(sorted(box for box, who in state.seats.items() if who == name)),
        behind=tuple(sorted(state.behind.get(name, ()))),
        away=state.round is not None and name in state.round.away,
    )


def _shoe(live: LiveTable, commitment: str | None) -> messages.ShoeView | None:
    shoe = live.state.shoe
    if shoe is None:
        return None
    return messages.ShoeView(
        id=shoe.id,
        kind=live.setup.shoes,
        decks=shoe.decks,
        drawn=shoe.drawn,
        left=shoe.left,
        cut_card_out=shoe.cut_card_out,
        commitment=commitment,
    )


def _due(live: LiveTable, marks: ShoeResults) -> messages.Due | None:
    step = next_step(live.rules, live.state)
    if step is None:
        return None
    since_us = marks.at_us.get(_COUNTED_FROM.get(step.automation, ""), 0)
    wait_us = int(live.setup.pace.before_s(step.automation) * 1_000_000)
    return messages.Due(automation=step.automation, at_us=since_us + wait_us)


# ---- the round


def _round(rules: Rulebook, state: Table, now: Round, *, named: bool) -> messages.RoundView:
    coup = coup_of(rules, state)
    sides = [side_of(coup, place) for place in range(1, len(now.cards) + 1)]
    winner = coup.winner if now.paid is not None and now.void is None and coup.finished else None
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
                odds=line_of(rules, covered).odds_text,
            )
            for covered in now.cover
        ),
        offer=_offer(rules, state, now),
        waived=now.waived,
        options=None
        if now.options is None
        else messages.OptionsOpen(
            kind=now.options.kind,
            reconstructable=now.options.reconstructable,
            asked=now.options.asked if named else (),
        ),
        choices=now.choices if named else {},
        raised=now.raised.kind if now.raised else None,
        order_lost=bool(now.order_lost),
        winner=winner,
        results=tuple(settled_view(result, named=named) for result in now.results),
        void=now.void,
    )


def _hand(coup: Coup, now: Round, sides: list[Side | None], side: Side, *, named: bool) -> messages.HandView:
    places = tuple(place for place, to in enumerate(sides, 1) if to is side)
    accepted, asked = now.accepted.get(side), now.asked.get(side)
    return messages.HandView(
        cards=_written(now.cards[place - 1] for place in places),
        places=places,
        points=coup.hand(side).points if places else None,
        accepted_by=accepted if named or accepted is None else "",
        asked_by=asked if named or asked is None else "",
        opened=tuple(place for place in places if place in now.squeezed and now.cards[place - 1] is None),
    )


def _offer(rules: Rulebook, state: Table, now: Round) -> messages.Offered | None:
    line = current_line(rules, state) if now.offer_open else None
    if line is None:
        return None
    return messages.Offered(
        stage=line.stage, side=line.side, odds=line.odds_text, late=now.offer_late, clauses=(line.clause,)
    )


def settled_view(result: SettledBet, *, named: bool) -> messages.Settled:
    """What became of a bet."""
    return messages.Settled(
        who=result.who if named else "",
        box=result.box,
        bet=result.bet,
        stake_minor=result.stake_minor,
        result=result.result,
        returned_minor=result.returned_minor,
        clauses=result.clauses,
        stage=result.stage,
        odds=result.odds,
        commission_minor=result.commission_minor,
        played_minor=result.played_minor,
    )


def _written(cards: Iterable[Card | None]) -> tuple[str | None, ...]:
    return tuple(None if card is None else str(card) for card in cards)

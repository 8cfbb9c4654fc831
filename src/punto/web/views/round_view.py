"""A round to step through, as one viewer may see it: see :mod:`punto.web.messages.rounds`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import to_builtins

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import read_command, tag_name, unreadable
from punto.floor.journal.round_record import AdjustmentRecord, BetRecord, FeltStake
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.rounds.coup_chances import CoupChances
from punto.floor.reports.rounds.round_reader import SteppedRound
from punto.floor.reports.rounds.round_steps import RoundStep, RoundSteps
from punto.floor.reports.rounds.step_reasons import card_reason, law_of, offer_reason
from punto.library import book, book_ids
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Cards, Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.records.events import cited_by
from punto.table.records.ledger import BROUGHT, chips, player_of
from punto.table.records.state import Table
from punto.web.messages import (
    CitedClause,
    OfferedTo,
    RoundFunds,
    RoundReplay,
    RoundStepView,
    SteppedCard,
    SteppedChances,
    SteppedFelt,
    SteppedHand,
    SteppedOffer,
    SteppedPosting,
    SteppedStake,
)
from punto.web.views.cursors import cursor_of
from punto.web.views.own_events import EventFields, concerns, own_fields, own_words
from punto.web.views.round_names import write_round
from punto.web.views.table_view import adjusted_view, settled_view
from punto.web.views.viewer import Viewer
from punto.web.words.event_words import Writer

NO_CHANCES: Mapping[int, CoupChances] = MappingProxyType({})


def round_replay(
    found: SteppedRound, title: str, viewer: Viewer, writer: Writer, chances: Mapping[int, CoupChances] = NO_CHANCES
) -> RoundReplay:
    """``title`` is the table's, ``writer`` writes for the viewer, ``chances`` are those they may see, by version."""
    steps, record = found.steps, found.steps.record
    stream = StreamName.parse(record.stream)
    viewer = without_former_holder(viewer, steps)
    shown = tuple(_Shown(viewer, writer, law_of(steps.steps[0].after), chances).views(steps))
    return RoundReplay(
        table=stream.table,
        table_title=title,
        round=write_round(stream.opening, record.number),
        number=record.number,
        opening=stream.opening,
        book=record.conditions.book,
        shoe=record.conditions.shoe or None,
        at_us=record.opened_us,
        ended_us=record.ended_us or None,
        outcome=record.outcome,
        in_play=bool(record.number) and record.end is None,
        currency=record.conditions.currency,
        box_labels=steps.box_labels,
        steps=shown,
        funds=tuple(_funds(steps, viewer, writer)),
        incidents=found.incidents if viewer.sight.whole else (),
        earlier=write_round(*found.earlier) if found.earlier else None,
        later=write_round(*found.later) if found.later else None,
        clauses=tuple(_cited(record.conditions.book, shown, writer)),
    )


def without_former_holder(viewer: Viewer, steps: RoundSteps) -> Viewer:
    """Nobody in particular, if an earlier visitor with the same name had a stake in the round.

    A visitor with a stake keeps their name until the end of the round, and it can be settled again after that. So
    nothing in it is the present holder's.
    """
    earlier = (step for step in steps.steps if step.entry.at_us < viewer.since_us)
    if viewer.name and any(stake.who == viewer.name for step in earlier for stake in step.felt.stakes):
        return Viewer(viewer.sight, "")
    return viewer


class _Shown:
    """Writes steps for one viewer."""

    def __init__(
        self, viewer: Viewer, writer: Writer, rules: Rulebook | None, chances: Mapping[int, CoupChances]
    ) -> None:
        self.viewer, self.writer, self.chances = viewer, writer, chances
        self.rules = rules
        self._hands: dict[Cards, tuple[SteppedHand, ...]] = {}
        self._stakes: dict[FeltStake, SteppedStake] = {}
        """Cards and stakes lie there for many steps."""

    def views(self, steps: RoundSteps) -> Iterator[RoundStepView]:
        for step in steps.steps:
            name, whole = self.viewer.name, to_builtins(step.event)
            if name is None:
                yield self._view(step, _recorded(step), whole)
                continue
            if step.entry.at_us < self.viewer.since_us:
                name = ""
            if concerns(type(step.event), whole, name):
                yield self._view(step, own_fields(_recorded(step), name), own_words(whole, name))

    def _view(self, step: RoundStep, event: EventFields, said: EventFields) -> RoundStepView:
        entry, context, whole = step.entry, step.context, self.viewer.sight.whole
        return RoundStepView(
            cursor=cursor_of(entry),
            version=entry.version,
            at_us=entry.at_us,
            happened_at_us=(context.happened_at_us or None) if whole else None,
            position=entry.position,
            by=entry.actor if whole else None,
            terminal=(context.terminal or None) if whole else None,
            proposed_by=(context.proposed_by or None) if whole else None,
            approved_by=(context.approved_by or None) if whole else None,
            alone=context.alone and whole,
            incident=context.incident if whole else 0,
            command=_command(step) if whole else None,
            event=dict(event),
            lines=tuple(line.strip() for line in self.writer.lines((said,))),
            reason=getattr(step.event, "reason", "") if whole else "",
            clauses=cited_by((step.event,)),
            card=self._card(step),
            offers=tuple(self._offers(step)),
            results=tuple(
                settled_view(bet, self.viewer.sight, named=True)
                for bet in step.decided
                if isinstance(bet, BetRecord) and self._may_see(step, bet.who)
            ),
            adjustments=tuple(
                adjusted_view(moved, self.viewer.sight)
                for moved in step.decided
                if isinstance(moved, AdjustmentRecord) and self._may_see(step, moved.who)
            ),
            postings=tuple(self._postings(step)),
            felt=self._felt(step),
            phase=step.after.phase,
            chances=self._chances(step),
        )

    def _chances(self, step: RoundStep) -> SteppedChances | None:
        chances = self.chances.get(step.entry.version)
        if chances is None:
            return None
        return SteppedChances(player=str(chances.player), banker=str(chances.banker), tie=str(chances.tie))

    def _may_see(self, step: RoundStep, who: str) -> bool:
        return self.viewer.may_see(who, step.entry.at_us)

    def _card(self, step: RoundStep) -> SteppedCard | None:
        reason = card_reason(step)
        if reason is None:
            return None
        return SteppedCard(
            place=reason.place,
            shoe=reason.shoe,
            draw=reason.draw,
            code=None if reason.card is None else str(reason.card),
            hand=reason.hand,
            why="" if reason.why is None else self.writer.t.write(reason.why),
            clauses=reason.clauses,
        )

    def _offers(self, step: RoundStep) -> Iterator[SteppedOffer]:
        offer = offer_reason(step)
        if offer is None:
            return
        player, banker = offer.points or (None, None)
        to = offer.to
        yield SteppedOffer(
            stage=offer.stage,
            side=offer.side,
            odds=offer.odds,
            player=player,
            banker=banker,
            missed=offer.missed,
            late=offer.late,
            clauses=offer.clauses,
            to=None
            if to is None
            else tuple(
                OfferedTo(
                    who=bet.who,
                    name=self.writer.person(bet.who),
                    box=bet.box,
                    stake_minor=bet.stake_minor,
                    most_minor=bet.most_minor,
                )
                for bet in to
                if self._may_see(step, bet.who)
            ),
        )

    def _postings(self, step: RoundStep) -> Iterator[SteppedPosting]:
        for posted in step.postings:
            who = player_of(posted.account)
            if self.viewer.sight.whole or (who is not None and self._may_see(step, who)):
                yield SteppedPosting(
                    account=posted.account,
                    name=account_name(posted.account, self.writer),
                    change_minor=posted.change_minor,
                    before_minor=posted.before_minor,
                    after_minor=posted.after_minor,
                )

    def _felt(self, step: RoundStep) -> SteppedFelt:
        cards = step.felt.cards
        if cards not in self._hands:
            self._hands[cards] = hands_of(self.rules, cards)
        hands = self._hands[cards]
        in_hands = sum(len(hand.cards) for hand in hands)
        return SteppedFelt(
            hands=hands,
            beside=_written((*cards[in_hands:], *step.felt.drawn_early)),
            stakes=tuple(self._stake(stake) for stake in step.felt.stakes if self._may_see(step, stake.who)),
        )

    def _stake(self, stake: FeltStake) -> SteppedStake:
        if stake not in self._stakes:
            self._stakes[stake] = SteppedStake(
                who=stake.who,
                name=self.writer.person(stake.who),
                box=stake.box,
                bet=stake.bet,
                stake_minor=stake.stake_minor,
            )
        return self._stakes[stake]


def hands_of(rules: Rulebook | None, cards: Cards) -> tuple[SteppedHand, ...]:
    """Player's and Banker's by the law of the table; without it no card is in a hand."""
    if rules is None:
        return ()
    coup = Coup.of(rules.space, cards)
    return tuple(
        SteppedHand(side=side, cards=_written(hand.cards), points=hand.points if hand.cards else None)
        for side in Side
        for hand in (coup.hand(side),)
    )


def account_name(account: str, writer: Writer) -> str:
    who = player_of(account)
    name = phrase(f"account.{account}") if who is None else phrase("chips_of", who=writer.person(who))
    return writer.t.write(name)


def _recorded(step: RoundStep) -> dict[str, Any]:
    return msgspec.json.decode(step.entry.event, type=dict[str, Any])


def _command(step: RoundStep) -> str | None:
    """None at the other events of a command, and where a journal lacks it."""
    if not step.entry.command:
        return None
    try:
        return tag_name(type(read_command(step.entry.command)))
    except msgspec.MsgspecError as error:
        raise unreadable(step.entry.stream, step.entry.version) from error


def _written(cards: Sequence[Face | None]) -> tuple[str | None, ...]:
    return tuple(None if card is None else str(card) for card in cards)


def _funds(steps: RoundSteps, viewer: Viewer, writer: Writer) -> Iterator[RoundFunds]:
    """What those had before and after whose chips moved. A player's time starts when they came under their name."""
    own = [step for step in steps.steps if step.entry.at_us >= viewer.since_us]
    brought = _brought(own)
    for who in dict.fromkeys((*brought, *steps.players)) if own else ():
        if viewer.name in (None, who):
            before, after = (table.balances.get(chips(who), 0) for table in (own[0].before, _last_open(own)))
            yield RoundFunds(
                who=who,
                name=writer.person(who),
                before_minor=before,
                after_minor=after,
                brought_minor=brought.get(who, 0),
            )


def _brought(steps: Sequence[RoundStep]) -> Mapping[str, int]:
    """What each player brought to the table. An opening carries balances over, and is about nobody."""
    brought: Counter[str] = Counter()
    for step in steps:
        if who := getattr(step.event, "who", ""):
            brought[who] -= sum(posted.change_minor for posted in step.postings if posted.account == BROUGHT)
    return {who: minor for who, minor in brought.items() if minor}


def _last_open(steps: Sequence[RoundStep]) -> Table:
    """The table after the last step; before it, if that closed the table, which has no balances then."""
    last = steps[-1]
    return last.after if last.after.settings is not None else last.before


def _cited(book_id: str, steps: Sequence[RoundStepView], writer: Writer) -> Iterator[CitedClause]:
    summaries: Mapping[Clause, object] = book(book_id).clauses if book_id in book_ids() else {}
    cited = dict.fromkeys(clause for step in steps for clause in _clauses_of(step))
    for clause in cited:
        if clause in summaries:
            yield CitedClause(clause=clause, summary=book(book_id).summary(clause, writer.t.language))


def _clauses_of(step: RoundStepView) -> Iterator[Clause]:
    yield from step.clauses
    if step.card:
        yield from step.card.clauses
    for offer in step.offers:
        yield from offer.clauses
    for result in step.results:
        yield from result.clauses
    for moved in step.adjustments:
        yield from moved.clauses

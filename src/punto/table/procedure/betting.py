"""The moments while betting is open, and after the close until the first card."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from msgspec.structs import asdict, replace

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.rules.refusals import Refusal
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.evolution import evolve
from punto.table.play.bet_bounds import card_exposed
from punto.table.play.limits import exceeded_limits
from punto.table.procedure.between_rounds import cut_card_keys, shoe_warnings
from punto.table.procedure.scene import ConsoleKey, ConsoleMoment, KeyAction, MomentName, Scene, body_of, giving
from punto.table.procedure.squeeze import squeeze_keys, squeeze_lines
from punto.table.records.commands import AdviseMinimum, CloseBetting, ConfirmBets, PlaceBet, RejectExcess
from punto.table.records.corrections import CancelRound, ReopenBetting
from punto.table.records.events import Limit
from punto.table.records.positions import Position
from punto.table.records.state import BetKey


def betting(scene: Scene) -> ConsoleMoment:
    settings, table = scene.settings, scene.table
    exposed = card_exposed(table)
    why = shoe_warnings(scene)
    if scene.round.last:
        why.append(phrase("console.why.last_of_shoe"))
    if scene.round.bets:
        why.append(_totals(scene))
    if assumed := sum(placed.assumed for placed in scene.round.bets.values()):
        why.append(phrase("console.why.assumed", bets=assumed))
    if exposed:
        why.append(phrase("call.card_exposed"))
    why += squeeze_lines(scene)
    return ConsoleMoment(
        name=MomentName.BETTING,
        now=phrase("console.now.betting"),
        why=tuple(why),
        say=phrase("console.say.last_round") if scene.round.last else phrase("console.say.place_bets"),
        clauses=scene.clauses(
            Topic.BETTING_CLOSED, *((Topic.EXCESS_OPTIONS,) if exposed else ()), *_limit_topics(scene)
        ),
        space=ConsoleKey("Space", phrase("console.key.close_betting"), giving(scene, CloseBetting)),
        keys=(*(() if settings.cards_only else _bet_keys(scene)), *squeeze_keys(scene), *_cancel_key(scene)),
    )


def _totals(scene: Scene) -> Phrase:
    """What lies on each side, over all boxes."""
    bets = scene.round.bets.values()
    sides = {side: sum(placed.stake_minor for placed in bets if placed.bet == side) for side in MAIN_BETS}
    other = sum(placed.stake_minor for placed in bets) - sum(sides.values())
    amounts = {**{side: Money(minor) for side, minor in sides.items()}, "other": Money(other)}
    return phrase("console.why.totals", **amounts)


def _limit_topics(scene: Scene) -> tuple[Topic, ...]:
    if scene.settings.cards_only:
        return ()
    return (Topic.LIMITS, Topic.DIFFERENTIAL, Topic.BELOW_MINIMUM)


def _bet_keys(scene: Scene) -> Iterator[ConsoleKey]:
    if repeated := tuple(repeated_bets(scene)):
        yield ConsoleKey("R", phrase("console.key.same_bets", bets=len(repeated)), KeyAction(give=repeated))
    yield ConsoleKey("1", phrase("console.key.bet"), KeyAction(enter="bet"))
    if any(placed.assumed for placed in scene.round.bets.values()):
        yield ConsoleKey("C", phrase("console.key.confirm_bets"), giving(scene, ConfirmBets))
    if low := tuple(body_of(AdviseMinimum, who=who, box=box, bet=bet) for who, box, bet in below_minimum(scene)):
        yield ConsoleKey("M", phrase("console.key.advise_minimum"), KeyAction(give=low))
    if over := tuple(_excess(scene)):
        yield ConsoleKey("X", phrase("console.key.reject_excess"), KeyAction(give=over))


def repeated_bets(scene: Scene) -> Iterator[dict[str, Any]]:
    """The bets of the round before that do not lie there yet, as bets that nobody has confirmed."""
    if not scene.settings.felt or scene.round.bets:
        return
    for last in scene.last_bets:
        fields = {**asdict(last), "assumed": True}
        if scene.accepts(PlaceBet, **fields):
            yield body_of(PlaceBet, **fields)


def below_minimum(scene: Scene) -> Iterator[BetKey]:
    for box in range(1, scene.settings.boxes + 1):
        for bet, limit, who in exceeded_limits(scene.book, scene.settings, scene.round.bets, box):
            if limit is Limit.MINIMUM and who is not None:
                yield who, box, bet


def _excess(scene: Scene) -> Iterator[dict[str, Any]]:
    """The commands that reject all excess. One may do away with the excess of another, which is then left out."""
    table = scene.table
    for box in range(1, scene.settings.boxes + 1):
        for bet, limit, _ in exceeded_limits(scene.book, scene.settings, scene.round.bets, box):
            if limit is Limit.MINIMUM:
                continue
            fields = {"box": box, "bet": bet} if limit is Limit.MAXIMUM else {"box": box}
            decision = decide(scene.book, table, RejectExcess("console", Position.DEALER, **fields))
            if not isinstance(decision, Refusal):
                table = reduce(evolve, decision, table)
                yield body_of(RejectExcess, **fields)


def _cancel_key(scene: Scene) -> tuple[ConsoleKey, ...]:
    if not scene.may(CancelRound):
        return ()
    return (ConsoleKey("Y", phrase("console.key.cancel_round"), giving(scene, CancelRound)),)


def closed_keys(scene: Scene) -> tuple[ConsoleKey, ...]:
    """The keys from the close on: bets that lay there, late bets, reopening, the cut card."""
    keys: list[ConsoleKey] = []
    if scene.settings.felt and not scene.settings.cards_only:
        keys.append(ConsoleKey("E", phrase("console.key.lay_there"), KeyAction(enter="correct_bet")))
    if not scene.settings.cards_only and not scene.sealed:
        keys.append(ConsoleKey("L", phrase("console.key.late_bet"), KeyAction(enter="late_bet")))
    return (*keys, *_reopen_key(scene), *squeeze_keys(scene), *_cancel_key(scene), *cut_card_keys(scene))


def _reopen_key(scene: Scene) -> tuple[ConsoleKey, ...]:
    """Reopening is the dealer's while no bet was corrected since the close, then a supervisor's."""
    lowest = Position.PIT_SUPERVISOR if scene.round.bets_corrected else Position.DEALER
    if not scene.may(ReopenBetting):
        return ()
    action = giving(scene, ReopenBetting)
    if scene.round.bets_corrected and scene.position is Position.DEALER:
        action = replace(action, needs=lowest)
    return (ConsoleKey("U", phrase("console.key.reopen"), action),)

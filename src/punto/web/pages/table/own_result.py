"""How a player's bets ended: of this round once it is known, else of the last round in which they had any."""

from msgspec import Struct

from punto.floor.journal.actor import Actor
from punto.floor.journal.round_record import RoundRecord, WentBack
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable
from punto.rules.coup.coup import Coup
from punto.table.decision import coup_of
from punto.web.messages import Me, TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.results import ShownAdjustment, ShownResult, gain_of, show_adjustments, show_results
from punto.web.views.table_view import adjusted_view, settled_view
from punto.web.views.visibility import Sight


class OwnResult(Struct, frozen=True, kw_only=True):
    round: int
    opening: int
    fresh: bool
    """Of the round that the table shows."""
    outcomes: tuple[ShownResult, ...]
    adjustments: tuple[ShownAdjustment, ...]
    gain_minor: int
    """In total."""


def own_result(
    live: LiveTable, view: TableView, by: Actor, own: Me, before: RoundRecord | None, t: Translator
) -> OwnResult | None:
    """``before`` is the player's last round before this one. None if they had no bet."""
    now = view.round
    if now is None:
        return None
    mine = [result for result in now.results if result.who == by.name]
    if mine or own.adjustments:
        moved = show_adjustments(own.adjustments)
        outcomes = show_results(live.rules, coup_of(live.rules, live.state), mine, t)
        gain_minor = gain_of(mine, moved)
        return OwnResult(
            round=now.number,
            opening=view.opening,
            fresh=True,
            outcomes=outcomes,
            adjustments=moved,
            gain_minor=gain_minor,
        )
    return None if before is None else _of_last_round(live, by, before, t)


def _of_last_round(live: LiveTable, by: Actor, before: RoundRecord, t: Translator) -> OwnResult | None:
    """A visitor of the same name may have left since: see :func:`without_former`."""
    if not before.over or before.ended_us < by.since_us:
        return None
    came_later = by.since_us > before.opened_us
    bets = [
        settled_view(bet, Sight.PLAYER, named=True)
        for bet in before.bets
        if bet.who == by.name and not (came_later and bet.went_back not in (None, WentBack.VOID))
    ]
    moved = show_adjustments(
        adjusted_view(each, Sight.PLAYER)
        for each in before.adjustments
        if each.who == by.name and each.at_us >= by.since_us
    )
    if not bets and not moved:
        return None
    outcomes = show_results(live.rules, Coup.of(live.rules.space, before.cards), bets, t)
    gain_minor = gain_of(bets, moved)
    return OwnResult(
        round=before.number,
        opening=StreamName.parse(before.stream).opening,
        fresh=False,
        outcomes=outcomes,
        adjustments=moved,
        gain_minor=gain_minor,
    )

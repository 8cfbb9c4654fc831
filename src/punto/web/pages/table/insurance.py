"""The insurance that a player is offered, and how much they may take."""

from msgspec import Struct

from punto.catalogue.values import Odds
from punto.floor.running.live_table import LiveTable
from punto.odds.figures import StakeFigures
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.topics import Topic
from punto.table.law import LawScope, scope_of
from punto.table.play.insuring import insurance_bounds, visible_coup
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.insurance import Worth, show_worth


class Offer(Struct, frozen=True):
    """Insurance that this player may take in this box."""

    key: str
    """Identifies the offer: round, stage and box."""
    side: str
    odds: str
    player: int
    banker: int
    original_minor: int
    most_minor: int
    taken_minor: int
    late: bool
    tie_pays: bool
    clauses: tuple[Clause, ...]
    cap: tuple[Clause, ...]
    worth: Worth | None


def offer_to(live: LiveTable, who: str, box: int, worth: StakeFigures | None, t: Translator) -> Offer | None:
    """The open offer for one player in one box; None if they cannot take it."""
    state, rules = live.state, live.rules
    now = state.round
    if now is None or not now.insurance.offer_stands or scope_of(rules, state) is LawScope.RULINGS:
        return None
    bounds = insurance_bounds(rules, state, who, box)
    if isinstance(bounds, Refusal):
        return None
    line, room = bounds
    coup = visible_coup(rules, state)
    assert coup is not None  # noqa: S101 - an open offer has a coup
    taken = [each for each in now.insurance.cover if (each.who, each.box, each.stage) == (who, box, line.stage)]
    player, banker = coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points
    return Offer(
        key=f"{now.number}-{line.stage}-{box}",
        side=line.side.value,
        odds=t.write(Odds(line.odds_text)),
        player=player or 0,
        banker=banker or 0,
        original_minor=now.bets[who, box, line.side].stake_minor,
        most_minor=max(0, min(room, state.chips_minor(who))),
        taken_minor=sum(each.stake_minor for each in taken),
        late=now.insurance.offer_late,
        tie_pays=line.tie_pays,
        clauses=(line.clause,),
        cap=rules.topics[Topic.INSURANCE_CAP],
        worth=show_worth(worth) if worth else None,
    )

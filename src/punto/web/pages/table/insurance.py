"""The insurance that a player is offered, and how much they may take."""

from msgspec import Struct

from punto.catalogue.values import Odds
from punto.floor.running.live_table import LiveTable
from punto.odds.figures import StakeFigures
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import POINTS, Side, To
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.law import LawScope, scope_of
from punto.table.play.insurance_stakes import insurance_bounds
from punto.table.play.insuring import players_passing, visible_coup
from punto.table.records.state import Round
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
    answered: bool
    """The player has taken it, or passed."""
    late: bool
    tie_pays: bool
    clauses: tuple[Clause, ...]
    cap: tuple[Clause, ...]
    worth: Worth | None
    forgone: tuple[Clause, ...]
    """The clauses by which a player who passes takes no more insurance in this round; empty if passing ends nothing."""


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
        answered=bool(taken) or (who, box) in now.insurance.passed,
        late=now.insurance.offer_late,
        tie_pays=line.tie_pays,
        clauses=(line.clause,),
        cap=rules.topics[Topic.INSURANCE_CAP],
        worth=show_worth(worth) if worth else None,
        forgone=rules.topics[Topic.INSURANCE_FORGONE]
        if room > 0 and who in players_passing(rules, state) and _another_offer_may_follow(rules, now, coup, who)
        else (),
    )


def _another_offer_may_follow(rules: Rulebook, now: Round, coup: Coup, who: str) -> bool:
    """Whether insurance may still be offered on a side that the player has bet on."""
    if now.insurance.waived or len(coup.cards) != Stage.FOUR.cards:
        return False
    bets = {placed.bet for placed in now.bets.values() if placed.who == who}
    return any(later.side in bets for later in _third_card_lines(rules, coup))


def _third_card_lines(rules: Rulebook, coup: Coup) -> list[InsuranceLine]:
    """The insurance that may be offered after Player's third card, from a coup of four cards."""
    player, banker, _, _ = coup.partial
    if rules.insurance is None or coup.fifth.to is not To.PLAYER:
        return []
    thirds = [third for third in POINTS if rules.table_of_play.sixth(banker, third).to is To.BANKER]
    lines = [rules.insurance.line(Stage.THIRD, (player + third) % 10, banker) for third in thirds]
    return [line for line in lines if line is not None]

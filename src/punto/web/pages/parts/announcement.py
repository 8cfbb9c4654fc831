"""What the dealer says: how the round stands, in a few words, and how long something can still be done."""

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.parts.reasons import say_ground
from punto.web.pages.parts.words import say_outcome


class Countdown(Struct, frozen=True):
    """Until when something can be done, and how long that was from the start."""

    until_ms: int
    of_s: float


class Announcement(Struct, frozen=True):
    """What the dealer says."""

    words: str
    score: str = ""
    outcome: str = ""
    """player, banker or tie, once there is one."""
    countdown: Countdown | None = None
    clauses: tuple[Clause, ...] = ()
    ground: str = ""
    """Why the round is void."""
    note: str = ""
    """What was noted of that; empty for all but the staff."""


def call_of(live: LiveTable, view: TableView, t: Tongue) -> Announcement:
    """The state of things in a few words."""
    now, topics = view.round, live.rules.topics
    countdown = _countdown(live, view)
    if view.phase is Phase.CLOSED:
        return Announcement(t("The table is closed"))
    if now is not None and now.voided is not None:
        words, ground = t("The round is void; every bet goes back"), say_ground(now.voided, t)
        return Announcement(words, ground=ground, note=now.voided.reason or "", clauses=now.voided.clauses)
    if now is not None and now.winner is not None:
        topic = Topic.TIE if now.winner is Winner.TIE else Topic.WINNER
        score = t("{player} to {banker}", player=now.player.points, banker=now.banker.points)
        return Announcement(say_outcome(now.winner, t), score, now.winner.value, clauses=topics[topic])
    if view.phase is Phase.READY:
        words = "A new shoe is being shuffled" if _shoe_over(view) else "The next round begins soon"
        return Announcement(t(words))
    if view.phase is Phase.BETTING:
        last = now is not None and now.last
        return Announcement(
            t("Last round of this shoe: place your bets") if last else t("Place your bets, please"), countdown=countdown
        )
    if now is not None and (now.raised or now.order_lost):
        return Announcement(t("The pit is looking into this"))
    if now is not None and now.options is not None:
        return Announcement(t("Players choose: go on, or take the bets back"), countdown=countdown)
    if now is not None and now.offer is not None:
        return Announcement(t("Insurance is open"), countdown=countdown)
    return Announcement(_drawing(live.rules, live.state, t))


def _shoe_over(view: TableView) -> bool:
    return view.shoe is None or view.shoe.left == 0


def _drawing(rules: Rulebook, state: Table, t: Tongue) -> str:
    coup = coup_of(rules, state)
    if not coup.cards:
        return t("No more bets")
    if None in coup.cards:
        return t("The cards are turned")
    to = coup.next.to
    if len(coup.cards) >= 4 and to is To.PLAYER:
        return t("Player draws a third card")
    if len(coup.cards) >= 4 and to is To.BANKER:
        return t("Banker draws a third card")
    return t("The cards are dealt") if len(coup.cards) < 4 else t("All bets are settled next")


def _countdown(live: LiveTable, view: TableView) -> Countdown | None:
    if view.due is None or view.due.automation not in (
        Automation.CLOSE_BETTING,
        Automation.CLOSE_INSURANCE,
        Automation.CALL_TIME,
    ):
        return None
    return Countdown(view.due.at_us // 1_000, live.setup.pace.before_s(view.due.automation))

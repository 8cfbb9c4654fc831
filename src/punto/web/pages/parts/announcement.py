"""The dealer's announcement: the state of the round in a few words, and a countdown."""

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.reports.ruling_mark import ground_phrase
from punto.floor.running.live_table import LiveTable
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.bet_bounds import card_exposed
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator


class Countdown(Struct, frozen=True):
    """When the time ends, and how long it was in total."""

    until_ms: int
    of_s: float


class Announcement(Struct, frozen=True):
    words: str
    score: str = ""
    with_score: str = ""
    """Words and score in one line; empty while there is no outcome."""
    outcome: str = ""
    """player, banker or tie; empty while there is no outcome."""
    countdown: Countdown | None = None
    clauses: tuple[Clause, ...] = ()
    ground: str = ""
    """Why the round is void."""
    note: str = ""
    """The note about it; empty unless the viewer is staff."""
    after_card: bool = False
    """Whether the last card has led to it. A page says it once that card lies."""
    halted: str = ""
    """That gaming is stopped, if the words do not say so; empty if it is not."""


def call_of(live: LiveTable, view: TableView, t: Translator) -> Announcement:
    call, halted = _call_of(live, view, t), t("call.gaming_stopped")
    return replace(call, halted=halted) if view.gaming_stopped and call.words != halted else call


def _call_of(live: LiveTable, view: TableView, t: Translator) -> Announcement:
    now, topics = view.round, live.rules.topics
    countdown = _countdown(live, view)
    if view.phase is Phase.CLOSED:
        return Announcement(t("call.closed"))
    if view.stopped:
        return Announcement(t("call.stopped"))
    if now is not None and now.voided is not None:
        words, ground = t("call.void"), t.write(ground_phrase(now.voided.ground, now.voided.clauses))
        return Announcement(words, ground=ground, note=now.voided.reason or "", clauses=now.voided.clauses)
    if now is not None and now.winner is not None:
        topic = Topic.TIE if now.winner is Winner.TIE else Topic.WINNER
        winner, (losing, winning) = now.winner.value, sorted((now.player.points or 0, now.banker.points or 0))
        score = t("call.score", winning=winning, losing=losing)
        with_score = t("call.result", outcome=winner, winning=winning, losing=losing)
        return Announcement(t(f"outcome.{winner}"), score, with_score, winner, clauses=topics[topic])
    if view.phase is Phase.READY:
        return Announcement(_between_rounds(view, t))
    if view.phase is Phase.BETTING:
        if card_exposed(live.state):
            return Announcement(t("call.card_exposed"), countdown=countdown, clauses=topics[Topic.EXCESS_OPTIONS])
        return Announcement(_for_bets(view, t), countdown=countdown)
    if view.waits_for_dealer:
        return Announcement(t("call.waits_for_dealer"))
    if now is not None and now.options is not None and not now.raised:
        return Announcement(t("call.options"), countdown=countdown)
    if now is not None and (now.raised or now.order_lost):
        return Announcement(t("call.under_review"))
    if now is not None and now.offer is not None:
        return Announcement(t("call.insurance_closed" if now.offer.closed else "call.insurance"), countdown=countdown)
    if view.due is not None and view.due.automation is Automation.SQUEEZE:
        return Announcement(t("call.squeezing"), countdown=countdown, clauses=topics[Topic.SQUEEZE])
    return _drawing(live.rules, live.state, t)


def _between_rounds(view: TableView, t: Translator) -> str:
    if view.gaming_stopped:
        return t("call.gaming_stopped")
    return t("call.shuffling" if _shoe_over(view) else "call.soon")


def _for_bets(view: TableView, t: Translator) -> str:
    if view.gaming_stopped and view.settings is not None and not view.settings.felt:
        return t("call.no_more_bets")
    return t("call.last_round") if view.round is not None and view.round.last else t("call.place_bets")


def _shoe_over(view: TableView) -> bool:
    return view.shoe is None or view.shoe.left == 0


def _drawing(rules: Rulebook, state: Table, t: Translator) -> Announcement:
    coup = coup_of(rules, state)
    if not coup.cards:
        return Announcement(t("call.no_more_bets"))
    if None in coup.cards:
        return Announcement(t("call.turning"))
    if len(coup.cards) < 4:
        return Announcement(t("call.dealing"))
    to = coup.next.to
    words = t("call.player_draws" if to is To.PLAYER else "call.banker_draws" if to is To.BANKER else "call.settling")
    return Announcement(words, after_card=True)


def _countdown(live: LiveTable, view: TableView) -> Countdown | None:
    if view.due is None or view.due.automation not in (
        Automation.CLOSE_BETTING,
        Automation.CLOSE_INSURANCE,
        Automation.SQUEEZE,
        Automation.CALL_TIME,
    ):
        return None
    return Countdown(view.due.at_us // 1_000, live.setup.pace.before_s(view.due.automation))

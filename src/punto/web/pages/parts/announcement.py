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
from punto.table.records.state import Phase
from punto.table.situation import FIRST_CARDS, LastRound, SituationKind
from punto.web.messages import RoundView, TableView, Voided
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
    if view.stopped and view.situation is not SituationKind.CLOSED:
        return Announcement(t("call.stopped"))
    if view.last_round is LastRound.VOID and view.round is not None and view.round.voided is not None:
        return _void(view.round.voided, t)
    if view.last_round is LastRound.SETTLED and view.round is not None:
        return _result(live.rules, view.round, t)
    key = _call(live, view)
    clauses = live.rules.topics[_TOPICS[key]] if key in _TOPICS else ()
    return Announcement(t(f"call.{key}"), countdown=_countdown(live, view), clauses=clauses, after_card=key in _DRAWS)


def _void(voided: Voided, t: Translator) -> Announcement:
    ground = t.write(ground_phrase(voided.ground, voided.clauses))
    return Announcement(t("call.void"), ground=ground, note=voided.reason or "", clauses=voided.clauses)


def _result(rules: Rulebook, now: RoundView, t: Translator) -> Announcement:
    assert now.winner is not None  # noqa: S101 - it is settled
    topic = Topic.TIE if now.winner is Winner.TIE else Topic.WINNER
    winner, (losing, winning) = now.winner.value, sorted((now.player.points or 0, now.banker.points or 0))
    score = t("call.score", winning=winning, losing=losing)
    with_score = t("call.result", outcome=winner, winning=winning, losing=losing)
    return Announcement(t(f"outcome.{winner}"), score, with_score, winner, clauses=rules.topics[topic])


CALLS = {
    SituationKind.CLOSED: "closed",
    SituationKind.OTHER_LAW: "under_review",
    SituationKind.NO_SHOE: "shuffling",
    SituationKind.SHOE_OVER: "shuffling",
    SituationKind.RAISED: "under_review",
    SituationKind.CHOOSING: "options",
    SituationKind.ORDER_LOST: "under_review",
    SituationKind.RESTARTED: "waits_for_dealer",
    SituationKind.TURNING: "turning",
    SituationKind.SQUEEZING: "squeezing",
    SituationKind.CLAIMED: "settling",
    SituationKind.FINISHED: "settling",
}
"""What the dealer says. Where a situation is not here, it also depends on what lies there."""
_TOPICS = {"squeezing": Topic.SQUEEZE, "card_exposed": Topic.EXCESS_OPTIONS}
_DRAWS = frozenset({"player_draws", "banker_draws", "settling"})
"""The last card has led to these."""


def _call(live: LiveTable, view: TableView) -> str:
    """The key of what the dealer says."""
    now = view.round
    match view.situation:
        case SituationKind.READY | SituationKind.BURNING if view.phase is Phase.READY:
            return "gaming_stopped" if view.gaming_stopped else "soon"
        case SituationKind.BETTING:
            return "card_exposed" if card_exposed(live.state) else _for_bets(view)
        case SituationKind.INSURANCE:
            return "insurance_closed" if now is not None and now.offer is not None and now.offer.closed else "insurance"
        case kind if kind in CALLS:
            return CALLS[kind]
    return _drawing(live)


def _for_bets(view: TableView) -> str:
    if view.gaming_stopped and view.settings is not None and not view.settings.felt:
        return "no_more_bets"
    return "last_round" if view.round is not None and view.round.last else "place_bets"


def _drawing(live: LiveTable) -> str:
    coup = coup_of(live.rules, live.state)
    if len(coup.cards) < FIRST_CARDS:
        return "dealing" if coup.cards else "no_more_bets"
    return {To.PLAYER: "player_draws", To.BANKER: "banker_draws"}.get(coup.next.to, "settling")


def _countdown(live: LiveTable, view: TableView) -> Countdown | None:
    if view.due is None or view.due.automation not in (
        Automation.CLOSE_BETTING,
        Automation.CLOSE_INSURANCE,
        Automation.SQUEEZE,
        Automation.CALL_TIME,
    ):
        return None
    return Countdown(view.due.at_us // 1_000, live.setup.pace.before_s(view.due.automation))

"""The dealer's announcement: the state of the round in a few words, and a countdown."""

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.running.live_table import LiveTable
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.bet_bounds import card_exposed
from punto.table.procedure.ruling_mark import ground_phrase
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
    call = _call(live, view)
    clauses = live.rules.topics[_TOPICS[call.key]] if call.key in _TOPICS else ()
    after_card = call.key in _DRAWS
    return Announcement(t.write(call), countdown=_countdown(live, view), clauses=clauses, after_card=after_card)


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
    SituationKind.CLOSED: phrase("call.closed"),
    SituationKind.OTHER_LAW: phrase("call.under_review"),
    SituationKind.NO_SHOE: phrase("call.shuffling"),
    SituationKind.SHOE_OVER: phrase("call.shuffling"),
    SituationKind.RAISED: phrase("call.under_review"),
    SituationKind.CHOOSING: phrase("call.options"),
    SituationKind.ORDER_LOST: phrase("call.under_review"),
    SituationKind.RESTARTED: phrase("call.waits_for_dealer"),
    SituationKind.TURNING: phrase("call.turning"),
    SituationKind.SQUEEZING: phrase("call.squeezing"),
    SituationKind.CLAIMED: phrase("call.settling"),
    SituationKind.FINISHED: phrase("call.settling"),
}
"""What the dealer says. Where a situation is not here, it also depends on what lies there."""
_TOPICS = {"call.squeezing": Topic.SQUEEZE, "call.card_exposed": Topic.EXCESS_OPTIONS}
_DRAWS = frozenset({"call.player_draws", "call.banker_draws", "call.settling"})
"""The last card has led to these."""


def _call(live: LiveTable, view: TableView) -> Phrase:
    """What the dealer says."""
    now = view.round
    match view.situation:
        case SituationKind.READY | SituationKind.BURNING if view.phase is Phase.READY:
            return phrase("call.gaming_stopped") if view.gaming_stopped else phrase("call.soon")
        case SituationKind.BETTING:
            return phrase("call.card_exposed") if card_exposed(live.state) else _for_bets(view)
        case SituationKind.INSURANCE:
            closed = now is not None and now.offer is not None and now.offer.closed
            return phrase("call.insurance_closed") if closed else phrase("call.insurance")
        case kind if kind in CALLS:
            return CALLS[kind]
    return _drawing(live)


def _for_bets(view: TableView) -> Phrase:
    if view.gaming_stopped and view.settings is not None and not view.settings.felt:
        return phrase("call.no_more_bets")
    return phrase("call.last_round") if view.round is not None and view.round.last else phrase("call.place_bets")


def _drawing(live: LiveTable) -> Phrase:
    coup = coup_of(live.rules, live.state)
    if len(coup.cards) < FIRST_CARDS:
        return phrase("call.dealing") if coup.cards else phrase("call.no_more_bets")
    draws = {To.PLAYER: phrase("call.player_draws"), To.BANKER: phrase("call.banker_draws")}
    return draws.get(coup.next.to, phrase("call.settling"))


def _countdown(live: LiveTable, view: TableView) -> Countdown | None:
    if view.due is None or view.due.automation not in (
        Automation.CLOSE_BETTING,
        Automation.CLOSE_INSURANCE,
        Automation.SQUEEZE,
        Automation.CALL_TIME,
    ):
        return None
    return Countdown(view.due.at_us // 1_000, live.setup.pace.before_s(view.due.automation))

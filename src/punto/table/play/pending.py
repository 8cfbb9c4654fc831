"""What has to be seen to before a round goes on."""

from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.kinds import TOPICS
from punto.table.records.state import Round, Table
from punto.table.refusals import Refusal, TableCode, refuse


def pending(book: Rulebook, table: Table) -> Refusal | None:
    """Why nothing goes on: something is raised, an order is to be ruled, or players are choosing."""
    now = table.round
    if now is None or now.over:
        return None
    irregularities = now.irregularities
    if irregularities.raised is not None:
        kind = irregularities.raised.kind
        detail = f"{kind.replace('_', ' ')}: {irregularities.raised.report}, or dismiss_irregularity with the reason"
        return refuse(book, TableCode.IRREGULARITY_OPEN, detail, TOPICS[kind])
    if irregularities.options is not None:
        detail = f"{', '.join(irregularities.options.asked)} may still choose: choose_option, or call_time"
        return refuse(book, TableCode.IRREGULARITY_OPEN, detail, Topic.OPTIONS)
    if irregularities.order_lost:
        places = ", ".join(map(str, irregularities.order_lost))
        detail = f"the order of the cards at {places} is lost: rule_card_order"
        if now.cards:
            detail += ", or report_wrong_number if none is lawful"
        return refuse(book, TableCode.IRREGULARITY_OPEN, detail, order_topic(now))
    return None


def order_topic(now: Round) -> Topic:
    """What an order is ruled by: cards drawn at once, or a hand that goes on though nobody can reconstruct it."""
    return Topic.SIMULTANEOUS_CARDS if now.irregularities.lost_at_once else Topic.OPTION_HAND

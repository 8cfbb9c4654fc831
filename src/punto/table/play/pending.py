"""What has to be resolved before a round continues."""

from collections.abc import Iterable

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.kinds import TOPICS
from punto.table.records.state import Round, Table
from punto.table.refusals import TableCode, refuse


def check_nothing_pending(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse while an irregularity is open, an order has to be ruled, or players are choosing."""
    now = table.round
    if now is None or now.over:
        return None
    irregularities = now.irregularities
    if irregularities.raised is not None:
        kind = irregularities.raised.kind
        return refuse(
            book,
            TableCode.IRREGULARITY_OPEN,
            TOPICS[kind],
            variant="raised",
            kind=kind,
            report=irregularities.raised.report,
        )
    if irregularities.options is not None:
        return refuse(
            book,
            TableCode.IRREGULARITY_OPEN,
            Topic.OPTIONS,
            variant="options_by_hand" if irregularities.options.by_hand else "options",
            people=irregularities.options.waiting_for,
        )
    if irregularities.order_lost:
        return refuse(
            book,
            TableCode.IRREGULARITY_OPEN,
            order_topic(now),
            variant="order_or_number" if now.cards else "order",
            places=write_places(irregularities.order_lost),
        )
    return None


def write_places(places: Iterable[int]) -> tuple[Phrase, ...]:
    return tuple(phrase("phrase.place", place=place) for place in places)


def order_topic(now: Round) -> Topic:
    """The topic for ruling a lost order: of cards drawn at the same time, or of a hand that cannot be reconstructed."""
    return Topic.SIMULTANEOUS_CARDS if now.irregularities.order_lost_simultaneous else Topic.OPTION_HAND

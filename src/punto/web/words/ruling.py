"""A ruling of the referee in words: for the page, the command line and the API alike."""

from collections.abc import Iterator

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import tag_name
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.consequences import consequences
from punto.table.moves.waiting import waits_for
from punto.table.preview import shown
from punto.table.records import findings
from punto.table.records.commands import DealCard, TurnCard
from punto.table.records.events import Event, InsuranceMissed, cited_by
from punto.table.referee.laying import LaidRound, LaidStep, lay
from punto.table.referee.link import MAX_LINK_LENGTH, write_link
from punto.table.referee.outcomes import PossibleEnd, outcomes
from punto.table.referee.question import RefereeQuestion, settings_of
from punto.web.messages.referee import RefereeEnd, RefereeOutcome, RefereeRuling, RefereeStep, RefusedStep
from punto.web.words.consequence_words import tell, write_cards
from punto.web.words.event_words import Writer
from punto.web.words.translator import Translator

REFEREE_PATH = "/referee"


def rule_on(book: Rulebook, question: RefereeQuestion, t: Translator) -> RefereeRuling:
    """The ruling on a question. Raises ``Refused`` where it is no question at all."""
    return tell_ruling(book, question, lay(book, question), t)


def tell_ruling(book: Rulebook, question: RefereeQuestion, laid: LaidRound, t: Translator) -> RefereeRuling:
    writer = Writer(t, {}, settings_of(book, question).box_labels)
    return RefereeRuling(
        book=book.id,
        steps=tuple(_steps(book, laid, writer)),
        refused=None if laid.refusal is None else _refused(laid.refused_at, laid.refusal, t),
        outcomes=tuple(_outcome(book, laid, each, writer) for each in outcomes(book, laid)),
        then=t(f"then.{waits_for(book, laid.table)}"),
        link=_link(question),
    )


def _link(question: RefereeQuestion) -> str:
    packed = write_link(question)
    return f"{REFEREE_PATH}?q={packed}" if len(packed) <= MAX_LINK_LENGTH else ""


def _refused(step: int, refusal: Refusal, t: Translator) -> RefusedStep:
    return RefusedStep(
        step=step, code=str(refusal.code), message=refusal.message_in(t.language), clauses=refusal.clauses
    )


# ---- the steps


def _steps(book: Rulebook, laid: LaidRound, writer: Writer) -> Iterator[RefereeStep]:
    for step in laid.steps:
        if step.at < 0:
            continue
        if isinstance(step.command, DealCard | TurnCard):
            if events := tuple(event for event in step.events if _is_news(event)):
                yield _cards_step(step, events, writer)
            continue
        yield _step(book, step, writer)


def _is_news(event: Event) -> bool:
    """Whether an event that follows from a card says more than that the card was drawn."""
    return type(event).__module__ == findings.__name__ or isinstance(event, InsuranceMissed)


def _cards_step(step: LaidStep, events: tuple[Event, ...], writer: Writer) -> RefereeStep:
    card = getattr(step.command, "card", None)
    return RefereeStep(
        step=step.at,
        title=write_cards((card,), writer.t),
        follows=writer.lines(shown(events)),
        clauses=cited_by(events),
    )


def _step(book: Rulebook, step: LaidStep, writer: Writer) -> RefereeStep:
    found = consequences(book, step.before, step.command)
    if isinstance(found, Refusal):  # a player's own command, or one that turns a card
        title = writer.t(f"command.{tag_name(type(step.command))}")
        return RefereeStep(
            step=step.at, title=title, follows=writer.lines(shown(step.events)), clauses=cited_by(step.events)
        )
    words = tell(found, step.command, writer.t, writer.names, writer.labels)
    return RefereeStep(
        step=step.at,
        title=words.title,
        follows=words.follows,
        clauses=found.clauses,
        positions=found.positions,
        words=words,
    )


# ---- how it ends


def _outcome(book: Rulebook, laid: LaidRound, end: PossibleEnd, writer: Writer) -> RefereeOutcome:
    return RefereeOutcome(
        orders=end.orders,
        words=writer.t.paragraph(_end_words(book, laid, end, writer.t)),
        over=end.over,
        ends=tuple(
            RefereeEnd(who=each.who, name=writer.person(each.who), change_minor=each.minor, back_minor=each.back_minor)
            for each in end.ends
        ),
    )


def _end_words(book: Rulebook, laid: LaidRound, end: PossibleEnd, t: Translator) -> Iterator[str]:
    now = end.table.round
    if now is None:
        return
    if end.orders:
        first, *others = end.orders
        drawn = [*laid.table.round.cards, *(carried.card for carried in laid.table.carried)] if laid.table.round else []
        cards = write_cards(tuple(drawn[place - 1] for place in first), t)
        yield (
            t("referee.if_drawn", cards=cards, others=len(others))
            if others
            else t("referee.if_drawn_only", cards=cards)
        )
    if now.irregularities.void is not None:
        yield t("referee.void")
        return
    if end.over:
        coup = Coup.of(book.space, now.cards)
        points = sorted(coup.hand(side).points or 0 for side in Side)
        yield t("referee.result", outcome=coup.winner, winning=points[1], losing=points[0])
        return
    yield t("referee.open", then=phrase(f"then.{waits_for(book, end.table)}"))

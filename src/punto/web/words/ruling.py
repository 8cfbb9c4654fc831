"""A ruling of the referee in words: for the page, the command line and the API alike."""

from collections.abc import Iterator

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import tag_name
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.consequences import consequences
from punto.table.decision import open_settings
from punto.table.preview import shown
from punto.table.records.commands import DealCard, TurnCard
from punto.table.records.events import Event, InsuranceMissed, cited_by
from punto.table.records.kinds import DECIDED
from punto.table.records.state import Table
from punto.table.referee.laying import LaidRound, LaidStep, lay
from punto.table.referee.link import MAX_LINK_LENGTH, write_link
from punto.table.referee.outcomes import PossibleEnd, outcomes
from punto.table.referee.question import RefereeQuestion, settings_of
from punto.table.situation import situation
from punto.web.messages.referee import RefereeEnd, RefereeOutcome, RefereeRuling, RefereeStep, RefusedStep
from punto.web.words.bet_notes import note, played_part
from punto.web.words.consequence_words import tell, write_cards
from punto.web.words.event_words import Writer
from punto.web.words.translator import Translator, translator

REFEREE_PATH = "/referee"


def rule_on(book: Rulebook, question: RefereeQuestion, t: Translator) -> RefereeRuling:
    """The ruling on a question. Raises ``Refused`` where it is no question at all."""
    return tell_ruling(book, question, lay(book, question), t)


def tell_ruling(book: Rulebook, question: RefereeQuestion, laid: LaidRound, t: Translator) -> RefereeRuling:
    t = translator(t.language, at_shuffler=laid.table.at_shuffler)
    writer = Writer(t, {}, settings_of(book, question).box_labels)
    return RefereeRuling(
        book=book.id,
        steps=tuple(_steps(book, laid, writer)),
        refused=None if laid.refusal is None else _refused(laid.refused_at, laid.refusal, t),
        outcomes=tuple(_outcome(book, laid, each, writer) for each in outcomes(book, laid)),
        then=t(f"then.{situation(book, laid.table).then}"),
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
            if events := tuple(event for event in step.events if _is_news(step.before, event)):
                yield _cards_step(step, events, writer)
            continue
        yield _step(book, step, writer)


def _is_news(before: Table, event: Event) -> bool:
    """Whether an event that follows from a card says more than that the card was drawn.

    Where no bets are laid, nobody asks about insurance.
    """
    missed = isinstance(event, InsuranceMissed) and not open_settings(before).cards_only
    return type(event).concern in DECIDED or missed


def _cards_step(step: LaidStep, events: tuple[Event, ...], writer: Writer) -> RefereeStep:
    card = getattr(step.command, "card", None)
    return RefereeStep(
        step=step.at,
        title=_title(step, writer.t) if card is None else write_cards((card,), writer.t),
        follows=writer.lines(shown(events)),
        clauses=cited_by(events),
    )


def _title(step: LaidStep, t: Translator) -> str:
    return t(f"command.{tag_name(type(step.command))}")


def _step(book: Rulebook, step: LaidStep, writer: Writer) -> RefereeStep:
    found = consequences(book, step.before, step.command)
    if isinstance(found, Refusal):  # a player's own command, or one that turns a card
        return RefereeStep(
            step=step.at,
            title=_title(step, writer.t),
            follows=writer.lines(shown(step.events)),
            clauses=cited_by(step.events),
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
        notes=tuple(_notes(book, end, writer)),
    )


def _notes(book: Rulebook, end: PossibleEnd, writer: Writer) -> Iterator[str]:
    """The bets that play only in part, and insurance that a tie pays."""
    now = end.table.round
    if now is None or now.irregularities.void is not None:
        return
    coup = Coup.of(book.space, now.cards)
    notes = [(each.who, each.box, each.bet, played_part(book, each)) for each in now.bets.values()]
    if now.results:
        winner = coup.end.winner if coup.end else None
        notes = [(each.who, each.box, each.bet, note(book, each, winner)) for each in now.results]
    for who, box, bet, words in notes:
        if words is not None:
            yield writer.t.write(phrase("referee.note", place=writer.place(who, box), bet=bet, words=words))


def _end_words(book: Rulebook, laid: LaidRound, end: PossibleEnd, t: Translator) -> Iterator[str]:
    now = end.table.round
    if now is None:
        return
    if end.orders:
        first, *others = end.orders
        drawn = [*laid.table.round.cards, *(carried.card for carried in laid.table.carried)] if laid.table.round else []
        cards = write_cards(tuple(drawn[place - 1] for place in first), t)
        if others:
            yield t("referee.if_drawn" if end.over else "referee.if_drawn_open", cards=cards, others=len(others))
        else:
            yield t("referee.if_drawn_only", cards=cards)
    if now.irregularities.void is not None:
        yield t("referee.void")
        return
    if end.over:
        coup = Coup.of(book.space, now.cards)
        points = sorted(coup.hand(side).points or 0 for side in Side)
        yield t("referee.result", outcome=coup.winner, winning=points[1], losing=points[0])
        return
    yield t("referee.open", then=phrase(f"then.{situation(book, end.table).then}"))

"""The steps of a round as its page shows them."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import asdict

from punto.catalogue.values import Odds, write_percent
from punto.floor.settings.gaming_day import GamingDay
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.records.identity import Place
from punto.table.records.settings import box_label
from punto.web.messages import OfferedTo, RoundReplay, RoundStepView, SteppedFelt, SteppedOffer, SteppedPosting
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.drawn_felt import DrawnFelt, draw_step
from punto.web.words.result_reasons import played, why


class ShownInsurance(Struct, frozen=True):
    """Insurance that a step offers, or that was due and was not offered."""

    words: str
    state: str
    """Empty unless it was late or missed."""
    clauses: tuple[Clause, ...]
    to: tuple[tuple[str, int, int], ...]
    """Whom and where, their bet, and the most they could insure it for."""


class StepResult(Struct, frozen=True):
    """The result of one bet."""

    who: str
    box: str
    """Its label."""
    bet: str
    stake_minor: int
    result: str
    returned_minor: int
    why: str
    played: str
    """Which part of the stake played; empty if all of it did."""


class ShownRoundStep(Struct, frozen=True, kw_only=True):
    version: int
    place: int
    """Counted from 1 among the steps that the viewer sees."""
    at: datetime
    happened: datetime | None
    title: str
    lines: tuple[str, ...]
    """What happened in words, without the title."""
    given: str
    terminal: str
    """In words; empty if it was given from none."""
    alone: bool
    incident: int
    reason: str
    """Empty if a line has it."""
    why: str
    """Why a card was drawn; empty if none was."""
    why_clauses: tuple[Clause, ...]
    offers: tuple[ShownInsurance, ...]
    results: tuple[StepResult, ...]
    chances: tuple[tuple[str, str], ...]
    """Of Player, Banker and Tie, as percentages; empty if there are none."""
    same_chances: bool
    """As at the step before."""
    moved: tuple[SteppedPosting, ...]
    clauses: tuple[tuple[Clause, str], ...]
    """Each with its summary."""
    look: str
    """In the list of steps: trouble, card, money or nothing."""
    said: str
    """In one paragraph."""
    felt: DrawnFelt | None
    """None if it is the same as at the step before."""
    same_cards: bool
    """As at the step before."""


def show_steps(
    rules: Rulebook, replay: RoundReplay, day: GamingDay, t: Translator, terminals: Mapping[str, str]
) -> list[ShownRoundStep]:
    """``terminals`` are their titles by id."""
    names = {stake.who: stake.name for step in replay.steps for stake in step.felt.stakes}
    summaries = {each.clause: each.summary for each in replay.clauses}
    steps, before = list[ShownRoundStep](), None
    for place, step in enumerate(replay.steps, 1):
        title, lines = _title(step, t)
        felt = None if step.felt == before else draw_step(rules, step.felt, replay.box_labels, t)
        steps.append(
            ShownRoundStep(
                version=step.version,
                place=place,
                at=day.local(step.at_us),
                happened=day.local(step.happened_at_us) if step.happened_at_us else None,
                title=title,
                lines=lines,
                given=_given(step, t),
                terminal=_terminal(step, terminals, t),
                alone=step.alone,
                incident=step.incident,
                reason="" if any(step.reason in line for line in step.lines) else step.reason,
                why=step.card.why if step.card else "",
                why_clauses=step.card.clauses if step.card else (),
                offers=tuple(_offer(offer, replay.box_labels, t) for offer in step.offers),
                results=tuple(_results(rules, step, names, replay.box_labels, t)),
                chances=_chances(step),
                same_chances=place > 1 and step.chances == replay.steps[place - 2].chances,
                moved=step.postings,
                clauses=tuple((clause, summaries.get(clause, "")) for clause in _clauses(step)),
                look=_look(step),
                said=" ".join(lines or (title,)),
                felt=felt,
                same_cards=before is not None and _cards(step.felt) == _cards(before),
            )
        )
        before = step.felt
    return steps


def _title(step: RoundStepView, t: Translator) -> tuple[str, tuple[str, ...]]:
    """The command, at its first event and for those who may know it; else the first line."""
    if step.command:
        return t(f"command.{step.command}"), step.lines
    return step.lines[0], step.lines[1:]


def _given(step: RoundStepView, t: Translator) -> str:
    if step.by is None:
        return t(f"position.{step.position}")
    if step.proposed_by:
        return t("round_page.approved", proposer=step.proposed_by, by=step.by, position=step.position)
    return t("incidents.given", by=step.by, position=step.position)


def _terminal(step: RoundStepView, terminals: Mapping[str, str], t: Translator) -> str:
    if step.terminal is None:
        return ""
    if step.terminal not in terminals:
        return t("incidents.at_terminal", terminal=step.terminal)
    return t("round_page.at_terminal", terminal=step.terminal, title=terminals[step.terminal])


def _offer(offer: SteppedOffer, labels: tuple[str, ...], t: Translator) -> ShownInsurance:
    side, odds = offer.side.value, Odds(offer.odds)
    if offer.player is None or offer.banker is None:
        words = t("event.insurance_offered", side=side, odds=odds)
    else:
        words = t("insurance.offer", player=offer.player, banker=offer.banker, side=side, odds=t.write(odds))
    state = t("round_page.missed") if offer.missed else t("round_page.late") if offer.late else ""
    to = tuple((_place(each, labels, t), each.stake_minor, each.most_minor) for each in offer.to or ())
    return ShownInsurance(words, state, offer.clauses, to)


def _place(offered: OfferedTo, labels: tuple[str, ...], t: Translator) -> str:
    """Somebody and their box, which is named once."""
    place = Place.find(offered.who)
    if place is not None and place.box == offered.box:
        return offered.name
    return t("event.at_box", who=offered.name, box=box_label(labels, offered.box))


def _clauses(step: RoundStepView) -> dict[Clause, None]:
    """Those of the step, then those by which its bets were settled."""
    return dict.fromkeys((*step.clauses, *(clause for each in step.results for clause in each.clauses)))


def _results(
    rules: Rulebook,
    step: RoundStepView,
    names: Mapping[str, str],
    labels: tuple[str, ...],
    t: Translator,
) -> Iterator[StepResult]:
    coup = _coup(rules, step.felt) if step.results else None
    for each in step.results:
        yield StepResult(
            names.get(each.who, each.who),
            box_label(labels, each.box),
            t(f"bet.{each.bet}"),
            each.stake_minor,
            t(f"result.{each.result}"),
            each.returned_minor,
            why(rules, coup, each, t),
            played(rules, each, t),
        )


def _coup(rules: Rulebook, felt: SteppedFelt) -> Coup | None:
    """The hands in the order drawn; None while a card lies face down, and without the law of the round."""
    if not felt.hands:
        return None
    player, banker = (hand.cards for hand in felt.hands)
    first = [card for pair in zip(player[:2], banker[:2], strict=False) for card in pair]
    cards = [*first, *player[2:], *banker[2:]]
    return None if None in cards else Coup.of(rules.space, tuple(Face(card) for card in cards if card))


def _chances(step: RoundStepView) -> tuple[tuple[str, str], ...]:
    if step.chances is None:
        return ()
    return tuple((side, write_percent(Fraction(chance))) for side, chance in asdict(step.chances).items())


def _look(step: RoundStepView) -> str:
    if step.incident or step.alone:
        return "trouble"
    return "card" if step.card else "money" if step.postings else ""


def _cards(felt: SteppedFelt) -> object:
    return felt.hands, felt.beside

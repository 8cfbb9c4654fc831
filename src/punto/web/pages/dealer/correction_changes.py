"""What a correction would change: the result and the money before and after it, and who has to approve it."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import MsgspecError, json

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.journal.entry import command_of
from punto.rules.refusals import Refusal, Refused
from punto.table.consequences import Finished, consequences, finish
from punto.table.decision import coup_of
from punto.table.preview import shown
from punto.table.procedure.scene import Scene
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import RoundSettled, SettledBet
from punto.table.records.findings import CardCorrected, SettlementReversed
from punto.table.records.state import Phase
from punto.web.http.errors import WebCode
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.base.templates import Context
from punto.web.pages.trouble.words import why_not_words
from punto.web.words.consequence_words import result_phrase
from punto.web.words.event_words import Writer, on_sheet

_SAID_BY_THE_RESULT = (CardCorrected, RoundSettled, SettlementReversed)


class CorrectionChanges(Context, frozen=True, kw_only=True):
    template = "dealer/changes.html"
    before: str
    after: str
    lines: tuple[str, ...]
    who: str
    alone: bool = True
    """Whether the person at the console may give it; otherwise it is proposed."""
    refused: str = ""
    """Why it cannot be; then nothing else is said."""


def changes_of(scene: Scene, text: str, view: TableView, t: Translator) -> CorrectionChanges:
    """``text`` is the command as the form has it."""
    command = _command(scene, text)
    writer = Writer(t, view.names, view.settings.box_labels if view.settings else ())
    found = consequences(scene.book, scene.table, command)
    if isinstance(found, Refusal):
        refused = why_not_words(found, writer)
        return CorrectionChanges(before="", after="", lines=(), who="", refused=refused)
    settled = next((event for event in found.events if isinstance(event, RoundSettled)), None)
    if settled is not None:
        money = tuple(_bets(scene.round.results, settled.results, writer))
        after: Finished | None = Finished(settled.winner, settled.player, settled.banker, ())
    else:
        after = found.finished
        money = tuple(_people(finish(scene.book, scene.table), after, writer))
    others = tuple(event for event in found.events if not isinstance(event, _SAID_BY_THE_RESULT))
    alone = scene.position in found.positions
    return CorrectionChanges(
        before=t("dialog.before", result=_result(_as_it_is(scene))),
        after=t("dialog.after", result=_result(after)),
        lines=(*writer.lines(shown(others)), *(money or (t("dialog.nobody_changes"),))),
        alone=alone,
        who=t("dialog.you_may") if alone else t("console.told.needs", position=found.positions[0]),
    )


def _command(scene: Scene, text: str) -> CorrectCard:
    try:
        fields: Mapping[str, Any] = json.decode(text, type=dict[str, Any])
        command = command_of({**fields, "by": scene.by, "position": scene.position})
    except MsgspecError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="body", reason=str(error)) from error
    if not isinstance(command, CorrectCard):
        raise Refused(WebCode.NOT_FOUND)
    return command


def _as_it_is(scene: Scene) -> Finished | None:
    """The result on record, or how the round ends with the cards on record."""
    if scene.table.phase is not Phase.READY:
        return finish(scene.book, scene.table)
    coup = coup_of(scene.book, scene.table)
    return None if coup.end is None else Finished(coup.winner, coup.end.player, coup.end.banker, ())


def _result(finished: Finished | None) -> Phrase:
    return phrase("dialog.more_cards") if finished is None else result_phrase(finished)


def _bets(before: tuple[SettledBet, ...], after: tuple[SettledBet, ...], writer: Writer) -> Iterator[str]:
    """The bets of which the sheet says something else."""
    t, was, will = writer.t, _moved(before), _moved(after)
    for key in dict.fromkeys((*was, *will)):
        who, box, bet, _ = key
        if was.get(key, 0) != will.get(key, 0):
            amounts = {"before": on_sheet(was.get(key, 0)), "after": on_sheet(will.get(key, 0))}
            yield t("dialog.bet_changes", place=writer.place(who, box), bet=bet, **amounts)


def _moved(results: tuple[SettledBet, ...]) -> dict[tuple[Any, ...], int]:
    return {(each.who, each.box, each.bet, each.stage): each.returned_minor - each.stake_minor for each in results}


def _people(before: Finished | None, after: Finished | None, writer: Writer) -> Iterator[str]:
    """The people who end with something else, where the round would end both before and after it."""
    if before is None or after is None:
        return
    t, was = writer.t, {each.who: each.back_minor for each in before.endings}
    for each in after.endings:
        if each.back_minor != was.get(each.who, 0):
            amounts = {"before": Money(was.get(each.who, 0)), "after": Money(each.back_minor)}
            yield t("dialog.person_changes", who=writer.person(each.who), **amounts)

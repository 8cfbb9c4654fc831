"""What would follow from a command, beside the button that gives it."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import COMMANDS_BY_TAG, command_of, without_version
from punto.rules.refusals import Clause, Refusal
from punto.table.consequences import Consequences, consequences
from punto.table.preview import check_preview
from punto.table.records.commands import Command
from punto.table.records.positions import Position
from punto.web.messages.previews import Told
from punto.web.pages.guide.moment import GuideAct, Guided, write_body
from punto.web.pages.trouble.words import why_not_words
from punto.web.words.consequence_words import tell


class ShownPreview(Struct, frozen=True):
    told: Told | None = None
    refused: str = ""
    """Why it cannot be, or why what follows cannot be shown."""
    clauses: tuple[Clause, ...] = ()
    who: tuple[Position, ...] = ()
    act: GuideAct | None = None
    """None if nobody may do it now."""


def preview_of(at: Guided, body: dict[str, Any]) -> ShownPreview:
    """``body`` is a command as a client sends it."""
    t, kind = at.t, COMMANDS_BY_TAG[body["command"]]
    if check_preview(at.book, at.table, kind, card_named="card" in body):  # nobody may see the card before
        positions, clauses = at.may(kind), at.book.topics[kind.topic] if kind.topic is not None else ()
        return ShownPreview(None, t("resolve.no_preview"), clauses, positions, _act(at, body, positions))
    command = _command(at, body)
    found = consequences(at.book, at.table, command)
    if isinstance(found, Refusal):
        return ShownPreview(None, why_not_words(found, at.writer), found.clauses)
    return ShownPreview(_tell(at, command, found), "", found.clauses, found.positions, _act(at, body, found.positions))


def ends_with(at: Guided, body: dict[str, Any]) -> tuple[str, ...]:
    """What the player whom a command names gets by it and ends with; empty if it would be refused."""
    command, who = _command(at, body), body["who"]
    found = consequences(at.book, at.table, command)
    if isinstance(found, Refusal):
        return ()
    finished, balances = found.finished, tuple(each for each in found.balances if each.who == who)
    if finished is not None:
        finished = replace(finished, endings=tuple(each for each in finished.endings if each.who == who))
    told = _tell(at, command, replace(found, finished=finished, balances=balances))
    return (*told.money, *told.endings, *told.balances)


def _command(at: Guided, body: dict[str, Any]) -> Command:
    return command_of({**body, "by": at.by.name, "position": at.by.position})


def _tell(at: Guided, command: Command, found: Consequences) -> Told:
    labels = at.view.settings.box_labels if at.view.settings else ()
    return tell(found, command, at.t, at.view.names, labels)


def _act(at: Guided, body: dict[str, Any], positions: tuple[Position, ...]) -> GuideAct:
    t = at.t
    needs = None if at.by.position in positions else positions[0]
    return GuideAct(
        key="Space",
        label=t("resolve.propose") if needs else t.write(phrase(f"command.{without_version(body['command'])}")),
        note=t("resolve.needs", position=needs) if needs else "",
        give=write_body(body),
        needs=needs,
    )

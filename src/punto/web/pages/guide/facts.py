"""What one sees, and what exactly happened: the tiles, and the questions of one of them."""

from collections.abc import Iterator

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import COMMANDS_BY_TAG, tag, without_version
from punto.rules.topics import Topic
from punto.table.procedure.trouble.bet_acts import claim_lines
from punto.table.procedure.trouble.facts import Missing, build
from punto.table.procedure.trouble.felt import SOME_REASON
from punto.table.procedure.trouble.tiles import TILES, TileName
from punto.table.records.commands import Command
from punto.table.records.kinds import Concern
from punto.table.records.reports import ReturnUninsuredBets
from punto.web.pages.base.templates import Context, render, rendered
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.moment import Guided, GuideMoment
from punto.web.pages.guide.previews import ShownPreview, ends_with, preview_of
from punto.web.pages.guide.story import Story
from punto.web.pages.trouble.words import (
    QuestionsPiece,
    ShownFact,
    ShownTile,
    TilesPiece,
    show_questions,
    show_tiles,
    words_of,
)
from punto.web.views.cursors import write_cursor

EVERYTHING = "tiles"
"""In place of a tile's name: all of them, also while the table waits for something else."""


class UninsuredBet(Struct, frozen=True):
    """A bet that could have been insured, and what its player ends with if it goes back."""

    bet: str
    lines: tuple[str, ...]


class FactsStep(Struct, frozen=True):
    tile: ShownTile
    since: str
    questions: Markup
    outcomes: tuple[UninsuredBet, ...]
    """Of all bets among which one is chosen, where insurance was not offered."""
    missing: tuple[str, ...]
    """The questions without an answer, in words."""
    preview: ShownPreview


def tile_in(address: Address) -> TileName | None:
    see = address.get("see")
    return TileName(see) if see in TileName.__members__.values() else None


def is_over(tile: TileName, story: Story) -> bool:
    """Whether what the tile reports has been decided."""
    kinds: set[type[Command]] = {kind for act in TILES[tile].acts for kind in act.kinds}
    if tile is TileName.ENTERED_WRONGLY:
        kinds |= {each for each in COMMANDS_BY_TAG.values() if each.concern is Concern.CORRECTION}
    return not story.kinds.isdisjoint(without_version(tag(kind)) for kind in kinds - {Command})


def tile_address(at: Guided, address: Address) -> str:
    """The address of a tile, up to its name. What is decided from now on is its story."""
    return f"{address.only(since=write_cursor(at.view.opening, at.view.version))}&see="


def tiles_html(at: Guided, address: Address) -> Markup:
    tiles = show_tiles(at.felt, at.writer)
    return _html(TilesPiece(book=at.view.book, tiles=tiles, address=tile_address(at, address)), at)


def wanted_tile(at: Guided) -> ShownTile | None:
    """The tile that the table waits for."""
    return next((each for each in show_tiles(at.felt, at.writer) if each.wanted and not each.why_not), None)


def _html(piece: Context, at: Guided) -> Markup:
    return rendered(render(piece, at.t.language))


def facts_step(at: Guided, tile: TileName, address: Address) -> FactsStep:
    facts, shown = address.facts, {each.name: each for each in show_tiles(at.felt, at.writer)}
    questions = show_questions(at.felt, tile, facts, at.writer)
    built = build(at.felt, tile, facts)
    labels = {each.name: each.label for each in questions}
    return FactsStep(
        tile=shown[tile],
        since=address.get("since"),
        questions=_html(QuestionsPiece(questions=questions, address=tile_address(at, address)), at),
        outcomes=tuple(_outcomes(at, tile, facts, questions)),
        missing=tuple(labels[name] for name in built.names if name in labels) if isinstance(built, Missing) else (),
        preview=ShownPreview(refused=shown[tile].why_not) if isinstance(built, Missing) else preview_of(at, built),
    )


def _outcomes(
    at: Guided, tile: TileName, facts: dict[str, str], questions: tuple[ShownFact, ...]
) -> Iterator[UninsuredBet]:
    """What each player ends with whose insurance was not offered and would have won."""
    asked = next((each for each in questions if each.name == "bet"), None)
    if tile is not TileName.UNINSURED or asked is None:
        return
    for pick in asked.picks:
        built = build(at.felt, tile, {"reason": SOME_REASON, **facts, "bet": pick.key})
        if not isinstance(built, Missing):
            yield UninsuredBet(pick.label, ends_with(at, built))


def tiles_moment(at: Guided) -> GuideMoment:
    t = at.t
    raised = at.felt.raised
    why = t("console.why.raised", kind=raised.kind) if raised is not None else t("resolve.why.tiles")
    return GuideMoment(now=phrase("resolve.now.tiles"), why=(why,), say=phrase("console.say.one_moment"))


def uninsured_moment(at: Guided, step: FactsStep) -> GuideMoment:
    """Nothing is settled before the pit manager has decided whose bets go back."""
    uninsured = at.book.topics[Topic.UNINSURED_BET]
    return GuideMoment(
        now=phrase("claim.now"),
        why=tuple(words_of(line, at.writer) for line in claim_lines(at.felt)),
        say=phrase("console.say.one_moment"),
        clauses=step.preview.clauses or uninsured,
        who=at.may(ReturnUninsuredBets),
    )


def facts_moment(step: FactsStep) -> GuideMoment:
    return GuideMoment(
        now=phrase("resolve.now.facts"),
        why=(step.tile.title,),
        say=phrase("console.say.one_moment"),
        clauses=step.preview.clauses or step.tile.clauses,
        who=step.preview.who,
    )

"""What one sees, and what exactly happened: the tiles, and the questions of one of them."""

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import tag, without_version
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.moment import Guided, GuideMoment
from punto.web.pages.guide.previews import Previewed, preview_of
from punto.web.pages.guide.story import Story
from punto.web.pages.trouble.facts import Missing, build
from punto.web.pages.trouble.tiles import TILES, TileName
from punto.web.pages.trouble.words import ShownQuestion, ShownTile, show_questions, show_tiles
from punto.web.views.cursors import write_cursor

EVERYTHING = "tiles"
"""In place of a tile's name: all of them, also while the table waits for something else."""


class LinkedTile(Struct, frozen=True):
    tile: ShownTile
    href: str
    """Empty if it is not possible now."""


class TilesStep(Struct, frozen=True):
    tiles: tuple[LinkedTile, ...]


class FactsStep(Struct, frozen=True):
    tile: ShownTile
    since: str
    questions: tuple[ShownQuestion, ...]
    missing: tuple[str, ...]
    """The questions without an answer, in words."""
    preview: Previewed


def tile_in(address: Address) -> TileName | None:
    see = address.get("see")
    return TileName(see) if see in TileName.__members__.values() else None


def is_over(tile: TileName, story: Story) -> bool:
    """Whether what the tile reports has been decided."""
    kinds: set[type[Command]] = {kind for act in TILES[tile].acts for kind in act.kinds}
    if tile is TileName.ENTERED_WRONGLY:
        kinds |= {each for each in vars(corrections).values() if isinstance(each, type) and issubclass(each, Command)}
    return not story.kinds.isdisjoint(without_version(tag(kind)) for kind in kinds - {Command})


def tiles_step(at: Guided, address: Address) -> TilesStep:
    since = write_cursor(at.view.opening, at.view.version)

    def link(tile: ShownTile) -> LinkedTile:
        if tile.why_not and not tile.leads_to:
            return LinkedTile(tile, "")
        return LinkedTile(tile, address.only(since=since, see=tile.leads_to or tile.name))

    return TilesStep(tuple(map(link, show_tiles(at.felt, at.writer))))


def facts_step(at: Guided, tile: TileName, address: Address) -> FactsStep:
    facts, shown = address.facts, {each.name: each for each in show_tiles(at.felt, at.writer)}
    questions = show_questions(at.felt, tile, facts, at.writer)
    built = build(at.felt, tile, facts)
    labels = {each.name: each.label for each in questions}
    if isinstance(built, Missing):
        missing = tuple(labels[name] for name in built.names if name in labels)
        return FactsStep(shown[tile], address.get("since"), questions, missing, Previewed())
    return FactsStep(shown[tile], address.get("since"), questions, (), preview_of(at, built))


def tiles_moment(at: Guided) -> GuideMoment:
    t = at.t
    raised = at.felt.raised
    why = t("console.why.raised", kind=raised.kind) if raised is not None else t("resolve.why.tiles")
    return GuideMoment(now=phrase("resolve.now.tiles"), why=(why,), say=phrase("console.say.one_moment"))


def facts_moment(step: FactsStep) -> GuideMoment:
    return GuideMoment(
        now=phrase("resolve.now.facts"),
        why=(step.tile.title,),
        say=phrase("console.say.one_moment"),
        clauses=step.preview.clauses or step.tile.clauses,
        who=step.preview.who,
    )

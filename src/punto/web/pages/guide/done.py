"""The end of the guide: what was decided, by whom, and what to say."""

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.table.preview import shown
from punto.table.situation import situation
from punto.web.pages.guide.moment import Guided, GuideMoment
from punto.web.pages.guide.story import Deed, Story
from punto.web.words.consequence_words import what_to_say


class ShownDeed(Struct, frozen=True):
    title: str
    by: str
    lines: tuple[str, ...]


class DoneStep(Struct, frozen=True):
    deeds: tuple[ShownDeed, ...]
    incidents: tuple[int, ...]


def done_step(at: Guided, story: Story) -> DoneStep:
    t = at.t
    return DoneStep(
        tuple(
            ShownDeed(
                t(f"command.{deed.kind}"),
                _people(at, deed),
                at.writer.lines(shown(deed.events)),
            )
            for deed in story.deeds
        ),
        story.incidents,
    )


def _people(at: Guided, deed: Deed) -> str:
    t = at.t
    if deed.proposed_by:
        return t("resolve.done.approved", by=deed.by, position=deed.position, proposer=deed.proposed_by)
    return t("resolve.done.by", by=deed.by, position=deed.position)


def done_moment(at: Guided, story: Story) -> GuideMoment:
    t = at.t
    then = situation(at.book, at.table).then
    return GuideMoment(
        now=phrase("resolve.now.done"),
        why=(t(f"then.{then}"),),
        say=what_to_say(story.events, then),
        clauses=story.clauses,
        tone="over",
    )

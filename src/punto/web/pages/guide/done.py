"""The end of the guide: what was decided, by whom, and what to say."""

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.table.moves.waiting import Then, waits_for
from punto.web.pages.guide.moment import Guided, GuideMoment
from punto.web.pages.guide.story import Story


class ShownDeed(Struct, frozen=True):
    title: str
    by: str
    lines: tuple[str, ...]


class DoneStep(Struct, frozen=True):
    deeds: tuple[ShownDeed, ...]


def done_step(at: Guided, story: Story) -> DoneStep:
    return DoneStep(
        tuple(
            ShownDeed(
                at.t(f"command.{deed.kind}"),
                at.t("approvals.by", by=deed.by, position=deed.position),
                at.writer.lines(deed.events),
            )
            for deed in story.deeds
        )
    )


def done_moment(at: Guided, story: Story) -> GuideMoment:
    then = waits_for(at.book, at.table)
    return GuideMoment(
        now=phrase("resolve.now.done"),
        why=(at.t(f"resolve.then.{then}"),),
        say=_say(at, then),
        clauses=story.clauses,
        tone="done",
    )


def _say(at: Guided, then: Then) -> Phrase | None:
    now = at.table.round
    if now is not None and now.irregularities.void is not None:
        return phrase("console.say.void")
    return phrase("resolve.say.goes_on") if then in _GOING_ON else phrase("resolve.say.thanks")


_GOING_ON = (Then.DEAL, Then.TURN, Then.SETTLE, Then.INSURE)

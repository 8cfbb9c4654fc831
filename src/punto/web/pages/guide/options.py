"""Players choose: each of them with what is at stake, and the rest continue when time is called."""

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.rules.topics import Topic
from punto.table.decision import this_round
from punto.table.records.identity import Place
from punto.table.records.kinds import Choice
from punto.table.records.reports import CallTime, ChooseOption
from punto.table.records.state import Round
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.moment import GuideAct, Guided, GuideMoment


class Staked(Struct, frozen=True):
    """A bet or insurance of a player."""

    box: str
    """Empty if the player's name says it."""
    bet: str
    name: str
    stake_minor: int


class ShownChooser(Struct, frozen=True):
    key: str
    who: str
    name: str
    stakes: tuple[Staked, ...]
    back_minor: int
    """What RETURN gives back, insurance included."""
    chosen: str
    """Empty while they have not chosen."""
    away: bool
    current: bool
    """The keys C and R are theirs."""
    href: str
    """Makes them so."""
    plays_on: GuideAct | None
    takes_back: GuideAct | None


class OptionsStep(Struct, frozen=True):
    choosers: tuple[ShownChooser, ...]
    rest: GuideAct | None
    """Call time: the rest continue."""


def options_step(at: Guided, address: Address) -> OptionsStep:
    t = at.t
    now = this_round(at.table)
    irregularities = now.irregularities
    waiting = irregularities.options.waiting_for if irregularities.options else ()
    asked = sorted({*waiting, *irregularities.choices}, key=lambda who: (_boxes(now, who), who))
    rows = {str(number): who for number, who in enumerate(asked, 1)}
    picked = rows.get(address.get("row"))
    current = picked if picked in waiting else next((who for who in asked if who in waiting), "")
    choosers = tuple(_chooser(at, row, who, address.to(row=row), current=who == current) for row, who in rows.items())
    return OptionsStep(choosers, at.act(CallTime(at.by.name, at.by.position), "Space", t("resolve.options.rest")))


def _chooser(at: Guided, row: str, who: str, href: str, *, current: bool) -> ShownChooser:
    t = at.t
    now = this_round(at.table)
    chosen = now.irregularities.choices.get(who)
    open_to = now.irregularities.must_choose(who)
    stakes = tuple(_stakes(at, now, who))

    def act(choice: Choice, key: str) -> GuideAct | None:
        command = ChooseOption(at.by.name, at.by.position, who, choice)
        return at.act(command, key if current else "", t(f"resolve_choice.{choice}")) if open_to else None

    return ShownChooser(
        key=row,
        who=who,
        name=at.writer.person(who),
        stakes=stakes,
        back_minor=sum(each.stake_minor for each in stakes),
        chosen="" if chosen is None or open_to else t(f"choice_made.{chosen}"),
        away=who in now.away,
        current=current,
        href=href,
        plays_on=act(Choice.CONTINUE, "C"),
        takes_back=act(Choice.RETURN, "R"),
    )


def _boxes(now: Round, who: str) -> list[int]:
    return [box for box, _, _ in _staked(now, who)]


def _staked(now: Round, who: str) -> list[tuple[int, str, int]]:
    """Box, bet and stake of everything that a player has in the round, or had before they took it back."""
    taken = now.irregularities.taken_back.get(who)
    bets = {**now.bets, **(taken.bets if taken else {})}.values()
    cover = (*now.insurance.cover, *(taken.cover if taken else ()))
    staked = [(placed.box, placed.bet, placed.stake_minor) for placed in bets if placed.who == who]
    staked += [(covered.box, covered.bet, covered.stake_minor) for covered in cover if covered.who == who]
    return sorted(staked)


def _stakes(at: Guided, now: Round, who: str) -> list[Staked]:
    t = at.t
    place = Place.find(who)
    own = place.box if place is not None else 0  # a place is named by its box already
    return [
        Staked("" if box == own else at.box(box), bet, t(f"bet.{bet}"), minor) for box, bet, minor in _staked(now, who)
    ]


def asking_moment(at: Guided) -> GuideMoment:
    """Only cards are recorded: everybody with a bet is asked, and time is called."""
    t = at.t
    return GuideMoment(
        now=phrase("resolve.now.ask"),
        why=(t("resolve.why.ask"),),
        say=phrase("aloud.ask"),
        clauses=at.book.topics[Topic.OPTIONS],
        who=at.may(CallTime),
    )


def options_moment(at: Guided, step: OptionsStep) -> GuideMoment:
    t, people = at.t, tuple(each.name for each in step.choosers if not each.chosen)
    return GuideMoment(
        now=phrase("resolve.now.options"),
        why=(t("resolve.why.options", people=people),),
        say=phrase("aloud.choose"),
        clauses=at.book.topics[Topic.OPTIONS],
        who=at.may(ChooseOption),
    )

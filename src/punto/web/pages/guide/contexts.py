"""The page of the guide, made from the table, its story and the address."""

from msgspec import Struct, json

from punto.catalogue.sentence import phrase
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.table.consequences import consequences
from punto.table.moves.waiting import Then, waits_for
from punto.table.preview import shown
from punto.table.records.commands import Command, LoadShoe
from punto.table.records.state import cards_in_order
from punto.web.messages import TableView
from punto.web.pages.base.layout import PageContext, PageLayout, table_path
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.done import DoneStep, done_moment, done_step
from punto.web.pages.guide.moment import Act, Guided, GuideMoment, StepName
from punto.web.pages.guide.options import OptionsStep, options_moment, options_step
from punto.web.pages.guide.order import OrderStep, order_command, order_moment, order_step
from punto.web.pages.guide.story import Story
from punto.web.pages.parts.carried import SmallCard, small_card
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.pit_calls import ShownCall, show_call
from punto.web.views.cursors import write_cursor


class ShownNow(Struct, frozen=True):
    """The line NOW, SAY, CLAUSE, WHO MAY in words."""

    now: str
    why: tuple[str, ...]
    say: str
    say_other: str
    other_language: str
    clauses: tuple[Clause, ...]
    who: str
    tone: str


class GuidePage(PageContext, frozen=True, kw_only=True):
    template = "guide.html"
    table: str
    book: str
    round: int
    """0: none yet."""
    call: ShownCall | None
    live: str
    console: str
    moment: str
    """For the scripts that the guide shares with the console, as JSON."""
    at: str
    """The cursor of the table."""
    step: StepName
    now: ShownNow
    acts: tuple[Act, ...]
    told: tuple[str, ...]
    """What would follow."""
    hands: tuple[ShownHand, ...]
    loose: tuple[SmallCard, ...]
    """Cards that belong to no hand, or not yet."""
    options: OptionsStep | None
    order: OrderStep | None
    done: DoneStep | None


class _Drawn(Struct, kw_only=True):
    """A step before it is put into words."""

    step: StepName
    moment: GuideMoment
    acts: tuple[Act, ...] = ()
    told: tuple[str, ...] = ()
    options: OptionsStep | None = None
    order: OrderStep | None = None
    done: DoneStep | None = None


def guide_page(layout: PageLayout, at: Guided, story: Story, address: Address) -> GuidePage:
    view, t = at.view, at.t
    drawn = _draw(at, story, address)
    cursor = write_cursor(view.opening, view.version)
    return GuidePage(
        layout=layout,
        table=view.table,
        book=view.book,
        round=view.round.number if view.round else 0,
        call=show_call(view),
        live=f"/live{table_path(view.table, 'guide')}?lang={t.language}",
        console=table_path(view.table, "deal"),
        moment=wire(view),
        at=cursor,
        step=drawn.step,
        now=_show_now(at, drawn.moment),
        acts=drawn.acts,
        told=drawn.told,
        hands=tuple(hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER)),
        loose=_loose(at),
        options=drawn.options,
        order=drawn.order,
        done=drawn.done,
    )


def wire(view: TableView) -> str:
    """What the scripts of the console read. The guide has one moment, and no keys of the table's."""
    at, number = write_cursor(view.opening, view.version), view.round.number if view.round else 0
    moment = {"name": "guide"}
    return json.encode({"at": at, "round": number, "moments": [moment], "typing": None, "last_card": None}).decode()


def _loose(at: Guided) -> tuple[SmallCard, ...]:
    now = at.table.round
    raised = now.irregularities.raised if now else None
    dealt = len(now.cards) if now else 0
    cards = [each.card for each in cards_in_order(at.table)[dealt:]]
    if raised is not None and raised.card is not None:
        cards.append(raised.card)
    return tuple(small_card(None if card is None else str(card), at.t) for card in cards)


# ---- steps


def _draw(at: Guided, story: Story, address: Address) -> _Drawn:
    then = waits_for(at.book, at.table)
    if then is Then.CHOOSE:
        return _choose(at, address)
    if then is Then.RULE_ORDER:
        return _order(at, address)
    if story.deeds and then is Then.LOAD_SHOE:
        return _shoe(at, story)
    return _done(at, story)


def _choose(at: Guided, address: Address) -> _Drawn:
    options = options_step(at, address)
    acts = () if options.rest is None else (options.rest,)
    return _Drawn(step=StepName.OPTIONS, moment=options_moment(at), acts=acts, options=options)


def _order(at: Guided, address: Address) -> _Drawn:
    order = order_step(at, address)
    command = order_command(at, order)
    acts, told = preview_of(at, command) if command is not None else ((), ())
    return _Drawn(step=StepName.ORDER, moment=order_moment(at), acts=acts, told=told, order=order)


def preview_of(at: Guided, command: Command) -> tuple[tuple[Act, ...], tuple[str, ...]]:
    found = consequences(at.book, at.table, command)
    if isinstance(found, Refusal):
        return (), (at.refusal(found),)
    label = at.t("resolve.decide") if at.by.position in found.positions else at.t("resolve.propose")
    act = at.act(command, "Space", label)
    return () if act is None else (act,), at.writer.lines(shown(found.events))


def _shoe(at: Guided, story: Story) -> _Drawn:
    moment = GuideMoment(
        now=phrase("resolve.now.shoe"),
        why=(at.t("resolve.why.shoe"),),
        say=phrase("resolve.say.shoe"),
        clauses=story.clauses,
        who=at.may(LoadShoe),
    )
    acts = (
        Act(key="Space", label=at.t("resolve.shoe.load"), open="shoe"),
        Act(key="Escape", label=at.t("resolve.back"), href=table_path(at.view.table, "deal")),
    )
    return _Drawn(step=StepName.SHOE, moment=moment, acts=acts, done=done_step(at, story))


def _done(at: Guided, story: Story) -> _Drawn:
    acts = (Act(key="Space", label=at.t("resolve.back"), href=table_path(at.view.table, "deal")),)
    return _Drawn(step=StepName.DONE, moment=done_moment(at, story), acts=acts, done=done_step(at, story))


def _show_now(at: Guided, moment: GuideMoment) -> ShownNow:
    t, other = at.t, at.other
    return ShownNow(
        now=t.write(moment.now),
        why=moment.why,
        say=t.write(moment.say) if moment.say else "",
        say_other=other.write(moment.say) if moment.say else "",
        other_language="zh" if other.language == "zh" else "en",
        clauses=moment.clauses,
        who=t("resolve.or_above", position=moment.who[0]) if moment.who else "",
        tone=moment.tone,
    )

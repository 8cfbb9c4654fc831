"""The page of the guide, made from the table, its story and the address."""

from markupsafe import Markup
from msgspec import Struct, json

from punto.catalogue.sentence import phrase
from punto.floor.journal.entry import tag_name
from punto.floor.settings.gaming_day import GamingDay
from punto.rules.coup.table_of_play import Side
from punto.table.procedure.trouble.card_acts import REPLACE_SHOE
from punto.table.procedure.trouble.tiles import TileName
from punto.table.records.commands import LoadShoe, Settle
from punto.table.records.pit_calls import CallPit
from punto.table.records.positions import Position
from punto.table.situation import Then, situation
from punto.web.messages import TableView
from punto.web.pages.base.layout import PageContext, PageLayout, table_path
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.done import DoneStep, done_moment, done_step
from punto.web.pages.guide.facts import (
    EVERYTHING,
    FactsStep,
    facts_moment,
    facts_step,
    is_over,
    tile_address,
    tile_in,
    tiles_html,
    tiles_moment,
    uninsured_moment,
    wanted_tile,
)
from punto.web.pages.guide.moment import GuideAct, Guided, GuideMoment, StepName, to_send, write_body
from punto.web.pages.guide.options import OptionsStep, asking_moment, options_moment, options_step
from punto.web.pages.guide.order import OrderStep, order_command, order_moment, order_step
from punto.web.pages.guide.previews import ShownPreview, preview_of
from punto.web.pages.guide.story import Story
from punto.web.pages.parts.carried import SmallCard, small_card
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.pit_calls import ShownCall, show_call
from punto.web.views.cursors import write_cursor
from punto.web.words.consequence_words import what_to_say, who_may


class ShownNow(Struct, frozen=True):
    """The line NOW, SAY, CLAUSE, WHO MAY in words."""

    now: str
    why: tuple[str, ...]
    say: str
    say_other: str
    other_language: str
    clauses: tuple[str, ...]
    who: str
    tone: str


class GuidePage(PageContext, frozen=True, kw_only=True):
    template = "guide.html"
    table: str
    table_title: str
    book: str
    round: int
    """0: none yet."""
    call: ShownCall | None
    live: str
    console: str
    lamp: str
    """The command that calls the pit, as JSON, if the person at the screen needs somebody; empty: not now."""
    moment: str
    """For the scripts that the guide shares with the console, as JSON."""
    at: str
    """The cursor of the table."""
    step: StepName
    now: ShownNow
    acts: tuple[GuideAct, ...]
    preview: ShownPreview
    hands: tuple[ShownHand, ...]
    loose: tuple[SmallCard, ...]
    """Cards that belong to no hand, or not yet."""
    tiles: Markup | None
    facts: FactsStep | None
    options: OptionsStep | None
    order: OrderStep | None
    done: DoneStep | None


class _Drawn(Struct, kw_only=True):
    """A step before it is put into words."""

    step: StepName
    moment: GuideMoment
    acts: tuple[GuideAct, ...] = ()
    preview: ShownPreview = ShownPreview()
    tiles: Markup | None = None
    facts: FactsStep | None = None
    options: OptionsStep | None = None
    order: OrderStep | None = None
    done: DoneStep | None = None


def guide_page(layout: PageLayout, at: Guided, day: GamingDay, story: Story, address: Address) -> GuidePage:
    view, t = at.view, at.t
    drawn = _draw(at, story, address)
    return GuidePage(
        layout=layout,
        table=view.table,
        table_title=view.table_title,
        book=view.book,
        round=view.round.number if view.round else 0,
        call=show_call(view, day),
        live=f"/live{address.path}?lang={t.language}",
        console=table_path(view.table, "deal"),
        lamp=_lamp(at, drawn.step),
        moment=wire(view),
        at=write_cursor(view.opening, view.version),
        step=drawn.step,
        now=_show_now(at, drawn.moment),
        acts=drawn.acts,
        preview=drawn.preview,
        hands=tuple(hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER)),
        loose=_loose(at),
        tiles=drawn.tiles,
        facts=drawn.facts,
        options=drawn.options,
        order=drawn.order,
        done=drawn.done,
    )


def wire(view: TableView) -> str:
    """What the scripts of the console read. The guide has one moment, and no keys of the table's."""
    at, number = write_cursor(view.opening, view.version), view.round.number if view.round else 0
    moment = {"name": "guide"}
    return json.encode({"at": at, "round": number, "moments": [moment], "typing": None, "last_card": None}).decode()


def _lamp(at: Guided, step: StepName) -> str:
    """A dealer who says what they see, or whom the table has stopped, calls the pit, once a round.

    Opening the guide and leaving it again calls nobody.
    """
    call, now = at.table.pit_call, at.table.round
    found = step in (StepName.FACTS, StepName.ORDER) or (step is StepName.TILES and at.felt.raised is not None)
    if at.by.position is not Position.DEALER or not found:
        return ""
    if call is not None and (call.open or call.answered_in == (now.number if now is not None else 0)):
        return ""
    return write_body(to_send(CallPit(at.by.name, at.by.position)))


def _loose(at: Guided) -> tuple[SmallCard, ...]:
    cards = [each.card for each in at.felt.cards() if each.early]
    raised = at.felt.raised
    if raised is not None and raised.card is not None:
        cards.append(raised.card)
    return tuple(small_card(None if card is None else str(card), at.t) for card in cards)


# ---- steps


def _draw(at: Guided, story: Story, address: Address) -> _Drawn:
    tile, then, settled = tile_in(address), situation(at.book, at.table).then, tag_name(Settle) in story.kinds
    if tile is not None and not settled and not _is_step(tile, then, address):
        facts, over = facts_step(at, tile, address), is_over(tile, story)
        if not over or facts.outcomes:
            return _facts(at, facts, address, over=over)
    if not story.deeds and address.get("see") == EVERYTHING:
        return _tiles(at, address)
    if then is Then.CHOOSE:
        return _choose(at, address)
    if then is Then.ASK:
        return _ask(at, address)
    if then is Then.RULE_ORDER:
        return _order(at, address)
    if then is Then.UNINSURED:
        return _uninsured(at, address)
    if not story.deeds or then in (Then.REPORT, Then.RESUME):
        return _tiles(at, address)
    return _shoe(at, story) if then is Then.LOAD_SHOE else _done(at, story, address)


def _is_step(tile: TileName, then: Then, address: Address) -> bool:
    """Whether a tile stands for a step that the table waits for anyway."""
    if tile is TileName.AT_ONCE and not address.facts:
        return then is Then.RULE_ORDER
    if tile is TileName.UNINSURED:
        return then is Then.UNINSURED
    return tile is TileName.OPTIONS and then in (Then.CHOOSE, Then.ASK)


def _tiles(at: Guided, address: Address) -> _Drawn:
    t = at.t
    wanted, to = wanted_tile(at), tile_address(at, address)
    acts = (
        *((GuideAct(key="Space", label=wanted.title, href=f"{to}{wanted.name}"),) if wanted is not None else ()),
        _to_console(at, "Escape", t("resolve.nothing_wrong")),
    )
    return _Drawn(step=StepName.TILES, moment=tiles_moment(at), acts=acts, tiles=tiles_html(at, address))


def _facts(at: Guided, facts: FactsStep, address: Address, *, over: bool) -> _Drawn:
    t, act = at.t, facts.preview.act
    if over:  # one bet went back for want of insurance, and there are others
        back = GuideAct(key="Escape", label=t("resolve.nobody_else"), href=address.only(since=facts.since))
    else:
        back = GuideAct(key="Escape", label=t("resolve.other_tile"), href=_everything(at, address))
    return _Drawn(
        step=StepName.FACTS,
        moment=facts_moment(facts),
        acts=(*((act,) if act is not None else ()), back),
        preview=facts.preview,
        facts=facts,
    )


def _choose(at: Guided, address: Address) -> _Drawn:
    options = options_step(at, address)
    acts = (*(() if options.rest is None else (options.rest,)), _something_else(at, address))
    return _Drawn(step=StepName.OPTIONS, moment=options_moment(at, options), acts=acts, options=options)


def _ask(at: Guided, address: Address) -> _Drawn:
    facts = facts_step(at, TileName.OPTIONS, address)
    acts = (*(() if facts.preview.act is None else (facts.preview.act,)), _something_else(at, address))
    return _Drawn(step=StepName.OPTIONS, moment=asking_moment(at), acts=acts, preview=facts.preview, facts=facts)


def _order(at: Guided, address: Address) -> _Drawn:
    order = order_step(at, address)
    preview = preview_of(at, to_send(order_command(at, order))) if order.complete else ShownPreview()
    acts = (*(() if preview.act is None else (preview.act,)), *_other_shoe(at, address), _something_else(at, address))
    return _Drawn(step=StepName.ORDER, moment=order_moment(at), acts=acts, preview=preview, order=order)


def _uninsured(at: Guided, address: Address) -> _Drawn:
    """Each bet goes back that was meant to be insured; then whoever decides on it settles."""
    t, facts = at.t, facts_step(at, TileName.UNINSURED, address)
    back, settle = facts.preview.act, at.act(Settle(at.by.name, at.by.position), "N", t("resolve.nobody_meant"))
    acts = (*(() if back is None else (back,)), *(() if settle is None else (settle,)), _something_else(at, address))
    return _Drawn(
        step=StepName.FACTS, moment=uninsured_moment(at, facts), acts=acts, preview=facts.preview, facts=facts
    )


def _shoe(at: Guided, story: Story) -> _Drawn:
    t = at.t
    moment = GuideMoment(
        now=phrase("resolve.now.shoe"),
        why=(t("resolve.why.shoe"),),
        say=what_to_say(story.events, Then.LOAD_SHOE),
        clauses=story.clauses,
        who=at.may(LoadShoe),
    )
    acts = (
        GuideAct(key="Space", label=t("resolve.load_shoe"), open="shoe"),
        _to_console(at, "Escape", t("resolve.back")),
    )
    return _Drawn(step=StepName.SHOE, moment=moment, acts=acts, done=done_step(at, story))


def _done(at: Guided, story: Story, address: Address) -> _Drawn:
    t = at.t
    acts = (_to_console(at, "Space", t("resolve.back")), *_other_shoe(at, address), _something_else(at, address))
    return _Drawn(step=StepName.DONE, moment=done_moment(at, story), acts=acts, done=done_step(at, story))


def _to_console(at: Guided, key: str, label: str) -> GuideAct:
    return GuideAct(key=key, label=label, href=table_path(at.view.table, "deal"))


def _other_shoe(at: Guided, address: Address) -> tuple[GuideAct, ...]:
    """After cards came out together the house may use another shoe."""
    t = at.t
    if REPLACE_SHOE.why_not(at.felt) is not None:
        return ()
    href = f"{tile_address(at, address)}{TileName.AT_ONCE}&what={REPLACE_SHOE.name}"
    return (GuideAct(key="N", label=t("resolve.other_shoe"), href=href),)


def _something_else(at: Guided, address: Address) -> GuideAct:
    t = at.t
    return GuideAct(key="!", label=t("resolve.something_else"), href=_everything(at, address))


def _everything(at: Guided, address: Address) -> str:
    return address.only(since=write_cursor(at.view.opening, at.view.version), see=EVERYTHING)


def _show_now(at: Guided, moment: GuideMoment) -> ShownNow:
    t, other = at.t, at.t.other
    return ShownNow(
        now=t.write(moment.now),
        why=moment.why,
        say=t.write(moment.say) if moment.say else "",
        say_other=other.write(moment.say) if moment.say else "",
        other_language=other.language,
        clauses=moment.clauses,
        who=who_may(moment.who, t),
        tone=moment.tone,
    )

"""The context of each piece of the console, made from the table and its moments."""

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import big_road_svg
from punto.board.results import read_marks
from punto.board.roads import big_road
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import Language, Phrase
from punto.floor.running.live_table import LiveTable
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.decision import coup_of
from punto.table.procedure.chip_set import Chip, ChipSet
from punto.table.procedure.scene import ConsoleKey, ConsoleMoment, MomentName, Scene
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.table.records.state import Table
from punto.table.situation import next_step
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, person_name, translator
from punto.web.pages.base.layout import PageContext
from punto.web.pages.base.templates import Context, svg
from punto.web.pages.dealer.boxes import ShownBox, bet_codes, show_boxes
from punto.web.pages.dealer.reference import Reference
from punto.web.pages.dealer.sheet import ShownSheet, show_sheet
from punto.web.pages.parts.bets import side_of_felt
from punto.web.pages.parts.carried import ShownCarried, SmallCard, carried_cards, small_card
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.pit_calls import ShownCall, show_call
from punto.web.pages.parts.words import limit_lines

SHOE_COLUMNS = 14


class ConsoleLook(Struct, frozen=True):
    """Who is at the console, and in which language. Equal looks see the same page."""

    name: str
    position: Position
    supervisors: tuple[str, ...]
    """On duty at the table."""
    language: Language


class ShownKey(Struct, frozen=True):
    key: str
    """As the script names it."""
    written: str
    """As the key is labelled on the screen."""
    label: str
    needs: str
    """The position that has to approve; empty if nobody has to."""


class ShownQuestion(Struct, frozen=True):
    id: str
    title: str
    text: str
    answers: tuple[ShownKey, ...]


class ShownMoment(Struct, frozen=True):
    """A moment in words."""

    name: str
    dismiss: str
    tone: str
    now: str
    why: tuple[str, ...]
    say: str
    say_too: str
    """The same in the other language."""
    clauses: tuple[Clause, ...]
    who: str
    space: ShownKey | None
    card: bool
    with_suit: bool
    keys: tuple[ShownKey, ...]
    questions: tuple[ShownQuestion, ...]
    wanted: int


# ---- the pieces


class ConsoleHead(Context, frozen=True, kw_only=True):
    """Table, round, limits and shoe."""

    template = "dealer/head.html"
    view: TableView
    settings: Settings | None
    limits: list[tuple[str, str]]
    supervisors: tuple[str, ...]
    seeded: bool
    call: ShownCall | None


class ConsoleLeft(Context, frozen=True, kw_only=True):
    """The boxes with their bets; where only cards are recorded, the results of the shoe."""

    template = "dealer/left.html"
    boxes: tuple[ShownBox, ...]
    void: bool
    """The bets go back."""
    total_minor: int
    road: Markup
    counts: Statistics
    naturals: int
    """Marks do not say which rounds had one."""


class ConsoleStage(Context, frozen=True, kw_only=True):
    template = "dealer/stage.html"
    hands: tuple[ShownHand, ...]
    carried: tuple[ShownCarried, ...]
    raised: SmallCard | None
    """The card that stopped the round."""
    wanted: int
    """The place of the card that comes next, from 1; 0: none."""
    slots: dict[str, list[int]]
    """By side, the places where a card is still missing."""


class ConsoleSheet(Context, frozen=True, kw_only=True):
    """What to take and to pay after the last round."""

    template = "dealer/sheet.html"
    sheet: ShownSheet | None
    hands: tuple[ShownHand, ...]


class ConsolePaper(Context, frozen=True, kw_only=True):
    """What lies on the felt, or what is taken and paid: for the time in which the line is lost."""

    template = "dealer/paper_bets.html"
    round: int
    """0: none yet."""
    boxes: tuple[ShownBox, ...]
    sheet: ShownSheet | None


class ConsolePad(Context, frozen=True, kw_only=True):
    """The bets of the layout, for fingers."""

    template = "dealer/pad.html"
    bets: tuple[tuple[str, str, str], ...]
    """Code, name and side of the felt."""
    chips: tuple[Chip, ...]
    """Of the floor, from the smallest."""


class ConsoleNow(Context, frozen=True, kw_only=True):
    """What to do now, for each of the moments. The script shows the first that is not dismissed."""

    template = "dealer/now.html"
    book: str
    moments: tuple[ShownMoment, ...]
    by_itself: bool
    """The table takes the next step without the dealer."""


class ConsoleKeys(Context, frozen=True, kw_only=True):
    template = "dealer/keys.html"
    moments: tuple[ShownMoment, ...]


class ConsoleDid(Context, frozen=True, kw_only=True):
    """What the last key did."""

    template = "dealer/did.html"
    lines: tuple[str, ...]


class ConsolePage(PageContext, frozen=True, kw_only=True):
    template = "dealer.html"
    table: str
    table_title: str
    live: str
    position: Position
    positions: str
    """The names of positions, as JSON for scripts."""
    ranks: str
    reference: Reference
    guide: str
    """The address of the guide."""
    pieces: dict[str, Markup]


CONSOLE_PIECES = (
    ConsoleHead,
    ConsoleLeft,
    ConsoleStage,
    ConsoleSheet,
    ConsolePaper,
    ConsolePad,
    ConsoleNow,
    ConsoleKeys,
    ConsoleDid,
)


_FIRST_FOUR = {Side.PLAYER: (1, 3), Side.BANKER: (2, 4)}


# ---- making them


def console_contexts(
    live: LiveTable,
    view: TableView,
    look: ConsoleLook,
    scene: Scene,
    moments: tuple[ConsoleMoment, ...],
    chips: ChipSet,
    day: GamingDay,
) -> dict[str, Context]:
    """All pieces by the id of their element."""
    t, settings = translator(look.language, at_shuffler=scene.table.at_shuffler), view.settings
    shown = tuple(show_moment(moment, view, t) for moment in moments)
    marks = () if scene.new_board else read_marks(" ".join(view.marks))
    wanted = moments[-1].wanted
    boxes = show_boxes(scene, view, t) if settings else ()
    settles = moments[0].name is MomentName.SETTLEMENT
    sheet = show_sheet(live.rules, live.state, scene.round, chips, view, t) if settles else None
    hands = tuple(hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER))
    return {
        "head": ConsoleHead(
            view=view,
            settings=settings,
            limits=_limits(settings, t) if settings else [],
            supervisors=look.supervisors,
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            call=show_call(view, day),
        ),
        "left": ConsoleLeft(
            boxes=boxes,
            void=view.round is not None and view.round.void is not None,
            total_minor=sum(box.total_minor for box in boxes),
            road=svg(big_road_svg(big_road(marks), SHOE_COLUMNS, look.language)),
            counts=statistics(marks),
            naturals=scene.naturals,
        ),
        "stage": ConsoleStage(
            hands=hands,
            carried=carried_cards(live.state, t),
            raised=_raised(live.state, t),
            wanted=wanted,
            slots=_slots(live, wanted),
        ),
        "sheet": ConsoleSheet(sheet=sheet, hands=hands),
        "paper-bets": ConsolePaper(
            round=view.round.number if view.round else 0,
            boxes=tuple(box for box in boxes if box.total_minor),
            sheet=sheet,
        ),
        "pad": ConsolePad(
            bets=_pad(scene, t) if settings else (),
            chips=tuple(sorted(chips.chips, key=lambda chip: chip.value_minor)),
        ),
        "now": ConsoleNow(book=view.book, moments=shown, by_itself=next_step(live.rules, live.state) is not None),
        "keys": ConsoleKeys(moments=shown),
    }


def _limits(settings: Settings, t: Translator) -> list[tuple[str, str]]:
    """The limits with short labels."""
    labels = (t("console.head.main"), t("console.head.side"), t("console.head.differential"))
    return [(label, amount) for label, (_, amount) in zip(labels, limit_lines(settings, t), strict=False)]


def _raised(state: Table, t: Translator) -> SmallCard | None:
    raised = state.round.irregularities.raised if state.round else None
    return None if raised is None or raised.card is None else small_card(str(raised.card), t)


def _pad(scene: Scene, t: Translator) -> tuple[tuple[str, str, str], ...]:
    if scene.settings.cards_only:
        return ()
    bets = bet_codes(scene).items()
    return tuple(
        (code, t(f"bet.{bet}"), bet if bet in MAIN_BETS else side_of_felt(scene.book.bets[bet])) for code, bet in bets
    )


def _slots(live: LiveTable, wanted: int) -> dict[str, list[int]]:
    dealt = len(live.state.round.cards) if live.state.round else 0
    slots = {side.value: [place for place in places if place > dealt] for side, places in _FIRST_FOUR.items()}
    if wanted > max(dealt, 4) and live.state.round is not None:
        slots[coup_of(live.rules, live.state).next.to.value].append(wanted)
    return slots


def show_moment(moment: ConsoleMoment, view: TableView, t: Translator) -> ShownMoment:
    return ShownMoment(
        name=moment.name.value,
        dismiss=moment.dismiss,
        tone=moment.tone,
        now=words_of(moment.now, view, t),
        why=tuple(_as_sentence(words_of(each, view, t)) for each in moment.why),
        say=words_of(moment.say, view, t) if moment.say else "",
        say_too=words_of(moment.say, view, t.other) if moment.say else "",
        clauses=moment.clauses,
        who=_as_sentence(t.write(tuple(t(f"position.{position}") for position in moment.who))),
        space=_show_key(moment.space, view, t) if moment.space else None,
        card=moment.card is not None,
        with_suit=moment.card is not None and moment.card.with_suit,
        keys=tuple(_show_key(key, view, t) for key in moment.keys),
        questions=tuple(
            ShownQuestion(
                id=question.id,
                title=words_of(question.title, view, t),
                text=words_of(question.text, view, t) if question.text else "",
                answers=tuple(
                    ShownKey(answer.key, answer.key, words_of(answer.label, view, t), "") for answer in question.answers
                ),
            )
            for question in moment.questions
        ),
        wanted=moment.wanted,
    )


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def words_of(phrase: Phrase, view: TableView, t: Translator) -> str:
    """A phrase in words, with people by their names."""
    labels = view.settings.box_labels if view.settings else ()

    def named(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(named(each) for each in value)
        if isinstance(value, Phrase):
            return with_names(value)
        return person_name(value, t, view.names, labels) if isinstance(value, str) else value

    def with_names(phrase: Phrase) -> Phrase:
        people = {name: named(value) for name, value in phrase.values.items() if name in ("who", "people", "place")}
        return Phrase(phrase.key, phrase.values | people)

    return t.write(with_names(phrase))


def _show_key(key: ConsoleKey, view: TableView, t: Translator) -> ShownKey:
    written = {"Space": t("console.shortcut.space"), "Shift Space": t("console.shortcut.shift_space")}
    needs = t(f"position.{key.action.needs}") if key.action.needs else ""
    return ShownKey(key.key, written.get(key.key, key.key), words_of(key.label, view, t), needs)

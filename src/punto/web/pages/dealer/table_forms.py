"""Dialogs about the table itself, its shoe and the people at it."""

from typing import Any

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.chips.chip_set import ChipSet
from punto.rules.rulebook import Layout, Rulebook
from punto.rules.topics import Topic
from punto.table.records.commands import (
    BuyIn,
    CashOut,
    ChangeSettings,
    CloseTable,
    IdentifyPlayer,
    Leave,
    LoadShoe,
    OpenTable,
    Sit,
    StandBehind,
)
from punto.table.records.identity import Place
from punto.table.records.kinds import BuyInKind, CashOutKind
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits, Settings, chosen_settings
from punto.web.pages.dealer.forms import Field, FieldKind, Form, Menu, Pick, amount, choice, form, needed
from punto.web.pages.dealer.scene import Scene, body_of
from punto.web.pages.dealer.tray_forms import tray_items

SEATS_MENU = Menu(
    title=phrase("dialog.seats"),
    items=(
        ("sit", phrase("command.sit")),
        ("stand_behind", phrase("command.stand_behind")),
        ("leave", phrase("command.leave")),
        ("identify_player", phrase("command.identify_player")),
        ("cash_out", phrase("command.cash_out")),
    ),
)


# ---- the table


def table_menu(scene: Scene) -> Menu:
    change = ("change_settings", phrase("command.change_settings"))
    close = ("close_table", phrase("command.close_table"))
    return Menu(title=phrase("dialog.table"), items=(change, close, *tray_items(scene)))


def open_table(book: Rulebook, last: Settings | None, chip_set: ChipSet, position: Position) -> Form:
    """With the settings of the last opening, if there was one."""
    settings = last or _first_settings(book, chip_set)
    modes = choice(
        "",
        phrase("dialog.mode"),
        Pick(phrase("dialog.mode.cards_only"), _mode(cards_only=True), settings.cards_only),
        Pick(phrase("dialog.mode.observing"), _mode(observing=True), settings.observing and not settings.cards_only),
        Pick(phrase("dialog.mode.enforcing"), _mode(), not settings.felt),
    )
    layouts = (Pick(_layout(each), each.id, each.id == settings.layout) for each in book.layouts.values())
    return Form(
        title=phrase("command.open_table"),
        fields=(
            choice("settings.layout", phrase("dialog.layout"), *layouts),
            Field("settings.boxes", FieldKind.NUMBER, phrase("dialog.boxes"), value=str(settings.boxes)),
            modes,
            *_limits(book, settings),
            *_supervised(settings),
            amount("settings.smallest_chip_minor", phrase("dialog.smallest_chip"), settings.smallest_chip_minor),
            _switch("faces_by_rank", phrase("dialog.by_rank"), on=settings.faces_by_rank),
            _switch("face_down", phrase("dialog.face_down"), on=settings.face_down),
            _switch("burn", phrase("dialog.burn"), on=settings.burn),
            amount("float_minor", phrase("dialog.float"), optional=True),
        ),
        command=body_of(OpenTable, settings=chosen_settings(settings)),
        needs=needed(OpenTable, None, position),
    )


def _first_settings(book: Rulebook, chip_set: ChipSet) -> Settings:
    """What the house's chips cannot pay is rounded, so that tray and record agree."""
    layout = next(iter(book.layouts.values()))
    return Settings(
        layout=layout.id,
        boxes=layout.most_boxes or 7,
        cards_only=True,
        faces_by_rank=True,
        smallest_chip_minor=min(chip.value_minor for chip in chip_set.chips),
    )


def _mode(*, cards_only: bool = False, observing: bool = False) -> dict[str, Any]:
    return {"settings": {"cards_only": cards_only, "observing": observing}}


def _layout(layout: Layout) -> Phrase:
    return phrase("dialog.layout_named", layout=layout.id, bets=len(layout.menu))


def _switch(name: str, label: Phrase, *, on: bool) -> Field:
    return Field(f"settings.{name}", FieldKind.SWITCH, label, value="on" if on else "")


def _limits(book: Rulebook, settings: Settings) -> tuple[Field, ...]:
    return (
        *_range("main", settings.main, phrase("dialog.main_min"), phrase("dialog.main_max")),
        *_range("side", settings.side, phrase("dialog.side_min"), phrase("dialog.side_max")),
        *(
            (amount("settings.differential_minor", phrase("dialog.differential"), settings.differential_minor),)
            if book.has(Topic.DIFFERENTIAL)
            else ()
        ),
    )


def _supervised(settings: Settings, *, pays: bool = True) -> tuple[Field, ...]:
    """The amounts above which a supervisor approves or verifies, and what should lie in the tray."""
    asked = {
        "buy_in_supervised_minor": phrase("dialog.buy_in_supervised"),
        "cash_out_supervised_minor": phrase("dialog.cash_out_supervised"),
        "payout_supervised_minor": phrase("dialog.payout_supervised"),
        "tray_par_minor": phrase("dialog.tray_par"),
    }
    return tuple(
        amount(f"settings.{name}", label, getattr(settings, name), optional=True)
        for name, label in asked.items()
        if pays or name != "payout_supervised_minor"
    )


def _range(name: str, limits: BetLimits, least: Phrase, most: Phrase) -> tuple[Field, Field]:
    return (
        amount(f"settings.{name}.min_minor", least, limits.min_minor, optional=True),
        amount(f"settings.{name}.max_minor", most, limits.max_minor, optional=True),
    )


def change_settings(scene: Scene) -> Form:
    """The limits, and the amounts that need a supervisor. Everything else stays as it is."""
    settings = scene.settings
    pays = settings.observing and not settings.cards_only
    fields = (*_limits(scene.book, settings), *_supervised(settings, pays=pays))
    return form(scene, ChangeSettings, phrase("command.change_settings"), *fields, settings=chosen_settings(settings))


def close_table(scene: Scene) -> Form:
    return form(scene, CloseTable, phrase("command.close_table"), text=phrase("dialog.close_table"))


def load_shoe(scene: Scene, name: str) -> Form:
    decks = scene.book.decks
    picks = (
        Pick(phrase("dialog.decks_number", decks=each), each, each == decks.most)
        for each in range(decks.least, decks.most + 1)
    )
    return form(
        scene,
        LoadShoe,
        phrase("command.load_shoe"),
        Field("shoe", FieldKind.TEXT, phrase("dialog.shoe"), value=name),
        choice("decks", phrase("dialog.decks"), *picks),
        Field("inspected_by", FieldKind.TEXT, phrase("dialog.inspected_by"), optional=True),
    )


# ---- people


def buy_in(scene: Scene) -> Form:
    kinds = (Pick(phrase(f"buy_in_kind.{kind}"), kind.value, kind is BuyInKind.CASH) for kind in BuyInKind)
    return form(
        scene,
        BuyIn,
        phrase("command.buy_in"),
        choice("who", phrase("dialog.who"), *_people(scene, with_free_boxes=True)),
        amount("amount_minor", phrase("dialog.amount")),
        choice("kind", phrase("dialog.kind"), *kinds),
        text=_threshold(scene.settings.buy_in_supervised_minor),
    )


def cash_out(scene: Scene) -> Form:
    kinds = (Pick(phrase(f"cash_out_kind.{kind}"), kind.value, kind is CashOutKind.CASH) for kind in CashOutKind)
    return form(
        scene,
        CashOut,
        phrase("command.cash_out"),
        choice("who", phrase("dialog.who"), *_people(scene)),
        amount("amount_minor", phrase("dialog.amount")),
        choice("kind", phrase("dialog.kind_out"), *kinds),
        text=_threshold(scene.settings.cash_out_supervised_minor),
    )


def _threshold(minor: int | None) -> Phrase | None:
    """From where on a supervisor is needed."""
    return None if minor is None else phrase("dialog.supervised_above", most=Money(minor))


def sit(scene: Scene) -> Form:
    boxes = [box for box in range(1, scene.settings.boxes + 1) if box not in scene.table.seats]
    return form(scene, Sit, phrase("command.sit"), *_place_fields(scene, [Place(box) for box in boxes]))


def stand_behind(scene: Scene) -> Form:
    places = [Place(box, behind=True) for box in range(1, scene.settings.boxes + 1)]
    return form(scene, StandBehind, phrase("command.stand_behind"), *_place_fields(scene, places))


def _place_fields(scene: Scene, places: list[Place]) -> tuple[Field, ...]:
    picks = (
        Pick(phrase("person.box", box=scene.settings.box_label(place.box)), {"who": str(place), "box": place.box})
        for place in places
    )
    return (
        choice("", phrase("dialog.box"), *picks),
        Field("who", FieldKind.TEXT, phrase("dialog.player_id"), optional=True),
    )


def leave(scene: Scene) -> Form:
    return form(scene, Leave, phrase("command.leave"), choice("who", phrase("dialog.who"), *_people(scene)))


def identify_player(scene: Scene) -> Form:
    return form(
        scene,
        IdentifyPlayer,
        phrase("command.identify_player"),
        choice("who", phrase("dialog.who"), *_people(scene)),
        Field("player_id", FieldKind.TEXT, phrase("dialog.player_id")),
    )


def _people(scene: Scene, *, with_free_boxes: bool = False) -> list[Pick]:
    """Everybody at the table, by their boxes first; and whoever may be at a free box."""
    table = scene.table
    seated = [who for _, who in sorted(table.seats.items())]
    here = dict.fromkeys([*seated, *sorted(table.people - set(seated))])
    if with_free_boxes:
        boxes = (str(Place(box)) for box in range(1, scene.settings.boxes + 1) if box not in table.seats)
        here |= dict.fromkeys(boxes)
    return [Pick(phrase("dialog.person", who=who), who) for who in here]


RELIEF = Form(
    title=phrase("console.key.relief"),
    fields=(Field("name", FieldKind.TEXT, phrase("dialog.relieved_by")),),
    command={"command": "relief"},
    text=phrase("dialog.relief"),
)
"""Not a command of the table: the house records it."""

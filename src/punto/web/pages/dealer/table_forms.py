"""Dialogs about the table itself, its shoe and the people at it."""

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.shoes.shoe_register import ShoeLife
from punto.rules.rulebook import Layout, Rulebook
from punto.rules.topics import Topic
from punto.table.procedure.chip_set import ChipSet
from punto.table.procedure.forms import Field, FieldKind, Form, Menu, Pick, amount, choice, form, needed
from punto.table.procedure.scene import Scene, body_of
from punto.table.procedure.trouble.felt import OfferedShoe
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
    StartBoard,
)
from punto.table.records.identity import Place
from punto.table.records.kinds import BuyInKind, CashOutKind
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits, ContinuousShuffler, Settings, chosen_settings
from punto.web.pages.dealer.tray_forms import tray_items
from punto.web.pages.parts.offered_shoes import offered_shoes

_BACK_AFTER = (1, 2, 3)
"""After how many rounds cards go back into a shuffler, to choose from. The API takes any number."""
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
    used = scene.table.at_shuffler and scene.table.board_used
    board = (("start_board", phrase("command.start_board")),) if used else ()
    return Menu(title=phrase("dialog.table"), items=(change, close, *board, *tray_items(scene)))


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
            *_cards_from(book, settings),
            amount("float_minor", phrase("dialog.float"), optional=True),
        ),
        command=body_of(OpenTable, settings=_without_par(settings)),
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


def _cards_from(book: Rulebook, settings: Settings) -> tuple[Field, ...]:
    """A shoe, or a shuffler that takes cards back. It counts from the next shoe that is put on the table."""
    if not book.has_shuffler:
        return ()
    now = settings.continuous
    machines = [ContinuousShuffler(rounds) for rounds in _BACK_AFTER]
    if now is not None and now not in machines:
        machines.append(now)
    picks = (
        Pick(phrase("dialog.from_shuffler", rounds=each.back_after_rounds), to_builtins(each), each == now)
        for each in machines
    )
    return (
        choice(
            "settings.continuous",
            phrase("dialog.cards_from"),
            Pick(phrase("dialog.from_shoe"), None, now is None),
            *picks,
        ),
    )


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
    """The amounts above which a supervisor approves or verifies, and what should lie in the tray.

    The last one is not filled in, nor in the form's command: whoever reads it may have to count the tray.
    """
    asked = {
        "buy_in_supervised_minor": phrase("dialog.buy_in_supervised"),
        "cash_out_supervised_minor": phrase("dialog.cash_out_supervised"),
        "payout_supervised_minor": phrase("dialog.payout_supervised"),
        "tray_par_minor": phrase("dialog.tray_par_kept"),
    }
    return tuple(
        amount(f"settings.{name}", label, getattr(settings, name), optional=True)
        if name != "tray_par_minor"
        else Field(f"settings.{name}", FieldKind.AMOUNT, label, optional=True)
        for name, label in asked.items()
        if pays or name != "payout_supervised_minor"
    )


def _without_par(settings: Settings) -> dict[str, Any]:
    """What should lie in the tray stays as it was unless somebody fills it in."""
    return {name: value for name, value in chosen_settings(settings).items() if name != "tray_par_minor"}


def _range(name: str, limits: BetLimits, least: Phrase, most: Phrase) -> tuple[Field, Field]:
    return (
        amount(f"settings.{name}.min_minor", least, limits.min_minor, optional=True),
        amount(f"settings.{name}.max_minor", most, limits.max_minor, optional=True),
    )


def change_settings(scene: Scene) -> Form:
    """The limits, the amounts that need a supervisor, and what cards come from. Everything else stays as it is."""
    settings = scene.settings
    pays = settings.observing and not settings.cards_only
    fields = (*_limits(scene.book, settings), *_supervised(settings, pays=pays), *_cards_from(scene.book, settings))
    return form(scene, ChangeSettings, phrase("command.change_settings"), *fields, settings=_without_par(settings))


def close_table(scene: Scene) -> Form:
    return form(scene, CloseTable, phrase("command.close_table"), text=phrase("dialog.close_table"))


def start_board(scene: Scene) -> Form:
    return form(scene, StartBoard, phrase("command.start_board"), text=phrase("dialog.start_board"))


def load_shoe(scene: Scene, name: str, fit: Sequence[ShoeLife] = ()) -> Form:
    """``fit`` are the shoes of the register that can be used now; ``name`` is for a house without a register."""
    decks, offered = scene.book.decks, _picks(offered_shoes(scene.book, scene.table, fit))
    picks = (
        Pick(phrase("dialog.decks_number", decks=each), each, each == decks.most)
        for each in range(decks.least, decks.most + 1)
    )
    return form(
        scene,
        LoadShoe,
        phrase("command.load_shoe"),
        choice("decks", phrase("dialog.decks"), *picks),
        *((choice("", phrase("dialog.which_shoe"), *offered),) if offered else ()),
        Field(
            "shoe",
            FieldKind.TEXT,
            phrase("dialog.other_shoe" if offered else "dialog.shoe"),
            value="" if offered else name,
            instead=bool(offered),
        ),
        Field("inspected_by", FieldKind.TEXT, phrase("dialog.inspected_by"), optional=True),
        text=_shuffler_text(scene.settings.continuous),
    )


def _picks(shoes: tuple[OfferedShoe, ...]) -> tuple[Pick, ...]:
    """The first is chosen; the last stands for any other."""
    picks = (Pick(each.label, each.fields, at == 0) for at, each in enumerate(shoes))
    return (*picks, Pick(phrase("dialog.shoe_other"), {})) if shoes else ()


def _shuffler_text(machine: ContinuousShuffler | None) -> Phrase | None:
    return None if machine is None else phrase("dialog.loads_shuffler", rounds=machine.back_after_rounds)


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
        choice("who", phrase("dialog.who"), *_people(scene, with_free_boxes=scene.settings.felt)),
        amount("amount_minor", phrase("dialog.amount")),
        choice("kind", phrase("dialog.kind_out"), *kinds),
        text=_threshold(scene.settings.cash_out_supervised_minor),
    )


def _threshold(minor: int | None) -> Phrase | None:
    """From where on a supervisor is needed."""
    return None if minor is None else phrase("dialog.supervised_above", most=Money(minor))


def sit(scene: Scene) -> Form:
    boxes = [box for box in range(1, scene.settings.boxes + 1) if _is_free(scene, box)]
    return form(scene, Sit, phrase("command.sit"), *_place_fields(scene, [Place(box) for box in boxes]))


def _is_free(scene: Scene, box: int) -> bool:
    """Nobody sits there, or at a felt table somebody did who has left the round."""
    there = scene.table.seats.get(box)
    return there is None or (scene.settings.felt and there in scene.table.abandoned)


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


def relief(by: Position, *, at_terminal: bool) -> Form:
    """Not a command of the table: the house records it. A dealer hands over the console too, at a terminal by PIN."""
    badge = Field("name", FieldKind.TEXT, phrase("dialog.relieved_by"))
    pin = Field("pin", FieldKind.PIN, phrase("dialog.pin"), optional=True)
    own = by is Position.DEALER
    if not own:
        text = phrase("dialog.relief_by_other")
    else:
        text = phrase("dialog.relief_pin") if at_terminal else phrase("dialog.relief")
    return Form(
        title=phrase("console.key.relief"),
        fields=(badge, pin) if own and at_terminal else (badge,),
        command={"command": "relief", "own": own},
        text=text,
    )

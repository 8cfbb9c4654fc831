"""Serves the dialogs of the console. Each is drawn when it is opened, from the table as it is then."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from string import ascii_uppercase

from msgspec import Struct, json

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.turns import in_thread
from punto.rules.refusals import Refused
from punto.table.procedure.forms import FieldKind, Form, Menu, Pick
from punto.table.procedure.scene import Scene, with_keys
from punto.table.procedure.squeeze import standing_squeeze
from punto.table.records.chips import SlipKind
from punto.table.records.positions import DEALER_UP
from punto.table.records.state import Phase
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode
from punto.web.messages import RequestBody, TableView
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.layout import table_path
from punto.web.pages.base.templates import Context, compile_templates, render
from punto.web.pages.dealer import table_forms, tray_forms
from punto.web.pages.dealer.contexts import words_of
from punto.web.pages.dealer.correction_changes import changes_of
from punto.web.pages.dealer.correction_forms import CORRECTIONS, corrections_menu
from punto.web.pages.dealer.keys import ShownKeys, show_keys
from punto.web.pages.dealer.screen import ConsoleScreen
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.authority import require
from punto.web.pages.parts.offered_shoes import fit_shoes
from punto.web.pages.parts.proposals import ShownProposal, show_proposal
from punto.web.views.visibility import sight_at

_DIGITS = "1234567890"


class ShownPick(Struct, frozen=True):
    key: str
    label: str
    value: str
    """As JSON."""
    chosen: bool
    needs: str
    colour: str


class ShownField(Struct, frozen=True):
    name: str
    kind: FieldKind
    label: str
    picks: tuple[ShownPick, ...]
    value: str
    optional: bool
    beside: bool
    instead: bool


class MenuDialog(Context, frozen=True, kw_only=True):
    template = "dealer/menu.html"
    title: str
    text: str
    items: tuple[tuple[str, str, str], ...]
    """Key, name of the form, words."""


class FormDialog(Context, frozen=True, kw_only=True):
    template = "dealer/form.html"
    title: str
    text: str
    command: str
    needs: str
    needs_words: str
    fields: tuple[ShownField, ...]
    pad: str
    """The keys of the pad on the screen; empty if nothing is typed with it."""
    reasons: tuple[str, ...]
    shows_changes: bool


class ApprovalDialog(Context, frozen=True, kw_only=True):
    template = "dealer/approval.html"
    proposal: ShownProposal
    terminal: str
    """Empty: no PIN counts here."""


class KeysDialog(Context, frozen=True, kw_only=True):
    """Every key, for whoever presses ``?``."""

    template = "dealer/key_list.html"
    groups: tuple[ShownKeys, ...]
    card: str
    """The address of the card to print."""


class DialogQuery(RequestBody, frozen=True):
    lang: str | None = None
    proposal: str = ""
    """For the dialog ``approval``."""
    command: str = ""
    """For the part ``changes``: the command as the form has it, as JSON."""


_MENUS: dict[str, Callable[[Scene], Menu]] = {
    "table": table_forms.table_menu,
    "seats": lambda _: table_forms.SEATS_MENU,
    "corrections": corrections_menu,
}
_FORMS: dict[str, Callable[[Scene], Form]] = {
    "change_settings": table_forms.change_settings,
    "close_table": table_forms.close_table,
    "start_board": table_forms.start_board,
    "buy_in": table_forms.buy_in,
    "cash_out": table_forms.cash_out,
    "sit": table_forms.sit,
    "stand_behind": table_forms.stand_behind,
    "leave": table_forms.leave,
    "identify_player": table_forms.identify_player,
    "squeeze": standing_squeeze,
}
_REQUESTS = {"request_fill": SlipKind.FILL, "request_credit": SlipKind.CREDIT}
_SLIPS: dict[str, Callable[[Scene, str], Form]] = {
    "slips": tray_forms.next_steps,
    "void_slip": tray_forms.void_slip,
}


def endpoints(screens: ByTable[ConsoleScreen]) -> list[Endpoint]:
    async def dialog(call: HttpRequest) -> Raw:
        by, name = call.by, call.path["dialog"]
        require(by, DEALER_UP)
        screen = await screens.of(call.path["table"])
        if name == "approval":
            context = await _approval(call)
        elif name == "keys":
            context = _keys(call, screen)
        else:
            context = await _context(call, screen, name)
        await compile_templates(type(context))
        return Raw(render(context, call.language).encode(), "text/html; charset=utf-8")

    return [Endpoint("GET", "/tables/{table}/deal/{dialog}", dialog, "A dialog of the console", query=DialogQuery)]


def _keys(call: HttpRequest, screen: ConsoleScreen) -> Context:
    t = translator(call.language, at_shuffler=screen.cache.live.state.at_shuffler)
    return KeysDialog(groups=show_keys(t), card=table_path(call.path["table"], "keys"))


async def _approval(call: HttpRequest) -> Context:
    proposal = await call.service.proposals.require(call.by, call.path["table"], call.query.proposal)
    shown = await show_proposal(call.service, call.by, proposal, call.language)
    return ApprovalDialog(proposal=shown, terminal=call.terminal)


async def _context(call: HttpRequest, screen: ConsoleScreen, name: str) -> Context:
    by, live = call.by, screen.cache.live
    t = translator(call.language, at_shuffler=live.state.at_shuffler)
    view = await screen.cache.view(sight_at(by, live.setup.name, await call.service.floor_view.rules()))
    if live.state.phase is Phase.CLOSED:
        if name != "open_table":
            raise Refused(WebCode.NOT_FOUND)
        last, chips = await live.last_settings(), await call.service.floor_view.chip_set()
        return _form_dialog(table_forms.open_table(live.rules, last, chips, by.position), view, t)
    table = live.setup.name
    scene = Scene(live.rules, live.state, live.setup.shoes is not ShoeKind.MANUAL, by.position, by.name)
    if name == "changes" and scene.table.round is not None:
        return await in_thread(changes_of, scene, call.query.command, view, t)
    if name in _MENUS:
        return _menu_dialog(_MENUS[name](scene), view, t)
    if name == "shoe":
        day = await call.service.floor_view.gaming_day()
        now = day.local(call.service.floor.clock.now_us())
        fit = await fit_shoes(call, table)
        return _form_dialog(table_forms.load_shoe(scene, f"{now:%y%m%d-%H%M%S}", fit), view, t)
    if name == "relief":
        return _form_dialog(table_forms.relief(by.position, at_terminal=bool(call.terminal)), view, t)
    if name == "count_tray":
        waiting, chips = await call.service.counts.waiting(by, table), await call.service.floor_view.chip_set()
        return _form_dialog(tray_forms.count_tray(chips, waiting, at_terminal=bool(call.terminal)), view, t)
    if name in _REQUESTS:
        chips = await call.service.floor_view.chip_set()
        return _form_dialog(tray_forms.request_slip(chips, _REQUESTS[name]), view, t)
    if name in _SLIPS and scene.table.slips:
        return _form_dialog(_SLIPS[name](scene, table), view, t)
    return _form_dialog(_form(scene, name), view, t)


def _form(scene: Scene, name: str) -> Form:
    if name in _FORMS:
        return _FORMS[name](scene)
    if name not in CORRECTIONS or scene.table.round is None:
        raise Refused(WebCode.NOT_FOUND)
    return CORRECTIONS[name][2](scene)


# ---- in words


def _menu_dialog(menu: Menu, view: TableView, t: Translator) -> Context:
    return MenuDialog(
        title=words_of(menu.title, view, t),
        text=words_of(menu.text, view, t) if menu.text else "",
        items=tuple((key, name, words_of(label, view, t)) for key, (name, label) in with_keys(menu.items)),
    )


def _form_dialog(form: Form, view: TableView, t: Translator) -> Context:
    return FormDialog(
        title=words_of(form.title, view, t),
        text=words_of(form.text, view, t) if form.text else "",
        command=json.encode(form.command).decode(),
        needs=form.needs or "",
        needs_words=t("console.told.needs", position=form.needs) if form.needs else "",
        fields=tuple(
            ShownField(
                name=field.name,
                kind=field.kind,
                label=words_of(field.label, view, t),
                picks=tuple(_show_picks(field.picks, view, t)),
                value=field.value,
                optional=field.optional,
                beside=field.beside,
                instead=field.instead,
            )
            for field in form.fields
        ),
        pad=_pad({field.kind for field in form.fields}),
        shows_changes=form.shows_changes,
        reasons=(t("dialog.reason.slip"), t("dialog.reason.misheard"), t("dialog.reason.moved")),
    )


def _pad(kinds: set[FieldKind]) -> str:
    """Amounts are typed with cents and thousands."""
    if FieldKind.AMOUNT in kinds:
        return f"{_DIGITS}.k"
    return _DIGITS if kinds & {FieldKind.NUMBER, FieldKind.PILES, FieldKind.PIN} else ""


def _show_picks(picks: tuple[Pick, ...], view: TableView, t: Translator) -> Iterator[ShownPick]:
    labels = [words_of(pick.label, view, t) for pick in picks]
    for key, label, pick in zip(keys_of(labels), labels, picks, strict=True):
        yield ShownPick(key, label, json.encode(pick.value).decode(), pick.chosen, pick.needs or "", pick.colour)


def keys_of(labels: Sequence[str]) -> list[str]:
    """A key for each answer. Where answers show numbers, a digit is the answer that shows it, and no other.

    Answers that start with a letter each, as layouts do, have that letter.

    >>> keys_of(["Box 3", "Box 5", "Box 10", "Behind box 3"])
    ['3', '5', 'A', 'B']
    >>> keys_of(["cash", "chips"])
    ['1', '2']
    >>> keys_of(["A (5 bets)", "B (7 bets)"])
    ['A', 'B']
    """
    letters = [found[0] for label in labels if (found := re.match(r"[A-Z](?=\W)", label))]
    if len(set(letters)) == len(labels):
        return letters
    numbers = [found[0] if (found := re.search(r"\d+", label)) else "" for label in labels]
    if not any(numbers):
        return [key for key, _ in with_keys(labels)]
    others = chain(ascii_uppercase, map(str, count(36)))  # those after the last letter are chosen by a tap
    keys: list[str] = []
    for number in numbers:
        keys.append(number if len(number) == 1 and number not in keys else next(others))
    return keys

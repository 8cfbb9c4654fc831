"""Dialogs about the tray: asking for fills and credits, what becomes of them, and blind counts."""

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.chips.tray_record import slip_number
from punto.floor.house.projections.counts import FirstCount
from punto.table.procedure.chip_set import ChipSet
from punto.table.procedure.forms import Field, FieldKind, Form, Pick, choice, form, needed, reason
from punto.table.procedure.scene import Scene, body_of
from punto.table.records.chips import CountPurpose, ReceiveSlip, RequestSlip, SendSlip, Slip, SlipKind, VoidSlip

_COUNT = "count"
"""Not a command of the table: the floor compares it with somebody else's count."""


def tray_items(scene: Scene) -> tuple[tuple[str, Phrase], ...]:
    """What can be done with the tray now: names of dialogs and what they do."""
    asked = (("request_fill", phrase("tray.ask_fill")), ("request_credit", phrase("tray.ask_credit")))
    open_ones = (("slips", phrase("tray.slips")), ("void_slip", phrase("command.void_slip")))
    return (*asked, *(open_ones if scene.table.slips else ()), ("count_tray", phrase("command.count_tray")))


def request_slip(chip_set: ChipSet, kind: SlipKind) -> Form:
    title = phrase("tray.ask_fill") if kind is SlipKind.FILL else phrase("tray.ask_credit")
    return Form(title=title, fields=(_piles(chip_set),), command={**body_of(RequestSlip), "kind": kind.value})


def next_steps(scene: Scene, table: str) -> Form:
    """Each open slip with its next step."""
    picks = (_step(scene, table, slip) for slip in scene.table.slips.values())
    return Form(title=phrase("tray.slips"), fields=(choice("", phrase("tray.which"), *picks),), command={})


def _step(scene: Scene, table: str, slip: Slip) -> Pick:
    kind = ReceiveSlip if slip.sent else SendSlip
    number, amount = slip_number(table, slip.number), Money(slip.amount_minor)
    values = {"number": number, "kind": slip.kind.value, "amount": amount}
    label = phrase("tray.received", **values) if slip.sent else phrase("tray.sent", **values)
    needs = needed(kind, scene.table.settings, scene.position)
    return Pick(label, body_of(kind, slip=slip.number), needs=needs)


def void_slip(scene: Scene, table: str) -> Form:
    picks = (
        Pick(
            phrase(
                "tray.slip",
                number=slip_number(table, slip.number),
                kind=slip.kind.value,
                amount=Money(slip.amount_minor),
            ),
            slip.number,
        )
        for slip in scene.table.slips.values()
    )
    return form(scene, VoidSlip, phrase("command.void_slip"), choice("slip", phrase("tray.which"), *picks), reason())


def count_tray(chip_set: ChipSet, waiting: FirstCount | None, *, at_terminal: bool) -> Form:
    """Nothing of what should lie there, and nothing of another count."""
    chosen = waiting.purpose if waiting is not None else None
    picks = (Pick(phrase(f"count_purpose.{each}"), each.value, each is chosen) for each in CountPurpose)
    signs = (
        (
            Field("name", FieldKind.TEXT, phrase("tray.counted_by"), optional=True),
            Field("pin", FieldKind.PIN, phrase("dialog.pin"), optional=True),
        )
        if at_terminal
        else ()
    )
    return Form(
        title=phrase("command.count_tray"),
        fields=(choice("purpose", phrase("tray.purpose"), *picks), _piles(chip_set, optional=True), *signs),
        command={"command": _COUNT},
        text=phrase("tray.blind") if waiting is None else phrase("tray.second", by=waiting.by),
    )


def _piles(chip_set: ChipSet, *, optional: bool = False) -> Field:
    """From the largest chip."""
    chips = sorted(chip_set.chips, key=lambda chip: -chip.value_minor)
    picks = (
        Pick(phrase("tray.chip", value=Money(chip.value_minor)), chip.value_minor, colour=chip.colour) for chip in chips
    )
    return Field("piles", FieldKind.PILES, phrase("tray.chips"), tuple(picks), optional=optional)

"""The words of a script: one line per command, read strictly. README.md lists them all."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from punto.rules.coup.cards import FACE_DOWN
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.rules.refusals import Refused
from punto.table.records import chips, commands
from punto.table.records.commands import Command
from punto.table.records.kinds import BuyInKind, CashOutKind, ShoeCheck
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from tests.golden.slips import read_slip
from tests.golden.trouble import WHO, read_face, read_trouble

Staff = Mapping[str, Position]
"""The staff with their positions; everybody else is a player."""

VERBS: dict[str, tuple[type[Command], str]] = {
    "opens the table": (commands.OpenTable, "*"),
    "changes the settings": (commands.ChangeSettings, "*"),
    "closes the table": (commands.CloseTable, ""),
    "loads shoe": (commands.LoadShoe, "<shoe> of <decks> decks"),
    "burns": (commands.BurnCards, "<card>"),
    "sells": (commands.BuyIn, "<who> <amount_minor>"),
    "sells for a voucher": (commands.BuyIn, "<who> <amount_minor>"),
    "changes chips of": (commands.BuyIn, "<who> <amount_minor>"),
    "cashes": (commands.CashOut, "<who> <amount_minor>"),
    "cashes for a voucher": (commands.CashOut, "<who> <amount_minor>"),
    "asks for a fill of": (chips.RequestSlip, "<piles>"),
    "asks for a credit of": (chips.RequestSlip, "<piles>"),
    "sends slip": (chips.SendSlip, "<slip>"),
    "receives slip": (chips.ReceiveSlip, "<slip>"),
    "voids slip": (chips.VoidSlip, "<slip> because <reason>"),
    "counts the tray": (chips.CountTray, "<piles>"),
    "counts the opener": (chips.CountTray, "<piles>"),
    "counts the closer": (chips.CountTray, "<piles>"),
    "sits at": (commands.Sit, "<box>"),
    "stands behind": (commands.StandBehind, "<box>"),
    "leaves": (commands.Leave, ""),
    "identifies": (commands.IdentifyPlayer, "<who> as <player_id>"),
    "starts a new board": (commands.StartBoard, ""),
    "calls place your bets": (commands.OpenBetting, ""),
    "bets": (commands.PlaceBet, "<stake_minor> on <bet> at <box>"),
    "bets on request": (commands.PlaceBet, "<stake_minor> on <bet> at <box>"),
    "bets as before": (commands.PlaceBet, "<stake_minor> on <bet> at <box>"),
    "confirms the bets": (commands.ConfirmBets, ""),
    "confirms the bets at": (commands.ConfirmBets, "<box>"),
    "withdraws": (commands.WithdrawBet, "<amount_minor> from <bet> at <box>"),
    "rejects the excess at": (commands.RejectExcess, "<box>"),
    "advises": (commands.AdviseMinimum, "<who> of <bet> at <box>"),
    "calls no more bets": (commands.CloseBetting, ""),
    "asks to squeeze": (commands.RequestSqueeze, "<side>"),
    "grants the squeeze of": (commands.GrantSqueeze, "<side>"),
    "grants every squeeze of": (commands.GrantSqueeze, "<side> in this shoe"),
    "refuses the squeeze of": (commands.RefuseSqueeze, "<side>"),
    "waives third-card insurance": (commands.WaiveThirdCardInsurance, ""),
    "deals": (commands.DealCard, "<card>"),
    "draws without an offer": (commands.DealCard, "<card>"),
    "draws before the close": (commands.DealCard, "<card>"),
    "squeezes place": (commands.SqueezeCard, "<place>"),
    "records that": (commands.SqueezeCard, "<who> opened place <place>"),
    "turns": (commands.TurnCard, "<place> <card>"),
    "offers insurance": (commands.OpenInsurance, ""),
    "insures": (commands.TakeInsurance, "<stake_minor> at <box>"),
    "insures on request": (commands.TakeInsurance, "<stake_minor> at <box>"),
    "passes on insurance": (commands.PassInsurance, "at <box>"),
    "calls insurance": (commands.CallInsurance, "<stake_minor> at <box>"),
    "calls the largest insurance": (commands.CallInsurance, "at <box>"),
    "ends insurance": (commands.CloseInsurance, ""),
    "settles": (commands.Settle, ""),
    "verifies the payouts": (commands.VerifyPayouts, ""),
    "marks the sheet paid": (commands.MarkPaid, ""),
    "calls the pit": (CallPit, ""),
    "answers the call": (AnswerCall, ""),
}
"""The verb, the command it gives, and the words that follow, with the command's fields in brackets."""

_FIXED: dict[str, dict[str, object]] = {
    "sells for a voucher": {"kind": BuyInKind.VOUCHER},
    "changes chips of": {"kind": BuyInKind.CHIPS},
    "cashes for a voucher": {"kind": CashOutKind.VOUCHER},
    "asks for a fill of": {"kind": chips.SlipKind.FILL},
    "asks for a credit of": {"kind": chips.SlipKind.CREDIT},
    "counts the tray": {"purpose": chips.CountPurpose.CHECK},
    "counts the opener": {"purpose": chips.CountPurpose.OPENER},
    "counts the closer": {"purpose": chips.CountPurpose.CLOSER},
    "bets on request": {"on_behalf": True},
    "bets as before": {"assumed": True},
    "insures on request": {"on_behalf": True},
    "draws without an offer": {"not_offered": True},
    "draws before the close": {"before_close": True},
    "grants every squeeze of": {"standing": True},
}
"""Fields that a verb sets by itself."""

NEXT = "next"
"""Instead of a card: the known one that comes next because it was drawn too early."""


def _read_piles(text: str) -> tuple[chips.ChipPile, ...]:
    """``20x1000,8x25``: twenty chips of 1,000 and eight of 25; ``nothing`` for none."""
    piles = [pile.split("x") for pile in text.split(",")] if text != "nothing" else []
    return tuple(chips.ChipPile(read_amount(value), int(count)) for count, value in piles)


_READ: dict[str, Callable[[str], object]] = {
    "slip": int,
    "piles": _read_piles,
    "box": int,
    "place": int,
    "decks": int,
    "card": lambda text: None if text in (FACE_DOWN, NEXT) else read_face(text),
    "side": Side,
    "amount_minor": read_amount,
    "stake_minor": read_amount,
}


_WORD = re.compile(WHO)
"""A word, or a place such as ``behind box 3``."""


class NotUnderstood(ValueError):
    """A line that gives no command."""


def read_command(line: str, staff: Staff) -> Command:
    return _read_command(line, staff.get(line.partition(" ")[0], Position.PLAYER))


@cache  # most lines stand in many files
def _read_command(line: str, position: Position) -> Command:
    by, _, said = line.partition(" ")
    try:
        trouble = read_trouble(by, said) or read_slip(by, said)
    except Refused as error:
        raise NotUnderstood(f"{line!r}: {error}") from error
    if trouble is not None:
        kind, fields = trouble
        return kind(by=by, position=position, **fields)
    spaced = f"{said} "
    verb = max((verb for verb in VERBS if spaced.startswith(f"{verb} ")), key=len, default=None)
    if verb is None:
        raise NotUnderstood(
            f"{line!r}: expected somebody, then one of {', '.join(VERBS)}, or a report, a ruling or a correction"
        )
    kind, pattern = VERBS[verb]
    words = _WORD.findall(said.removeprefix(verb))
    if pattern == "*":
        return _read_opening(kind, by, position, words)
    fields = dict(_FIXED.get(verb, {}))
    if "who" in kind.__struct_fields__ and "<who>" not in pattern and kind is not commands.SqueezeCard:
        fields |= _for_whom(words, by)
    try:
        for expected, word in zip(pattern.split(), words, strict=True):
            if expected[0] == "<":
                fields[expected[1:-1]] = _READ.get(expected[1:-1], str)(word)
            elif expected != word:
                raise ValueError(f"{word!r} is not {expected!r}")  # noqa: TRY301 - reported below with the whole line
    except (ValueError, Refused) as error:
        raise NotUnderstood(f"{line!r}: expected {verb} {pattern}: {error}") from error
    return kind(by=by, position=position, **fields)


def _for_whom(words: list[str], by: str) -> dict[str, Any]:
    """Take ``for ann`` or ``on behalf of ann`` off the end; without them a person acts for themselves."""
    for phrase, fields in ((["on", "behalf", "of"], {"on_behalf": True}), (["for"], {})):
        if words[-len(phrase) - 1 : -1] == phrase:
            who = words.pop()
            del words[-len(phrase) :]
            return {"who": who, **fields}
    return {"who": by}


_BESIDE_SETTINGS: dict[str, Callable[[str], object]] = {"last_slip": int, "no_insurance_asked_by": str}


def _read_opening(kind: type[Command], by: str, position: Position, words: list[str]) -> Command:
    """Settings as ``key=value``; the float; balances carried over as ``carried.account=amount``."""
    settings: dict[str, Any] = {"main": {}, "side": {}}
    more: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if key in ("main", "side"):
            least, _, most = value.partition("-")
            limits = {"min_minor": least, "max_minor": most}
            settings[key] = {name: read_amount(text) for name, text in limits.items() if text}
        elif key == "differential":
            settings["differential_minor"] = read_amount(value)
        elif key == "float":
            more["float_minor"] = read_amount(value)
        elif key in _BESIDE_SETTINGS:
            more[key] = _BESIDE_SETTINGS[key](value)
        elif key.startswith("carried."):
            more.setdefault("carried", {})[key.removeprefix("carried.")] = read_amount(value)
        elif key.startswith("taken_off."):
            more.setdefault("taken_off", {})[key.removeprefix("taken_off.")] = value
        elif key in ("automations", "box_labels"):
            settings[key] = value.split(",")
        elif key in Settings.__struct_fields__:
            settings[key] = _read_machine(value) if key == "continuous" else _read_setting(value) if equals else True
        else:
            raise NotUnderstood(f"{word!r} is no setting")
    try:
        more["settings"] = msgspec.convert(settings, Settings)
        if "taken_off" in more:
            more["taken_off"] = msgspec.convert(more["taken_off"], dict[str, ShoeCheck])
        return kind(by=by, position=position, **more)
    except (msgspec.ValidationError, TypeError) as error:
        raise NotUnderstood(f"{' '.join(words)!r}: {error}") from error


def _read_machine(value: str) -> dict[str, object]:
    rounds, _, burn = value.partition(",")
    return {"back_after_rounds": int(rounds or 1), "burn": burn == "burn"}


def _read_setting(value: str) -> object:
    if value == "false":
        return False
    return int(value) if value.isdigit() else value

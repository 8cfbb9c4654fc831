"""The tiles: what one can see go wrong, in the order of docs/irregularities.md."""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Clause, Refusal
from punto.rules.topics import Topic
from punto.table.moves.corrections import correcting_moves
from punto.table.play.claims import claimed_sides
from punto.table.play.opening import shoe_empty
from punto.table.procedure.trouble import bet_acts, card_acts
from punto.table.procedure.trouble.acts import TroubleAct
from punto.table.procedure.trouble.felt import NOBODY, TableInTrouble
from punto.table.procedure.trouble.questions import FactPick
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode, refuse


class TileName(StrEnum):
    EXCESS = "excess"
    WRONG_NUMBER = "wrong_number"
    WRONG_SIDE = "wrong_side"
    FACE_UP = "face_up"
    AT_ONCE = "at_once"
    DEALING_ERROR = "dealing_error"
    OPTIONS = "options"
    WRONG_CARDS = "wrong_cards"
    RUNS_OUT = "runs_out"
    STOPPED = "stopped"
    INTERRUPTION = "interruption"
    SERVER_AWAY = "server_away"
    RESTORED = "restored"
    ENTERED_WRONGLY = "entered_wrongly"
    LATE_BET = "late_bet"
    UNINSURED = "uninsured"
    WALKS_AWAY = "walks_away"
    EARLIER_ROUND = "earlier_round"
    NOTHING_FITS = "nothing_fits"


def no_leads(_: TableInTrouble) -> tuple[FactPick, ...]:
    return ()


class TileKind(Struct, frozen=True):
    """What there is to a tile, at every table."""

    acts: tuple[TroubleAct, ...]
    topics: tuple[Topic, ...] = ()
    leads: Callable[[TableInTrouble], tuple[FactPick, ...]] = no_leads
    """Further answers, which lead to another tile or to a dialog of the console."""
    likely: Callable[[TableInTrouble], str] = lambda _: ""
    """The act that the table itself points to; empty: none."""


class Tile(Struct, frozen=True, kw_only=True):
    """A tile at one table."""

    name: TileName
    why_not: Refusal | Phrase | None
    """None: it is possible now."""
    clauses: tuple[Clause, ...]
    wanted: bool
    """The table waits for this."""
    leads_to: TileName | None = None
    """Where to go instead, if the book has no rule on it."""


# ---- leads

_RAISED = {
    Irregularity.EXCESS_CARD: TileName.EXCESS,
    Irregularity.WRONG_NUMBER: TileName.WRONG_NUMBER,
    Irregularity.CARD_COUNT: TileName.WRONG_CARDS,
    Irregularity.FOREIGN_CARD: TileName.WRONG_CARDS,
}


def _as_raised(felt: TableInTrouble) -> tuple[FactPick, ...]:
    raised = felt.raised
    if raised is None:
        return ()
    return (FactPick("raised", phrase("guide.as_raised", kind=raised.kind), leads_to=_RAISED[raised.kind]),)


def _game_stopped(_: TableInTrouble) -> tuple[FactPick, ...]:
    return (FactPick("game_stopped", phrase("guide.game_stopped"), leads_to=TileName.INTERRUPTION),)


_FORMS: tuple[tuple[str, type[Command], Phrase], ...] = (
    ("correct_card", corrections.CorrectCard, phrase("command.correct_card")),
    ("correct_bet", corrections.CorrectBet, phrase("command.correct_bet")),
    ("add_bet", corrections.CorrectBet, phrase("dialog.add_bet")),
    ("correct_insurance", corrections.CorrectInsurance, phrase("command.correct_insurance")),
    ("correct_offer", corrections.CorrectInsurance, phrase("dialog.correct_offer")),
    ("correct_payment", corrections.CorrectPayment, phrase("command.correct_payment")),
    ("reopen_betting", corrections.ReopenBetting, phrase("command.reopen_betting")),
    ("cancel_round", corrections.CancelRound, phrase("command.cancel_round")),
)
"""The dialogs of the console that correct a slip."""


def _correction_forms(felt: TableInTrouble) -> tuple[FactPick, ...]:
    """The dialogs whose correction somebody could make now."""
    moves = correcting_moves(felt.book, felt.table, NOBODY, Position.CASINO_MANAGER)
    kinds = {type(move.command) for move in moves if not _is_refused(felt, move.command)}
    if felt.sealed:
        kinds -= {corrections.CorrectCard}
    now = felt.table.round
    nothing = {
        *(() if now is not None and now.at_close else ("correct_bet",)),
        *(() if now is not None and now.insurance.cover else ("correct_insurance",)),
    }
    return tuple(
        FactPick(name, label, form=name) for name, kind, label in _FORMS if kind in kinds and name not in nothing
    )


def _is_refused(felt: TableInTrouble, command: Command) -> bool:
    fields = {name: getattr(command, name) for name in command.__struct_fields__ if name not in ("by", "position")}
    return felt.refusal_of(type(command), fields) is not None


def _likely_at_once(felt: TableInTrouble) -> str:
    lost = felt.round is not None and felt.round.irregularities.order_lost
    return card_acts.RULE_ORDER.name if lost else card_acts.AT_ONCE.name


def _likely_wrong_cards(felt: TableInTrouble) -> str:
    return card_acts.EXTRA_COPY.name if felt.raised is not None else ""


TILES: dict[TileName, TileKind] = {
    TileName.EXCESS: TileKind((card_acts.EXCESS,), (Topic.EXCESS_CARDS,)),
    TileName.WRONG_NUMBER: TileKind((card_acts.WRONG_NUMBER,), (Topic.WRONG_NUMBER_OF_CARDS,)),
    TileName.WRONG_SIDE: TileKind((card_acts.WRONG_SIDE,), (Topic.WRONG_SIDE,)),
    TileName.FACE_UP: TileKind((card_acts.FACE_UP,), (Topic.FACE_UP,)),
    TileName.AT_ONCE: TileKind(
        (card_acts.AT_ONCE, card_acts.RULE_ORDER, card_acts.REPLACE_SHOE),
        (Topic.SIMULTANEOUS_CARDS,),
        likely=_likely_at_once,
    ),
    TileName.DEALING_ERROR: TileKind((card_acts.DEALING_ERROR,), (Topic.OPTIONS,)),
    TileName.OPTIONS: TileKind((bet_acts.CHOOSE, bet_acts.CALL_TIME), (Topic.OPTIONS,)),
    TileName.WRONG_CARDS: TileKind(
        (
            card_acts.FOREIGN_CARD,
            card_acts.EXTRA_COPY,
            card_acts.TOO_FEW,
            card_acts.NOT_SHUFFLED,
            card_acts.INSPECT_SHOE,
        ),
        (Topic.FOREIGN_CARD, Topic.CARD_COUNT, Topic.NOT_SHUFFLED),
        likely=_likely_wrong_cards,
    ),
    TileName.RUNS_OUT: TileKind((card_acts.RUNS_OUT,), (Topic.SHOE_RUN_OUT,)),
    TileName.STOPPED: TileKind((card_acts.DISMISS, card_acts.TAKE_BACK), leads=_as_raised),
    TileName.INTERRUPTION: TileKind((card_acts.INTERRUPTION,), (Topic.INTERRUPTION,)),
    TileName.SERVER_AWAY: TileKind((card_acts.RESUME,), leads=_game_stopped, likely=lambda _: card_acts.RESUME.name),
    TileName.RESTORED: TileKind(()),
    TileName.ENTERED_WRONGLY: TileKind((bet_acts.CORRECT_CHOICE,), (Topic.DISPLAY,), _correction_forms),
    TileName.LATE_BET: TileKind((bet_acts.LATE_BET,), (Topic.BETTING_CLOSED,)),
    TileName.UNINSURED: TileKind(
        (bet_acts.RETURN_BET, bet_acts.LATE_OFFER, bet_acts.CARD_OUT),
        (Topic.INSURANCE_NOT_OFFERED,),
        likely=bet_acts.likely_uninsured,
    ),
    TileName.WALKS_AWAY: TileKind((bet_acts.LEAVES,), (Topic.WALKING_AWAY,)),
    TileName.EARLIER_ROUND: TileKind((bet_acts.EARLIER_ROUND,), (Topic.LATER_ERROR,)),
    TileName.NOTHING_FITS: TileKind((bet_acts.RULING,), (Topic.RULING,)),
}


def tiles(felt: TableInTrouble) -> tuple[Tile, ...]:
    wanted = _wanted(felt)
    return tuple(_tile(felt, name, wanted=name in wanted) for name in TileName)


def _tile(felt: TableInTrouble, name: TileName, *, wanted: bool) -> Tile:
    why_not = why_not_at_all(felt, name)
    clauses = dict.fromkeys(clause for topic in TILES[name].topics for clause in felt.book.topics[topic])
    not_in_book = isinstance(why_not, Refusal) and why_not.code is TableCode.NOT_IN_BOOK
    leads_to = TileName.NOTHING_FITS if not_in_book else None
    return Tile(name=name, why_not=why_not, clauses=tuple(clauses), wanted=wanted, leads_to=leads_to)


def why_not_at_all(felt: TableInTrouble, name: TileName) -> Refusal | Phrase | None:
    """Why nothing that the tile leads to is possible now; None if something is."""
    if felt.table.phase is Phase.CLOSED:
        return refuse(felt.book, TableCode.TABLE_CLOSED)
    kind = TILES[name]
    reasons = [act.why_not(felt) for act in kind.acts]
    if None in reasons or any(pick.form for pick in kind.leads(felt)):
        return None
    return reasons[0] if reasons else phrase("guide.system_does")


def _wanted(felt: TableInTrouble) -> set[TileName]:
    """The tiles that the table waits for."""
    if felt.raised is not None:
        return {_RAISED[felt.raised.kind], TileName.STOPPED}
    if felt.round is None:
        return set()
    if felt.round.irregularities.options is not None:
        return {TileName.OPTIONS}
    if felt.table.restart is not None:
        return {TileName.SERVER_AWAY}
    if felt.round.irregularities.order_lost:
        return {TileName.AT_ONCE}
    if claimed_sides(felt.book, felt.table):
        return {TileName.UNINSURED}
    runs_out = shoe_empty(felt.table) and card_acts.RUNS_OUT.why_not(felt) is None
    return {TileName.RUNS_OUT} if runs_out else set()

"""The settings of a table. Each one is checked against the book."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import fields

from punto.catalogue.values import Money
from punto.rules.money import Rounding
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import Limits
from punto.rules.topics import Topic
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.refusals import TableCode, refuse

MAX_LABEL_LENGTH = 3
_CURRENCY = re.compile("[A-Z]{3}")


class Automation(StrEnum):
    """A step that a table can take by itself."""

    OPEN_BETTING = "open_betting"
    CLOSE_BETTING = "close_betting"
    BURN = "burn"
    DEAL = "deal"
    TURN = "turn"
    SQUEEZE = "squeeze"
    """Turn the cards that a player squeezes and has not laid open in time."""
    OPEN_INSURANCE = "open_insurance"
    CLOSE_INSURANCE = "close_insurance"
    SETTLE = "settle"
    NEXT_ROUND = "next_round"
    CALL_TIME = "call_time"


class BoxEnd(StrEnum):
    """One of the two ends of a layout."""

    FIRST = "first"
    """Where box 1 is: at the dealer's right, unless the house numbers its boxes the other way."""
    LAST = "last"


class BetLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """The minimum of a bet and the maximum of a box, for one kind of bet."""

    min_minor: int | None = None
    max_minor: int | None = None


_ROUND_CARDS = 6
"""The most cards that a round can take."""
_BURN_CARDS = 11
"""The most cards that a burn can take: the one shown, and ten more."""


class ContinuousShuffler(Struct, frozen=True, forbid_unknown_fields=True):
    """A machine that takes cards back while the game goes on. It has no cut card and never ends by itself."""

    back_after_rounds: int = 1
    """The cards of a round go back at that call for bets after it: 1 for the next call."""
    burn: bool = False
    """Before its first round, as :attr:`Settings.burn` at a shoe. These cards go back with those of that round."""

    def most_rounds(self, decks: int) -> int:
        """After how many rounds cards can go back, so that a round is always left in a machine with these decks."""
        return (52 * decks - _BURN_CARDS * self.burn) // _ROUND_CARDS


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    layout: str
    boxes: int
    box_labels: tuple[str, ...] = ()
    """What is printed in the boxes, in their order; empty for their numbers. Commands and events use the numbers."""
    currency: str = "SGD"
    main: BetLimits = BetLimits()
    """For Player and Banker."""
    side: BetLimits = BetLimits()
    """For every other bet."""
    differential_minor: int | None = None
    face_down: bool = False
    private: bool = False
    no_insurance: bool = False
    """Only at a private table, at a player's request and with the house's consent."""
    observing: bool = False
    """Record what lies on the felt, and flag what other tables refuse."""
    cards_only: bool = False
    """Record the cards and no bets. The table is a felt table, even without ``observing``."""
    faces_by_rank: bool = False
    """Cards may be entered by rank alone. No bet depends on a suit, but foreign cards are then harder to find."""
    rounding: Rounding = Rounding.DOWN
    """Of a payout that is not a whole number of smallest units."""
    smallest_chip_minor: int = 1
    """What is handed over for a bet is a multiple of this."""
    chip_rounding: Rounding = Rounding.UP
    """Of what the smallest chip cannot pay. The difference is posted to the account ``rounding``."""
    buy_in_supervised_minor: int | None = None
    """A dealer sells chips up to this amount. A larger buy-in needs a pit supervisor or above."""
    cash_out_supervised_minor: int | None = None
    """The same for cash-outs."""
    payout_supervised_minor: int | None = None
    """A pit supervisor or above verifies each larger payout. Only at tables that record bets on a felt."""
    tray_par_minor: int | None = None
    """What should lie in the tray. Nothing is refused by it: the pit sees how far the tray is off."""
    takes_from: BoxEnd = BoxEnd.FIRST
    """Where the dealer starts to take lost bets. They pay the other way."""
    burn: bool = True
    """Before the first round of a shoe, show its first card and burn as many cards as its value."""
    cut_card: int = 14
    """Position of the cut card, in cards from the end of the shoe."""
    rounds_after_cut_card: int = 1
    """Rounds played after the round in which the cut card comes out."""
    continuous: ContinuousShuffler | None = None
    """The next shoe that is loaded is such a machine. ``burn`` and the cut card mean nothing there."""
    forgone_for_the_round: bool = True
    """A player who does not take one insurance offer cannot take the next one. No effect in books without insurance."""
    established_by_staked_bets: bool = False
    """Only bets with a stake can establish an outcome, not the whole menu. Not by the book."""
    squeeze_by_hand: bool = False
    """The highest bettor of each hand may squeeze it, not only the highest bettor of the table."""
    squeeze_granted: bool = False
    """The house always permits the squeeze, so a request is granted at once."""
    house: Position = Position.PIT_SUPERVISOR
    """The lowest position that acts for "the house" where a clause says only that."""
    automations: tuple[Automation, ...] = ()

    def box_label(self, box: int) -> str:
        return box_label(self.box_labels, box)

    @property
    def felt(self) -> bool:
        """The chips and cards are real: the table records what people did and flags what the book forbids."""
        return self.observing or self.cards_only

    @property
    def maximum_minor(self) -> int | None:
        """The maximum permissible limit, which limits insurance at some odds."""
        return Limits(self.main.min_minor, self.main.max_minor, self.differential_minor).maximum_minor


def box_label(labels: Sequence[str], box: int) -> str:
    """The label of a box, or its number if it has none.

    >>> box_label(("1", "2", "3", "5"), 4), box_label((), 4)
    ('5', '4')
    """
    return labels[box - 1] if 0 < box <= len(labels) else str(box)


def chosen_settings(settings: Settings) -> dict[str, Any]:
    """The settings for the body of ``open_table``, without those at their default: the house's readings set these."""
    values = to_builtins(settings)
    return {
        field.name: values[field.name]
        for field in fields(Settings)
        if field.required or getattr(settings, field.name) != field.default
    }


def check_settings(book: Rulebook, settings: Settings) -> Refusal | None:
    """Refuse settings that the book does not allow."""
    return (
        _check_table(book, settings)
        or _check_limits(book, settings)
        or _check_house(book, settings)
        or _check_supervised(book, settings)
    )


def check_limits_displayed(book: Rulebook, settings: Settings) -> Refusal | None:
    """Refuse settings without the limits that the book requires a table to display.

    Tables opened by earlier releases may lack them, so this is checked only for new settings.
    """
    if not book.has(Topic.DIFFERENTIAL):
        return None
    if settings.main.min_minor is not None and settings.differential_minor is not None:
        return None
    return refuse(book, TableCode.BAD_SETTING, Topic.LIMITS_DISPLAYED, variant="limits_displayed")


def _check_table(book: Rulebook, settings: Settings) -> Refusal | None:
    layout = book.layouts.get(settings.layout)
    if layout is None:
        return book.unknown_layout(settings.layout).refusal
    most = layout.most_boxes or 99
    # a layout with one number gives the maximum
    least = layout.least_boxes or 1 if layout.least_boxes != layout.most_boxes else 1
    if not least <= settings.boxes <= most:
        return refuse(
            book,
            TableCode.BOXES_OUT_OF_RANGE,
            Topic.BOXES,
            layout=layout.id,
            least=least,
            most=most,
            boxes=settings.boxes,
        )
    if settings.faces_by_rank and book.needs_suits(layout.menu):
        suited = tuple(bet for bet in layout.menu if book.bets[bet].needs_suits)
        return refuse(book, TableCode.BAD_SETTING, Topic.BETS_OFFERED, variant="faces_by_rank_suits", bets=suited)
    if refusal := _check_labels(book, settings):
        return refusal
    if not _CURRENCY.fullmatch(settings.currency):
        return refuse(book, TableCode.BAD_SETTING, variant="currency", currency=settings.currency[:40])
    if not (0 <= settings.cut_card < 52 and 0 <= settings.rounds_after_cut_card <= 99):
        return refuse(book, TableCode.BAD_SETTING, variant="cut_card")
    if refusal := _check_shuffler(book, settings.continuous):
        return refusal
    if not _is_limit(settings.smallest_chip_minor):
        return refuse(book, TableCode.BAD_SETTING, variant="smallest_chip", most=Money(MAX_AMOUNT_MINOR))
    return None


def _check_shuffler(book: Rulebook, shuffler: ContinuousShuffler | None) -> Refusal | None:
    """Refuse a machine in a book that knows none, and one that no set of the book is large enough for."""
    if shuffler is None:
        return None
    if not book.has_shuffler:
        return refuse(book, TableCode.NOT_IN_BOOK, variant="setting", book=book.id, setting="continuous")
    most = shuffler.most_rounds(book.decks.most)
    if 1 <= shuffler.back_after_rounds <= most:
        return None
    return refuse(book, TableCode.BAD_SETTING, Topic.ELECTRONIC_SHUFFLER, variant="continuous", most=most)


def check_machine(book: Rulebook, settings: Settings, decks: int) -> Refusal | None:
    """Refuse a machine with too few decks: with all rounds out that may be, it holds too few cards for a round."""
    shuffler = settings.continuous
    if shuffler is None or shuffler.back_after_rounds <= (most := shuffler.most_rounds(decks)):
        return None
    return refuse(
        book,
        TableCode.BAD_SETTING,
        Topic.ELECTRONIC_SHUFFLER,
        variant="continuous_decks",
        decks=decks,
        most=most,
        rounds=shuffler.back_after_rounds,
        cards=_ROUND_CARDS,
    )


def _check_labels(book: Rulebook, settings: Settings) -> Refusal | None:
    labels = settings.box_labels
    if labels and len(labels) != settings.boxes:
        return refuse(book, TableCode.BAD_SETTING, Topic.BOXES, variant="box_labels", boxes=settings.boxes)
    for at, label in enumerate(labels):
        if not (label.isalnum() and len(label) <= MAX_LABEL_LENGTH):
            return refuse(
                book, TableCode.BAD_SETTING, Topic.BOXES, variant="box_label", label=label[:40], most=MAX_LABEL_LENGTH
            )
        if label.casefold() in map(str.casefold, labels[:at]):
            return refuse(book, TableCode.BAD_SETTING, Topic.BOXES, variant="same_label", label=label)
    return None


def _check_limits(book: Rulebook, settings: Settings) -> Refusal | None:
    for name, limits in (("main", settings.main), ("side", settings.side)):
        least, most = limits.min_minor, limits.max_minor
        if any(limit is not None and not _is_limit(limit) for limit in (least, most)):
            return refuse(
                book, TableCode.BAD_SETTING, Topic.LIMITS, variant="limit", kind=name, most=Money(MAX_AMOUNT_MINOR)
            )
        if least is not None and most is not None and least > most:
            return refuse(
                book,
                TableCode.BAD_SETTING,
                Topic.LIMITS,
                variant="limits",
                kind=name,
                least=Money(least),
                most=Money(most),
            )
    if settings.differential_minor is not None:
        if not book.has(Topic.DIFFERENTIAL):
            return refuse(book, TableCode.NOT_IN_BOOK, variant="differential", book=book.id)
        least = settings.main.min_minor or 1
        if not (_is_limit(settings.differential_minor) and least <= settings.differential_minor):
            return refuse(
                book, TableCode.BAD_SETTING, Topic.DIFFERENTIAL, variant="differential", most=Money(MAX_AMOUNT_MINOR)
            )
    return None


def _is_limit(limit_minor: int) -> bool:
    return type(limit_minor) is int and 0 < limit_minor <= MAX_AMOUNT_MINOR


def _check_house(book: Rulebook, settings: Settings) -> Refusal | None:
    for name, enabled, topic in (
        ("established_by_staked_bets", settings.established_by_staked_bets, Topic.INTERRUPTION),
        ("squeeze_by_hand", settings.squeeze_by_hand, Topic.SQUEEZE),
        ("squeeze_granted", settings.squeeze_granted, Topic.SQUEEZE),
    ):
        if enabled and not book.has(topic):
            return refuse(book, TableCode.NOT_IN_BOOK, variant="setting", book=book.id, setting=name)
    if settings.established_by_staked_bets and settings.cards_only:
        return refuse(book, TableCode.BAD_SETTING, variant="cards_only")
    if settings.no_insurance:
        if not book.has(Topic.NO_INSURANCE):
            return refuse(book, TableCode.NOT_IN_BOOK, variant="no_insurance", book=book.id)
        if not settings.private:
            return refuse(book, TableCode.BAD_SETTING, Topic.NO_INSURANCE, variant="no_insurance")
    if settings.house not in SUPERVISOR_UP:
        return refuse(book, TableCode.BAD_SETTING, variant="house")
    return None


def _check_supervised(book: Rulebook, settings: Settings) -> Refusal | None:
    thresholds = (
        settings.buy_in_supervised_minor,
        settings.cash_out_supervised_minor,
        settings.payout_supervised_minor,
    )
    if any(threshold is not None and not _is_limit(threshold) for threshold in thresholds):
        return refuse(book, TableCode.BAD_SETTING, variant="supervised", most=Money(MAX_AMOUNT_MINOR))
    if settings.tray_par_minor is not None and not _is_limit(settings.tray_par_minor):
        return refuse(book, TableCode.BAD_SETTING, variant="tray_par", most=Money(MAX_AMOUNT_MINOR))
    if settings.payout_supervised_minor is not None and (settings.cards_only or not settings.observing):
        return refuse(book, TableCode.BAD_SETTING, variant="payout_supervised")
    return None

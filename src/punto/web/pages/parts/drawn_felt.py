"""The felt at one moment of a round, drawn for the pages of a round and of an incident."""

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct

from punto.floor.journal.round_record import FeltStake, RoundFelt
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records.findings import Hands
from punto.table.records.settings import box_label
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.bets import side_of_felt
from punto.web.pages.parts.words import card_name
from punto.web.words.event_words import Writer

DrawnCard = tuple[str, str]
"""The name of its picture, and its own name."""


class DrawnHand(Struct, frozen=True):
    side: Side
    name: str
    cards: tuple[DrawnCard, ...]
    points: int | None
    """None if a card of it lies face down, or it has none."""


class DrawnStake(Struct, frozen=True):
    who: str
    bet: str
    side: str
    """For its colour: see :func:`side_of_felt`."""
    stake_minor: int


class DrawnBox(Struct, frozen=True):
    label: str
    stakes: tuple[DrawnStake, ...]


class DrawnFelt(Struct, frozen=True):
    hands: tuple[DrawnHand, ...]
    beside: tuple[DrawnCard, ...]
    """Cards that belong to no hand yet, or to the next round."""
    boxes: tuple[DrawnBox, ...]


def draw_felt(rules: Rulebook, felt: RoundFelt, writer: Writer) -> DrawnFelt:
    coup = Coup.of(rules.space, felt.cards)
    hands = Hands(coup.hand(Side.PLAYER).cards, coup.hand(Side.BANKER).cards)
    stakes = sorted(felt.stakes, key=lambda stake: stake.box)
    return DrawnFelt(
        hands=draw_hands(rules, hands, writer.t),
        beside=_cards((*felt.cards[len(hands.player) + len(hands.banker) :], *felt.drawn_early), writer.t),
        boxes=tuple(
            DrawnBox(box_label(writer.labels, box), tuple(_stake(rules, each, writer) for each in group))
            for box, group in groupby(stakes, key=lambda stake: stake.box)
        ),
    )


def draw_hands(rules: Rulebook, hands: Hands, t: Translator) -> tuple[DrawnHand, ...]:
    values = rules.space.card_values

    def drawn(side: Side, cards: tuple[Face | None, ...]) -> DrawnHand:
        points = sum(values[card] for card in cards) % 10 if cards and None not in cards else None
        return DrawnHand(side, t(f"side.{side}"), _cards(cards, t), points)

    return drawn(Side.PLAYER, hands.player), drawn(Side.BANKER, hands.banker)


def _cards(cards: Iterable[Face | None], t: Translator) -> tuple[DrawnCard, ...]:
    return tuple(("back", t("card.face_down")) if card is None else (card, card_name(card, t)) for card in cards)


def _stake(rules: Rulebook, stake: FeltStake, writer: Writer) -> DrawnStake:
    rule = rules.bets.get(stake.bet)  # insurance is not a bet of the layout
    side = "centre" if rule is None else side_of_felt(rule)
    return DrawnStake(writer.person(stake.who), writer.t(f"bet.{stake.bet}"), side, stake.stake_minor)

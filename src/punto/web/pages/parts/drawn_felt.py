"""The felt at one moment of a round, drawn for the pages of a round and of an incident."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from punto.floor.journal.round_record import FeltStake, RoundFelt
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records.findings import Hands
from punto.table.records.identity import Place
from punto.table.records.settings import box_label
from punto.web.messages import SteppedFelt, SteppedStake
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
    bet: str
    side: str
    """For its colour: see :func:`side_of_felt`."""
    stake_minor: int


class DrawnPlayer(Struct, frozen=True):
    name: str
    """Empty for the box itself, if nobody knows who plays there."""
    stakes: tuple[DrawnStake, ...]


class DrawnBox(Struct, frozen=True):
    label: str
    players: tuple[DrawnPlayer, ...]


class DrawnFelt(Struct, frozen=True):
    hands: tuple[DrawnHand, ...]
    beside: tuple[DrawnCard, ...]
    """Cards that belong to no hand yet, or to the next round."""
    boxes: tuple[DrawnBox, ...]


def draw_felt(rules: Rulebook, felt: RoundFelt, writer: Writer) -> DrawnFelt:
    coup = Coup.of(rules.space, felt.cards)
    hands = Hands(coup.hand(Side.PLAYER).cards, coup.hand(Side.BANKER).cards)
    names = {stake.who: writer.person(stake.who) for stake in felt.stakes}
    return DrawnFelt(
        hands=draw_hands(rules, hands, writer.t),
        beside=_cards((*felt.cards[len(hands.player) + len(hands.banker) :], *felt.drawn_early), writer.t),
        boxes=_boxes(rules, felt.stakes, names, writer.labels, writer.t),
    )


def draw_step(rules: Rulebook, felt: SteppedFelt, labels: tuple[str, ...], t: Translator) -> DrawnFelt:
    """The felt of a round to step through, which has been cut to what the viewer may see."""
    return DrawnFelt(
        hands=tuple(
            DrawnHand(hand.side, t(f"side.{hand.side}"), _cards(hand.cards, t), hand.points) for hand in felt.hands
        ),
        beside=_cards(felt.beside, t),
        boxes=_boxes(rules, felt.stakes, {stake.who: stake.name for stake in felt.stakes}, labels, t),
    )


def draw_hands(rules: Rulebook, hands: Hands, t: Translator) -> tuple[DrawnHand, ...]:
    values = rules.space.card_values

    def drawn(side: Side, cards: tuple[Face | None, ...]) -> DrawnHand:
        points = sum(values[card] for card in cards) % 10 if cards and None not in cards else None
        return DrawnHand(side, t(f"side.{side}"), _cards(cards, t), points)

    return drawn(Side.PLAYER, hands.player), drawn(Side.BANKER, hands.banker)


def _cards(cards: Iterable[str | None], t: Translator) -> tuple[DrawnCard, ...]:
    return tuple(("back", t("card.face_down")) if card is None else (card, card_name(card, t)) for card in cards)


def _boxes(
    rules: Rulebook,
    stakes: Sequence[FeltStake | SteppedStake],
    names: Mapping[str, str],
    labels: Sequence[str],
    t: Translator,
) -> tuple[DrawnBox, ...]:
    looks = {bet: (t(f"bet.{bet}"), _side(rules, bet)) for bet in {stake.bet for stake in stakes}}
    by_box: dict[int, dict[str, list[DrawnStake]]] = {}
    for each in sorted(stakes, key=lambda stake: stake.box):
        drawn = DrawnStake(*looks[each.bet], each.stake_minor)
        by_box.setdefault(each.box, {}).setdefault(each.who, []).append(drawn)
    return tuple(
        DrawnBox(
            box_label(labels, box),
            tuple(
                DrawnPlayer("" if Place.find(who) == Place(box) else names[who], tuple(own))
                for who, own in players.items()
            ),
        )
        for box, players in by_box.items()
    )


def _side(rules: Rulebook, bet: str) -> str:
    rule = rules.bets.get(bet)  # insurance is not a bet of the layout
    return "centre" if rule is None else side_of_felt(rule)

"""The state of a table. It never holds a card that nobody has seen."""

from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.coup.cards import RANKS, SUITS, Card, Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.chips import Slip
from punto.table.records.events import Difference, Payout, ProRata, SettledBet
from punto.table.records.kinds import Choice, Irregularity, ShoeCheck, SqueezeState
from punto.table.records.ledger import Posting, chips
from punto.table.records.pit_calls import PitCall
from punto.table.records.settings import ContinuousShuffler, Settings


class Phase(StrEnum):
    CLOSED = "closed"
    READY = "ready"
    """Between rounds."""
    BETTING = "betting"
    DEALING = "dealing"


BetKey = tuple[str, int, str]
"""Player, box, bet."""


class Raise(Struct, frozen=True, gc=False):
    """Chips that were added to a bet."""

    order: int
    """As ``PlacedBet.order``: later chips have higher numbers, in whatever bet they lie."""
    amount_minor: int


class PlacedBet(Struct, frozen=True, gc=False):
    """Everything one player has on one bet of one box."""

    who: str
    bet: str
    stake_minor: int
    box: int
    seated: bool
    placed_by: str
    """The player, or the employee who recorded it or placed it for them; the last one if it was raised."""
    order: int
    """Later bets have higher numbers. A raised bet keeps its number: only what was added is newer."""
    played_minor: int | None = None
    """How much of it plays, if that was decided when betting closed."""
    because: tuple[Clause, ...] = ()
    assumed: bool = False
    """Entered as the same as in the round before, and not confirmed."""
    raises: tuple[Raise, ...] = ()
    """What was added since it was first placed and is still there, oldest first."""
    pro_rata: ProRata | None = None
    """Why only ``played_minor`` of it plays; None if all of it does."""

    @property
    def layers(self) -> tuple[Raise, ...]:
        """All its chips by when they were placed, oldest first."""
        first_minor = self.stake_minor - sum(each.amount_minor for each in self.raises)
        return (Raise(self.order, first_minor), *self.raises)

    def restaked(self, stake_minor: int) -> "PlacedBet":
        """The same bet with another stake: its newest chips come off first, and what is added lies with them."""
        kept: list[Raise] = []
        left_minor = stake_minor
        for each in self.layers:
            if left_minor <= 0:
                break
            kept.append(Raise(each.order, min(each.amount_minor, left_minor)))
            left_minor -= kept[-1].amount_minor
        raises = kept[1:]
        if raises:
            raises[-1] = Raise(raises[-1].order, raises[-1].amount_minor + left_minor)
        return replace(self, stake_minor=stake_minor, raises=tuple(raises))


class TakenInsurance(Struct, frozen=True, gc=False):
    who: str
    side: Side
    stage: Stage
    player: int
    banker: int
    """The points it was taken on. They identify its line in the book even if the cards are corrected later."""
    stake_minor: int
    box: int
    placed_by: str
    odds: str = ""
    """As they were offered."""
    called: bool = False
    """The player told the dealer; the chips follow."""
    late: bool = False
    """Taken at a late offer, so all insurance on the bet in this round wins at most the Original Bet."""

    @property
    def insured(self) -> BetKey:
        """The Original Bet that it insures."""
        return self.who, self.box, self.side.value

    @property
    def bet(self) -> str:
        """The bet id, as in ``RuledBet``."""
        return insurance_name(self.side)

    @property
    def key(self) -> BetKey:
        """Insurance taken at both stages has the same key."""
        return self.who, self.box, self.bet


class RaisedIrregularity(Struct, frozen=True, gc=False):
    """An irregularity that the table detected by itself."""

    kind: Irregularity
    report: str
    """The tag of the command that resolves it, without its version."""
    card: Face | None = None
    """The card that showed it, if it is face up."""


class MissedOffer(Struct, frozen=True, gc=False):
    """An insurance offer that was not made, with the points it was due on."""

    stage: Stage
    side: Side
    player: int | None
    banker: int | None
    """None in old journals, which did not record the points; use the cards of the round."""
    forgone: frozenset[str] = frozenset()
    """Players who could not take insurance any more when the offer was due, including those who had left."""
    players: frozenset[str] = frozenset()
    """The players it did not reach, if it was made to others; empty if it was made to nobody."""

    def is_open_to(self, who: str) -> bool:
        """Whether the player could have taken it and was not offered it."""
        return who not in self.forgone and (not self.players or who in self.players)


class MadeOffer(Struct, frozen=True):
    """An insurance offer that was made: whom it reached, and whether passing on it means anything."""

    taken_by: frozenset[str] = frozenset()
    """Players who took it, even if a ruling returned their stake."""
    not_for: frozenset[str] = frozenset()
    """Players it did not reach: the record had them as having forgone insurance, or their late offer was cut short."""
    left_before: frozenset[str] = frozenset()
    """Players who had left when it was first made, even if that was taken back since."""
    left: frozenset[str] = frozenset()
    """Players who had left when it ended."""
    late: bool = False
    """It replaced one that was missed, for everybody."""
    late_for: frozenset[str] = frozenset()
    """Players who were offered it late, after others in time."""
    disturbed: bool = False
    """It was interrupted, or made on cards that were corrected. Nobody forgoes insurance by passing on it."""
    cut_short: bool = False
    """A card was seen before it ended. It reached only the players who took it."""


class Options(Struct, frozen=True):
    """The choice players have after a dealing error, while at least one has not chosen."""

    kind: Irregularity
    reconstructable: bool
    waiting_for: tuple[str, ...]
    """The players who have not chosen yet."""
    by_hand: bool = False
    """The table records cards only: everybody with a bet chooses, until time is called. Nobody is named."""


class CarriedCard(Struct, frozen=True, gc=False):
    """A card that was drawn too early and will be dealt next."""

    card: Face | None
    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    drawn_in: int | None = None
    """The number of the round it was drawn in; None if it was drawn between rounds."""


class RestingCards(Struct, frozen=True, gc=False):
    """The cards of an earlier round that have not gone back into the machine yet."""

    round: int
    draws: tuple[int, ...]
    seen: tuple[Face, ...]
    """Those of them that somebody has seen, in no particular order."""


class Shoe(Struct, frozen=True):
    """What is known about a shoe: which cards have been seen, not their order.

    A continuous shuffler is a shoe too: of its cards, those count as seen that are out of it.
    """

    id: str
    decks: int
    seen: bytes = bytes(52)
    """How often each card has been seen, in the order of :class:`Card`."""
    seen_ranks: bytes = bytes(len(RANKS))
    """Beside ``seen``, how often each rank has been seen of cards whose suit nobody entered."""
    drawn: int = 0
    cut_card_out: bool = False
    rounds_since_cut_card: int = 0
    """Rounds started since the cut card came out."""
    burned_card: Face | None = None
    """The card shown at the burn."""
    burned_unseen: int = 0
    continuous: ContinuousShuffler | None = None
    """Set for a machine that takes cards back; the fields below are for it alone."""
    rounds: int = 0
    """The rounds that it has dealt to, with the one being played."""
    first_draw: int = 0
    """The position of the first card that is drawn for this round; 0 in the first, which has the burned cards too."""
    held: tuple[CarriedCard, ...] = ()
    """The cards that were carried over into this round, as they were at the call."""
    resting: tuple[RestingCards, ...] = ()
    """By round, the oldest first."""
    gone_back: int = 0
    """How many of the cards drawn have gone back."""
    revealed: int = 0
    """Of a sealed machine, how many of its orders are revealed."""

    def copies_seen(self, face: Face) -> int:
        """How many cards with this face have been seen. Cards entered by rank alone count only as that."""
        if face.suit:
            return self.seen[CARD_AT[face]]
        at = _RANK_AT[face.rank]
        return self.seen_ranks[at] + sum(self.seen[at :: len(RANKS)])

    def has_left(self, face: Face) -> bool:
        """Whether a card with this face can still be in the shoe."""
        rank = _RANK_AT[face.rank]
        if self.seen_ranks[rank] + sum(self.seen[rank :: len(RANKS)]) >= len(SUITS) * self.decks:
            return False
        return not face.suit or self.seen[CARD_AT[face]] < self.decks

    def has_too_many(self, face: Face) -> bool:
        """Whether more cards with this face have been seen than the shoe can have."""
        whole = self.copies_seen(Face(face.rank)) > len(SUITS) * self.decks
        return whole or (bool(face.suit) and self.copies_seen(face) > self.decks)

    @property
    def left(self) -> int:
        """How many cards are left: in a machine, how many it holds."""
        return self.decks * 52 - self.drawn + self.gone_back

    @property
    def order(self) -> int:
        """The order that a sealed machine deals from, counted from 0: one for each round."""
        return max(self.rounds - 1, 0)

    @property
    def burned(self) -> int:
        """How many cards were burned, with the one that was shown."""
        return self.burned_unseen + (self.burned_card is not None)


class ReturnedBet(Struct, frozen=True, gc=False):
    """A bet that was returned because insurance on it was not offered."""

    placed: PlacedBet
    reason: str
    found_by: str


class RoundInsurance(Struct, frozen=True):
    """Insurance in a round: offers, stakes, missed offers and waivers."""

    cover: tuple[TakenInsurance, ...] = ()
    offered: tuple[Stage, ...] = ()
    """The stages at which insurance was offered."""
    offer_open: bool = False
    offer_stands: bool = False
    """The offer can be taken: the next card has not been drawn. Also true after the dealer has closed it."""
    offer_side: Side | None = None
    """The side of the last offer."""
    offer_late: bool = False
    """The last offer replaced one that was missed."""
    offer_to: frozenset[str] = frozenset()
    """The players whom a late offer is for, if it had been made to others; empty if it is for everybody."""
    passed: frozenset[tuple[str, int]] = frozenset()
    """The players who passed on the last offer, each with the box. It ends no right, only the waiting for them."""
    offers: dict[Stage, MadeOffer] = {}
    """The offers that were made, by stage; one that no longer counts is not in ``offered``."""
    missed: tuple[MissedOffer, ...] = ()
    """Offers that were due, were not made, and have not been made late."""
    returned_uninsured: dict[BetKey, ReturnedBet] = {}
    returned_by_hand: frozenset[BetKey] = frozenset()
    """The same at a table that records cards only."""
    forgone: frozenset[str] = frozenset()
    """Players who cannot take insurance in this round any more."""
    forgone_third: frozenset[str] = frozenset()
    """Of them, the players who passed on the offer after Player's third card."""
    returned_forgone: tuple[TakenInsurance, ...] = ()
    """Stakes that went back because the player turned out to have passed on an earlier offer.

    They play again if the player turns out to have taken it.
    """
    waived: bool = False
    """Third-card insurance is waived for all players."""

    def forgone_before(self, stage: Stage) -> frozenset[str]:
        """The players who had passed on an offer before that of a stage."""
        return self.forgone - self.forgone_third if stage is Stage.THIRD else frozenset()

    def left_before(self, stage: Stage, left: frozenset[str]) -> frozenset[str]:
        """The players who had left when the offer of a stage was first made; if it never was, those given."""
        return self.offers[stage].left_before if stage in self.offers else left

    def is_late(self, stage: Stage, who: str) -> bool:
        """Whether the offer of a stage was, or is, a late one for the player."""
        offer = self.offers.get(stage, MadeOffer())
        return stage in self.offered and (offer.late or who in offer.late_for)

    @property
    def last_offer(self) -> MadeOffer:
        return self.offers.get(self.offered[-1], MadeOffer()) if self.offered else MadeOffer()


class Squeeze(Struct, frozen=True):
    """A player's request to squeeze a hand, and what became of it."""

    who: str
    side: Side
    from_place: int
    """The first place that it applies to: earlier cards were dealt before the player asked."""
    state: SqueezeState = SqueezeState.ASKED
    lapsed_from: SqueezeState = SqueezeState.ASKED
    """For a lapsed request, its state before."""


class TakenBack(Struct, frozen=True):
    """What a player had in the round before they took their bets back."""

    bets: dict[BetKey, PlacedBet]
    cover: tuple[TakenInsurance, ...]
    squeezes: tuple[Squeeze, ...]


class RoundIrregularities(Struct, frozen=True):
    raised: RaisedIrregularity | None = None
    reported: tuple[Irregularity, ...] = ()
    order_lost: tuple[int, ...] = ()
    """Places of the cards whose order nobody knows."""
    order_lost_simultaneous: bool = False
    """As in ``OrderLost``: the order is ruled first, and then the players choose."""
    simultaneous: bool = False
    """That was so at some time in this round."""
    asked: Options | None = None
    """The last options that the players were given; None since an order was lost, until they are given."""
    spared: bool = False
    """The last error gave the players no options only because an outcome was established."""
    options: Options | None = None
    choices: dict[str, Choice] = {}
    """The latest choice of each player."""
    correctable: frozenset[str] = frozenset()
    """The players whose choice nothing has followed yet, so that its entry can still be put right."""
    taken_back: dict[str, TakenBack] = {}
    """By player, the bets and insurance that their choice took off the felt."""
    void: Irregularity | None = None
    """Why the round is void; None if it is not."""
    replaced_shoes: tuple[Shoe, ...] = ()
    """Shoes replaced during the round."""

    def must_choose(self, who: str) -> bool:
        return self.options is not None and who in self.options.waiting_for


class Round(Struct, frozen=True):
    """A round, from the call for bets to the next call."""

    number: int
    bets: dict[BetKey, PlacedBet] = {}
    cards: tuple[Face | None, ...] = ()
    """By place, in the order drawn; None for a card face down."""
    shoes: tuple[str, ...] = ()
    """By place, the id of the card's shoe."""
    draws: tuple[int, ...] = ()
    """By place, the card's position in its shoe, counted from 0."""
    squeezes: tuple[Squeeze, ...] = ()
    """In the order of the requests, at most one for each player and hand. After the close one player has each hand."""
    squeezed: frozenset[int] = frozenset()
    """Places of the cards that a player has squeezed."""
    laid_open: frozenset[int] = frozenset()
    """Places of those that the player has laid open for all."""
    away: frozenset[str] = frozenset()
    """Players who left during the round with a stake in it. Empty if its settlement was reversed: they may be back."""
    left: dict[str, int] = {}
    """By player who left during the round with a stake in it, how many of its cards were out: see ``cards_out``."""
    last_order: int = 0
    """The highest ``PlacedBet.order`` so far."""
    last: bool = False
    """Announced as the last round of the shoe."""
    after_cut_card: bool = False
    """It counts as a round after the cut card."""
    at_close: dict[BetKey, PlacedBet] = {}
    """The bets that lay there when betting closed, as corrected since; some may have been returned."""
    bets_corrected: bool = False
    """A bet was corrected since betting closed."""
    brought: dict[str, int] = {}
    """By player, how much of their stakes came from chips that nobody sold here."""
    cancelled: bool = False
    calls_cancelled: int = 0
    """Calls for bets after it that were cancelled and gave it back."""
    settings: Settings | None = None
    """The settings it was played under, if others apply since."""
    paid: tuple[Posting, ...] | None = None
    """What the settlement moved, with later corrections; None while the round is not settled."""
    results: tuple[SettledBet, ...] = ()
    reversed_results: tuple[SettledBet, ...] | None = None
    """The results of a settlement that was reversed for a correction and has not been made again; None if none was."""
    back_since_reversal: dict[tuple[BetKey, Stage], int] = {}
    """Insurance that was returned since that reversal, by bet and stage."""
    differences: tuple[Difference, ...] = ()
    """What is paid or collected because a correction settled the round again."""
    owed: dict[str, int] = {}
    """By player, what they owed when the round was settled: the table keeps it back from what they get."""
    mispaid: dict[BetKey, int] = {}
    """By bet, what the player has above what was due; negative if it is less."""
    verified: frozenset[Payout] = frozenset()
    """Payouts over the threshold that a supervisor has verified."""
    marked: frozenset[Payout] = frozenset()
    """What the dealer has taken and paid by the settlement sheet, as it was then."""
    insurance: RoundInsurance = RoundInsurance()
    irregularities: RoundIrregularities = RoundIrregularities()

    def left_by(self, stage: Stage) -> frozenset[str]:
        """The players who had left before the card was out that follows the cards of a stage."""
        return frozenset(who for who, cards in self.left.items() if cards <= stage.cards)

    @property
    def squeeze_requests(self) -> dict[Side, str]:
        """By hand, the player who asked last and has no answer yet."""
        return self._latest(SqueezeState.ASKED)

    @property
    def accepted(self) -> dict[Side, str]:
        """By hand, the player who squeezes its cards. While betting is open, the last of those with permission."""
        return self._latest(SqueezeState.GRANTED)

    @property
    def squeeze_lapsed(self) -> dict[Side, str]:
        return self._latest(SqueezeState.LAPSED)

    def _latest(self, state: SqueezeState) -> dict[Side, str]:
        return {squeeze.side: squeeze.who for squeeze in self.squeezes if squeeze.state is state}

    @property
    def next_number(self) -> int:
        """The number of the next call for bets. A cancelled call keeps its number."""
        return self.number + self.calls_cancelled + 1

    @property
    def settled(self) -> bool:
        return self.paid is not None and self.irregularities.void is None

    @property
    def over(self) -> bool:
        return self.paid is not None or self.irregularities.void is not None or self.cancelled


class RoundBefore(Struct, frozen=True):
    """The settled round before a call for bets, with what the call ended: a cancelled call gives it all back."""

    round: Round
    gone: frozenset[str]
    abandoned: frozenset[str]


class Restart(Struct, frozen=True, gc=False):
    """A time in which the server was away, in Unix time in microseconds."""

    from_us: int
    to_us: int


class Table(Struct, frozen=True):
    phase: Phase = Phase.CLOSED
    book: str = ""
    law_hash: str = ""
    settings: Settings | None = None
    next_settings: Settings | None = None
    """Apply again when the round is over: a correction reopened it after the settings were changed."""
    balances: dict[str, int] = {}
    """By account, in the smallest unit; see :mod:`punto.table.records.ledger`."""
    seats: dict[int, str] = {}
    behind: dict[str, frozenset[int]] = {}
    """The boxes each person stands behind."""
    people: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    """People removed since the last call for bets. The same name or place may be somebody else's by now."""
    abandoned: frozenset[str] = frozenset()
    """Places that nobody else can take yet: their last person left chips, a debt or bets there, or bet in the last
    round, which can still be corrected."""
    shoe: Shoe | None = None
    standing_squeezes: frozenset[Side] = frozenset()
    """Hands whose squeeze the house permits until the shoe ends."""
    next_shoe: Shoe | None = None
    """Replaces the shoe when the round is over."""
    taken_off: dict[str, ShoeCheck] = {}
    """Shoes taken off or replaced because of an irregularity, by name. No shoe gets such a name again."""
    carried: tuple[CarriedCard, ...] = ()
    """Cards drawn too early. They are dealt first, in this round or the next one."""
    last_entered: tuple[str, int] | None = None
    """The card of the last entry, by shoe and draw; None if anything else has happened since. A card that the table
    has raised has the draw it would get."""
    board_used: bool = False
    """A round was settled since the table was opened or a new board was started."""
    round: Round | None = None
    round_before: RoundBefore | None = None
    """None once anything has happened in the round that was called."""
    restart: Restart | None = None
    """A restart during the round that nobody has answered. Cards and settlement wait."""
    pit_call: PitCall | None = None
    slips: dict[int, Slip] = {}
    """By number, those that are neither received nor void."""
    last_slip: int = 0

    @property
    def at_shuffler(self) -> bool:
        """The cards come from a continuous machine; if nothing is on the table, the next will."""
        source = self.shoe or self.settings
        return source is not None and source.continuous is not None

    def chips_minor(self, who: str) -> int:
        return self.balances.get(chips(who), 0)


def with_insurance(now: Round, **changes: Any) -> Round:
    """The round with some fields of its insurance changed."""
    return replace(now, insurance=replace(now.insurance, **changes))


def with_irregularities(now: Round, **changes: Any) -> Round:
    """The round with some fields of its irregularities changed."""
    return replace(now, irregularities=replace(now.irregularities, **changes))


def stakes(now: Round) -> list[tuple[str, int]]:
    """The player and the amount in the smallest unit of each bet and each insurance."""
    bets = [(placed.who, placed.stake_minor) for placed in now.bets.values()]
    return bets + [(covered.who, covered.stake_minor) for covered in now.insurance.cover]


def bettors(now: Round) -> set[str]:
    """Everybody with a bet or insurance in the round."""
    return {who for who, _ in stakes(now)}


def cards_in_order(table: Table) -> list[CarriedCard]:
    """The cards of the round in the order drawn, dealt ones first, then those drawn too early."""
    dealt = cards_on_table(table.round) if table.round is not None else []
    known = {(card.shoe, card.draw) for card in dealt}  # cards left over by a settled coup are in both
    return [*dealt, *(card for card in table.carried if (card.shoe, card.draw) not in known)]


def cards_on_table(now: Round) -> list[CarriedCard]:
    """The dealt cards of a round, by place."""
    return [CarriedCard(*place, now.number) for place in zip(now.cards, now.shoes, now.draws, strict=True)]


def cards_out(table: Table) -> int:
    """How many cards of the round are dealt, or were drawn too early and seen: no offer before them can be taken."""
    now = table.round
    if now is None:
        return 0
    return len(now.cards) + sum(card.card is not None and card.drawn_in == now.number for card in table.carried)


def as_played(table: Table) -> Table:
    """Between rounds, the table with the settings under which the last round was played."""
    now = table.round
    if table.phase is not Phase.READY or now is None or now.settings is None:
        return table
    return replace(table, settings=now.settings)


CARD_AT: dict[Card, int] = {card: at for at, card in enumerate(Card)}
"""The index of each card in ``Shoe.seen``."""
_RANK_AT = {rank: at for at, rank in enumerate(RANKS)}

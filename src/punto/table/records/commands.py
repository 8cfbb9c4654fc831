"""Commands to a table. A closed set: a tag and its version never change their meaning.

Each command names the person who gives it and their position; ``may`` lists the positions that are allowed to.
"""

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, to_builtins

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.events import Payout
from punto.table.records.kinds import BuyInKind, CashOutKind, Concern, ShoeCheck
from punto.table.records.positions import (
    DEALER_UP,
    EVERYDAY,
    EVERYDAY_OR_PLAYER,
    PIT_OR_PLAYER,
    SUPERVISOR_UP,
    Position,
)
from punto.table.records.settings import Settings


class Given(Struct, frozen=True):
    """Who gives a command. A base of its own, because the other field of every command is keyword-only."""

    by: str
    position: Position


class Command(Given, frozen=True, kw_only=True, tag_field="command", forbid_unknown_fields=True):
    """A command to a table."""

    concern: ClassVar[Concern] = Concern.GAME
    may: ClassVar[frozenset[Position]] = EVERYDAY
    topic: ClassVar[Topic | None] = None
    """The topic of its clauses. A book without clauses on the topic does not have the command."""
    about_bets: ClassVar[bool] = False
    """A table that records cards only refuses it."""
    by_the_house: ClassVar[bool] = False
    """The clause says only "the house", so the setting ``house`` gives the lowest position allowed."""

    round: Annotated[int, Meta(ge=0)] | None = None
    """The round it is for: in any other, it is refused. 0 before the first call for bets; None for any round."""


def tag_of_command(kind: type[Command]) -> str:
    """As clients send it."""
    return str(kind.__struct_config__.tag)


MAX_COUNTED = 1_000
"""More cards than any shoe holds, and more people than any table has."""
RESERVED_FIELDS = frozenset({"by", "position", "carried", "taken_off", "last_slip"})
"""Fields that clients cannot set. They come from the session and from the table's last closing."""


def client_fields(command: Command) -> dict[str, Any]:
    """A command as a client sends it: its tag and its fields, without ``RESERVED_FIELDS``."""
    fields: dict[str, Any] = to_builtins(command)
    return {name: value for name, value in fields.items() if name not in RESERVED_FIELDS}


# ---- the table


class OpenTable(Command, frozen=True, tag="open_table.1"):
    """Open the table, with a float and what its last closing left: balances, shoes taken off, and its last slip."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    settings: Settings
    float_minor: int = 0
    carried: dict[str, int] = {}
    no_insurance_asked_by: str = ""
    """The player who asked that no insurance is offered. Required when ``settings.no_insurance`` becomes true."""
    taken_off: dict[str, ShoeCheck] = {}
    last_slip: Annotated[int, Meta(ge=0)] = 0


class ChangeSettings(Command, frozen=True, tag="change_settings.1"):
    """Change the settings, between rounds."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    settings: Settings
    no_insurance_asked_by: str = ""
    """The player who asked that no insurance is offered. Required when ``settings.no_insurance`` becomes true."""


class CloseTable(Command, frozen=True, tag="close_table.1"):
    """Close the table. The next opening can carry its balances over."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP


class LoadShoe(Command, frozen=True, tag="load_shoe.1"):
    """Put a shoe on the table, replacing the current one."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}

    shoe: str
    decks: int
    formerly: str = ""
    """The name it had when it was taken off or replaced. It must have been inspected since."""
    inspected_by: str = ""
    """Who looked at its cards and shuffled them, if somebody says so."""


class BurnCards(Command, frozen=True, tag="burn_cards.1"):
    """Show the first card of the shoe and burn as many cards as its value."""

    card: Face


class CutCardOut(Command, frozen=True, tag="cut_card_out.1"):
    """Announce that the cut card has come out."""

    may: ClassVar[frozenset[Position]] = DEALER_UP


class EndShoe(Command, frozen=True, tag="end_shoe.1"):
    """Take a shoe off the table at its end, with the number of cards counted in it, if somebody counted them."""

    may: ClassVar[frozenset[Position]] = DEALER_UP

    left: Annotated[int, Meta(ge=0, le=MAX_COUNTED)] | None = None


class StartBoard(Command, frozen=True, tag="start_board.1"):
    """Start a new board at a machine that takes cards back, where no shoe ends."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP


# ---- people


class BuyIn(Command, frozen=True, tag="buy_in.1"):
    """Sell chips to a player."""

    who: str
    amount_minor: int
    kind: BuyInKind = BuyInKind.CASH


class CashOut(Command, frozen=True, tag="cash_out.1"):
    """Buy chips back from a player."""

    who: str
    amount_minor: int
    kind: CashOutKind = CashOutKind.CASH


class Sit(Command, frozen=True, tag="sit.1"):
    """Sit down at a box."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str
    box: int


class StandBehind(Command, frozen=True, tag="stand_behind.1"):
    """Stand behind a box, to bet there."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str
    box: int


class Leave(Command, frozen=True, tag="leave.1"):
    """Leave the table. Stakes stay until the round is settled."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str


class IdentifyPlayer(Command, frozen=True, tag="identify_player.1"):
    """Say who somebody at a place is: a registered player, by id, or the person who is now at another, free place.

    A plain name can become an id too.
    """

    may: ClassVar[frozenset[Position]] = DEALER_UP

    who: str
    player_id: str


# ---- betting


class OpenBetting(Command, frozen=True, tag="open_betting.1"):
    """Call for bets. This starts a round."""

    topic: ClassVar[Topic | None] = Topic.BETTING_OPENS


class PlaceBet(Command, frozen=True, tag="place_bet.1"):
    """Place a bet, or raise it by ``stake_minor``."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    bet: str
    stake_minor: int
    on_behalf: bool = False
    """Staff place it at the player's request. Without this, staff at a felt table record a bet the player placed."""
    assumed: bool = False
    """Entered as the same as in the round before, at a felt table; nobody has looked yet. See :class:`ConfirmBets`."""


class ConfirmBets(Command, frozen=True, tag="confirm_bets.1"):
    """Say that the bets which were entered as assumed lie there, in one box or in all."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED
    about_bets: ClassVar[bool] = True

    box: int | None = None


class WithdrawBet(Command, frozen=True, tag="withdraw_bet.1"):
    """Take back a bet, or part of it."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    bet: str
    amount_minor: int


class RejectExcess(Command, frozen=True, tag="reject_excess.1"):
    """Return what a box has above the differential limit, or what one bet of it has above its maximum."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.DIFFERENTIAL
    about_bets: ClassVar[bool] = True

    box: int
    bet: str | None = None
    """The bet above its maximum; None for the differential limit."""


class AdviseMinimum(Command, frozen=True, tag="advise_minimum.1"):
    """Tell a player that their bet is below the minimum. They can raise or withdraw it."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BELOW_MINIMUM
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    bet: str


class CloseBetting(Command, frozen=True, tag="close_betting.1"):
    """Close betting; after this, cards are dealt."""

    topic: ClassVar[Topic | None] = Topic.BETTING_CLOSED


# ---- the coup


class RequestSqueeze(Command, frozen=True, tag="request_squeeze.1"):
    """Ask to squeeze the cards of a hand."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.SQUEEZE

    who: str
    side: Side


class GrantSqueeze(Command, frozen=True, tag="grant_squeeze.1"):
    """Permit the squeeze that was asked for last; with ``standing``, of the hand until the shoe ends."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SQUEEZE
    by_the_house: ClassVar[bool] = True

    side: Side
    standing: bool = False
    """Until the shoe ends, requests of the highest bettor for this hand are granted at once."""


class RefuseSqueeze(Command, frozen=True, tag="refuse_squeeze.1"):
    """Refuse the requested squeeze; with ``standing``, end the standing permission for the hand."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SQUEEZE
    by_the_house: ClassVar[bool] = True

    side: Side
    standing: bool = False
    """Requests for this hand are asked for again. What was granted stays granted."""


class WaiveThirdCardInsurance(Command, frozen=True, tag="waive_third_card_insurance.1"):
    """Let Banker's third card be opened before Player's, as the player with the highest bet asks."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.THIRD_CARD_WAIVER
    by_the_house: ClassVar[bool] = True

    who: str


class DealCard(Command, frozen=True, tag="deal_card.1"):
    """Deal the next card. Where cards are dealt face up, ``card`` is required."""

    topic: ClassVar[Topic | None] = Topic.FIRST_FOUR

    card: Face | None = None
    not_offered: bool = False
    """The card is already drawn, although the insurance that was due has not been offered. Not for automation."""
    before_close: bool = False
    """The card is already drawn, although betting is open. It is raised, not dealt. Not for automation."""
    place: int | None = None
    """Where the giver saw that it lies, counted from 1, so that two people who enter one card enter it once."""


class SqueezeCard(Command, frozen=True, tag="squeeze_card.1"):
    """Squeeze a card of the hand the player was granted. The dealer or the shoe says which card it is.

    At a felt table staff record who opened it.
    """

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.SQUEEZE

    place: int
    who: str | None = None
    """The player who opened it; None for the player who gives the command."""
    laid_open: bool = False
    """The player has seen enough and lays the card open for all. Without it, only they have seen it so far."""


class TurnCard(Command, frozen=True, tag="turn_card.1"):
    """Turn a card face up. Places count from 1, in the order drawn."""

    place: int
    card: Face
    order_unseen: bool = False
    """A player gave both cards of the hand back together: which of them came first, nobody saw."""


# ---- insurance and settlement


class OpenInsurance(Command, frozen=True, tag="open_insurance.1"):
    """Offer insurance on the cards dealt so far."""

    topic: ClassVar[Topic | None] = Topic.INSURANCE


class TakeInsurance(Command, frozen=True, tag="take_insurance.1"):
    """Take the open offer, or add to the insurance already taken."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.INSURANCE
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    stake_minor: int
    on_behalf: bool = False
    """As in :class:`PlaceBet`."""


class CallInsurance(Command, frozen=True, tag="call_insurance.1"):
    """Record that a player has told the dealer they take the offer. It binds like a stake; the chips follow."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.INSURANCE
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    stake_minor: int | None = None
    """None for the largest stake allowed."""


class PassInsurance(Command, frozen=True, tag="pass_insurance.1"):
    """Say that a player takes no insurance, or no more, in a box. Until the next card is drawn they still can."""

    may: ClassVar[frozenset[Position]] = frozenset({Position.PLAYER})
    topic: ClassVar[Topic | None] = Topic.INSURANCE

    who: str
    box: int


class CloseInsurance(Command, frozen=True, tag="close_insurance.1"):
    """Announce that the offer closes. Players can still take it until the next card is drawn."""

    topic: ClassVar[Topic | None] = Topic.INSURANCE


class Settle(Command, frozen=True, tag="settle.1"):
    """Settle every bet of a finished coup."""


class VerifyPayouts(Command, frozen=True, tag="verify_payouts.1"):
    """Say that the payouts over the threshold were handed over as the settlement has them."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP


class MarkPaid(Command, frozen=True, tag="mark_paid.1"):
    """Say that lines of the last round's settlement sheet are done: these stakes taken, these winnings handed over."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    about_bets: ClassVar[bool] = True

    lines: tuple[Payout, ...] = ()
    """As the sheet has them; empty for all that are left."""
    taken_back: bool = False
    """They were marked by a slip, and are still to be done. ``lines`` are then as they were marked; empty for all."""

"""A round to step through, cut to what the viewer may see.

Cards, outcome and clauses are for everybody. Players see their own bets, money, insurance and rulings besides, and
nothing of anybody else's; staff and auditors see everything. Steps that a viewer may not see are left out.
"""

from typing import Any

from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.state import Phase
from punto.web.messages.base import Cursor, Message
from punto.web.messages.tables import Adjusted, Settled


class SteppedHand(Message, frozen=True):
    """One hand at a step."""

    side: Side
    cards: tuple[str | None, ...]
    """Null for a card face down."""
    points: int | None
    """Null if it has no card or one lies face down."""


class SteppedStake(Message, frozen=True):
    """A bet or an insurance on the felt."""

    who: str
    name: str
    """The person as pages show them, in the language of the request."""
    box: int
    bet: str
    """``player_insurance`` and ``banker_insurance`` are insurance."""
    stake_minor: int


class SteppedFelt(Message, frozen=True):
    """The felt after a step. Once the round is over no stakes lie there."""

    hands: tuple[SteppedHand, ...]
    """Player's and Banker's."""
    beside: tuple[str | None, ...]
    """Cards that belong to no hand yet, or to the next round."""
    stakes: tuple[SteppedStake, ...]
    """Your own; staff and auditors get everybody's."""


class SteppedCard(Message, frozen=True):
    """The card that a step deals or turns."""

    place: int
    """Counted from 1 in the order drawn."""
    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    code: str | None
    """Null while it lies face down."""
    hand: Side | None
    """Null if it belongs to no hand yet."""
    why: str
    """Why it is drawn, by the Table of Play; empty if this release does not have the law of the round."""
    clauses: tuple[Clause, ...]


class OfferedTo(Message, frozen=True):
    """A bet that an offer of insurance covers."""

    who: str
    name: str
    box: int
    stake_minor: int
    most_minor: int
    """The largest stake of insurance that was possible on it."""


class SteppedOffer(Message, frozen=True):
    """Insurance that a step offers, or that was due and was not offered."""

    stage: Stage
    side: Side
    odds: str
    player: int | None
    banker: int | None
    """The points of both hands, which are the cell of the book's table; null if they are not on record."""
    missed: bool
    late: bool
    """It makes an earlier one good."""
    clauses: tuple[Clause, ...]
    to: tuple[OfferedTo, ...] | None
    """Your own bets; staff and auditors get everybody's. Null if this release does not have the law of the round, and
    where only cards are recorded."""


class SteppedPosting(Message, frozen=True):
    """An amount that a step adds to an account."""

    account: str
    """As in the journal, such as ``chips:ann``."""
    name: str
    """The account in the language of the request."""
    change_minor: int
    """Negative if it is taken out."""
    before_minor: int
    after_minor: int


class SteppedChances(Message, frozen=True):
    """The exact chances of the coup after a step, each as a fraction, from the cards that somebody had seen by then."""

    player: str
    banker: str
    tie: str


class RoundStepView(Message, frozen=True):
    """One entry of the journal. What only staff and auditors see is null or empty for others."""

    cursor: Cursor
    version: int
    at_us: int
    happened_at_us: int | None
    """When it happened, if it was entered later. For staff and auditors."""
    position: str
    by: str | None
    """For staff and auditors, as are all fields up to `command`."""
    terminal: str | None
    proposed_by: str | None
    approved_by: str | None
    alone: bool
    """Whether one person did what needs two."""
    incident: int
    """The number of the incident that it belongs to; 0: to none."""
    command: str | None
    """The command, such as `place_bet`, at its first event."""
    event: dict[str, Any]
    """As it is recorded, without what the viewer may not see."""
    lines: tuple[str, ...]
    """The event in the language of the request."""
    reason: str
    """The note of the staff. For staff and auditors."""
    clauses: tuple[Clause, ...]
    card: SteppedCard | None
    offers: tuple[SteppedOffer, ...]
    results: tuple[Settled, ...]
    """The bets and the insurance that it settled or returned: your own; staff and auditors get everybody's."""
    adjustments: tuple[Adjusted, ...]
    """What it paid or took otherwise: your own; staff and auditors get everybody's."""
    postings: tuple[SteppedPosting, ...]
    """To your own chips; staff and auditors get all."""
    felt: SteppedFelt
    phase: Phase
    chances: SteppedChances | None
    """Null if no coup is to come or in play. For staff and auditors, and of a round in play for pit supervisors and
    above."""


class RoundFunds(Message, frozen=True):
    """The chips of a player who took part in the round."""

    who: str
    name: str
    before_minor: int
    after_minor: int
    """So far, if the round is in play."""
    brought_minor: int = 0
    """Chips they staked at a felt table that were not on record before; negative if they took chips away."""


class CitedClause(Message, frozen=True):
    """A clause that a step cites, and its summary in the language of the request. It is not the text of the book."""

    clause: Clause
    summary: str


class RoundReplay(Message, frozen=True):
    """A round from the call for bets until the next one; round 0 from the opening of the table."""

    table: str
    table_title: str
    round: str
    """Its permanent name: the opening and the number, such as `2-17`."""
    number: int
    opening: int
    book: str
    shoe: str | None
    """At the call for bets; null if there was none."""
    at_us: int
    """When betting opened."""
    ended_us: int | None
    """When it was settled, voided or cancelled; null while it is in play, and for round 0."""
    outcome: str
    """`player`, `banker`, `tie`, `void` or `cancelled`; empty while it is in play, and for round 0."""
    in_play: bool
    currency: str
    box_labels: tuple[str, ...]
    """What the boxes are called at the table; empty for their numbers."""
    steps: tuple[RoundStepView, ...]
    funds: tuple[RoundFunds, ...]
    """Your own; staff and auditors get everybody's."""
    incidents: tuple[int, ...]
    """The numbers of its incidents. For staff and auditors."""
    earlier: str | None
    """The name of the round before it; null for the first."""
    later: str | None
    """The name of the round after it; null for the last."""
    clauses: tuple[CitedClause, ...]
    """Those that its steps cite, in their order."""

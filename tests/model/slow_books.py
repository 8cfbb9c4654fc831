"""What the events alone say of money, stakes and cards, kept the slow way and apart from the engine's state."""

from collections import Counter

from msgspec.structs import replace

from punto import Coup, InsuranceStake, Limits, Stake, settle
from punto.rules.cards import Card
from punto.rules.differential import within_limits
from punto.rules.insurance import InsuranceLine
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.space import Winner
from punto.rules.stakes import MAIN_BETS
from punto.rules.table_of_play import Side
from punto.rules.topics import Topic
from punto.table import events
from punto.table.events import (
    BettingClosed,
    ChipsBought,
    ChipsCashed,
    Event,
    InsuranceTaken,
    Limit,
    LimitFlagged,
    PlayedBet,
    RoundSettled,
)
from punto.table.ledger import COMMISSION, FELT, FLOAT, chips
from punto.table.settings import Settings

Key = tuple[str, int, str]


class SlowBooks:
    """Told every event; judges none, but settles each round again with the rules library."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules = rules
        self.settings: Settings | None = None
        self._clear()

    def _clear(self) -> None:
        self.held: Counter[str] = Counter()
        """Every account but the felt."""
        self.stakes: dict[Key, Stake] = {}
        self.at_the_close: dict[Key, Stake] = {}
        """The stakes as the close found them: how they play was settled then."""
        self.insurance: list[InsuranceStake] = []
        self.lines: list[InsuranceLine] = []
        """By insurance, the line of the book it was taken on."""
        self.accepted: dict[Side, str] = {}
        self.squeezed: set[int] = set()
        self.to: list[Side] = []
        """By place, the hand that the card went to."""
        self.shoe = ""
        self.cut_card_out = False
        self.last = False
        self.cards: list[Card | None] = []
        self.decks = 0
        self.drawn = 0
        self.seen: Counter[Card] = Counter()
        self.rounds = 0
        self.between_rounds = True

    @property
    def felt_minor(self) -> int:
        """All that should lie on the felt."""
        bets = sum(stake.stake_minor for stake in self.stakes.values())
        return bets + sum(taken.stake_minor for taken in self.insurance)

    @property
    def balances(self) -> dict[str, int]:
        """What every account should hold."""
        return {account: held for account, held in {**self.held, FELT: self.felt_minor}.items() if held}

    def record(self, event: Event) -> None:
        """Write an event down."""
        match event:
            case events.TableOpened():
                self._clear()
                self.settings = event.settings
                self.held.update({posting.account: posting.amount_minor for posting in event.postings})
            case events.SettingsChanged():
                self.settings = event.settings
            case events.TableClosed():
                assert event.balances == self.balances
                self._clear()
            case ChipsBought() | ChipsCashed():
                self._exchange(event)
            case events.BetPlaced():
                stake = Stake(event.who, event.bet, event.stake_minor, event.box, event.seated)
                self._stake((event.who, event.box, event.bet), stake)
            case events.BetWithdrawn() | events.BetRejected():
                key = (event.who, event.box, event.bet)
                left = Stake(event.who, event.bet, event.stake_minor, event.box, self.stakes[key].seated)
                assert left.stake_minor < self.stakes[key].stake_minor
                self._stake(key, left)
            case BettingClosed():
                self._close(event)
            case InsuranceTaken():
                self._insure(event)
            case RoundSettled():
                self._settle(event)
            case _:
                self._record_people(event)
                self._record_cards(event)

    def _record_people(self, event: Event) -> None:
        match event:
            case events.PlayerSat():
                for key, stake in self.stakes.items():
                    if key[:2] == (event.who, event.box):
                        self.stakes[key] = replace(stake, seated=True)
            case events.LimitFlagged():
                self._flag(event)
            case events.PlayerLeft(away=True):
                self.accepted = {side: who for side, who in self.accepted.items() if who != event.who}
            case events.SqueezeGranted():
                assert event.side not in self.accepted, "one person accepts each hand"
                self.accepted[event.side] = event.who

    def _flag(self, event: LimitFlagged) -> None:
        """One player's bet is under the minimum, or the box is over a limit, and no one player is named."""
        assert self.settings is not None
        assert self.settings.observing
        limits, most = self.settings.main, self.settings.main.max_minor or self.settings.differential_minor
        if event.bet not in MAIN_BETS:
            limits, most = self.settings.side, self.settings.side.max_minor
        totals: Counter[str] = Counter()
        for (_, box, bet), stake in self.stakes.items():
            totals[bet] += stake.stake_minor if box == event.box else 0
        assert (event.who is not None) == (event.limit is Limit.MINIMUM)
        if event.who is not None:
            assert self.stakes[event.who, event.box, event.bet].stake_minor < (limits.min_minor or 0)
        elif event.limit is Limit.MAXIMUM:
            assert totals[event.bet] > (most or totals[event.bet])
        else:
            (other,) = MAIN_BETS - {event.bet}
            limit = self.settings.differential_minor
            assert limit is not None
            assert totals[event.bet] - totals[other] > limit

    def _record_cards(self, event: Event) -> None:
        match event:
            case events.ShoeLoaded():
                self.decks, self.drawn, self.seen = event.decks, 0, Counter()
                self.shoe, self.cut_card_out = event.shoe, False
            case events.CardsBurned():
                assert event.shoe == self.shoe
                self.drawn += 1 + event.unseen
                self.seen[event.card] += 1
            case events.BettingOpened():
                self.rounds += 1
                assert event.round == self.rounds
                assert self.between_rounds
                self.cards, self.between_rounds, self.last = [], False, event.last
                self.to, self.accepted, self.squeezed = [], {}, set()
            case events.CardDealt():
                assert event.shoe == self.shoe
                self.drawn += 1
                self.cards.append(None)
                self.to.append(event.to)
                assert event.place == len(self.cards) <= 6
            case events.CardTurned():
                assert self.cards[event.place - 1] is None
                self.cards[event.place - 1] = event.card
                self.seen[event.card] += 1
            case events.CutCardReached():
                self._reach_cut_card(event)
            case events.CardSqueezed():
                assert self.cards[event.place - 1] is None
                assert event.place not in self.squeezed
                assert self.accepted[self.to[event.place - 1]] == event.who
                self.squeezed.add(event.place)

    def _reach_cut_card(self, event: events.CutCardReached) -> None:
        assert self.settings is not None
        assert event.shoe == self.shoe
        assert not self.cut_card_out, "once a shoe"
        assert self.decks * 52 - self.drawn <= self.settings.cut_card
        assert event.last == (self.settings.rounds_after_cut_card == 0)
        self.cut_card_out = True
        self.last |= event.last and not self.between_rounds

    @property
    def _limits(self) -> Limits:
        """Of the main bets, and of the table whether it enforces them or not."""
        assert self.settings is not None
        main = self.settings.main
        return Limits(main.min_minor, main.max_minor, self.settings.differential_minor)

    def _below_side_minimum(self, stake: Stake) -> tuple[Clause, ...]:
        """By what a side bet under its minimum plays; nothing where it is not under it."""
        assert self.settings is not None
        below = stake.bet not in MAIN_BETS and stake.stake_minor < (self.settings.side.min_minor or 0)
        return self.rules.topics[Topic.BELOW_MINIMUM_PLAYS] if below else ()

    def _close(self, event: BettingClosed) -> None:
        """What plays, as the rules library has it, told all limits whatever the table is."""
        self.at_the_close = dict(self.stakes)
        stakes = list(self.stakes.values())
        plays = within_limits(self.rules, stakes, self._limits)
        expected = []
        for at, stake in enumerate(stakes):
            part, clauses = plays.get(at) or (stake.stake_minor, self._below_side_minimum(stake))
            if clauses:
                expected.append(PlayedBet(stake.who, stake.box or 0, stake.bet, part, clauses))
        assert list(event.played) == expected
        assert all(0 <= played.played_minor <= self.stakes[_key(played)].stake_minor for played in event.played)
        assert event.clauses == self.rules.topics[Topic.BETTING_CLOSED]

    def _insure(self, event: InsuranceTaken) -> None:
        """On the line that the points of both hands name, every card face up."""
        assert None not in self.cards
        coup = Coup.of(self.rules.space, tuple(self.cards))
        assert (event.player, event.banker) == (coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points)
        assert self.rules.insurance is not None
        line = self.rules.insurance.line(event.stage, event.player, event.banker)
        assert line is not None
        assert line in self.rules.offers(coup)
        by_staff = () if event.placed_by == event.who else self.rules.topics[Topic.STAFF_BETS]
        assert (event.side, event.odds, event.clauses) == (line.side, line.odds_text, (line.clause, *by_staff))
        self.held[chips(event.who)] -= event.stake_minor
        self.insurance.append(InsuranceStake(event.who, event.side, event.stage, event.stake_minor, event.box))
        self.lines.append(line)

    def _exchange(self, event: ChipsBought | ChipsCashed) -> None:
        (amount,) = (p.amount_minor for p in event.postings if p.account == chips(event.who))
        assert (amount > 0) == isinstance(event, ChipsBought)
        self.held[chips(event.who)] += amount
        self.held[FLOAT] -= amount

    def _stake(self, key: Key, stake: Stake) -> None:
        before = self.stakes[key].stake_minor if key in self.stakes else 0
        self.held[chips(stake.who)] -= stake.stake_minor - before
        self.stakes[key] = stake
        if not stake.stake_minor:
            del self.stakes[key]

    def _settle(self, event: RoundSettled) -> None:
        """To the cent and the clause as the rules library settles what lay there at the close."""
        assert self.settings is not None
        settings = self.settings
        coup = Coup.of(self.rules.space, tuple(self.cards))
        settlement = settle(
            self.rules,
            coup,
            list(self.at_the_close.values()),
            self.insurance,
            layout=settings.layout,
            decks=self.decks,
            limits=self._limits,
            rounding=settings.rounding,
        )
        expected = [
            events.SettledBet(
                bet.stake.who,
                bet.stake.box or 0,
                bet.stake.bet,
                bet.stake_minor,
                bet.verdict.result,
                bet.returned_minor,
                bet.clauses + self._below_side_minimum(bet.stake),
                None,
                bet.verdict.odds_text,
                bet.commission_minor,
                bet.played_minor,
            )
            for bet in settlement.bets
        ]
        expected += [
            events.SettledBet(
                taken.stake.who,
                taken.stake.box or 0,
                f"{taken.stake.side}_insurance",
                taken.stake_minor,
                taken.verdict.result,
                taken.returned_minor,
                taken.clauses,
                taken.stake.stage,
                taken.verdict.odds_text,
            )
            for taken in settlement.insurance
        ]
        assert [taken.verdict for taken in settlement.insurance] == [line.verdicts[coup.winner] for line in self.lines]
        assert list(event.results) == expected
        end = coup.end
        assert end is not None
        assert (event.winner, event.player, event.banker) == (end.winner, end.player, end.banker)
        assert event.clauses == self.rules.topics[Topic.TIE if end.winner is Winner.TIE else Topic.WINNER]
        for result in expected:
            commission = result.commission_minor or 0
            self.held[chips(result.who)] += result.returned_minor
            self.held[COMMISSION] += commission
            self.held[FLOAT] += result.stake_minor - result.returned_minor - commission
        self.stakes, self.at_the_close, self.between_rounds = {}, {}, True
        self.insurance, self.lines = [], []


def _key(played: PlayedBet) -> Key:
    return played.who, played.box, played.bet

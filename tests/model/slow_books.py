"""What the events alone say of money, stakes and cards, kept the slow way and apart from the engine's state."""

from collections import Counter

from punto import Coup, InsuranceStake, Limits, Stake, settle
from punto.rules.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table import events
from punto.table.events import ChipsBought, ChipsCashed, Event, RoundSettled
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
        self.insurance: list[InsuranceStake] = []
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
            case events.InsuranceTaken():
                self.held[chips(event.who)] -= event.stake_minor
                self.insurance.append(
                    InsuranceStake(event.who, event.side, event.stage, event.stake_minor, event.box),
                )
            case RoundSettled():
                self._settle(event)
            case _:
                self._record_cards(event)

    def _record_cards(self, event: Event) -> None:
        match event:
            case events.ShoeLoaded():
                self.decks, self.drawn, self.seen = event.decks, 0, Counter()
            case events.CardsBurned():
                self.drawn += 1 + event.unseen
                self.seen[event.card] += 1
            case events.BettingOpened():
                self.rounds += 1
                assert event.round == self.rounds
                assert self.between_rounds
                self.cards, self.between_rounds = [], False
            case events.CardDealt():
                self.drawn += 1
                self.cards.append(None)
                assert event.place == len(self.cards) <= 6
            case events.CardTurned():
                assert self.cards[event.place - 1] is None
                self.cards[event.place - 1] = event.card
                self.seen[event.card] += 1

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
        """To the cent and the clause as the rules library settles it, told all limits whatever the table is."""
        assert self.settings is not None
        settings = self.settings
        coup = Coup.of(self.rules.space, tuple(self.cards))
        settlement = settle(
            self.rules,
            coup,
            list(self.stakes.values()),
            self.insurance,
            layout=settings.layout,
            decks=self.decks,
            limits=Limits(settings.main.min_minor, settings.main.max_minor, settings.differential_minor),
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
                bet.clauses,
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
        assert list(event.results) == expected
        end = coup.end
        assert end is not None
        assert (event.winner, event.player, event.banker) == (end.winner, end.player, end.banker)
        for result in expected:
            commission = result.commission_minor or 0
            self.held[chips(result.who)] += result.returned_minor
            self.held[COMMISSION] += commission
            self.held[FLOAT] += result.stake_minor - result.returned_minor - commission
        self.stakes, self.insurance, self.between_rounds = {}, [], True

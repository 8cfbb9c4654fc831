"""Random people, settings and commands: plausible and absurd ones."""

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.play.payouts import payout_of
from punto.table.records import commands
from punto.table.records.commands import Command
from punto.table.records.events import Payout
from punto.table.records.kinds import BuyInKind, CashOutKind
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.positions import SUPERVISOR_UP, Position, in_order
from punto.table.records.settings import Automation, BetLimits, ContinuousShuffler, Settings
from punto.table.records.state import Phase, Table
from tests.model import slips, trays, troubles

T = TypeVar("T")

PEOPLE = ("ann", "bob", "cy", "dee")
IDS = ("P000001", "P000002", "P000003", "P000004")
STRANGERS = ("box 1", "box 2", "behind box 1", "behind box 2/2", IDS[0])
STAFF = {
    "del": Position.DEALER,
    "sue": Position.PIT_SUPERVISOR,
    "max": Position.PIT_MANAGER,
    "shi": Position.SHIFT_MANAGER,
    "cas": Position.CASINO_MANAGER,
    "house": Position.HOUSE,
}
HOSTILE_NAMES = ("", " ", "ann ", "a\nb", "x" * 41, "y" * 5000, "felt", "chips:ann", "\u202e", "del", "名前", "\0")
HOSTILE_NUMBERS = (0, -1, -(10**30), 10**30, 2**63, 10**14 + 1, 99, 7)
HOSTILE_BETS = ("", "nonesuch", "tie ", "player_insurance", "z" * 3000, "wu_dalang", "super_six_plus")
ACCOUNTS = ("float", "commission", "felt", "bank", "brought", "mispaid", "vouchers", "cage", "chips:ann", "chips:bob")
AMOUNTS = (1, 7, 50, 99, 100, 101, 250, 333, 1000, 2500, 20_000)


class Chooser(Protocol):
    """The source of randomness: hypothesis or a seed."""

    def number(self, least: int, most: int) -> int:
        """A number between the bounds, both inclusive."""


class Seeded:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - play, not secrets

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


class Choices:
    def __init__(self, rules: Rulebook, chooser: Chooser) -> None:
        self.rules = rules
        self.number: Callable[[int, int], int] = chooser.number
        self.shoes = 0

    def pick(self, among: Sequence[T]) -> T:
        return among[self.number(0, len(among) - 1)]

    def chance(self, one_in: int) -> bool:
        """True once in ``one_in`` times."""
        return self.number(1, one_in) == one_in

    def actor(self) -> tuple[str, Position]:
        """A person, mostly in their own position."""
        if self.chance(12):
            return self.pick((*PEOPLE, *STAFF, *HOSTILE_NAMES)), self.pick(tuple(Position))
        if self.chance(2):
            return self.pick(PEOPLE), Position.PLAYER
        return self.pick(tuple(STAFF.items()))

    def who(self) -> str:
        return self.pick(HOSTILE_NAMES) if self.chance(12) else self.pick(PEOPLE)

    def bettor(self) -> str:
        """Somebody, whom perhaps nobody knows yet."""
        return self.pick(STRANGERS) if self.chance(4) else self.who()

    def box(self) -> int:
        """Mostly a low box, to bring people together."""
        return self.pick(HOSTILE_NUMBERS) if self.chance(12) else self.number(1, 3)

    def bet(self) -> str:
        if self.chance(12):
            return self.pick(HOSTILE_BETS)
        return self.pick(("player", "banker")) if self.chance(2) else self.pick(tuple(self.rules.bets))

    def amount(self) -> int:
        """Mostly an amount that somebody might have."""
        return self.pick(HOSTILE_NUMBERS) if self.chance(10) else self.pick(AMOUNTS)

    def face(self, table: Table) -> Face:
        """A card; where the settings allow it, often only its rank."""
        by_rank = table.settings is not None and table.settings.faces_by_rank
        face = self.pick(tuple(Face))
        return Face(face.rank) if self.chance(2 if by_rank else 40) else face

    def side(self) -> Side:
        return self.pick(tuple(Side))

    def has(self, topic: Topic) -> bool:
        return bool(self.rules.topics[topic])

    def settings(self, fixed: Settings | None = None) -> Settings:
        """Settings that the book allows, with what cannot change of ``fixed`` if given."""
        layout = self.pick(tuple(self.rules.layouts.values()))
        least = layout.least_boxes or 1
        boxes = fixed.boxes if fixed else self.number(least, min(layout.most_boxes or 4, least + 3))
        labels = tuple(str(box + 10) for box in range(boxes))
        shown = self.has(Topic.DIFFERENTIAL)  # such a book displays a minimum and a differential limit
        least_bet = self.pick((1, 50, 100) if shown else (None, 1, 50, 100))
        main = BetLimits(least_bet, self.pick((None, 100, 500, 3000)))
        differential = self.pick((100, 150, 1000)) if shown else None
        private, cards_only, observing = self.chance(3), self.chance(8), self.chance(2)
        return Settings(
            layout=fixed.layout if fixed else layout.id,
            boxes=boxes,
            box_labels=fixed.box_labels if fixed else labels if self.chance(4) else (),
            currency=fixed.currency if fixed else self.pick(("SGD", "USD")),
            main=main,
            side=BetLimits(self.pick((None, 5, 50)), self.pick((None, 50, 400))),
            differential_minor=differential,
            face_down=self.chance(2),
            private=private,
            no_insurance=private and bool(self.rules.topics[Topic.NO_INSURANCE]) and self.chance(2),
            observing=observing,
            cards_only=cards_only,
            faces_by_rank=self.chance(4),
            rounding=self.pick(tuple(Rounding)),
            smallest_chip_minor=fixed.smallest_chip_minor if fixed else self.pick((1, 1, 5, 25)),
            chip_rounding=self.pick(tuple(Rounding)),
            buy_in_supervised_minor=self.pick((None, None, 1_000)),
            cash_out_supervised_minor=self.pick((None, None, 1_000)),
            tray_par_minor=self.pick((None, 10**6)),
            payout_supervised_minor=self.payout_threshold(observing=observing, cards_only=cards_only),
            burn=self.chance(2),
            cut_card=self.pick((0, 14, 51)),
            rounds_after_cut_card=self.pick((0, 1, 3, 99)),
            continuous=self.machine(),
            forgone_for_the_round=not self.chance(3),
            established_by_staked_bets=not cards_only and self.has(Topic.INTERRUPTION) and self.chance(2),
            squeeze_by_hand=self.has(Topic.SQUEEZE) and self.chance(3),
            squeeze_granted=self.has(Topic.SQUEEZE) and self.chance(3),
            house=self.pick(in_order(SUPERVISOR_UP)),
            automations=tuple(each for each in Automation if self.chance(2)),
        )

    def machine(self) -> ContinuousShuffler | None:
        """A shuffler that takes cards back, once in three times where the book has one."""
        if not self.has(Topic.ELECTRONIC_SHUFFLER) or not self.chance(3):
            return None
        return ContinuousShuffler(self.pick((1, 1, 2, 5)), self.chance(3))

    def payout_threshold(self, *, observing: bool, cards_only: bool) -> int | None:
        return self.pick((None, 50, 500)) if observing and not cards_only else None

    def hostile_settings(self) -> Settings:
        """Settings that some book may refuse."""
        return Settings(
            layout=self.pick(("A", "K", "", "nonesuch" * 100)),
            boxes=self.pick((1, 5, 7, 9, 12, *HOSTILE_NUMBERS)),
            currency=self.pick(("SGD", "sgd", "", "DOLLARS", "ÄÖÜ")),
            main=BetLimits(self.pick((None, 0, 100)), self.pick((None, -5, 50))),
            side=BetLimits(self.pick((None, 10**30)), self.pick((None, 1))),
            differential_minor=self.pick((None, 0, 10)),
            box_labels=self.pick(((), ("1",), ("x" * 50, "1"), ("a", "A", "b", "c", "d"))),
            private=self.chance(2),
            no_insurance=self.chance(2),
            cut_card=self.pick((0, 14, *HOSTILE_NUMBERS)),
            rounds_after_cut_card=self.pick((0, 1, *HOSTILE_NUMBERS)),
            continuous=self.pick((None, ContinuousShuffler(self.pick(HOSTILE_NUMBERS)))),
            house=self.pick(tuple(Position)),
            buy_in_supervised_minor=self.pick((None, *HOSTILE_NUMBERS)),
            cash_out_supervised_minor=self.pick((None, *HOSTILE_NUMBERS)),
            payout_supervised_minor=self.pick((None, 1, *HOSTILE_NUMBERS)),
            tray_par_minor=self.pick((None, *HOSTILE_NUMBERS)),
        )

    def asked_by(self, settings: Settings) -> str:
        """Who asked that no insurance is offered; sometimes nobody."""
        return PEOPLE[0] if settings.no_insurance and not self.chance(8) else ""

    def new_settings(self, table: Table) -> Settings:
        """Settings that fit the table, or random ones."""
        return self.hostile_settings() if self.chance(8) else self.settings(table.settings)

    def shoe(self) -> str:
        """The next shoe, sometimes the previous one."""
        self.shoes += not self.chance(8)
        return f"shoe {self.shoes}"

    def command(self, kind: type[Command], by: str, position: Position, table: Table) -> Command:
        """A command of that kind, valid or not."""
        make = _MAKE.get(kind)
        return make(self, (by, position), table) if make else kind(by, position)

    def any_command(self, table: Table) -> Command:
        """Any command by anybody; only rarely one that closes the table."""
        kind = self.pick(tuple(KINDS))
        if kind is commands.CloseTable and not self.chance(6):
            kind = commands.PlaceBet
        return self.command(kind, *self.actor(), table)

    def opening(self, table: Table) -> commands.OpenTable:
        """A valid opening with balances carried over."""
        carried = {f"chips:{who}": self.pick(AMOUNTS) for who in PEOPLE if self.chance(3)}
        either_way = ("brought", "mispaid", "vouchers", "cage", "unexplained")
        carried.update({account: self.number(-500, 500) for account in either_way if self.chance(3)})
        settings = self.settings(table.settings)
        by = ("cas", Position.CASINO_MANAGER) if settings.no_insurance else ("sue", Position.PIT_SUPERVISOR)
        asked_by = PEOPLE[0] if settings.no_insurance else ""
        return commands.OpenTable(*by, settings, 10**6, carried, asked_by, last_slip=table.last_slip)

    def change(self, by: "By", settings: Settings) -> commands.ChangeSettings:
        """A change of settings, with who asked for it where somebody has to."""
        return commands.ChangeSettings(*by, settings, self.asked_by(settings))


By = tuple[str, Position]


def _lines(some: Choices, table: Table) -> tuple[Payout, ...]:
    """Mostly one that the sheet has, or all; also one whose amount is wrong."""
    results = table.round.results if table.round is not None else ()
    if not results or some.chance(3):
        return ()
    line = payout_of(some.pick(results))
    return (replace(line, amount_minor=some.amount()) if some.chance(6) else line,)


_MAKE: dict[type[Command], Callable[[Choices, By, Table], Command]] = {
    commands.OpenTable: lambda some, by, table: commands.OpenTable(
        *by,
        some.new_settings(table),
        some.amount(),
        {some.pick(ACCOUNTS): some.amount()},
        some.pick(("", "", *PEOPLE)),
    ),
    commands.ChangeSettings: lambda some, by, table: some.change(by, some.new_settings(table)),
    commands.LoadShoe: lambda some, by, table: commands.LoadShoe(
        *by, some.shoe(), some.pick((4, 8, 10, 3, 11, -1)), some.pick(("", "", *troubles.off(table)))
    ),
    commands.EndShoe: lambda some, by, _: commands.EndShoe(*by, some.pick((None, some.number(0, 416)))),
    commands.BurnCards: lambda some, by, table: commands.BurnCards(*by, some.face(table)),
    commands.BuyIn: lambda some, by, _: commands.BuyIn(*by, some.who(), some.amount(), some.pick(tuple(BuyInKind))),
    commands.CashOut: lambda some, by, _: commands.CashOut(
        *by, some.bettor(), some.amount(), some.pick(tuple(CashOutKind))
    ),
    commands.Sit: lambda some, by, _: commands.Sit(*by, some.bettor(), some.box()),
    commands.StandBehind: lambda some, by, _: commands.StandBehind(*by, some.bettor(), some.box()),
    commands.IdentifyPlayer: lambda some, by, _: commands.IdentifyPlayer(
        *by, some.who(), some.pick(HOSTILE_NAMES) if some.chance(8) else some.pick(IDS)
    ),
    commands.Leave: lambda some, by, _: commands.Leave(*by, some.bettor()),
    commands.PlaceBet: lambda some, by, _: commands.PlaceBet(
        *by, some.bettor(), some.box(), some.bet(), some.amount(), some.chance(4), some.chance(4)
    ),
    commands.ConfirmBets: lambda some, by, _: commands.ConfirmBets(*by, some.pick((None, some.box()))),
    commands.WithdrawBet: lambda some, by, _: commands.WithdrawBet(
        *by, some.who(), some.box(), some.bet(), some.amount()
    ),
    commands.RejectExcess: lambda some, by, _: commands.RejectExcess(*by, some.box(), some.pick((None, some.bet()))),
    commands.AdviseMinimum: lambda some, by, _: commands.AdviseMinimum(*by, some.who(), some.box(), some.bet()),
    commands.RequestSqueeze: lambda some, by, _: commands.RequestSqueeze(*by, some.who(), some.side()),
    commands.GrantSqueeze: lambda some, by, _: commands.GrantSqueeze(*by, some.side(), some.chance(3)),
    commands.RefuseSqueeze: lambda some, by, _: commands.RefuseSqueeze(*by, some.side()),
    commands.WaiveThirdCardInsurance: lambda some, by, _: commands.WaiveThirdCardInsurance(*by, some.who()),
    commands.DealCard: lambda some, by, table: commands.DealCard(
        *by, some.pick((None, some.face(table))), some.chance(4), some.chance(4)
    ),
    commands.TurnCard: lambda some, by, table: commands.TurnCard(
        *by, some.number(1, 6) if not some.chance(8) else some.pick(HOSTILE_NUMBERS), some.face(table)
    ),
    commands.SqueezeCard: lambda some, by, _: commands.SqueezeCard(
        *by,
        place := some.number(1, 6) if not some.chance(8) else some.pick(HOSTILE_NUMBERS),
        some.pick((None, some.who())),
        place in (2, 3, 6),
    ),
    commands.TakeInsurance: lambda some, by, _: commands.TakeInsurance(
        *by, some.bettor(), some.box(), some.amount(), some.chance(4)
    ),
    commands.CallInsurance: lambda some, by, _: commands.CallInsurance(
        *by, some.bettor(), some.box(), some.pick((None, some.amount()))
    ),
    commands.PassInsurance: lambda some, by, _: commands.PassInsurance(*by, some.who(), some.box()),
    commands.MarkPaid: lambda some, by, table: commands.MarkPaid(*by, _lines(some, table), taken_back=some.chance(4)),
    **troubles.MAKE,
    **slips.MAKE,
    **trays.MAKE,
}

KINDS: tuple[type[Command], ...] = (
    *_MAKE,
    commands.CloseTable,
    commands.CutCardOut,
    commands.StartBoard,
    commands.OpenBetting,
    commands.CloseBetting,
    commands.OpenInsurance,
    commands.CloseInsurance,
    commands.Settle,
    commands.VerifyPayouts,
    CallPit,
    AnswerCall,
)
PLAYING = (Phase.BETTING, Phase.DEALING)

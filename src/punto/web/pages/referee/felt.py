"""The felt of a question: cards, boxes and bets, and where each tap leads."""

from collections.abc import Iterator
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import Odds
from punto.rules.bets.insurance import insurance_name
from punto.rules.coup.cards import FACE_DOWN, RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.decision import coup_of
from punto.table.play.insuring import current_line, due_offer
from punto.table.play.places import side_of
from punto.table.records.identity import Place
from punto.table.records.state import Phase, Table
from punto.table.referee.link import write_link
from punto.table.referee.question import RefereeQuestion, settings_of, who_bets
from punto.web.pages.base.i18n import Translator, person_name
from punto.web.pages.parts.bets import pays, side_of_felt
from punto.web.pages.parts.hands import CardOnFelt, ShownHand
from punto.web.pages.parts.words import card_name
from punto.web.pages.referee import edits
from punto.web.words.ruling import REFEREE_PATH

REFEREE_CHIPS: tuple[tuple[int, str, str], ...] = (
    (5_00, "v5", "5"),
    (25_00, "v25", "25"),
    (100_00, "v100", "100"),
    (500_00, "v500", "500"),
    (1_000_00, "v1k", "1K"),
)
"""Value in the smallest unit, look, and text on the chip."""


class Picked(Struct, frozen=True):
    """What somebody holds while they lay out a question: nothing of it is part of the question."""

    box: int = 1
    behind: bool = False
    chip_minor: int = 100_00
    turn: int = 0
    """The place of a card that is to be turned; 0: none."""

    def query(self) -> dict[str, str]:
        start = Picked()
        at = f"{self.box}{'b' if self.behind else ''}"
        chip = "" if self.chip_minor == start.chip_minor else str(self.chip_minor // 100)
        return {"at": "" if at == "1" else at, "chip": chip, "turn": str(self.turn or "")}


def read_picked(query: dict[str, str], boxes: int) -> Picked:
    """What the address says; whatever cannot be is left out."""
    at, chip, turn = query.get("at", ""), query.get("chip", ""), query.get("turn", "")
    box = at.removesuffix("b")
    chips = {str(minor // 100): minor for minor, _, _ in REFEREE_CHIPS}
    return Picked(
        box=int(box) if box.isdecimal() and box.isascii() and len(box) < 3 and 1 <= int(box) <= boxes else 1,
        behind=at.endswith("b"),
        chip_minor=chips.get(chip, Picked().chip_minor),
        turn=int(turn) if turn in ("1", "2", "3", "4", "5", "6") else 0,
    )


def address(question: RefereeQuestion, picked: Picked, **more: str) -> str:
    query = {"q": write_link(question), **picked.query(), **more}
    return f"{REFEREE_PATH}?{urlencode({name: value for name, value in query.items() if value})}"


class Tap(Struct, frozen=True):
    """Something to tap, and where it leads."""

    text: str
    href: str
    label: str = ""
    """For screen readers, if the text does not say it."""
    look: str = ""
    on: bool = False


class BoxTap(Struct, frozen=True):
    text: str
    href: str
    label: str
    on: bool
    stake_minor: int


class BetTap(Struct, frozen=True):
    """The area of a bet in the chosen box."""

    bet: str
    name: str
    pays: str
    look: str
    stake_minor: int
    href: str


class LaidBet(Struct, frozen=True):
    who: str
    bet: str
    stake_minor: int
    away: str
    """Takes it off the felt."""


class ShownFelt(Struct, frozen=True, kw_only=True):
    hands: tuple[ShownHand, ShownHand]
    early: tuple[CardOnFelt, ...]
    """Drawn, and not dealt yet."""
    ranks: tuple[Tap, ...]
    unseen: Tap | None
    undo: Tap | None
    down: tuple[Tap, Tap]
    """Dealt face up, dealt face down."""
    close: tuple[Tap, Tap]
    """Before the close, after it."""
    turn: tuple[Tap, ...]
    """Cards that lie face down."""
    turning: int
    boxes: tuple[BoxTap, ...]
    places: tuple[Tap, Tap]
    """In the box, behind it."""
    chips: tuple[Tap, ...]
    areas: tuple[BetTap, ...]
    insurance: BetTap | None
    bets: tuple[LaidBet, ...]


def show_felt(book: Rulebook, question: RefereeQuestion, table: Table, picked: Picked, t: Translator) -> ShownFelt:
    """The felt of a question that has been played: ``table`` is what came of it."""
    return _Felt(book, question, table, picked, t).show()


class _Felt:
    def __init__(self, book: Rulebook, question: RefereeQuestion, table: Table, picked: Picked, t: Translator) -> None:
        self.book, self.question, self.table, self.picked, self.t = book, question, table, picked, t
        self.settings = settings_of(book, question)

    def show(self) -> ShownFelt:
        t, down = self.t, [place for place, card in enumerate(self._cards(), 1) if card is None]
        unseen, last = edits.add_card(self.question, FACE_DOWN), edits.drop_last(self.question)
        return ShownFelt(
            hands=(self._hand(Side.PLAYER), self._hand(Side.BANKER)),
            early=tuple(self._card(0, carried.card) for carried in self.table.carried),
            ranks=tuple(self._rank(rank) for rank in RANKS),
            unseen=None if self.picked.turn else self._tap("?", unseen, t("card.face_down")),
            undo=self._tap(t("referee.undo"), last) if self.question.happened else None,
            down=(
                self._tap(t("referee.face_up"), edits.deal_face_down(self.question, down=False), on=not self._is_down),
                self._tap(t("referee.face_down"), edits.deal_face_down(self.question, down=True), on=self._is_down),
            ),
            close=(
                self._tap(t("referee.before_close"), self._open(open_=True), on=self.question.betting_open),
                self._tap(t("referee.after_close"), self._open(open_=False), on=not self.question.betting_open),
            ),
            turn=tuple(self._turn(place) for place in down),
            turning=self.picked.turn,
            boxes=tuple(self._boxes()),
            places=(self._place(behind=False), self._place(behind=True)),
            chips=tuple(self._chip(*chip) for chip in REFEREE_CHIPS),
            areas=tuple(self._areas()),
            insurance=self._insurance(),
            bets=tuple(self._bets()),
        )

    @property
    def _held(self) -> Picked:
        """What is picked after a card was laid or turned."""
        return replace(self.picked, turn=0)

    def _address(self, picked: Picked) -> str:
        return address(self.question, picked)

    def _tap(self, text: str, question: RefereeQuestion, label: str = "", *, on: bool = False) -> Tap:
        return Tap(text, address(question, self._held), label, on=on)

    # ---- cards

    @property
    def _is_down(self) -> bool:
        return self.settings.face_down

    @property
    def _in_doubt(self) -> bool:
        return self.table.round is not None and bool(self.table.round.irregularities.order_lost)

    def _cards(self) -> tuple[str | None, ...]:
        return self.table.round.cards if self.table.round is not None else ()

    def _hand(self, side: Side) -> ShownHand:
        t, now, coup = self.t, self.table.round, Coup.of(self.book.space, ())
        if now is not None:
            coup = coup_of(self.book, self.table)
        places = [place for place in range(1, len(coup.cards) + 1) if side_of(coup, place) is side]
        cards = tuple(self._card(place, coup.cards[place - 1]) for place in places)
        held = coup.hand(side)
        return ShownHand(
            side=side.value,
            name=t(f"side.{side}"),
            points=held.points if cards else None,
            cards=cards,
            empty=max(0, 2 - len(cards)),
            won=coup.finished and not self._in_doubt and coup.winner == side.value,
        )

    def _card(self, place: int, code: str | None) -> CardOnFelt:
        t = self.t
        label = card_name(code, t) if code else t("card.face_down")
        return CardOnFelt(place=place, code=code, label=label, third=place > 4, to_squeeze=False, opened=False)

    def _rank(self, rank: str) -> Tap:
        if self.picked.turn:
            body = {"command": "turn_card.1", "place": self.picked.turn, "card": rank}
            return self._rank_tap(rank, edits.add_step(self.question, body))
        return self._rank_tap(rank, edits.add_card(self.question, rank))

    def _rank_tap(self, rank: str, question: RefereeQuestion) -> Tap:
        return Tap("10" if rank == "T" else rank, address(question, self._held), card_name(rank, self.t))

    def _turn(self, place: int) -> Tap:
        t, on = self.t, place == self.picked.turn
        picked = replace(self.picked, turn=0 if on else place)
        return Tap(str(place), self._address(picked), t("referee.turn", place=place), on=on)

    def _open(self, *, open_: bool) -> RefereeQuestion:
        return replace(self.question, betting_open=open_, happened=())

    # ---- bets

    def _boxes(self) -> Iterator[BoxTap]:
        t = self.t
        on_felt: dict[int, int] = {}
        for bet in self.question.bets:
            on_felt[bet.box] = on_felt.get(bet.box, 0) + read_amount(bet.stake)
        for box in range(1, self.settings.boxes + 1):
            label = self.settings.box_label(box)
            yield BoxTap(
                label,
                self._address(replace(self.picked, box=box)),
                t("person.box", box=label),
                box == self.picked.box,
                on_felt.get(box, 0),
            )

    def _place(self, *, behind: bool) -> Tap:
        t = self.t
        text = t("referee.behind" if behind else "referee.seated")
        return Tap(text, self._address(replace(self.picked, behind=behind)), on=behind is self.picked.behind)

    def _chip(self, minor: int, look: str, text: str) -> Tap:
        on = minor == self.picked.chip_minor
        return Tap(text, self._address(replace(self.picked, chip_minor=minor)), look=look, on=on)

    @property
    def _who(self) -> str:
        """Whose bets lie in the chosen place."""
        sits = not self.picked.behind
        at = (who for bet, who, seated in who_bets(self.question.bets) if (bet.box, seated) == (self.picked.box, sits))
        return next(at, str(Place(self.picked.box, behind=self.picked.behind)))

    def _areas(self) -> Iterator[BetTap]:
        t, who, held, laid = self.t, self._who, self._held, list(who_bets(self.question.bets))
        for bet in self.book.layouts[self.settings.layout].menu:
            rule = self.book.bets[bet]
            here = [each for each, owner, _ in laid if (owner, each.box, each.bet) == (who, held.box, bet)]
            yield BetTap(
                bet,
                t(f"bet.{bet}"),
                pays(rule, t),
                f"main {bet}" if bet in MAIN_BETS else side_of_felt(rule),
                sum(read_amount(each.stake) for each in here),
                address(edits.add_bet(self.question, held.box, bet, held.chip_minor, seated=not held.behind), held),
            )

    def _insurance(self) -> BetTap | None:
        """The insurance that the chosen place could take now."""
        if self.table.phase is not Phase.DEALING or self.table.round is None:
            return None
        coup = coup_of(self.book, self.table)
        offered = self.table.round.insurance.offer_stands
        line = current_line(self.book, self.table) if offered else due_offer(self.book, self.table, coup)
        t, who, held = self.t, self._who, self._held
        if line is None or (who, held.box, line.side.value) not in self.table.round.bets:
            return None
        covered = [each for each in self.table.round.insurance.cover if (each.who, each.box) == (who, held.box)]
        insured = insurance_name(line.side)
        body = {"command": "take_insurance.1", "who": who, "box": held.box, "stake_minor": held.chip_minor}
        return BetTap(
            insured,
            t(f"bet.{insured}"),
            t.write(Odds(line.odds_text)),
            "insurance",
            sum(each.stake_minor for each in covered),
            address(edits.add_step(self.question, body), held),
        )

    def _bets(self) -> Iterator[LaidBet]:
        t = self.t
        for at, (bet, who, _) in enumerate(who_bets(self.question.bets)):
            yield LaidBet(
                person_name(who, t, {}, self.settings.box_labels),
                t(f"bet.{bet.bet}") if bet.bet in self.book.bets else bet.bet,
                read_amount(bet.stake),
                address(edits.drop_bet(self.question, at), self._held),
            )

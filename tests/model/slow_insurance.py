"""Offers of insurance, from the events alone: who could take them, up to what stake, and who has forgone the right."""

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from punto import Coup, Stake
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records import commands, correction_events, corrections, events, findings, reports
from punto.table.records.events import Event
from punto.table.records.ledger import chips
from punto.table.records.settings import Settings
from tests.model.slow_passing import ForgoneStake, SlowPassing

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks

At = tuple[str, int]
"""A player and a box."""

TEN_TO_ONE = Fraction(10)
QUARTER = Fraction(1, 4)
ON_THE_ROUND = "commission-insurance"
"""In this book all insurance of the round wins at most the Original Bet. In the others a stake is at most that bet."""


class Missed(Struct):
    """An offer that was due and not made."""

    line: InsuranceLine
    room: dict[At, int]
    """By player and box, the largest stake that was allowed then; without those who had left or forgone it."""
    lost: set[str]
    """Players who had left or forgone insurance."""
    only: set[str]
    """The players it did not reach, if it was made to others."""


class Taken(Struct):
    """One stake, with the line it is on."""

    who: str
    box: int
    line: InsuranceLine
    stake_minor: int


class SlowInsurance:
    """Records every event about insurance and compares each with what the readings say."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.start()

    def start(self) -> None:
        """A round starts."""
        self.line: InsuranceLine | None = None
        """The offer that can be taken now."""
        self.open = self.waived = False
        self.to: set[str] = set()
        """The players whom a late offer is for, if others had it in time."""
        self.passing = SlowPassing(self)
        self.cut_for: tuple[InsuranceLine, set[str]] | None = None
        """An offer was cut short, which is on record as missed by these players at once."""
        self.late: dict[Stage, set[str]] = {}
        """Stages whose offer was made late, to these players or else to all.

        With a stake there, all insurance of the round wins at most the bet.
        """
        self.walked: dict[str, int] = {}
        """By player who left with a stake in the round, how many of its cards were dealt or seen by then."""
        self.forgone: set[str] = set()
        self.made: set[Stage] = set()
        """Stages at which an offer was made, on the points that stand."""
        self.missed: dict[Stage, Missed] = {}
        self.forgone_third: set[str] = set()
        """Of the players who have forgone insurance, those who passed on the offer after Player's third card."""
        self.sides: dict[Stage, Side | None] = {}
        """For each stage whose cards a ruling may have changed, the side that the wrong cards gave."""
        self.rejudged = False
        """The last command judged insurance again."""
        self.owed: dict[Stage, InsuranceLine] = {}
        """Offers that the ruled cards give, that nobody made, and that are on record as missed at once."""

    # ---- what the readings say

    @property
    def _settings(self) -> Settings:
        assert self.books.settings is not None
        return self.books.settings

    @property
    def offered_here(self) -> bool:
        return self.books.rules.insurance is not None and not self._settings.no_insurance

    def shown(self) -> Coup | None:
        """The coup of the cards that everybody sees; None unless they come before all others."""
        faces = self.books.cards.faces
        shown = faces.index(None) if None in faces else len(faces)
        opened_alone = any(place > shown for place in self.books.cards.squeezed)
        return None if any(faces[shown:]) or opened_alone else Coup.of(self.books.rules.space, tuple(faces[:shown]))

    def room(self, line: InsuranceLine, who: str, box: int) -> int:
        """What the cap leaves a player on a line, judged by the Original Bet as placed."""
        return self.room_beside(line, self.books.stakes.get((who, box, line.side.value)), self.books.taken)

    def room_beside(self, line: InsuranceLine, stake: Stake | None, every: list[Taken]) -> int:
        """The same beside this insurance."""
        if stake is None:
            return 0
        key = (stake.who, stake.box, line.side)
        taken = [each for each in every if (each.who, each.box, each.line.side) == key]
        winnings = sum(each.stake_minor * each.line.odds for each in taken)
        to_win = floor((stake.stake_minor - winnings) / line.odds)
        if self.books.rules.id == ON_THE_ROUND:
            return max(to_win, 0)
        here = [each for each in taken if each.line.stage is line.stage]
        room = stake.stake_minor - sum(each.stake_minor for each in here)
        limits = [one for one in (self._settings.main.max_minor, self._settings.differential_minor) if one is not None]
        if line.odds == TEN_TO_ONE and limits:
            room = min(room, floor(QUARTER * min(limits)) - sum(e.stake_minor for e in here if e.line.odds == 10))
        late = any(self._was_late(each.stage, stake.who) for each in (line, *(each.line for each in taken)))
        return max(min(room, to_win) if late else room, 0)

    def in_chips(self, room: int) -> int:
        """The largest stake that somebody with the chips of this table can put there."""
        return room - room % self._settings.smallest_chip_minor

    def plays(self, stake_minor: int, room: int) -> int:
        """A stake that lies there plays whole, unless it is above the cap: then what chips make of the cap."""
        return self.in_chips(room) if stake_minor > room else stake_minor

    def _was_late(self, stage: Stage, who: str) -> bool:
        return stage in self.late and (not self.late[stage] or who in self.late[stage])

    def able(self, line: InsuranceLine) -> dict[At, int]:
        """Who can take the line, and how much of it."""
        lost = {*self.walked, *self.forgone}
        if self.line is not None and self.to:
            lost |= {who for who, _, _ in self.books.stakes} - self.to
        rooms = {
            (who, box): self.in_chips(self.room(line, who, box))
            for who, box, bet in self.books.stakes
            if bet == line.side.value and who not in lost
        }
        return {at: room for at, room in rooms.items() if room > 0}

    def due(self) -> InsuranceLine | None:
        """The offer to make before the next card is drawn."""
        insurance, faces = self.books.rules.insurance, self.books.cards.faces
        if insurance is None or not self.offered_here or None in faces or self.books.cards.order_lost:
            return None
        line = insurance.open_offer(Coup.of(self.books.rules.space, tuple(faces)))
        if line is None or line.stage in self.made or line.stage in self.missed:
            return None
        if line.stage is Stage.THIRD and self.waived:
            return None
        return line if self._settings.cards_only or self.able(line) else None

    def on_the_felt(self) -> InsuranceLine | None:
        """The offer that chips on the felt can be on: it stands, or is due, which they prove."""
        left = 6 - len(self.books.cards.faces)
        exposed = any(each.card is not None for each in self.books.cards.carried[:left])
        return self.line or (None if exposed else self.due())

    # ---- events

    def record(self, event: Event) -> None:
        self._record_correction(event)
        match event:
            case events.BettingOpened():
                self.start()
            case events.InsuranceOffered():
                self._offer(event)
            case events.InsuranceMissed():
                self._miss(event)
            case events.InsuranceTaken():
                self._take(event)
            case events.InsuranceFlagged():
                self._flag(event)
            case events.InsuranceClosed():
                self._close(event)
            case events.ThirdCardInsuranceWaived():
                self.waived = True
            case events.PlayerLeft(away=True):
                self.walked.setdefault(event.who, self._cards_out())
            case events.CardDealt():
                assert self.line is None, "the right ends with the next card, and somebody says so"
                due = self.due()
                waiting = set() if due is None else {who for who, _ in self.able(due)} - self.staked(due.stage)
                assert not waiting, "what was due is offered or on record as missed"
                assert self.cut_for is None
            case events.CardTurned() | events.CardSqueezed():
                assert self.line is None, "nobody insures on a card that they see"
                assert self.cut_for is None
            case findings.CardsDrawnOutOfTurn() | findings.OrderLost():
                self._draw_early(event)
            case findings.RoundVoided():
                self.line, self.open = None, False

    def _cards_out(self) -> int:
        cards = self.books.cards
        return len(cards.lying) + sum(each.card is not None and each.drawn_in == cards.rounds for each in cards.carried)

    def walked_by(self, stage: Stage) -> set[str]:
        """The players who had left before the card came that follows the cards of a stage."""
        return {who for who, cards in self.walked.items() if cards <= stage.cards}

    def _draw_early(self, event: findings.CardsDrawnOutOfTurn | findings.OrderLost) -> None:
        """An offer goes on as long as its points are certain and nobody has seen a card that came too early."""
        faces, carried = self.books.cards.faces, self.books.cards.carried
        if isinstance(event, findings.CardsDrawnOutOfTurn):
            seen = any(event.cards)
        else:
            lying = [*faces, *(each.card for each in carried)]
            in_doubt = self.line is not None and min(event.places) <= self.line.stage.cards
            seen = in_doubt or any(lying[place - 1] for place in event.places)
        void = any(isinstance(each, findings.RoundVoided) for each in self.books.decision)
        assert self.line is None or void or not seen
        assert self.cut_for is None

    def staked(self, stage: Stage) -> set[str]:
        return {each.who for each in self.books.taken if each.line.stage is stage}

    @property
    def cards_only(self) -> bool:
        return self._settings.cards_only

    def check_reached(self) -> None:
        """Once everything is judged again, and before it is settled again."""
        if self.rejudged and self.offered_here:
            stakes = isinstance(self.books.command, corrections.CorrectBet | corrections.CorrectInsurance)
            all_back = {each.stake.who for each in self.passing.went_back}
            self.passing.check(self.books.corrections.people if stakes else all_back)
        self.rejudged = False

    def _record_correction(self, event: Event) -> None:
        if event is self.books.decision[0]:
            self.rejudged = isinstance(self.books.command, corrections.CorrectInsurance) and not isinstance(
                event, events.InsuranceFlagged
            )
        if isinstance(event, correction_events.BetCorrected) and event.bet in MAIN_BETS:
            self.rejudged = True
        if isinstance(event, findings.CardOrderRuled):
            self._rule_order(event)
            self.rejudged = True
        if isinstance(event, findings.InsuranceRejudged):
            self._rejudge(event)
        if isinstance(event, findings.CardCorrected):
            self._correct_card(event)

    def rename(self, who: str, player: str) -> None:
        names = {who: player}
        self.walked = {names.get(each, each): cards for each, cards in self.walked.items()}
        self.forgone = {names.get(each, each) for each in self.forgone}
        self.forgone_third = {names.get(each, each) for each in self.forgone_third}
        self.to = {names.get(each, each) for each in self.to}
        self.late = {stage: {names.get(each, each) for each in people} for stage, people in self.late.items()}
        self.passing.rename(who, player)
        for missed in self.missed.values():
            missed.only = {names.get(each, each) for each in missed.only}
            missed.lost = {names.get(each, each) for each in missed.lost}
            missed.room = {(names.get(each, each), box): room for (each, box), room in missed.room.items()}

    def _offer(self, event: events.InsuranceOffered) -> None:
        insurance, coup = self.books.rules.insurance, self.shown()
        assert insurance is not None
        assert coup is not None
        line = insurance.open_offer(coup)
        assert line is not None
        assert (line.stage, line.side, line.odds_text) == (event.stage, event.side, event.odds)
        assert self.offered_here
        again = self.line is not None  # an interruption: the same offer opens again
        if again:
            assert (self.line, event.makes_good) == (line, ())
            self.passing.past[line.stage].binds = False
        elif event.makes_good:
            assert event.makes_good == (line.stage,), "only the line that was missed and still shows"
            missed = self.missed.pop(line.stage)
            assert missed.line is line
            assert None in self.books.cards.faces, "the next card is drawn and nobody has seen it"
            assert self.books.rules.topics[Topic.LATE_INSURANCE]
            self._offer_late(line, missed.only)
        else:
            assert self.due() is line
            self.late.pop(line.stage, None)
            self.to = set()
            self.passing.made(line.stage, self.forgone)
        assert again or set(event.players) == self.to
        self.line, self.open = line, True
        self.made.add(line.stage)
        assert again or self._settings.cards_only or self.able(line)

    def _offer_late(self, line: InsuranceLine, only: set[str]) -> None:
        """To everybody, or to those whom the offer had not reached. Who was asked late stays so, whatever follows."""
        self.to = only
        if not only or line.stage not in self.late:
            self.late[line.stage] = set(only)
        elif self.late[line.stage]:
            self.late[line.stage] |= only
        if only and line.stage not in self.made:  # the others have insurance that they took on other points
            others = {who for who, _, _ in self.books.stakes} | {each.who for each in self.books.taken}
            self.passing.made(line.stage, self.forgone | (others - only))
        elif only:
            past = self.passing.past[line.stage]
            past.shut_out -= only
            past.gone_before |= only & set(self.walked)
            past.cut = False
        else:
            self.passing.made(line.stage, self.forgone)

    def _miss(self, event: events.InsuranceMissed) -> None:
        players = set(event.players)
        line = self._missed_line(event, players)
        assert line is not None, "an offer that nobody has room to take is not due"
        assert (line.stage, line.side, line.odds_text) == (event.stage, event.side, event.odds)
        coup = Coup.of(self.books.rules.space, tuple(self.books.cards.faces[: line.stage.cards]))
        assert (event.player, event.banker) == (coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points)
        forgone = self.forgone - (self.forgone_third if line.stage is Stage.FOUR or players else set())
        lost = (self.walked_by(line.stage) | forgone) - players
        self.missed[line.stage] = Missed(line, {}, lost, players)
        self._refresh_room(self.missed[line.stage], self.books.stakes)

    def _missed_line(self, event: events.InsuranceMissed, players: set[str]) -> InsuranceLine | None:
        if event.cut_short:
            assert self.cut_for is not None
            (line, waiting), self.cut_for = self.cut_for, None
            assert players == waiting
            return line
        if event.stage in self.made:  # those whom it did not reach are compared once all is judged again
            assert players or self.cards_only
            return self.line_at(event.stage, self.books.cards.faces)
        found = self.owed.pop(event.stage, None) or self.due()
        if found is None or found.stage is not event.stage:
            found = self._found_missed(event.stage)
        staked = self.staked(event.stage)
        able = self.passing.able_then(found) if found is not None else set()
        waiting = able - staked if staked else set()
        assert players == waiting, "who has insurance at that stage misses nothing"
        assert players or not staked
        return found

    def _found_missed(self, stage: Stage) -> InsuranceLine | None:
        """An offer that nobody made, found once bets and offers are as they really were."""
        assert isinstance(self.books.command, corrections.CorrectBet | corrections.CorrectInsurance)
        line = self.line_at(stage, self.books.cards.faces)
        if line is None or stage in self.made or stage in self.missed or stage.cards >= len(self.books.cards.faces):
            return None
        return line if self._settings.cards_only or self.passing.able_then(line) else None

    def _take(self, event: events.InsuranceTaken) -> None:
        """Insurance is on the pay line for the points of the visible cards, within the cap."""
        line, coup = self.line, self.shown()
        assert line is not None, "the offer stands"
        assert coup is not None
        assert (event.player, event.banker) == (coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points)
        assert (event.stage, event.side, event.odds) == (line.stage, line.side, line.odds_text)
        assert event.clauses[0] == line.clause
        assert event.who not in {*self.walked, *self.forgone}
        assert not self.to or event.who in self.to
        room = self.room(line, event.who, event.box)
        assert 0 < event.stake_minor <= room
        if self.books.felt and isinstance(self.books.command, commands.TakeInsurance | commands.CallInsurance):
            wanted = self.books.command.stake_minor
            assert event.stake_minor == (self.in_chips(room) if wanted is None else self.plays(wanted, room))
        self.passing.past[line.stage].took.add(event.who)

    def _flag(self, event: events.InsuranceFlagged) -> None:
        """What does not play goes back, and nothing moves. What plays was taken before it."""
        assert self.books.felt
        at = (event.who, event.box)
        if isinstance(self.books.command, corrections.CorrectInsurance):
            self._flag_corrected(event)
            return
        line = self.on_the_felt()
        assert event.stage is (line.stage if line else None)
        if line is None:
            lost = event.who in {*self.walked, *self.forgone} and not self._settings.no_insurance
            why = events.InsuranceFlag.FORGONE if lost else events.InsuranceFlag.NO_OFFER
        elif (*at, line.side.value) not in self.books.stakes:
            why = events.InsuranceFlag.NO_ORIGINAL_BET
        elif event.who in {*self.walked, *self.forgone}:
            why = events.InsuranceFlag.FORGONE
        elif self.line is not None and self.to and event.who not in self.to:
            why = events.InsuranceFlag.NO_OFFER
        else:
            why = events.InsuranceFlag.ABOVE_CAP
            assert not self.in_chips(self.room(line, *at))
        assert event.why is why
        assert event.clauses

    def _flag_corrected(self, event: events.InsuranceFlagged) -> None:
        """Of the stake that lay there, the part that does not play."""
        assert event.stage is not None
        line = self.line_at(event.stage, self.books.cards.faces)
        assert line is not None
        before = self.forgone - self.forgone_third if event.stage is Stage.THIRD else set[str]()
        lay = self.books.at_the_close if self.books.paid is None else self.books.settled_close
        if (event.who, event.box, line.side.value) not in lay:
            why = events.InsuranceFlag.NO_ORIGINAL_BET
        elif event.who in before | self.passing.gone_before(event.stage):
            why = events.InsuranceFlag.FORGONE
        else:
            why = events.InsuranceFlag.ABOVE_CAP
        assert event.why is why
        assert event.amount_minor > 0

    def _close(self, event: events.InsuranceClosed) -> None:
        """Who could have taken the offer and did not has forgone insurance, unless the offer was interrupted."""
        assert self.line is not None
        expected: set[str] = set()
        if event.until_next_card:
            assert self.open
            assert not event.forgone
            self.open = False
            return
        past = self.passing.past[self.line.stage]
        late_in_doubt = self._in_doubt() and None in self.books.cards.faces
        assert event.cut_short == (late_in_doubt or self._seen_too_early())
        waiting = {who for who, _ in self.able(self.line)} - past.took - self.staked(self.line.stage)
        if event.cut_short:  # on points in doubt nobody knows yet what they have missed
            known = not late_in_doubt and (waiting or self.cards_only)
            self.cut_for = (self.line, waiting) if known else None
        elif self._settings.forgone_for_the_round and past.binds and not self.books.interrupted:
            expected = {who for who in waiting if self.books.felt or self.books.held[chips(who)] > 0}
        assert event.forgone == tuple(sorted(expected))
        assert event.clauses == (self.books.rules.topics[Topic.INSURANCE_FORGONE] if expected else ())
        self.forgone |= expected
        self.forgone_third |= expected if self.line.stage is Stage.THIRD else set()
        self.passing.ended(self.line, self.to, cut=event.cut_short)
        self.line, self.open = None, False

    def _in_doubt(self) -> bool:
        """Whether the offer ends because its points are in doubt, or turn out to be others."""
        assert self.line is not None
        if isinstance(self.books.command, corrections.CorrectCard):
            return True
        lost = [each.places for each in self.books.decision if isinstance(each, findings.OrderLost)]
        return any(place <= self.line.stage.cards for places in lost for place in places)

    def _seen_too_early(self) -> bool:
        """Whether the offer ends because a card is seen, by a mistake that leaves its points as they are."""
        command, decision, cards = self.books.command, self.books.decision, self.books.cards
        if self._in_doubt():
            return False
        if isinstance(command, commands.DealCard):
            assert not command.not_offered or command.card is not None, (
                "an offer goes on while nobody has seen the card"
            )
            return command.not_offered
        if isinstance(command, reports.ReportFaceUpCard):
            return True
        places = [place for each in decision if isinstance(each, findings.OrderLost) for place in each.places]
        drawn = [card for each in decision if isinstance(each, findings.CardsDrawnOutOfTurn) for card in each.cards]
        faces = [*cards.faces, *(each.card for each in cards.carried), *drawn]
        return any(drawn) or any(faces[place - 1] for place in places)

    def line_at(self, stage: Stage, faces: list[Face | None]) -> InsuranceLine | None:
        """The line that the cards of a stage give."""
        insurance = self.books.rules.insurance
        if insurance is None or not self.offered_here or (self.waived and stage is Stage.THIRD):
            return None
        line = insurance.open_offer(Coup.of(self.books.rules.space, tuple(faces[: stage.cards])))
        return line if line is not None and line.stage is stage else None

    def _points(self, faces: list[Face | None], stage: Stage) -> list[int | None]:
        coup = Coup.of(self.books.rules.space, tuple(faces[: stage.cards]))
        return [coup.hand(side).points for side in Side]

    def _rule_order(self, event: findings.CardOrderRuled) -> None:
        assert self.line is None or min(event.order) > self.line.stage.cards, "no offer stands on points in doubt"
        faces = [*self.books.cards.faces, *(each.card for each in self.books.cards.carried)]
        after = list(faces)
        for place, came_from in zip(sorted(event.order), event.order, strict=True):
            after[place - 1] = faces[came_from - 1]
        dealt = len(self.books.cards.faces)
        self._doubt(min(event.order), after[:dealt])

    def _correct_card(self, event: findings.CardCorrected) -> None:
        """If the points stay the same, so does insurance. A card that nobody drew ended no offer before it."""
        if event.place is None or event.dealt is None:
            return
        cards, at = self.books.cards, event.place - 1
        if event.card is None:  # it was never drawn, so whoever left after it has left before the next one
            last = [*cards.lying, *cards.carried][at]
            counted = at < len(cards.lying) or (last.card is not None and last.drawn_in == cards.rounds)
            self.walked = {who: min(left, self._cards_out() - counted) for who, left in self.walked.items()}
        after = [*cards.faces, *(each.card for each in cards.carried)]
        after[at : at + 1] = [] if event.card is None else [event.card]
        after = after[: event.dealt]
        not_drawn = event.card is None
        if not_drawn or Coup.of(self.books.rules.space, tuple(after)).partial != cards.coup.partial:
            assert self.line is None, "no offer stands on points that change"
            self._doubt(event.place - not_drawn, after)

    def _doubt(self, first: int, after: list[Face | None]) -> None:
        """What the wrong cards gave. If the ruling or correction has no other event, insurance stays as it is."""
        faces = list(self.books.cards.faces)
        touched = [stage for stage in Stage if first <= stage.cards <= max(len(faces), len(after))]
        wrong = {stage: self.line_at(stage, faces) for stage in touched}
        right = {stage: self.line_at(stage, after) for stage in touched}
        self.sides = {stage: line.side if line else None for stage, line in wrong.items()}
        past = [stage for stage in touched if stage.cards < len(after)]
        kept = {s for s in past if s in self.made and (line := right[s]) is not None and line.side is self.sides[s]}
        self.made = {stage for stage in self.made if stage not in touched or stage in kept}
        for stage in kept:
            self.passing.past[stage].binds = False
        self.rejudged = True
        still = [s for s in past if right[s] is not None and self._points(faces, s) == self._points(after, s)]
        self.missed = {s: missed for s, missed in self.missed.items() if s not in touched or s in still}
        free = self.forgone if Stage.FOUR in touched else self.forgone_third if Stage.THIRD in touched else set()
        for missed in self.missed.values():
            missed.lost -= free - self.walked_by(missed.line.stage)
        self.forgone, self.forgone_third = self.forgone - free, self.forgone_third - free
        self.owed = {
            stage: line
            for stage in past
            if stage not in self.made and stage not in self.missed and (line := right[stage]) is not None
        }
        if not any(isinstance(each, findings.InsuranceRejudged) for each in self.books.decision):
            for taken in self.books.taken:
                assert taken.line.stage not in touched or taken.line is right[taken.line.stage]

    def correct_offer(self, stage: Stage, *, made: bool) -> None:
        self.missed.pop(stage, None)
        if made:
            self.made.add(stage)
            self.late.pop(stage, None)  # it turns out to have been made in time
            before = self.forgone - self.forgone_third if stage is Stage.THIRD else set[str]()
            self.passing.made(stage, before, later=True)
            return
        assert stage in self.made
        self.made.discard(stage)
        if self.line is not None and self.line.stage is stage:
            self.line, self.open = None, False

    def took_or_not(self, who: str, line: InsuranceLine) -> None:
        """A corrected stake, which counts for those who pass on the offer."""
        took = self.passing.past[line.stage].took
        took.discard(who)
        if who in self.staked(line.stage):
            took.add(who)

    def _rejudge(self, event: findings.InsuranceRejudged) -> None:
        """After a correction of stakes the bets decide, otherwise the cards."""
        if isinstance(self.books.command, corrections.CorrectBet | corrections.CorrectInsurance):
            self._rejudge_stakes(event)
        else:
            self._rejudge_cards(event)

    def _rejudge_stakes(self, event: findings.InsuranceRejudged) -> None:
        """Insurance stays up to the cap of the bet as it lay there, the earlier stage first; and who passed, did."""
        books, people = self.books, self.books.corrections.people
        passed = {who: stage for who in people if (stage := self.passing.passed_at(who)) is not None}
        was, left = books.taken, dict[int, int]()
        for at, taken in sorted(enumerate(was), key=lambda each: each[1].line.stage.cards):
            stays = taken.stake_minor
            before = passed.get(taken.who)
            if taken.line.stage is books.corrections.not_offered:
                stays = 0
            elif before is not None and before.cards < taken.line.stage.cards:
                stays = 0
                self.passing.went_back.append(ForgoneStake(books.insurance[at], taken.line))
                assert set(books.rules.topics[Topic.INSURANCE_FORGONE]) <= set(event.clauses)
            elif taken.who in people:
                older = [replace(was[other], stake_minor=minor) for other, minor in left.items() if minor]
                stake = books.at_the_close.get((taken.who, taken.box, taken.line.side.value))
                stays = self.plays(stays, self.room_beside(taken.line, stake, older))
            left[at] = stays
        assert [judged.stake_minor for judged in event.cover] == [left[at] for at in range(len(was))]
        for at, taken in enumerate(was):
            books.corrections.back(taken.who, taken.box, taken.line, taken.stake_minor - left[at])
        kept = [(replace(stake, stake_minor=left[at]), books.lines[at]) for at, stake in enumerate(books.insurance)]
        books.insurance = [stake for stake, _ in kept if stake.stake_minor]
        books.lines = [line for stake, line in kept if stake.stake_minor]
        assert event.passed == passed
        still = self.forgone - people
        assert set(event.forgone) == still
        free = self.forgone - set(passed) - still
        early = {who for who, stage in passed.items() if stage is Stage.FOUR}
        self.forgone_third = (self.forgone_third & still) - early | (set(passed) - early)
        self.forgone = still | set(passed)
        if self.line is not None and not self.to:  # who has the right now can still take it
            self.passing.past[self.line.stage].shut_out = self.forgone - set(self.walked)
        on_felt = {bet for _, _, bet in (*books.stakes, *books.corrections.uninsured)}
        self.missed = {
            stage: missed
            for stage, missed in self.missed.items()
            if self._settings.cards_only or missed.line.side.value in on_felt
        }
        self._drop_for_some(event)
        for stage, missed in self.missed.items():
            freed = free - self.walked_by(stage)
            missed.lost = missed.lost - freed | (early if stage is Stage.THIRD else set())
        assert (set(event.offered), set(event.missed)) == (self.made, set(self.missed))

    def _drop_for_some(self, event: findings.InsuranceRejudged) -> None:
        """An offer that some missed is recorded again if those are others now."""
        self.missed = {s: missed for s, missed in self.missed.items() if not missed.only or s in event.missed}

    def refresh_rooms(self) -> None:
        """After a correction: how much of each missed offer everybody could have taken."""
        for missed in self.missed.values():
            self._refresh_room(missed, self.books.at_the_close)

    def _refresh_room(self, missed: Missed, stakes: dict[tuple[str, int, str], Stake]) -> None:
        before = [each for each in self.books.taken if each.line.stage.cards <= missed.line.stage.cards]
        missed.room = {
            key[:2]: self.in_chips(self.room_beside(missed.line, stake, before))
            for key, stake in stakes.items()
            if key[2] == missed.line.side.value and key[0] not in missed.lost
            if not missed.only or key[0] in missed.only
        }

    def _rejudge_cards(self, event: findings.InsuranceRejudged) -> None:
        """Insurance stays as far as the right cards offer it on the same side and the cap allows, the oldest first."""
        books, faces = self.books, self.books.cards.faces
        was, books.insurance, books.lines = list(zip(books.insurance, books.lines, strict=True)), [], []
        for (taken, old), judged in zip(was, event.cover, strict=True):
            line = self.line_at(old.stage, faces) if old.stage in self.sides else old
            left = 0
            if line is not None and line.side is old.side:
                assert judged.odds == line.odds_text
                room = self.room(line, taken.who, taken.box or 0)
                original = (taken.who, taken.box, line.side.value) in books.stakes
                left = self.plays(taken.stake_minor, room) if original else taken.stake_minor
            assert (judged.who, judged.box, judged.stage, judged.side) == (taken.who, taken.box, old.stage, old.side)
            assert judged.stake_minor == left
            books.corrections.back(taken.who, taken.box or 0, old, taken.stake_minor - left)
            if line is not None and left:
                books.insurance.append(replace(taken, stake_minor=left))
                books.lines.append(line)
        self._drop_for_some(event)
        assert (set(event.offered), set(event.missed)) == (self.made, set(self.missed))
        assert event.forgone == tuple(sorted(self.forgone))

    def check_return(self, event: findings.UninsuredBetReturned, coup: Coup) -> None:
        """An offer was missed that would have won, to a player who could have taken it."""
        assert self.offered_here
        assert coup.end is not None
        at = (event.who, event.box)
        if self.books.corrections.touched and self.books.paid is None:
            self.refresh_rooms()
        would_have_won = [
            missed
            for missed in self.missed.values()
            if missed.line.side is event.side and missed.line.verdicts[coup.end.winner].result is Result.WIN
        ]
        assert would_have_won
        if event.by_hand:
            return
        assert any(missed.room.get(at, 0) > 0 for missed in would_have_won)
        if self.books.paid is None:  # later insurance counts too, where the cap is one of the round
            assert any(self.in_chips(self.room(missed.line, *at)) > 0 for missed in would_have_won)
        assert coup.end.winner.value != event.side.value, "a player who won the bet needed no insurance"

"""A bet that depends on single cards, compiled to an automaton over the places of a coup and the kinds of cards.

Two cards are of one kind if the bet cannot tell them apart. A state is all that matters of the cards so far: it knows
which results it can still reach. Settlement and "decided" walk from state to state, exact odds count over the states,
the simulator steps through them; nobody reads a condition after the automaton is made.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Final, NamedTuple

from msgspec import Struct

from punto.rules.bets.condition import Condition
from punto.rules.bets.features import AFTER_FOUR, FAILED, START, Group, PairPatterns, Test, read_word
from punto.rules.coup.cards import Card, Face, may_be
from punto.rules.coup.space import Space
from punto.rules.coup.table_of_play import POINTS, To

PLACES: Final = (0, 2, 1, 3, 4, 5)
"""The order in which the cards of a coup are taken: hand by hand, because the order within the first four does not
matter to most bets."""
BANKER_FIRST: Final = (1, 3, 0, 2, 4, 5)
"""For bets on Banker's first two cards only."""
_HANDS: Final = 4
_TENS: Final = (1 << 10) - 1

_WITH_PLAYER: Final = tuple(((1 << 1000) - 1) << points * 1000 for points in POINTS)
"""The runs with these points of Player on two cards, as bit sets."""
_WITH_BANKER: Final = tuple(
    sum(((1 << 100) - 1) << start + points * 100 for start in range(0, 10_000, 1000)) for points in POINTS
)
_PLAYERS: Final = frozenset({Group.PLAYER_TWO, Group.PLAYER_HAND, Group.FIRST_FOUR, Group.ALL_CARDS})
_BANKERS: Final = frozenset({Group.BANKER_TWO, Group.BANKER_HAND, Group.FIRST_FOUR, Group.ALL_CARDS})
_PLAYERS_THIRD: Final = frozenset({Group.PLAYER_HAND, Group.PLAYER_THIRD_CARD, Group.ALL_CARDS})
_BANKERS_THIRD: Final = frozenset({Group.BANKER_HAND, Group.BANKER_THIRD_CARD, Group.ALL_CARDS})

_Seen = tuple[str | None, ...]
"""What each test has seen; None once it does not matter any more."""
_Run = tuple[int, ...]
"""Before the fifth card: the points of the hands so far. After it, for each open line: the values of the sixth card
with which its run is as asked, as a bit set."""


class _State(NamedTuple):
    """All that matters after some cards."""

    taken: int
    run: _Run
    to: To
    """Who gets the next card, once that is known."""
    lines: tuple[int, ...]
    """Those that can still come first, by number."""
    seen: _Seen


class Tables(Struct, frozen=True):
    """States by number. The first ones are final: a verdict each, one for every line and one for no line."""

    rows: tuple[tuple[int, ...], ...]
    """By state and kind of card: the next state. Final states have no row."""
    start: int
    depths: tuple[int, ...]
    """By state: the most cards that can still matter."""
    reach: tuple[int, ...]
    """By state: the verdicts that it can reach, as a bit set."""

    def after(self, state: int) -> tuple[int, ...]:
        """The row of a state that is not final."""
        return self.rows[state - len(self.depths) + len(self.rows)]


class _Line(Struct, frozen=True):
    """A condition as the automaton follows it."""

    runs: int
    """The runs it asks for, as a bit set."""
    tests: tuple[tuple[int, Test], ...]
    """The tests it asks for, each with the index of its memory."""


class Automaton(Struct, frozen=True, dict=True):
    """Which line of a bet comes first, for any cards. The number of lines stands for none of them."""

    space: Space
    conditions: tuple[Condition, ...]
    player_first: bool = False
    """Always take Player's first two cards before Banker's."""

    @cached_property
    def _memories(self) -> tuple[tuple[Group, Test], ...]:
        """What has to be remembered of groups of cards. Several tests can share a memory."""
        tests = (test for condition in self.conditions for test in _tests_of(condition))
        return tuple(dict.fromkeys((group, test.memory) for group, test in tests))

    @cached_property
    def _about_run(self) -> bool:
        """Whether points or draws matter."""
        return any(each.about_run for each in self.conditions) or any(
            group in AFTER_FOUR for group, _ in self._memories
        )

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The order in which cards are taken."""
        only_banker = not self._about_run and all(group is Group.BANKER_TWO for group, _ in self._memories)
        return BANKER_FIRST if only_banker and not self.player_first else PLACES

    @cached_property
    def _kinds(self) -> dict[tuple[int, tuple[str, ...]], list[Card]]:
        """The cards of each kind, by value, where it matters, and by what the tests see."""
        kinds: dict[tuple[int, tuple[str, ...]], list[Card]] = {}
        for card in Card:
            value = self.space.card_values[Face(card)] if self._about_run else 0
            kinds.setdefault((value, tuple(test.sign(card) for _, test in self._memories)), []).append(card)
        return kinds

    @cached_property
    def kinds(self) -> dict[Face, int]:
        """The kind of each card."""
        return {Face(card): kind for kind, cards in enumerate(self._kinds.values()) for card in cards}

    @cached_property
    def _faces(self) -> dict[Face | None, tuple[int, ...]]:
        """The kinds that a face can be: several for a rank alone, and all for a card face down."""
        faces: dict[Face | None, tuple[int, ...]] = {
            face: tuple(sorted({kind for card, kind in self.kinds.items() if may_be(face, card)})) for face in Face
        }
        return {**faces, None: tuple(range(len(self._kinds)))}

    @cached_property
    def needs_suits(self) -> bool:
        """Whether a rank alone does not always settle the bet."""
        return any(len(kinds) > 1 for face, kinds in self._faces.items() if face is not None)

    @cached_property
    def tables(self) -> Tables:
        """Made when first needed: a few milliseconds, up to a second where suits of both hands matter."""
        kinds = tuple(self._kinds)
        return _Maker(self.space, self._lines, self._memories, kinds, self.places, about_run=self._about_run).tables()

    @cached_property
    def _lines(self) -> tuple[_Line, ...]:
        every = (1 << len(self.space.ends)) - 1
        return tuple(
            _Line(
                each.runs(self.space) if each.about_run else every,
                tuple((self._memories.index((group, test.memory)), test) for group, test in _tests_of(each)),
            )
            for each in self.conditions
        )

    def lines_possible(self, cards: Sequence[Face | None]) -> int:
        """The lines that can still come first, as a bit set; any card can still be dealt."""
        tables, finals = self.tables, len(self.conditions)
        states, reached = {tables.start}, 0
        for place in self.places:
            face = cards[place] if place < len(cards) else None
            states = {tables.after(state)[kind] for state in states for kind in self._faces[face]}
            reached |= sum(1 << state for state in states if state <= finals)
            states = {state for state in states if state > finals}
            if not states:
                break
        return reached

    def line(self, cards: Sequence[Face | None]) -> int | None:
        """The line that comes first; None where the cards do not say."""
        tables, state = self.tables, self.tables.start
        for place in self.places:
            if state <= len(self.conditions):
                return state
            kinds = self._faces[cards[place] if place < len(cards) else None]
            if len(kinds) > 1:
                break
            state = tables.after(state)[kinds[0]]
        if state <= len(self.conditions):
            return state
        possible = self.lines_possible(cards)
        return possible.bit_length() - 1 if possible & (possible - 1) == 0 else None


class Joint(Struct, frozen=True, dict=True):
    """Two automata at once. Its lines are those of the first, and within each those of the second."""

    one: Automaton
    other: Automaton

    @property
    def places(self) -> tuple[int, ...]:
        return PLACES

    @cached_property
    def _kinds(self) -> dict[tuple[int, int], int]:
        pairs = ((self.one.kinds[Face(card)], self.other.kinds[Face(card)]) for card in Card)
        return {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}

    @cached_property
    def kinds(self) -> dict[Face, int]:
        return {Face(card): self._kinds[self.one.kinds[Face(card)], self.other.kinds[Face(card)]] for card in Card}

    @cached_property
    def tables(self) -> Tables:
        one, other = self.one.tables, self.other.tables
        ones, others = len(self.one.conditions) + 1, len(self.other.conditions) + 1
        finals = ones * others
        rows: list[tuple[int, ...]] = []
        depths, known = [0] * finals, dict[tuple[int, int], int]()

        def number(state: int, beside: int) -> int:
            if state < ones and beside < others:
                return state * others + beside
            found = known.get((state, beside))
            if found is None:
                row = tuple(
                    number(
                        state if state < ones else one.after(state)[kind],
                        beside if beside < others else other.after(beside)[at],
                    )
                    for kind, at in self._kinds
                )
                rows.append(row)
                depths.append(1 + max(depths[after] for after in row))
                found = known[state, beside] = finals + len(rows) - 1
            return found

        start = number(one.start, other.start)
        return Tables(tuple(rows), start, tuple(depths), ())


def _tests_of(condition: Condition) -> Iterable[tuple[Group, Test]]:
    if condition.pairs:
        yield Group.FIRST_FOUR, PairPatterns(condition.pairs)
    for group, words in condition.features:
        for word in words:
            test = read_word(group, word)
            if test is None:
                raise ValueError(f"{word!r} cannot be said of {group}")
            yield group, test


class _Maker:
    """Makes the tables of one automaton."""

    def __init__(
        self,
        space: Space,
        lines: tuple[_Line, ...],
        memories: tuple[tuple[Group, Test], ...],
        kinds: tuple[tuple[int, tuple[str, ...]], ...],
        places: tuple[int, ...],
        *,
        about_run: bool,
    ) -> None:
        self._space, self._lines, self._memories, self._kinds = space, lines, memories, kinds
        self._about_run, self._places = about_run, places
        self._finals = len(lines) + 1
        self._rows: dict[tuple[int, ...], int] = {}
        self._known: dict[_State, int] = {}
        self._of_open: dict[_State, int] = {}
        self._steps: dict[tuple[int, str, str], str] = {}
        self._every = (1 << len(space.ends)) - 1
        self._depths, self._reach = [0] * self._finals, [1 << line for line in range(self._finals)]

    def tables(self) -> Tables:
        start = _State(0, (), To.UNKNOWN, tuple(range(len(self._lines))), (START,) * len(self._memories))
        number = self._number(start)
        return Tables(tuple(self._rows), number, tuple(self._depths), tuple(self._reach))

    def _number(self, state: _State) -> int:
        number = self._known.get(state)
        if number is None:
            number = self._known[state] = self._settled(state)
        return number

    def _settled(self, state: _State) -> int:
        """The number of a state: of a verdict, if that is certain, and else of what is still open."""
        taken, run, to, lines, seen = state
        complete, every = self._complete(taken, to), self._possible(taken, run)
        still: list[int] = []
        sixths: list[int] = []
        for at, number in enumerate(lines):
            line = self._lines[number]
            runs = run[at] if self._about_run and taken > _HANDS else line.runs & every
            if not runs or any(self._fails(*test, seen, complete) for test in line.tests):
                continue
            certain = runs == every and all(self._memories[at][0] in complete for at, _ in line.tests)
            if certain and not still:
                return number
            still.append(number)
            sixths.append(runs)
            if certain:
                break  # no later line can come first
        if not still:
            return len(self._lines)
        asked = {memory for number in still for memory, _ in self._lines[number].tests}
        left = tuple(
            text if at in asked and self._memories[at][0] not in complete else None for at, text in enumerate(seen)
        )
        rest = tuple(sixths) if self._about_run and taken > _HANDS else run
        return self._row(_State(taken, rest, to, tuple(still), left))

    def _possible(self, taken: int, run: _Run) -> int:
        """The runs that are possible with these points, or the values of the sixth card."""
        if not self._about_run or taken < 2:
            return self._every
        if taken > _HANDS:
            return _TENS
        possible = _WITH_PLAYER[run[0]]
        return possible & _WITH_BANKER[run[1]] if taken == _HANDS else possible

    def _complete(self, taken: int, to: To) -> frozenset[Group]:
        first, second = Group.PLAYER_TWO, Group.BANKER_TWO
        if self._places is BANKER_FIRST:
            first, second = second, first
        groups = {first} if taken >= 2 else set()
        if taken >= _HANDS:
            groups |= {second, Group.FIRST_FOUR}
            if to in (To.BANKER, To.NOBODY):
                groups |= {Group.PLAYER_HAND, Group.PLAYER_THIRD_CARD}
            if to is To.NOBODY:
                groups |= AFTER_FOUR
        return frozenset(groups)

    def _fails(self, memory: int, test: Test, seen: _Seen, complete: frozenset[Group]) -> bool:
        text = seen[memory]
        if text is None:  # it held when its group was complete
            return False
        group = self._memories[memory][0]
        return text == FAILED or (group in complete and not _holds(group, test, text))

    def _row(self, state: _State) -> int:
        number = self._of_open.get(state)
        if number is None:
            number = self._of_open[state] = self._numbered(tuple(self._next(state)))
        return number

    def _numbered(self, row: tuple[int, ...]) -> int:
        """The number of the state with this row. Where every card leads to one verdict, that is certain already."""
        after = set(row)
        if len(after) == 1 and row[0] < self._finals:
            return row[0]
        number = self._rows.get(row)
        if number is None:
            number = self._rows[row] = self._finals + len(self._rows)
            self._depths.append(1 + max(self._depths[each] for each in after))
            self._reach.append(reduce(or_, (self._reach[each] for each in after)))
        return number

    def _next(self, state: _State) -> Iterator[int]:
        """The next state for each kind of card."""
        taken, _, to, lines, seen = state
        groups = self._groups(taken, to)
        active = [at for at, text in enumerate(seen) if text is not None and self._memories[at][0] in groups]
        moved = {value: self._moved(state, value) for value in {value for value, _ in self._kinds}}
        after = list(seen)
        for value, signs in self._kinds:
            for at in active:
                after[at] = self._step(at, seen[at] or START, signs[at])
            run, following = moved[value]
            yield self._number(_State(taken + 1, run, following, lines, tuple(after)))

    def _step(self, memory: int, seen: str, sign: str) -> str:
        key = memory, seen, sign
        after = self._steps.get(key)
        if after is None:
            after = FAILED if seen == FAILED else self._memories[memory][1].step(seen, sign)
            self._steps[key] = after
        return after

    def _groups(self, taken: int, to: To) -> frozenset[Group]:
        """The groups that the next card belongs to."""
        if taken < _HANDS:
            return _BANKERS if self._places[taken] % 2 else _PLAYERS
        return _PLAYERS_THIRD if to is To.PLAYER else _BANKERS_THIRD

    def _moved(self, state: _State, value: int) -> tuple[_Run, To]:
        """The points with one more card, and who gets the card after it."""
        taken, run = state.taken, state.run
        if not self._about_run:
            return (), To.UNKNOWN
        if taken in (0, 2):
            return (*run, value), To.UNKNOWN
        if taken in (1, 3):
            run = (*run[:-1], (run[-1] + value) % 10)
            return run, self._space.play.fifth(*run).to if taken == 3 else To.UNKNOWN
        if taken > _HANDS:
            return tuple(_TENS * (sixths >> value & 1) for sixths in run), To.NOBODY
        player, banker = run
        to = self._space.play.sixth(banker, value).to if state.to is To.PLAYER else To.NOBODY
        base = player * 1000 + banker * 100 + value * 10
        return tuple(self._lines[number].runs >> base & _TENS for number in state.lines), to


def _holds(group: Group, test: Test, seen: str) -> bool:
    """A hand of two cards has no third one, whatever is asked of it."""
    if seen == START and group in (Group.PLAYER_THIRD_CARD, Group.BANKER_THIRD_CARD):
        return False
    return test.holds(seen)

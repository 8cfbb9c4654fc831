"""The pay tables: bets and insurance. The first line that matches pays, so every line must be first for some coup."""

import re
from fractions import Fraction

from punto.catalogue.sentence import phrase
from punto.rules.bets.automaton import Automaton
from punto.rules.bets.condition import Condition, Fact, Natural
from punto.rules.bets.features import Group, read_word, words_of
from punto.rules.bets.insurance import Cap, CapOn, CapPer, Insurance, InsuranceLine, Stage, insurance_name
from punto.rules.bets.pay_lines import BetLimit, BetRule, PayLine, Result, Verdict, When, WhenPairs, covers
from punto.rules.coup.space import ENDS, PAIRS, End, Pairs, Space, Winner
from punto.rules.coup.table_of_play import POINTS, Action, Side, To
from punto.rules.loader.toml_table import TomlTable, shown
from punto.rules.refusals import Clause
from punto.rules.topics import Topic

Topics = dict[Topic, tuple[Clause, ...]]

_BET_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TYPED = re.compile(r"[A-Z]{1,4}")
_RESERVED = frozenset(map(insurance_name, Side))


def read_bets(book: TomlTable, topics: Topics, space: Space, words: dict[str, dict[str, str]]) -> dict[str, BetRule]:
    """All bets of the book by their ids; their names go to ``words``."""
    bets: dict[str, BetRule] = {}
    for name, entry in book.named_tables("bets").items():
        if not _BET_ID.fullmatch(name) or name in _RESERVED:
            entry.refuse(phrase("book_fault.bet_id"))
        if entry.has("name"):
            words[f"bet.{name}"] = entry.words("name")
        lines = [(line, _read_line(line, topics, space)) for line in entry.tables("pays")]
        rule = BetRule(
            id=name,
            chinese=entry.optional_text("chinese"),
            clause=entry.clause(),
            pays=tuple(line for _, line in lines),
            otherwise=_read_otherwise(entry),
            automaton=_automaton(space, tuple(line for _, line in lines)),
            typed=_read_typed(entry, [each.typed for each in bets.values()]),
            limit=_read_limit(entry.table("limit")) if entry.has("limit") else None,
        )
        _require_lines(entry, lines, rule, space)
        bets[name] = rule
        entry.done()
    for rule in bets.values():
        _check_limit(book, rule, bets)
    for side in Side:
        if side not in bets:
            book.refuse(phrase("book_fault.every_book", bet=side), "bets")
        winning = [line.condition for line in bets[side].pays if line.verdict.result is Result.WIN]
        own = all(tuple(winner.value for winner in each.winners) == (side.value,) for each in winning)
        if not own or not all(line.condition.about_end for line in bets[side].pays):
            message = phrase("book_fault.own_hand", bet=side)
            book.refuse(message, f"bets.{side}", bets[side].clause)
    return bets


def _automaton(space: Space, lines: tuple[PayLine, ...]) -> Automaton | None:
    """The automaton of a bet that neither the end of the coup nor its pair pattern decides alone."""
    if all(isinstance(line.when, WhenPairs) for line in lines) or all(line.condition.about_end for line in lines):
        return None
    return Automaton(space, tuple(line.condition for line in lines))


def _read_typed(entry: TomlTable, others: list[str | None]) -> str | None:
    if not entry.has("typed"):
        return None
    typed = entry.text("typed")
    if not _TYPED.fullmatch(typed):
        entry.refuse(phrase("book_fault.typed", value=shown(typed)), "typed")
    if typed in others:
        entry.refuse(phrase("book_fault.typed_twice", typed=typed), "typed")
    return typed


def _read_limit(entry: TomlTable) -> BetLimit:
    limit = BetLimit(entry.text("of"), entry.clause(), share=entry.ratio("share") if entry.has("share") else None)
    entry.done()
    return limit


def _check_limit(book: TomlTable, rule: BetRule, bets: dict[str, BetRule]) -> None:
    """Refuse a limit by a bet that is not there or has a limit itself: then two would have to give way."""
    if rule.limit is None:
        return
    place = f"bets.{rule.id}.limit.of"
    if rule.limit.of not in bets:
        book.refuse(phrase("book_fault.no_bet", bet=rule.limit.of), place, rule.limit.clause)
    if rule.limit.of == rule.id or bets[rule.limit.of].limit is not None:
        book.refuse(phrase("book_fault.limit_by_limited", bet=rule.limit.of), place, rule.limit.clause)


def _read_otherwise(entry: TomlTable) -> Result:
    if not entry.has("otherwise"):
        return Result.LOSE
    value = entry.choice("otherwise", Result)
    if value is Result.WIN:
        choices = (Result.LOSE, Result.PUSH)
        entry.refuse(phrase("book_fault.choice", choices=choices, value=repr(value.value)), "otherwise")
    return value


def _read_line(entry: TomlTable, topics: Topics, space: Space) -> PayLine:
    when = _read_when(entry.table("when"), space)
    clause = entry.clause()
    if entry.has("odds") and entry.peek("odds") == "push":
        entry.take("odds")
        verdict = Verdict.push((clause,))
    elif entry.has("odds") and entry.peek("odds") == "lose":
        entry.take("odds")
        verdict = Verdict(Result.LOSE, (clause,))
    elif entry.has("commission"):
        commission = entry.ratio("commission")
        if commission >= 1:
            entry.refuse(phrase("book_fault.commission_whole"), "commission")
        if not topics[Topic.COMMISSION]:
            entry.refuse(phrase("book_fault.commission_uncited", topic=Topic.COMMISSION), "commission")
        clauses = (clause, *topics[Topic.COMMISSION])
        verdict = Verdict.win(clauses, entry.ratio("odds"), commission)
    else:
        verdict = Verdict.win((clause,), entry.ratio("odds"))
    entry.done()
    return PayLine(when, verdict)


def _read_when(entry: TomlTable, space: Space) -> When | WhenPairs | Condition:
    """A condition, in the simplest form that says it."""
    if not entry.has_any():
        entry.refuse(phrase("book_fault.when_empty"))
    winners = _read_winners(entry)
    numbers = {fact: _read_numbers(entry, fact) for fact in Fact if entry.has(fact)}
    natural = entry.choice("natural", Natural) if entry.has("natural") else None
    naturals = _natural_points(space) if natural else ()
    pairs = _read_pairs(entry) if entry.has("pairs") else frozenset[Pairs]()
    features = tuple((group, _read_words(entry, group)) for group in Group if entry.has(group))
    entry.done()
    if pairs and not (winners or numbers or natural or features):
        return WhenPairs(pairs)
    if not (pairs or features or natural) and len(winners) == 1 and _is_plain(numbers):
        points = numbers.pop(Fact.POINTS, None)
        single = {str(fact): of_fact[0] for fact, of_fact in numbers.items()}
        return When(winners[0], None if points is None else frozenset(points), **single)
    return Condition(winners, tuple(numbers.items()), natural, naturals, tuple(sorted(pairs)), features)


_PLAIN = frozenset({Fact.POINTS, Fact.MARGIN, Fact.PLAYER_CARDS, Fact.BANKER_CARDS, Fact.CARDS})
RANGES = {
    **dict.fromkeys(Fact, range(10)),
    Fact.TOTAL: range(19),
    Fact.CARDS: range(4, 7),
    Fact.PLAYER_CARDS: range(2, 4),
    Fact.BANKER_CARDS: range(2, 4),
}
_PARITIES = {"even": 0, "odd": 1}


def _is_plain(numbers: dict[Fact, tuple[int, ...]]) -> bool:
    """Whether there is one number for each fact but the points."""
    return all(fact in _PLAIN and (fact is Fact.POINTS or len(numbers[fact]) == 1) for fact in numbers)


def _read_winners(entry: TomlTable) -> tuple[Winner, ...]:
    if not entry.has("winner"):
        return ()
    if not isinstance(entry.peek("winner"), list):
        return (entry.choice("winner", Winner),)
    texts = entry.texts("winner")
    for text in texts:
        if text not in list(Winner):
            entry.refuse(phrase("book_fault.choice", choices=tuple(Winner), value=repr(text)[:60]), "winner")
    if not texts:
        entry.refuse(phrase("book_fault.entries"), "winner")
    return tuple(winner for winner in Winner if winner in texts)


def _read_numbers(entry: TomlTable, fact: Fact) -> tuple[int, ...]:
    """A number, a list of numbers, or "odd" or "even"."""
    value, allowed = entry.take(fact), RANGES[fact]
    if isinstance(value, str) and value in _PARITIES:
        return tuple(number for number in allowed if number % 2 == _PARITIES[value])
    numbers = value if isinstance(value, list) else [value]
    if not numbers or not all(type(number) is int and number in allowed for number in numbers):
        entry.refuse(phrase("book_fault.fact", value=shown(value), least=allowed[0], most=allowed[-1]), fact)
    if len(set(numbers)) < len(numbers):
        entry.refuse(phrase("book_fault.duplicate"), fact)
    return tuple(sorted(numbers))


def _read_pairs(entry: TomlTable) -> frozenset[Pairs]:
    patterns = []
    for pattern in entry.texts("pairs"):
        if pattern not in PAIRS:
            entry.refuse(phrase("book_fault.patterns", choices=tuple(PAIRS), value=repr(pattern)[:60]), "pairs")
        patterns.append(Pairs(pattern))
    if not patterns:
        entry.refuse(phrase("book_fault.patterns_none"), "pairs")
    return frozenset(patterns)


def _read_words(entry: TomlTable, group: Group) -> tuple[str, ...]:
    """One word or several, which all have to be true of the group."""
    words = [entry.text(group)] if isinstance(entry.peek(group), str) else entry.texts(group)
    if not words:
        entry.refuse(phrase("book_fault.entries"), group)
    for word in words:
        if read_word(group, word) is None:
            entry.refuse(phrase("book_fault.word", value=shown(word), words=words_of(group)), group)
    return tuple(sorted(words))


def _natural_points(space: Space) -> tuple[tuple[int, ...], ...]:
    rows = (space.play.player, space.play.banker_alone)
    return tuple(tuple(points for points in POINTS if row[points].action is Action.NATURAL) for row in rows)


def _require_lines(bet: TomlTable, lines: list[tuple[TomlTable, PayLine]], rule: BetRule, space: Space) -> None:
    """Refuse a bet that never wins, and a line that no coup comes to or that the lines before it always precede."""
    if all(line.verdict.result is not Result.WIN for line in rule.pays):
        bet.refuse(phrase("book_fault.bet_never_wins"), "pays")
    first = _first_lines(rule.pays, space)
    for number, (entry, line) in enumerate(lines):
        if number not in first:
            alone = _first_lines((line,), space)
            entry.refuse(phrase("book_fault.line_covered") if alone else phrase("book_fault.line_never"))


def _first_lines(lines: tuple[PayLine, ...], space: Space) -> set[int]:
    """The lines that are the first to match some coup."""
    automaton = _automaton(space, lines)
    if automaton is not None:
        tables = automaton.tables
        return {number for number in range(len(lines)) if tables.reach[tables.start] >> number & 1}
    first = (_matching(lines, cell)[:1] for cell in _cells(space, over_pairs=isinstance(lines[0].when, WhenPairs)))
    return {number for numbers in first for number in numbers}


def _cells(space: Space, *, over_pairs: bool) -> tuple[End | Pairs, ...]:
    """The pair patterns, or the ends that some coup comes to."""
    # Part of a line may be impossible even in the printed book: no five cards make 9 against 8.
    return PAIRS if over_pairs else tuple(end for at, end in enumerate(ENDS) if space.reachable >> at & 1)


def _matching(lines: tuple[PayLine, ...], cell: End | Pairs) -> list[int]:
    return [number for number, line in enumerate(lines) if covers(line, cell)]


def overlapping(rule: BetRule, space: Space) -> bool:
    """Whether some coup matches two lines of a bet that its end or pair pattern decides."""
    return any(len(_matching(rule.pays, cell)) > 1 for cell in _cells(space, over_pairs=rule.over_pairs))


def read_insurance(book: TomlTable, topics: Topics, space: Space) -> Insurance:
    """The insurance pay table and the cap on it."""
    entry = book.table("insurance")
    for topic in (Topic.INSURANCE, Topic.INSURED_BET, Topic.INSURANCE_TIE):
        if not topics[topic]:
            book.refuse(phrase("book_fault.needed_by_insurance"), f"topics.{topic}")
    lines = []
    places: dict[tuple[Stage, int, int], str] = {}
    for row in entry.tables("lines"):
        line = _read_insurance_line(row, topics)
        for player in sorted(line.player):
            for banker in sorted(line.banker):
                before = places.setdefault((line.stage, player, banker), row.place)
                if before != row.place:
                    row.refuse(phrase("book_fault.overlap_points", place=before, player=player, banker=banker))
        if not any(_can_be_offered(line.stage, space, p, b) for p in line.player for b in line.banker):
            row.refuse(phrase("book_fault.offer_never"))
        lines.append(line)
    cap = _read_cap(entry.table("cap"), {line.odds for line in lines})
    if cap.clause not in topics[Topic.INSURANCE_CAP]:
        entry.refuse(phrase("book_fault.cap_not_cited", topic=Topic.INSURANCE_CAP), "cap.clause", cap.clause)
    entry.done()
    return Insurance(tuple(lines), cap)


def _read_insurance_line(row: TomlTable, topics: Topics) -> InsuranceLine:
    tie_pays = row.has("tie_pays")
    line = InsuranceLine(
        stage=row.choice("stage", Stage),
        side=row.choice("side", Side),
        player=row.numbers("player"),
        banker=row.numbers("banker"),
        odds=row.ratio("odds"),
        tie_pays=tie_pays,
        clause=row.clause(),
        tied=(row.clause("tie_pays"),) if tie_pays else topics[Topic.INSURANCE_TIE],
        lost=topics[Topic.INSURED_BET],
    )
    row.done()
    return line


def _can_be_offered(stage: Stage, space: Space, player: int, banker: int) -> bool:
    """Whether some coup has these points at this stage, with a card still to be drawn."""
    play = space.play
    if stage is Stage.FOUR:
        return play.fifth(player, banker).to is not To.NOBODY
    return any(
        play.fifth((player - third) % 10, banker).to is To.PLAYER and play.sixth(banker, third).to is To.BANKER
        for third in POINTS
    )


def _read_cap(entry: TomlTable, offered: set[Fraction]) -> Cap:
    shared = entry.has("share_at_odds") or entry.has("share_of_maximum")
    cap = Cap(
        on=entry.choice("on", CapOn),
        per=entry.choice("per", CapPer),
        clause=entry.clause(),
        share_at_odds=entry.ratio("share_at_odds") if shared else None,
        share_of_maximum=entry.ratio("share_of_maximum") if shared else None,
    )
    if cap.share_at_odds is not None and cap.share_at_odds not in offered:
        entry.refuse(phrase("book_fault.no_odds", odds=str(cap.share_at_odds)), "share_at_odds")
    if cap.share_of_maximum is not None and cap.share_of_maximum > 1:
        entry.refuse(phrase("book_fault.share"), "share_of_maximum")
    entry.done()
    return cap

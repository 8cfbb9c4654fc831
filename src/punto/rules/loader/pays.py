"""The pay tables: bets and insurance. No two lines may match the same coup, and every line must match one."""

import re
from fractions import Fraction
from itertools import combinations

from punto.catalogue.sentence import phrase
from punto.rules.bets.insurance import Cap, CapOn, CapPer, Insurance, InsuranceLine, Stage, insurance_name
from punto.rules.bets.pay_lines import BetRule, PayLine, Result, Verdict, When, WhenPairs, covers
from punto.rules.coup.space import ENDS, PAIRS, End, Pairs, Space, Winner
from punto.rules.coup.table_of_play import POINTS, Side, To
from punto.rules.loader.toml_table import TomlTable
from punto.rules.refusals import Clause
from punto.rules.topics import Topic

Topics = dict[Topic, tuple[Clause, ...]]

_BET_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_RESERVED = frozenset(map(insurance_name, Side))


def read_bets(book: TomlTable, topics: Topics, space: Space) -> dict[str, BetRule]:
    """All bets of the book by their ids."""
    bets = {}
    for name, entry in book.named_tables("bets").items():
        if not _BET_ID.fullmatch(name) or name in _RESERVED:
            entry.refuse(phrase("book_fault.bet_id"))
        lines = [(line, _read_line(line, topics)) for line in entry.tables("pays")]
        if len({type(line.when) for _, line in lines}) > 1:
            entry.refuse(phrase("book_fault.bets_mixed"))
        cells: tuple[End | Pairs, ...] = PAIRS
        if not isinstance(lines[0][1].when, WhenPairs):
            cells = tuple(end for at, end in enumerate(ENDS) if space.reachable >> at & 1)
        _require_lines(entry, lines, cells)
        bets[name] = BetRule(
            id=name,
            chinese=entry.optional_text("chinese"),
            clause=entry.clause(),
            pays=tuple(line for _, line in lines),
        )
        entry.done()
    for side in Side:
        if side not in bets:
            book.refuse(phrase("book_fault.every_book", bet=side), "bets")
        winning = [line.when for line in bets[side].pays if line.verdict.result is Result.WIN]
        if not all(isinstance(when, When) and when.winner.value == side.value for when in winning):
            message = phrase("book_fault.own_hand", bet=side)
            book.refuse(message, f"bets.{side}", bets[side].clause)
    return bets


def _read_line(entry: TomlTable, topics: Topics) -> PayLine:
    when = _read_when(entry.table("when"))
    clause = entry.clause()
    if entry.has("odds") and entry.peek("odds") == "push":
        entry.take("odds")
        verdict = Verdict.push((clause,))
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


def _read_when(entry: TomlTable) -> When | WhenPairs:
    if entry.has("pairs"):
        patterns = []
        for pattern in entry.texts("pairs"):
            if pattern not in PAIRS:
                entry.refuse(phrase("book_fault.patterns", choices=tuple(PAIRS), value=repr(pattern)), "pairs")
            patterns.append(Pairs(pattern))
        if not patterns:
            entry.refuse(phrase("book_fault.patterns_none"), "pairs")
        if any(entry.has(key) for key in When.__struct_fields__):
            entry.refuse(phrase("book_fault.line_mixed"))
        entry.done()
        return WhenPairs(frozenset(patterns))
    when = When(
        winner=entry.choice("winner", Winner),
        points=entry.numbers("points") if entry.has("points") else None,
        margin=entry.optional_whole("margin", 1, 9),
        player_cards=entry.optional_whole("player_cards", 2, 3),
        banker_cards=entry.optional_whole("banker_cards", 2, 3),
        cards=entry.optional_whole("cards", 4, 6),
    )
    entry.done()
    return when


def _require_lines(bet: TomlTable, lines: list[tuple[TomlTable, PayLine]], cells: tuple[End | Pairs, ...]) -> None:
    if all(line.verdict.result is not Result.WIN for _, line in lines):
        bet.refuse(phrase("book_fault.bet_never_wins"), "pays")
    for entry, line in lines:
        # Part of a line may be impossible even in the printed book: no five cards make 9 against 8.
        if not any(covers(line, cell) for cell in cells):
            entry.refuse(phrase("book_fault.line_never"))
    for (one, line), (two, other) in combinations(lines, 2):
        both = next((cell for cell in cells if covers(line, cell) and covers(other, cell)), None)
        if both is not None:
            two.refuse(phrase("book_fault.overlap", place=one.place, example=str(both)))


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

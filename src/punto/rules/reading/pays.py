"""The pay tables: bets and insurance. No two lines may match at once, and none may be dead."""

import re
from itertools import combinations

from punto.rules.bets import BetRule, PayLine, Verdict, When, WhenPairs, covers
from punto.rules.insurance import Cap, CapOn, CapPer, Insurance, InsuranceLine, Stage
from punto.rules.reading.entries import Entry
from punto.rules.refusals import Clause
from punto.rules.space import ENDS, PAIRS, End, Pairs, Space, Winner
from punto.rules.table_of_play import POINTS, Side, To
from punto.rules.topics import Topic

Topics = dict[Topic, tuple[Clause, ...]]

_BET_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_RESERVED = frozenset(f"{side}_insurance" for side in Side)


def read_bets(book: Entry, topics: Topics, space: Space) -> dict[str, BetRule]:
    """All bets of the book by their ids."""
    bets = {}
    for name, entry in book.named_tables("bets").items():
        if not _BET_ID.fullmatch(name) or name in _RESERVED:
            entry.refuse("a bet's id is its name in snake_case, and not the name of an insurance")
        lines = [(line, _read_line(line, topics)) for line in entry.tables("pays")]
        if len({type(line.when) for _, line in lines}) > 1:
            entry.refuse("some lines speak of points and some of pairs")
        cells: tuple[End | Pairs, ...] = PAIRS
        if not isinstance(lines[0][1].when, WhenPairs):
            cells = tuple(end for at, end in enumerate(ENDS) if space.reachable >> at & 1)
        _require_lines(lines, cells)
        bets[name] = BetRule(
            id=name,
            name=entry.text("name"),
            chinese=entry.optional_text("chinese"),
            clause=entry.clause(),
            pays=tuple(line for _, line in lines),
        )
        entry.done()
    for side in Side:
        if side not in bets:
            book.refuse(f"every book has the bet {side}", "bets")
    return bets


def _read_line(entry: Entry, topics: Topics) -> PayLine:
    when = _read_when(entry.table("when"))
    clause = entry.clause()
    if entry.has("odds") and entry.peek("odds") == "push":
        entry.take("odds")
        verdict = Verdict.push((clause,))
    elif entry.has("commission"):
        commission = entry.ratio("commission")
        if commission >= 1:
            entry.refuse("expected less than all of the winnings", "commission")
        if not topics[Topic.COMMISSION]:
            entry.refuse(f"a commission, but the topic {Topic.COMMISSION} has no clause", "commission")
        clauses = (clause, *topics[Topic.COMMISSION])
        verdict = Verdict.win(clauses, entry.ratio("odds"), commission)
    else:
        verdict = Verdict.win((clause,), entry.ratio("odds"))
    entry.done()
    return PayLine(when, verdict)


def _read_when(entry: Entry) -> When | WhenPairs:
    if entry.has("pairs"):
        patterns = []
        for pattern in entry.texts("pairs"):
            if pattern not in PAIRS:
                entry.refuse(f"expected some of {', '.join(PAIRS)}, not {pattern!r}", "pairs")
            patterns.append(Pairs(pattern))
        if not patterns:
            entry.refuse("expected at least one pattern", "pairs")
        if entry.has("winner") or entry.has("points"):
            entry.refuse("a line speaks of points or of pairs, not of both at once")
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


def _require_lines(lines: list[tuple[Entry, PayLine]], cells: tuple[End | Pairs, ...]) -> None:
    matched = [{cell for cell in cells if covers(line, cell)} for _, line in lines]
    for (entry, _), cover in zip(lines, matched, strict=True):
        if not cover:
            entry.refuse("no coup can ever match this line")
    for (one, ours), (two, theirs) in combinations(zip(lines, matched, strict=True), 2):
        if both := ours & theirs:
            two[0].refuse(f"matches together with {one[0].place}, for one on {next(iter(both))}")


def read_insurance(book: Entry, topics: Topics, space: Space) -> Insurance:
    """The insurance pay table and the cap on it."""
    entry = book.table("insurance")
    lines = []
    taken: dict[tuple[Stage, int, int], str] = {}
    for row in entry.tables("lines"):
        line = _read_insurance_line(row, topics)
        for player in sorted(line.player):
            for banker in sorted(line.banker):
                before = taken.setdefault((line.stage, player, banker), row.place)
                if before != row.place:
                    row.refuse(f"matches together with {before} on Player {player}, Banker {banker}")
        if not any(_can_be_offered(line, space, player, banker) for player in POINTS for banker in POINTS):
            row.refuse("no coup can ever be offered this line")
        lines.append(line)
    cap = _read_cap(entry.table("cap"))
    entry.done()
    for topic in (Topic.INSURANCE, Topic.INSURED_BET, Topic.INSURANCE_TIE):
        if not topics[topic]:
            entry.refuse(f"insurance, but the topic {topic} has no clause")
    return Insurance(tuple(lines), cap)


def _read_insurance_line(row: Entry, topics: Topics) -> InsuranceLine:
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


def _can_be_offered(line: InsuranceLine, space: Space, player: int, banker: int) -> bool:
    """Some coup with these points on two cards comes to the line with a card still to be drawn."""
    play = space.play
    to = play.fifth(player, banker).to
    if line.stage is Stage.FOUR:
        return to is not To.NOBODY and player in line.player and banker in line.banker
    return (
        to is To.PLAYER
        and banker in line.banker
        and any((player + third) % 10 in line.player and play.sixth(banker, third).to is To.BANKER for third in POINTS)
    )


def _read_cap(entry: Entry) -> Cap:
    shared = entry.has("share_at_odds") or entry.has("share_of_maximum")
    cap = Cap(
        on=entry.choice("on", CapOn),
        per=entry.choice("per", CapPer),
        clause=entry.clause(),
        share_at_odds=entry.ratio("share_at_odds") if shared else None,
        share_of_maximum=entry.ratio("share_of_maximum") if shared else None,
    )
    entry.done()
    return cap

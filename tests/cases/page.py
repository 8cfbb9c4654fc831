"""Makes docs/irregularities.md from the register, the commands and the cases: ``python -m tests.cases.page``."""

import re
import sys
from collections.abc import Iterable, Iterator

from punto import book as read_book
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import (
    DEALER_UP,
    EVERYDAY_OR_PLAYER,
    MANAGER_UP,
    PIT_OR_PLAYER,
    SHIFT_MANAGER_UP,
    SUPERVISOR_UP,
    Position,
)
from tests.cases.irregularity_files import Filed, Irregular
from tests.cases.page_subjects import SUBJECTS, Subject
from tests.cases.playing import played

BOOKS = {
    "commission": "Commission",
    "commission-insurance": "Insurance",
    "super-six-plus": "Super Six",
    "da-hu-ying-xiong": "Da Hu",
    "tiger-buffalo": "Tiger Buffalo",
}
NONE, MINUS = "–", "−"  # noqa: RUF001 - as printed
TOO_FEW = "too few cards in a hand"

TITLE = """\
# When something goes wrong

1. **Stop.** Touch no card and no chip, and call whoever may report it.
2. **Report** what you see, not what should follow from it. The table says what follows, and by which clause.
3. **Wait** until everybody who may choose has chosen. Then go on.
"""

INTRODUCTION = """\
A star (*): where the book says only "house"; a table's settings can ask for more than a pit supervisor. *Decided*: some
bet on the layout is certain to win or to lose, staked or not (a table's settings can look at staked bets alone).

In the examples dora deals, sue is pit supervisor, max pit manager, sid shift manager; ann, ben and cat sit at boxes 1
to 3, dan and eve stand behind box 1. They are some of the [cases](../tests/cases/README.md) that are played whenever
Punto is tested; in bold is what each has won or lost in the end. `??` is a card that nobody has seen.

At a table under `commission` the chapter is short: three grounds for a void, and late bets. There the rest is a shift
manager's ruling, and nobody chooses.
"""

CLAUSES = """\
## Every command, and its clause in each book

What a book has no rule on has no command there, and is for a shift manager to rule. The books: `commission`,
`commission-insurance`, `super-six-plus`, `da-hu-ying-xiong`, `tiger-buffalo`.
"""

LAST = "<!-- Made by `python -m tests.cases.page` from the books, the commands and the cases: edit those. -->"

_WHO = {
    SHIFT_MANAGER_UP: "shift manager or above",
    MANAGER_UP: "pit manager or above",
    SUPERVISOR_UP: "pit supervisor or above",
    DEALER_UP: "dealer or above",
    PIT_OR_PLAYER: "the player; dealer to pit manager for him",
    EVERYDAY_OR_PLAYER: "the player, or dealer or above",
}


def page() -> str:
    """The page."""
    lines = [TITLE, "| you see | who reports | what follows |", "|---|---|---|"]
    for subject in SUBJECTS:
        first, _ = subject.commands[0]
        lines.append(f"| {_link(subject)} | {who_may(first)} | {subject.so} |")
    lines += ["", INTRODUCTION]
    for subject in SUBJECTS:
        lines += [*_section(subject), ""]
    return "\n".join([*lines, CLAUSES, *_clause_table(), "", LAST]) + "\n"


def _link(subject: Subject) -> str:
    return f"[{subject.seen}](#{anchor(subject.title)})"


def anchor(heading: str) -> str:
    """What GitHub names a heading."""
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


def _section(subject: Subject) -> Iterator[str]:
    yield from (f"## {subject.title}", "")
    yield _commands(subject)
    yield from ("", *(f"- {line}" for line in subject.do))
    if said := " ".join(_rules(subject)):
        yield f"- *The book:* {said}"
    if subject.commands[0][0] is reports.ChooseOption:
        yield from ("", *_when_they_choose())
    for book, name in subject.cases:
        yield from ("", *_example(_case(book, name)))


def _commands(subject: Subject) -> str:
    """Who gives which commands, and in which books there are none of them."""
    given = [(command, topics) for command, topics in subject.commands if not isinstance(command, str)]
    if not given:
        return "The table sees to it by itself."
    by: dict[str, list[str]] = {}
    for command, _ in given:
        by.setdefault(who_may(command), []).append(_named(command))
    told = " · ".join(f"{', '.join(named)}: {who}" for who, named in by.items())
    without = [named for book, named in BOOKS.items() if all(_clauses(book, *each) == NONE for each in given)]
    return f"{told}. Not under {' or '.join(without)}." if without else f"{told}."


def _clause_table() -> Iterator[str]:
    yield f"| | who | {' | '.join(BOOKS.values())} |"
    yield f"|{'---|' * (2 + len(BOOKS))}"
    for subject in SUBJECTS:
        for command, topics in subject.commands:
            clauses = (_clauses(book, command, topics) for book in BOOKS)
            yield f"| {_named(command)} | {who_may(command)} | {' | '.join(clauses)} |"


def _named(command: type[Command] | str) -> str:
    return command if isinstance(command, str) else f"`{_tag(command)}`"


def _tag(command: type[Command]) -> str:
    return str(command.__struct_config__.tag).partition(".")[0]


def who_may(command: type[Command] | str) -> str:
    """Who may give a command, in words."""
    if isinstance(command, str):
        return "the table itself"
    named = _WHO.get(command.may) or _WHO[command.may - {Position.HOUSE}]
    system = ", or the system" if command.may == SUPERVISOR_UP | {Position.HOUSE} else ""
    return f"{named}{'*' if issubclass(command, reports.Report) else ''}{system}"


def _clauses(book: str, command: type[Command] | str, topics: Iterable[Topic]) -> str:
    cited = dict.fromkeys(one for topic in topics for one in read_book(book).topics[topic])
    in_all_books = not isinstance(command, str) and command.topic is None
    return ", ".join(cited) or ("no clause" if in_all_books else NONE)


def _rules(subject: Subject) -> Iterator[str]:
    """What the register says of the subject, in the words of the first book that has it."""
    said = []
    for topic in subject.rules:
        books = [read_book(book) for book in (*[*BOOKS][1:], "commission") if read_book(book).topics[topic]]
        said += [books[0].summary(Clause(one)) for one in books[0].topics[topic]]
    yield from dict.fromkeys(said)


_ASKED = (
    ("excess card", Irregularity.EXCESS_CARD),
    ("too many cards in a hand", Irregularity.WRONG_NUMBER),
    (TOO_FEW, Irregularity.WRONG_NUMBER),
    ("wrong side", Irregularity.WRONG_SIDE),
    ("face up card", Irregularity.FACE_UP_CARD),
    ("simultaneous cards", Irregularity.SIMULTANEOUS_CARDS),
    ("dealing error", Irregularity.DEALING_ERROR),
)
_NO_ORDER = (Irregularity.FACE_UP_CARD, Irregularity.SIMULTANEOUS_CARDS)
"""Where nobody asks whether the order is known."""


def _when_they_choose() -> Iterator[str]:
    """Read off the cases: two that disagree are an error."""
    yield "| do they choose? | nothing decided | decided | order lost |"
    yield "|---|---|---|---|"
    for name, kind in _ASKED:
        few = name == TOO_FEW
        lost = NONE if kind in _NO_ORDER else _asked(kind, certain=False, known=False)
        cells = (_asked(kind, certain=False, few=few), _asked(kind, certain=True, few=few), lost)
        yield f"| {name} | {' | '.join(cells)} |"


def _asked(kind: Irregularity, *, certain: bool, known: bool = True, few: bool = False) -> str:
    came = {
        judged.came
        for filed, came in played()
        if filed.book != "commission"  # no options there
        for judged in came.judged
        if (judged.kind, judged.established, judged.too_few) == (kind, certain, few)
        and judged.reconstructable in (None, known)
    }
    if len(came) != 1:
        raise ValueError(f"{kind}, decided {certain}, order known {known}: the cases say {came or 'nothing'}")
    return came.pop()


def _case(book: str, name: str) -> Filed:
    found = [filed for filed, _ in played() if (filed.book, filed.case.name) == (book, name)]
    if not found:
        raise ValueError(f"{book} has no case {name!r}")
    return found[0]


def _example(filed: Filed) -> Iterator[str]:
    """The case as it happens, one step a line; then how it ends, and why."""
    case = filed.case
    where = f"../tests/cases/{filed.book}/irregularities/{filed.path.name}"
    ends = ", ".join(f"{who} {end.replace('-', MINUS)}" for who, end in case.ends.items())
    yield f"> *{case.name}* ([{BOOKS[filed.book]}]({where}))"
    happens = ["; ".join(case.bets), *_steps(case)]
    yield from (f"> {number}. {step}" for number, step in enumerate(happens, 1))
    yield from (">", f"> **{ends}.** {case.why}")


def _steps(case: Irregular) -> Iterator[str]:
    """What happens, but for what is tried in vain."""
    for line in case.happens:
        words, _, otherwise = line.partition(" -- ")
        if otherwise.startswith("raises "):
            yield f"{words}, and the table stops"
        elif not otherwise:
            yield words.replace("deals next", "deals the card that waits")


if __name__ == "__main__":
    sys.stdout.write(page())

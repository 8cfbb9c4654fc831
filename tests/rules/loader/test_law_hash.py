"""The law hash pins what decides a round, and nothing else."""

import re
from collections.abc import Iterator

import pytest

from punto.rules.loader import read_book
from tests.marks import BOOKS
from tests.rules.loader.texts import changed, text_of

pytestmark = pytest.mark.sweep

BOOK_IDS = [book.id for book in BOOKS]

TIE_LINE = '{ when = { winner = "tie" }, odds = "8", clause = "4.1.2" }'
PLAYER_WINS = '{ when = { winner = "player" }, odds = "1", clause = "4.1.2" }'
PLAYER_TIES = '{ when = { winner = "tie" }, odds = "push", clause = "3.8" }'
LAYOUT_A = '[layouts.A]\nkind = "bean"\nboxes = "9"\nclause = "2.1.1(a)"\n'
LAYOUT_B = '[layouts.B]\nkind = "bean"\nboxes = "7"\nclause = "2.1.1(b)"\n'
SAME_LAW = {
    "comment": ("[decks]", "# how many\n[decks]  # of 52 cards"),
    "whitespace": (TIE_LINE, '{when={winner="tie"},   odds="8",clause="4.1.2"}'),
    "order of keys": ("least = 4\nmost = 8", "most = 8\nleast = 4"),
    "order of keys in a line": (TIE_LINE, '{ clause = "4.1.2", odds = "8", when = { winner = "tie" } }'),
    "chinese": ('chinese = "和"', 'chinese = "和局"'),
    "chinese left out": ('chinese = "和"', ""),
    "order of points": ("{ points = [0, 1, 2], does", "{ points = [2, 0, 1], does"),
    "order of pay lines": (f"{PLAYER_WINS},\n  {PLAYER_TIES}", f"{PLAYER_TIES},\n  {PLAYER_WINS}"),
    "order of clauses": ('betting_closed = ["3.2", "5.2"]', 'betting_closed = ["5.2", "3.2"]'),
    "boxes said twice": ('boxes = "9"', 'boxes = "9-9"'),
    "kind of a clause": ('"2.2" = { kind = "equipment"', '"2.2" = { kind = "definition"'),
    "who handles a clause": (
        '"2.2" = { kind = "equipment", handled_by = "engine"',
        '"2.2" = { kind = "equipment", handled_by = "staff", command = "bring_cards"',
    ),
    "command": ('command = "close_betting"', 'command = "no_more_bets"'),
    "clause that nothing cites": (
        "[clauses]\n",
        '[clauses]\n"0" = { kind = "notice", handled_by = "engine" }\n',
    ),
}
OTHER_LAW = {
    "id": ('id = "commission"', 'id = "punto-banco"'),
    "version": ('version = "3"', 'version = "4"'),
    "version left out": ('version = "3"', ""),
    "date": ('"2013-10-22"', '"2013-10-23"'),
    "card value": ("T = 0", "T = 1"),
    "least decks": ("least = 4", "least = 6"),
    "most decks": ("most = 8", "most = 10"),
    "boxes": ('boxes = "9"', 'boxes = "1-9"'),
    "boxes unstated": ('boxes = "9"', 'boxes = "unstated"'),
    "kind of layout": ('kind = "big"', 'kind = "mini"'),
    "menu": ('boxes = "9"', 'boxes = "9"\nmenu = ["player", "banker", "tie"]'),
    "layout more": ("[layouts.D]", '[layouts.E]\nboxes = "5"\nclause = "2.1.1"\n\n[layouts.D]'),
    "Player stands": ('{ points = [6, 7], does = "stands"', '{ points = [6, 7], does = "draws"'),
    "Banker stands alone": ('{ points = [6], does = "stands"', '{ points = [6], does = "draws"'),
    "Banker draws after": ('{ points = [0, 1, 2], does = "draws"', '{ points = [0, 1, 2], does = "stands"'),
    "Banker by third card": (
        "draws_on = [6, 7], stands_on = [0, 1, 2, 3, 4, 5, 8, 9]",
        "draws_on = [7], stands_on = [0, 1, 2, 3, 4, 5, 6, 8, 9]",
    ),
    "odds": ('odds = "8"', 'odds = "9"'),
    "commission": ('commission = "1/20"', 'commission = "1/25"'),
    "no commission": ('commission = "1/20", ', ""),
    "winner": ('{ winner = "tie" }, odds = "8"', '{ winner = "banker" }, odds = "8"'),
    "points": ('{ winner = "tie" }, odds = "8"', '{ winner = "tie", points = [6] }, odds = "8"'),
    "number of cards": ('{ winner = "tie" }, odds = "8"', '{ winner = "tie", cards = 6 }, odds = "8"'),
    "pairs": ('["banker", "both", "twin"]', '["banker", "both"]'),
    "id of a bet": ("[bets.tie]", "[bets.draw]"),
    "topic": ('tie = ["3.8"]', 'tie = ["3.8", "1:tie"]'),
    "topic without clauses": ('betting_opens = ["3.1"]', "betting_opens = []"),
    "commission cited otherwise": ('commission = ["4.1.1"]', 'commission = ["4.1"]'),
    "first layout": (f"{LAYOUT_A}\n{LAYOUT_B}", f"{LAYOUT_B}\n{LAYOUT_A}"),
}
OTHER_INSURANCE = {
    "stage": ('"third", side = "banker", player = [3]', '"four", side = "banker", player = [3]'),
    "side": ('side = "banker", player = [3]', 'side = "player", player = [3]'),
    "Player's points": ("player = [3], banker = [4]", "player = [4], banker = [4]"),
    "Banker's points": ("player = [3], banker = [4]", "player = [3], banker = [4, 5]"),
    "tie no longer pays": ('tie_pays = "4.2.1", ', ""),
    "tie pays by another clause": ('tie_pays = "4.2.1"', 'tie_pays = "3.17"'),
    "what the cap is on": ('on = "winnings"', 'on = "stake"'),
    "over what the cap counts": ('per = "round"', 'per = "offer"'),
    "share at odds": ('per = "round"', 'per = "round"\nshare_at_odds = "7"\nshare_of_maximum = "1/4"'),
    "share": ('per = "round"', 'per = "round"\nshare_at_odds = "7"\nshare_of_maximum = "1/5"'),
    "odds of the share": ('per = "round"', 'per = "round"\nshare_at_odds = "8"\nshare_of_maximum = "1/4"'),
}


def law_hash(text: str) -> str:
    return read_book(text, "x.toml").law_hash


@pytest.mark.parametrize(("old", "new"), SAME_LAW.values(), ids=SAME_LAW)
def test_words_do_not_touch_the_law(old: str, new: str) -> None:
    text = text_of("commission")
    assert law_hash(changed(text, old, new)) == law_hash(text)


@pytest.mark.parametrize(
    ("book_id", "changes"),
    [("commission", OTHER_LAW), ("commission-insurance", OTHER_INSURANCE)],
    ids=["game", "insurance"],
)
def test_each_change_of_the_law_gives_another_hash(book_id: str, changes: dict[str, tuple[str, str]]) -> None:
    text = text_of(book_id)
    seen = {law_hash(text): "the law as it is"}
    for what, (old, new) in changes.items():
        same = seen.setdefault(law_hash(changed(text, old, new)), what)
        assert same == what, f"{what}: same hash as {same}"


@pytest.mark.parametrize("book_id", BOOK_IDS)
def test_any_odds_and_any_clause_are_law(book_id: str) -> None:
    """Change each in turn: all resulting books have different hashes.

    Card values, decks and cap repeat a topic and cannot be changed alone.
    """
    text = text_of(book_id)
    said_twice = r"^  \{ values .*$|^\[decks\][^\[]*|^\[insurance.cap\][^\[#]*"
    for each in re.findall(said_twice, text, re.MULTILINE):
        text = text.replace(each, each.replace("clause =", "clause="))
    texts = [*_each(text, r'\bodds = "([0-9/]+)"', "997"), *_each(text, r'\bclause = "(.+?)"', "4.1")]
    assert len(texts) > 25
    assert len({law_hash(text), *map(law_hash, texts)}) == len(texts) + 1


def _each(text: str, pattern: str, new: str) -> Iterator[str]:
    """The text once for each match of the pattern, with that match's group replaced."""
    for match in re.finditer(pattern, text):
        assert match[1] != new
        yield text[: match.start(1)] + new + text[match.end(1) :]


@pytest.mark.parametrize("book_id", BOOK_IDS)
def test_how_a_book_is_set_out_does_not_touch_its_law(book_id: str) -> None:
    text = text_of(book_id)
    bare = re.sub(r"^(#.*)?\n", "", text, flags=re.MULTILINE)
    top, *sections = re.split(r"^(?=\[)", bare, flags=re.MULTILINE)
    assert len(sections) > 10
    layouts = [section for section in sections if section.startswith("[layouts")]  # the first is the default
    backwards = top + "".join(layouts) + "".join(section for section in reversed(sections) if section not in layouts)
    assert law_hash(bare) == law_hash(backwards) == law_hash(text.replace("\n", "\r\n")) == law_hash(text)


def test_every_book_has_a_law_of_its_own() -> None:
    assert len({book.law_hash for book in BOOKS}) == len(BOOKS)
    assert all(re.fullmatch("[0-9a-f]{64}", book.law_hash) for book in BOOKS)


def test_the_name_of_the_file_is_not_law() -> None:
    text = text_of("commission")
    assert read_book(text, "y.toml").law_hash == law_hash(text)


def test_a_bet_or_layout_called_name_is_part_of_the_law_hash() -> None:
    named = changed(text_of("commission"), "[bets.tie]", "[bets.name]")
    assert law_hash(named) != law_hash(changed(named, 'odds = "8"', 'odds = "80"'))
    laid_out = changed(text_of("commission"), "[layouts.D]", "[layouts.name]")
    assert law_hash(laid_out) != law_hash(changed(laid_out, 'boxes = "12"', 'boxes = "3"'))

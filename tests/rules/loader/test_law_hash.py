"""The law hash pins what decides a round, and nothing else."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache

import pytest

from punto.rules.earlier_laws import EARLIER_HASHES
from punto.rules.loader import BookError, read_book
from punto.rules.rulebook import Rulebook
from punto.rules.topics import RULE_SWITCHES, Topic
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
    "clauses of a topic": ('tie = ["3.8"]', 'tie = ["3.8", "1:tie"]'),
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
    "topic without clauses": ('foreign_card = ["5.1.1"]', "foreign_card = []"),
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


@cache
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


CITED_BY_OTHERS = {Topic.FIRST_FOUR, Topic.COMMISSION, Topic.INSURED_BET, Topic.INSURANCE_TIE}
"""Their clauses go into the Table of Play, pay lines or insurance lines."""


def _with_topic(text: str, topic: Topic, clauses: str) -> str:
    new, times = re.subn(rf"^{topic} = \[.*\]$", f"{topic} = [{clauses}]", text, flags=re.MULTILINE)
    assert times == 1
    return new


def _readable(texts: Iterable[str]) -> Iterator[str]:
    """Those that the loader does not refuse: some rules need others."""
    for text in texts:
        with suppress(BookError):
            law_hash(text)
            yield text


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_the_clauses_of_a_topic_are_not_law(rules: Rulebook) -> None:
    text = text_of(rules.id)
    topics = [topic for topic in Topic if rules.topics[topic] and topic not in CITED_BY_OTHERS]
    moved = list(_readable(_with_topic(text, topic, '"4.1"') for topic in topics))
    assert len(moved) > len(topics) - 3  # the number of decks and the insurance cap repeat a topic's clause
    assert {law_hash(each) for each in moved} == {rules.law_hash}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_which_topics_a_book_cites_is_law_only_where_they_switch_a_rule(rules: Rulebook) -> None:
    text = text_of(rules.id)
    hashes = {}
    for topic in set(Topic) - CITED_BY_OTHERS:
        for other in _readable([_with_topic(text, topic, "" if rules.topics[topic] else '"4.1"')]):
            hashes[topic] = law_hash(other)
    switched = {topic: hashed for topic, hashed in hashes.items() if topic in RULE_SWITCHES}
    assert len({rules.law_hash, *switched.values()}) == len(switched) + 1 > 15
    assert {hashed for topic, hashed in hashes.items() if topic not in RULE_SWITCHES} == {rules.law_hash}


HASHES: dict[str, tuple[str, ...]] = {
    "commission": (
        "a03d49f2ee836645ee03a46ce31d7e919b7d32688618e8fdc5676b2fa0348ebd",
        "bf34b8e79a395bff40b059e3608f06d560b6d55d25a6ac997a31160de0b72ebf",
    ),
    "commission-insurance": (
        "3efbce5bf078e636b160a12cb6ec68aaa39c2db4cb72a57e3e162beb32a2baea",
        "e1a04bf99cdcb767c3b6f48aa3e74896485cfb093c3bf4f5b920183e1df66c2e",
        "710ba213bb366f54007c8f83953debfac1450b4a74d24d2ddf4349735a2a18ba",
    ),
    "super-six-plus": (
        "7f10552c1a6869e67d68c58825526067a4239e5b85260ee82d90c1cd5e3ebf3c",
        "c9871f0a4546df87d82f2469c27dad567820fa777a310da95273c7db4db5ca4b",
        "27129840c7908edb89571f4838e4452fea8dc1aebbb8b911903272a25eea6fb3",
    ),
    "da-hu-ying-xiong": (
        "c365688ad4129798bff0ca592ec4d7a6d920a1ef2c2b57d2f88a519a9c2df6b5",
        "2285e2893aab4082fee77a396a92e17a301021b578f8a1eca485b9fe8d733dfa",
        "43c2cac5a65a6cfe483133164b5eb3015cf183383b00c52c37644090c75f01d0",
    ),
    "tiger-buffalo": (
        "e5ccf9e9a99f94ca43c11b1433e3c11a8650b2e2955582eb88d4a836b81f178a",
        "7d516a37583c7651b4ab2dcf4ffb5803295d82717f54ef0637c1ccfd6599c760",
        "1570c3d4e01c6f2d106594a013dc510b0ac27df04b6d65f6f3bc6cef15ca757f",
    ),
}
"""The hash of each law from 0.7.0 on, then the one of 0.6.0 if it was another, then the one of 0.3.0 to 0.5.0."""


def test_the_laws_have_these_hashes_and_had_those() -> None:
    assert {rules.id: rules.law_hash for rules in BOOKS} == {book_id: now for book_id, (now, *_) in HASHES.items()}
    assert {now: set(before) for now, *before in HASHES.values()} == EARLIER_HASHES


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_hash_of_an_earlier_release_is_the_same_law_of_the_same_book_unchanged(rules: Rulebook) -> None:
    hashes = HASHES[rules.id]
    assert all(map(rules.is_law, hashes))
    assert not any(rules.is_law(other) for book_id, both in HASHES.items() if book_id != rules.id for other in both)
    assert not rules.is_law("")
    edited = read_book(re.sub(r'odds = "8"', 'odds = "9"', text_of(rules.id)), "x.toml")
    assert not any(map(edited.is_law, hashes))


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

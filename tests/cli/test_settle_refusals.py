"""Lines that ``punto settle`` refuses: the error's shape, code, message and clauses."""

import json
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto import book, book_ids
from punto.cli.settle import settle_line
from punto.rules.refusals import Code
from tests.cli.rounds import NINES, SETTLEMENT_KEYS, Line, answer, bet, insured, lawful_rounds, round_of, written
from tests.lanes import examples
from tests.marks import clause

ELSEWHERE = {
    Code.UNKNOWN_CLAUSE,  # only `punto rules` takes clauses
    Code.BAD_BOOK,  # see tests/test_library.py
    Code.CARD_FACE_DOWN,  # a line has no face-down cards
    # odds and simulation
    Code.TOO_MANY_CARDS,
    Code.OPTIONS_CONTRADICT,
    Code.OUT_OF_RANGE,
    Code.EXTRA_MISSING,
    Code.CLUSTER_UNREACHABLE,
    Code.NOT_WRITABLE,
    Code.UNREADABLE_BOOK,
    Code.SUITS_NEEDED,
    Code.BET_LOOKS_AT_CARDS,
}


class Refusal(NamedTuple):
    """A line, its refusal's code and clauses, and part of the message."""

    code: Code
    line: Line | bytes
    clauses: tuple[str, ...]
    says: tuple[str, ...]


NO_BETS = {"game": "commission", "cards": ["5s", "Kd", "3h", "7c"]}
"""A round without bets."""
FIRST_FOUR = {"commission": "3.4", "super-six-plus": "3.10", "tiger-buffalo": "3.10"}
TABLE_OF_PLAY = {
    "commission": ("3.6", "3.5"),
    "super-six-plus": ("3.12", "3.11"),
    "commission-insurance": ("3.15", "3.13"),
    "da-hu-ying-xiong": ("3.15", "3.13"),
    "tiger-buffalo": ("3.15", "3.13"),
}
INSURED_GAMES = ["commission-insurance", "da-hu-ying-xiong", "tiger-buffalo"]

REFUSALS = [
    # not a line of JSON
    Refusal(Code.MALFORMED_JSON, b"five of spades", (), ("not valid JSON",)),
    Refusal(Code.MALFORMED_JSON, b'{"game": "commission", "cards": ["5s"', (), ("not valid JSON", "truncated")),
    Refusal(Code.MALFORMED_JSON, b'{"game": "\xff"}', (), ("not valid JSON", "utf-8")),
    Refusal(Code.MALFORMED_JSON, b"\xff\xfe", (), ("not valid JSON",)),
    Refusal(Code.MALFORMED_JSON, written(round_of("commission")) + b"{}", (), ("not valid JSON",)),
    Refusal(Code.MALFORMED_JSON, b'{"game": "\\ud800"}', (), ("not valid JSON",)),
    Refusal(Code.MALFORMED_JSON, b'{"game": NaN}', (), ("not valid JSON",)),
    # a key too many, at every level
    Refusal(Code.UNKNOWN_KEY, round_of("commission", colour="red"), (), ("`colour`",)),
    Refusal(Code.UNKNOWN_KEY, round_of("commission", bets=[bet(), bet(odds="2")]), (), ("`odds`", "bets[1]")),
    Refusal(
        Code.UNKNOWN_KEY,
        round_of("commission-insurance", NINES, insurance=[insured("player", "third", bet="player")]),
        (),
        ("`bet`", "insurance[0]"),
    ),
    Refusal(Code.UNKNOWN_KEY, round_of("commission", limits={"least": "5"}), (), ("`least`", "limits")),
    # a key too few, at every level
    Refusal(Code.MISSING_KEY, b"{}", (), ("`game`",)),
    Refusal(Code.MISSING_KEY, {"game": "commission", "bets": []}, (), ("`cards`",)),
    Refusal(Code.MISSING_KEY, NO_BETS, (), ("`bets`",)),
    *(
        Refusal(
            Code.MISSING_KEY,
            NO_BETS | {"bets": [{name: value for name, value in bet().items() if name != key}]},
            (),
            (f"`{key}`", "bets[0]"),
        )
        for key in ("who", "bet", "stake")
    ),
    *(
        Refusal(
            Code.MISSING_KEY,
            NO_BETS
            | {
                "bets": [],
                "insurance": [{name: value for name, value in insured("player", "four").items() if name != key}],
            },
            (),
            (f"`{key}`", "insurance[0]"),
        )
        for key in ("who", "side", "stage", "stake")
    ),
    # the wrong type
    *(
        Refusal(Code.WRONG_TYPE, line, (), ("expected `object", kind))
        for line, kind in (
            (b"[]", "array"),
            (b"null", "null"),
            (b"5", "int"),
            (b'"commission"', "str"),
            (b"true", "bool"),
        )
    ),
    *(
        Refusal(
            Code.WRONG_TYPE, round_of("commission", bets=[bet() | {key: value}]), (), ("expected", f"bets[0].{key}")
        )
        for key, value in (
            ("stake", 100),
            ("stake", 97.5),
            ("stake", None),
            ("box", "1"),
            ("box", 1.5),
            ("box", 1.0),
            ("box", True),
            ("box", [1]),
            ("seated", 1),
            ("seated", "yes"),
            ("who", 7),
            ("who", None),
            ("bet", ["player"]),
        )
    ),
    *(
        Refusal(Code.WRONG_TYPE, round_of("commission") | {key: value}, (), ("expected", f"$.{key}"))
        for key, value in (
            ("game", 1),
            ("cards", "5s Kd 3h 7c"),
            ("cards", {"player": ["5s", "3h"]}),
            ("cards", [5, "Kd", "3h", "7c"]),
            ("cards", [None, "Kd", "3h", "7c"]),
            ("bets", bet()),
            ("bets", ["player"]),
            ("layout", 1),
            ("decks", "8"),
            ("decks", 8.0),
            ("decks", True),
            ("insurance", {}),
            ("limits", []),
            ("limits", {"min": 5}),
            ("limits", {"differential": 1000.0}),
        )
    ),
    *(
        Refusal(
            Code.WRONG_TYPE,
            round_of("commission-insurance", NINES, insurance=[insured("player", "third") | {key: value}]),
            (),
            (f"insurance[0].{key}",),
        )
        for key, value in (("side", "tie"), ("side", 1), ("stage", "fourth"), ("stake", 1), ("box", "1"), ("who", None))
    ),
    # the table
    *(
        Refusal(Code.UNKNOWN_BOOK, round_of(game), (), (f"'{game[:40]}'", "Use one of these", *book_ids()))
        for game in ("punto-banco", "", "Commission", "../commission", "x" * 5000)
    ),
    Refusal(Code.UNKNOWN_LAYOUT, round_of("commission", layout="E"), ("2.1.1",), ("'E'", "Use A, B, C or D")),
    Refusal(Code.UNKNOWN_LAYOUT, round_of("tiger-buffalo", layout="a"), ("2.1.1",), ("'a'", "Use A, B")),
    Refusal(Code.UNKNOWN_LAYOUT, round_of("tiger-buffalo", layout=""), ("2.1.1",), ("''", "Use A, B")),
    Refusal(
        Code.LAYOUT_REQUIRED, round_of("tiger-buffalo", layout=None), ("2.1.1",), ("different bets", "Name one of A, B")
    ),
    *(
        Refusal(
            Code.DECKS_OUT_OF_RANGE, round_of(game, decks=decks), ("2.2.1",), (f"4 to {most} decks", f"not {decks}")
        )
        for game, most in (("commission", 8), ("super-six-plus", 8), ("da-hu-ying-xiong", 10), ("tiger-buffalo", 10))
        for decks in (3, most + 1, 0, -8, 10**30)
    ),
    *(
        Refusal(
            Code.UNKNOWN_BOX, round_of(game, layout=layout, bets=[bet(box=box)]), (cited,), (f"no box {box}.", boxes)
        )
        for game, layout, cited, boxes, wrong in (
            ("commission", "A", "2.1.2", "1 to 9", (0, 10, -1)),
            ("commission-insurance", "G", "2.1.1(a)", "1 to 5", (0, 6)),
            ("super-six-plus", "F", "2.1.1(a)", "1 to 5", (6,)),
            ("da-hu-ying-xiong", "R", "2.1.1(a)", "counted from 1", (0, -1)),
            ("tiger-buffalo", "K", "2.1.1(a)", "1 to 16", (17,)),
        )
        for box in wrong
    ),
    # bets and amounts
    *(
        Refusal(
            Code.UNKNOWN_BET, round_of(game, bets=[bet("big_dragon")]), (cited,), ("'big_dragon'", "player, banker")
        )
        for game, cited in (("commission", "3.3"), ("super-six-plus", "3.7"), ("tiger-buffalo", "3.7"))
    ),
    Refusal(
        Code.UNKNOWN_BET,
        round_of("commission", bets=[bet("super_six_plus")]),
        ("3.3",),
        ("Baccarat has no bet",),
    ),
    Refusal(Code.UNKNOWN_BET, round_of("commission", bets=[bet("Player")]), ("3.3",), ("'Player'",)),
    Refusal(
        Code.BET_NOT_ON_LAYOUT,
        round_of("tiger-buffalo", layout="A", bets=[bet("wu_dalang")]),
        ("3.7", "4.1.7"),
        ("Wu Dalang is not on layout A of Tiger Buffalo", "Player, Banker, Tie, Player Pair"),
    ),
    Refusal(
        Code.BET_NOT_ON_LAYOUT,
        round_of("tiger-buffalo", layout="C", bets=[bet("player_pair")]),
        ("3.7", "4.1.4"),
        ("Player Pair is not on layout C of Tiger Buffalo", "Tiger Buffalo"),
    ),
    *(
        Refusal(
            Code.NOT_AN_AMOUNT, round_of("commission", bets=[bet(stake=stake)]), (), (f"'{stake}'", "such as '97.50'")
        )
        for stake in (
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1e3",
            "+5",
            "5 ",
            "1,000",
            "1_000",
            "NaN",
            "inf",
            "0x10",
            "٣",
            "½",
            "$5",
        )
    ),
    Refusal(Code.NOT_AN_AMOUNT, round_of("commission", limits={"min": "five"}), (), ("'five'", "such as '97.50'")),
    Refusal(Code.AMOUNT_TOO_FINE, round_of("commission", bets=[bet(stake="1.005")]), (), ("'1.005'", "currency has 2")),
    Refusal(Code.AMOUNT_TOO_LARGE, round_of("commission", bets=[bet(stake="9" * 14)]), (), ("14 digits", "13 digits")),
    Refusal(Code.AMOUNT_TOO_LARGE, round_of("commission", bets=[bet(stake="9" * 9999)]), (), ("9,999 digits",)),
    *(
        Refusal(
            Code.STAKE_NOT_POSITIVE, round_of("commission", bets=[bet(stake=stake)]), (), ("'ann'", shown, "above zero")
        )
        for stake, shown in (("0", " 0."), ("0.00", " 0."), ("-0", " 0."), ("-5", "\N{MINUS SIGN}5."))
    ),
    Refusal(
        Code.STAKE_NOT_POSITIVE,
        round_of("commission-insurance", NINES, insurance=[insured("player", "third", "0")]),
        (),
        ("'ann'", "Player Insurance", " 0.", "above zero"),
    ),
    # limits
    *(
        Refusal(Code.LIMIT_NOT_POSITIVE, round_of(game, limits={limit: "0"}), cited, (name, " 0.", "above zero"))
        for game, cited in (("commission", ()), ("super-six-plus", ("3.5",)), ("da-hu-ying-xiong", ("3.5",)))
        for limit, name in (("min", "minimum"), ("max", "maximum"), ("differential", "differential limit"))
    ),
    *(
        Refusal(
            Code.LIMITS_CONTRADICT,
            round_of(game, limits={"min": "10", "max": "9.99"}),
            cited,
            ("minimum 10 ", "maximum 9.99"),
        )
        for game, cited in (("commission", ()), ("super-six-plus", ("3.5",)), ("tiger-buffalo", ("3.5",)))
    ),
    Refusal(
        Code.NO_DIFFERENTIAL_LIMIT,
        round_of("commission", limits={"differential": "1000"}),
        (),
        ("Commission Baccarat has no differential limit", "Leave it out"),
    ),
    # cards
    *(
        Refusal(
            Code.NOT_A_CARD, round_of("commission") | {"cards": ["5s", "Kd", "3h", card]}, (), (f"'{card}'", "'Td'")
        )
        for card in ("10s", "5S", "as", "s5", "1s", "", " ", "5s ", "??", "joker", "5♠", "unknown field")
    ),
    *(
        Refusal(
            Code.TOO_MANY_COPIES,
            round_of(game, " ".join(["9s"] * 5), decks=4),
            ("2.2.1",),
            ("9s was dealt 5 times", "4 decks have only 4"),
        )
        for game in ("commission", "tiger-buffalo")
    ),
    *(
        Refusal(
            Code.TOO_FEW_CARDS,
            round_of(game) | {"cards": ["5s", "Kd", "3h", "7c"][:dealt]},
            (cited,),
            (f"{dealt} card", "too few", f"{to} takes another card"),
        )
        for game, cited in FIRST_FOUR.items()
        for dealt, to in enumerate(("Player", "Banker", "Player", "Banker"))
    ),
    *(
        Refusal(Code.TOO_FEW_CARDS, round_of(game, cards), (cited[0],), ("too few", f"{to} takes another card"))
        for game, cited in TABLE_OF_PLAY.items()
        for cards, to in (("Ks 2d 4h 3c", "Player"), ("Ks 2d 4h 3c 7s", "Banker"))
    ),
    *(
        Refusal(
            Code.TOO_FEW_CARDS,
            round_of(game, "Ks 2d 7h 3c"),
            cited,
            ("4 cards are too few", "Banker takes"),
        )
        for game, cited in TABLE_OF_PLAY.items()
    ),
    # insurance
    *(
        Refusal(
            Code.INSURANCE_NOT_OFFERED,
            round_of(game, NINES, insurance=[insured("player", "third")]),
            (),
            (f"{book(game).title} has no insurance",),
        )
        for game in ("commission", "super-six-plus")
    ),
    *(
        Refusal(
            Code.INSURANCE_NOT_OFFERED,
            round_of(game, NINES, insurance=[insured(side, stage)]),
            ("3.12", "3.12.1"),
            (f"{insurance} was not offered", "offered Player insurance after Player's third card"),
        )
        for game in INSURED_GAMES
        for side, stage, insurance in (("banker", "third", "Banker insurance"), ("player", "four", "Player insurance"))
    ),
    Refusal(
        Code.INSURANCE_NOT_OFFERED,
        round_of("commission-insurance", insurance=[insured("player", "four")]),
        ("3.12", "3.12.1"),
        ("Player insurance was not offered on four cards", "offered no insurance"),
    ),
    *(
        Refusal(
            Code.NO_ORIGINAL_BET,
            round_of(game, NINES, bets=bets, insurance=[insured("player", "third") | box]),
            ("3.11",),
            ("'ann' has no bet on Player", *says),
        )
        for game in INSURED_GAMES
        for bets, box, says in (
            ([bet("banker"), bet("tie")], {}, ("to insure",)),
            ([bet(who="bo")], {}, ("to insure",)),
            ([bet(box=2)], {"box": 3}, ("in box 3",)),
            ([bet()], {"box": 1}, ("in box 1",)),
        )
    ),
    *(
        Refusal(
            Code.AMBIGUOUS_BOX,
            round_of(game, NINES, bets=[bet(box=1), bet(box=2)], insurance=[insured("player", "third")]),
            ("3.11",),
            ("'ann' has Player bets in several boxes", "Say which"),
        )
        for game in INSURED_GAMES
    ),
    *(
        Refusal(
            Code.INSURANCE_ABOVE_CAP,
            round_of(game, NINES, insurance=[insured("player", "third", stake)]),
            ("3.12.2",),
            ("'ann' can insure Player", f"at most {most},", f"not {stake}"),
        )
        for game, most, stake in (
            ("commission-insurance", "12.50", "12.51"),
            ("da-hu-ying-xiong", "100", "100.01"),
            ("tiger-buffalo", "100", "100.01"),
        )
    ),
    Refusal(
        Code.INSURANCE_ABOVE_CAP,  # 200 at 3 to 1 leave 400 of winnings: 57.14 at 7 to 1
        round_of(
            "commission-insurance",
            "Ks 2d 5h 4c 6s Kc",
            bets=[bet("banker", "1000")],
            insurance=[insured("banker", "four", "200"), insured("banker", "third", "57.15")],
        ),
        ("3.12.2",),
        ("at most 57.14", "not 57.15"),
    ),
]


def _parameters() -> list[Any]:
    parameters = []
    for refusal in REFUSALS:
        marks = []
        if refusal.clauses:
            assert isinstance(refusal.line, dict)
            marks.append(clause(refusal.line["game"], *refusal.clauses))
        parameters.append(pytest.param(refusal, id=refusal.code.value, marks=marks))
    return parameters


@pytest.mark.parametrize("refusal", _parameters())
def test_a_refusal_says_what_was_wrong_and_by_which_clause(refusal: Refusal) -> None:
    refused = answer(refusal.line)
    assert refused.keys() == {"error"}, refused
    error = refused["error"]
    assert error.keys() == {"code", "message", "clauses"}
    assert (error["code"], tuple(error["clauses"])) == (refusal.code, refusal.clauses)
    for words in refusal.says:
        assert words.lower() in error["message"].lower()
    assert "\n" not in error["message"]


def test_every_code_that_settle_can_give_is_provoked() -> None:
    assert {refusal.code for refusal in REFUSALS} == set(Code) - ELSEWHERE


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"game":' * 100_000,
        b'{"game":"commission","cards":' + b"[" * 100_000,
        b'{"game":"commission","cards":[],"bets":' + b"[" * 100_000,
        b'{"game":"commission","cards":[],"bets":[],"limits":' + b'{"min":' * 100_000,
        b'{"game":"commission","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["arrays", "objects", "cards", "bets", "limits", "unknown"],
)
def test_a_deeply_nested_line_is_refused(line: bytes) -> None:
    codes = {Code.MALFORMED_JSON, Code.WRONG_TYPE, Code.UNKNOWN_KEY}
    assert answer(line)["error"]["code"] in codes


def test_nothing_of_a_round_is_settled_unless_all_can_be() -> None:
    bets = [bet(), bet("tie"), bet("banker", "0", "bo")]
    assert answer(round_of("commission", bets=bets)).keys() == {"error"}
    short = round_of("commission-insurance", NINES, insurance=[insured("player", "third", "99")])
    assert answer(short).keys() == {"error"}


def test_a_short_insurance_leaves_room_for_more() -> None:
    insurance = [insured("player", "third", "12"), insured("player", "third", "0.50")]
    assert "results" in answer(round_of("commission-insurance", NINES, insurance=insurance))
    insurance.append(insured("player", "third", "0.01"))
    refused = answer(round_of("commission-insurance", NINES, insurance=insurance))
    assert "at most 0," in refused["error"]["message"]


@pytest.mark.parametrize("key", ["game", "layout", "cards", "bet", "who", "stake"])
def test_a_message_stays_short_whatever_was_sent(key: str) -> None:
    line = round_of("commission-insurance", NINES, insurance=[insured("player", "third", who="y" * 5000)])
    if key in {"bet", "stake"}:
        line["bets"][0][key] = "x" * 5000
    elif key == "cards":
        line[key][0] = "x" * 5000
    elif key != "who":
        line[key] = "x" * 5000
    error = answer(line)["error"]
    assert error["code"] != Code.WRONG_TYPE
    assert len(error["message"]) < 300


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["5s", "player", "four", "A", "commission", "100", "-1", "??"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from([*NO_BETS, "bets", "who", "bet", "stake", "box"]) | st.text(), inner, max_size=5
        )
    ),
    max_leaves=12,
)


_ALIKE: dict[type | None, st.SearchStrategy[Any]] = {
    str: st.text() | st.sampled_from(["0", "-1", "0.001", "9" * 14, "tie", "wu_dalang", "9s", "four", "banker"]),
    int: st.integers(-1, 20) | st.integers(),
    bool: st.booleans(),
}
"""A replacement of the same type: then the rules refuse it, not the decoder."""


@st.composite
def _spoilt_rounds(draw: st.DrawFn) -> Line:
    """A valid round with one value, at any depth, changed, dropped or added."""
    line = draw(lawful_rounds())
    at: Any = line
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = draw(st.sampled_from(keys)) if keys else None
        if key is not None and isinstance(at[key], dict | list) and draw(st.integers(0, 3)):
            at = at[key]
            continue
        if isinstance(at, dict) and draw(st.booleans()):
            key = draw(st.text())
        if key is None:
            at.append(draw(_JSON))
        elif isinstance(key, int) and draw(st.booleans()):
            at.insert(key, draw(_JSON))
        elif key in keys and draw(st.booleans()):
            del at[key]
        else:
            at[key] = draw(_ALIKE.get(type(at[key]) if key in keys else None, _JSON) | _JSON)
        return line


@st.composite
def _spoilt_bytes(draw: st.DrawFn) -> bytes:
    """A valid line that was cut off, or had some bytes overwritten."""
    line = json.dumps(draw(lawful_rounds())).encode()
    start = draw(st.integers(0, len(line)))
    return line[:start] + draw(st.binary(max_size=6)) + draw(st.sampled_from([b"", line[start + 1 :]]))


def _check_shape(line: bytes) -> None:
    """The output is a settlement or an error, as one line of standard JSON; never an exception."""
    out = msgspec.json.encode(settle_line(line))
    assert b"\n" not in out
    read = json.loads(out)
    if "error" not in read:
        assert read.keys() == SETTLEMENT_KEYS
        return
    assert read.keys() == {"error"}
    error = read["error"]
    assert error.keys() == {"code", "message", "clauses"}
    assert error["code"] in set(Code) - ELSEWHERE
    assert error["message"]
    assert all(isinstance(one, str) for one in error["clauses"])


@settings(max_examples=examples(150))
@given(st.binary() | _spoilt_bytes())
def test_any_bytes_are_settled_or_refused(line: bytes) -> None:
    _check_shape(line)


@settings(max_examples=examples(150))
@given(_JSON | _spoilt_rounds())
def test_any_json_is_settled_or_refused(value: object) -> None:
    _check_shape(json.dumps(value).encode())

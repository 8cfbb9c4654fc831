"""Input and output of ``punto settle``."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from punto.rules.rulebook import Rulebook
from tests.cli.rounds import (
    BANKER_SIX,
    NATURAL,
    NINES,
    ONE_NIL,
    OPTIONAL_KEYS,
    RESULT_KEYS,
    SETTLEMENT_KEYS,
    Line,
    answer,
    bet,
    insured,
    lawful_rounds,
    results,
    round_of,
)
from tests.lanes import examples
from tests.marks import BOOKS, INSURED, clause

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
WITH_INSURANCE = [pytest.param(rules, id=rules.id) for rules in INSURED]
WITHOUT_INSURANCE = [pytest.param(rules, id=rules.id) for rules in BOOKS if rules not in INSURED]
COMMISSION = ["commission", "commission-insurance", "super-six-plus", "tiger-buffalo"]


@clause("commission", "4.1.2", "4.1.1", "3.7", "1:tie")
def test_a_line_in_full() -> None:
    line = round_of(
        "commission",
        BANKER_SIX + " 9h 8d",
        bets=[bet("banker", "97.50", "bo", box=3, seated=False), bet("player", "5"), bet("tie", "0.01")],
    )
    assert answer(line) == {
        "round": {
            "winner": "banker",
            "natural": False,
            "player": {"cards": ["Ks", "Ah", "Tc"], "points": 1},
            "banker": {"cards": ["2d", "Qc", "4s"], "points": 6},
        },
        "offers": [],
        "results": [
            {
                "who": "bo",
                "box": 3,
                "bet": "banker",
                "stake": "97.50",
                "result": "win",
                "odds": "1",
                "commission": "4.88",
                "returned": "190.12",
                "clauses": ["4.1.2", "4.1.1"],
            },
            {
                "who": "ann",
                "bet": "player",
                "stake": "5.00",
                "result": "lose",
                "returned": "0.00",
                "clauses": ["3.7"],
            },
            {
                "who": "ann",
                "bet": "tie",
                "stake": "0.01",
                "result": "lose",
                "returned": "0.00",
                "clauses": ["1:tie"],
            },
        ],
        "unused": ["9h", "8d"],
        "limits_applied": False,
    }


@clause("commission-insurance", "4.1.3", "4.2.1", "3.17")
def test_insurance_is_a_result_after_the_bets() -> None:
    line = round_of("commission-insurance", NINES, bets=[bet(box=2)], insurance=[insured("player", "third", "12.5")])
    settled = answer(line)
    assert settled["offers"] == [{"stage": "third", "side": "player", "odds": "8"}]
    assert settled["results"] == [
        {
            "who": "ann",
            "box": 2,
            "bet": "player",
            "stake": "100.00",
            "result": "push",
            "returned": "100.00",
            "clauses": ["3.17"],
        },
        {
            "who": "ann",
            "box": 2,  # her only box with a bet on that side
            "bet": "player_insurance",
            "stage": "third",
            "stake": "12.50",
            "result": "win",
            "odds": "8",
            "returned": "112.50",
            "clauses": ["4.1.3", "4.2.1"],
        },
    ]


@pytest.mark.parametrize(
    ("game", "four", "third"),
    [
        pytest.param("commission-insurance", "2", "7", marks=clause("commission-insurance", "4.1.3")),
        pytest.param("da-hu-ying-xiong", "3/2", "10", marks=clause("da-hu-ying-xiong", "4.1.2")),
        pytest.param("tiger-buffalo", "3/2", "10", marks=clause("tiger-buffalo", "4.1.9")),
    ],
)
def test_both_stages_are_offered_in_order_and_named_in_the_results(game: str, four: str, third: str) -> None:
    insurance = [insured("banker", "third", "2", box=4), insured("banker", "four", "10", box=4)]
    settled = answer(round_of(game, ONE_NIL, bets=[bet("banker", box=4)], insurance=insurance))
    assert settled["offers"] == [
        {"stage": "four", "side": "banker", "odds": four},
        {"stage": "third", "side": "banker", "odds": third},
    ]
    lost, *won = settled["results"]
    assert (lost["result"], lost["returned"], lost.get("stage")) == ("lose", "0.00", None)
    assert [(row["bet"], row["box"], row["stage"], row["odds"]) for row in won] == [
        ("banker_insurance", 4, "third", third),
        ("banker_insurance", 4, "four", four),
    ]
    assert [Fraction(row["returned"]) for row in won] == [2 * (1 + Fraction(third)), 10 * (1 + Fraction(four))]


@pytest.mark.parametrize("rules", WITHOUT_INSURANCE)
def test_a_book_without_insurance_offers_none(rules: Rulebook) -> None:
    assert answer(round_of(rules.id, ONE_NIL))["offers"] == []


@pytest.mark.parametrize("rules", WITH_INSURANCE)
def test_a_natural_offers_no_insurance(rules: Rulebook) -> None:
    settled = answer(round_of(rules.id, NATURAL))
    assert settled["offers"] == []
    assert settled["round"]["natural"] is True


@pytest.mark.parametrize("rules", WITH_INSURANCE)
def test_insurance_finds_the_one_box_with_a_bet_on_its_side(rules: Rulebook) -> None:
    bets = [bet(box=2), bet("banker", box=3)]
    _, _, found = results(round_of(rules.id, NINES, bets=bets, insurance=[insured("player", "third")]))
    assert found["result"] == "win"


def test_the_first_layout_is_played_where_none_is_named() -> None:
    # layout A of the book has 9 boxes, B has 7, D has 12
    assert results(round_of("commission", bets=[bet(box=9)]))[0]["box"] == 9
    assert answer(round_of("commission", bets=[bet(box=10)]))["error"]["code"] == "unknown_box"
    assert answer(round_of("commission", layout="B", bets=[bet(box=8)]))["error"]["code"] == "unknown_box"
    assert results(round_of("commission", layout="D", bets=[bet(box=12)]))[0]["box"] == 12


@pytest.mark.parametrize("rules", ALL)
def test_only_tiger_buffalo_must_name_a_layout(rules: Rulebook) -> None:
    line = round_of(rules.id)
    line.pop("layout", None)
    refused = answer(line).get("error", {}).get("code")
    assert refused == ("layout_required" if rules.id == "tiger-buffalo" else None)


@pytest.mark.parametrize(
    ("game", "most"),
    [
        pytest.param("commission", 8, marks=clause("commission", "2.2.1")),
        pytest.param("commission-insurance", 8, marks=clause("commission-insurance", "2.2.1")),
        pytest.param("super-six-plus", 8, marks=clause("super-six-plus", "2.2.1")),
        pytest.param("da-hu-ying-xiong", 10, marks=clause("da-hu-ying-xiong", "2.2.1")),
        pytest.param("tiger-buffalo", 10, marks=clause("tiger-buffalo", "2.2.1")),
    ],
)
def test_the_most_decks_are_played_where_none_are_named(game: str, most: int) -> None:
    def copies(number: int, **more: int) -> Line:
        return answer(round_of(game, " ".join([NATURAL, *["9d"] * number]), **more))

    assert copies(most)["unused"] == ["9d"] * most
    assert copies(most + 1)["error"]["code"] == "too_many_copies"
    assert copies(most, decks=most - 1)["error"]["code"] == "too_many_copies"
    assert copies(4, decks=4)["unused"] == ["9d"] * 4


@clause("super-six-plus", "5.1", "5.1.1")
def test_a_player_without_a_box_has_one_of_his_own() -> None:
    bets = [bet("player", "300", "ann"), bet("banker", "300", "bo")]
    limits = {"differential": "100"}
    apart = results(round_of("super-six-plus", bets=bets, limits=limits))
    assert [row.get("played") for row in apart] == ["100.00", "100.00"]
    together = results(round_of("super-six-plus", bets=[row | {"box": 1} for row in bets], limits=limits))
    assert [row.get("played") for row in together] == [None, None]
    same_man = results(round_of("super-six-plus", bets=[row | {"who": "ann"} for row in bets], limits=limits))
    assert [row.get("played") for row in same_man] == [None, None]


@clause("super-six-plus", "5.1.1")
@pytest.mark.parametrize("standing", [0, 1])
def test_a_player_is_seated_unless_said(standing: int) -> None:
    # 100.01 between two equal bets: the odd cent goes to the seated player, else to the earlier bet
    bets = [bet(stake="100", who="ann", box=1), bet(stake="100", who="bo", box=1)]
    limits = {"differential": "100.01"}
    assert [row["played"] for row in results(round_of("super-six-plus", bets=bets, limits=limits))] == [
        "50.01",
        "50.00",
    ]
    bets[standing]["seated"] = False
    played = [row["played"] for row in results(round_of("super-six-plus", bets=bets, limits=limits))]
    assert played[1 - standing] == "50.01"
    assert played[standing] == "50.00"


@clause("commission-insurance", "5.1.1", "5.1.2", "5.2.1")
def test_played_is_there_where_it_differs_from_the_stake() -> None:
    bets = [bet(stake="400", who="ann", box=1), bet(stake="3", who="bo", box=1), bet("tie", "500", "cy", box=1)]
    rows = results(round_of("commission-insurance", bets=bets, limits={"min": "5", "differential": "203"}))
    assert [row.get("played") for row in rows] == ["200.00", None, None]
    # Player wins: 200 back unplayed, and 200 doubled
    assert [row["returned"] for row in rows] == ["600.00", "6.00", "0.00"]
    assert [row["stake"] for row in rows] == ["400.00", "3.00", "500.00"]
    assert [row["clauses"][1:] for row in rows] == [["5.1.1"], ["5.1.2"], []]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize(
    ("limits", "applied"),
    [(None, False), ({}, False), ({"min": "5"}, True), ({"max": "500"}, True), ({"min": "5", "max": "500"}, True)],
)
def test_a_line_says_whether_limits_applied(rules: Rulebook, limits: dict[str, str] | None, *, applied: bool) -> None:
    assert answer(round_of(rules.id, bets=[bet()], limits=limits))["limits_applied"] is applied


def test_a_differential_alone_is_a_limit() -> None:
    assert answer(round_of("super-six-plus", bets=[bet()], limits={"differential": "500"}))["limits_applied"] is True


def test_without_limits_none_apply() -> None:
    rows = results(round_of("super-six-plus", bets=[bet(stake="0.01"), bet(stake="9999999999999.99", who="bo")]))
    assert [row.get("played") for row in rows] == [None, None]
    assert [row["returned"] for row in rows] == ["0.02", "19999999999999.98"]


@pytest.mark.parametrize("rules", ALL)
def test_minimum_and_maximum_refuse_no_bet(rules: Rulebook) -> None:
    line = round_of(rules.id, bets=[bet(stake="1"), bet(stake="900", who="bo")], limits={"min": "10", "max": "20"})
    assert [row["returned"] for row in results(line)] == ["2.00", "1800.00"]


@pytest.mark.parametrize("game", ["da-hu-ying-xiong", "tiger-buffalo"])
@pytest.mark.parametrize("limit", ["max", "differential"])
def test_the_quarter_cap_needs_a_limit(game: str, limit: str) -> None:
    def insure(stake: str, **more: object) -> Line:
        line = round_of(game, NINES, bets=[bet(stake="50")], insurance=[insured("player", "third", stake)])
        return answer(line | more)

    assert insure("50")["results"][1]["odds"] == "10"
    assert insure("25", limits={limit: "100"})["results"][1]["stake"] == "25.00"
    assert insure("25.01", limits={limit: "100"})["error"]["code"] == "insurance_above_cap"


@pytest.mark.parametrize("game", COMMISSION)
def test_commission_is_there_when_banker_wins_and_only_then(game: str) -> None:
    bets = [bet("banker"), bet("player"), bet("tie")]
    won = results(round_of(game, BANKER_SIX, bets=bets))
    assert [row.get("commission") for row in won] == ["5.00", None, None]
    assert won[0]["returned"] == "195.00"
    for cards in (NATURAL, NINES):
        assert not any("commission" in row for row in results(round_of(game, cards, bets=bets)))


@clause("da-hu-ying-xiong", "4.1.1")
def test_da_hu_ying_xiong_takes_no_commission() -> None:
    (row,) = results(round_of("da-hu-ying-xiong", BANKER_SIX, bets=[bet("banker")]))
    assert (row["odds"], row["returned"], "commission" in row) == ("1/2", "150.00", False)


@pytest.mark.parametrize("rules", ALL)
def test_odds_are_there_when_a_bet_wins_and_only_then(rules: Rulebook) -> None:
    bets = [bet("player"), bet("banker"), bet("tie")]
    for cards, odds in (
        (NATURAL, ["1", None, None]),
        (NINES, [None, None, "8"]),
    ):
        assert [row.get("odds") for row in results(round_of(rules.id, cards, bets=bets))] == odds


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize(
    ("cards", "unused"), [(NATURAL, []), (NATURAL + " 9d", ["9d"]), (NINES + " As Kd", ["As", "Kd"])]
)
def test_cards_the_coup_does_not_want_are_unused(rules: Rulebook, cards: str, unused: list[str]) -> None:
    assert answer(round_of(rules.id, cards))["unused"] == unused


def test_no_bets_are_a_round_too() -> None:
    assert results(round_of("commission", bets=[])) == []


def test_keys_may_be_null_where_they_may_be_left_out() -> None:
    line = round_of("commission", layout=None, decks=None, limits=None, bets=[bet(box=None)])
    assert answer(line) == answer(round_of("commission"))
    limits = {"min": None, "max": None, "differential": None}
    assert answer(round_of("commission", limits=limits)) == answer(round_of("commission"))


@pytest.mark.parametrize(
    ("stake", "shown"), [("100", "100.00"), ("1.5", "1.50"), ("007", "7.00"), ("1.000", "1.00"), ("0.01", "0.01")]
)
def test_amounts_come_out_with_all_decimals(stake: str, shown: str) -> None:
    (row,) = results(round_of("commission", bets=[bet("tie", stake)]))
    assert (row["stake"], row["returned"]) == (shown, "0.00")


def test_names_go_through_untouched() -> None:
    names = ["", "陳 大文", '"quoted\\', "\U0001f42f", "line\nbreak", "\u2028", "\x00", "x" * 1000]
    assert [row["who"] for row in results(round_of("commission", bets=[bet(who=name) for name in names]))] == names


@settings(max_examples=examples(100))
@given(lawful_rounds())
def test_what_comes_out_of_a_lawful_round(line: Line) -> None:
    settled = answer(line)
    assert settled.keys() == SETTLEMENT_KEYS, settled
    coup = settled["round"]
    assert coup.keys() == {"winner", "natural", "player", "banker"}
    player, banker = coup["player"]["points"], coup["banker"]["points"]
    assert coup["winner"] == ("player" if player > banker else "banker" if banker > player else "tie")
    dealt = [*coup["player"]["cards"], *coup["banker"]["cards"], *settled["unused"]]
    assert sorted(dealt) == sorted(line["cards"])
    assert all(offer.keys() == {"stage", "side", "odds"} for offer in settled["offers"])

    laid = [*line["bets"], *line.get("insurance", [])]
    for row, stake in zip(settled["results"], laid, strict=True):
        assert row.keys() >= RESULT_KEYS
        assert row.keys() <= RESULT_KEYS | OPTIONAL_KEYS
        assert row["who"] == stake["who"]
        assert row["bet"] == stake.get("bet", f"{stake.get('side')}_insurance")
        assert row.get("stage") == stake.get("stage")
        assert row.get("box") == stake.get("box")
        assert Fraction(row["stake"]) == Fraction(stake["stake"])
        assert row["clauses"]
        _check_money(line["game"], row)
        if row["bet"] in {"player", "banker"}:
            hoped = "push" if coup["winner"] == "tie" else "win" if coup["winner"] == row["bet"] else "lose"
            assert row["result"] == hoped


def _check_money(game: str, row: Line) -> None:
    stake, returned = Fraction(row["stake"]), Fraction(row["returned"])
    played = Fraction(row["played"]) if "played" in row else stake
    assert ("odds" in row) == (row["result"] == "win")
    pays_commission = row["bet"] == "banker" and row["result"] == "win" and game != "da-hu-ying-xiong"
    assert ("commission" in row) == pays_commission
    if "played" in row:
        assert 0 <= played < stake
        assert row["bet"] in {"player", "banker"}
    if row["result"] == "push":
        assert returned == stake
    elif row["result"] == "lose":
        assert returned == stake - played
    else:
        full = stake + played * Fraction(row["odds"])
        short = Fraction(row.get("commission", "0"))
        assert stake <= returned <= full
        assert 0 <= full - returned - short < Fraction(1, 100)  # rounded down to the cent
        assert short == 0 or abs(short - played / 20) < Fraction(1, 100)
    assert 0 <= returned <= stake * (1 + Fraction(row.get("odds", "0")))

"""Every bet over every end and every pair pattern, and bets decided before the coup ends."""

from fractions import Fraction
from itertools import product

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from punto.rules.bets.pay_lines import BetRule, Result, decided, result
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import ENDS, PAIRS, UNKNOWN, Outcome, Pairs
from punto.rules.coup.table_of_play import POINTS
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.lanes import examples
from tests.marks import BOOKS, books, clause, reading
from tests.plainly import VALUES, Dealt, deal, pays

RANKS_OF = {
    Pairs.NONE: (None, None),
    Pairs.PLAYER: ("K", None),
    Pairs.BANKER: (None, "K"),
    Pairs.BOTH: ("T", "K"),
    Pairs.TWIN: ("K", "K"),
}

BETS = [pytest.param(rules, bet, id=f"{rules.id}-{bet.id}") for rules in BOOKS for bet in rules.bets.values()]


def _over_pairs(parameter: ParameterSet) -> bool:
    bet = parameter.values[1]
    assert isinstance(bet, BetRule)
    return bet.over_pairs


PAY_CLAUSES = {
    "commission": "4.1 4.1.2 1:tie 1:pair 3.3 2.1.3",
    "commission-insurance": "4.1 4.1.2 1.20 1.14 3.7",
    "super-six-plus": "4.1 4.1.2 1.19 1.20 1.13 3.7",
    "da-hu-ying-xiong": "4.1 4.1.1 1.3 1.12 1.20 1.22 1.23 1.24 1.25 3.7",
    "tiger-buffalo": "4.1 4.1.2 4.1.3 4.1.4 4.1.5 4.1.6 4.1.7 4.1.8 1.2 1.2.1 1.2.2 1.2.3 1.4 1.5 1.17 1.17.1 "
    "1.17.2 1.17.3 1.18 1.23 1.24 1.26 1.27 1.29 3.7",
}


@pytest.mark.parametrize("rules", books(Topic.BETS_OFFERED, Topic.TIE, Topic.WINNER, also=PAY_CLAUSES))
def test_every_bet_pays_what_its_table_says_over_the_whole_space(rules: Rulebook) -> None:
    for end, pattern in product(ENDS, PAIRS):
        outcome = Outcome(end, pattern)
        dealt = Dealt(end.player, end.banker, end.player_cards, end.banker_cards)
        for bet in rules.bets.values():
            verdict = bet.verdicts[outcome.index]
            expected = pays(rules.id, bet.id, dealt, *RANKS_OF[pattern])
            assert result(bet, outcome) is verdict.result
            if verdict.result is Result.WIN:
                assert verdict.odds is not None
                assert verdict.odds * (1 - (verdict.commission or 0)) == Fraction(expected)
            else:
                assert verdict.result == expected
            assert set(verdict.clauses) <= rules.clauses.keys()
            assert verdict.clauses


@pytest.mark.parametrize("rules", books(Topic.COMMISSION))
@reading("commission_is_the_shortfall")
def test_commission_is_a_twentieth_of_even_money_and_only_bankers(rules: Rulebook) -> None:
    for bet in rules.bets.values():
        for line in bet.pays:
            due = bet.id == "banker" and line.verdict.result is Result.WIN
            assert line.verdict.commission == (Fraction(1, 20) if due else None)
            if due:
                assert line.verdict.odds == 1
                assert set(rules.topics[Topic.COMMISSION]) < set(line.verdict.clauses)


@clause("da-hu-ying-xiong", "1.12", "4.1.1")
def test_the_game_without_commission_takes_none() -> None:
    (rules,) = (rules for rules in BOOKS if rules.id == "da-hu-ying-xiong")
    assert rules.topics[Topic.COMMISSION] == ()
    assert all(line.verdict.commission is None for bet in rules.bets.values() for line in bet.pays)


@clause("da-hu-ying-xiong", "1.25", "4.1.1")
@reading("tiger_pair_best_line", "pairs_by_rank")
@pytest.mark.parametrize(
    ("cards", "odds"),
    [
        ("7s 7d 7h 7c 6d 2s", 100),
        ("Ts Kd Th Kc 6d 2s", 20),
        ("7s 3d 7h Tc 6d 2s", 4),
        ("3s 7d 2h 7c 6d 2s", 4),
    ],
)
def test_tiger_pair_pays_only_its_best_line(cards: str, odds: int) -> None:
    (rules,) = (rules for rules in BOOKS if rules.id == "da-hu-ying-xiong")
    assert rules.bets["tiger_pair"].verdicts[rules.coup(cards).outcome_index].odds == odds


@clause("tiger-buffalo", "1.29", "4.1.7")
@reading("wu_dalang_wins_the_round")
def test_wu_dalang_wins_only_if_player_wins_one_to_zero() -> None:
    (rules,) = (rules for rules in BOOKS if rules.id == "tiger-buffalo")
    won = {(end.player, end.banker) for end in ENDS if rules.bets["wu_dalang"].cells[Result.WIN] >> end.index & 1}
    assert won == {(1, 0)}


@reading("side_bets_lose_on_a_tie")
@pytest.mark.parametrize("rules", books(Topic.TIE))
def test_a_tie_returns_player_and_banker_and_no_other_bet(rules: Rulebook) -> None:
    for bet in rules.bets.values():
        for end in ENDS:
            if end.player != end.banker or bet.over_pairs:
                continue
            verdict = bet.verdicts[Outcome(end, Pairs.NONE).index]
            if bet.id in ("player", "banker"):
                assert (verdict.result, verdict.clauses) == (Result.PUSH, rules.topics[Topic.TIE])
            elif bet.id not in ("tie", "tiger_tie"):
                assert verdict.result is Result.LOSE


@pytest.mark.sweep
@reading("any_card_may_still_come")
@pytest.mark.parametrize(("rules", "bet"), [each for each in BETS if not _over_pairs(each)])
def test_decided_agrees_with_trying_every_way_the_points_can_still_fall(rules: Rulebook, bet: BetRule) -> None:
    result_of = {way: _plain_result(rules, bet, deal(*way)) for way in product(POINTS, repeat=4)}
    for known in product(range(UNKNOWN + 1), repeat=4):
        ways = product(*(POINTS if part == UNKNOWN else (part,) for part in known))
        results = {result_of[way] for way in ways}
        player, banker, fifth, sixth = known
        possible = rules.space.possible_ends((player, banker, fifth, sixth))
        certain = {certain for certain in Result if possible & ~bet.cells[certain] == 0}
        assert certain == (results if len(results) == 1 else set()), known


def _plain_result(
    rules: Rulebook, bet: BetRule, dealt: Dealt, pairs: tuple[str | None, str | None] = (None, None)
) -> Result:
    odds = pays(rules.id, bet.id, dealt, *pairs)
    return Result(odds) if odds in ("push", "lose") else Result.WIN


@st.composite
def _partial_coups(draw: st.DrawFn) -> tuple[Rulebook, Coup]:
    """A coup with at most three unknown cards among the first six: few enough to try all."""
    rules = draw(st.sampled_from(BOOKS))
    cards: list[Card | None] = list(draw(st.lists(st.sampled_from(list(Card)), min_size=3, max_size=7)))
    if len(cards) >= 5:
        for at in draw(st.lists(st.integers(0, len(cards) - 1), max_size=2)):
            cards[at] = None
    return rules, Coup.of(rules.space, tuple(cards))


@given(_partial_coups())
@settings(max_examples=examples(60))
@reading("any_card_may_still_come")
def test_decided_agrees_with_dealing_every_card_that_may_still_come(drawn: tuple[Rulebook, Coup]) -> None:
    rules, coup = drawn
    known = [None if card is None else card.rank for card in coup.cards[:6]]
    known += [None] * (6 - len(known))
    # all four ranks of value 0 matter for pairs, but only in the first four cards
    ways = product(*(((rank,) if rank else VALUES if at < 4 else "A23456789T") for at, rank in enumerate(known)))
    seen: dict[str, set[Result]] = {bet: set() for bet in rules.bets}
    outcomes = set()
    for one, two, three, four, five, six in ways:
        player, banker = (VALUES[one] + VALUES[three]) % 10, (VALUES[two] + VALUES[four]) % 10
        dealt = deal(player, banker, VALUES[five], VALUES[six])
        outcomes.add((dealt, one if one == three else None, two if two == four else None))
    for dealt, player_pair, banker_pair in outcomes:
        for bet in rules.bets.values():
            seen[bet.id].add(_plain_result(rules, bet, dealt, (player_pair, banker_pair)))
    for bet in rules.bets.values():
        assert decided(bet, coup) == (seen[bet.id].pop() if len(seen[bet.id]) == 1 else None), bet.id


@reading("any_card_may_still_come")
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_nothing_is_decided_with_fewer_than_three_cards(rules: Rulebook) -> None:
    for one, two in product(VALUES, VALUES):
        for cards in ("", f"{one}s", f"{one}s {two}d", f"{one}s ?? ?? {two}d"):
            assert [bet.id for bet in rules.bets.values() if decided(bet, rules.coup(cards))] == []


@reading("any_card_may_still_come")
def test_with_three_cards_something_is_decided_but_for_one_game() -> None:
    for rules in BOOKS:
        for one, two in product(VALUES, VALUES):
            coup = rules.coup(f"{one}s 4d {two}h")
            certain = [bet.id for bet in rules.bets.values() if decided(bet, coup)]
            points = (VALUES[one] + VALUES[two]) % 10
            if rules.id == "da-hu-ying-xiong" and one != two and points <= 5:
                assert certain == []
            else:
                assert certain


@reading("any_card_may_still_come")
def test_after_a_players_pair_tiger_pair_is_won_whichever_line_will_pay() -> None:
    (rules,) = (rules for rules in BOOKS if rules.id == "da-hu-ying-xiong")
    assert decided(rules.bets["tiger_pair"], rules.coup("2s ?? 2h")) is Result.WIN
    assert decided(rules.bets["tiger_pair"], rules.coup("2s Kd 3h")) is None
    assert decided(rules.bets["tiger_pair"], rules.coup("2s Kd 3h 7c")) is Result.LOSE


@pytest.mark.parametrize(("rules", "bet"), BETS)
def test_a_finished_coup_has_every_bet_decided_as_it_is_settled(rules: Rulebook, bet: BetRule) -> None:
    for cards in (
        "4s 3d Kh Tc 5d 6h",
        "5s Kd 3h 7c",
        "7s 7d 7h 7c 6d 2s",
        "3s Kd 2h 7c 2d",
        "6s Kd Kh 5c Ad",
    ):
        coup = rules.coup(cards)
        assert decided(bet, coup) is bet.verdicts[coup.outcome_index].result

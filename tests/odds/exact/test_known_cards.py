"""The odds of a round whose first cards are known agree with a slow count, and together with the odds of any round."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from punto import book
from punto.odds import Composition, figures, full_shoe, shoe_without, solve
from punto.odds.distribution import cell
from punto.odds.exact.known_cards import solve_known
from punto.odds.figures import bet_figures
from punto.rules.coup.cards import RANKS, Card, read_cards
from punto.rules.coup.space import PAIRS, End, Pairs
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import BOOKS, rest_at_night
from tests.odds import slowly

ALL = rest_at_night(BOOKS, [book("tiger-buffalo")], lambda rules: rules.id)
MAIN = ("player", "banker")


def edges(rules: Rulebook, first: str, decks: int = 8) -> dict[str, Fraction]:
    known = read_cards(first)
    dealt = solve_known(rules, known, shoe_without(rules, decks, [card for card in known if card]))
    assert dealt is not None
    return {bet: bet_figures(rule, dealt).edge for bet, rule in rules.bets.items()}


@pytest.mark.parametrize("rules", ALL)
def test_all_first_cards_together_are_any_round(rules: Rulebook) -> None:
    fresh = {bet: worth.edge for bet, worth in figures(rules, solve(rules, full_shoe(rules, 8))).bets.items()}
    by_rank = [edges(rules, f"{rank}s") for rank in RANKS]
    assert {bet: sum(each[bet] for each in by_rank) / len(RANKS) for bet in fresh} == fresh


def test_cards_that_nobody_has_seen_change_nothing() -> None:
    rules = book("tiger-buffalo")
    dealt = solve_known(rules, read_cards("?? ?? ?? ?? ?? ??"), Composition((1, 0, 0, 2, 0, 0, 1, 0, 1, 1, 0, 0, 1)))
    plain = solve(rules, Composition((1, 0, 0, 2, 0, 0, 1, 0, 1, 1, 0, 0, 1)))
    assert dealt == plain


@given(
    unseen=st.lists(st.sampled_from(RANKS), min_size=6, max_size=8),
    known=st.lists(st.none() | st.sampled_from(list(Card)), min_size=1, max_size=8),
)
@example(unseen=list("A23456"), known=[None, None, None, None, None, Card("9s")])
@example(unseen=list("A23456"), known=[None, None, None, None, Card("9s")])
@example(unseen=list("AA2233"), known=[Card("As"), Card("2s"), Card("Ad"), Card("2d")])
@settings(max_examples=examples(20))
def test_they_agree_with_a_slow_count(unseen: list[str], known: list[Card | None]) -> None:
    rules, left = book("tiger-buffalo"), [unseen.count(rank) for rank in RANKS]
    dealt = solve_known(rules, known, Composition(tuple(left)))
    assert dealt is not None
    places = (*known, *[None] * 6)[:6]
    ends: Counter[int] = Counter()
    pairs: Counter[Pairs] = Counter()
    third: Counter[int] = Counter()
    for drawn, ways in slowly.deals(dict(zip(RANKS, left, strict=True)), places.count(None)):
        turned = iter(drawn)
        kind = slowly.kind([card.rank if card else next(turned) for card in places])
        end = End.of(kind.dealt.player, kind.dealt.player_cards, kind.dealt.banker, kind.dealt.banker_cards)
        ends[end.index] += ways
        pairs[_pattern(kind.player_pair, kind.banker_pair)] += ways
        if kind.third:
            third[cell(*kind.third, end.winner)] += ways
    assert {at: ways for at, ways in enumerate(dealt.ends) if ways} == ends
    assert {at: ways for at, ways in zip(PAIRS, dealt.pairs, strict=True) if ways} == pairs
    assert {at: ways for at, ways in enumerate(dealt.third) if ways} == third


def _pattern(player: str | None, banker: str | None) -> Pairs:
    if player and banker:
        return Pairs.TWIN if player == banker else Pairs.BOTH
    return Pairs.PLAYER if player else Pairs.BANKER if banker else Pairs.NONE


def test_four_known_cards_that_end_the_round_leave_no_doubt() -> None:
    rules = book("commission")
    worth = edges(rules, "Ks 2d 9h 3c")
    assert [worth[bet] for bet in ("player", "banker", "tie")] == [-1, 1, 1]


def test_too_few_cards_for_a_round_have_no_odds() -> None:
    rules = book("commission")
    five = Composition((5,) + (0,) * 12)
    assert solve_known(rules, read_cards("9s"), five) is not None
    assert solve_known(rules, read_cards("9s ??"), Composition((4,) + (0,) * 12)) is None
    assert solve_known(rules, [], five) is None


COMMISSION = "536 491 428 323 113 76 737 1729 2153 552 552 552 552"
"""By rank: a bettor's best advantage on Player or Banker, eight decks, in hundredths of a percent."""
MAIN_ADVANTAGE = dict.fromkeys([rules.id for rules in BOOKS], COMMISSION) | {
    "da-hu-ying-xiong": "480 435 374 270 55 76 737 1729 2153 495 495 495 495",
}


@pytest.mark.parametrize("rules", ALL)
def test_a_known_first_card_favours_a_bettor_on_player_or_banker(rules: Rulebook) -> None:
    best = [-min(worth[bet] for bet in MAIN) for worth in (edges(rules, f"{rank}s") for rank in RANKS)]
    assert " ".join(str(round(each * 10_000)) for each in best) == MAIN_ADVANTAGE[rules.id]


def test_side_bets_can_be_worth_more() -> None:
    rules = book("tiger-buffalo")
    assert {bet: round(float(-edge), 4) for bet, edge in edges(rules, "6s").items() if edge < 0} == {
        "player": 0.0076,
        "banker_char_siu": 0.0777,
        "small_buffalo": 1.7875,
        "tiger_buffalo": 0.3176,
    }

"""Every side bet of the catalogue is settled, decided and counted as a second opinion does that looks at the cards."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import perm
from pathlib import Path
from random import Random

import pytest

from punto import library
from punto.odds.exact.solver import solve
from punto.odds.figures import bet_figures, edge_of
from punto.odds.shoe import Composition, full_shoe, shoe_of
from punto.rules.bets.pay_lines import BetRule, Result, Verdict, decided, verdicts_if_decided
from punto.rules.coup.cards import CARDS, RANKS
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import rest_at_night
from tests.rules.side_bets_plainly import hands, pays, returned

FILE = Path(__file__).parents[2] / "examples" / "books" / "side-bets.toml"
FAMILIES = 55
"""Numbers 1 to 56 of the catalogue; 39 stands for the bets of the shipped books."""


@cache
def side_bets() -> Rulebook:
    return library.read_file(FILE)


def _bets() -> dict[str, BetRule]:
    return {bet: rule for bet, rule in side_bets().bets.items() if bet.startswith("n")}


def _said(verdict: Verdict) -> str:
    return str(verdict.odds) if verdict.result is Result.WIN else str(verdict.result)


def _shoe(random: Random, decks: int) -> list[str]:
    cards = [*CARDS] * decks
    random.shuffle(cards)
    return cards


def test_the_catalogue_has_all_families() -> None:
    assert len({bet.partition("_")[0] for bet in _bets()}) == FAMILIES


def test_random_rounds_are_settled_as_somebody_does_who_looks_at_the_cards() -> None:
    random = Random(41)  # noqa: S311 - no secret
    seen = Counter[tuple[str, str]]()
    for _ in range(examples(400)):
        # few ranks and suits at a time, so that rare hands come too
        ranks = random.sample(RANKS, random.choice((2, 3, 6, 13)))
        suits = random.choice(("s", "hd", "sc", "shdc"))
        cards = [card for card in _shoe(random, 8) if card[0] in ranks and card[1] in suits][:6]
        cards = (cards + _shoe(random, 1))[:6]
        player, banker = hands(cards)
        coup = side_bets().coup(" ".join(cards))
        for bet, rule in _bets().items():
            said = _said(rule.verdict(coup))
            assert said == pays(bet, player, banker), (bet, str(coup))
            seen[bet, said] += 1
    assert len(seen) > 260  # of some 350 results that there are; a few of them come once in a million rounds


def test_a_bet_is_decided_when_no_card_can_change_it() -> None:
    """What is decided holds for every way the coup goes on, and what is not comes out in two ways or more."""
    random = Random(56)  # noqa: S311 - no secret
    for _ in range(examples(30)):
        cards = _shoe(random, 2)[:6]
        known = random.randrange(2, 7)
        shown = [card if random.random() < 0.8 else "??" for card in cards[:known]]
        coup = side_bets().coup(" ".join(shown))
        unknown = [at for at in range(6) if at >= known or shown[at] == "??"]
        others = [random.sample([*CARDS], len(unknown)) for _ in range(40)]
        ways = []
        for drawn in others:
            whole = [drawn[unknown.index(at)] if at in unknown else cards[at] for at in range(6)]
            ways.append(hands(whole))
        for bet, rule in _bets().items():
            result = decided(rule, coup)
            odds = {pays(bet, *way) for way in ways}
            if result is None:
                continue
            assert odds <= {_said(verdict) for verdict in verdicts_if_decided(rule, coup)}, (bet, str(coup))


def test_a_bet_on_the_first_cards_is_decided_by_them() -> None:
    rules = side_bets()
    two = rules.coup("Ks 2h Qs")
    assert decided(rules.bets["n46_player"], two) is Result.WIN
    assert decided(rules.bets["n46_banker"], two) is None
    assert decided(rules.bets["n51_a"], rules.coup("Ks 2h Qs 5d")) is Result.LOSE
    assert decided(rules.bets["n55_red"], rules.coup("Ks")) is Result.LOSE
    assert decided(rules.bets["n55_red"], rules.coup("Kh 2h")) is None
    assert decided(rules.bets["n56"], rules.coup("Kh 7h")) is Result.WIN


SMALL_SHOES = [(number, 8) for number in range(3)] + [(number, 11) for number in range(3, 15)]


@pytest.mark.parametrize(("number", "size"), [case for case in SMALL_SHOES if case[1] == 8])
def test_the_edge_from_a_small_shoe_is_that_of_all_its_deals(number: int, size: int) -> None:
    _compare_small_shoe(number, size)


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "size"), [case for case in SMALL_SHOES if case[1] != 8])
def test_the_edge_from_a_larger_shoe_is_that_of_all_its_deals(number: int, size: int) -> None:
    _compare_small_shoe(number, size)


def _compare_small_shoe(number: int, size: int) -> None:
    """All ordered deals of six cards; those of one hand's first two cards in one order only, and counted twice."""
    random, rules = Random(number), side_bets()  # noqa: S311 - no secret
    ranks, suits = random.sample(RANKS, 5), random.sample("shdc", 2)
    cards = ([card for card in _shoe(random, 3) if card[0] in ranks and card[1] in suits] + _shoe(random, 3))[:size]
    back, deals = Counter[tuple[str, str]](), 0
    for one, three in combinations(range(size), 2):
        for two, four in combinations([at for at in range(size) if at not in (one, three)], 2):
            rest = [at for at in range(size) if at not in (one, two, three, four)]
            drawn = Counter(
                (tuple(player), tuple(banker))
                for five, six in permutations(rest, 2)
                for player, banker in [hands([cards[at] for at in (one, two, three, four, five, six)])]
            )
            for (player, banker), ways in drawn.items():
                deals += 4 * ways
                for bet in _bets():
                    back[bet, pays(bet, [*player], [*banker])] += 4 * ways
    assert deals == perm(size, 6)
    dealt = solve(rules, shoe_of(rules, 8, [CARDS[card] for card in cards]))
    for bet, rule in _bets().items():
        assert edge_of(rule, dealt) == 1 - _mean(back, bet) / deals, (bet, cards)


def _mean(back: Counter[tuple[str, str]], bet: str) -> Fraction:
    """What one unit on the bet brought back, over all deals together."""
    return sum((ways * returned(odds) for (each, odds), ways in back.items() if each == bet), Fraction())


def _whole_deck(bets: list[str], banker_hands: int | None = None) -> None:
    """The edge from one full deck, over Player's first two cards and so many of Banker's, or all of them."""
    rules, deck = side_bets(), [*CARDS]
    back, deals = Counter[tuple[str, str]](), 0
    for player in combinations(deck, 2):
        rest = [card for card in deck if card not in player]
        for banker in [*combinations(rest, 2)][:banker_hands]:
            deals += 1
            for bet in bets:
                back[bet, pays(bet, [*player], [*banker])] += 1
    dealt = solve(rules, full_shoe(rules, 1), bets)
    for bet in bets:
        assert edge_of(rules.bets[bet], dealt) == 1 - _mean(back, bet) / deals, bet


PLAYERS_TWO = ["n45_player", "n46_player", "n47_player", "n48_player", "n49_player", "n50"]
FIRST_FOUR = ["n40_player", "n41", "n42", "n44", "n47_either", "n51_a", "n51_b", "n52"]


def test_bets_on_two_cards_from_one_deck() -> None:
    _whole_deck(PLAYERS_TWO, banker_hands=1)


@pytest.mark.nightly
def test_bets_on_four_cards_from_one_deck() -> None:
    _whole_deck(FIRST_FOUR)


def test_the_published_count_of_two_suited_eights() -> None:
    """Both hands a three-card 8, each of one suit, from eight decks."""
    rules = side_bets()
    dealt = solve(rules, full_shoe(rules, 8), ["n54_player", "n54_banker"])
    assert dealt.lines["n54_player"][0] == dealt.lines["n54_banker"][0] == 38_708_182_784
    assert sum(dealt.lines["n54_player"]) == dealt.total


PUBLISHED = {
    "n05_player": "2.65",
    "n05_banker": "9.37",
    "n06": "7.6113",
    "n07": "10.1876",
    "n13": "21.7887",
    "n43": "8.682",
    "n46_player": "6.4597",
    "n50": "7.4699",
    "n51_b": "8.27",
    "n52": "15.8026",
    "n55_red": "14",
}


@pytest.mark.parametrize("bet", PUBLISHED)
def test_published_edges_come_out(bet: str) -> None:
    rules = side_bets()
    edge = edge_of(rules.bets[bet], solve(rules, full_shoe(rules, 8), [bet]))
    places = len(PUBLISHED[bet].partition(".")[2])
    assert f"{float(edge) * 100:.{places}f}" == PUBLISHED[bet]


def test_figures_of_a_card_bet_have_a_chance_for_each_line() -> None:
    rules = side_bets()
    figures = bet_figures(rules.bets["n48_player"], solve(rules, full_shoe(rules, 8), ["n48_player"]))
    assert [line.odds for line in figures.lines] == ["7", "4", "1", None]
    assert sum(line.chance for line in figures.lines) == 1
    assert figures.lines[0].chance == Fraction(7, 415)


@pytest.mark.parametrize("bet", rest_at_night(["n46_player", "n55_red"], ["n46_player"]))
def test_a_card_that_is_gone_changes_the_edge(bet: str) -> None:
    rules = side_bets()
    fresh = full_shoe(rules, 8)
    edges = {edge_of(rules.bets[bet], solve(rules, shoe, [bet])) for shoe in (fresh, fresh.less_card(CARDS["Kh"]))}
    assert len(edges) == 2
    assert Composition(fresh.ranks).by_card() == fresh.by_card()

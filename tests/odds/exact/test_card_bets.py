"""Exact figures of bets on single cards that need more than one shoe: covariances, removal, cards that are known."""

from fractions import Fraction
from itertools import permutations
from pathlib import Path

from punto import library
from punto.odds.exact.covariance import Covariances
from punto.odds.exact.known_cards import solve_known
from punto.odds.exact.removal import removal
from punto.odds.exact.solver import solve
from punto.odds.figures import edge_of
from punto.odds.shoe import full_shoe, shoe_of
from punto.rules.coup.cards import CARDS
from tests.rules.side_bets_plainly import hands, pays, returned

RULES = library.read_file(Path(__file__).parents[3] / "examples" / "books" / "perfect-pair.toml")
LEFT = ("7h", "7h", "Kd", "3d", "9s", "9s", "2h")
NAMES = {"perfect_pair": "n44_", "all_red": "n55_red", "banker_pair": "n40_banker"}


def returns(cards: tuple[str, ...]) -> dict[str, Fraction]:
    """What each bet brings back, by looking at the cards."""
    player, banker = hands(cards)
    return {bet: returned(pays(name, player, banker)) for bet, name in NAMES.items()}


def test_bets_on_the_same_cards_vary_together_as_over_all_deals() -> None:
    deals = [returns(deal) for deal in permutations(LEFT, 6)]
    means = {bet: sum(each[bet] for each in deals) / len(deals) for bet in NAMES}
    covariances = Covariances(RULES, shoe_of(RULES, 8, [CARDS[card] for card in LEFT]))
    for one in NAMES:
        assert covariances.mean((one, None)) == means[one]
        for other in NAMES:
            wanted = sum((each[one] - means[one]) * (each[other] - means[other]) for each in deals) / len(deals)
            assert covariances.of((one, None), (other, None)) == wanted, (one, other)


def test_cards_that_are_known_are_not_dealt_again() -> None:
    rest = [CARDS[card] for card in LEFT[1:]]
    known = (CARDS[LEFT[0]], None)
    dealt = solve_known(RULES, known, shoe_of(RULES, 8, rest))
    assert dealt is not None
    deals = [returns((LEFT[0], *deal)) for deal in permutations(LEFT[1:], 5)]
    for bet in ("perfect_pair", "all_red"):
        assert sum(dealt.lines[bet]) == dealt.total == len(deals)
        assert 1 - edge_of(RULES.bets[bet], dealt) == sum(each[bet] for each in deals) / len(deals)


def test_removing_a_rank_removes_any_of_its_cards() -> None:
    """Every suit of a full shoe is as likely, so it is the mean of removing each."""
    shoe = full_shoe(RULES, 4)
    effects = removal(RULES, shoe, ["perfect_pair"]).bets["perfect_pair"]
    rule = RULES.bets["perfect_pair"]
    after = [edge_of(rule, solve(RULES, shoe.less_card(CARDS[f"8{suit}"]), [rule.id])) for suit in "shdc"]
    assert effects.by_rank["8"] == effects.edge - sum(after) / 4

"""The reason why a bet won or lost names the right pay line, for every end and every pair pattern."""

# ruff: noqa: RUF001 - Chinese has a comma of its own

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.library import book, book_ids
from punto.rules.bets.conditions import merge, when_phrase
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result, When, WhenPairs
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Pairs, Winner
from punto.web.messages import Settled
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.bets import pays
from punto.web.pages.parts.reasons import why

EN = TRANSLATORS["en"]
VALUES = {value: RANKS[value - 1] if value else "K" for value in range(10)}


def settled(bet: str, result: Result, stage: Stage | None = None) -> Settled:
    """The result of a bet of 100.00."""
    return Settled(who="ann", box=1, bet=bet, stake_minor=100, result=result, returned_minor=0, clauses=(), stage=stage)


def coups(game: str) -> list[Coup]:
    """Finished coups of all kinds: every two-card total of both hands, some third cards, and the pairs."""
    rules, found = book(game), []
    for player in range(10):
        for banker in range(10):
            for fifth in (0, 1, 6, 9):
                for sixth in (0, 2, 6):
                    text = f"Ks Kd {VALUES[player]}s {VALUES[banker]}d {VALUES[fifth]}h {VALUES[sixth]}c"
                    found.append(rules.coup(text))
    return found + [rules.coup(text) for text in ("3s 4d 3h 4c 2s 2d", "3s 3d 3h 3c 2s 2d", "3s 4d 3h 5c 2s 2d")]


def holds(when: When | WhenPairs, coup: Coup) -> bool:
    return coup.outcome.pairs in when.patterns if isinstance(when, WhenPairs) else when.matches(coup.outcome.end)


@pytest.mark.parametrize("game", book_ids())
def test_the_line_told_is_the_one_that_the_coup_came_to(game: str) -> None:
    rules, told = book(game), 0
    for coup in coups(game):
        assert coup.finished
        for bet, rule in rules.bets.items():
            verdict = rule.verdicts[coup.outcome_index]
            said = why(rules, coup, settled(bet, verdict.result), EN)
            if verdict.result is not Result.WIN:
                continue
            lines = [line for line in rule.pays if EN("why.pays_when", when=when_phrase(line.when)) in said]
            assert len(lines) == 1, (bet, said)
            (line,) = lines
            assert line.verdict == verdict
            assert holds(line.when, coup), (bet, str(coup), said)
            told += 1
    assert told > 500


def test_a_tiger_buffalo_won_by_player_is_said_to_be_player_s() -> None:
    rules = book("tiger-buffalo")
    coup = next(
        each for each in coups("tiger-buffalo") if each.winner is Winner.PLAYER and each.outcome.end.player == 6
    )
    assert "Player wins on 6" in why(rules, coup, settled("tiger_buffalo", Result.WIN), EN)


@pytest.mark.parametrize("language", TRANSLATORS)
@pytest.mark.parametrize("game", [game for game in book_ids() if book(game).insurance is not None])
def test_insurance_is_said_as_its_line_has_it(game: str, language: Language) -> None:
    rules = book(game)
    assert rules.insurance is not None
    seen = set()
    for coup in coups(game):
        for line in rules.insurance.offers(coup):
            t, verdict = TRANSLATORS[language], line.verdicts[coup.winner]
            said = why(rules, coup, settled(f"{line.side}_insurance", verdict.result, line.stage), t)
            ends = {
                (True, Result.WIN): t("why.insured_tie_pays", clauses=line.tied),
                (True, Result.PUSH): t("why.insured_tie_returns"),
                (False, Result.WIN): t("why.insured_loses", side=line.side.value),
                (False, Result.LOSE): t("why.insured_wins", side=line.side.value),
            }
            key = (coup.winner is Winner.TIE, verdict.result)
            assert said.endswith(ends[key]), said
            seen.add(key)
    assert len(seen) >= 3


BANKER_PAYS = {
    "commission": ("1 to 1 less 5%", "1赔1，抽佣5%"),
    "da-hu-ying-xiong": ("1 to 1; 1 to 2 if Banker wins on 6", "1赔1，庄6点赢赔一半"),
}


@pytest.mark.parametrize("game", BANKER_PAYS)
def test_what_banker_pays(game: str) -> None:
    rule = book(game).bets["banker"]
    assert tuple(pays(rule, t) for t in TRANSLATORS.values()) == BANKER_PAYS[game]


def test_what_bets_with_several_lines_pay() -> None:
    bets = book("da-hu-ying-xiong").bets
    assert [pays(bets["tiger_pair"], t) for t in TRANSLATORS.values()] == ["4, 20 or 100 to 1", "1赔4、20或100"]
    assert [pays(bets["tiger_tie"], t) for t in TRANSLATORS.values()] == ["35 to 1", "1赔35"]


LOST = {
    ("da-hu-ying-xiong", "banker"): ("It pays when Banker wins.", "庄赢时赔付。"),
    ("da-hu-ying-xiong", "tiger"): ("It pays when Banker wins on 6.", "庄6点赢时赔付。"),
    ("da-hu-ying-xiong", "big_tiger"): ("It pays when Banker wins on 6 with 3 cards.", "庄3张牌6点赢时赔付。"),
    ("da-hu-ying-xiong", "tiger_pair"): (
        "It pays when at least one hand starts with a pair.",
        "至少一方首两张牌成对时赔付。",
    ),
    ("tiger-buffalo", "banker_char_siu"): (
        "It pays when Banker wins on 7, 8 or 9 by 1 point.",
        "庄以7、8或9点、比对方多1点获胜时赔付。",
    ),
    ("tiger-buffalo", "tiger_buffalo"): (
        "It pays when Banker wins on 6. It also pays when Player wins on 6.",
        "庄6点赢时赔付。闲6点赢时也赔付。",
    ),
}


@pytest.mark.parametrize(("game", "bet"), LOST)
def test_a_lost_bet_says_what_would_have_won(game: str, bet: str) -> None:
    rules = book(game)
    lost, coup = settled(bet, Result.LOSE), rules.coup("9s 2d Kh 5c")
    english, chinese = LOST[game, bet]
    assert why(rules, coup, lost, EN) == f"Player wins 9 to 7. {english}"
    assert why(rules, coup, lost, TRANSLATORS["zh"]) == f"闲赢，9比7。{chinese}"


@pytest.mark.parametrize("game", book_ids())
def test_merged_conditions_cover_the_same_coups(game: str) -> None:
    for rule in book(game).bets.values():
        whens = tuple(line.when for line in rule.pays if line.verdict.result is Result.WIN)
        merged = merge(whens)
        assert len(merged) <= len(whens)
        for coup in coups(game):
            assert any(holds(when, coup) for when in whens) == any(holds(when, coup) for when in merged)


def test_a_bet_that_the_book_no_longer_has_gets_no_reason() -> None:
    rules = book("commission")
    assert not why(rules, rules.coup("9s 2d Kh 3c"), settled("tiger", Result.WIN), EN)
    assert why(rules, rules.coup("9s 2d Kh 3c"), settled("tie", Result.LOSE), EN)


def test_conditions_that_leave_a_gap_stay_apart() -> None:
    with_cards = tuple(When(Winner.BANKER, frozenset({7}), margin=1, cards=cards) for cards in (4, 6))
    assert merge(with_cards) == with_cards
    twin_or_one = (WhenPairs(frozenset({Pairs.TWIN})), WhenPairs(frozenset({Pairs.PLAYER, Pairs.BANKER})))
    assert merge(twin_or_one) == twin_or_one
    (phrase,) = map(when_phrase, with_cards[:1])
    assert EN.write(phrase) == "Banker wins on 7 by 1 point, with 4 cards in all"


@pytest.mark.parametrize(
    ("rounded_minor", "english", "chinese"),
    [
        (375, "so 3.75 more was paid.", "因此多付3.75。"),
        (-125, "cannot pay the last 1.25, which was not paid.", "付不出最后的1.25，未予支付。"),
    ],
)
@pytest.mark.parametrize("stage", [None, Stage.FOUR])
def test_what_the_smallest_chip_changed_is_told(
    stage: Stage | None, rounded_minor: int, english: str, chinese: str
) -> None:
    rules = book("commission-insurance")
    coup = rules.coup("As 2s Ad 3d 7h 2h")  # Player 9, Banker 7
    bet = "banker_insurance" if stage else "player"
    result = replace(settled(bet, Result.WIN, stage), rounded_minor=rounded_minor)
    assert why(rules, coup, result, EN).endswith(english)
    assert why(rules, coup, result, TRANSLATORS["zh"]).endswith(chinese)
    assert english not in why(rules, coup, replace(result, rounded_minor=0), EN)

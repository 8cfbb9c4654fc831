"""The reason why a bet won or lost is the fact that decided it, for every end and every pair pattern."""

# ruff: noqa: RUF001 - Chinese has a comma of its own

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.catalogue.values import Odds
from punto.library import book, book_ids
from punto.rules.bets.condition import Condition
from punto.rules.bets.conditions import merge, when_phrase
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import PayLine, Result, When, WhenPairs
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Pairs, Winner
from punto.web.messages import Settled
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.parts.bets import pays
from punto.web.words.result_reasons import why

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


def holds(when: When | WhenPairs | Condition, coup: Coup) -> bool:
    return coup.outcome.pairs in when.patterns if isinstance(when, WhenPairs) else when.matches(coup.outcome.end)


@pytest.mark.parametrize("language", TRANSLATORS)
@pytest.mark.parametrize("game", book_ids())
def test_every_result_is_told_by_the_fact_that_decided_it(game: str, language: Language) -> None:
    rules, t, told = book(game), TRANSLATORS[language], 0
    for coup in (*coups(game)[::7], *coups(game)[-3:]):
        assert coup.finished
        for bet, rule in rules.bets.items():
            verdict = rule.verdicts[coup.outcome_index]
            said = why(rules, coup, settled(bet, verdict.result), t)
            assert "{" not in said
            if rule.over_pairs:
                hands = {"player_pair": "player", "banker_pair": "banker"}.get(bet, "player banker").split()
                for hand in hands:
                    ranks = [card[:-1].replace("T", "10") for card in hand_of(coup, hand)]
                    found = "why.pair" if ranks[0] == ranks[1] else "why.no_pair"
                    assert t(found, side=hand, cards=tuple(ranks)) in said, (bet, str(coup), said)
            else:
                end = coup.outcome.end
                losing, winning = sorted((end.player, end.banker))
                score = t("why.result", outcome=end.winner, winning=winning, losing=losing)
                assert said.startswith(score[:-1]), (bet, said)
            lines = [line for line in rule.pays if pays_odds(line, t) in said]
            several = len({line.verdict.odds for line in rule.pays if line.verdict.odds}) > 1
            assert len(lines) == (several and verdict.result is Result.WIN), (bet, said)
            for line in lines:
                assert line.verdict == verdict
                assert holds(line.when, coup), (bet, str(coup), said)
            told += 1
    assert told > 800


def hand_of(coup: Coup, side: str) -> list[str]:
    """The first two cards of a hand, as texts."""
    cards = str(coup).split()
    return cards[0 if side == "player" else 1 : 4 : 2]


def pays_odds(line: PayLine, t: Translator) -> str:
    return t("why.pays_odds_when", odds=Odds(line.verdict.odds_text), when=when_phrase(line.when))


def test_a_tiger_buffalo_won_by_player_is_said_to_be_player_s() -> None:
    rules = book("tiger-buffalo")
    coup = next(
        each for each in coups("tiger-buffalo") if each.winner is Winner.PLAYER and each.outcome.end.player == 6
    )
    losing = coup.outcome.end.banker
    assert why(rules, coup, settled("tiger_buffalo", Result.WIN), EN) == f"Player wins 6 to {losing}."


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


FACTS = {
    ("commission", "player", "9s 2d Kh 5c"): ("Player wins 9 to 7.", "闲赢，9比7。"),
    ("commission", "banker", "9s 2d Kh 5c"): ("Player wins 9 to 7.", "闲赢，9比7。"),
    ("commission", "banker", "9s 9d Kh Kc"): ("Tie 9 to 9. A tie returns this bet.", "和局，9比9。和局退回此注。"),
    ("commission", "tie", "9s 2d Kh 5c"): ("Player wins 9 to 7: no tie.", "闲赢，9比7，不是和局。"),
    ("commission", "player_pair", "Ts 2d 6h 5c 2h"): (
        "Player's first two cards: 10 and 6, no pair.",
        "闲首两张牌：10和6，不成对。",
    ),
    ("commission", "banker_pair", "9s Kd Ah Kc 9c 9d"): (
        "Banker's first two cards: K and K, a pair.",
        "庄首两张牌：K和K，成对。",
    ),
    ("da-hu-ying-xiong", "banker", "9s 2d Kh 5c"): ("Player wins 9 to 7.", "闲赢，9比7。"),
    ("da-hu-ying-xiong", "banker", "Ks 2d 2h 4c As"): (
        "Banker wins 6 to 3. It pays 1 to 2 when Banker wins on 6.",
        "庄赢，6比3。庄6点赢时赔一半。",
    ),
    ("da-hu-ying-xiong", "tiger", "Ks 2d 2h 5c As"): (
        "Banker wins 7 to 3. It pays when Banker wins on 6.",
        "庄赢，7比3。庄6点赢时赔付。",
    ),
    ("da-hu-ying-xiong", "big_tiger", "Ks 2d 2h 4c As"): (
        "Banker wins 6 to 3, with 2 cards. It pays when Banker wins on 6 with 3 cards.",
        "庄赢，6比3，2张牌。庄3张牌6点赢时赔付。",
    ),
    ("da-hu-ying-xiong", "small_tiger", "Ks 2d 2h 4c As"): ("Banker wins 6 to 3, with 2 cards.", "庄赢，6比3，2张牌。"),
    ("da-hu-ying-xiong", "tiger_tie", "7s 7d Kh Kc"): (
        "Tie 7 to 7. It pays when the hands tie on 6.",
        "和局，7比7。双方6点和局时赔付。",
    ),
    ("da-hu-ying-xiong", "tiger_pair", "9s 2d Kh 5c"): (
        "Player's first two cards: 9 and K, no pair. Banker's first two cards: 2 and 5, no pair.",
        "闲首两张牌：9和K，不成对。庄首两张牌：2和5，不成对。",
    ),
    ("da-hu-ying-xiong", "tiger_pair", "4s 2d 4h 5c"): (
        "Player's first two cards: 4 and 4, a pair. Banker's first two cards: 2 and 5, no pair. "  # noqa: ISC004
        "It pays 4 to 1 when only one hand starts with a pair.",
        "闲首两张牌：4和4，成对。庄首两张牌：2和5，不成对。仅一方首两张牌成对时1赔4。",
    ),
    ("tiger-buffalo", "banker_char_siu", "5s 8d Kh Kc"): (
        "Banker wins 8 to 5, by 3 points. It pays when Banker wins on 7, 8 or 9 by 1 point.",
        "庄赢，8比5，多3点。庄以7、8或9点、比对方多1点获胜时赔付。",
    ),
    ("tiger-buffalo", "player_char_siu", "5s 8d Kh Kc"): (
        "Banker wins 8 to 5. It pays when Player wins on 7, 8 or 9 by 1 point.",
        "庄赢，8比5。闲以7、8或9点、比对方多1点获胜时赔付。",
    ),
    ("tiger-buffalo", "banker_char_siu", "7s 8d Kh Kc"): (
        "Banker wins 8 to 7, by 1 point, with 4 cards in all. "  # noqa: ISC004
        "It pays 10 to 1 when Banker wins on 7, 8 or 9 by 1 point, with 4 cards in all.",
        "庄赢，8比7，多1点、双方共4张牌。庄以7、8或9点、比对方多1点获胜且双方共4张牌时1赔10。",
    ),
    ("tiger-buffalo", "tiger_buffalo", "9s 2d Kh 5c"): (
        "Player wins 9 to 7. It pays when Banker wins on 6. It also pays when Player wins on 6.",
        "闲赢，9比7。庄6点赢时赔付。闲6点赢时也赔付。",
    ),
}


@pytest.mark.parametrize(("game", "bet", "cards"), FACTS)
def test_the_fact_comes_first_and_then_the_line_it_met_or_missed(game: str, bet: str, cards: str) -> None:
    rules = book(game)
    coup = rules.coup(cards)
    result = settled(bet, rules.bets[bet].verdicts[coup.outcome_index].result)
    assert tuple(why(rules, coup, result, t) for t in TRANSLATORS.values()) == FACTS[game, bet, cards]


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

"""Why a bet won or lost, in words: the line that the coup came to, over every end and every pair pattern."""

import pytest

from punto.library import book, book_ids
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result, WhenPairs
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.web.messages import Settled
from punto.web.pages.base.i18n import TONGUES, Language
from punto.web.pages.parts.reasons import say_when, why

EN = TONGUES["en"]
VALUES = {value: RANKS[value - 1] if value else "K" for value in range(10)}


def settled(bet: str, result: Result, stage: Stage | None = None) -> Settled:
    """What became of a bet of a hundred."""
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
            lines = [line for line in rule.pays if f"It pays when {say_when(line.when, EN)}." in said]
            assert len(lines) == 1, (bet, said)
            (line,) = lines
            assert line.verdict == verdict
            matched = (
                coup.outcome.pairs in line.when.patterns
                if isinstance(line.when, WhenPairs)
                else line.when.matches(coup.outcome.end)
            )
            assert matched, (bet, str(coup), said)
            told += 1
    assert told > 500


def test_a_tiger_buffalo_won_by_player_is_said_to_be_player_s() -> None:
    rules = book("tiger-buffalo")
    coup = next(
        each for each in coups("tiger-buffalo") if each.winner is Winner.PLAYER and each.outcome.end.player == 6
    )
    assert "Player wins on 6" in why(rules, coup, settled("tiger_buffalo", Result.WIN), EN)


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("game", [game for game in book_ids() if book(game).insurance is not None])
def test_insurance_is_said_as_its_line_has_it(game: str, language: Language) -> None:
    rules = book(game)
    assert rules.insurance is not None
    seen = set()
    for coup in coups(game):
        for line in rules.insurance.offers(coup):
            verdict = line.verdicts[coup.winner]
            said = why(rules, coup, settled(f"{line.side}_insurance", verdict.result, line.stage), TONGUES[language])
            t = TONGUES[language]
            side = t(line.side.capitalize())
            ends = {
                (True, Result.WIN): t("The hands tie, and this line pays on a tie."),
                (True, Result.PUSH): t("The hands tie: it goes back."),
                (False, Result.WIN): t("{side} loses: it pays.", side=side),
                (False, Result.LOSE): t("{side} wins: it is lost.", side=side),
            }
            key = (coup.winner is Winner.TIE, verdict.result)
            assert said.endswith(ends[key]), said
            seen.add(key)
    assert len(seen) >= 3

"""The summaries of clauses keep the conditions under which a clause holds, in both languages."""

import pytest

from punto.catalogue.sentence import LANGUAGES, Language
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import BOOKS

CONDITIONS: dict[tuple[Topic, Language], tuple[str, ...]] = {
    (Topic.BOX_BALANCE, "en"): ("Where applicable,", "in that round"),
    (Topic.BOX_BALANCE, "zh"): ("在适用的情况下", "该局"),
    (Topic.SQUEEZE, "en"): (
        "permission",
        "face down",
        "seated player with the highest bet",
        "before that card is dealt",
    ),
    (Topic.SQUEEZE, "zh"): ("准许", "暗牌", "投注最高的入座玩家", "发出之前"),
    (Topic.BELOW_MINIMUM, "en"): ("before betting closes", "must be met", "raise or withdraw"),
    (Topic.BELOW_MINIMUM, "zh"): ("停止下注前", "必须达到最低注额", "加注或撤回"),
    (Topic.EXCESS_CARDS, "en"): ("as applicable", "Only the house decides"),
    (Topic.EXCESS_CARDS, "zh"): ("视情况", "由赌场全权决定"),
    (Topic.WRONG_SIDE, "en"): ("the wrong side or the wrong person", "before play goes on", "unless an outcome"),
    (Topic.WRONG_SIDE, "zh"): ("一方或发给了错的人", "须先还原", "除外"),
    (Topic.REPLACE_SHOE, "en"): ("After cards drawn at the same time,", "pit supervisor or above"),
    (Topic.REPLACE_SHOE, "zh"): ("同时抽出多张牌后", "监台主任或以上"),
    (Topic.UNINSURED_BET, "en"): ("noticed", "had intended to insure", "would have won", "does not apply"),
    (Topic.UNINSURED_BET, "zh"): ("发现", "原本打算", "会赢", "不适用"),
}
"""Words that the summaries of a topic's clauses must have, in every book that has the topic."""


@pytest.mark.parametrize(("topic", "language"), CONDITIONS)
@pytest.mark.parametrize("rules", BOOKS, ids=lambda each: each.id)
def test_a_summary_keeps_the_conditions_of_its_clause(rules: Rulebook, topic: Topic, language: Language) -> None:
    summaries = _summaries(rules, topic, language)
    assert [words for words in CONDITIONS[topic, language] if summaries and words not in summaries] == []


def _summaries(rules: Rulebook, topic: Topic, language: Language) -> str:
    return " ".join(rules.summary(clause, language) for clause in rules.topics[topic])


LOWER: dict[Language, tuple[str, ...]] = {
    "en": ("differential limit or the maximum of a main bet", "whichever is lower"),
    "zh": ("差额限额与主注最高注额", "较低"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cap_that_depends_on_the_maximum_says_which_one(language: Language) -> None:
    """A share of the maximum permissible limit is one of the differential limit, if that is lower."""
    shares = [rules for rules in BOOKS if rules.insurance and rules.insurance.cap.share_of_maximum]
    assert [rules.id for rules in shares] == ["da-hu-ying-xiong", "tiger-buffalo"]
    for rules in shares:
        summaries = _summaries(rules, Topic.INSURANCE_CAP, language)
        assert all(words in summaries for words in LOWER[language]), rules.id


@pytest.mark.parametrize("rules", BOOKS, ids=lambda each: each.id)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_side_bet_is_called_one_where_its_book_does(rules: Rulebook, language: Language) -> None:
    """The books call all of them side bets, except the pairs of three books."""
    called = {"en": "side bet", "zh": "边注"}[language]
    mains = {"player", "banker", "tie"}
    unsaid = {each.id for each in rules.bets.values() if called not in rules.summary(each.clause, language)} - mains
    pairs = {"tiger_pair"} if "tiger_pair" in rules.bets else {"player_pair", "banker_pair"}
    assert unsaid == (set() if rules.id == "tiger-buffalo" else pairs)

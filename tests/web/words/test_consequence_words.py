"""What would follow from a command, as people read it."""

import pytest

from punto import book
from punto.catalogue.sentence import Language
from punto.rules.coup.cards import Face, read_cards
from punto.rules.coup.table_of_play import Side
from punto.table.consequences import Consequences, consequences
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.corrections import CorrectCard
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import STAFF, Position
from punto.web.messages import Told
from punto.web.words.consequence_words import tell, who_may, write_cards
from punto.web.words.translator import TRANSLATORS
from tests.table.open_rounds import (
    Reach,
    dealt,
    insurance_missed,
    irregularity_raised,
    options_open,
    order_lost,
    settled,
)
from tests.table.tables import DEALER, MANAGER, SHIFT, SUPERVISOR, dealing

RULES = book("commission-insurance")


def told(reach: Reach, command: Command, language: Language = "en") -> Told:
    found = consequences(RULES, reach(RULES).table, command)
    assert isinstance(found, Consequences), found
    return tell(found, command, TRANSLATORS[language], {})


def test_a_dealing_error_in_words() -> None:
    words = told(dealt(2), reports.ReportDealingError(*DEALER, "it fell"))
    assert words.title == "Report a dealing error"
    assert words.follows == (
        "On record: a dealing error.",
        "These players choose whether to play on: ann, ben and cat.",
    )
    assert words.as_dealt == "As dealt: Player A♠; Banker 2♠."
    assert words.choosing[0] == "ann: play on, or take 100 back."
    assert (words.who_may, words.then, words.then_who) == (
        "pit supervisor or above",
        "The players choose.",
        "player, dealer, pit supervisor or pit manager",
    )
    assert words.say == words.say_in["en"]
    assert words.say_in["zh"].startswith("发牌有误")


def test_an_outcome_that_is_decided_and_how_everybody_ends() -> None:
    words = told(irregularity_raised, reports.ReportExcessCard(*DEALER, read_cards("5h")))
    assert words.established.startswith("Already decided: ")
    assert words.finished == "The result: Player wins 9 to 5."
    assert "ben: staked 50, gets 100." in words.endings
    assert words.say == "The round goes on."


def test_the_orders_of_two_cards() -> None:
    words = told(order_lost, reports.ReplaceShoe(*DEALER, "another", 8))
    assert words.orders == (
        "Drawn as 5♥ 6♥: Player 5♥; Banker 6♥. More cards are needed.",
        "Drawn as 6♥ 5♥: Player 6♥; Banker 5♥. More cards are needed.",
    )
    assert words.say == "One moment, please. A supervisor decides which card came first."


def test_options_that_a_corrected_card_gives_and_takes() -> None:
    """Beside Player's 4, a three decides that Banker cannot win on 6, and an ace leaves it open."""
    rules = book("da-hu-ying-xiong")
    evening = dealing(rules).deal("4s 2d")
    evening.do(reports.ReportExcessCard(*SUPERVISOR, read_cards("3h")))
    for card, follows, say in (
        ("Ah", "These players choose whether to play on: ann.", "There was an error in dealing."),
        ("3h", "An outcome was established, so nobody chooses.", "There is nothing to choose. The round goes on."),
    ):
        command = CorrectCard(*SUPERVISOR, "s1", 2, Face(card))
        found = consequences(rules, evening.table, command)
        assert isinstance(found, Consequences), found
        words = tell(found, command, TRANSLATORS["en"], {})
        assert follows in words.follows
        assert words.say.startswith(say)
        evening.do(command)


def test_money_by_bet_and_by_player() -> None:
    words = told(settled, reports.ReportWrongNumber(*DEALER, reason="a seventh card"))
    assert words.money == (
        "ann, box 1, Banker: gets 100.",
        "ben, box 2, Player: gives 50.",
        "cat, box 3, Tie: gets 5.",
    )
    assert words.balances[1] == "ben: 10,050 before, 10,000 after."
    assert words.say == "This round is void. All bets are returned."


@pytest.mark.parametrize(
    ("reach", "command", "say"),
    [
        (dealt(2), reports.ReportLateBet(*DEALER, "ann", 1, "tie", Late.PLACED, 5), "Late bet. No more bets."),
        (options_open, reports.CallTime(*SUPERVISOR), "Time, please. All other bets play on."),
        (options_open, reports.ChooseOption(*DEALER, "ann", Choice.CONTINUE), "There was an error in dealing."),
        (dealt(2), reports.Rule(*SHIFT, "a bird", Effect.CONTINUE), "The round goes on."),
        (dealt(2), reports.Rule(*SHIFT, "a bird", Effect.ADJUST, amounts={"ann": 1}), "By a ruling of the house"),
        (
            insurance_missed,
            reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "so"),
            "Insurance",
        ),
        (irregularity_raised, reports.DismissIrregularity(*SUPERVISOR, "misread"), "The round goes on."),
    ],
)
def test_there_is_something_to_say_at_each_step(reach: Reach, command: Command, say: str) -> None:
    assert told(reach, command).say.startswith(say)
    assert told(reach, command, "zh").say


def test_positions_in_words() -> None:
    t = TRANSLATORS["en"]
    assert who_may(STAFF[1:], t) == "pit supervisor or above"
    assert who_may(STAFF[-1:], t) == "casino manager"
    assert who_may((Position.PLAYER, *STAFF[:2]), t) == "player, dealer or pit supervisor"
    assert who_may((), t) == ""


def test_cards_are_written_as_signs() -> None:
    assert write_cards((*read_cards("Th ?? 2c"), read_cards("As")[0]), TRANSLATORS["zh"]) == "10♥ ? 2♣ A♠"
    assert write_cards((), TRANSLATORS["en"]) == "no card"

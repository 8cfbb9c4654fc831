"""A visitor who does not play is warned before they lose their box, and told afterwards why."""

from punto.floor.people.sessions.visitors import IDLE_ROUNDS
from tests.floor.playing import DEALER, At, betting_table, player
from tests.web.page_tree import read_page
from tests.web.serving import Server

WARNED = "You have not played for 9 rounds. Bet in this round, or your box becomes free."
FREED = "Your box was freed, because you had not played for 10 rounds. Your chips are still yours."


def next_round(served: Server, at: At) -> None:
    served.run(at.do(DEALER, "cancel_round"))
    served.run(at.do(DEALER, "open_betting"))


def test_who_does_not_play_is_warned_in_the_round_before_and_told_why(served: Server) -> None:
    at = served.run(betting_table(served.floor, "t1"))
    vera = served.client(served.visitor("vera"))
    served.chips("t1", "vera", 500_00)
    served.run(at.do(player("vera"), "sit", who="vera", box=3))

    def box() -> str:
        return read_page(vera, "/tables/t1", "en").id("box").words

    for _ in range(IDLE_ROUNDS - 2):
        next_round(served, at)
    assert WARNED not in box()
    next_round(served, at)
    assert WARNED in box()
    assert "您已有9局没有参与" in read_page(vera, "/tables/t1", "zh").id("box").words
    served.run(at.do(player("vera"), "place_bet", who="vera", box=3, bet="banker", stake_minor=100_00))
    assert WARNED not in box()
    served.run(at.do(player("vera"), "withdraw_bet", who="vera", box=3, bet="banker", amount_minor=100_00))
    assert WARNED not in box()
    for _ in range(IDLE_ROUNDS):
        next_round(served, at)
    served.floor.tables["t1"].held = True
    served.run(served.service.visitors.free_boxes())
    assert 3 not in served.floor.tables["t1"].state.seats
    assert FREED in box()
    served.run(at.do(player("vera"), "sit", who="vera", box=3))
    assert FREED not in box()


def test_a_new_process_reads_who_was_freed_from_the_journal(served: Server) -> None:
    at = served.run(betting_table(served.floor, "t1"))
    vera = served.client(served.visitor("vera"))
    served.chips("t1", "vera", 500_00)
    served.run(at.do(player("vera"), "sit", who="vera", box=3))
    for _ in range(IDLE_ROUNDS):
        next_round(served, at)
    served.floor.tables["t1"].held = True
    served.run(served.service.visitors.free_boxes())
    assert FREED in read_page(vera, "/tables/t1", "en").id("box").words  # the page's first look at the table

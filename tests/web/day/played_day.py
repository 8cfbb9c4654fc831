"""The day: twenty tables over five games in three shifts, with everything that can move chips."""

from collections.abc import Callable

from tests.web.day.felt import Bet, Felt
from tests.web.day.staff import House
from tests.web.day.staffed_day import TABLES, StaffedDay

UNINSURED = ("As", "2s", "Ad", "3d", "5h", "9h")
"""Player 2, Banker 5: insurance on Banker is due and would win, because Player wins 7 to 4."""


class PlayedDay(StaffedDay):
    def __init__(self, house: House, midway: Callable[[], None]) -> None:
        """``midway`` is called once, while a round is open."""
        super().__init__(house)
        self._midway = midway
        self._owed_minor: dict[int, int] = {}
        """By table, what somebody behind box 5 owes."""

    def play(self) -> None:
        self.open()
        self._shift_1()
        self.change_shift(2, "b", "sam")
        self._shift_2()
        self.change_shift(3, "a", "sue")
        self._shift_3()
        self.close()

    # ---- the first shift

    def _shift_1(self) -> None:
        self.all_plain()
        self._slips()
        for number in range(TABLES):
            self._assumed(number)
        house, felt = self.house, self.felts[2]
        house.do(felt.dealer, "POST", f"/api/tables/{felt.name}/relief", {"name": "rita"})
        felt.dealer = "rita"
        for number, felt in enumerate(self.felts):
            bets, insured = self.bets(number)
            if felt.screen or number % 2:
                felt.play(bets, insured)
            else:
                self._missed(felt, bets)
        self._uninsured()
        self._voids()
        self._corrections()
        self.all_plain(but=(1, 5, 9, 13, 17))

    def _slips(self) -> None:
        for number in range(0, TABLES, 5):
            self.felts[number].fill({1_000_00: 20, 25_00: 40})
        self.felts[2].credit({500_00: 30})
        self.felts[8].credit({100_00: 50, 5_00: 20})
        self.felts[4].void_slip(sent=False)
        self.felts[9].void_slip(sent=True)

    def _assumed(self, number: int) -> None:
        """The same bets as before: nobody looks at some of them."""
        felt, (bets, insured) = self.felts[number], self.bets(number)
        felt.do("open_betting")
        for at, bet in enumerate(bets):
            felt.bet(*bet, assumed=at == 1 and not felt.screen)
        if number % 4 == 2:
            felt.do("confirm_bets")
        felt.close_bets()
        felt.deal_all(insured)
        felt.settle()

    def _missed(self, felt: Felt, bets: list[Bet]) -> None:
        """Nobody offers insurance."""
        felt.open_bets(bets)
        felt.close_bets()
        felt.deal_all(None)
        felt.settle(decided_by="max")

    def _uninsured(self) -> None:
        """Insurance that nobody offered would have won: the bet goes back, before the settlement or after it."""
        for number, settled in ((4, False), (6, True)):
            felt, player = self.felts[number], self.players[number]
            felt.open_bets([(player, 1, "banker", 100_00), ("box 2", 2, "player", 50_00)])
            felt.close_bets()
            for card in UNINSURED:
                felt.deal(card=card)
            fields = {"who": player, "box": 1, "side": "banker", "reason": "they had asked for it"}
            if settled:
                felt.settle(decided_by="max")
            self.house.give("max", felt.name, "return_uninsured_bets", **fields)
            if settled:
                felt.tray.pay(100_00)
            else:
                felt.settle()

    def _voids(self) -> None:
        for number in (1, 5, 9, 13, 17):
            felt, (bets, _) = self.felts[number], self.bets(number)
            felt.open_bets(bets)
            felt.close_bets()
            felt.deal()
            report = "report_foreign_card" if number == 1 else "report_interruption"
            events = self.house.give("sue", felt.name, report, reason="it stopped")
            assert any(event["event"] == "round_voided.1" for event in events), felt.name
            if number == 1:
                felt.load_shoe()

    def _corrections(self) -> None:
        felt = self.felts[4]  # a bet as it lay, before the first card
        bets, insured = self.bets(4)
        felt.open_bets(bets)
        felt.close_bets()
        who, box, bet, stake_minor = bets[0]
        felt.do("correct_bet", who=who, box=box, bet=bet, stake_minor=stake_minor + 25_00)
        felt.deal_all(insured)
        felt.settle()
        felt = self.felts[8]  # a card, before the settlement
        bets, insured = self.bets(8)
        felt.open_bets(bets)
        felt.close_bets()
        felt.deal()
        felt.deal()
        felt.correct_card("sue", 1, "9d" if felt.cards[0][0] != "9" else "8d")
        felt.deal_all(insured)
        felt.settle()
        for number in (0, 6, 7, 14):  # a card, after the settlement
            self.plain(number)
            felt = self.felts[number]
            while (misread := felt.other_end()) is None:
                self.plain(number)
            felt.take_settlement(felt.correct_card("max", *misread))
        felt = self.felts[12]  # a bet, after the settlement
        bets, insured = self.bets(12)
        felt.play(bets, insured)
        self._correct_bet(felt, bets[0], bets[0][-1] + 5_00)

    def _correct_bet(self, felt: Felt, bet: Bet, stake_minor: int) -> None:
        """After the settlement, which is made again."""
        who, box, kind, _ = bet
        fields = {"who": who, "box": box, "bet": kind, "stake_minor": stake_minor, "reason": "as the picture shows"}
        felt.take_settlement(self.house.give(felt.supervisor, felt.name, "correct_bet", **fields))

    # ---- the second shift

    def _shift_2(self) -> None:
        self._settled_again()
        self._move_players()
        for number in range(10):
            if number != 8:
                self._identify(number)
        self.all_plain()
        self._owed(8)
        self.felts[8].do("leave", who="behind box 5")
        self._owed(12)
        for number, who, amount_minor in ((5, self.players[5], 50_00), (13, "box 2", 20_00)):
            self.felts[number].adjust("sid", who, amount_minor)
        self.felts[13].adjust("sid", "box 2", -5_00)
        for number, recovered_minor in ((1, 0), (9, 15_00)):
            felt, (bets, insured) = self.felts[number], self.bets(number, self.moved[number], 4)
            felt.play(bets, insured)
            who, box, bet, _ = bets[0]
            felt.mispay(who, box, bet, 25_00, recovered_minor)
        for number in (6, 17):
            self._dealing_error(number)
        self.felts[0].credit({1_000_00: 10})
        self.felts[14].fill({500_00: 10})
        self._count_during_a_round()
        self.all_plain()
        self.all_plain()

    def _settled_again(self) -> None:
        """The last round of the first shift is corrected in the second."""
        felt = self.felts[10]
        first = felt.settled[0]
        bet = (first["who"], first["box"], first["bet"], first["stake_minor"])
        self._correct_bet(felt, bet, first["stake_minor"] + 10_00)

    def _move_players(self) -> None:
        """From every second table to the next one, with their chips and without buying any."""
        for number in range(0, TABLES, 2):
            came_from, felt, player = self.felts[number], self.felts[number + 1], self.players[number]
            came_from.do("leave", who=player)
            if felt.screen:
                felt.buy_in(player, 2_000_00, "chips")
            felt.do("sit", who=player, box=4)
            self.moved[number + 1] = player
            came_from.do("sit", who=self.players[number + 1], box=4)  # also at two tables at once
            self.moved[number] = self.players[number + 1]

    def _identify(self, number: int) -> None:
        self.third[number] = self.players[TABLES + number]
        self.felts[number].do("identify_player", who="box 3", player_id=self.third[number])

    def _count_during_a_round(self) -> None:
        """Chips on the felt are not in the tray."""
        felt, (bets, _) = self.felts[15], self.bets(15, self.moved[15], 4)
        felt.open_bets(bets)
        felt.close_bets()
        felt.deal()
        felt.count("check")
        self._midway()
        felt.deal_all({})
        felt.settle()

    def _owed(self, number: int) -> None:
        """Somebody is paid for a round that they lost, and takes the cash before it is noticed."""
        felt, who = self.felts[number], "behind box 5"
        misread = None
        while misread is None:
            felt.play([(self.moved[number], 4, "player", 25_00), (who, 5, "banker", 100_00)], {})
            misread = felt.other_end() if felt.coup.winner == "banker" else None
        paid_minor = felt.settled[1]["returned_minor"]
        felt.cash_out(who, paid_minor)
        events = felt.correct_card("max", *misread)
        felt.take_settlement(events, not_collected_minor=paid_minor)
        felt.caused[felt.shift, "mispaid"] -= paid_minor
        self._owed_minor[number] = paid_minor

    def _dealing_error(self, number: int) -> None:
        """One player takes their bets back."""
        felt = self.felts[number]
        mover = self.moved[number]
        bets, _ = self.bets(number, mover, 4)
        felt.open_bets(bets[:2])
        felt.close_bets()
        felt.deal()
        self.house.give(felt.supervisor, felt.name, "report_dealing_error", reason="the dealer's sleeve")
        felt.do("choose_option", who=mover, choice="return")
        felt.do("choose_option", who="box 2", choice="continue")
        felt.deal_all({})
        felt.settle()

    # ---- the third shift

    def _shift_3(self) -> None:
        felt = self.felts[12]
        felt.do("open_betting")
        felt.do("cancel_round")
        felt = self.felts[18]
        bets, insured = self.bets(18, self.moved[18], 4)
        felt.open_bets(bets)
        felt.close_bets()
        felt.do("report_late_bet", who="box 2", box=2, bet="tie", tried="placed", amount_minor=10_00)
        felt.deal_all(insured)
        felt.settle()
        self.all_plain()
        self.all_plain()
        self._repaid()
        self._mispaid_and_settled_again()
        felt = self.felts[16]  # bets that were settled go back by a ruling
        bets, insured = self.bets(16, self.moved[16], 4)
        felt.play(bets, insured)
        who, box, bet, _ = bets[0]
        back = [{"who": who, "box": box, "bet": bet}]
        self.house.give("sid", felt.name, "rule", reason="not theirs", effect="return", bets=back)
        for result in felt.settled:
            if (result["who"], result["box"], result["bet"]) == (who, box, bet):
                felt.tray.move(result["returned_minor"] - result["stake_minor"])
        self.all_plain()
        for number in range(TABLES):
            self._cash_out(number)

    def _repaid(self) -> None:
        """Somebody who owes chips buys some: the dealer keeps what is owed."""
        felt, owed_minor = self.felts[12], self._owed_minor[12]
        felt.buy_in("behind box 5", 500_00)
        felt.tray.take(owed_minor)
        felt.caused[felt.shift, "mispaid"] += owed_minor

    def _mispaid_and_settled_again(self) -> None:
        """A wrong payment comes back with the settlement that it belongs to."""
        number, misread = 2, None
        felt = self.felts[number]
        while misread is None:
            bets, _ = self.bets(number, self.moved[number], 4)
            felt.play(bets, {})
            misread = felt.other_end()
        who, box, bet, _ = bets[0]
        felt.mispay(who, box, bet, 25_00, 0)
        felt.take_settlement(felt.correct_card("max", *misread))
        felt.tray.take(25_00)
        for kind in ("mispaid", "wrong_payment"):
            felt.caused[felt.shift, kind] += 25_00

    def _cash_out(self, number: int) -> None:
        """Chips for cash or a voucher; some of the players leave after it."""
        felt, player = self.felts[number], self.moved[number]
        amount_minor = (500_00, 750_00, 1_200_00)[number % 3]
        felt.cash_out(player, amount_minor, "voucher" if number % 4 == 1 else "cash")
        felt.cash_out("box 2", 200_00)
        if not felt.screen:
            felt.do("leave", who=player)

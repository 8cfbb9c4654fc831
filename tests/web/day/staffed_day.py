"""The tables of the day and the people at them: opening, changes of shift, closing, and ordinary rounds."""

from datetime import UTC, datetime
from random import Random

from punto.floor.clock import SECOND_US
from punto.library import book_ids
from punto.table.records.positions import Position
from tests.web.day.felt import SIDE_BETS, Bet, Felt
from tests.web.day.staff import House

DAY = "2025-03-04"
START_US = int(datetime(2025, 3, 4, tzinfo=UTC).timestamp()) * SECOND_US
"""08:00 in Singapore."""
HOUR_US = 3_600 * SECOND_US
SHIFT_US = 8 * HOUR_US
TABLES, REGISTERED = 20, 30
SEED = 22

STAFF = {
    "sam": Position.PIT_SUPERVISOR,
    "max": Position.PIT_MANAGER,
    "sid": Position.SHIFT_MANAGER,
    "aude": Position.AUDITOR,
    "rita": Position.DEALER,
    **{f"{crew}{number:02}": Position.DEALER for crew in "ab" for number in range(TABLES)},
}
CLOSED_BETWEEN = (5, 9, 13)
"""Tables that close after the first shift and open again for the second."""
NEVER_COUNTED = 19
Insured = dict[str, tuple[str, int, int]]


class StaffedDay:
    """``felts`` have what lies in the trays, and what was done to them on purpose."""

    def __init__(self, house: House) -> None:
        self.house, self.random = house, Random(SEED)  # noqa: S311 - the same day every time
        self.players: list[str] = []
        self.moved: dict[int, str] = {}
        """By table, the registered player who came from the table before."""
        self.third = ["box 3"] * TABLES
        """By table, who sits at box 3."""
        self.felts: list[Felt] = []
        self.closers: dict[str, int] = {}
        """By table, what its closer counted."""

    # ---- opening and closing

    def open(self) -> None:
        house = self.house
        house.hire("adam", Position.ADMINISTRATOR)
        house.hire("sue", Position.PIT_SUPERVISOR)
        games = book_ids()
        for number in range(TABLES):
            screen = number % 4 == 3
            felt = Felt(house, f"T{number:02}", games[number // 4], SEED * 1_000 + number, screen=screen)
            felt.dealer, felt.supervisor = f"a{number:02}", "sue"
            self.felts.append(felt)
        self.felts[0].create("sue")
        self.felts[0].open(alone=True)  # nobody else is there yet who could approve it
        for name, position in STAFF.items():
            house.hire(name, position)
        for number in range(REGISTERED):
            registered = house.do("sue", "POST", "/api/players", {"name": f"Player {chr(65 + number % 26)}{number}"})
            self.players.append(registered["id"])
        for felt in self.felts[1:]:
            felt.create("max")
        for felt in self.felts:
            house.do("max", "PUT", f"/api/duty/{felt.dealer}", {"table": felt.name})
        house.do("max", "PUT", "/api/tables/T01/title", {"title": "The Orchid"})
        for number, felt in enumerate(self.felts):
            if number:
                felt.open()
            if number != NEVER_COUNTED:
                felt.count("opener")
            self._seat(number)

    def _seat(self, number: int) -> None:
        """A registered player at box 1, somebody unknown at boxes 2 and 3."""
        felt, player = self.felts[number], self.players[number]
        felt.buy_in(player, 5_000_00)
        felt.do("sit", who=player, box=1)
        if felt.screen:
            felt.buy_in("box 2", 3_000_00, "chips")
        elif number % 2:
            felt.buy_in("box 2", 2_000_00, "voucher")
        felt.do("sit", who="box 2", box=2)
        felt.buy_in("box 3", 1_000_00)
        felt.do("sit", who="box 3", box=3)

    def change_shift(self, shift: int, crew: str, supervisor: str) -> None:
        """Count every tray before the shift ends; the first relief is in the moment in which the next one starts."""
        house = self.house
        starts_us = START_US + (shift - 1) * SHIFT_US
        assert house.clock.us < starts_us - HOUR_US // 2
        house.clock.us = starts_us - HOUR_US // 2
        for number, felt in enumerate(self.felts):
            if shift == 2 and number in CLOSED_BETWEEN:
                for who in (self.players[number], "box 2", "box 3"):
                    felt.do("leave", who=who)
                felt.count("closer")
                felt.close()
            elif number != NEVER_COUNTED:
                self._count_check(number, shift)
        assert house.clock.us < starts_us - 4 * SECOND_US
        house.clock.us = starts_us - 4 * SECOND_US
        for number, felt in enumerate(self.felts):
            felt.dealer, felt.supervisor, felt.shift = f"{crew}{number:02}", supervisor, shift
            house.do("max", "POST", f"/api/tables/{felt.name}/relief", {"name": felt.dealer})
        for number in CLOSED_BETWEEN if shift == 2 else ():
            felt = self.felts[number]
            felt.open({100_00: 10} if number == 5 else {})
            if number == 13:  # somebody had put a chip into it
                felt.tray.put({25_00: 1})
                felt.caused[shift, "opener"] += 25_00
            felt.count("opener", 25_00 if number == 13 else 0)
            for box in (2, 3):
                felt.do("sit", who=f"box {box}", box=box)

    def _count_check(self, number: int, shift: int) -> None:
        felt = self.felts[number]
        if shift == 3 and number == 5:  # one of them overlooks chips, and both count again
            assert felt.count_by(felt.dealer, "check", {5_00: 2}).is_success
            differs = felt.count_by(felt.supervisor, "check")
            assert differs.status_code == 409, differs.text
            assert differs.json()["error"]["code"] == "counts_differ"
        lost_minor = 100_00 if shift == 3 and number == 6 else 0
        if lost_minor:
            felt.tray.remove({lost_minor: 1})
            felt.caused[felt.shift, "unexplained"] -= lost_minor
        felt.count("check", -lost_minor)

    def close(self) -> None:
        house = self.house
        assert house.clock.us < START_US + 3 * SHIFT_US - HOUR_US // 2
        house.clock.us = START_US + 3 * SHIFT_US - HOUR_US // 2
        for number, felt in enumerate(self.felts):
            if number != NEVER_COUNTED:
                felt.count("closer")
                self.closers[felt.name] = felt.tray.minor
            felt.close()
            house.do("max", "DELETE", f"/api/duty/{felt.dealer}")
        assert house.clock.us < START_US + 3 * SHIFT_US

    # ---- bets

    def bets(self, number: int, who: str = "", box: int = 1) -> tuple[list[Bet], Insured]:
        """Bets of a round, and who takes insurance on which side."""
        felt, sides = self.felts[number], ["player", "banker"]
        self.random.shuffle(sides)
        who = who or self.players[number]
        stakes = [self.random.choice((25_00, 50_00, 105_00, 210_00)) for _ in range(3)]
        bets = [
            (who, box, sides[0], stakes[0]),
            ("box 2", 2, sides[1], stakes[1]),
            (self.third[number], 3, sides[0], stakes[2]),
        ]
        bets.append((who, box, self.random.choice(SIDE_BETS[felt.game]), 10_00))
        return bets, {sides[0]: (who, box, 2_00), sides[1]: ("box 2", 2, 2_00)}

    def plain(self, number: int) -> None:
        """An ordinary round, with the player who is at the table."""
        mover = self.moved.get(number, "")
        bets, insured = self.bets(number, mover, 4 if mover else 1)
        self.felts[number].play(bets, insured if self.random.random() < 0.7 else {})

    def all_plain(self, but: tuple[int, ...] = ()) -> None:
        for number in range(TABLES):
            if number not in but:
                self.plain(number)

"""The report of a period, worked out from the journal's rows again and in another way.

Nothing here uses the code that makes reports, follows trays or keeps rounds. Only the odds are Punto's.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import sqrt
from typing import Any

from tests.web.day.journal import HOUSE, Journal, Row
from tests.web.day.openings import Opening, Round
from tests.web.day.sums import Play, TableFigures, TrayFold, half_up

HOUR_US = 3_600_000_000
MINUTE_US = 60_000_000
CORRECTIONS = ("card", "bet", "insurance", "option", "payment")
FINDINGS = {"ruled": "ruling", "late_bet_refused": "late_bet", "insurance_missed": "uninsured"}

Line = dict[str, Any]


class Recomputed:
    """Works out every part of a report of one period, of all tables or of one."""

    def __init__(self, journal: Journal, since_us: int, until_us: int, now_us: int, table: str = "") -> None:
        self.since_us, self.until_us, self.now_us, self.table = since_us, until_us, now_us, table
        self.house = journal[HOUSE]
        self.openings = [
            Opening(stream, rows)
            for stream, rows in sorted(journal.items(), key=lambda each: _order(each[0]))
            if stream != HOUSE and table in ("", stream.rpartition("/")[0])
        ]
        self.tables: dict[tuple[str, str], TableFigures] = {}
        self.paid: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.plays: dict[tuple[str, str], Play] = defaultdict(Play)
        self.sittings: dict[tuple[str, str], dict[str, list[Round]]] = defaultdict(lambda: defaultdict(list))
        self.dealers: dict[str, Counter[str]] = defaultdict(Counter)
        self.findings: Counter[tuple[str, str, tuple[str, ...], str]] = Counter()
        self.voids: Counter[tuple[str, str, tuple[str, ...], str]] = Counter()
        self.opener_counted_us: dict[str, int | None] = {}
        """By table, when somebody counted what lay in the tray at the start, if chips did not move after it."""
        for opening in self.openings:
            if opening.opened_us < until_us and not 0 < opening.closed_us < since_us:
                self._add(opening)
        for name in {opening.table for opening in self.openings}:
            self._add_tray([opening for opening in self.openings if opening.table == name])
        self._add_duty()

    def within(self, at_us: int) -> bool:
        return self.since_us <= at_us < self.until_us

    # ---- adding up

    def _add(self, opening: Opening) -> None:
        figures = self.tables.setdefault((opening.table, opening.game), TableFigures())
        ends_us = min(opening.closed_us or self.now_us, self.until_us, self.now_us)
        figures.open_us += max(ends_us - max(opening.opened_us, self.since_us), 0)
        for at_us, dealer, offered, missed in opening.offers:
            if self.within(at_us):
                figures.offered += offered
                figures.missed += missed
                self.dealers[dealer]["insurance_missed"] += missed
        for number, dealt in enumerate(opening.rounds):
            if dealt.over and self.within(dealt.ended_us):
                self._add_round(opening, figures, number, dealt)
        for paid in opening.paid:
            if self.within(paid.at_us):
                self.paid[self._key(opening, paid.person.name)][paid.kind] += paid.amount_minor
        corrected = 0
        for each in opening.happened:
            row = each.row
            if not self.within(row.at_us):
                continue
            kind = row.event["kind"] if row.kind == "irregularity_reported" else FINDINGS.get(row.kind)
            if kind:
                self.findings[opening.game, kind, tuple(row.event["clauses"]), each.dealer] += 1
                self.dealers[each.dealer]["irregularities"] += row.kind == "irregularity_reported"
            given = row.version - row.part  # a command counts once
            if row.kind in {f"{what}_corrected" for what in CORRECTIONS} or row.kind == "betting_reopened":
                self.dealers[each.dealer]["corrections"] += given != corrected
                corrected = given

    def _add_round(self, opening: Opening, figures: TableFigures, number: int, dealt: Round) -> None:
        mark = (opening.stream, number)
        bets = [(mark, opening.game, opening.decks, bet) for bet in dealt.bets]
        figures.play.add(Play(1, int(dealt.void is not None), bets))
        self.dealers[dealt.opened_by]["rounds"] += 1
        if dealt.void is not None:
            self.dealers[dealt.opened_by]["voids"] += 1
            self.voids[opening.game, *dealt.void, dealt.opened_by] += 1
        people = {self._key(opening, bet.person.name) for bet in dealt.bets}
        for key in people:
            own = [each for each in bets if self._key(opening, each[3].person.name) == key]
            decided = any(bet.decided_minor for *_, bet in own)
            self.plays[key].add(Play(int(decided), 0, own))
            if decided:
                self.sittings[key][opening.table].append(dealt)

    def _key(self, opening: Opening, name: str) -> tuple[str, str]:
        """A registered player is the same at every table, a place is not."""
        return name, "" if name.startswith("P") else opening.table

    def _add_tray(self, openings: list[Opening]) -> None:
        """Follow what lies in the tray through all openings of a table."""
        tray = TrayFold(self.since_us)
        for opening in openings:
            tray.balances = Counter()
            for row in opening.rows:
                if row.at_us < self.until_us:
                    tray.take(row)
        table = openings[0].table
        self.opener_counted_us[table] = tray.opener_counted_us
        for key, sums in self.tables.items():
            if key[0] == table:
                sums.tray = tray.figures

    def _add_duty(self) -> None:
        until_us = min(self.until_us, self.now_us)
        ends: list[tuple[str, str, int, int]] = []
        for row in self.house:
            event = row.event
            if row.kind == "duty_started" and event["position"] == "dealer":
                ends.append((event["name"], event["table"], event["at_us"], 0))
            elif row.kind == "duty_ended":
                ends = [
                    (*each[:3], event["at_us"]) if each[:2] == (event["name"], event["table"]) and not each[3] else each
                    for each in ends
                ]
        for name, table, from_us, to_us in ends:
            lasted_us = min(to_us or until_us, until_us) - max(from_us, self.since_us)
            if lasted_us > 0 and self.table in ("", table):
                self.dealers[name]["on_us"] += lasted_us

    # ---- the parts of the report

    def figures(self) -> list[Line]:
        games: dict[str, TableFigures] = defaultdict(TableFigures)
        total = TableFigures()
        for (_, game), sums in self.tables.items():
            games[game].add(sums)
            total.add(sums)
        lines = [_figures("floor", "", "", total)] if self.tables else []
        lines += [_figures("game", "", game, sums) for game, sums in sorted(games.items())]
        return lines + [_figures("table", *key, sums) for key, sums in sorted(self.tables.items())]

    def players(self) -> list[Line]:
        lines = []
        for key in {*self.plays, *self.paid}:
            play, paid = self.plays[key], self.paid[key]
            turnover_minor = play.sum(lambda bet: bet.decided_minor)
            lines.append(
                {
                    "who": key[0],
                    "table": key[1],
                    "currency": "SGD",
                    "play_money": False,
                    "minutes": sum(map(_sat_us, self.sittings[key].values())) // MINUTE_US,
                    "rounds": play.rounds,
                    "turnover_minor": turnover_minor,
                    "average_bet_minor": half_up(Fraction(turnover_minor, play.rounds or 1)),
                    "theoretical_minor": half_up(play.theoretical()),
                    "win_minor": paid["adjusted"] - play.sum(lambda bet: bet.win_minor),
                    "drop_minor": paid["cash"],
                    "vouchers_minor": paid["voucher"],
                    "changed_minor": paid["changed"],
                }
            )
        return lines

    def dealer_lines(self) -> list[Line]:
        return [
            {
                "name": name,
                "minutes_on": each["on_us"] // MINUTE_US,
                "rounds": each["rounds"],
                "rounds_an_hour": round(each["rounds"] / (each["on_us"] / HOUR_US), 1) if each["on_us"] else None,
                **{what: each[what] for what in ("voids", "corrections", "irregularities", "insurance_missed")},
            }
            for name, each in self.dealers.items()
            if name
        ]

    def found(self, counted: Counter[tuple[str, str, tuple[str, ...], str]]) -> list[Line]:
        return [
            {"game": game, "kind": kind, "clauses": list(clauses), "dealer": dealer, "times": times}
            for (game, kind, clauses, dealer), times in counted.items()
        ]

    def rulings(self) -> list[Line]:
        lines = []
        for opening, row, number in self._rows():
            if row.kind == "ruled" and row.event["effect"] == "adjust":
                paid = {name[6:]: minor for name, minor in row.event["postings"] if name.startswith("chips:")}
                given = {name: row.event[name] for name in ("ruled_by", "position", "reason", "clauses")}
                lines.append({"table": opening.table, "at_us": row.at_us, "round": number, **given, "paid_minor": paid})
        return lines

    def alone(self) -> list[Line]:
        house = [("", row, row.kind) for row in self.house if self.within(row.at_us) and not self.table]
        tables = [
            (opening.table, row, row.command["command"].partition(".")[0])
            for opening in self.openings
            for row in opening.rows
            if self.within(row.at_us) and row.part == 0
        ]
        return [
            {"table": table, "at_us": row.at_us, "actor": row.actor, "position": row.position, "what": what}
            for table, row, what in [*house, *tables]
            if row.part == 0 and row.context.get("alone")
        ]

    def counts(self) -> list[Line]:
        return [
            {
                "table": opening.table,
                "at_us": row.at_us,
                "purpose": row.event["purpose"],
                "counted_minor": row.event["counted_minor"],
                "difference_minor": row.event["counted_minor"] - row.event["expected_minor"],
                "signed_by": row.signed_by,
                "alone": row.context.get("alone", False),
            }
            for opening, row, _ in self._rows()
            if row.kind == "tray_counted"
        ]

    def slips(self) -> list[Line]:
        """Signed by those who saw the chips reach or leave the tray."""
        last: dict[tuple[str, int], Line] = {}
        saw: dict[tuple[str, int], list[str]] = {}
        for opening, row, _ in self._rows():
            if row.kind.startswith("slip_"):
                event, number = row.event, row.event["slip"]
                if (row.kind, event["kind"]) in (("slip_received", "fill"), ("slip_sent", "credit")):
                    saw[opening.table, number] = row.signed_by
                state = row.kind.removeprefix("slip_")
                amount = event.get("amount_minor")
                if amount is None:
                    amount = sum(pile["value_minor"] * pile["count"] for pile in event["piles"])
                last[opening.table, number] = {
                    "number": f"{opening.table}-{number:06}",
                    "kind": event["kind"],
                    "amount_minor": amount,
                    "state": "void" if state == "voided" else state,
                    "at_us": row.at_us,
                    "signed_by": saw.get((opening.table, number), row.signed_by),
                }
        return list(last.values())

    def missing(self) -> list[Line]:
        """An opener is counted up to an hour after the start, a closer from an hour before the end."""
        lines = []
        for opening in self.openings:
            if opening.opened_us >= self.until_us or 0 < opening.closed_us < self.since_us:
                continue
            starts_us = max(opening.opened_us, self.since_us)
            ends_us = min(opening.closed_us or self.until_us, self.until_us)
            counted = [
                (row.at_us, row.event["purpose"])
                for row in opening.rows
                if row.kind == "tray_counted" and self.within(row.at_us)
            ]
            before_us = self.opener_counted_us.get(opening.table) if opening.opened_us < self.since_us else None
            if before_us is None and not any(
                at_us <= starts_us + HOUR_US and purpose != "closer" for at_us, purpose in counted
            ):
                lines.append({"table": opening.table, "purpose": "opener"})
            over = opening.closed_us or self.until_us <= self.now_us
            if over and not any(at_us >= ends_us - HOUR_US and purpose != "opener" for at_us, purpose in counted):
                lines.append({"table": opening.table, "purpose": "closer"})
        return lines

    def _rows(self) -> Iterable[tuple[Opening, Row, int]]:
        for opening in self.openings:
            for each in opening.happened:
                if self.within(each.row.at_us):
                    yield opening, each.row, each.round


def _order(stream: str) -> tuple[str, int]:
    table, _, number = stream.rpartition("/")
    return table, int(number) if table else 0


def _sat_us(rounds: list[Round]) -> int:
    """From the first to the last round, without pauses of more than half an hour."""
    sat_us, last = 0, None
    for dealt in rounds:
        together = last is not None and dealt.opened_us - last.ended_us <= HOUR_US // 2
        since_us = last.ended_us if last is not None and together else dealt.opened_us
        sat_us += dealt.ended_us - since_us
        last = dealt
    return sat_us


def _figures(scope: str, table: str, game: str, sums: TableFigures) -> Line:
    play, tray = sums.play, sums.tray
    insurance = [kind for kind in play.kinds if kind[1].endswith("_insurance")]
    won = play.sum(lambda bet: bet.win_minor)
    by_count = tray.closer + tray.credits + tray.drop + tray.vouchers - tray.opener - tray.fills
    brought = tray.drop + tray.vouchers
    return {
        "scope": scope,
        "table": table,
        "game": game,
        "currency": "SGD",
        "play_money": False,
        "open_minutes": sums.open_us // MINUTE_US,
        "rounds": play.rounds,
        "voids": play.voids,
        "rounds_an_hour": round(play.rounds / (sums.open_us / HOUR_US), 1) if sums.open_us else None,
        "bets": play.sum(lambda bet: bool(bet.decided_minor)),
        "turnover_minor": play.sum(lambda bet: bet.decided_minor),
        "win_minor": won,
        "table_win_minor": tray.rounds + tray.rulings + tray.mispaid + tray.owed,
        "theoretical_minor": half_up(play.theoretical()),
        "deviations": play.deviations(),
        "commission_minor": play.sum(lambda bet: bet.commission_minor),
        "rounding_minor": play.sum(lambda bet: bet.rounded_minor),
        "insurance_offered": sums.offered,
        "insurance_taken": play.sum(lambda bet: bool(bet.decided_minor), insurance),
        "insurance_turnover_minor": play.sum(lambda bet: bet.decided_minor, insurance),
        "insurance_missed": sums.missed,
        "opener_minor": tray.opener,
        "fills_minor": tray.fills,
        "credits_minor": tray.credits,
        "closer_minor": tray.closer,
        "drop_minor": tray.drop,
        "box_drop_minor": tray.drop + tray.vouchers + tray.changed + tray.paid_out,
        "vouchers_minor": tray.vouchers,
        "win_by_count_minor": by_count,
        "difference_minor": by_count - won,
        "rulings_minor": tray.rulings,
        "mispaid_minor": tray.mispaid,
        "unexplained_minor": tray.unexplained,
        "settled_again_minor": tray.rounds - won,
        "unaccounted_minor": by_count - tray.rounds - tray.rulings - tray.mispaid - tray.unexplained,
        "opener_difference_minor": tray.opener_difference,
        "hold": round(by_count / brought, 6) if brought > 0 else None,
        "bets_by_kind": [_bet(play, kind) for kind in play.kinds],
    }


def _bet(play: Play, kind: tuple[str, str]) -> Line:
    turnover = play.sum(lambda bet: bet.decided_minor, [kind])
    won = play.sum(lambda bet: bet.win_minor, [kind])
    theoretical = play.theoretical(kind)
    expected = float(1 - theoretical / turnover) if turnover else 0.0
    width = 1.959963984540054 * sqrt(play.variance(kind)) / turnover if turnover else 0.0
    return {
        "game": kind[0],
        "bet": kind[1],
        "bets": play.sum(lambda bet: bool(bet.decided_minor), [kind]),
        "turnover_minor": turnover,
        "win_minor": won,
        "theoretical_minor": half_up(theoretical),
        "deviations": play.deviations(kind),
        "actual_return": round(float(1 - Fraction(won, turnover)), 6) if turnover else None,
        "theoretical_return": round(expected, 6) if turnover else None,
        "band_low": round(expected - width, 6) if turnover else None,
        "band_high": round(expected + width, 6) if turnover else None,
    }

"""Every figure of a report, worked out again from the events of the journal, on floors where everything goes wrong."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import Struct, field

from punto.floor.chips.day_ledger import DayLedger, PaymentKind
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import heads, read_all
from punto.floor.reports.days.shift_report import ReportMaker, ShiftReport, TableSums, make_report
from punto.floor.reports.identities import Identities
from punto.floor.reports.theoretical_win import exact_covariances, exact_edges
from punto.floor.settings.gaming_day import Period
from punto.library import book
from punto.odds import full_shoe_figures
from punto.odds.exact.covariance import StakedBet
from punto.table import evolve
from punto.table.records import events, findings
from punto.table.records.chips import TrayCounted
from punto.table.records.events import BettingOpened, Event, MoneyEvent, RoundSettled, TableClosed, TableOpened
from punto.table.records.kinds import BuyInKind, Effect
from punto.table.records.state import Table
from tests.floor.goldens import play_golden
from tests.floor.identified_places import identified
from tests.floor.ledger import ledger_by_id
from tests.floor.nights import Night, night, opened, rejudged, small, troubled
from tests.floor.report_floor import reported
from tests.golden.recordings import DECIDED

pytestmark = pytest.mark.sweep
NOW_US = 2_000_000_000 * 1_000_000
FLOORS = {"troubled": troubled, "small": small, "rejudged": rejudged, "identified": identified, "reported": reported}


@pytest.fixture(scope="module", params=[*DECIDED, *FLOORS])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("report") / "floor.db")
    if request.param in FLOORS:
        FLOORS[request.param](path)
    else:
        play_golden(path, request.param)
    return path


def _report(url: str, period: Period = Period(), table: str = "") -> ShiftReport:  # noqa: B008 - frozen
    with opened(url) as database:
        return make_report(database, period, NOW_US, table)


def _openings(url: str) -> list[list[Entry]]:
    with opened(url) as database:
        found = database.reading(heads).result()
        return [list(read_all(database, head)) for name, head in found.items() if name != HOUSE]


# ---- the same figures from the events alone


class _Again(Struct):
    """The figures of one opening."""

    rounds: int = 0
    voids: int = 0
    bets: int = 0
    turnover: Counter[str] = field(default_factory=Counter)
    """By bet."""
    by_player: Counter[str] = field(default_factory=Counter)
    """Turnover."""
    commission_minor: int = 0
    rounded_minor: int = 0
    theoretical: Fraction = Fraction()
    variance: Fraction = Fraction()
    offered: int = 0
    missed: int = 0
    dealers: Counter[str] = field(default_factory=Counter)
    """Rounds."""
    bought_minor: int = 0
    cashed_minor: int = 0


class _Counted(Struct):
    """A bet or an insurance that the cards decided."""

    who: str
    box: int
    bet: str
    stake_minor: int
    commission_minor: int
    rounded_minor: int
    cell: tuple[str, int, int] | None


def _again(entries: list[Entry]) -> _Again:
    again, state, dealer = _Again(), Table(), ""
    decided: list[_Counted] | None = None
    named: dict[str, int] = {}
    over, ended, decks = "", 0, 0
    identities = Identities(lambda: iter(entries))

    def finish() -> None:
        if state.round is not None:
            again.offered += len(state.round.insurance.offered)
            again.missed += len(state.round.insurance.missed)
        if not over:
            return
        again.rounds += 1
        again.voids += over == "void"
        again.dealers[dealer] += 1
        _add(again, state.book, decks, [] if decided is None else decided)
        for each in decided or ():
            again.by_player[identities.find(each.who, max(ended, named.get(each.who, 0)))] += each.stake_minor

    for entry in entries:
        event = read_event(entry.event)
        match event:
            case BettingOpened():
                finish()
                dealer, decided, over, named = entry.actor, None, "", {}
                decks = state.shoe.decks if state.shoe else 0
            case RoundSettled():
                decided, over, ended = _decided(state, event), "settled", entry.version
            case findings.SettlementReversed():
                decided, over = None, ""
            case findings.RoundVoided():
                decided, over, ended = None, "void", entry.version
            case findings.Ruled(effect=Effect.RETURN) if decided is not None:
                keys = {(bet.who, bet.box, bet.bet) for bet in event.bets}
                decided = [each for each in decided if (each.who, each.box, each.bet) not in keys]
            case findings.UninsuredBetReturned(by_hand=False) if decided is not None:
                key = (event.who, event.box, str(event.side))
                decided = [each for each in decided if (each.who, each.box, each.bet) != key]
            case events.PlayerIdentified():
                named[event.player_id] = entry.version
                for each in decided or ():
                    each.who = event.player_id if each.who == event.who else each.who
            case events.ChipsBought(kind=BuyInKind.CASH):
                again.bought_minor -= sum(each.amount_minor for each in event.postings if each.account == "float")
            case events.ChipsCashed():
                again.cashed_minor += sum(each.amount_minor for each in event.postings if each.account == "float")
        if not isinstance(event, TableClosed):
            state = evolve(state, event)
    finish()
    return again


def _decided(state: Table, event: RoundSettled) -> list[_Counted]:
    now = state.round
    assert now is not None
    cells = [None] * len(now.bets) + [(each.stage, each.player, each.banker) for each in now.insurance.cover]
    counted = []
    for result, cell in zip(event.results, cells, strict=True):
        played = result.stake_minor if result.played_minor is None else result.played_minor
        paid = (result.commission_minor or 0, result.rounded_minor)
        counted.append(_Counted(result.who, result.box, result.bet, played, *paid, cell))
    return counted


def _add(again: _Again, game: str, decks: int, decided: list[_Counted]) -> None:
    lying: list[tuple[StakedBet, int]] = []
    for each in decided:
        again.bets += each.stake_minor > 0
        again.turnover[each.bet] += each.stake_minor
        again.commission_minor += each.commission_minor
        again.rounded_minor += each.rounded_minor
        if not each.stake_minor:
            continue
        figures = full_shoe_figures(book(game), decks)
        if each.cell is None:
            lying.append(((each.bet, None), each.stake_minor))
            again.theoretical += each.stake_minor * figures.bets[each.bet].edge
        else:
            (cell,) = (c for c in figures.insurance if (c.stage, c.player, c.banker) == each.cell)
            lying.append(((each.bet, (cell.stage, cell.side, cell.player, cell.banker)), each.stake_minor))
            again.theoretical += each.stake_minor * cell.edge
    for one, stake in lying:
        for other, beside in lying:
            again.variance += stake * beside * exact_covariances(game, decks).of(one, other)


def test_every_figure_is_what_the_events_say(url: str) -> None:
    report, openings = _report(url), _openings(url)
    again = [_again(entries) for entries in openings]
    (floor,) = report.floors.values()
    total, expected = floor.play.total, floor.play.expected(exact_edges, exact_covariances)
    assert floor.play.rounds == sum(each.rounds for each in again)
    assert floor.play.voids == sum(each.voids for each in again)
    assert total.bets == sum(each.bets for each in again)
    turnover = sum((each.turnover for each in again), Counter[str]())
    by_bet = Counter[str]()
    for (_, bet), sums in floor.play.bets.items():
        by_bet[bet] += sums.turnover_minor
    assert by_bet == turnover
    assert total.commission_minor == sum(each.commission_minor for each in again)
    assert total.rounded_minor == sum(each.rounded_minor for each in again)
    assert expected.theoretical == sum((each.theoretical for each in again), Fraction())
    assert expected.variance == sum((each.variance for each in again), Fraction())
    assert (floor.offered, floor.missed) == (sum(each.offered for each in again), sum(each.missed for each in again))
    assert floor.ledger.cash_in_minor == sum(each.bought_minor for each in again)
    assert floor.ledger.cash_out_minor == sum(each.cashed_minor for each in again)
    dealers = sum((each.dealers for each in again), Counter[str]())
    assert Counter({name: sums.rounds for name, sums in report.dealers.items()}) == dealers
    by_player = sum((each.by_player for each in again), Counter[str]())
    assert Counter({key[2]: rating.play.total.turnover_minor for key, rating in report.players.items()}) == by_player


def test_the_win_is_what_the_postings_moved(url: str) -> None:
    """The bets of players and what they got for them, from the postings alone."""
    won, adjusted, of_table = Counter[str](), Counter[str](), Counter[str]()
    for entries in _openings(url):
        for each in ledger_by_id(entries):
            adjusted.update(each.adjusted)
            for (who, _, _), (staked, returned) in each.bets.items() if each.over and each.number else ():
                won[who] += returned - staked
                of_table[each.stream.partition("/")[0]] += staked - returned
    report = _report(url)
    assert Counter({key[2]: -rating.play.total.win_minor for key, rating in report.players.items()}) == won
    assert Counter({key[2]: rating.paid["adjusted"] for key, rating in report.players.items()}) == adjusted
    assert Counter({key.table: sums.play.total.win_minor for key, sums in report.tables.items()}) == of_table


def test_the_win_by_count_is_explained_to_the_cent(url: str) -> None:
    """From a ledger of our own: every account but players', the felt's and those outside is in the tray."""
    report, openings = _report(url), _openings(url)
    for key, sums in report.tables.items():
        tray, steps = sums.tray, list(_trays(_of_table(openings, key.table)))
        assert tray is not None
        assert (tray.opener, tray.closer) == (_opener(steps), steps[-1][1])
        ledger = sums.ledger
        assert tray.win(ledger) == tray.explained(ledger)
        assert ledger.win_by_rounds_minor == sums.play.total.win_minor
        paid = (sum(each.paid_minor.values()) for each in report.rulings if each.table == key.table)
        assert -sum(paid) == ledger.rulings_minor
    (floor,) = report.floors.values()
    moved = _moved_by(openings)
    assert floor.tray is not None
    assert (floor.ledger.fills_minor, floor.ledger.credits_minor) == (moved["fill"], moved["credit"])
    assert floor.tray.unexplained + floor.tray.opener_difference == moved["unexplained"]
    assert len(report.counts) == moved["counts"]
    assert len(report.slips) == moved["slips"]


def _opener(steps: list[tuple[Event, int]]) -> int:
    """What the first count found before chips moved, or else what lay there when the table opened; and later floats."""
    first = next((at for at in range(1, len(steps)) if steps[at][1] != steps[0][1]), len(steps))
    first = next((at for at in range(1, min(first + 1, len(steps))) if isinstance(steps[at][0], TrayCounted)), 0)
    floats = [after - before for (_, before), (event, after) in pairwise(steps) if isinstance(event, TableOpened)]
    return steps[first][1] + sum(floats)


def _moved_by(openings: list[list[Entry]]) -> Counter[str]:
    """Fills, credits and what counts found, from the accounts of the cage and of what is unexplained."""
    moved = Counter[str]()
    for entries in openings:
        for entry in entries:
            event = read_event(entry.event)
            carried = isinstance(event, TableOpened)
            for posting in event.postings if isinstance(event, MoneyEvent) and not carried else ():
                match posting.account:
                    case "cage":
                        moved["fill" if posting.amount_minor < 0 else "credit"] += abs(posting.amount_minor)
                    case "unexplained":
                        moved["unexplained"] -= posting.amount_minor
            moved["counts"] += entry.event.startswith('{"event":"tray_counted')
            moved["slips"] += entry.event.startswith('{"event":"slip_requested')
    return moved


def test_shifts_hand_their_trays_on(url: str) -> None:
    """What the opener of a later shift finds comes from before: it is the day's, and no shift's."""
    times = sorted(entry.at_us for opening in _openings(url) for entry in opening)
    whole = _report(url)
    for middle in times[:: max(len(times) // 7, 1)]:
        parts = [_report(url, period) for period in (Period(None, middle), Period(middle, None))]
        for key, sums in whole.tables.items():
            shifts = [part.tables[key] for part in parts if key in part.tables]
            assert sums.tray is not None
            assert shifts[-1].tray is not None
            assert shifts[-1].tray.closer == sums.tray.closer
            assert _won(*shifts) == _won(sums)
            ledger = DayLedger()
            for shift in shifts:
                ledger.add(shift.ledger)
            assert ledger == sums.ledger


def _won(*shifts: TableSums) -> int:
    won_minor = 0
    for shift in shifts:
        tray = shift.tray
        assert tray is not None
        assert tray.win(shift.ledger) == tray.explained(shift.ledger)
        won_minor += tray.win(shift.ledger) + tray.opener_difference
    return won_minor


def _of_table(openings: list[list[Entry]], table: str) -> list[list[Entry]]:
    return [opening for opening in openings if opening[0].stream.startswith(f"{table}/")]


def _trays(openings: list[list[Entry]]) -> Iterator[tuple[Event, int]]:
    """The events of a table, and what lay in its tray after each."""
    held: Counter[str] = Counter()
    for entries in openings:
        for entry in entries:
            event = read_event(entry.event)
            held = Counter() if isinstance(event, TableOpened) else held
            if isinstance(event, MoneyEvent):
                for posting in event.postings:
                    held[posting.account] += posting.amount_minor
            in_hands = sum(max(held[account], 0) for account in held if account.startswith("chips:"))
            outside = sum(held[account] for account in ("bank", "brought", "cage", "unexplained"))
            yield event, -outside - held["felt"] - in_hands


def test_tables_games_players_and_dealers_are_the_same_sums(url: str) -> None:
    report = _report(url)
    (floor,) = report.floors.values()
    for sums in (report.tables, report.games):
        assert _numbers(*sums.values()) == _numbers(floor)
    ratings = report.players.values()
    total = floor.play.total
    for name in total.__struct_fields__:
        assert sum(getattr(rating.play.total, name) for rating in ratings) == getattr(total, name), name
    assert sum((rating.play.theoretical(exact_edges) for rating in ratings), Fraction()) == floor.play.theoretical(
        exact_edges
    )
    ledger = floor.ledger
    paid = {
        PaymentKind.BOUGHT: ledger.cash_in_minor,
        PaymentKind.CASHED: -ledger.cash_out_minor,
        PaymentKind.VOUCHER: ledger.vouchers_minor,
        PaymentKind.CHANGED: ledger.changed_minor,
        PaymentKind.ADJUSTED: -ledger.rulings_minor - ledger.mispaid_minor,
    }
    assert {kind: sum(rating.paid[kind] for rating in ratings) for kind in paid} == paid
    assert sum(rating.win_minor for rating in ratings) == -ledger.win_minor
    assert sum(dealer.rounds for dealer in report.dealers.values()) == floor.play.rounds
    assert sum(dealer.voids for dealer in report.dealers.values()) == floor.play.voids == report.voids.total()
    assert sum(dealer.missed for dealer in report.dealers.values()) == floor.missed


def test_periods_that_follow_each_other_add_up_to_the_whole(url: str) -> None:
    times = sorted(entry.at_us for entries in _openings(url) for entry in entries)
    for middle in (times[0], times[len(times) // 3], times[len(times) // 2] + 1, times[-1], times[-1] + 1):
        parts = [_report(url, period) for period in (Period(None, middle), Period(middle, None))]
        whole = _report(url)
        assert _numbers(*(sums for part in parts for sums in part.tables.values())) == _numbers(*whole.tables.values())
        assert parts[0].findings + parts[1].findings == whole.findings
        assert [*parts[0].rulings, *parts[1].rulings] == whole.rulings
        for name in ("rounds", "voids", "corrections", "irregularities", "missed"):
            of_parts = sum(
                (Counter({who: getattr(d, name) for who, d in part.dealers.items()}) for part in parts), Counter[str]()
            )
            assert of_parts == +Counter({who: getattr(dealer, name) for who, dealer in whole.dealers.items()})


def _of_dealers(name: str, *reports: ShiftReport) -> Counter[str]:
    total = Counter[str]()
    for report in reports:
        total.update({dealer: getattr(sums, name) for dealer, sums in report.dealers.items()})
    return +total


def _numbers(*sums: TableSums) -> dict[str, object]:
    """Every number of these sums that can be added up."""
    total = TableSums()
    for each in sums:
        total.add(each)
    numbers: dict[str, object] = {"offered": total.offered, "missed": total.missed, "rounds": total.play.rounds}
    numbers |= {"voids": total.play.voids, "ledger": total.ledger}
    numbers |= {name: getattr(total.play.total, name) for name in total.play.total.__struct_fields__}
    expected = total.play.expected(exact_edges, exact_covariances)
    return numbers | {"theoretical": expected.theoretical, "variance": expected.variance}


def test_rounds_that_end_while_a_report_is_made_are_in_all_its_figures_or_in_none(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await floor.table("Orchid")
        await floor.rounds("Orchid", 2)
        maker, database = ReportMaker(Period(), NOW_US), floor.floor.database
        openings = await database.read(maker.start)
        await floor.rounds("Orchid", 2)
        for opening in openings:
            await database.read(partial(maker.add, opening=opening))
        (figures,) = maker.finish().tables.values()
        assert figures.tray is not None
        assert figures.play.total.win_minor == figures.ledger.win_minor == figures.tray.win(figures.ledger)

    night(str(tmp_path / "floor.db"), play)

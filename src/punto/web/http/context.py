"""Everything that requests are served from: the floor, its people, its views, limits and metrics."""

from punto.floor.alarms.alarms import Alarms
from punto.floor.alarms.clock_watch import ClockWatch
from punto.floor.alarms.return_watch import ReturnWatch
from punto.floor.alarms.watcher import AlarmWatcher
from punto.floor.audit.head_copies import HeadCopies, is_address
from punto.floor.audit.jobs.jobs import Jobs, JobSource
from punto.floor.edges.live_edges import LiveEdges
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.accounts.accounts import Accounts
from punto.floor.people.accounts.own_account import OwnAccount
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.accounts.pins import Pins
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.acting import Acting
from punto.floor.people.approvals.blind_counts import BlindCounts
from punto.floor.people.approvals.house_acts import HouseActs
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.people.duty import Duty
from punto.floor.people.floor_facts import FloorFacts
from punto.floor.people.looks import Looks
from punto.floor.people.players import Players
from punto.floor.people.sessions.player_codes import PlayerCodes
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.people.stops import Stops
from punto.floor.reports.days.shift_report import Reports
from punto.floor.reports.days.sign_offs import AuditedDays
from punto.floor.reports.incidents import Incidents
from punto.floor.reports.rounds.round_reader import RoundReader
from punto.floor.reports.rounds.round_search import RoundSearch
from punto.floor.running.floor import Floor
from punto.floor.running.program import Program
from punto.floor.shoes.shoe_register import ShoeRegister
from punto.floor.turns import BUSY_WAIT_S, Turns
from punto.web.config import Config
from punto.web.http.auth import Hosts
from punto.web.http.client_releases import ClientReleases
from punto.web.http.connection_limits import OpenConnections, OpenSockets
from punto.web.http.metrics import Metrics
from punto.web.http.rate_limits import RateLimits
from punto.web.views.player_names import PlayerNames
from punto.web.views.table_cache import TableCaches

MAX_QUESTIONS_WAITING = 16


class Service:
    """There is one per process."""

    def __init__(self, floor: Floor, config: Config, passwords: Passwords | None = None) -> None:
        self.floor = floor
        self.config = config
        hashes = passwords or Passwords()
        self.sessions = Sessions(floor.house_log, floor.key, hashes)
        self.pins = Pins(self.sessions, hashes)
        self.own_account = OwnAccount(self.sessions, self.pins)
        self.terminals = Terminals(floor.house_log)
        self.accounts = Accounts(floor.house_log, hashes)
        self.visitors = Visitors(floor)
        self.players = Players(floor.house_log)
        self.player_names = PlayerNames(floor.database, floor.clock)
        self.table_caches = TableCaches(floor, self.player_names)
        self.duty = Duty(floor.house_log)
        self.player_codes = PlayerCodes(floor, hashes, self.duty.now)
        self.floor_view = FloorFacts(floor)
        self.edges = LiveEdges(floor)
        self.acting = Acting(floor, self.floor_view.rules, self.duty.now)
        self.proposals = Proposals(floor, self.acting)
        self.counts = BlindCounts(floor, self.acting, self.proposals)
        self.shoe_register = ShoeRegister(floor.house_log)
        self.incidents = Incidents(floor.house_log)
        self.rounds = RoundReader(floor.database)
        self.alarms = Alarms(floor.house_log)
        self.alarm_watcher = AlarmWatcher(
            floor, self.alarms, self.floor_view.settings, self.floor_view.rules, self.edges.of
        )
        self.clock_watch = ClockWatch(floor, self.alarms, self.floor_view.settings)
        self.program = Program(floor)
        self.reports = Reports(floor.house_log)
        self.return_watch = ReturnWatch(floor, self.alarms, self.reports, self.floor_view.settings)
        self.stops = Stops(floor)
        self.acts = HouseActs(floor, self.proposals, self.accounts, self.visitors, self.stops)
        self.audited_days = AuditedDays(floor.house_log, self.reports)
        self.looks = Looks(floor.house_log)
        self.round_search = RoundSearch(floor.house_log)
        self.limits = RateLimits(config, floor.clock)
        self.questions = Turns(MAX_QUESTIONS_WAITING, _too_many_questions)
        """For the referee, whom anybody may ask: some questions take a second or two."""
        self.head_copies = (
            HeadCopies(floor.database, floor.clock, config.heads_to, config.heads_every_s, floor.process)
            if config.heads_to
            else None
        )
        """None if the server makes no copies of the heads."""
        self.jobs = Jobs(
            floor.house_log,
            JobSource(
                db=config.db, key_file=config.key_file, heads="" if is_address(config.heads_to) else config.heads_to
            ),
            self.floor_view.gaming_day,
            verify_daily=config.verify_daily,
        )
        self.metrics = Metrics()
        self.metrics.watch_floor(floor)
        self.metrics.watch_clocks(self.clock_watch)
        self.client_releases = ClientReleases(self.metrics)
        if self.head_copies is not None:
            self.metrics.watch_heads(self.head_copies)
        self.sockets = OpenSockets(config)
        self.connections = OpenConnections(config)
        self.hosts = Hosts(config)
        self.ready = True
        """False when the server is stopping."""


def _too_many_questions() -> FloorRefused:
    return FloorRefused(FloorCode.BUSY, variant="questions", wait_s=BUSY_WAIT_S, seconds=BUSY_WAIT_S)

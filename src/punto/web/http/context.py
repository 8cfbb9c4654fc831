"""What the web serves from: the floor, its people, and what is shown of its tables."""

from punto.floor.people.accounts import Accounts
from punto.floor.people.passwords import Passwords
from punto.floor.people.sessions import Sessions
from punto.floor.people.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.web.config import Config
from punto.web.http.auth import Hosts
from punto.web.http.metrics import Metrics
from punto.web.http.rate_limits import Lines, OpenSockets, RateLimits
from punto.web.views.table_cache import Showings


class Service:
    """One of these a process."""

    def __init__(self, floor: Floor, config: Config, passwords: Passwords | None = None) -> None:
        self.floor = floor
        self.config = config
        kept = passwords or Passwords()
        self.sessions = Sessions(floor.house_log, kept)
        self.accounts = Accounts(floor.house_log, kept)
        self.visitors = Visitors(floor)
        self.showings = Showings(floor)
        self.limits = RateLimits(config, floor.clock)
        self.metrics = Metrics()
        self.sockets = OpenSockets(config)
        self.lines = Lines(config)
        self.hosts = Hosts(config)
        self.ready = True
        """False from the moment on that the server is told to stop."""

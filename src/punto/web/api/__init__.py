"""Every endpoint of the API, by subject."""

from punto.web.api import accounts, books, cards, commands, history, session, tables
from punto.web.http.endpoint import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = (
    *commands.ENDPOINTS,  # looked at first
    *session.ENDPOINTS,
    *tables.ENDPOINTS,
    *cards.ENDPOINTS,
    *history.ENDPOINTS,
    *accounts.ENDPOINTS,
    *books.ENDPOINTS,
)

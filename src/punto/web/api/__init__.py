"""Every endpoint of the API, by subject."""

from punto.web.api import accounts, cards, commands, history, law, session, tables
from punto.web.door import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = (
    *commands.ENDPOINTS,  # looked at first
    *session.ENDPOINTS,
    *tables.ENDPOINTS,
    *cards.ENDPOINTS,
    *history.ENDPOINTS,
    *accounts.ENDPOINTS,
    *law.ENDPOINTS,
)

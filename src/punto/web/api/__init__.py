"""All endpoints of the API, by subject."""

from punto.web.api import (
    accounts,
    audit,
    books,
    cards,
    chips,
    commands,
    duty,
    history,
    incidents,
    own_account,
    players,
    previews,
    proposals,
    readings,
    referee,
    reports,
    session,
    settings,
    tables,
    terminals,
)
from punto.web.http.endpoint import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = (
    *commands.ENDPOINTS,  # first, because routes are matched in order and these are used most
    *session.ENDPOINTS,
    *own_account.ENDPOINTS,
    *tables.ENDPOINTS,
    *cards.ENDPOINTS,
    *previews.ENDPOINTS,
    *proposals.ENDPOINTS,
    *history.ENDPOINTS,
    *incidents.ENDPOINTS,
    *reports.ENDPOINTS,
    *accounts.ENDPOINTS,
    *terminals.ENDPOINTS,
    *players.ENDPOINTS,
    *duty.ENDPOINTS,
    *chips.ENDPOINTS,
    *settings.ENDPOINTS,
    *books.ENDPOINTS,
    *readings.ENDPOINTS,
    *referee.ENDPOINTS,
    *audit.ENDPOINTS,
)

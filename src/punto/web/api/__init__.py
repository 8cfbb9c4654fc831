"""All endpoints of the API, by subject."""

from punto.web.api import books, cards, commands, history, previews, readings, referee, rounds, tables
from punto.web.api.audit import audit_days, exceptions, jobs, looks, packs, program, record, round_search
from punto.web.api.people import accounts, duty, own_account, player_days, players, proposals, session, terminals
from punto.web.api.pit import alarms, chips, counts, edges, incidents, reports, settings, shoes, stops
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
    *rounds.ENDPOINTS,
    *incidents.ENDPOINTS,
    *alarms.ENDPOINTS,
    *shoes.ENDPOINTS,
    *reports.ENDPOINTS,
    *accounts.ENDPOINTS,
    *terminals.ENDPOINTS,
    *players.ENDPOINTS,
    *player_days.ENDPOINTS,
    *duty.ENDPOINTS,
    *edges.ENDPOINTS,
    *chips.ENDPOINTS,
    *counts.ENDPOINTS,
    *settings.ENDPOINTS,
    *stops.ENDPOINTS,
    *books.ENDPOINTS,
    *readings.ENDPOINTS,
    *referee.ENDPOINTS,
    *exceptions.ENDPOINTS,
    *jobs.ENDPOINTS,
    *audit_days.ENDPOINTS,
    *program.ENDPOINTS,
    *record.ENDPOINTS,
    *looks.ENDPOINTS,
    *round_search.ENDPOINTS,
    *packs.ENDPOINTS,
)

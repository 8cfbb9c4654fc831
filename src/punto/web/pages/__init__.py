"""The pages: rendered on the server, and updated live over a WebSocket."""

from starlette.routing import BaseRoute, Route, WebSocketRoute

from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint
from punto.web.pages import (
    approvals,
    board,
    complaints,
    fairness,
    history,
    lobby,
    me,
    odds,
    rules,
    settings,
    sign_in,
    start,
)
from punto.web.pages.audit import day_page, jobs_page, looks_page, program_page, record_page, search_page
from punto.web.pages.base import static_files
from punto.web.pages.base.handler import PageHandler
from punto.web.pages.dealer import dialogs, key_card
from punto.web.pages.dealer import endpoint as console
from punto.web.pages.guide import endpoint as guide
from punto.web.pages.incidents import endpoint as incidents
from punto.web.pages.page_socket import PageSockets
from punto.web.pages.pit import endpoint as pit
from punto.web.pages.pit import players_page, shoes_page, stops_page
from punto.web.pages.referee import endpoint as referee
from punto.web.pages.registry import Screens
from punto.web.pages.reports import endpoint as reports
from punto.web.pages.rounds import endpoint as round_page
from punto.web.pages.table import endpoint


def page_routes(service: Service) -> list[BaseRoute]:
    """The routes of all pages. Reads the static files now, before the server listens."""
    static_files.static_files()
    screens = Screens(service)
    endpoints: list[Endpoint] = [
        *lobby.endpoints(screens.lobby),
        *endpoint.endpoints(screens.tables),
        *console.endpoints(screens.consoles),
        *dialogs.endpoints(screens.consoles),
        *key_card.endpoints(screens.consoles),
        *guide.endpoints(screens.guides),
        *approvals.endpoints(screens.approvals),
        *pit.endpoints(screens.pit, screens.pit_tables),
        *board.endpoints(screens.boards),
        *odds.endpoints(screens.odds),
        *fairness.ENDPOINTS,
        *complaints.ENDPOINTS,
        *history.ENDPOINTS,
        *round_page.ENDPOINTS,
        *incidents.ENDPOINTS,
        *reports.ENDPOINTS,
        *day_page.ENDPOINTS,
        *search_page.ENDPOINTS,
        *looks_page.ENDPOINTS,
        *jobs_page.endpoints(screens.jobs),
        *program_page.ENDPOINTS,
        *record_page.ENDPOINTS,
        *sign_in.ENDPOINTS,
        *start.ENDPOINTS,
        *me.ENDPOINTS,
        *settings.ENDPOINTS,
        *shoes_page.ENDPOINTS,
        *stops_page.endpoints(screens.stops),
        *players_page.ENDPOINTS,
        *rules.ENDPOINTS,
        *referee.ENDPOINTS,
    ]
    routes: list[BaseRoute] = [Route(each.path, PageHandler(service, [each])) for each in endpoints]
    routes.append(Route(static_files.ENDPOINT.path, static_files.StaticHandler(service, [static_files.ENDPOINT])))
    routes.append(WebSocketRoute("/live/{path:path}", PageSockets(service, screens)))
    return routes

"""The pages: server-rendered, and morphed live over the socket."""

from starlette.routing import BaseRoute, Route, WebSocketRoute

from punto.web.door import Door, Endpoint
from punto.web.pages import (
    board_page,
    enter,
    fairness_page,
    history_page,
    lobby,
    odds_page,
    rules_page,
    static_files,
    tables,
)
from punto.web.pages.doors import PageDoor
from punto.web.pages.live_page import PageSockets
from punto.web.pages.screens import Screens
from punto.web.service import Service


def page_routes(service: Service) -> list[BaseRoute]:
    """The routes of all pages."""
    screens = Screens(service)
    endpoints: list[Endpoint] = [
        *lobby.endpoints(screens.lobby),
        *tables.endpoints(screens),
        *board_page.endpoints(screens.boards),
        *odds_page.endpoints(screens.odds),
        *fairness_page.ENDPOINTS,
        *history_page.ENDPOINTS,
        *enter.ENDPOINTS,
        *rules_page.ENDPOINTS,
    ]
    routes: list[BaseRoute] = [Route(each.path, PageDoor(service, [each])) for each in endpoints]
    of_files = static_files.endpoint()
    routes.append(Route(of_files.path, Door(service, [of_files])))
    routes.append(WebSocketRoute("/live/{path:path}", PageSockets(service, screens)))
    return routes

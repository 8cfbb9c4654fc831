"""What the bets of a table's next round are worth, for the pit and auditors."""

from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import BetEdge, EdgesView


async def get(call: HttpRequest) -> EdgesView:
    known = await call.service.edges.read(call.by, call.path["table"])
    if known is None:
        table = call.path["table"]
        return EdgesView(table=table, round=None, shoe=None, drawn=0, first_card_known=False, bets=())
    return EdgesView(
        table=known.table,
        round=known.round_next,
        shoe=known.shoe,
        drawn=known.drawn,
        first_card_known=known.first_card_known,
        bets=tuple(BetEdge(bet=bet, edge=str(edge), edge_float=float(edge)) for bet, edge in known.edges.items()),
    )


ENDPOINTS = (Endpoint("GET", "/api/tables/{table}/edges", get, "Get the edges of the next round", EdgesView),)

"""Who works here, in which position this shift, and what visitors are allowed."""

from punto.floor.journal.house_events import DEFAULT_BOXES
from punto.floor.people.accounts import TOKEN_DAYS, AccountLine
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.positions import Position
from punto.web.http.endpoint import Access, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class AccountAsked(RequestBody, frozen=True):
    """An account for one of the staff."""

    name: str
    position: Position | None = None
    """None: off duty."""


class PositionAsked(RequestBody, frozen=True):
    """The position for this shift."""

    position: Position | None


class TokenAsked(RequestBody, frozen=True):
    """A token for a machine."""

    name: str
    position: Position
    days: int = TOKEN_DAYS


class FloorRulesAsked(RequestBody, frozen=True):
    """What the floor allows visitors."""

    visitors: bool
    buy_in_minor: int = 0
    buy_ins: int = 1
    boxes: int = DEFAULT_BOXES
    tables: tuple[str, ...] = ()


class OneTime(Message, frozen=True):
    """A password that is told once, and has to be changed at the first sign-in."""

    name: str
    password: str


class Issued(Message, frozen=True):
    """A token that is told once."""

    name: str
    token: str


class AccountList(Message, frozen=True):
    """All accounts, by name."""

    accounts: tuple[AccountLine, ...]


async def listed(call: HttpRequest) -> AccountList:
    """All accounts."""
    return AccountList(accounts=tuple(await call.service.accounts.list(call.by)))


async def create(call: HttpRequest) -> OneTime:
    """An account, with a one-time password."""
    password = await call.service.accounts.create(call.by, call.body.name, call.body.position)
    return OneTime(name=call.body.name, password=password)


async def assign(call: HttpRequest) -> None:
    """The position for this shift, or none."""
    await call.service.accounts.assign(call.by, call.path["name"], call.body.position)


async def reset_password(call: HttpRequest) -> OneTime:
    """A new one-time password."""
    name = call.path["name"]
    return OneTime(name=name, password=await call.service.accounts.reset_password(call.by, name))


async def revoke(call: HttpRequest) -> None:
    """End every session and token of somebody's."""
    await call.service.accounts.revoke(call.by, call.path["name"])


async def issue_token(call: HttpRequest) -> Issued:
    """A token for a machine."""
    asked = call.body
    token = await call.service.accounts.issue_token(call.by, asked.name, asked.position, asked.days)
    return Issued(name=asked.name, token=token)


async def rules(call: HttpRequest) -> FloorRules:
    """What the floor allows visitors."""
    return await call.service.visitors.rules()


async def change_rules(call: HttpRequest) -> FloorRules:
    """Other rules from now on."""
    asked = call.body
    wanted = FloorRules(asked.visitors, asked.buy_in_minor, asked.buy_ins, asked.tables, asked.boxes)
    await call.service.visitors.change_rules(call.by, wanted)
    call.service.floor_view.refresh()
    return wanted


_ONE = "/api/accounts/{name}"

ENDPOINTS = (
    Endpoint("GET", "/api/accounts", listed, "All accounts", AccountList, tag="accounts"),
    Endpoint("POST", "/api/accounts", create, "Create an account", OneTime, AccountAsked, status=201, tag="accounts"),
    Endpoint("PUT", f"{_ONE}/position", assign, "Assign a position", body=PositionAsked, status=204, tag="accounts"),
    Endpoint("POST", f"{_ONE}/password", reset_password, "Set a new one-time password", OneTime, tag="accounts"),
    Endpoint("DELETE", f"{_ONE}/sessions", revoke, "Sign somebody out everywhere", status=204, tag="accounts"),
    Endpoint(
        "POST", "/api/tokens", issue_token, "Issue a token to a machine", Issued, TokenAsked, status=201, tag="accounts"
    ),
    Endpoint("GET", "/api/floor-rules", rules, "What visitors may", FloorRules, access=Access.ANYBODY, tag="accounts"),
    Endpoint("PUT", "/api/floor-rules", change_rules, "Change that", FloorRules, FloorRulesAsked, tag="accounts"),
)

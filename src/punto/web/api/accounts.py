"""Accounts of staff and machines, their positions, and what visitors may do."""

from punto.floor.journal.house_events import DEFAULT_BOXES
from punto.floor.journal.token_bounds import TokenBounds, Work
from punto.floor.people.accounts import TOKEN_DAYS, AccountLine
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.positions import Position
from punto.web.http.endpoint import Access, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class AccountRequest(RequestBody, frozen=True):
    """A new account for an employee. Without `position` they are off duty."""

    name: str
    position: Position | None = None


class PositionRequest(RequestBody, frozen=True):
    """The position of an employee for this shift; null means off duty."""

    position: Position | None


class TokenRequest(RequestBody, frozen=True):
    """A token for a machine, valid for `days` days.

    `work` is `cards`, `commands` or `read`, at `table`. A token for reading may be for all tables, without `table`.
    """

    name: str
    position: Position
    days: int = TOKEN_DAYS
    work: Work = Work.UNBOUND
    table: str = ""


class FloorRulesRequest(RequestBody, frozen=True):
    """What visitors may do: whether they may enter, and how much play money they get at which tables."""

    visitors: bool
    buy_in_minor: int = 0
    buy_ins: int = 1
    boxes: int = DEFAULT_BOXES
    tables: tuple[str, ...] = ()
    totp_required: bool | None = None
    """Whether administrators, shift managers and casino managers need TOTP to act; null: as it is."""


class OneTimePassword(Message, frozen=True):
    """A one-time password. It is shown only once, and must be changed at the first sign-in."""

    name: str
    password: str


class IssuedToken(Message, frozen=True):
    """The new token of a machine. It is shown only once."""

    name: str
    token: str


class AccountList(Message, frozen=True):
    """All accounts, sorted by name."""

    accounts: tuple[AccountLine, ...]


async def list_accounts(call: HttpRequest) -> AccountList:
    return AccountList(accounts=tuple(await call.service.accounts.list(call.by)))


async def create(call: HttpRequest) -> OneTimePassword:
    password = await call.service.accounts.create(call.by, call.body.name, call.body.position)
    return OneTimePassword(name=call.body.name, password=password)


async def assign(call: HttpRequest) -> None:
    await call.service.accounts.assign(call.by, call.path["name"], call.body.position)


async def reset_password(call: HttpRequest) -> OneTimePassword:
    name = call.path["name"]
    return OneTimePassword(name=name, password=await call.service.accounts.reset_password(call.by, name))


async def revoke(call: HttpRequest) -> None:
    await call.service.accounts.revoke(call.by, call.path["name"])


async def revoke_visit(call: HttpRequest) -> None:
    await call.service.accounts.revoke_visit(call.by, call.path["name"])


async def issue_token(call: HttpRequest) -> IssuedToken:
    request = call.body
    bounds = TokenBounds(request.work, request.table)
    token = await call.service.accounts.issue_token(call.by, request.name, request.position, bounds, request.days)
    return IssuedToken(name=request.name, token=token)


async def rules(call: HttpRequest) -> FloorRules:
    return await call.service.visitors.rules()


async def change_rules(call: HttpRequest) -> FloorRules:
    request = call.body
    totp = request.totp_required
    if totp is None:
        totp = (await call.service.visitors.rules()).totp_required
    new_rules = FloorRules(request.visitors, request.buy_in_minor, request.buy_ins, request.tables, request.boxes, totp)
    await call.service.visitors.change_rules(call.by, new_rules)
    call.service.floor_view.refresh()
    return new_rules


_ACCOUNT = "/api/accounts/{name}"

ENDPOINTS = (
    Endpoint("GET", "/api/accounts", list_accounts, "List all accounts", AccountList, tag="accounts"),
    Endpoint(
        "POST",
        "/api/accounts",
        create,
        "Create an account",
        OneTimePassword,
        AccountRequest,
        status=201,
        tag="accounts",
    ),
    Endpoint(
        "PUT", f"{_ACCOUNT}/position", assign, "Assign a position", body=PositionRequest, status=204, tag="accounts"
    ),
    Endpoint(
        "POST", f"{_ACCOUNT}/password", reset_password, "Set a new one-time password", OneTimePassword, tag="accounts"
    ),
    Endpoint("DELETE", f"{_ACCOUNT}/sessions", revoke, "End all sessions and tokens", status=204, tag="accounts"),
    Endpoint("DELETE", "/api/visits/{name}", revoke_visit, "End a visit", status=204, tag="accounts"),
    Endpoint(
        "POST",
        "/api/tokens",
        issue_token,
        "Issue a token for a machine",
        IssuedToken,
        TokenRequest,
        status=201,
        tag="accounts",
    ),
    Endpoint(
        "GET", "/api/floor-rules", rules, "Get what visitors may do", FloorRules, access=Access.ANYBODY, tag="accounts"
    ),
    Endpoint(
        "PUT",
        "/api/floor-rules",
        change_rules,
        "Change what visitors may do",
        FloorRules,
        FloorRulesRequest,
        tag="accounts",
    ),
)

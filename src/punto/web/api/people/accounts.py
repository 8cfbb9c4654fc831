"""Accounts of staff and machines, their positions, and the rules of the floor.

What needs two people is refused here, where one person asks for it, unless the floor has no second one.
"""

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from punto.floor.journal.entry import tag
from punto.floor.journal.house_events import DEFAULT_BOXES
from punto.floor.journal.token_bounds import TOKEN_DAYS, TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import AccountLine
from punto.floor.people.approvals.four_eyes import ALONE, BY_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.positions import Position
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest
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
    work: TokenWork = TokenWork.UNBOUND
    table: str = ""


class FloorRulesRequest(RequestBody, frozen=True):
    """What visitors may do, how much play money they get at which tables, and whether some acts need two people."""

    visitors: bool
    buy_in_minor: int = 0
    buy_ins: int = 1
    boxes: int = DEFAULT_BOXES
    tables: tuple[str, ...] = ()
    totp_required: bool | None = None
    """Whether administrators, shift managers and casino managers need TOTP to act; null: as it is."""
    four_eyes: bool | None = None
    """Whether accounts, tokens, opening and closing need two people; null: as it is."""


class FloorRulesView(Message, frozen=True):
    """What visitors may do. Which protections are on is for staff."""

    visitors: bool
    buy_in_minor: int
    buy_ins: int
    tables: tuple[str, ...]
    boxes: int
    totp_required: bool | UnsetType = UNSET
    four_eyes: bool | UnsetType = UNSET


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


class LoneActView(Message, frozen=True):
    """What one person did alone about an account. `name` is empty if it was about the rules of the floor."""

    version: int
    """In the house's stream."""
    at_us: int
    by: str
    name: str
    what: str
    """The tag of the event."""


class LoneActList(Message, frozen=True):
    """What two people have not confirmed yet, oldest first. Propose `confirm_accounts.1` with `up_to` and all names."""

    acts: tuple[LoneActView, ...]
    up_to: int
    """0 if there is nothing to confirm."""


async def list_accounts(call: HttpRequest) -> AccountList:
    return AccountList(accounts=tuple(await call.service.accounts.list(call.by)))


async def lone_acts(call: HttpRequest) -> LoneActList:
    found = (await call.service.acts.lone_acts(call.by)).acts
    return LoneActList(
        acts=tuple(
            LoneActView(version=act.version, at_us=act.at_us, by=act.by, name=act.name, what=tag(type(act.event)))
            for act in found
        ),
        up_to=found[-1].version if found else 0,
    )


async def create(call: HttpRequest) -> OneTimePassword:
    mandate = BY_CONSOLE if call.body.position is None else ALONE
    password = await call.service.accounts.create(call.by, call.body.name, call.body.position, mandate)
    return OneTimePassword(name=call.body.name, password=password)


async def assign(call: HttpRequest) -> None:
    await call.service.accounts.assign(call.by, call.path["name"], call.body.position, ALONE)


async def reset_password(call: HttpRequest) -> OneTimePassword:
    name = call.path["name"]
    return OneTimePassword(name=name, password=await call.service.accounts.reset_password(call.by, name, ALONE))


async def revoke(call: HttpRequest) -> None:
    await call.service.accounts.revoke(call.by, call.path["name"])


async def revoke_visit(call: HttpRequest) -> None:
    await call.service.accounts.revoke_visit(call.by, call.path["name"])


async def issue_token(call: HttpRequest) -> IssuedToken:
    request = call.body
    bounds = TokenBounds(request.work, request.table)
    token = await call.service.accounts.issue_token(
        call.by, request.name, request.position, bounds, request.days, ALONE
    )
    return IssuedToken(name=request.name, token=token)


async def rules(call: HttpRequest) -> FloorRulesView:
    view = FloorRulesView(**asdict(await call.service.visitors.rules()))
    by_staff = call.actor is not None and call.actor.position is not Position.PLAYER
    return view if by_staff else replace(view, totp_required=UNSET, four_eyes=UNSET)


async def change_rules(call: HttpRequest) -> FloorRules:
    request = call.body
    now = await call.service.visitors.rules()
    given = {name: value for name, value in asdict(request).items() if value is not None}
    new_rules = FloorRules(**{"totp_required": now.totp_required, "four_eyes": now.four_eyes, **given})
    await call.service.acts.change_rules_alone(call.by, new_rules)
    call.service.floor_view.refresh()
    return new_rules


_ACCOUNT = "/api/accounts/{name}"

ENDPOINTS = (
    Endpoint("GET", "/api/accounts", list_accounts, "List all accounts", AccountList, tag="accounts"),
    Endpoint(
        "GET",
        "/api/accounts/alone",
        lone_acts,
        "List what one person did alone about accounts and tokens",
        LoneActList,
        tag="accounts",
        cost=EXPENSIVE,
    ),
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
        "GET",
        "/api/floor-rules",
        rules,
        "Get the rules of the floor",
        FloorRulesView,
        access=Access.ANYBODY,
        tag="accounts",
    ),
    Endpoint(
        "PUT",
        "/api/floor-rules",
        change_rules,
        "Change the rules of the floor",
        FloorRules,
        FloorRulesRequest,
        tag="accounts",
    ),
)

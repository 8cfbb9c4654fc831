"""What people do about their own account: sessions, lock, PIN and TOTP."""

from punto.floor.people.accounts.own_account import OwnSession
from punto.floor.people.accounts.totp import address_of, written
from punto.rules.refusals import Refused
from punto.web.http.disconnects import while_connected
from punto.web.http.endpoint import Access, Endpoint, HttpRequest
from punto.web.http.errors import WebCode
from punto.web.messages import Message, PinRequest, TotpCode, TotpRequest, TotpSecret, UnlockRequest


class OwnSessionList(Message, frozen=True):
    """Your own sessions, oldest first."""

    sessions: tuple[OwnSession, ...]


async def sessions(call: HttpRequest) -> OwnSessionList:
    return OwnSessionList(sessions=tuple(await call.service.own_account.sessions(call.token)))


async def end_session(call: HttpRequest) -> None:
    await call.service.own_account.end_session(call.token, call.path["session"])


async def lock(call: HttpRequest) -> None:
    await call.service.own_account.lock(call.token)


async def unlock(call: HttpRequest) -> None:
    pin, password, own = call.body.pin, call.body.password, call.service.own_account
    if (pin is None) is (password is None):
        raise Refused(WebCode.BAD_REQUEST, variant="unlock")
    call.service.limits.sign_ins.take(call.terminal or call.address)
    if password is not None:
        await while_connected(call, own.unlock_by_password(call.token, password))
    elif pin is not None:
        await while_connected(call, own.unlock_by_pin(call.token, pin, call.terminal))


async def set_pin(call: HttpRequest) -> None:
    call.service.limits.sign_ins.take(call.address)
    await while_connected(call, call.service.pins.set(call.token, call.body.password, call.body.pin))


async def set_up_totp(call: HttpRequest) -> TotpSecret:
    call.service.limits.sign_ins.take(call.address)
    own, request = call.service.own_account, call.body
    secret = await while_connected(call, own.set_up_totp(call.token, request.password, request.code))
    name = (await call.service.sessions.standing(call.token)).name
    return TotpSecret(secret=written(secret), address=address_of(secret, name))


async def confirm_totp(call: HttpRequest) -> None:
    call.service.limits.sign_ins.take(call.address)
    await call.service.own_account.confirm_totp(call.token, call.body.code)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/session/list",
        sessions,
        "List your own sessions",
        OwnSessionList,
        access=Access.SESSION,
        tag="session",
    ),
    Endpoint(
        "DELETE",
        "/api/session/list/{session}",
        end_session,
        "End one of your own sessions",
        access=Access.SESSION,
        status=204,
        tag="session",
    ),
    Endpoint("POST", "/api/session/lock", lock, "Lock your session", access=Access.SESSION, status=204, tag="session"),
    Endpoint(
        "POST",
        "/api/session/unlock",
        unlock,
        "Unlock your session",
        body=UnlockRequest,
        access=Access.SESSION,
        status=204,
        tag="session",
    ),
    Endpoint(
        "PUT",
        "/api/session/pin",
        set_pin,
        "Set your own PIN",
        body=PinRequest,
        access=Access.SESSION,
        status=204,
        tag="session",
    ),
    Endpoint(
        "POST",
        "/api/session/totp",
        set_up_totp,
        "Set up TOTP",
        TotpSecret,
        TotpRequest,
        access=Access.SESSION,
        tag="session",
    ),
    Endpoint(
        "PUT",
        "/api/session/totp",
        confirm_totp,
        "Confirm TOTP by a code",
        body=TotpCode,
        access=Access.SESSION,
        status=204,
        tag="session",
    ),
)

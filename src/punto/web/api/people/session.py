"""Signing in and out: staff with a password, visitors with a name, registered players with a code."""

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.sessions.sessions import SignIn, Standing
from punto.rules.refusals import Refused
from punto.web.http.auth import caller, device_cookie, device_marks, session_cookie, terminal_cookie, terminal_key
from punto.web.http.disconnects import while_connected
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, WithCookies
from punto.web.http.errors import WebCode
from punto.web.messages import PasswordRequest, PlayerSignIn, SessionView, SignInRequest, VisitRequest

_KEEP = ("cookie", "token")


async def sign_in(call: HttpRequest) -> WithCookies:
    """Limits and locks of strangers do not apply to a device that has signed in to the account before."""
    request, sessions = call.body, call.service.sessions
    _require_keep(request.keep)
    device = await sessions.known_device(request.name, device_marks(call.service.config, call.headers))
    call.service.limits.sign_ins.take(device or call.address)
    signing_in = sessions.sign_in(request.name, request.password, call.address, device, request.code)
    opened = await while_connected(call, signing_in)
    return _answer(call, opened, request.keep, await sessions.standing(opened.token))


async def enter(call: HttpRequest) -> WithCookies:
    _require_keep(call.body.keep)
    call.service.limits.sign_ins.take(call.address)
    name = call.body.name.strip(" ")  # keyboards of phones append a space to a completed word
    return _answer(call, await call.service.visitors.enter(name), call.body.keep)


async def enter_with_code(call: HttpRequest) -> WithCookies:
    request, codes = call.body, call.service.player_codes
    _require_keep(request.keep)
    call.service.limits.sign_ins.take(call.address)
    opened = await while_connected(call, codes.sign_in(request.player, request.code, call.address))
    return _answer(call, opened, request.keep, await call.service.sessions.standing(opened.token))


def _require_keep(keep: str) -> None:
    if keep not in _KEEP:
        raise Refused(WebCode.BAD_REQUEST, variant="keep", text=keep[:40], choices=_KEEP)


def _answer(call: HttpRequest, opened: SignIn, keep: str, standing: Standing | None = None) -> WithCookies:
    seconds = max(0, (opened.expires_us - call.service.floor.clock.now_us()) // 1_000_000)
    session = SessionView(
        name=opened.name,
        position=opened.position,
        to_change=opened.to_change,
        locks_us=standing.locks_us if standing else None,
        totp_to_set_up=standing.totp_to_set_up if standing else False,
        terminal=call.terminal or None,
        table=(standing.table or None) if standing else None,
        expires_us=opened.expires_us,
        token=opened.token if keep == "token" else None,
    )
    if keep == "token":
        return WithCookies(session, ())
    cookie = session_cookie(call.service.config, opened.token, seconds)
    key = terminal_key(call.service.config, call.headers) if call.terminal else ""
    renewed = (terminal_cookie(call.service.config, key),) if key else ()
    return WithCookies(session, (cookie, *_device_cookies(call, opened.mark), *renewed))


def _device_cookies(call: HttpRequest, mark: str) -> tuple[str, ...]:
    return (device_cookie(call.service.config, call.headers, mark),) if mark else ()


async def current(call: HttpRequest) -> SessionView:
    session = await call.service.sessions.standing(call.token)
    return SessionView(
        name=session.name,
        position=session.position,
        to_change=session.to_change,
        locked=session.locked,
        locks_us=session.locks_us,
        totp_to_set_up=session.totp_to_set_up,
        terminal=call.terminal or None,
        table=session.table or None,
    )


async def sign_out(call: HttpRequest) -> WithCookies:
    """Visitors also give back their play money."""
    try:
        await call.service.visitors.leave(call.token)
    except FloorRefused as refused:
        if refused.code is not FloorCode.NOT_SIGNED_IN:
            raise
        await call.service.sessions.sign_out(call.token)
    return WithCookies(None, (session_cookie(call.service.config, "", 0),))


async def change_password(call: HttpRequest) -> WithCookies:
    """Ends all other sessions of the same person. Browsers that knew the former password are strangers again."""
    service, body = call.service, call.body
    service.limits.sign_ins.take(call.address)
    mark = await while_connected(call, service.sessions.change_password(call.token, body.before, body.password))
    by_cookie = caller(service.config, call.headers).by_cookie
    return WithCookies(None, _device_cookies(call, mark) if by_cookie else ())


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/session",
        sign_in,
        "Sign in as an employee",
        answer=SessionView,
        body=SignInRequest,
        access=Access.ANYBODY,
        tag="session",
    ),
    Endpoint(
        "POST",
        "/api/session/code",
        enter_with_code,
        "Sign in as a registered player, with the code on a buy-in slip",
        answer=SessionView,
        body=PlayerSignIn,
        access=Access.ANYBODY,
        tag="session",
    ),
    Endpoint("GET", "/api/session", current, "Get who is signed in", SessionView, access=Access.SESSION, tag="session"),
    Endpoint("DELETE", "/api/session", sign_out, "Sign out", access=Access.SESSION, status=204, tag="session"),
    Endpoint(
        "POST",
        "/api/session/password",
        change_password,
        "Change your own password",
        body=PasswordRequest,
        access=Access.SESSION,
        status=204,
        tag="session",
    ),
    Endpoint(
        "POST",
        "/api/visit",
        enter,
        "Enter as a visitor",
        answer=SessionView,
        body=VisitRequest,
        access=Access.ANYBODY,
        tag="session",
    ),
)

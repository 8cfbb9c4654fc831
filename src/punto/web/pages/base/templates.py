"""From a template and what it speaks of to a page, under a policy that lets nothing in from outside."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from punto.rules.money import write_amount
from punto.web.http.endpoint import Raw
from punto.web.pages.base.i18n import TONGUES, Language

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "font-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""No inline script or style, nothing from another host, in nobody's frame."""


@cache
def templates() -> Environment:
    """The templates; a name that a template does not get is a slip of ours and says so."""
    environment = Environment(
        loader=PackageLoader("punto.web.pages", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["money"] = money
    environment.globals["static"] = static
    return environment


def render(template: str, language: Language, **values: Any) -> str:
    """A page, or a piece of one."""
    return templates().get_template(template).render(t=TONGUES[language], language=language, **values)


def page(template: str, language: Language, **values: Any) -> Raw:
    """A whole page as an answer."""
    return Raw(render(template, language, **values).encode(), "text/html; charset=utf-8")


def money(minor: int) -> str:
    """An amount as people write it: cents only where there are some."""
    text = write_amount(abs(minor))
    whole, _, cents = text.partition(".")
    grouped = f"{int(whole):,}"
    return ("\N{MINUS SIGN}" if minor < 0 else "") + (grouped if cents in ("", "00") else f"{grouped}.{cents}")


def svg(drawn: str) -> Markup:
    """A picture that our own code has drawn and escaped."""
    return Markup(drawn)  # noqa: S704 - see above


@cache
def static(name: str) -> str:
    """The address of a static file, with a mark of what is in it, so that browsers may keep it for ever."""
    mark = hashlib.sha256(files("punto.web.pages").joinpath("static", name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{mark}"

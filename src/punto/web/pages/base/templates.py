"""Renders templates, under a content security policy that allows nothing from other hosts."""

import asyncio
import re
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import asdict

import punto
from punto.catalogue.sentence import Language
from punto.catalogue.values import write_cents, write_money
from punto.floor.house.projections.sessions import IDLE_S
from punto.floor.turns import in_thread
from punto.web.http.endpoint import Raw
from punto.web.pages.base.i18n import (
    CHINESE,
    FELT_SIGNS,
    TRANSLATORS,
    Translator,
    clause_mark,
    clause_name,
    definitions,
)
from punto.web.pages.base.static_files import card_faces, module, static
from punto.web.views.round_names import round_address

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
"""No inline script or style, nothing from another host, not in a frame."""


class Context(Struct, frozen=True, kw_only=True):
    """The variables of one template, besides ``t`` and ``language``. Each template has its own class."""

    template: ClassVar[str]

    def names(self) -> dict[str, Any]:
        return asdict(self)


@cache
def templates() -> Environment:
    """The templates. A variable that is missing is an error."""
    environment = Environment(
        loader=PackageLoader("punto.web.pages", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["money"] = write_money
    environment.filters["cents"] = write_cents
    environment.filters["local"] = local_time
    environment.globals["static"] = static
    environment.globals["module"] = module
    environment.globals["card_faces"] = card_faces
    environment.globals["felt_signs"] = FELT_SIGNS
    environment.globals["chinese"] = CHINESE
    environment.globals["clause_mark"] = clause_mark
    environment.globals["clause_name"] = clause_name
    environment.globals["definitions"] = definitions
    environment.globals["idle_s"] = IDLE_S
    environment.globals["round_address"] = round_address
    environment.globals["release"] = punto.__version__
    return environment


def local_time(at: datetime, shows: Literal["minute", "second", "time", "clock"] = "minute") -> Markup:
    """A moment of :meth:`GamingDay.local` as the clocks of the floor show it; programs read it in UTC."""
    exact = at.astimezone(UTC).isoformat(timespec="seconds")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, at.tzinfo, at.strftime(_SHOWN[shows]))


_SHOWN = {"minute": "%Y-%m-%d %H:%M", "second": "%Y-%m-%d %H:%M:%S", "time": "%H:%M", "clock": "%H:%M:%S"}


async def compile_templates(*kinds: type[Context]) -> None:
    """Compile these templates if needed. That takes up to 30 ms each, so it is done in a thread."""
    new = [kind.template for kind in kinds if kind.template not in _COMPILED]
    if new:
        await asyncio.to_thread(_compile, new)


_COMPILED: set[str] = set()


def _compile(names: list[str]) -> None:
    """Compile these and all templates that they extend, include or import."""
    environment, pending = templates(), list(names)
    assert environment.loader is not None  # noqa: S101 - see above
    while pending:
        name = pending.pop()
        if name not in _COMPILED:
            environment.get_template(name)
            pending += named_in(environment.loader.get_source(environment, name)[0])
            _COMPILED.add(name)


def named_in(source: str) -> list[str]:
    """The templates that a template refers to. Found by a regular expression, because parsing is too slow."""
    return _NAMED.findall(source)


_NAMED = re.compile(r'{%-?\s*(?:extends|include|from|import)\s+"([^"]+)"')


def render(context: Context, language: Language, t: Translator | None = None) -> str:
    """Render a page or a piece of one. The template must be compiled first, see ``compile_templates``."""
    template = templates().get_template(context.template)
    return template.render(t=t or TRANSLATORS[language], language=language, **context.names())


async def page(context: Context, language: Language, t: Translator | None = None) -> Raw:
    await compile_templates(type(context))
    return Raw(render(context, language, t).encode(), "text/html; charset=utf-8")


async def large_page(context: Context, language: Language) -> Raw:
    """A page that takes long to render: in a thread, so that others are answered meanwhile."""
    await compile_templates(type(context))
    html = await in_thread(render, context, language)
    return Raw(html.encode(), "text/html; charset=utf-8")


def rendered(html: str) -> Markup:
    """Mark HTML from one of our templates as safe to use in another."""
    return Markup(html)  # noqa: S704 - see above


def svg(drawing: str) -> Markup:
    """Mark an SVG that our own code has drawn and escaped as safe."""
    return Markup(drawing)  # noqa: S704 - see above

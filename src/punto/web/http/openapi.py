"""The OpenAPI document, made from the endpoints and the records themselves."""

import re
from collections.abc import Iterable
from typing import Any, get_args

import msgspec

import punto
from punto.table.records.commands import RESERVED_FIELDS
from punto.table.vocabulary import AnyCommand, AnyEvent
from punto.web.http.endpoint import MOST_BODY, Access, Endpoint
from punto.web.messages import CommandAsked, ErrorBody, EventView, Legal

_REF = "#/components/schemas/{name}"
_ERRORS = {
    "400": "What was sent is not as expected",
    "401": "Nobody is signed in",
    "403": "Not for this position, or from another site's page",
    "404": "There is no such thing",
    "409": "It conflicts with how things stand",
    "413": f"The body is longer than {MOST_BODY} bytes",
    "415": "The body is not application/json",
    "429": "Too often",
    "500": "A fault of ours; the log says what",
    "503": "The database does not answer; ask again with the same command id",
}


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The whole document."""
    endpoints = list(endpoints)
    kinds = [kind for each in endpoints for kind in (each.answer, each.body) if kind is not None]
    _, components = msgspec.json.schema_components([*kinds, ErrorBody, AnyCommand, AnyEvent], ref_template=_REF)
    _say_commands(components)
    paths: dict[str, Any] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Punto",
            "version": punto.__version__,
            "description": "Baccarat tables by the book. Amounts are integers of the smallest unit of the currency.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "punto"},
            },
        },
    }


def _say_commands(components: dict[str, Any]) -> None:
    """A command over the wire does not say who gives it; and where one may stand, all of them may."""
    for kind in get_args(AnyCommand):
        schema = components[kind.__name__]
        for name in RESERVED_FIELDS:
            schema["properties"].pop(name, None)
            schema["required"] = [field for field in schema.get("required", ()) if field != name]
        if not schema["required"]:
            del schema["required"]
    commands = {"oneOf": [{"$ref": _REF.format(name=kind.__name__)} for kind in get_args(AnyCommand)]}
    components[CommandAsked.__name__]["properties"]["command"] = commands
    components[Legal.__name__]["properties"]["command"] = commands
    components[EventView.__name__]["properties"]["event"]["description"] = (
        "One of the events of a table (see the schemas of their names), less what the position may not see"
    )


def _operation(each: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{each.method.lower()}{re.sub('[^a-z]+', '_', each.path.removeprefix('/api'))}".rstrip("_"),
        "summary": each.summary,
        "tags": [each.tag],
        "parameters": [*_path_parameters(each.path), *_query_parameters(each)],
        "responses": _responses(each),
    }
    if each.body is not None:
        content = {"application/json": {"schema": {"$ref": _REF.format(name=each.body.__name__)}}}
        operation["requestBody"] = {"required": True, "content": content}
    if each.access is not Access.ANYBODY:
        operation["security"] = [{"bearer": []}, {"cookie": []}]
    return operation


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = re.findall("{([a-z]+)}", path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(each: Endpoint) -> list[dict[str, Any]]:
    if each.query is None:
        return []
    (_,), components = msgspec.json.schema_components([each.query], ref_template=_REF)
    schema = components[each.query.__name__]
    return [
        {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": _plain(of)}
        for name, of in schema["properties"].items()
    ]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter that may be left out has no null: it is not there."""
    if "anyOf" in schema:
        kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "null"]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return schema


def _responses(each: Endpoint) -> dict[str, Any]:
    done: dict[str, Any] = {"description": "Done"}
    if each.kind != "application/json":
        done["content"] = {each.kind: {"schema": {"type": "string"}}}
    elif each.answer is not None:
        done["content"] = {"application/json": {"schema": {"$ref": _REF.format(name=each.answer.__name__)}}}
    error = {"application/json": {"schema": {"$ref": _REF.format(name=ErrorBody.__name__)}}}
    wrong = {status: {"description": words, "content": error} for status, words in _ERRORS.items()}
    return {str(each.status): done, **wrong}

"""Makes the OpenAPI document from the endpoints and the message types."""

import re
from collections.abc import Iterable
from typing import Any, get_args

import msgspec

import punto
from punto.table.records.commands import RESERVED_FIELDS
from punto.table.vocabulary import AnyCommand, AnyEvent
from punto.web.http.body import MAX_BODY_BYTES
from punto.web.http.endpoint import Access, Endpoint
from punto.web.messages import CommandRequest, ErrorBody, EventView, Legal

_REF = "#/components/schemas/{name}"
_ERRORS = {
    "400": "The request is not valid",
    "401": "You are not signed in",
    "403": "Your position does not allow this, or the request came from a page of another site",
    "404": "Not found",
    "409": "The request conflicts with the current state, such as a command that the table refuses now",
    "413": f"The body is longer than {MAX_BODY_BYTES} bytes",
    "415": "The body is not application/json",
    "423": "Your session was idle and is locked",
    "429": "Too many requests; wait as long as `retry-after` says",
    "500": "An error in the server; details are in its log",
    "503": "The database does not answer; try again, with the same command id",
}


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    endpoints = list(endpoints)
    kinds = [kind for each in endpoints for kind in (each.answer, each.body, each.query) if kind is not None]
    _, components = msgspec.json.schema_components([*kinds, ErrorBody, AnyCommand, AnyEvent], ref_template=_REF)
    _describe_commands(components)
    paths: dict[str, Any] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Punto",
            "version": punto.__version__,
            "description": "Baccarat tables by the book. Amounts are integers in the smallest unit of the currency.",
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


def _describe_commands(components: dict[str, Any]) -> None:
    """List all commands where one is expected. Fields that the session fills in are left out."""
    for kind in get_args(AnyCommand):
        schema = components[kind.__name__]
        for name in RESERVED_FIELDS:
            schema["properties"].pop(name, None)
            schema["required"] = [field for field in schema.get("required", ()) if field != name]
        if not schema["required"]:
            del schema["required"]
    commands = {"oneOf": [{"$ref": _REF.format(name=kind.__name__)} for kind in get_args(AnyCommand)]}
    components[CommandRequest.__name__]["properties"]["command"] = commands
    components[Legal.__name__]["properties"]["command"] = commands
    components[EventView.__name__]["properties"]["event"]["description"] = (
        "An event of a table (see the schema of its name), without the fields that your position may not see"
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
    """Drop ``null``: a query parameter cannot be null, only missing."""
    if "anyOf" in schema:
        kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "null"]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return schema


def _responses(each: Endpoint) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Success"}
    if each.kind != "application/json":
        success["content"] = {each.kind: {"schema": {"type": "string"}}}
    elif each.answer is not None:
        success["content"] = {"application/json": {"schema": {"$ref": _REF.format(name=each.answer.__name__)}}}
    error = {"application/json": {"schema": {"$ref": _REF.format(name=ErrorBody.__name__)}}}
    errors = {status: {"description": description, "content": error} for status, description in _ERRORS.items()}
    return {str(each.status): success, **errors}

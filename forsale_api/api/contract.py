"""The API as a document, and what in it clients may rely on, one line each."""

from collections.abc import Iterator
from typing import Any

import yaml
from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator

DOCUMENT = "docs/openapi.yaml"
PROMISES = "docs/api-promises.txt"


def schema() -> dict[str, Any]:
    """The OpenAPI document in English."""
    with override("en"):
        generator: Any = SchemaGenerator
        return dict(generator().get_schema(request=None, public=True))


def document() -> str:
    """The OpenAPI document as YAML, the same for the same views."""
    return str(yaml.safe_dump(plain(schema()), allow_unicode=True, sort_keys=False, width=120))


def plain(data: Any) -> Any:
    """Without the classes that texts and lists of the generator have."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data if data is None or isinstance(data, bool | int | float) else str(data)


def promises() -> Iterator[str]:
    """What a client may rely on: operations, parameters, fields one may send, what it need not send, fields of
    answers and of webhooks' messages, codes."""
    whole = plain(schema())
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path}"
            yield name
            for parameter in operation.get("parameters", ()):
                parameter = _resolved(parameter, whole)
                yield f"{name} takes {parameter['in']} {parameter['name']}"
            for media in operation.get("requestBody", {}).get("content", {}).values():
                yield from (f"{name} takes {field}" for field in _fields(media["schema"], whole))
                yield from (f"{name} does not need {field}" for field in _optional(media["schema"], whole))
            for status, answer in operation["responses"].items():
                yield f"{name} may answer {status}"
                for media in _resolved(answer, whole).get("content", {}).values():
                    if status.startswith("2"):
                        yield from (f"{name} gives {field}" for field in _fields(media["schema"], whole))
    for event, methods in whole["webhooks"].items():
        message = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        yield f"webhook {event}"
        yield from (f"webhook {event} sends {field}" for field in _fields(message, whole))
    for code in whole["components"]["schemas"]["ProblemCode"]["enum"]:
        yield f"code {code}"


def _resolved(part: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def _fields(part: dict[str, Any], whole: dict[str, Any], place: str = "", depth: int = 0) -> Iterator[str]:
    part = _resolved(part, whole)
    if depth > 12:
        return
    for kind in ("oneOf", "anyOf", "allOf"):
        for other in part.get(kind, ()):
            yield from _fields(other, whole, place, depth + 1)
    if "items" in part:
        yield from _fields(part["items"], whole, f"{place}[]", depth + 1)
    for name, inner in part.get("properties", {}).items():
        here = f"{place}.{name}" if place else name
        yield here
        yield from _fields(inner, whole, here, depth + 1)


def _optional(part: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    part = _resolved(part, whole)
    yield from (name for name in part.get("properties", {}) if name not in part.get("required", ()))

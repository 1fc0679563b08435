"""How the OpenAPI file learns what the views say of themselves: parameters, headers, scopes, problems.

What a view declares (see `views.APIView`) is documented from there; a room adds bodies and answers by
`@extend_schema(request=In, responses={200: Out})` and, for a list, `responses={200: page_of(Out)}`.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from rest_framework import serializers

from forsale_api.api.codes import CODES
from forsale_api.api.fields import StrictSerializer
from forsale_api.api.formats import PROBLEM_TYPE
from forsale_api.api.paging import PageQuery
from forsale_api.api.permissions import SCOPES, any_of
from forsale_api.api.problems import TITLES

PROBLEM_SCHEMA = {
    "type": "object",
    "description": "An error, in the one shape all errors have (RFC 9457); some add members of their own.",
    "required": ["type", "title", "status", "detail", "errors"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference", "description": "Opens a page that explains the problem"},
        "title": {"type": "string", "description": "The same for every problem of this type"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What is wrong this time"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "additionalProperties": False,
                "properties": {
                    "pointer": {
                        "type": "string",
                        "description": "JSON pointer into the body, /parameter for a query parameter, empty for the "
                        "request as a whole",
                    },
                    "code": {"$ref": "#/components/schemas/ProblemCode"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}

STATUS_SLUGS = {
    400: "bad-request", 401: "not-authenticated", 403: "forbidden", 404: "not-found", 406: "not-acceptable",
    409: "conflict", 412: "stale", 413: "too-large", 415: "unsupported-media-type", 422: "against-the-rules",
    429: "too-many-requests", 503: "not-ready",
}  # fmt: skip

ETAG = {"ETag": {"schema": {"type": "string"}, "description": "Names this state; for If-None-Match and If-Match"}}
LOCATION = {"Location": {"schema": {"type": "string", "format": "uri"}, "description": "The address of what was made"}}
REPLAYED = {
    "Idempotent-Replayed": {"schema": {"type": "string"}, "description": "true where this is the first answer again"}
}


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"in": "header", "name": name, "schema": {"type": "string", **schema}, "description": description}


HEADERS = {
    "IfNoneMatch": _header("If-None-Match", "An ETag: answered 304 where the state is still that one"),
    "IfMatch": _header("If-Match", "An ETag: answered 412 where the state is another one by now"),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        "Made up by the caller; a repeat with the same key and body within 24 hours answers what the first did",
        minLength=1,
        maxLength=200,
        pattern="^[!-~]+$",
    ),
}


def _component(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "forsale_api.clubs.authentication.TokenAuthentication"
    name = ["token", "oauth2"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        scopes = {scope: str(text) for scope, text in SCOPES.items()}
        listed = "; ".join(f"`{scope}`: {text}" for scope, text in scopes.items())
        flow = {
            "authorizationUrl": "/oauth/authorize/",
            "tokenUrl": "/oauth/token/",
            "refreshUrl": "/oauth/token/",
            "scopes": scopes,
        }
        return [
            {"type": "http", "scheme": "bearer", "description": f"A personal token. Scopes: {listed}."},
            {
                "type": "oauth2",
                "description": "An app that acts for a member: authorization code with PKCE (S256).",
                "flows": {"authorizationCode": flow},
            },
        ]


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "forsale_api.clubs.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "The browser's; has all scopes."}


@cache
def page_of(row: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The documentation of a page of these rows, as `paging.page` answers it."""
    name = row.__name__.removesuffix("Serializer")
    return type(
        f"{name}PageSerializer",
        (serializers.Serializer,),
        {
            "next": serializers.URLField(allow_null=True, help_text=_("The next page, or null at the end")),
            "previous": serializers.URLField(allow_null=True, help_text=_("The page before, or null at the start")),
            "results": row(many=True),
        },
    )


def _refuse_blank_and_nul(field: serializers.CharField, schema: dict[str, Any]) -> None:
    """Says of a text in a request what the framework refuses: NUL, and nothing but blanks where it is cut."""
    if "string" not in schema.get("type", ()) or not {"pattern", "format", "enum"}.isdisjoint(schema):
        return
    needs_ink = not field.allow_blank and field.trim_whitespace
    schema["pattern"] = r"^[^\x00]*[^\s\x00][^\x00]*$" if needs_ink else r"^[^\x00]*$"


class AutoSchema(SpectacularAutoSchema):
    """Documents what our views declare."""

    def get_override_parameters(self) -> list[Any]:
        reader = getattr(self.view, "query_serializer", None)
        return [reader] if reader is not None and self.method == "GET" and reader().fields else []

    def get_operation_id(self) -> str:
        words = [word.replace("-", "_").replace(".", "_") for word in self._tokenize_path()] or ["root"]
        reader = getattr(self.view, "query_serializer", None)
        if self.method != "GET":
            action = self.method_mapping[self.method.lower()]
        elif reader is not None and issubclass(reader, PageQuery):
            action = "list"
        else:
            action = "retrieve" if self.path.endswith("}/") else "read"
        return "_".join([*words, action])

    def get_auth(self) -> list[dict[str, list[str]]]:
        """A token with one of the scopes, or a session; nobody at all where the method needs no caller."""
        super().get_auth()  # registers the schemes
        scopes = any_of(getattr(self.view, "scopes", {}).get(self.method, ()))
        needs_caller = bool(scopes) or self.method in getattr(self.view, "signed_in", ())
        ways = [{kind: [scope]} for scope in scopes for kind in ("token", "oauth2")] or [{"token": []}, {"oauth2": []}]
        return [*ways, {"session": []}, *([] if needs_caller else [{}])]

    def _map_serializer(self, serializer: Any, direction: str, bypass_extensions: bool = False) -> Any:
        schema: Any = super()._map_serializer(serializer, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        if direction == "request" and schema.get("type") == "object":
            instance = serializer() if isinstance(serializer, type) else serializer
            if isinstance(instance, StrictSerializer):
                schema["additionalProperties"] = False
            for name, field in getattr(instance, "fields", {}).items():
                if isinstance(field, serializers.CharField) and name in schema["properties"]:
                    _refuse_blank_and_nul(field, schema["properties"][name])
        return schema

    def get_operation(self, *args: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args)
        if operation is None:
            return None
        if self.method in getattr(self.view, "deprecations", {}):
            operation["deprecated"] = True
        answers: dict[str, Any] = operation["responses"]
        if self.method == "POST" and "requestBody" in operation:
            operation["requestBody"]["required"] = True  # even where no single field is
        if self.method == "GET":
            self._add_header(operation, "IfNoneMatch")
            for status in [status for status in answers if status.startswith("2")]:
                answers[status].setdefault("headers", {}).update(ETAG)
            answers["304"] = _component("responses", "unchanged")
        if self.method in getattr(self.view, "conditional", ()):
            self._add_header(operation, "IfMatch")
        if self._idempotent() or getattr(self.view, "reads_key", False):
            self._add_header(operation, "IdempotencyKey")
        for status in ("201", "202"):
            if status in answers:
                replayed = REPLAYED if self._idempotent() else {}
                answers[status].setdefault("headers", {}).update(LOCATION | replayed)
        for code in self._problem_statuses("requestBody" in operation):
            answers.setdefault(str(code), _component("responses", STATUS_SLUGS[code]))
        operation["responses"] = dict(sorted(answers.items()))
        return operation

    def _idempotent(self) -> bool:
        return bool(getattr(getattr(self.view, self.method.lower(), None), "idempotent", False))

    def _add_header(self, operation: dict[str, Any], name: str) -> None:
        operation.setdefault("parameters", []).append(_component("parameters", name))

    def _problem_statuses(self, has_body: bool) -> set[int]:
        codes = {400, 401, 406, 429, *getattr(self.view, "problems", {}).get(self.method, ())}
        writes = self.method not in ("GET", "HEAD")
        if "{" in self.path:
            codes.add(404)
        if writes or self.method in getattr(self.view, "scopes", {}):
            codes.add(403)  # a scope is missing, or a session without its CSRF token
        if has_body:
            codes |= {413, 415}
        if self._idempotent():
            codes |= {409, 422}
        if self.method in getattr(self.view, "conditional", ()):
            codes.add(412)
        return codes


def add_problems(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Adds what all operations share: the shape of problems, the closed list of their codes, the headers."""
    components = result["components"]
    components.setdefault("schemas", {}).update(
        Problem=PROBLEM_SCHEMA,
        ProblemCode={"type": "string", "enum": sorted(CODES), "description": "Never changes; for programs"},
    )
    components["parameters"] = HEADERS
    content = {PROBLEM_TYPE: {"schema": _component("schemas", "Problem")}}
    components["responses"] = {
        slug: {"description": str(TITLES[slug]), "content": content} for slug in STATUS_SLUGS.values()
    }
    components["responses"]["unchanged"] = {"description": "Unchanged since If-None-Match", "headers": ETAG}
    return result


# ---- examples ---------------------------------------------------------------------------------------

EXAMPLES = Path(__file__).with_name("examples.json")
"""What the API really answered to real requests; written by `.ci/contract`, held against the API by a test."""


@cache
def examples() -> dict[str, Any]:
    return dict(json.loads(EXAMPLES.read_text()))


def add_examples(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Shows beside every body and every answer one that was really sent."""
    found = examples()
    for operation in (operation for methods in result["paths"].values() for operation in methods.values()):
        for status, example in found["operations"].get(operation["operationId"], {}).items():
            if "request" in example:
                _show(operation["requestBody"], f"answered-{status}", example["request"])
            if "answer" in example:
                _show(operation["responses"][status], "answer", example["answer"])
    for slug, problem in found["problems"].items():
        _show(result["components"]["responses"][slug], "problem", problem)
    for event, message in found["webhooks"].items():
        _show(result["webhooks"][event]["post"]["requestBody"], "message", message)
    return result


def _show(part: dict[str, Any], name: str, value: Any) -> None:
    media = next(iter(part["content"].values()))
    media.setdefault("examples", {})[name] = {"value": value}

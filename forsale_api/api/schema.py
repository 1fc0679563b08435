"""How the OpenAPI file learns what the views say of themselves: query parameters, scopes, problems."""

from typing import Any

from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema

PROBLEM_SCHEMA = {
    "type": "object",
    "description": "An error, in the one shape all errors have (RFC 9457).",
    "required": ["type", "title", "status", "detail", "errors"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "JSON pointer into the body, or /parameter"},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}


class AutoSchema(SpectacularAutoSchema):
    """Reads `query_serializer` of our views, so that parameters are stated once."""

    def get_override_parameters(self) -> list[Any]:
        reader = getattr(self.view, "query_serializer", None)
        return [reader] if reader is not None and self.method == "GET" and reader().fields else []


def add_problems(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Adds the problem shape to every operation, as the answer to whatever is not listed."""
    result["components"].setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    answer = {
        "description": "A problem",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"].setdefault("default", answer)
    return result

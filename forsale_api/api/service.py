"""Addresses about the service itself: where everything is, what problems mean, the schema, health and figures."""

import logging
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from celery import current_app
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from prometheus_client import CONTENT_TYPE_LATEST
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api import metrics
from forsale_api.api.formats import PROBLEM_TYPE, JSONRenderer
from forsale_api.api.problems import ADVICE, TITLES, body, error_entry
from forsale_api.api.views import APIView

logger = logging.getLogger(__name__)

ROOT = "api/v1/"
BROKER_SECONDS = 2


# ---- where everything is, and what it means ---------------------------------------------------------


@cache
def addresses() -> tuple[str, ...]:
    """The paths below the root that need no id, read from the routes themselves."""

    def walk(patterns: list[Any], prefix: str) -> Iterator[str]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            elif isinstance(pattern, URLPattern) and path.startswith(ROOT) and not set(path) & set("<^*"):
                yield path.removeprefix(ROOT)

    return tuple(sorted(path for path in walk(get_resolver().url_patterns, "") if path))


class RootView(APIView):
    """Where to start."""

    @extend_schema(
        responses={200: {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}},
        operation_id="root",
        tags=["service"],
    )
    def get(self, request: Request) -> Response:
        """The addresses of this API that need no id, by their path."""
        here = request.build_absolute_uri(f"/{ROOT}")
        return Response({path.rstrip("/"): here + path for path in addresses()})


def explain(request: Request, slug: str) -> dict[str, str]:
    return {
        "type": request.build_absolute_uri(f"/{ROOT}problems/{slug}/"),
        "slug": slug,
        "title": str(TITLES[slug]),
        "advice": str(ADVICE[slug]),
    }


PROBLEM_TYPE_SCHEMA = {
    "type": "object",
    "required": ["type", "slug", "title", "advice"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "slug": {"type": "string", "enum": list(TITLES)},
        "title": {"type": "string"},
        "advice": {"type": "string", "description": "What it means and what to do"},
    },
}


class ProblemsView(APIView):
    """The types of problems: JSON for programs, a page for people."""

    renderer_classes = [JSONRenderer, TemplateHTMLRenderer]

    @extend_schema(
        responses={
            (200, "application/json"): {
                "type": "object",
                "required": ["problems"],
                "properties": {"problems": {"type": "array", "items": PROBLEM_TYPE_SCHEMA}},
            },
            (200, "text/html"): {"type": "string"},
        },
        operation_id="problems",
        tags=["service"],
    )
    def get(self, request: Request) -> Response:
        """All types of problems."""
        return Response({"problems": [explain(request, slug) for slug in TITLES]}, template_name="api/problems.html")


class ProblemView(APIView):
    """One type of problem; the address that `type` names."""

    renderer_classes = [JSONRenderer, TemplateHTMLRenderer]

    @extend_schema(
        responses={(200, "application/json"): PROBLEM_TYPE_SCHEMA, (200, "text/html"): {"type": "string"}},
        operation_id="problem",
        tags=["service"],
    )
    def get(self, request: Request, slug: str) -> Response:
        """What a type of problem means and what to do."""
        if slug not in TITLES:
            raise Http404
        return Response(explain(request, slug), template_name="api/problem.html")


@cache
def schema_in(language: str) -> dict[str, Any]:
    """The OpenAPI document with its texts in a language. It depends on nothing else, so it is built once."""
    generator: Any = SchemaGenerator
    return dict(generator().get_schema(request=None, public=True))


class SchemaView(SpectacularAPIView):
    """The OpenAPI 3.1 document, as JSON unless YAML is asked for."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer, OpenApiYamlRenderer2, OpenApiYamlRenderer]
    schema = None  # not part of what it describes

    def _get_schema_response(self, request: Request) -> Response:
        return Response(schema_in(get_language() or "en"))


class DocsView(SpectacularSwaggerSplitView):
    """The schema as a page to read and try; no inline script or style, as the site's policy demands."""

    template_name = "api/docs.html"
    url_name = "schema"


# ---- for whoever runs the service -------------------------------------------------------------------


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "alive"})


def _database() -> None:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT 1")


def _broker() -> None:
    with current_app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return frozenset(executor.loader.disk_migrations or ())


def _migrations() -> None:
    missing = _known_migrations() - MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations().keys()
    if missing:
        raise RuntimeError("not applied: " + ", ".join(sorted(f"{app}.{name}" for app, name in missing)))


CHECKS: dict[str, Callable[[], None]] = {"database": _database, "broker": _broker, "migrations": _migrations}


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Everything a request needs is there; else 503, naming what is not."""
    failed = []
    for name, check in CHECKS.items():
        try:
            check()
        except Exception:
            logger.exception("not ready: %s", name)
            failed.append(name)
    if not failed:
        return JsonResponse({"status": "ready", "checks": dict.fromkeys(CHECKS, "ok")})
    detail = gettext("Not ready: %(names)s.") % {"names": ", ".join(failed)}
    errors = [error_entry((), "not-ready", detail)]
    checks = {name: "failed" if name in failed else "ok" for name in CHECKS}
    return JsonResponse(
        body(request, 503, detail, errors=errors, checks=checks),
        status=503,
        content_type=PROBLEM_TYPE,
        headers={"Retry-After": "5"},
    )


@never_cache
@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus."""
    return HttpResponse(metrics.exposition(), content_type=CONTENT_TYPE_LATEST)

"""What the service counts of itself, for Prometheus. Other rooms add to the counters where the thing happens.

Several processes (web workers, Celery workers) are added up where `PROMETHEUS_MULTIPROC_DIR` names a folder that they
share; it is read by the client library.
"""

import os
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUESTS = Counter("forsale_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram(
    "forsale_request_seconds",
    "Time to answer a request",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
PLAYS_STORED = Counter("forsale_plays_stored", "Plays stored or changed", ["game"])
PLAYS_FOLDED = Counter("forsale_plays_folded", "Plays folded into the statistics")
GAMES_SIMULATED = Counter("forsale_games_simulated", "Games played by bots", ["game"])
CHUNKS = Counter("forsale_chunks", "Chunks of simulations, by how they ended", ["outcome"])


def exposition() -> bytes:
    """All figures in Prometheus' text format, of all processes where they share a folder."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
    return generate_latest(REGISTRY)


class MetricsMiddleware:
    """Counts requests by method, route and status. A route is the pattern, so that ids make no new series."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        route = match.route if match is not None else "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(method, route, response.status_code).inc()
        SECONDS.labels(method, route).observe(time.perf_counter() - start)
        return response

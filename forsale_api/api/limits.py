"""How many requests a caller may send: per token, and per address where there is none.

A fixed window, counted in the cache: shared by all processes where that is Redis, and in memory where one process does
everything. Every answer under /api/ says what is left (draft-ietf-httpapi-ratelimit-headers); an answer 304 is free of
charge. Where the cache does not answer, nobody is refused.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from forsale_api.api.problems import Problem

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a caller has left of a policy (`token` or `address`) in the window that ends in `seconds`."""

    policy: str
    quota: int
    window: int
    key: str
    left: int
    seconds: int

    def headers(self) -> dict[str, str]:
        """As draft-ietf-httpapi-ratelimit-headers has them."""
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.quota};w={self.window}',
            "RateLimit": f'"{self.policy}";r={max(0, self.left)};t={self.seconds}',
        }


class TooManyRequests(Problem):
    status_code, slug, default_detail = 429, "too-many-requests", _("Too many requests: wait as Retry-After says.")


def charge(request: Request) -> None:
    """Takes one request from what the caller has left, who is found out here.

    Raises `TooManyRequests` (429) where nothing is left, and whatever refuses the caller's token: such a request is
    the address's, or everybody could have a fresh allowance by making up a token.
    """
    try:
        token = request.auth
    except APIException:
        _charge(request._request, "address", client_address(request._request))
        raise
    if token is not None:
        _charge(request._request, "token", f"{type(token).__name__}:{token.pk}")
    else:
        _charge(request._request, "address", client_address(request._request))


def _charge(request: HttpRequest, policy: str, who: str) -> None:
    allowance = _take(policy, who)
    if allowance is None:
        return
    request.allowance = allowance  # type: ignore[attr-defined]
    if allowance.left < 0:
        raise TooManyRequests(code="throttled", headers={"Retry-After": str(allowance.seconds)})


def _take(policy: str, who: str) -> Allowance | None:
    if policy not in settings.API_LIMITS:
        return None
    quota, window = settings.API_LIMITS[policy]
    now = time.time()
    key = f"limit:{policy}:{hashlib.sha256(who.encode()).hexdigest()[:24]}:{int(now // window)}"
    try:
        cache.add(key, 0, timeout=2 * window)
        taken = cache.incr(key)
    except (RedisError, ValueError):  # not there, or gone between the two
        logger.exception("Requests are not counted: the cache does not answer.")
        return None
    return Allowance(policy, quota, window, key, quota - taken, window - int(now % window))


def client_address(request: HttpRequest) -> str:
    """The address a request comes from, past our own proxies; of IPv6 the network that one customer has.

    Whoever is counted by address is counted by this one: what proxies of others say, or the client itself, is not read.
    """
    address = str(request.META.get("REMOTE_ADDR", ""))
    if settings.PROXIES:
        passed = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
        if passed:
            address = passed[-min(settings.PROXIES, len(passed))]
    try:
        if ip_address(address).version == 6:
            return str(ip_network((address, 64), strict=False))
    except ValueError:
        return "unknown"
    return address


class LimitMiddleware:
    """Writes on every answer under /api/ what is left. What no view has charged (a wrong address, a wrong method) is
    charged here; an answer 304 is given back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path_info.startswith("/api/"):
            return response
        allowance: Allowance | None = getattr(request, "allowance", None)
        if allowance is None:
            allowance = _take("address", client_address(request))
        if allowance is None:
            return response
        headers = allowance.headers()
        if response.status_code == 304:
            headers = _given_back(allowance).headers()
        for name, value in headers.items():
            response[name] = value
        return response


def _given_back(allowance: Allowance) -> Allowance:
    try:
        left = allowance.quota - cache.decr(allowance.key)
    except (RedisError, ValueError):
        return allowance
    return Allowance(allowance.policy, allowance.quota, allowance.window, allowance.key, left, allowance.seconds)

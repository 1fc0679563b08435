"""Pages of other origins may read the API, and write with a token; with the cookies of this site, never.

One rule for everything under /api/: any origin, no credentials. That is all there is to it, so it is here and not
behind a dozen settings of a library.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

EXPOSED = (
    "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed, Deprecation, Sunset, "
    "Content-Disposition"
)
ACCEPTED = "Accept, Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match"
METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
KEPT_SECONDS = "86400"


class CorsMiddleware:
    """Answers preflights and lets scripts of other origins read answers. `*` never goes with credentials: a browser
    keeps cookies out of such a call, or the answer from whoever sent them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Methods"] = METHODS
            response["Access-Control-Allow-Headers"] = ACCEPTED
            response["Access-Control-Max-Age"] = KEPT_SECONDS
        else:
            response = self.get_response(request)
            response["Access-Control-Expose-Headers"] = EXPOSED
        response["Access-Control-Allow-Origin"] = "*"
        return response

"""No NUL in what pages are asked: no text that is kept holds one, and PostgreSQL fails at looking for it.

The API names the field or parameter that holds it (`formats`, `fields`); a page has nobody to tell but whoever made the
address up.
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


class NulMiddleware:
    """Answers 400 to a page's address or form with NUL in it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            for given in (request.GET, request.POST):
                if any("\0" in text for _name, texts in given.lists() for text in texts):
                    raise BadRequest("NUL")
        return self.get_response(request)

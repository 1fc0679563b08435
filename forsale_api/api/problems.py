"""The one shape of every error: application/problem+json (RFC 9457) with JSON pointers (RFC 6901).

A room raises `Problem` or its own subclass; Django's and DRF's exceptions are turned into the same shape by
`exception_handler`. Messages of the rules are translated here, because the rules know no Django.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.exceptions import DisallowedHost, PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions, status
from rest_framework.response import Response

from forsale_api.api.formats import PROBLEM_TYPE, JSONRenderer
from forsale_api.rules.messages import Message, RuleError, ShapeError

logger = logging.getLogger(__name__)

TITLES = {
    "bad-request": _("The request has the wrong shape"),
    "not-authenticated": _("A valid token or session is needed"),
    "forbidden": _("You may see this but not do that"),
    "not-found": _("There is nothing here for you"),
    "method-not-allowed": _("This address does not offer that method"),
    "not-acceptable": _("This address cannot answer in that format"),
    "conflict": _("This is in conflict with what is stored"),
    "stale": _("The object has changed since you read it"),
    "too-large": _("The body is too large"),
    "unsupported-media-type": _("The body is of a type this address does not read"),
    "against-the-rules": _("Well formed, but against the game"),
    "too-many-requests": _("Too many requests"),
    "server-error": _("Something went wrong on our side"),
    "not-ready": _("The service is not ready"),
}

ADVICE = {
    "bad-request": _(
        "A field or parameter is missing, unknown or of the wrong type, or the edition, variant and number of players "
        "are not offered together. Each entry of errors points at one of them; mend them and send the request again."
    ),
    "not-authenticated": _(
        "Send Authorization: Bearer and a personal token, or sign in with the browser. A token that has expired or was "
        "revoked is refused everywhere, even where none is needed."
    ),
    "forbidden": _(
        "Your token lacks a scope, or your role in the club does not allow this. Make a token with the scope named, or "
        "ask an owner of the club."
    ),
    "not-found": _(
        "The address is misspelt, the object is gone, or it belongs to a private club that you are not a member of: "
        "the three look the same from outside. Mind the slash at the end."
    ),
    "method-not-allowed": _("The header Allow of the answer names the methods of this address."),
    "not-acceptable": _("Ask for application/json, or leave the header Accept out."),
    "conflict": _(
        "A name, slug, id or source is in use, or the change would leave the club without an owner. Where the answer "
        "has Retry-After, the same request is still under way: wait, then send it again."
    ),
    "stale": _(
        "If-Match names a version that is not the current one. Read the object again, look at what has changed, and "
        "send your change with the new ETag."
    ),
    "too-large": _("Send less at once: several smaller requests do the same."),
    "unsupported-media-type": _("Send the body as application/json."),
    "against-the-rules": _(
        "Every field is of the right type, but together they cannot be: an illegal step in a record, figures that do "
        "not add up, a sheet that no legal game gives. The pointer leads to the first thing that is wrong, the detail "
        "names the rule."
    ),
    "too-many-requests": _("Wait for as many seconds as Retry-After says."),
    "server-error": _("The fault is ours and has been logged. The same request may work later."),
    "not-ready": _("The database, the broker or a migration is missing; errors says which. Try again soon."),
}


def translate(message: Message) -> str:
    """The message of a rule in the language of the request."""
    return gettext(message.template) % message.params


def pointer(place: Iterable[str | int]) -> str:
    """A JSON pointer to a place in the body: ("seats", 2, "total") is "/seats/2/total"."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in place)


class Problem(exceptions.APIException):
    """An error answer. `slug` names its type; `errors` say where; `members` are added to the problem as they are."""

    status_code: int = status.HTTP_400_BAD_REQUEST
    slug = "bad-request"
    default_detail = _("The request has the wrong shape.")

    def __init__(
        self,
        detail: Any = None,
        *,
        code: str = "",
        place: Iterable[str | int] = (),
        errors: Sequence[dict[str, Any]] | None = None,
        members: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail, code or None)
        if errors is None:
            errors = [error_entry(place, code, self.detail)] if code else []
        self.errors = list(errors)
        self.members = members or {}
        self.headers = headers or {}


class NotFound(Problem):
    status_code, slug, default_detail = 404, "not-found", _("There is nothing here for you.")


class Conflict(Problem):
    status_code, slug, default_detail = 409, "conflict", _("This is in conflict with what is stored.")


class TooLarge(Problem):
    status_code, slug, default_detail = 413, "too-large", _("The body is too large.")


class Stale(Problem):
    status_code, slug = 412, "stale"
    default_detail = _("The object has changed since you read it: read it again and repeat your change.")


class AgainstTheRules(Problem):
    status_code, slug, default_detail = 422, "against-the-rules", _("Well formed, but against the game.")


class Forbidden(Problem):
    status_code, slug, default_detail = 403, "forbidden", _("You may see this but not do that.")


def error_entry(place: Iterable[str | int], code: str, detail: Any) -> dict[str, Any]:
    return {"pointer": pointer(place), "code": code.replace("_", "-"), "detail": str(detail)}


def from_rule_error(error: RuleError, prefix: Sequence[str | int] = ()) -> Problem:
    """The problem for a rule that was broken: 400 where the shape is wrong, else 422, with the place of the step."""
    kind = Problem if isinstance(error, ShapeError) else AgainstTheRules
    return kind(translate(error.message), code=error.message.code, place=(*prefix, *error.place))


def _entries(detail: Any, place: tuple[str | int, ...] = ()) -> Iterator[dict[str, Any]]:
    """Flattens DRF's nested error details into entries with pointers."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            yield from _entries(value, place if key == "non_field_errors" else (*place, key))
    elif isinstance(detail, list):
        for index, value in enumerate(detail):
            nested = isinstance(value, dict | list)
            yield from _entries(value, (*place, index) if nested else place)
    else:
        yield error_entry(place, getattr(detail, "code", "invalid") or "invalid", detail)


_SLUGS = {
    400: "bad-request", 401: "not-authenticated", 403: "forbidden", 404: "not-found", 405: "method-not-allowed",
    406: "not-acceptable", 409: "conflict", 412: "stale", 413: "too-large", 415: "unsupported-media-type",
    422: "against-the-rules", 429: "too-many-requests", 500: "server-error", 503: "not-ready",
}  # fmt: skip


def body(
    request: HttpRequest | Any,
    status_code: int,
    detail: str,
    *,
    slug: str = "",
    errors: Sequence[dict[str, Any]] = (),
    **members: Any,
) -> dict[str, Any]:
    """The JSON of a problem."""
    slug = slug or _SLUGS.get(status_code, "bad-request")
    address = f"/api/v1/problems/{slug}/"
    try:
        address = request.build_absolute_uri(address)
    except DisallowedHost:  # the very problem may be the host; a relative reference is allowed
        logger.debug("a problem under a host that is not ours")
    return {
        "type": address,
        "title": str(TITLES[slug]),
        "status": status_code,
        "detail": detail,
        "errors": list(errors),
        **members,
    }


class ProblemResponse(Response):
    """Written as problem+json whatever the view itself renders: a page, a CSV file, a stream."""

    @property
    def rendered_content(self) -> bytes:  # type: ignore[override]  # as in the parent class, whose stub says str
        self["Content-Type"] = PROBLEM_TYPE
        return JSONRenderer().render(self.data)


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every exception of a view as problem+json; an unknown one is logged and answered 500."""
    request = context["request"]
    if isinstance(error, RuleError):
        error = from_rule_error(error)
    elif isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, RequestDataTooBig):
        error = TooLarge(code="too-large")
    if not isinstance(error, exceptions.APIException):
        return None
    members: dict[str, Any] = {}
    headers: dict[str, str] = {}
    if isinstance(error, Problem):
        slug, detail, errors, members, headers = (
            error.slug,
            str(error.detail),
            error.errors,
            error.members,
            dict(error.headers),
        )
    else:
        slug = ""
        errors = list(_entries(error.detail)) if isinstance(error.detail, dict | list) else []
        if errors:
            detail = (
                gettext("%(count)d things are wrong, see errors.") % {"count": len(errors)}
                if len(errors) > 1
                else errors[0]["detail"]
            )
        else:
            detail = str(error.detail)
            code = getattr(error.detail, "code", None) or error.default_code
            errors = [error_entry((), code, detail)]
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    if getattr(error, "wait", None):
        headers["Retry-After"] = str(int(error.wait) + 1)  # type: ignore[attr-defined]
    return ProblemResponse(
        body(request, error.status_code, detail, slug=slug, errors=errors, **members),
        status=error.status_code,
        headers=headers,
    )


def _answer(request: HttpRequest, status_code: int, code: str, detail: str) -> JsonResponse:
    """A problem from outside any view of the API."""
    response = JsonResponse(
        body(request, status_code, detail, errors=[error_entry((), code, detail)]),
        status=status_code,
        json_dumps_params={"ensure_ascii": False},
    )
    response["Content-Type"] = PROBLEM_TYPE
    response["Vary"] = "Accept-Language, Cookie"
    return response


@csrf_exempt
def not_found(request: HttpRequest) -> JsonResponse:
    """The answer for an address under /api/ that does not exist; says so where only the last slash is missing."""
    with_slash = request.path_info + "/"
    try:
        if not request.path_info.endswith("/") and resolve(with_slash).func is not not_found:
            detail = gettext("There is nothing at this address. There is at %(address)s") % {"address": with_slash}
            return _answer(request, 404, "not-found", detail)
    except Resolver404:
        logger.debug("no route for %s", request.path_info)
    return _answer(request, 404, "not-found", gettext("There is nothing at this address."))


def server_error(request: HttpRequest) -> HttpResponse:
    """What a caller sees of an unexpected exception; Django has logged it with its request by then."""
    if not request.path_info.startswith("/api/"):
        return defaults.server_error(request)
    return _answer(request, 500, "error", gettext("Something went wrong on our side; it has been logged."))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What a caller sees of a request that Django refuses by itself: a host that is not ours, too much data."""
    if not request.path_info.startswith("/api/"):
        return defaults.bad_request(request, exception)
    return _answer(request, 400, "bad-request", gettext("The request has the wrong shape."))

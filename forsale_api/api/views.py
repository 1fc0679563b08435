"""What every address of the API does alike: strict parameters, languages, ETags, safe repeats."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction
from django.http.request import RawPostDataException
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, gettext
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import APIView as DRFView

from forsale_api.api import limits
from forsale_api.api.deprecation import Deprecation
from forsale_api.api.fields import NoQuery, QuerySerializer
from forsale_api.api.models import IdempotencyKey
from forsale_api.api.problems import AgainstTheRules, Conflict, Problem, Stale, TooLarge

KEYS_KEPT = timedelta(hours=24)
WAIT_SECONDS = 10
KEY_FORM = re.compile("[!-~]{1,200}")


class APIView(DRFView):
    """The base of all API views; what it declares is enforced here and documented by `schema.AutoSchema`.

    - `query_serializer`: the query parameters of GET (other methods have none); `self.query` holds them, validated.
    - `scopes`: by method, the scope it needs, or a tuple of which one is enough (see `permissions.HasScope`).
    - `signed_in`: methods that need a caller, but no scope.
    - `problems`: by method, the statuses of problems it answers beyond those every view can (400, 401, 403 where a
      scope or caller is needed, 404 with an id in the path, 406, 412 with `conditional`, 413 and 415 with a body,
      409 and 422 where `idempotent`, 429).
    - `conditional`: methods that read If-Match (call `check_if_match`); PATCH and DELETE unless said otherwise.
    - `max_body`: the largest body in bytes.
    - `reads_chunks`: it takes a body without Content-Length, of which Django would see nothing.
    - `deprecations`: by method, since when it is deprecated and when it goes.

    Bodies and answers are named by `@extend_schema(request=..., responses={200: ...})` on the method; a page of a
    list is `schema.page_of(Serializer)`.
    """

    query_serializer: type[QuerySerializer] = NoQuery
    scopes: Mapping[str, str | tuple[str, ...]] = {}
    signed_in: Collection[str] = frozenset()
    problems: Mapping[str, tuple[int, ...]] = {}
    conditional: Collection[str] = frozenset({"PATCH", "DELETE"})
    max_body = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    reads_chunks = False
    deprecations: Mapping[str, Deprecation] = {}
    query: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not hasattr(self, (request.method or "").lower()):
            self.http_method_not_allowed(request)  # before anything else is held against the request
        limits.charge(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > self.max_body:
            raise TooLarge(
                gettext("A body has at most %(count)d bytes here.") % {"count": self.max_body}, code="too-large"
            )
        if "chunked" in request.headers.get("Transfer-Encoding", "") and not self.reads_chunks:
            raise Problem(gettext("Send the body with its Content-Length, not in chunks."), code="bad-request")
        super().initial(request, *args, **kwargs)
        reader = self.query_serializer if request.method in ("GET", "HEAD") else NoQuery
        self.query = reader.read(request.query_params)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Accept-Language", "Authorization", "Cookie"])
        response.headers.setdefault("Cache-Control", "no-cache")  # ask again, with If-None-Match
        if (deprecation := self.deprecations.get(request.method or "")) is not None:
            for name, value in deprecation.headers().items():
                response[name] = value
        return response

    def check_if_match(self, request: Request, tag: str) -> None:
        """Raises `Stale` (412) where If-Match names another state than `tag` (see `etag`)."""
        header = request.headers.get("If-Match")
        if header is None or header.strip() == "*":
            return
        # Compression on the way makes a tag weak (W/) without changing the state it names.
        given = [part.strip().removeprefix("W/").strip('"').rsplit("-", 1)[0] for part in header.split(",")]
        if tag not in given:
            raise Stale(code="stale")


def tag_of(*parts: object) -> str:
    """A tag for a state that these values decide."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:24]


def etag(tag: str) -> str:
    """The ETag header of a state of an object, told apart by language (texts differ)."""
    return f'"{tag}-{get_language() or "en"}"'


def unchanged(request: Request, tag: str) -> bool:
    """Whether If-None-Match names this state: then answer `Response(status=304)` without building the body."""
    header = request.headers.get("If-None-Match", "")
    return etag(tag) in [part.strip().removeprefix("W/") for part in header.split(",")]


def conditional(request: Request, tag: str, show: Callable[[], Any]) -> Response:
    """The answer to a GET of one object whose state is `tag`: 304 without building the body where the caller has it."""
    headers = {"ETag": etag(tag)}
    if unchanged(request, tag):
        return Response(status=304, headers=headers)
    return Response(show(), headers=headers)


def idempotent(method: Callable[..., Response]) -> Callable[..., Response]:
    """Makes a POST that stores safe to repeat under an `Idempotency-Key`.

    The key row and what the view writes commit together, so a key is there if and only if its effect is.
    A repeat in flight waits for the first on the unique key (PostgreSQL) or the write lock (SQLite); after
    `WAIT_SECONDS` it is answered 409 with Retry-After. An error answer stores nothing: mended, it may be sent again.
    """

    @wraps(method)
    def wrapper(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get("Idempotency-Key")
        if key is None or not request.user.is_authenticated:
            return method(view, request, *args, **kwargs)
        if not KEY_FORM.fullmatch(key):
            raise Problem(
                gettext("An Idempotency-Key has 1 to 200 visible ASCII characters."), code="bad-idempotency-key"
            )
        try:
            body_hash = hashlib.sha256(_canonical(request.body)).hexdigest()
        except RawPostDataException:  # a form, read while looking for its CSRF token
            raise UnsupportedMediaType(request.content_type) from None
        try:
            with transaction.atomic():
                if connection.vendor == "postgresql":
                    with connection.cursor() as cursor:
                        cursor.execute(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'")
                return _first_or_stored(request, key, body_hash, lambda: method(view, request, *args, **kwargs))
        except OperationalError as error:
            raise Conflict(
                gettext("The first request with this key is still under way."),
                code="in-flight",
                headers={"Retry-After": "1"},
            ) from error

    wrapper.idempotent = True  # type: ignore[attr-defined]
    return wrapper


def _first_or_stored(request: Request, key: str, body_hash: str, act: Callable[[], Response]) -> Response:
    mine = {"user": request.user, "endpoint": request.path[:200], "key": key}
    IdempotencyKey.objects.filter(**mine, created_at__lt=timezone.now() - KEYS_KEPT).delete()
    try:
        with transaction.atomic():
            row = IdempotencyKey.objects.create(**mine, body_hash=body_hash)
    except IntegrityError:
        row = IdempotencyKey.objects.get(**mine)
        if row.body_hash != body_hash:
            raise AgainstTheRules(
                gettext("This Idempotency-Key was used for another body."), code="idempotency-key-reused"
            ) from None
        headers = {"Idempotent-Replayed": "true"}
        if row.location:
            headers["Location"] = row.location
        return Response(row.answer, status=row.status, headers=headers)
    response = act()
    row.status, row.location = response.status_code, response.headers.get("Location", "")
    row.answer = _plain(response.data)
    row.save(update_fields=["status", "location", "answer"])
    return response


def _canonical(body: bytes) -> bytes:
    """The body; of JSON, blanks and the order of members do not matter, so that another program may repeat it."""
    try:
        return json.dumps(json.loads(body), sort_keys=True).encode()
    except (ValueError, RecursionError):  # no JSON, or too deep: as it was sent
        return body


def _plain(data: Any) -> Any:
    return json.loads(json.dumps(data, cls=JSONEncoder))

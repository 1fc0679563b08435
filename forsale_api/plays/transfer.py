"""Many plays at once, streamed in constant memory: NDJSON in, NDJSON and CSV out."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import batched
from typing import Any, cast
from uuid import UUID, uuid5

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, Max, QuerySet, Sum
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import get_language, gettext, override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from forsale_api.api.formats import CSVRenderer, NDJSONRenderer, csv_line, parse_json
from forsale_api.api.paging import as_uuid
from forsale_api.api.permissions import viewer
from forsale_api.api.problems import Problem, TooLarge, body, error_entry, exception_handler
from forsale_api.api.views import KEY_FORM, APIView, etag, tag_of, unchanged
from forsale_api.clubs.models import Club, User
from forsale_api.clubs.services import require_member
from forsale_api.plays import serializers, services
from forsale_api.plays.arriving import LONGEST_LINE, ArrivingLines, TooLong
from forsale_api.plays.models import Play
from forsale_api.plays.views import SEATS, clubs_of, filtered_plays, hash_of

logger = logging.getLogger(__name__)

BATCH = 50
"""Plays a transaction: short enough that on SQLite, where one writes at a time, a person's write hardly waits."""
ROWS = 200
"""Plays that an export holds in memory."""
LARGEST_UPLOAD = 2**30


# ---- in ---------------------------------------------------------------------------------------------


class NDJSONParser(BaseParser):
    """Names the type of an upload; its lines are parsed one by one as they arrive."""

    media_type = "application/x-ndjson"


class BulkPlays(APIView):
    """Many plays in one request, one line of JSON each, with any clubs of the caller among them.

    Each line is answered by one line, in the same order, once it is stored; a line that is refused holds nothing up.
    To repeat an upload safely, give each play its own `id`, or the request an Idempotency-Key: lines without an id then
    get one that the key and the number of the line decide, and a repeat finds what is there.
    """

    scopes = {"POST": "plays:write"}
    parser_classes = [NDJSONParser]
    renderer_classes = [NDJSONRenderer]
    max_body = LARGEST_UPLOAD
    reads_chunks = True
    reads_key = True

    @extend_schema(
        request={"application/x-ndjson": serializers.PlayBody},
        responses={(200, "application/x-ndjson"): serializers.BulkLineSerializer},
    )
    def post(self, request: Request) -> HttpResponseBase:
        if str(request.content_type).partition(";")[0].strip().lower() != NDJSONParser.media_type:
            raise UnsupportedMediaType(str(request.content_type))
        key = request.headers.get("Idempotency-Key")
        if key is not None and not KEY_FORM.fullmatch(key):
            raise Problem(
                gettext("An Idempotency-Key has 1 to 200 visible ASCII characters."), code="bad-idempotency-key"
            )
        lines = ArrivingLines(_body(request), limit=LARGEST_UPLOAD)
        return StreamingHttpResponse(
            _answers(request, lines, key, get_language() or "en"), content_type=NDJSONRenderer.media_type
        )


def _body(request: Request) -> Any:
    """The body as a stream, of known length or in chunks."""
    environ = request._request.META
    if "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "") and environ.get("wsgi.input_terminated"):
        return environ["wsgi.input"]
    return request._request


def _answers(request: Request, lines: ArrivingLines, key: str | None, language: str) -> Iterator[bytes]:
    try:
        for batch in batched(enumerate(lines, 1), BATCH):
            with override(language):
                answers = _Batch(request, key, batch).store()
            yield b"".join(_line(answer) for answer in answers)
    finally:
        lines.close()


def _line(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Batch:
    """Some lines of an upload, stored together where all goes well, else one by one."""

    def __init__(self, request: Request, key: str | None, lines: Sequence[tuple[int, bytes | TooLong]]) -> None:
        self.request, self.key, self.lines = request, key, lines
        self.clubs: dict[str, Club] = {}

    def store(self) -> list[dict[str, Any]]:
        """One answer for each line that is not empty, in order; what is answered is committed."""
        lines = [(number, line) for number, line in self.lines if isinstance(line, TooLong) or line.strip()]
        facts: dict[int, dict[str, Any]] = {}
        answers: dict[int, dict[str, Any]] = {}
        for number, line in lines:
            with self._refusing(number, answers, facts):
                facts[number] = self._read(number, line)
        drafts: dict[int, services.Draft] = {}
        for number, given in facts.items():
            with self._refusing(number, answers, facts):
                drafts[number] = services.draft_play(**given)
        if not self._stored_together(list(drafts.values())):
            return self._one_by_one(lines, facts, answers)
        answers |= {number: _stored(number, draft.play, 201) for number, draft in drafts.items()}
        return [answers[number] for number, _line in lines]

    def _stored_together(self, drafts: Sequence[services.Draft]) -> bool:
        by_club: dict[int, list[services.Draft]] = {}
        for draft in drafts:
            by_club.setdefault(draft.play.club_id, []).append(draft)
        try:
            with transaction.atomic():
                for some in by_club.values():
                    services.record_drafts(some[0].play.club, some)
        except (DatabaseError, APIException):  # which of them, and why, one by one tells
            return False
        return True

    def _one_by_one(
        self, lines: Sequence[tuple[int, Any]], facts: dict[int, dict[str, Any]], answers: dict[int, dict[str, Any]]
    ) -> list[dict[str, Any]]:
        for number, _line in lines:
            if number not in facts or number in answers:
                continue
            with self._refusing(number, answers, facts):
                play, created = services.record_play(**facts[number])
                answers[number] = _stored(number, play, 201 if created else 200)
        return [answers[number] for number, _line in lines]

    def _read(self, number: int, line: bytes | TooLong) -> dict[str, Any]:
        """The facts of one line, as `services.record_play` takes them."""
        if isinstance(line, TooLong):
            raise TooLarge(
                gettext("A line has at most %(count)d bytes here.") % {"count": LONGEST_LINE}, code="too-large"
            )
        try:
            data = parse_json(line.decode())
        except UnicodeDecodeError as error:
            raise ParseError(gettext("The body is not text in UTF-8.")) from error
        if self.key is not None and isinstance(data, dict):
            data.setdefault("id", str(uuid5(UUID(int=self.request.user.pk), f"{self.key} {number}")))
        try:
            facts = serializers.PlayBody.facts(data)
            slug = facts.pop("club")
            if slug not in self.clubs:
                self.clubs[slug] = require_member(self.request.user, slug, place=("club",)).club
        except APIException as error:
            error.line_id = _own_id(data)  # type: ignore[attr-defined]
            raise
        return {
            **facts,
            "club": self.clubs[slug],
            "recorder": cast(User, self.request.user),
            "body_hash": hash_of(data) if "id" in facts else "",
        }

    @contextmanager
    def _refusing(
        self, number: int, answers: dict[int, dict[str, Any]], facts: dict[int, dict[str, Any]]
    ) -> Iterator[None]:
        """A line that is refused, or that we fail at, is answered by its problem and does not hold up the others."""
        try:
            yield
        except Exception as error:
            known = exception_handler(error, {"request": self.request})
            if known is None:
                logger.exception("line %d of an upload", number)
                detail = gettext("Something went wrong on our side; it has been logged.")
                problem = body(self.request, 500, detail, errors=[error_entry((), "error", detail)])
            else:
                problem = known.data
            own = facts.get(number, {}).get("id") or getattr(error, "line_id", None)
            answers[number] = {
                "line": number,
                "status": problem["status"],
                "id": str(own) if own else None,
                "problem": problem,
            }


def _own_id(data: Any) -> UUID | None:
    return as_uuid(str(data.get("id", ""))) if isinstance(data, dict) else None


def _stored(number: int, play: Play, status: int) -> dict[str, Any]:
    return {"line": number, "status": status, "id": str(play.pk)}


# ---- out --------------------------------------------------------------------------------------------


class _Export(APIView):
    """Plays with the filters of the list: all of them, in order, as they were at one moment."""

    problems = {"GET": (401, 403, 404)}

    def plays(self, request: Request, include: set[str]) -> QuerySet[Play]:
        plays = filtered_plays(request, self.query)
        if "deleted" not in include:
            plays = plays.filter(deleted_at=None)
        if "record" not in include:
            plays = plays.defer("record")
        ordering = self.query["ordering"]
        sign = "-" if ordering.startswith("-") else ""
        return plays.order_by(ordering, f"{sign}pk")

    def answer(
        self, request: Request, plays: QuerySet[Play], inside: set[int], lines: Iterator[bytes], media_type: str
    ) -> HttpResponseBase:
        """The stream, or 304 where nothing has changed since the tag that the caller has."""
        state = plays.order_by().aggregate(
            Count("pk"), Max("updated_at"), Sum("version"), Max("club__updated_at"), Max("deleted_at")
        )
        tag = tag_of(*state.values(), *sorted(inside), media_type)
        if unchanged(request, tag):
            return HttpResponse(status=304, headers={"ETag": etag(tag)})
        lines = _in_language(lines, get_language() or "en")
        return StreamingHttpResponse(lines, content_type=media_type, headers={"ETag": etag(tag)})


class ExportLines(_Export):
    """Plays as NDJSON, one a line; the last line says that it is the last, and how many there were."""

    query_serializer = serializers.PlayExportQuery
    renderer_classes = [NDJSONRenderer]

    @extend_schema(responses={(200, "application/x-ndjson"): serializers.EXPORTED_LINE})
    def get(self, request: Request) -> Any:
        include = self.query.get("include", set())
        plays = self.plays(request, include)
        inside = clubs_of(viewer(request))

        def lines() -> Iterator[bytes]:
            number = 0
            for number, play in enumerate(_at_one_moment(plays), 1):  # noqa: B007
                yield _line(
                    serializers.play_as_json(
                        play,
                        shows_notes=play.club.notes_public or play.club_id in inside,
                        with_record="record" in include,
                    )
                    if play.deleted_at is None
                    else serializers.tombstone_as_json(play)
                )
            yield _line({"complete": True, "plays": number})

        return self.answer(request, plays, inside, lines(), NDJSONRenderer.media_type)


PLAY_COLUMNS = (
    "id", "club", "game", "edition", "variant", "player_count", "played_on", "played_at", "location",
    "duration_minutes", "notes", "first_seat", "source", "source_id", "counts", "not_counted_reason", "level",
    "decided_by", "created_at", "updated_at", "version",
)  # fmt: skip
SEAT_COLUMNS = ("seat", "cheques", "banknotes", "points", "largest_category", "total", "rank", "is_winner")
HEADER = (*PLAY_COLUMNS, "deleted_at", "player_id", "player", *SEAT_COLUMNS, "cheque_cards")


class ExportTable(_Export):
    """Plays as CSV, one line a seat; the last line is `complete`, the number of plays and that of lines.

    A text that a spreadsheet would run as a formula (it begins with =, +, -, @, a tab or a line break) has an
    apostrophe before it.
    """

    query_serializer = serializers.PlayTableQuery
    renderer_classes = [CSVRenderer]

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request) -> Any:
        plays = self.plays(request, {self.query.get("include", "")})
        inside = clubs_of(viewer(request))

        def lines() -> Iterator[bytes]:
            yield csv_line(HEADER).encode()
            number = rows = 0
            for number, play in enumerate(_at_one_moment(plays), 1):  # noqa: B007
                shows_notes = play.club.notes_public or play.club_id in inside
                for row in _rows(play, shows_notes=shows_notes):
                    yield csv_line(row).encode()
                    rows += 1
            yield csv_line(("complete", number, rows, *[""] * (len(HEADER) - 3))).encode()

        answer = self.answer(request, plays, inside, lines(), CSVRenderer.media_type + "; charset=utf-8")
        answer.headers["Content-Disposition"] = 'attachment; filename="plays.csv"'
        return answer


def _rows(play: Play, *, shows_notes: bool) -> Iterator[list[Any]]:
    if play.deleted_at is not None:
        gone = serializers.tombstone_as_json(play)
        yield [gone.get(name) for name in HEADER]
        return
    shown = serializers.play_as_json(play, shows_notes=shows_notes, with_record=False)
    facts = [shown[name] for name in PLAY_COLUMNS]
    for seat in shown["seats"]:
        cards = seat.get("cheque_cards")
        yield [
            *facts,
            None,
            seat["player"]["id"],
            seat["player"]["name"],
            *(seat.get(name) for name in SEAT_COLUMNS),
            " ".join(map(str, cards)) if cards is not None else None,
        ]


def _at_one_moment(plays: QuerySet[Play]) -> Iterator[Play]:
    """The plays with clubs and seats, `ROWS` at a time, all as they were when the first was read.

    On PostgreSQL by a transaction of its own; on SQLite an open cursor holds the moment.
    """
    outermost = connection.vendor == "postgresql" and not connection.in_atomic_block
    with transaction.atomic() if outermost else nullcontext():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield from plays.select_related("club").prefetch_related(SEATS).iterator(chunk_size=ROWS)


def _in_language(lines: Iterator[bytes], language: str) -> Iterator[bytes]:
    """Goes on in the language of the request, and hands on larger pieces than a line."""
    while True:
        with override(language):
            piece = list(_some(lines))
        if not piece:
            return
        yield b"".join(piece)


def _some(lines: Iterator[bytes]) -> Iterator[bytes]:
    for _number, line in zip(range(ROWS), lines, strict=False):
        yield line

"""Cursor paging on (field, id): constant cost at any depth, no duplicate and no hole while others write."""

import base64
import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request

from forsale_api.api.fields import QueryIntegerField, QuerySerializer
from forsale_api.api.problems import Problem

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200


class PageQuery(QuerySerializer):
    """The parameters every list has."""

    cursor = serializers.CharField(
        required=False, max_length=500, help_text=_("From `next` or `previous`; do not make it up.")
    )
    page_size = QueryIntegerField(required=False, min_value=1, max_value=MAX_PAGE_SIZE, default=DEFAULT_PAGE_SIZE)


def _pack(backwards: bool, value: Any, key: Any) -> str:
    if isinstance(value, date | datetime):
        value = value.isoformat()
    raw = json.dumps([int(backwards), value, str(key)], separators=(",", ":"))
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


def _unpack(cursor: str, model: type[Model], field: str) -> tuple[bool, Any, Any]:
    column: Any = model._meta.get_field(field)
    try:
        raw = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        backwards, value, key = raw
        value, key = column.to_python(value), model._meta.pk.to_python(key)
        if value is None or key is None or backwards not in (0, 1) or "\0" in str(value):
            raise ValueError
        if isinstance(value, int) and abs(value) >= 2**63:
            raise ValueError
        str(value).encode()  # half a character cannot be looked for
    except Exception as error:
        raise Problem(
            gettext("This cursor is not one of ours; take it from next or previous."),
            code="bad-cursor",
            place=("cursor",),
        ) from error
    return bool(backwards), value, key


def page(
    request: Request,
    queryset: QuerySet[Any],
    *,
    ordering: str,
    query: dict[str, Any],
    show: Callable[[Sequence[Any]], list[Any]],
) -> dict[str, Any]:
    """One page of a queryset as the contract's list: {"next", "previous", "results"}.

    `ordering` is one field of the model, with "-" for descending; the primary key breaks its ties, in the same
    direction. `query` holds `cursor` and `page_size` as `PageQuery` read them; `show` turns the rows into JSON.
    """
    field, descending = ordering.lstrip("-"), ordering.startswith("-")
    size = query["page_size"]
    backwards, anchored = False, False
    if query.get("cursor"):
        backwards, value, key = _unpack(query["cursor"], queryset.model, field)
        anchored = True
        below = descending != backwards
        op = "lt" if below else "gt"
        # The first condition follows from the second; it lets the index on the field find the place.
        queryset = queryset.filter(
            Q(**{f"{field}__{op}e": value}),
            Q(**{f"{field}__{op}": value}) | Q(**{field: value, f"pk__{op}": key}),
        )
    sign = "-" if descending != backwards else ""
    rows = list(queryset.order_by(f"{sign}{field}", f"{sign}pk")[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    if backwards:
        rows.reverse()
    has_next = more if not backwards else True
    has_previous = more if backwards else anchored

    def link(row: Any, back: bool) -> str:
        params = request.query_params.copy()
        params["cursor"] = _pack(back, getattr(row, field), row.pk)
        return request.build_absolute_uri(f"{request.path}?{params.urlencode()}")

    return {
        "next": link(rows[-1], False) if rows and has_next else None,
        "previous": link(rows[0], True) if rows and has_previous else None,
        "results": show(rows),
    }


def as_uuid(text: str) -> UUID | None:
    """The UUID a text spells, or None."""
    try:
        return UUID(text)
    except ValueError:
        return None

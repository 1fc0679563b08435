"""JSON in and out, strict enough that what was parsed can always be stored and written back."""

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext
from rest_framework import parsers, renderers
from rest_framework.exceptions import ParseError

PROBLEM_TYPE = "application/problem+json"
EXACT = 2**53  # beyond it a double cannot tell whole numbers apart


# An odd number of backslashes before u0000: the escape of NUL, and not a backslash followed by "u0000".
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class NotJSON(ValueError):
    """JSON by its letters, but with something in it that cannot be stored and written back."""


def _refuse_constant(name: str) -> Any:
    raise NotJSON


def _number(text: str) -> int | float:
    """A number with a point or an exponent; 5.0 and 5e0 are the whole number 5, as JSON Schema reads them."""
    number = float(text)
    if not math.isfinite(number):
        raise NotJSON
    return int(number) if number.is_integer() and abs(number) <= EXACT else number


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises `ParseError` (400) also for NaN, numbers beyond a double, half surrogates, NUL and bottomless nesting.
    """
    try:
        parsed = json.loads(text, parse_constant=_refuse_constant, parse_float=_number)
        if "\\u" in text:  # only an escape can smuggle in half a surrogate pair
            json.dumps(parsed, ensure_ascii=False).encode()
            if _NUL.search(text):
                raise NotJSON
    except json.JSONDecodeError as error:
        raise ParseError(
            gettext("The body is not valid JSON: see line %(line)d, column %(column)d.")
            % {"line": error.lineno, "column": error.colno}
        ) from error
    except (ValueError, RecursionError) as error:
        raise ParseError(
            gettext("The body holds what cannot be kept: NaN, an endless number, half a character, NUL, deep nesting.")
        ) from error
    return parsed


class JSONParser(parsers.JSONParser):
    """Parses a UTF-8 JSON body; what `parse_json` refuses is a 400, never a 500."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            text = codecs.decode(stream.read(), encoding)
        except (ValueError, LookupError) as error:
            raise ParseError(gettext("The body is not text in UTF-8.")) from error
        return parse_json(text)


class NDJSONRenderer(renderers.BaseRenderer):
    """Names the type of a stream of JSON lines, which the view writes itself."""

    media_type = "application/x-ndjson"
    format = "ndjson"


class CSVRenderer(renderers.BaseRenderer):
    """Names the type of a stream of CSV, which the view writes itself."""

    media_type = "text/csv"
    format = "csv"


def csv_line(values: Iterable[Any]) -> str:
    """A line of CSV, in which no text is one that a spreadsheet would run as a formula."""
    out = io.StringIO()
    csv.writer(out).writerow([_cell(value) for value in values])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return "'" + value
    return value


class JSONRenderer(renderers.JSONRenderer):
    """Writes JSON; an answer that is a problem says so in its content type."""

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> int | None:
        return None

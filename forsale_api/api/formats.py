"""JSON in and out, strict enough that what was parsed can always be stored and written back."""

import codecs
import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext
from rest_framework import parsers, renderers
from rest_framework.exceptions import ParseError

JSON_TYPES = ["application/json"]
PROBLEM_TYPE = "application/problem+json"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class JSONParser(parsers.JSONParser):
    """Parses a UTF-8 JSON body; half surrogates, NaN and bottomless nesting are a 400, never a 500."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            text = codecs.decode(stream.read(), encoding)
            parsed = json.loads(text, parse_constant=_refuse_constant)
            if "\\u" in text:  # only an escape can smuggle in half a surrogate pair
                json.dumps(parsed, ensure_ascii=False).encode()
                if "\\u0000" in text and "\0" in json.dumps(parsed, ensure_ascii=False).replace("\\u0000", "\0"):
                    raise ValueError("a NUL character cannot be stored")
        except (ValueError, LookupError, RecursionError) as error:
            raise ParseError(gettext("The body is not valid JSON: %(reason)s.") % {"reason": error}) from error
        return parsed


class JSONRenderer(renderers.JSONRenderer):
    """Writes JSON; an answer that is a problem says so in its content type."""

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> int | None:
        return None

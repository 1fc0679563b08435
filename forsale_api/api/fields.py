"""Strict fields: a body says what it means, or is told where it does not. Unknown fields are refused and named."""

import re
from collections.abc import Iterable
from functools import cache, cached_property
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

INT32 = 2**31 - 1


class IntegerField(serializers.IntegerField):
    """A JSON integer: no string, no float, no boolean, and within what the database holds."""

    default_error_messages = {"invalid": _("A whole number is needed.")}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("min_value", -INT32)
        kwargs.setdefault("max_value", INT32)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return data


class BooleanField(serializers.BooleanField):
    """JSON true or false."""

    default_error_messages = {"invalid": _("true or false is needed.")}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class CharField(serializers.CharField):
    """A JSON string; `max_length` counts what was sent, before blanks around it are cut."""

    default_error_messages = {"invalid": _("A text is needed.")}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


class UUIDField(serializers.UUIDField):
    """An id as we write it, with its hyphens."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str) or not re.fullmatch("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", data):
            self.fail("invalid", value=str(data)[:100])
        return super().to_internal_value(data)


class DateField(serializers.DateField):
    """A calendar date, YYYY-MM-DD and nothing else."""

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            self.fail("invalid", format="YYYY-MM-DD")
        return super().to_internal_value(value)


# What ends a line, or turns the direction of what stands beside it: on a page it would rewrite other people's text.
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
# What shows nothing by itself; within a name some scripts need it.
_UNSEEN = r"\xad\u200b-\u200f\u2060-\u2064\u3164\ufeff"
NAME_PATTERN = rf"^[^{_CONTROLS}]*[^\s{_CONTROLS}{_UNSEEN}][^{_CONTROLS}]*$"
_NAME = re.compile(NAME_PATTERN.replace("$", r"\Z"))
BAD_NAME = _("A name is one line of 1 to 100 characters that can be seen.")


def is_name(text: str) -> bool:
    """Whether a text can be read as the name of somebody or something; its length is not looked at."""
    return _NAME.match(text) is not None


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": 100, "pattern": NAME_PATTERN})
class NameField(CharField):
    """The name of somebody or something: one line of at most 100 characters, not blank."""

    default_error_messages = {"bad-name": BAD_NAME}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=100, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not is_name(data):
            self.fail("bad-name")
        return " ".join(text.split())


class QueryBooleanField(serializers.BooleanField):
    """`true` or `false` in a query."""

    default_error_messages = {"invalid": _("true or false is needed.")}

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            self.fail("invalid")
        return bool(data == "true")


class QueryIntegerField(serializers.IntegerField):
    """A whole number in a query, in plain digits, at most 18 of them."""

    default_error_messages = {"invalid": _("A whole number is needed.")}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("max_value", 10**18 - 1)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", data):
            self.fail("invalid")
        return int(data)


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses fields it does not know, instead of ignoring a misspelt one."""

    default_error_messages = {
        "unknown-field": _("There is no field %(name)s here. Known: %(known)s."),
        "unknown-parameter": _("There is no parameter %(name)s here. Known: %(known)s."),
        "repeated-parameter": _("%(name)s is given more than once."),
    }

    @classmethod
    def validated(cls, data: Any, *, partial: bool = False) -> dict[str, Any]:
        """The validated fields of a body. Raises `ValidationError` (400)."""
        return dict(_shared(cls, partial, get_language()).run_validation(data))

    def to_internal_value(self, data: Any) -> Any:
        errors: dict[str, list[Any]] = {}
        if isinstance(data, dict):
            for name in data:
                if name not in self._writable_names:
                    errors[str(name)] = [self.wrong("unknown-field", name, self._writable_names)]
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not errors:
                raise
            raise serializers.ValidationError({**error.detail, **errors}) from error  # type: ignore[dict-item]
        if errors:
            raise serializers.ValidationError(errors)
        return value

    @cached_property
    def _writable_names(self) -> dict[str, None]:
        return {name: None for name, field in self.fields.items() if not field.read_only}

    def wrong(self, code: str, name: object, known: Iterable[str]) -> serializers.ErrorDetail:
        text = str(self.error_messages[code]) % {"name": str(name)[:100], "known": ", ".join(known) or "-"}
        return serializers.ErrorDetail(text, code=code)


@cache
def _shared(kind: type[StrictSerializer], partial: bool, language: str | None) -> StrictSerializer:
    """One serializer for many requests: to build its fields costs more than to check a body. Validating leaves nothing
    behind in it but sentences with their numbers filled in, hence one for each language."""
    return kind(partial=partial)


class QuerySerializer(StrictSerializer):
    """The query parameters of an address; also their documentation. A parameter it does not know is refused."""

    @classmethod
    def read(cls, params: Any) -> dict[str, Any]:
        """The validated parameters of a request.

        Raises `ValidationError` for an unknown, repeated or malformed one.
        """
        serializer = _shared(cls, False, get_language())
        known = list(serializer.fields)
        errors: dict[str, list[Any]] = {}
        for name, values in params.lists():
            if name not in known:
                errors[name] = [serializer.wrong("unknown-parameter", name, known)]
            elif len(values) > 1:
                errors[name] = [serializer.wrong("repeated-parameter", name, known)]
        if errors:
            raise serializers.ValidationError(errors)
        return dict(serializer.run_validation({name: values[-1] for name, values in params.lists()}))


class NoQuery(QuerySerializer):
    """An address without parameters."""

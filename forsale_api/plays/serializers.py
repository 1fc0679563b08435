"""The JSON of plays: bodies that come in (strict), query parameters, and what goes out.

Only shapes are checked here; whether figures and records are legal is for the rules.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from forsale_api import rules
from forsale_api.api.codes import FINDING_CODES
from forsale_api.api.fields import (
    BooleanField,
    CharField,
    DateField,
    IntegerField,
    NameField,
    QueryBooleanField,
    QueryIntegerField,
    QuerySerializer,
    StrictSerializer,
    UUIDField,
)
from forsale_api.api.paging import PageQuery
from forsale_api.api.schema import page_of
from forsale_api.plays.models import DECISIONS, LEVELS, Play, Seat
from forsale_api.plays.services import FIGURES, SeatFacts, finding_in_words
from forsale_api.rules import Score, SeatEntry

GAMES = sorted(rules.GAMES)
EDITIONS = sorted({slug for game in rules.GAMES.values() for slug in game.editions})
VARIANTS = sorted({slug for game in rules.GAMES.values() for slug in game.variants})
ORDERINGS = [sign + field for field in ("played_on", "created_at", "updated_at") for sign in ("", "-")]


# ---- fields -----------------------------------------------------------------------------------------


TIME_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"


@extend_schema_field({"type": "string", "pattern": TIME_PATTERN, "examples": ["21:10"]})
class TimeField(serializers.TimeField):
    """A local time, HH:MM or HH:MM:SS."""

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not re.fullmatch(TIME_PATTERN.strip("^$"), value):
            self.fail("invalid", format="HH:MM[:SS]")
        return super().to_internal_value(value)


@extend_schema_field({"type": "string", "enum": EDITIONS})
class EditionField(CharField):
    """The slug of an edition; which the game offers is for the rules to say."""


@extend_schema_field({"type": "string", "enum": VARIANTS})
class VariantField(CharField):
    """The slug of a variant; which the game offers is for the rules to say."""


class Figure(IntegerField):
    """A figure of the sheet: any whole number has the right shape; which are possible is for the rules."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"min_value": None, "max_value": None, **kwargs})


RECORD_SCHEMA = {
    "type": "object",
    "description": "Every move of a For Sale game. A record is whole or refused.",
    "required": ["first_seat", "auctions", "sales"],
    "additionalProperties": False,
    "properties": {
        "first_seat": {"type": "integer"},
        "auctions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["houses", "actions"],
                "additionalProperties": False,
                "properties": {
                    "houses": {"type": "array", "items": {"type": "integer"}},
                    "actions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "description": "A bid (the whole stake afterwards) or a pass.",
                            "required": ["seat"],
                            "anyOf": [{"required": ["bid"]}, {"required": ["pass"]}],
                            "additionalProperties": False,
                            "properties": {
                                "seat": {"type": "integer"},
                                "bid": {"type": "integer"},
                                "pass": {"type": "boolean"},
                            },
                        },
                    },
                },
            },
        },
        "sales": {
            "type": "array",
            "items": {
                "type": "object",
                "description": "Offers, or in the variant a scoop by the lone holder of houses.",
                "required": ["cheques"],
                "anyOf": [{"required": ["offers"]}, {"required": ["scoop"]}],
                "additionalProperties": False,
                "properties": {
                    "cheques": {"type": "array", "items": {"type": "integer"}},
                    "offers": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["seat", "house"],
                            "additionalProperties": False,
                            "properties": {"seat": {"type": "integer"}, "house": {"type": "integer"}},
                        },
                    },
                    "scoop": {"type": "integer"},
                },
            },
        },
    },
}


@extend_schema_field(RECORD_SCHEMA)
class RecordField(serializers.Field[Any, Any, Any, Any]):
    """A move record. Checked by hand: hundreds of nested serializers would cost more than the replay."""

    default_error_messages = {
        "object": _("An object is needed."),
        "list": _("A list is needed."),
        "integer": _("A whole number is needed."),
        "boolean": _("true or false is needed."),
        "required": _("This field is required."),
        "unknown-field": _("There is no field %(name)s here. Known: %(known)s."),
        "one-of": _("One of these is needed: %(names)s."),
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        self._object(
            data, (), first_seat=self._integer, auctions=self._list(self._auction), sales=self._list(self._sale)
        )
        return dict(data)

    def to_representation(self, value: Any) -> Any:
        return value

    def _auction(self, data: Any, place: tuple[str | int, ...]) -> None:
        self._object(data, place, houses=self._list(self._integer), actions=self._list(self._action))

    def _action(self, data: Any, place: tuple[str | int, ...]) -> None:
        self._object(data, place, ("bid", "pass"), seat=self._integer, bid=self._integer, **{"pass": self._boolean})

    def _sale(self, data: Any, place: tuple[str | int, ...]) -> None:
        self._object(
            data,
            place,
            ("offers", "scoop"),
            cheques=self._list(self._integer),
            offers=self._list(self._offer),
            scoop=self._integer,
        )

    def _offer(self, data: Any, place: tuple[str | int, ...]) -> None:
        self._object(data, place, seat=self._integer, house=self._integer)

    def _object(
        self,
        data: Any,
        place: tuple[str | int, ...],
        one_of: tuple[str, ...] = (),
        **members: Callable[[Any, tuple[str | int, ...]], None],
    ) -> None:
        """Checks an object that has all the members, of those in `one_of` at least one, and no others."""
        if not isinstance(data, dict):
            self._wrong("object", "invalid", place)
        for name in data:
            if name not in members:
                self._wrong(
                    "unknown-field", "unknown-field", (*place, name), name=str(name)[:100], known=", ".join(members)
                )
        for name, check in members.items():
            if name in data:
                check(data[name], (*place, name))
            elif name not in one_of:
                self._wrong("required", "required", (*place, name))
        if one_of and not any(name in data for name in one_of):
            self._wrong("one-of", "required", place, names=", ".join(one_of))

    def _list(
        self, check: Callable[[Any, tuple[str | int, ...]], None]
    ) -> Callable[[Any, tuple[str | int, ...]], None]:
        def check_list(data: Any, place: tuple[str | int, ...]) -> None:
            if not isinstance(data, list):
                self._wrong("list", "not-a-list", place)
            for index, item in enumerate(data):
                check(item, (*place, index))

        return check_list

    def _integer(self, data: Any, place: tuple[str | int, ...]) -> None:
        if type(data) is not int:
            self._wrong("integer", "invalid", place)

    def _boolean(self, data: Any, place: tuple[str | int, ...]) -> None:
        if type(data) is not bool:
            self._wrong("boolean", "invalid", place)

    def _wrong(self, message: str, code: str, place: tuple[str | int, ...], **params: str) -> None:
        detail: Any = [serializers.ErrorDetail(str(self.error_messages[message]) % params, code=code)]
        for step in reversed(place):
            detail = {step: detail}
        raise serializers.ValidationError(detail)


# ---- bodies that come in ----------------------------------------------------------------------------


class SeatFigures(StrictSerializer):
    """What was written down for one seat, in thousands of dollars; which figures there are depends on the game."""

    cheques = Figure(required=False, allow_null=True)
    banknotes = Figure(required=False, allow_null=True)
    total = Figure(required=False, allow_null=True)
    cheque_cards = serializers.ListField(child=Figure(), required=False, allow_null=True)
    points = Figure(required=False, allow_null=True)
    largest_category = Figure(required=False, allow_null=True)


class ScoreRequest(StrictSerializer):
    """A sheet or a record to score. Nothing is stored."""

    edition = EditionField(required=False, max_length=50, help_text=_("The game's default, if left out"))
    variant = VariantField(required=False, max_length=50, default="base")
    seats = SeatFigures(many=True, required=False)
    record = RecordField(required=False, allow_null=True, default=None)
    reported_winners = serializers.ListField(child=Figure(), required=False, default=list)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["record"] is None and "seats" not in attrs:
            raise serializers.ValidationError(
                {"seats": [serializers.ErrorDetail(gettext("Give seats or a record."), "required")]}
            )
        return attrs

    @staticmethod
    def entries(asked: Mapping[str, Any]) -> list[SeatEntry]:
        """The figures of the validated body, as the rules take them."""
        return [
            SeatEntry(
                **{**seat, "cheque_cards": tuple(cards) if (cards := seat.get("cheque_cards")) is not None else None}
            )
            for seat in asked.get("seats", ())
        ]


class ScoreRequestSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says in the schema what `ScoreRequest.validate` wants."""

    target_class = ScoreRequest

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        whole = {"required": ["record"], "properties": {"record": {"type": "object"}}}
        return {**schema, "anyOf": [{"required": ["seats"]}, whole]}


class SeatPatch(SeatFigures):
    """One seat in a change: what it does not name is kept, the player included."""

    player = NameField(required=False, help_text=_("A name in this club, or an id"))


class SeatBody(SeatFigures):
    """One seat of a new play."""

    player = NameField(help_text=_("A name in this club (a new one makes a guest), or an id"))


class PlayPatch(StrictSerializer):
    """A change of a play: any of its facts."""

    edition = EditionField(required=False, max_length=50)
    variant = VariantField(required=False, max_length=50)
    played_on = DateField(required=False, help_text=_("The club's local calendar date"))
    played_at = TimeField(required=False, allow_null=True)
    location = CharField(required=False, allow_blank=True, max_length=200)
    duration_minutes = IntegerField(required=False, allow_null=True, min_value=1, max_value=10_000)
    notes = CharField(required=False, allow_blank=True, max_length=5000, trim_whitespace=False)
    first_seat = Figure(required=False, allow_null=True)
    seats = SeatPatch(many=True, required=False)
    record = RecordField(required=False, allow_null=True)
    reported_winners = serializers.ListField(child=Figure(), required=False)
    source = CharField(required=False, allow_null=True, max_length=50)  # type: ignore[assignment]
    source_id = CharField(required=False, allow_null=True, max_length=200)
    counts = BooleanField(required=False)
    not_counted_reason = CharField(required=False, allow_blank=True, max_length=300)
    accept_findings = BooleanField(required=False)

    @classmethod
    def facts(cls, body: Any) -> dict[str, Any]:
        """A body as `services.record_play` and `change_play` take it. Raises `ValidationError` (400)."""
        facts = cls.validated(body)
        if "seats" in facts:
            facts["seats"] = [
                SeatFacts(seat.get("player"), {name: seat[name] for name in FIGURES if name in seat})
                for seat in facts["seats"]
            ]
        return facts


class PlayBody(PlayPatch):
    """A new play."""

    id = UUIDField(required=False, help_text=_("Made by the client, so that sending again is harmless"))
    club = CharField(max_length=50, help_text=_("The slug of the club"))
    game = serializers.ChoiceField(choices=GAMES)
    played_on = DateField(help_text=_("The club's local calendar date"))
    seats = SeatBody(many=True)  # type: ignore[assignment]


# ---- query parameters -------------------------------------------------------------------------------


@extend_schema_field({"type": "string", "enum": ["record", "deleted", "record,deleted", "deleted,record"]})
class IncludeField(serializers.Field[Any, Any, Any, Any]):
    """Words separated by commas."""

    def to_internal_value(self, data: str) -> set[str]:
        words = data.split(",")
        if unknown := [word for word in words if word not in ("record", "deleted")]:
            raise serializers.ValidationError(
                gettext("include takes record and deleted, not %(word)s.") % {"word": unknown[0][:50]}, "invalid_choice"
            )
        return set(words)


class PlayFilters(QuerySerializer):
    """Which plays; dates are inclusive."""

    club = serializers.CharField(required=False, max_length=50)
    game = serializers.ChoiceField(choices=GAMES, required=False)
    edition = serializers.ChoiceField(choices=EDITIONS, required=False)
    variant = serializers.ChoiceField(choices=VARIANTS, required=False)
    player_count = QueryIntegerField(required=False, min_value=2, max_value=6)
    player = serializers.CharField(required=False, max_length=100, help_text=_("An id; with club a name will do"))
    level = serializers.ChoiceField(choices=LEVELS, required=False)
    counts = QueryBooleanField(required=False)
    played_after = DateField(required=False)
    played_before = DateField(required=False)
    season = QueryIntegerField(
        required=False, min_value=1, help_text=_("The id of a season: plays of its club, on its days")
    )
    updated_after = serializers.DateTimeField(required=False, help_text=_("At or after"))
    mine = QueryBooleanField(required=False, help_text=_("true: plays you recorded or sat in; needs a caller"))
    ordering = serializers.ChoiceField(choices=ORDERINGS, required=False, default="-played_on")


INCLUDED = _("record adds the move records; deleted adds deleted plays as {id, deleted_at}; both with a comma")


class PlayListQuery(PlayFilters, PageQuery):
    """Which plays, page by page."""

    include = IncludeField(required=False, help_text=INCLUDED)


class PlayExportQuery(PlayFilters):
    """Which plays, all of them."""

    include = IncludeField(required=False, help_text=INCLUDED)


class PlayTableQuery(PlayFilters):
    """Which plays, for a table that has no room for records."""

    include = serializers.ChoiceField(
        choices=["deleted"], required=False, help_text=_("Adds deleted plays as lines of id and deleted_at")
    )


class HistoryQuery(PageQuery):
    """The history has pages only."""


# ---- what goes out ----------------------------------------------------------------------------------


class FindingSerializer(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=sorted(FINDING_CODES))
    severity = serializers.ChoiceField(choices=["impossible", "unlikely"])
    seats = serializers.ListField(child=serializers.IntegerField())
    detail = serializers.CharField()


class SeatScoreSerializer(serializers.Serializer[Any]):
    """`cheques` and `banknotes` in For Sale, `points` and `largest_category` in Lady Richmond."""

    seat = serializers.IntegerField()
    cheques = serializers.IntegerField(required=False, allow_null=True)
    banknotes = serializers.IntegerField(required=False, allow_null=True)
    points = serializers.IntegerField(required=False, allow_null=True)
    largest_category = serializers.IntegerField(required=False, allow_null=True)
    total = serializers.IntegerField()
    rank = serializers.IntegerField()
    is_winner = serializers.BooleanField()


class ScoreSerializer(serializers.Serializer[Any]):
    level = serializers.ChoiceField(choices=LEVELS)
    decided_by = serializers.ChoiceField(choices=DECISIONS)
    winners = serializers.ListField(child=serializers.IntegerField())
    seats = SeatScoreSerializer(many=True)
    findings = FindingSerializer(many=True)


class PlayerSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()


class PlaySeatSerializer(SeatScoreSerializer):
    player = PlayerSerializer()
    cheque_cards = serializers.ListField(child=serializers.IntegerField(), required=False, allow_null=True)


class PlaySerializer(serializers.Serializer[Any]):
    """A play as the API shows it. `location` and `notes` are null where they are for members' eyes."""

    id = serializers.UUIDField()
    club = serializers.CharField()
    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.CharField()
    variant = serializers.CharField()
    player_count = serializers.IntegerField()
    played_on = serializers.DateField()
    played_at = TimeField(allow_null=True)
    location = serializers.CharField(allow_null=True)
    duration_minutes = serializers.IntegerField(allow_null=True)
    notes = serializers.CharField(allow_null=True)
    first_seat = serializers.IntegerField(allow_null=True)
    seats = PlaySeatSerializer(many=True)
    record = RecordField(required=False, allow_null=True)
    reported_winners = serializers.ListField(child=serializers.IntegerField())
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    source_id = serializers.CharField(allow_null=True)
    counts = serializers.BooleanField()
    not_counted_reason = serializers.CharField()
    level = serializers.ChoiceField(choices=LEVELS)
    decided_by = serializers.ChoiceField(choices=DECISIONS)
    winners = serializers.ListField(child=serializers.IntegerField())
    findings = FindingSerializer(many=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    version = serializers.IntegerField()


class TombstoneSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    deleted_at = serializers.DateTimeField()


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="ListedPlay",
        serializers=[PlaySerializer, TombstoneSerializer],
        resource_type_field_name=None,
        many=True,
    )
)
class ListedPlays(serializers.Field[Any, Any, Any, Any]):
    """Plays; with `include=deleted` deleted ones stand among them as {"id", "deleted_at"}."""


class PlayPageSerializer(page_of(PlaySerializer)):  # type: ignore[misc]
    """A page of plays."""

    results = ListedPlays(read_only=True)


@extend_schema_field(
    {"description": "Why it was refused, in the shape of every problem.", "$ref": "#/components/schemas/Problem"}
)
class ProblemField(serializers.Field[Any, Any, Any, Any]):
    """A problem, as the same play alone would have been answered."""


class BulkLineSerializer(serializers.Serializer[Any]):
    """What became of one line of an upload."""

    line = serializers.IntegerField(help_text=_("The number of the line, from 1; empty lines are counted and skipped"))
    status = serializers.IntegerField(help_text=_("As POST plays/ would answer: 201 stored, 200 stored before, 4xx"))
    id = serializers.UUIDField(allow_null=True, help_text=_("Of the play; null where it is refused and brought none"))
    problem = ProblemField(required=False)


class ExportEndSerializer(serializers.Serializer[Any]):
    """The last line of an export: without it, something is missing."""

    complete = serializers.BooleanField()
    plays = serializers.IntegerField(help_text=_("Lines before this one"))


EXPORTED_LINE = PolymorphicProxySerializer(
    component_name="ExportedLine",
    serializers=[PlaySerializer, TombstoneSerializer, ExportEndSerializer],
    resource_type_field_name=None,
)


class WidgetSeatSerializer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    player = PlayerSerializer()
    total = serializers.IntegerField()
    rank = serializers.IntegerField()
    is_winner = serializers.BooleanField()


class WidgetSerializer(serializers.Serializer[Any]):
    """The small form of a play's result."""

    id = serializers.UUIDField()
    game = serializers.ChoiceField(choices=GAMES)
    played_on = serializers.DateField()
    decided_by = serializers.ChoiceField(choices=DECISIONS)
    winners = serializers.ListField(child=serializers.IntegerField())
    seats = WidgetSeatSerializer(many=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text=_("JSON pointer into the play"))
    before = serializers.JSONField(help_text=_("Null where there was nothing"))
    after = serializers.JSONField()


class ChangeSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    action = serializers.ChoiceField(choices=["created", "changed", "deleted", "restored"])
    at = serializers.DateTimeField()
    user = serializers.CharField(allow_null=True, help_text=_("Null for readers who are no members"))
    changes = DifferenceSerializer(many=True)


def _stamp(moment: Any) -> str:
    return str(moment.isoformat()).replace("+00:00", "Z")


def score_as_json(game: rules.Game, score: Score) -> dict[str, Any]:
    """The answer of `score/`."""
    return {
        "level": score.level,
        "decided_by": score.decided_by,
        "winners": list(score.winners),
        "seats": [_seat(line, game) for line in score.seats],
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "seats": list(finding.seats),
                "detail": gettext(finding.message.template) % finding.message.params,
            }
            for finding in score.findings
        ],
    }


def _seat(line: Any, game: rules.Game) -> dict[str, Any]:
    """A scored seat, of the rules or the database: the figures of its game's sheet, total, rank."""
    return {
        "seat": line.seat,
        **{name: getattr(line, name) for name in game.sheet_fields},
        "total": line.total,
        "rank": line.rank,
        "is_winner": line.is_winner,
    }


def play_as_json(play: Play, *, shows_notes: bool, with_record: bool) -> dict[str, Any]:
    """A play with club and seats (and their players) loaded, as the API shows it."""
    game = rules.GAMES[play.game]
    seats: list[Seat] = list(play.seats.all())
    findings = [finding_in_words(finding) for finding in play.findings]
    reason = play.not_counted_reason
    if play.held_back and not reason:
        reason = " ".join(finding["detail"] for finding in findings if finding["severity"] == "impossible")
    shown: dict[str, Any] = {
        "id": str(play.pk),
        "club": play.club.slug,
        "game": play.game,
        "edition": play.edition,
        "variant": play.variant,
        "player_count": play.player_count,
        "played_on": play.played_on.isoformat(),
        "played_at": play.played_at.isoformat() if play.played_at is not None else None,
        "location": play.location if shows_notes else None,
        "duration_minutes": play.duration_minutes,
        "notes": play.notes if shows_notes else None,
        "first_seat": play.first_seat,
        "seats": [_play_seat(seat, game) for seat in seats],
        "reported_winners": play.reported_winners,
        "source": play.source,
        "source_id": play.source_id,
        "counts": play.counts,
        "not_counted_reason": reason,
        "level": play.level,
        "decided_by": play.decided_by,
        "winners": [seat.seat for seat in seats if seat.is_winner],
        "findings": findings,
        "created_at": _stamp(play.created_at),
        "updated_at": _stamp(play.updated_at),
        "version": play.version,
    }
    if with_record:
        shown["record"] = play.record
    return shown


def _play_seat(seat: Seat, game: rules.Game) -> dict[str, Any]:
    shown = {"seat": seat.seat, "player": _player(seat), **_seat(seat, game)}
    if "cheques" in game.sheet_fields:
        shown["cheque_cards"] = seat.cheque_cards
    return shown


def _player(seat: Seat) -> dict[str, str]:
    return {"id": str(seat.player_id), "name": seat.player.name}


def tombstone_as_json(play: Play) -> dict[str, Any]:
    """All that is shown of a deleted play."""
    return {"id": str(play.pk), "deleted_at": _stamp(play.deleted_at)}


def widget_as_json(play: Play) -> dict[str, Any]:
    """Who won, in the small form for widgets."""
    seats = list(play.seats.all())
    return {
        "id": str(play.pk),
        "game": play.game,
        "played_on": play.played_on.isoformat(),
        "decided_by": play.decided_by,
        "winners": [seat.seat for seat in seats if seat.is_winner],
        "seats": [
            {"seat": s.seat, "player": _player(s), "total": s.total, "rank": s.rank, "is_winner": s.is_winner}
            for s in seats
        ],
    }


def change_as_json(change: Any, *, names: Mapping[UUID, str], inside: bool, shows_notes: bool) -> dict[str, Any]:
    """One entry of the history; `names` gives the players their present names, `inside` is for members."""
    before, after = change.before or {}, change.after or {}
    hidden = () if shows_notes else ("location", "notes")
    changes: list[dict[str, Any]] = []
    for name in sorted(after):  # databases keep the keys of JSON in orders of their own
        if name == "seats":
            changes += _seat_differences(before.get(name, []), after[name], names)
        elif name not in hidden and after[name] != before.get(name):
            changes.append({"pointer": f"/{name}", "before": before.get(name), "after": after[name]})
    return {
        "version": change.version,
        "action": change.action,
        "at": _stamp(change.at),
        "user": change.user.get_username() if inside and change.user is not None else None,
        "changes": changes,
    }


def _seat_differences(
    before: list[dict[str, Any]], after: list[dict[str, Any]], names: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    def shown(name: str, value: Any) -> Any:
        return {"id": value, "name": names.get(UUID(value))} if name == "player" and value is not None else value

    differences = []
    for index in range(max(len(before), len(after))):
        old = before[index] if index < len(before) else {}
        new = after[index] if index < len(after) else {}
        differences += [
            {
                "pointer": f"/seats/{index}/{name}",
                "before": shown(name, old.get(name)),
                "after": shown(name, new.get(name)),
            }
            for name in {**new, **old}
            if old.get(name) != new.get(name)
        ]
    return differences


def in_language(data: Any) -> Any:
    """Plain data of the rules with each {"en", "fr"} replaced by the text in the language of the request."""
    if isinstance(data, dict):
        if data.keys() == {"en", "fr"}:
            return data["fr" if (get_language() or "en").startswith("fr") else "en"]
        return {key: in_language(value) for key, value in data.items()}
    return [in_language(item) for item in data] if isinstance(data, list) else data


class SetupSerializer(serializers.Serializer[Any]):
    """The numbers of one variant and player count; which there are depends on the game."""

    variant = serializers.CharField()
    player_count = serializers.IntegerField()
    money = serializers.IntegerField(required=False, help_text=_("Banknotes dealt to each player"))
    cards_aside = serializers.IntegerField(required=False, help_text=_("Set aside from each pile"))
    cards_dealt = serializers.IntegerField(required=False)
    rounds = serializers.IntegerField(required=False, help_text=_("Buying rounds"))
    houses_per_round = serializers.ListField(child=serializers.IntegerField(), required=False)
    coins = serializers.IntegerField(required=False)
    cheat_tiles = serializers.IntegerField(required=False)


class EditionSerializer(serializers.Serializer[Any]):
    edition = serializers.CharField()
    name = serializers.CharField()
    setups = SetupSerializer(many=True)
    houses = serializers.IntegerField(required=False)
    cheques = serializers.ListField(child=serializers.IntegerField(), required=False)
    min_bid = serializers.IntegerField(required=False)
    equal_bid_allowed = serializers.BooleanField(required=False)
    refund_rounds = serializers.ChoiceField(choices=["up", "down"], required=False)
    layout = serializers.IntegerField(required=False)


class VariantSerializer(serializers.Serializer[Any]):
    variant = serializers.CharField()
    name = serializers.CharField()


class PlayersSerializer(serializers.Serializer[Any]):
    min = serializers.IntegerField()
    max = serializers.IntegerField()


class GameSerializer(serializers.Serializer[Any]):
    game = serializers.CharField()
    name = serializers.CharField()
    players = PlayersSerializer()
    default_edition = serializers.CharField()
    editions = EditionSerializer(many=True)
    variants = VariantSerializer(many=True)
    sheet_fields = serializers.ListField(child=serializers.CharField())
    has_record = serializers.BooleanField()

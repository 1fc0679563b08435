"""The JSON of clubs, players and members, in and out."""

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from forsale_api.api.fields import (
    BooleanField,
    CharField,
    DateField,
    IntegerField,
    NameField,
    QueryBooleanField,
    StrictSerializer,
)
from forsale_api.api.paging import PageQuery
from forsale_api.clubs.invitations import MOST_DAYS, MOST_USES
from forsale_api.clubs.models import Role, Visibility

SLUG_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"


@cache
def time_zones() -> tuple[str, ...]:
    """The IANA names this machine knows, without the files that are no zones."""
    return tuple(sorted(name for name in available_timezones() if name not in {"localtime", "Factory", "posixrules"}))


@extend_schema_field({"type": "string", "enum": list(time_zones())})
class TimeZoneField(CharField):
    """The IANA name of a time zone."""

    default_error_messages = {"invalid-choice": _("There is no time zone %(name)s; a name is like Europe/Paris.")}

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if data not in time_zones():
            message = str(self.error_messages["invalid-choice"]) % {"name": text[:64]}
            raise serializers.ValidationError(message, code="invalid-choice")
        return text


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": 50, "pattern": SLUG_PATTERN})
class SlugField(serializers.RegexField):
    """A club's slug: small letters, digits and single hyphens."""

    default_error_messages = {
        "invalid": _("A slug has small letters, digits and single hyphens between them, at most 50."),
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(SLUG_PATTERN.replace("$", r"\Z"), max_length=50, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


@extend_schema_field({"oneOf": [{"type": "string", "enum": Role.values}]})
class OwnRoleField(serializers.ChoiceField):
    """What the caller is in a club; null for nobody in it."""


class ClubSerializer(StrictSerializer):
    """A group that logs its plays together."""

    slug = SlugField(required=False, help_text=_("Part of the club's address; made from the name when left out"))
    name = NameField()
    visibility = serializers.ChoiceField(
        choices=Visibility.values,
        default=Visibility.PRIVATE.value,
        help_text=_("public: listed for everybody; unlisted: for whoever names it; private: for members"),
    )
    time_zone = TimeZoneField(default="UTC", help_text=_("Decides what day it is at the club's tables"))
    contribute = BooleanField(
        default=False, help_text=_("Lets the figures of a private club into the site's aggregates")
    )
    notes_public = BooleanField(
        default=False, help_text=_("Shows location and notes of plays to everybody who sees them")
    )
    role = OwnRoleField(
        choices=Role.values, allow_null=True, read_only=True, help_text=_("Yours in this club, or null")
    )
    created_at = serializers.DateTimeField(read_only=True)
    updated_at = serializers.DateTimeField(read_only=True)


class ClubQuery(PageQuery):
    """Which clubs."""

    mine = QueryBooleanField(required=False, help_text=_("true: only clubs you are a member of"))


class ClubPlayerSerializer(StrictSerializer):
    """Somebody who sits at a club's tables."""

    id = serializers.UUIDField(read_only=True)
    name = NameField(help_text=_("Once per club, compared without case, accents and extra blanks"))
    username = serializers.CharField(
        allow_null=True, read_only=True, help_text=_("The member who is this player; shown to members only")
    )
    is_me = serializers.BooleanField(read_only=True, help_text=_("Whether you are this player"))
    hidden = serializers.BooleanField(read_only=True, help_text=_("Whether the name is a pseudonym"))
    created_at = serializers.DateTimeField(read_only=True)


class PlayerQuery(PageQuery):
    """Which players."""

    name = serializers.CharField(
        required=False, max_length=100, help_text=_("Only the player of this name, compared as names are")
    )


class RoleField(serializers.ChoiceField):
    """owner or member."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=Role.values, **kwargs)


class MemberSerializer(StrictSerializer):
    """A user's place in a club."""

    username = CharField(max_length=150, trim_whitespace=False)
    role = RoleField(default=Role.MEMBER.value)
    joined_at = serializers.DateTimeField(read_only=True)


class MemberChangeSerializer(StrictSerializer):
    """A new role."""

    role = RoleField()


class InvitationSerializer(StrictSerializer):
    """A link by which people join the club as members."""

    id = serializers.IntegerField(read_only=True)
    days = IntegerField(
        min_value=1, max_value=MOST_DAYS, default=7, write_only=True, help_text=_("How long it can be used")
    )
    uses = IntegerField(min_value=1, max_value=MOST_USES, default=1, help_text=_("How many people may join by it"))
    used = serializers.IntegerField(read_only=True)
    code = serializers.CharField(read_only=True)
    url = serializers.URLField(read_only=True, help_text=_("The page where people join"))
    created_at = serializers.DateTimeField(read_only=True)
    expires_at = serializers.DateTimeField(read_only=True)


class InvitedSerializer(StrictSerializer):
    """What an invitation is to."""

    club = SlugField(read_only=True)
    name = serializers.CharField(read_only=True)
    expires_at = serializers.DateTimeField(read_only=True)


class SeasonSerializer(StrictSerializer):
    """A named range of dates in a club, both ends included."""

    id = serializers.IntegerField(read_only=True)
    name = NameField(help_text=_("Once per club"))
    first_day = DateField()
    last_day = DateField(allow_null=True, default=None, help_text=_("null while the season goes on"))
    created_at = serializers.DateTimeField(read_only=True)
    updated_at = serializers.DateTimeField(read_only=True)

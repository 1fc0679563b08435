"""The JSON of webhooks and of the log of what was sent to them."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from forsale_api.api.fields import BooleanField, CharField, StrictSerializer
from forsale_api.api.paging import PageQuery
from forsale_api.webhooks.models import EVENTS, FORMS, TEST_EVENT, Status

ADDRESS_PATTERN = r"^https://[A-Za-z0-9.:\[\]-]+(/[!\"$-~]*)?$"  # and plain http to a laptop's own programs


@extend_schema_field({"type": "string", "format": "uri", "maxLength": 500, "pattern": ADDRESS_PATTERN})
class AddressField(CharField):
    """Where messages are posted to."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=500, trim_whitespace=False, **kwargs)


class WebhookSerializer(StrictSerializer):
    """An address that is told what happens in a club. Its secret is shown when it is made, and when it is rotated."""

    id = serializers.UUIDField(read_only=True)
    url = AddressField(help_text=_("https, and an address of the public Internet"))
    events = serializers.ListField(child=serializers.ChoiceField(choices=EVENTS), min_length=1, max_length=len(EVENTS))
    form = serializers.ChoiceField(
        choices=FORMS,
        default="standard",
        help_text=_("standard: signed JSON as Standard Webhooks says; discord: a card for a Discord channel"),
    )
    language = serializers.ChoiceField(
        choices=[code for code, _name in settings.LANGUAGES], default="en", help_text=_("Of the texts in messages")
    )
    active = BooleanField(required=False, help_text=_("true switches a webhook on again that was disabled"))
    disabled_reason = serializers.CharField(
        read_only=True, help_text=_("gone: it answered 410; failing: nothing arrived for a day; empty otherwise")
    )
    old_secret_until = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text=_("Until then messages are signed with the last secret, too")
    )
    created_at = serializers.DateTimeField(read_only=True)
    updated_at = serializers.DateTimeField(read_only=True)

    def validate_events(self, events: list[str]) -> list[str]:
        return [event for event in EVENTS if event in events]


class NewWebhookSerializer(WebhookSerializer):
    """A webhook with its secret, which is not shown again."""

    secret = serializers.CharField(read_only=True)


class DeliveryQuery(PageQuery):
    """Which messages."""

    status = serializers.ChoiceField(choices=Status.values, required=False)


class AttemptSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    status_code = serializers.IntegerField(allow_null=True, help_text=_("Null where there was no answer"))
    error = serializers.CharField()
    answer = serializers.CharField(help_text=_("The beginning of the answer"))
    seconds = serializers.FloatField()


class DeliverySerializer(serializers.Serializer[Any]):
    """A message and how its attempts ended."""

    id = serializers.UUIDField()
    message_id = serializers.CharField(help_text=_("The header webhook-id, the same in every attempt"))
    event = serializers.ChoiceField(choices=[*EVENTS, TEST_EVENT])
    play = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(choices=Status.values)
    due_at = serializers.DateTimeField(allow_null=True, help_text=_("When it is tried next"))
    happened_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    delivered_at = serializers.DateTimeField(allow_null=True)
    attempts = AttemptSerializer(many=True)

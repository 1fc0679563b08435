"""Who is told what happens: addresses that clubs registered, the messages for them, and how each attempt ended."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from forsale_api.clubs.models import Club
from forsale_api.plays.models import PlayChange

EVENTS = ("play.created", "play.changed", "play.deleted", "simulation.finished")
TEST_EVENT = "webhook.test"
FORMS = ("standard", "discord")
KEPT = timedelta(days=30)
"""How long messages and attempts are kept; longer than any is tried."""


class Webhook(models.Model):
    """An address that a club wants to be told at. Its secret is kept as it is: every message is signed with it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    form = models.CharField(max_length=10, choices=[(form, form) for form in FORMS], default="standard")
    language = models.CharField(max_length=5, choices=settings.LANGUAGES, default="en")
    site = models.CharField(max_length=200, help_text=_("Where this service was reached when it was registered"))
    secret = models.CharField(max_length=100)
    old_secret = models.CharField(max_length=100, blank=True)
    old_secret_until = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    disabled_reason = models.CharField(max_length=10, blank=True, choices=[("gone", "gone"), ("failing", "failing")])
    failures = models.PositiveIntegerField(default=0, help_text=_("Attempts in a row that failed"))
    succeeded_at = models.DateTimeField(null=True, blank=True)
    resting_until = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(form__in=FORMS), name="webhook_form_known"),
            models.CheckConstraint(condition=Q(active=False) | Q(disabled_reason=""), name="webhook_off_with_reason"),
            models.CheckConstraint(
                condition=Q(old_secret="", old_secret_until=None)
                | (~Q(old_secret="") & Q(old_secret_until__isnull=False)),
                name="webhook_old_secret_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.club.slug} {self.url[:40]}"


class Status(models.TextChoices):
    PENDING = "pending", _("pending")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("failed")


class Delivery(models.Model):
    """One message for one address, until it is delivered or given up.

    What it says of a play is read from the play when it is sent, so that a name hidden since is never sent; `data`
    holds what it says of anything else. While pending it is due at `due_at`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=30)
    change = models.ForeignKey(PlayChange, null=True, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField(null=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    tries = models.PositiveSmallIntegerField(default=0, help_text=_("Attempts since it was last asked for"))
    due_at = models.DateTimeField(null=True)
    happened_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "change"], name="change_told_once"),
            models.CheckConstraint(
                condition=Q(change__isnull=True, data__isnull=False) | Q(change__isnull=False, data__isnull=True),
                name="delivery_says_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.PENDING, due_at__isnull=False)
                | Q(status__in=[Status.DELIVERED, Status.FAILED], due_at__isnull=True),
                name="delivery_due_while_pending",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="pending"), name="delivery_due"),
            models.Index(fields=["webhook", "created_at", "id"], name="delivery_log"),
            models.Index(fields=["created_at"], name="delivery_age"),
        ]


class Attempt(models.Model):
    """One try to deliver, and what came of it: a status, or an error where there was no answer."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    at = models.DateTimeField()
    status_code = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=200, blank=True)
    answer = models.CharField(max_length=300, blank=True, help_text=_("The beginning of the answer"))
    seconds = models.FloatField()

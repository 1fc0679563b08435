"""Answers kept for safe repeats of a POST."""

from django.conf import settings
from django.db import models


class IdempotencyKey(models.Model):
    """The first answer to a POST, by caller, endpoint and the key the caller made up. Kept 24 hours."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    endpoint = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    location = models.CharField(max_length=300, blank=True)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "endpoint", "key"], name="idempotency_key_once"),
        ]

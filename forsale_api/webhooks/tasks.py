"""Celery's door to the webhooks: tasks may be repeated at any time, the database says what is left."""

from celery import shared_task
from django.utils import timezone

from forsale_api.webhooks import services


@shared_task(name="webhooks.announce", ignore_result=True)  # type: ignore[untyped-decorator]
def announce() -> None:
    """Turn what happened into messages, and have sent what is due."""
    while services.fan_out():
        pass
    for webhook_id in services.due(timezone.now()):
        deliver.delay(webhook_id=str(webhook_id))


@shared_task(name="webhooks.deliver", ignore_result=True)  # type: ignore[untyped-decorator]
def deliver(*, webhook_id: str) -> None:
    """Send what is due to one address."""
    services.deliver(webhook_id=webhook_id)


@shared_task(name="webhooks.forget", ignore_result=True)  # type: ignore[untyped-decorator]
def forget() -> None:
    """Remove messages and attempts that are no longer kept."""
    services.forget_old(timezone.now())

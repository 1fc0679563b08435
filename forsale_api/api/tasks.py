"""What the API room leaves to the workers."""

from celery import shared_task
from django.utils import timezone

from forsale_api.api.models import IdempotencyKey
from forsale_api.api.views import KEYS_KEPT


@shared_task(name="api.purge_idempotency_keys", ignore_result=True)  # type: ignore[untyped-decorator]
def purge_idempotency_keys() -> int:
    """Removes answers older than they are promised to be kept and says how many. Once a day is enough."""
    gone, _by_model = IdempotencyKey.objects.filter(created_at__lt=timezone.now() - KEYS_KEPT).delete()
    return gone

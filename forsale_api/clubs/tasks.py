"""What the room of clubs leaves to the workers."""

from allauth.idp.oidc.models import Token as Grant
from celery import shared_task


@shared_task(name="clubs.forget_grants", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_grants() -> int:
    """Removes codes and tokens of apps that have ended and says how many. Once a day is enough."""
    gone, _by_model = Grant.objects.expired().delete()
    return int(gone)

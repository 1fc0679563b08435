"""Tags of the pages of accounts."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def who_may_sign_up() -> str:
    """open, invite or closed."""
    return str(settings.SIGNUP)

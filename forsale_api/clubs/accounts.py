"""Accounts: who may make one, what is mailed, and how one ends. The pages are those of django-allauth."""

import unicodedata

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils.translation import gettext

from forsale_api.api.limits import client_address
from forsale_api.api.problems import Conflict
from forsale_api.clubs.invitations import usable
from forsale_api.clubs.models import Club, Membership, Role, User
from forsale_api.clubs.services import delete_club

INVITATION = "invitation"
"""Where a session keeps the code of the invitation that its visitor came with."""


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """What this site decides of its accounts."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """SIGNUP: open to everybody, to whoever came by a club's invitation that still holds, or to nobody."""
        if settings.SIGNUP == "invite":
            return usable(request.session.get(INVITATION, "")) is not None
        return bool(settings.SIGNUP == "open")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Whom attempts to log in are counted against: the same address as the limits of the API."""
        return client_address(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name in one spelling, so that no wide or joined letters look like somebody else's."""
        return str(super().clean_username(unicodedata.normalize("NFKC", username), shallow))

    def format_email_subject(self, subject: str) -> str:
        return subject.strip()


def clubs_to_settle(user: User) -> list[Club]:
    """Clubs with other members whose only owner the account is: they need another owner before it can go."""
    owned = Membership.objects.filter(user=user, role=Role.OWNER).values("club")
    counted = Club.objects.filter(pk__in=owned).annotate(
        owners=Count("memberships", filter=Q(memberships__role=Role.OWNER)), people=Count("memberships")
    )
    return list(counted.filter(owners=1, people__gt=1).order_by("name"))


@transaction.atomic
def delete_account(user: User) -> None:
    """Ends the account: tokens, apps and memberships go, clubs it was alone in too; plays and their history stay.

    What others see of the past does not change: players it had claimed become guests of the same name, and the
    history says of its changes that somebody made them. Raises `Conflict` (409, last-owner) while a club with other
    members would be left without an owner.
    """
    list(Club.objects.select_for_update(no_key=True).filter(memberships__user=user).order_by("pk"))
    unsettled = clubs_to_settle(user)
    if unsettled:
        raise Conflict(
            gettext("First make another member an owner of %(clubs)s.")
            % {"clubs": ", ".join(club.name for club in unsettled)},
            code="last-owner",
            members={"clubs": [club.slug for club in unsettled]},
        )
    alone = Club.objects.annotate(people=Count("memberships")).filter(people=1, pk__in=user.clubs.values("pk"))
    for club in alone:
        delete_club(club)
    user.delete()

"""Invitations: links by which people join a club as members, until they expire, are used up or are taken back."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api.api.problems import Conflict, NotFound
from forsale_api.clubs.models import Club, Invitation, Membership, Role, User
from forsale_api.clubs.services import locked_club

MOST_DAYS = 90
MOST_USES = 500
MOST_OPEN = 50
"""Invitations of a club that can be used at a time."""


def open_invitations(club: Club) -> QuerySet[Invitation]:
    """The invitations of the club that can still be used, newest first."""
    return _usable().filter(club=club).order_by("-created_at", "-pk")


def _usable() -> QuerySet[Invitation]:
    return Invitation.objects.select_related("club").filter(
        revoked_at=None, expires_at__gt=timezone.now(), used__lt=F("uses")
    )


def usable(code: str) -> Invitation | None:
    """The invitation of this code while somebody can join by it, its club loaded."""
    return _usable().filter(code=code).first() if code else None


def invitation(code: str) -> Invitation:
    """Like `usable`. Raises `NotFound` (404, no-such-invitation): why it does not hold is nobody's business."""
    found = usable(code)
    if found is None:
        raise NotFound(
            gettext("This invitation does not hold any more: it was used up or taken back, or its time is over."),
            code="no-such-invitation",
        )
    return found


@transaction.atomic
def invite(club: Club, by: User, *, days: int = 7, uses: int = 1) -> Invitation:
    """A new invitation; whoever calls has made sure that `by` owns the club, and of the ranges.

    Raises `Conflict` (409, too-many-invitations) where the club has 50 open ones.
    """
    locked_club(club)
    if open_invitations(club).count() >= MOST_OPEN:
        raise Conflict(
            gettext("The club has %(most)d open invitations; take one back first.") % {"most": MOST_OPEN},
            code="too-many-invitations",
        )
    return Invitation.objects.create(
        club=club,
        code=secrets.token_urlsafe(16),
        uses=uses,
        made_by=by,
        expires_at=timezone.now() + timedelta(days=days),
    )


@transaction.atomic
def accept(code: str, user: User) -> tuple[Membership, bool]:
    """Makes the user a member: (membership, True), or (their membership, False) where they are one already.

    Many may use one link at once and never more than it is for: the club's row is held. Raises as `invitation`.
    """
    found = invitation(code)
    locked_club(found.club)
    found = invitation(code)
    member, new = Membership.objects.get_or_create(club=found.club, user=user, defaults={"role": Role.MEMBER})
    if new:
        Invitation.objects.filter(pk=found.pk).update(used=F("used") + 1)
    return member, new


def revoke(found: Invitation) -> None:
    """Takes the invitation back; a second call changes nothing. Who joined by it stays."""
    Invitation.objects.filter(pk=found.pk, revoked_at=None).update(revoked_at=timezone.now())

"""Who: accounts, tokens, clubs, their members and their players."""

import base64
import unicodedata

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7


class User(AbstractUser):
    """An account. Whoever only plays needs none: a club records guests by name."""


class Token(models.Model):
    """A personal access token. Shown once when made; only its digest is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, help_text=_("The first characters, to tell tokens apart"))
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}...)"


class Visibility(models.TextChoices):
    PUBLIC = "public", _("public")
    UNLISTED = "unlisted", _("unlisted")
    PRIVATE = "private", _("private")


class Club(models.Model):
    """A group that logs its plays together."""

    slug = models.CharField(
        max_length=50,
        unique=True,
        validators=[RegexValidator(r"\A[a-z0-9]+(?:-[a-z0-9]+)*\Z", code="bad-slug")],
    )
    name = models.CharField(max_length=100)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PRIVATE)
    time_zone = models.CharField(max_length=64, default="UTC")
    contribute = models.BooleanField(
        default=False, help_text=_("Lets the figures of a private club into the site's aggregates")
    )
    notes_public = models.BooleanField(
        default=False, help_text=_("Shows location and notes of plays to everybody who sees them")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="clubs")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(visibility__in=Visibility.values), name="club_visibility_known"),
            models.CheckConstraint(condition=~Q(name=""), name="club_named"),
        ]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    OWNER = "owner", _("owner")
    MEMBER = "member", _("member")


class Membership(models.Model):
    """A user's place in a club."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]


def name_key(name: str) -> str:
    """A player's name without case, accents and extra blanks: two names with one key are one player."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    bare = " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())
    return bare or " ".join(plain.split())  # a name of accents alone is still a name


class Player(models.Model):
    """Somebody who sits at a club's tables; a guest has no account, a member may claim a player.

    `name` is what everybody is shown. While a player is hidden that is a pseudonym, and the real name stands in
    `hidden_name`, which nothing reads but what hides, shows again, or finds the player that somebody writes down: so
    whatever shows players, new code included, shows the right name.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="players")
    name = models.CharField(max_length=100)
    name_key = models.CharField(max_length=400, editable=False)
    hidden_name = models.CharField(max_length=100, blank=True, help_text=_("The real name of a hidden player"))
    hidden_key = models.CharField(max_length=400, blank=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="players"
    )
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="absorbed",
        help_text=_("Who this player turned out to be; the name then stands for them"),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | Q(user__isnull=True), name="merged_player_is_nobody"
            ),
            models.CheckConstraint(condition=~Q(merged_into=F("pk")), name="player_not_merged_into_itself"),
            models.UniqueConstraint(fields=["club", "name_key"], name="player_name_once_per_club"),
            models.UniqueConstraint(
                fields=["club", "user"], condition=Q(user__isnull=False), name="one_player_per_member"
            ),
            models.CheckConstraint(condition=~Q(name_key=""), name="player_named"),
            models.UniqueConstraint(
                fields=["club", "hidden_key"], condition=~Q(hidden_key=""), name="hidden_name_once_per_club"
            ),
            models.CheckConstraint(
                condition=Q(hidden_name="", hidden_key="") | (~Q(hidden_name="") & ~Q(hidden_key="")),
                name="hidden_name_with_key",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def hidden(self) -> bool:
        """Whether a pseudonym stands in for the name."""
        return bool(self.hidden_key)

    @property
    def pseudonym(self) -> str:
        """The name that a hidden player goes by: always the same one, and nothing of the player can be read from it.

        The word is English and French alike, since names are not translated.
        """
        digest = salted_hmac("player-pseudonym", str(self.pk), algorithm="sha256").digest()
        return "Incognito " + base64.b32encode(digest)[:6].decode()


class Invitation(models.Model):
    """A link by which people join a club. Owners can read it again, so its code is kept as it is."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="invitations")
    code = models.CharField(max_length=40, unique=True)
    uses = models.PositiveSmallIntegerField(help_text=_("How many people may join by it"))
    used = models.PositiveSmallIntegerField(default=0)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(uses__gte=1), name="invitation_can_be_used"),
            models.CheckConstraint(condition=Q(used__lte=F("uses")), name="invitation_not_used_too_often"),
        ]

    def __str__(self) -> str:
        return f"{self.club.slug} {self.code[:6]}..."


class Season(models.Model):
    """A named range of dates in a club, both ends included; without a last day it goes on."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="seasons")
    name = models.CharField(max_length=100)
    first_day = models.DateField()
    last_day = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "name"], name="season_name_once_per_club"),
            models.CheckConstraint(condition=~Q(name=""), name="season_named"),
            models.CheckConstraint(
                condition=Q(last_day__isnull=True) | Q(last_day__gte=F("first_day")), name="season_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PlayerMerge(models.Model):
    """That two players of a club turned out to be one, and what it takes to undo it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    kept = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    plays = models.JSONField(default=list, help_text=_("Ids of the plays whose seat changed hands"))
    claim_moved = models.BooleanField(default=False, help_text=_("The member who was the one is now the other"))
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["gone"], condition=Q(undone_at__isnull=True), name="player_merged_once_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gone_id} into {self.kept_id}"

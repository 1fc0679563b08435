"""Who calls: a personal token or that of an app as a bearer, else the browser's session."""

import hashlib
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from forsale_api.api.problems import Forbidden
from forsale_api.clubs.models import Token
from forsale_api.clubs.oauth import AppToken, app_token

LAST_USED_PRECISION = timedelta(minutes=1)  # a read must not cost a write each time


def digest(secret: str) -> str:
    """What is kept of a token. It is 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(secret.encode()).hexdigest()


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer ...`; a wrong, expired or revoked token is 401 even where none is needed."""

    def authenticate(self, request: Request) -> tuple[Any, Token | AppToken] | None:
        header = request.headers.get("Authorization", "")
        scheme, _space, secret = header.partition(" ")
        if not header:
            return None
        if scheme.lower() != "bearer" or not secret.strip():
            raise AuthenticationFailed(_("Use Authorization: Bearer <token>."), code="bad-authorization")
        now = timezone.now()
        token = (
            Token.objects.select_related("user")
            .filter(
                Q(expires_at=None) | Q(expires_at__gt=now),
                digest=digest(secret.strip()),
                revoked_at=None,
                user__is_active=True,
            )
            .first()
        )
        if token is None:
            of_an_app = app_token(digest(secret.strip()))
            if of_an_app is not None:
                return of_an_app
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."), code="bad-token")
        if token.last_used_at is None or now - token.last_used_at > LAST_USED_PRECISION:
            Token.objects.filter(pk=token.pk).update(last_used_at=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class SessionAuthentication(authentication.SessionAuthentication):
    """The session of a signed-in browser; a write also needs the CSRF token of the page it comes from."""

    def enforce_csrf(self, request: Any) -> None:
        try:
            super().enforce_csrf(request)
        except PermissionDenied as error:
            raise Forbidden(
                _("The session needs the CSRF token of the page: send it as X-CSRFToken."), code="csrf-failed"
            ) from error

"""Scopes of tokens: a closed list. A session has all of them; what an object allows is decided by its own room."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from forsale_api.api.problems import Forbidden

SCOPES = {
    "plays:read": _("Read the plays and statistics you may see"),
    "plays:write": _("Record and correct plays"),
    "simulations:write": _("Request and control simulations"),
    "club:admin": _("Make and run clubs"),
}


def has_scope(request: Request, scope: str) -> bool:
    """Whether the caller's token carries the scope; a session has all, an anonymous caller only reads."""
    token: Any = request.auth
    if token is None:
        return bool(request.user.is_authenticated) or scope == "plays:read"
    return scope in token.scopes


def viewer(request: Request) -> Any:
    """Whom a read is for: a token without plays:read sees what an anonymous caller sees."""
    return request.user if has_scope(request, "plays:read") else AnonymousUser()


def any_of(scopes: str | tuple[str, ...]) -> tuple[str, ...]:
    """The scopes of which one is enough, as a view names them: one, or several in a tuple."""
    return (scopes,) if isinstance(scopes, str) else scopes


class MissingScope(Forbidden):
    def __init__(self, scopes: tuple[str, ...]) -> None:
        super().__init__(
            gettext("This token lacks the scope %(scope)s.") % {"scope": " / ".join(scopes)}, code="missing-scope"
        )


class HasScope(BasePermission):
    """Writes need a caller (401) whose token carries the scope that the view declares for the method (403).

    A view declares `scopes = {"POST": "plays:write", ...}`, a tuple where any one of several is enough; a method it
    does not name is open to everybody (public reads and calculations), and `signed_in = {"GET"}` names methods that
    need a caller but no scope.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        scopes = any_of(getattr(view, "scopes", {}).get(request.method, ()))
        needs_caller = bool(scopes) or request.method in getattr(view, "signed_in", ())
        if needs_caller and not request.user.is_authenticated:
            return False  # answered 401 with WWW-Authenticate
        if scopes and not any(has_scope(request, scope) for scope in scopes):
            raise MissingScope(scopes)
        return True

"""OAuth 2 for apps that act for a member: authorization code with PKCE, refresh, revocation, by django-allauth.

Of its server only what this needs is served: no OpenID, no device codes, no registration by strangers. Apps ask for
the scopes that personal tokens have; access and refresh tokens are kept as digests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from allauth.core.internal.httpkit import add_query_params
from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.internal.oauthlib.utils import respond_html_error
from allauth.idp.oidc.models import Client
from allauth.idp.oidc.models import Token as Grant
from allauth.idp.oidc.views import AuthorizationView as AllauthAuthorizationView
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.csp import CSP
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from oauthlib.oauth2.rfc6749.errors import MismatchingRedirectURIError

from forsale_api.api.permissions import SCOPES
from forsale_api.api.problems import Problem
from forsale_api.clubs.models import User

MOST_REDIRECTS = 10
MOST_APPS = 50
HOME = {"localhost", "127.0.0.1", "::1"}  # where an app on somebody's own machine listens
NEVER = {"javascript", "data", "file", "blob", "vbscript", "about", "ftp", "ws", "wss"}


class OAuthAdapter(DefaultOIDCAdapter):  # type: ignore[misc]
    """What this site decides of its OAuth server."""

    scope_display = SCOPES


@dataclass(frozen=True, slots=True)
class AppToken:
    """An access token of an app, as `request.auth` holds it: like a personal token it has scopes."""

    pk: int
    app: str
    scopes: tuple[str, ...]


def app_token(digest: str) -> tuple[AbstractBaseUser, AppToken] | None:
    """The user and the token of this digest, while both hold. A token of a switched off account does not."""
    found = (
        Grant.objects.valid()
        .select_related("user")
        .filter(type=Grant.Type.ACCESS_TOKEN, hash=digest, user__is_active=True)
        .first()
    )
    if found is None or found.user is None:
        return None
    return found.user, AppToken(found.pk, str(found.client_id), tuple(found.get_scopes()))


# ---- apps -------------------------------------------------------------------------------------------


def check_redirect(address: str) -> None:
    """Whether codes may be sent there: https, http on the user's own machine, or a scheme of the app's own.

    Raises `Problem` (400, bad-redirect).
    """
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    fine = {"https": bool(host), "http": host in HOME}.get(
        parts.scheme, "." in parts.scheme and parts.scheme not in NEVER
    )
    if not fine or parts.fragment or "#" in address or "*" in address or len(address) > 500 or parts.username:
        raise Problem(
            gettext(
                "%(address)s cannot be a redirect address: use https, http on localhost, or a scheme of the app's own"
                " with a dot in it (com.example.app:/signed-in), without # and *."
            )
            % {"address": address[:100]},
            code="bad-redirect",
            place=("redirect_uris",),
        )


@transaction.atomic
def register_app(owner: User, *, name: str, redirect_uris: Sequence[str], confidential: bool) -> tuple[Client, str]:
    """A new app and its secret ("" where it can keep none, as on a phone or a page); only its digest is kept.

    Raises `Problem` (400): bad-redirect, too-many-apps.
    """
    if not 1 <= len(redirect_uris) <= MOST_REDIRECTS:
        raise Problem(
            gettext("An app has 1 to %(most)d redirect addresses.") % {"most": MOST_REDIRECTS},
            code="bad-redirect",
            place=("redirect_uris",),
        )
    for address in redirect_uris:
        check_redirect(address)
    if Client.objects.filter(owner=owner).count() >= MOST_APPS:
        raise Problem(gettext("You have %(most)d apps; delete one first.") % {"most": MOST_APPS}, code="too-many-apps")
    app = Client(name=name, owner=owner, type=Client.Type.CONFIDENTIAL if confidential else Client.Type.PUBLIC)
    secret = "fss_" + OAuthAdapter().generate_client_secret() if confidential else ""
    app.set_secret(secret or OAuthAdapter().generate_client_secret())
    app.set_scopes(list(SCOPES))
    app.set_default_scopes(["plays:read"])
    app.set_grant_types([Client.GrantType.AUTHORIZATION_CODE.value, Client.GrantType.REFRESH_TOKEN.value])
    app.set_redirect_uris(list(redirect_uris))
    app.set_cors_origins(sorted({_origin(address) for address in redirect_uris if address.startswith("http")}))
    app.save(force_insert=True)
    return app, secret


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def apps_of(owner: User) -> Any:
    """The apps that a developer has registered, newest first."""
    return Client.objects.filter(owner=owner).order_by("-created_at", "pk")


def apps_allowed_by(user: User) -> list[tuple[Client, list[str]]]:
    """The apps that may act for the user now, by name, with the scopes they have."""
    scopes: dict[Client, set[str]] = {}
    kinds = [Grant.Type.ACCESS_TOKEN, Grant.Type.REFRESH_TOKEN]
    for grant in Grant.objects.valid().select_related("client").filter(user=user, type__in=kinds):
        if grant.client is not None:
            scopes.setdefault(grant.client, set()).update(grant.get_scopes())
    found = [(app, [scope for scope in SCOPES if scope in has]) for app, has in scopes.items()]
    return sorted(found, key=lambda pair: pair[0].name.casefold())


def disallow_app(user: User, app_id: str) -> None:
    """Ends everything the app holds of the user, codes that it has not used yet included."""
    Grant.objects.filter(user=user, client_id=app_id).delete()


# ---- what is served ---------------------------------------------------------------------------------


class AuthorizationView(AllauthAuthorizationView):  # type: ignore[misc]
    """Asks the member whether the app may act for them; every app must use PKCE (S256)."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(request, *args, **kwargs)
        asked = getattr(self, "_request_info", None)
        if asked is None:  # refused, or sent to the login first
            return response
        if not self._is_registered(asked):
            refused: HttpResponse = respond_html_error(request, error=MismatchingRedirectURIError())
            return refused
        if not asked.get("code_challenge"):
            return self._without_pkce(asked)
        # Browsers hold form-action against the redirect that answers the form, too.
        target = urlsplit(str(asked["redirect_uri"]))
        source = f"{target.scheme}://{target.netloc}" if target.netloc else f"{target.scheme}:"
        policy = settings.SECURE_CSP | {"form-action": [CSP.SELF, source]}
        response._csp_config = policy  # type: ignore[attr-defined]
        return response

    def _is_registered(self, asked: dict[str, Any]) -> bool:
        """The library lets parameters be added to a redirect address; here it is the registered one, to the letter.

        Only the port is free on the member's own machine (RFC 8252), where programs take the one they get.
        """
        app = Client.objects.filter(pk=asked["client_id"]).first()
        registered = app.get_redirect_uris() if app else []
        return _without_local_port(str(asked["redirect_uri"])) in map(_without_local_port, registered)

    def _without_pkce(self, asked: dict[str, Any]) -> HttpResponse:
        wrong = {"error": "invalid_request", "error_description": "code_challenge (S256) is needed"}
        state = {"state": str(asked["state"])} if asked.get("state") else {}
        response = HttpResponse(status=302)
        response["Location"] = add_query_params(str(asked["redirect_uri"]), wrong | state)
        return response


def _without_local_port(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.hostname or "").geturl() if parts.hostname in HOME else address


@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """What the OAuth server offers and where (RFC 8414)."""

    def at(name: str) -> str:
        return request.build_absolute_uri(reverse(f"idp:oidc:{name}"))

    methods = ["client_secret_basic", "client_secret_post", "none"]
    response = JsonResponse(
        {
            "issuer": request.build_absolute_uri("/").rstrip("/"),
            "authorization_endpoint": at("authorization"),
            "token_endpoint": at("token"),
            "revocation_endpoint": at("revoke"),
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "service_documentation": request.build_absolute_uri("/developers/"),
        }
    )
    response["Access-Control-Allow-Origin"] = "*"
    return response

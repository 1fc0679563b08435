"""Addresses of the OAuth server. Their names are those by which django-allauth finds them."""

from allauth.idp.oidc.views import revoke, token
from django.urls import include, path

from forsale_api.clubs.oauth import AuthorizationView, metadata

served = [
    path("authorize/", AuthorizationView.as_view(), name="authorization"),
    path("token/", token, name="token"),
    path("revoke/", revoke, name="revoke"),
]

urlpatterns = [
    path(".well-known/oauth-authorization-server", metadata, name="oauth-metadata"),
    path("oauth/", include(([path("", include((served, "oidc")))], "idp"))),
]

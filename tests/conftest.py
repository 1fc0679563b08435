"""The cast of every API test: an owner, a member, a stranger and an anonymous caller, around the club of Nantes."""

import secrets
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.api.permissions import SCOPES
from forsale_api.clubs.authentication import digest
from forsale_api.clubs.models import Club, Membership, Role, Token, User


def token_client(user: User, *scopes: str) -> APIClient:
    """A client that carries a fresh token of the user with these scopes (all, when none is named)."""
    secret = "fs_" + secrets.token_urlsafe(32)
    Token.objects.create(
        user=user, name="test", prefix=secret[:8], digest=digest(secret), scopes=list(scopes or SCOPES)
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    client.user = user
    return client


def make_user(name: str) -> User:
    return User.objects.create_user(name, email=f"{name}@example.org", password="correct horse battery")


@pytest.fixture
def owner(db: Any) -> APIClient:
    return token_client(make_user("olive"))


@pytest.fixture
def member(db: Any, club: Club) -> APIClient:
    user = make_user("marcel")
    Membership.objects.create(club=club, user=user, role=Role.MEMBER)
    return token_client(user)


@pytest.fixture
def stranger(db: Any) -> APIClient:
    return token_client(make_user("stan"))


@pytest.fixture
def anonymous() -> APIClient:
    return APIClient()


@pytest.fixture
def club(db: Any, owner: APIClient) -> Club:
    """A private club; the owner fixture owns it."""
    club = Club.objects.create(slug="nantes", name="Nantes", visibility="private", time_zone="Europe/Paris")
    Membership.objects.create(club=club, user=owner.user, role=Role.OWNER)
    return club


@pytest.fixture
def public_club(db: Any, owner: APIClient) -> Club:
    club = Club.objects.create(slug="bristol", name="Bristol", visibility="public", time_zone="Europe/London")
    Membership.objects.create(club=club, user=owner.user, role=Role.OWNER)
    return club

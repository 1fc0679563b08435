"""A small world for tests that go through the whole API: the cast, three clubs and one of everything in each.

Built through the API itself, so that it holds nothing a caller could not have made. What is secret is marked: in the
private club every word is `SECRET`'s, and in all clubs what is for members alone is `BACKSTAGE`'s.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from forsale_api.clubs.models import User
from tests.conftest import make_user, token_client
from tests.test_folding import fold_all

ROLES = ("owner", "member", "stranger", "anonymous")
SECRET = "Cachottier"
BACKSTAGE = "backroom"
SLUGS = {"public": "bristol", "unlisted": "lyon", "private": "nantes"}
PAST = "2026-11-20"
SHEET = [(83, 4), (85, 2), (70, 0)]
ALL_EVENTS = ["play.created", "play.changed", "play.deleted", "simulation.finished"]
SIMULATION = {"game": "for-sale", "player_count": 3, "bots": ["coin-flip", "to-six", "random"], "games": 4, "seed": 7}
LEAGUE = {"player_count": 4, "bots": ["random", "coin-flip", "to-six"], "rounds": 2, "deals": 2, "seed": 3}


@dataclass
class World:
    """Who there is (by role, with a token of all scopes each) and what there is (by visibility of its club)."""

    clients: dict[str, APIClient]
    things: dict[str, dict[str, str]]

    def values(self, path: str, club: str) -> dict[str, str]:
        """What stands for the parameters of a path: the things of this club, and of nobody's what belongs to none."""
        mine = self.things[club]
        found = {name: mine[name] for name in re.findall(r"{(\w+)}", path) if name in mine}
        if "{index}" in path:
            found["index"] = "0"
        if "{id}" in path:
            before = path[: path.index("{id}")].rstrip("/").rpartition("/")[2]
            found["id"] = mine[before]
        if path.endswith("/problems/{slug}/"):
            found["slug"] = "not-found"
        if path.endswith("/questions/{slug}/"):
            found["slug"] = "position"
        return found

    def headers(self, role: str) -> dict[str, str]:
        """What a program of this role sends along."""
        sent = self.clients[role]._credentials.get("HTTP_AUTHORIZATION")
        return {"Authorization": sent} if sent else {}


def made(answer: Any) -> Any:
    assert 200 <= answer.status_code < 300, answer.content
    return answer.json() if answer.content else None


def seats(*names: str) -> list[dict[str, Any]]:
    return [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(names, SHEET, strict=True)]


def build() -> World:
    """Everything, from nothing; about a second."""
    users: dict[str, User] = {"owner": make_user("olive"), "member": make_user("marcel"), "stranger": make_user("stan")}
    clients = {role: token_client(user) for role, user in users.items()} | {"anonymous": APIClient()}
    owner = clients["owner"]
    shared = {
        "username": "marcel",
        "game": "for-sale",
        "other_game": "lady-richmond",
        "simulations": made(owner.post("/api/v1/simulations/", SIMULATION))["id"],
        "leagues": made(owner.post("/api/v1/leagues/", LEAGUE))["id"],
    }
    things = {club: shared | club_of_things(owner, club) for club in SLUGS}
    fold_all()
    return World(clients, things)


def club_of_things(owner: APIClient, visibility: str) -> dict[str, str]:
    """A club with one of everything, and where it is."""
    slug = SLUGS[visibility]
    word = f" {SECRET}" if visibility == "private" else ""
    club = f"/api/v1/clubs/{slug}/"
    facts = {"slug": slug, "name": slug.title() + word, "visibility": visibility, "time_zone": "Europe/Paris"}
    made(owner.post("/api/v1/clubs/", facts))
    made(owner.post(f"{club}members/", {"username": "marcel"}))
    hook = {"url": f"https://hooks.example.org/{BACKSTAGE}", "events": ALL_EVENTS}
    webhook = made(owner.post(f"{club}webhooks/", hook))["id"]
    names = [name + word for name in ("Théo", "Marianne", "Guilaine")]
    play = {
        "club": slug, "game": "for-sale", "played_on": PAST, "seats": seats(*names), "first_seat": 2,
        "location": f"Paul's {BACKSTAGE}", "notes": f"The {BACKSTAGE} was cold.",
    }  # fmt: skip
    recorded = made(owner.post("/api/v1/plays/", play))
    twin, guest = (made(owner.post(f"{club}players/", {"name": name + word}))["id"] for name in ("Teo", "Nicolas"))
    merge = made(owner.post(f"{club}players/{twin}/merge/", {"into": recorded["seats"][0]["player"]["id"]}))["id"]
    invitation = made(owner.post(f"{club}invitations/", {"uses": 10}))
    season = made(owner.post(f"{club}seasons/", {"name": "Autumn" + word, "first_day": "2026-09-01"}))["id"]
    return {
        "slug": slug,
        "plays": recorded["id"],
        "players": recorded["seats"][0]["player"]["id"],
        "guest": guest,
        "merges": str(merge),
        "invitations": str(invitation["id"]),
        "code": invitation["code"],
        "seasons": str(season),
        "webhooks": webhook,
        "delivery": made(owner.post(f"{club}webhooks/{webhook}/test/"))["id"],
    }


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """One world for all tests of a file; each of them (with `db`) leaves it as it was."""
    with django_db_blocker.unblock(), undone():
        yield build()


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is written within is gone after."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)

"""A mirror of a club, kept by `updated_after` and `include=deleted`, while others write."""

import threading
import uuid
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection, connections, transaction
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays import services
from forsale_api.plays.models import Play
from stats.models import Simulation
from tests.test_plays import PLAYS, body, post, seats
from tests.test_plays_together import fresh

PLAYERS = "/api/v1/clubs/nantes/players/"
OVERLAP = timedelta(minutes=1)
"""As the guide says: longer than any write takes, so that what was committed late is asked for again."""


class Mirror:
    """What docs/developers/paging-and-repeats.md tells a client to do."""

    def __init__(self, client: APIClient, club: str) -> None:
        self.client, self.club = client, club
        self.plays: dict[str, Any] = {}
        self.newest: datetime | None = None

    def update(self, page_size: int = 200) -> None:
        query = {"club": self.club, "include": "deleted,record", "ordering": "updated_at", "page_size": page_size}
        if self.newest is not None:
            query["updated_after"] = (self.newest - OVERLAP).isoformat()
        response = self.client.get(PLAYS, query)
        while True:
            assert response.status_code == 200, response.content
            for play in response.json()["results"]:
                stamp = datetime.fromisoformat(play.get("updated_at") or play["deleted_at"])
                self.newest = max(self.newest or stamp, stamp)
                if "deleted_at" in play:
                    self.plays.pop(play["id"], None)
                else:
                    self.plays[play["id"]] = play
            if (following := response.json()["next"]) is None:
                return
            response = self.client.get(following)


def everything(client: APIClient) -> dict[str, Any]:
    mirror = Mirror(client, "nantes")
    mirror.update()
    return mirror.plays


def test_a_mirror_follows_every_kind_of_change(owner: APIClient, club: Club) -> None:
    mirror = Mirror(owner, "nantes")
    one, two, three = (post(owner, notes=str(number)) for number in range(3))
    mirror.update()
    assert set(mirror.plays) == {one["id"], two["id"], three["id"]}
    players = {seat["player"]["name"]: seat["player"]["id"] for seat in one["seats"]}
    changes = [
        lambda: owner.patch(f"{PLAYS}{one['id']}/", {"notes": "changed"}),
        lambda: owner.delete(f"{PLAYS}{two['id']}/"),
        lambda: owner.patch(f"{PLAYERS}{players['Théo']}/", {"name": "Théodore"}),
        lambda: owner.post(f"{PLAYS}{two['id']}/restore/"),
        lambda: owner.post(PLAYS, body(seats=seats(names=["Theo", "Marianne", "Guilaine"]))),
        lambda: owner.post(
            f"{PLAYERS}{players['Théo']}/merge/",
            {"into": str(club.players.get(name="Theo").pk)},
        ),
        lambda: owner.delete(f"{PLAYS}{three['id']}/"),
    ]
    for change in changes:
        assert change().status_code in (200, 201, 204)
        mirror.update()
        listed = owner.get(PLAYS, {"club": "nantes", "include": "record", "page_size": "200"}).json()["results"]
        assert mirror.plays == {play["id"]: play for play in listed}


@pytest.mark.django_db(transaction=True)
def test_a_mirror_is_exact_though_others_write_meanwhile(owner: APIClient, club: Club) -> None:
    for number in range(4):
        post(owner, notes=f"first {number}")
    done, failed, merged = threading.Event(), [], list[int]()

    def write(seed: int) -> None:
        random, client = Random(seed), fresh(owner)
        try:
            for number in range(12):
                known = [str(pk) for pk in Play.objects.values_list("pk", flat=True)]
                one = f"{PLAYS}{random.choice(known)}/"
                act = random.choice(["post", "patch", "delete", "restore", "rename", "merge"])
                player = club.players.filter(merged_into=None).order_by("?")[0].pk
                if act == "post":
                    client.post(PLAYS, body(seats=seats(names=[f"A{seed}", f"B{number}", "C"])))
                elif act == "patch":
                    client.patch(one, {"notes": f"{seed} {number}"})
                elif act == "delete":
                    client.delete(one)
                elif act == "restore":
                    client.post(one + "restore/")
                elif act == "rename":
                    client.patch(f"{PLAYERS}{player}/", {"name": f"N{seed}-{number}"})
                else:
                    other = client.post(PLAYERS, {"name": f"M{seed}-{number}"}).json()["id"]
                    merged.append(client.post(f"{PLAYERS}{player}/merge/", {"into": other}).status_code)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    mirror = Mirror(fresh(owner), "nantes")

    def follow() -> None:
        try:
            while not done.is_set():
                mirror.update(page_size=3)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    reader = threading.Thread(target=follow)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert not failed
    assert 201 in merged
    mirror.update()
    assert mirror.plays == everything(owner)


@pytest.mark.django_db(transaction=True)
def test_a_write_that_commits_late_is_not_missed(owner: APIClient, club: Club) -> None:
    """Its stamp is older than one that was seen before it could be."""
    first, second = post(owner), post(owner)
    mirror = Mirror(owner, "nantes")
    stamped, seen = threading.Event(), threading.Event()

    def late() -> None:
        with transaction.atomic():
            play, _role = services.play_to_change(owner.user, first["id"])
            services.change_play(play, user=owner.user, changes={"notes": "late"})
            stamped.set()
            seen.wait(10)
        connections.close_all()

    thread = threading.Thread(target=late)
    thread.start()
    assert stamped.wait(10)
    if connection.vendor == "sqlite":  # one writer at a time: this one cannot be late
        seen.set()
    fresh(owner).patch(f"{PLAYS}{second['id']}/", {"notes": "early"})
    mirror.update()
    seen.set()
    thread.join()
    mirror.update()
    assert mirror.plays == everything(owner)
    assert mirror.plays[first["id"]]["notes"] == "late"


TIE = datetime(2026, 10, 1, 20, tzinfo=UTC)


def add_play(client: APIClient, _number: int) -> str:
    """On the same day as all others, under an id that may sort anywhere among theirs."""
    return str(post(client, played_on="2026-10-01", id=str(uuid.uuid4()))["id"])


def add_player(client: APIClient, number: int) -> str:
    name = f"{'MANIZ'[number % 5]} {number}"
    return str(client.post(PLAYERS, {"name": name}).json()["id"])


def add_club(client: APIClient, number: int) -> str:
    return str(client.post("/api/v1/clubs/", {"name": f"{'MANIZ'[number % 5]} {number}"}).json()["slug"])


def add_simulation(client: APIClient, number: int) -> str:
    """Asked for at the same moment as all others."""
    asked = {"game": "for-sale", "player_count": 3, "bots": ["random"] * 3, "games": 10, "seed": number}
    made = client.post("/api/v1/simulations/", asked).json()["id"]
    Simulation.objects.filter(pk=made).update(created_at=TIE)
    return str(made)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("address", "add", "key"),
    [
        ("/api/v1/plays/?club=nantes&", add_play, "id"),
        ("/api/v1/plays/?ordering=played_on&", add_play, "id"),
        ("/api/v1/clubs/nantes/players/?", add_player, "id"),
        ("/api/v1/clubs/?", add_club, "slug"),
        ("/api/v1/simulations/?", add_simulation, "id"),
    ],
)
def test_two_readers_page_over_ties_without_duplicates_or_holes_while_a_third_writes(
    owner: APIClient, club: Club, address: str, add: Any, key: str
) -> None:
    there = {add(owner, number) for number in range(12)}
    done, written, pages, failed = threading.Event(), threading.Semaphore(0), [], []

    def read() -> None:
        client, seen = fresh(owner), []
        try:
            page: str | None = f"{address}page_size=2"
            while page:
                answer = client.get(page).json()
                seen += [row[key] for row in answer["results"]]
                page = answer["next"]
                assert written.acquire(timeout=30), "something is written between any two pages"
            pages.append(seen)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    def write() -> None:
        client, number = fresh(owner), 100
        try:
            while not done.is_set():
                add(client, number)
                number += 1
                written.release(2)
        except Exception as error:
            failed.append(error)
        finally:
            written.release(1000)
            connections.close_all()

    readers, writer = [threading.Thread(target=read) for _ in range(2)], threading.Thread(target=write)
    for thread in (*readers, writer):
        thread.start()
    for thread in readers:
        thread.join(60)
    done.set()
    writer.join()
    assert not failed
    assert len(pages) == 2
    for seen in pages:
        assert len(seen) == len(set(seen))
        assert there <= set(seen)

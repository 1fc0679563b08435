"""Clubs: who may make, see, change and delete them."""

import pytest
from conftest import token_client
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from forsale_api.clubs import services
from forsale_api.clubs.models import Club, Membership, Player, Role
from forsale_api.plays.models import Play, Seat

CLUBS = "/api/v1/clubs/"


def put_in_a_play(player: Player, other: Player) -> Play:
    """A stored play of two; what clubs do to players that sit somewhere needs no more of it."""
    play = Play.objects.create(
        club=player.club, game="lady-richmond", edition="haba", variant="base", player_count=2,
        played_on="2026-11-01", level="total", decided_by="total", updated_at="2026-11-01T12:00:00Z",
    )  # fmt: skip
    for number, who in enumerate((player, other), 1):
        Seat.objects.create(play=play, seat=number, player=who, total=9 - number, rank=number, is_winner=number == 1)
    return play


def code(response) -> str:
    return response.json()["errors"][0]["code"]


# ---- making -----------------------------------------------------------------------------------------


def test_whoever_makes_a_club_owns_it_and_only_a_name_is_needed(owner):
    answer = owner.post(CLUBS, {"name": "Jeux à Nantes"})
    assert answer.status_code == 201
    assert answer["Location"].endswith("/api/v1/clubs/jeux-a-nantes/")
    made = answer.json()
    assert made.pop("created_at")
    assert made.pop("updated_at")
    assert made == {
        "slug": "jeux-a-nantes", "name": "Jeux à Nantes", "visibility": "private", "time_zone": "UTC",
        "contribute": False, "notes_public": False, "role": "owner",
    }  # fmt: skip
    assert owner.get(answer["Location"]).json()["role"] == "owner"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Œuvre & Straße", "oeuvre-strasse"),
        ("Łódź", "lodz"),
        ("a_b", "a-b"),
        ("Клуб", "club"),
        ("!!!", "club"),
        ("new", "new-2"),
        ("x" * 100, "x" * 40),
    ],
)
def test_a_slug_is_made_from_the_name_in_plain_letters(owner, name, slug):
    assert owner.post(CLUBS, {"name": name}).json()["slug"] == slug


def test_two_clubs_of_one_name_get_two_slugs(owner, stranger):
    assert [caller.post(CLUBS, {"name": "Nantes"}).json()["slug"] for caller in (owner, owner, stranger)] == [
        "nantes",
        "nantes-2",
        "nantes-3",
    ]


def test_a_slug_that_is_in_use_is_a_conflict(stranger, club):
    answer = stranger.post(CLUBS, {"name": "Other", "slug": "nantes"})
    assert (answer.status_code, code(answer)) == (409, "slug-taken")
    assert answer.json()["errors"][0]["pointer"] == "/slug"


def test_nobody_makes_a_club_without_an_account_or_without_the_scope(anonymous, owner):
    assert anonymous.post(CLUBS, {"name": "X"}).status_code == 401
    reader = token_client(owner.user, "plays:read", "plays:write")
    answer = reader.post(CLUBS, {"name": "X"})
    assert (answer.status_code, code(answer)) == (403, "missing-scope")
    assert not Club.objects.exists()


@pytest.mark.parametrize(
    ("body", "pointer", "reason"),
    [
        ({}, "/name", "required"),
        ({"name": ""}, "/name", "blank"),
        ({"name": " \u2003 "}, "/name", "blank"),
        ({"name": "a\nb"}, "/name", "bad-name"),
        ({"name": "\u200b\u2060"}, "/name", "bad-name"),
        ({"name": "Nantes\u202esetnaN"}, "/name", "bad-name"),
        ({"name": "x" * 101}, "/name", "max-length"),
        ({"name": 5}, "/name", "invalid"),
        ({"name": None}, "/name", "null"),
        ({"name": "X", "slug": "Not A Slug"}, "/slug", "invalid"),
        ({"name": "X", "slug": "a\n"}, "/slug", "invalid"),
        ({"name": "X", "slug": ""}, "/slug", "blank"),
        ({"name": "X", "slug": 7}, "/slug", "invalid"),
        ({"name": "X", "visibility": "secret"}, "/visibility", "invalid-choice"),
        ({"name": "X", "visibility": []}, "/visibility", "invalid-choice"),
        ({"name": "X", "time_zone": "Europe/Nantes"}, "/time_zone", "invalid-choice"),
        ({"name": "X", "time_zone": "../../etc/passwd"}, "/time_zone", "invalid-choice"),
        ({"name": "X", "contribute": "yes"}, "/contribute", "invalid"),
        ({"name": "X", "contribute": 1}, "/contribute", "invalid"),
        ({"name": "X", "colour": "red"}, "/colour", "unknown-field"),
        ({"name": "X", "role": "owner"}, "/role", "unknown-field"),
        ([], "", "invalid"),
        ("text", "", "invalid"),
    ],
)
def test_a_body_of_the_wrong_shape_is_told_where_and_why(owner, body, pointer, reason):
    answer = owner.post(CLUBS, body)
    assert answer.status_code == 400
    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == [(pointer, reason)]


def test_the_time_zone_is_an_iana_name(owner):
    assert owner.post(CLUBS, {"name": "X", "time_zone": "Europe/Paris"}).json()["time_zone"] == "Europe/Paris"


# ---- seeing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visibility", "named", "listed"), [("public", 200, True), ("unlisted", 200, False), ("private", 404, False)]
)
def test_what_a_stranger_and_an_anonymous_caller_see_of_a_club(club, stranger, anonymous, visibility, named, listed):
    Club.objects.update(visibility=visibility)
    for caller in (stranger, anonymous):
        assert caller.get(f"{CLUBS}nantes/").status_code == named
        assert caller.get(f"{CLUBS}nantes/players/").status_code == named
        assert bool(caller.get(CLUBS).json()["results"]) is listed


def test_a_private_club_looks_like_no_club_at_all_to_a_stranger(club, stranger):
    secret, nothing = stranger.get(f"{CLUBS}nantes/").json(), stranger.get(f"{CLUBS}nothing/").json()
    assert str(secret).replace("nantes", "nothing") == str(nothing)


def test_members_see_their_clubs_with_their_role(club, public_club, owner, member):
    shown = {row["slug"]: row["role"] for row in member.get(CLUBS).json()["results"]}
    assert shown == {"bristol": None, "nantes": "member"}
    assert [row["slug"] for row in member.get(CLUBS, {"mine": "true"}).json()["results"]] == ["nantes"]
    assert [row["slug"] for row in member.get(CLUBS, {"mine": "false"}).json()["results"]] == ["bristol"]
    assert owner.get(f"{CLUBS}nantes/").json()["role"] == "owner"


def test_a_token_for_simulations_alone_sees_what_an_anonymous_caller_sees(club, owner):
    assert token_client(owner.user, "simulations:write").get(f"{CLUBS}nantes/").status_code == 404


def test_the_list_pages_without_holes_or_repeats(owner):
    for number in range(7):
        services.create_club(owner=owner.user, name=f"Club {number}", visibility="public")
    seen, address = [], f"{CLUBS}?page_size=3"
    while address:
        page = owner.get(address).json()
        seen += [row["slug"] for row in page["results"]]
        address = page["next"]
    assert seen == [f"club-{number}" for number in range(7)]
    back = owner.get(page["previous"]).json()
    assert [row["slug"] for row in back["results"]] == seen[3:6]


def test_the_list_costs_the_same_queries_for_one_club_as_for_twenty(owner):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert owner.get(CLUBS).status_code == 200
        return len(caught)

    services.create_club(owner=owner.user, name="One")
    owner.get(CLUBS)
    few = queries()
    for number in range(20):
        services.create_club(owner=owner.user, name=f"Club {number}")
    assert queries() == few


# ---- changing and deleting --------------------------------------------------------------------------


def test_an_owner_changes_what_the_body_names_and_nothing_else(club, owner):
    answer = owner.patch(f"{CLUBS}nantes/", {"visibility": "public", "contribute": True})
    assert answer.status_code == 200
    club.refresh_from_db()
    assert (club.visibility, club.contribute, club.name, club.time_zone) == ("public", True, "Nantes", "Europe/Paris")


def test_a_club_can_move_to_another_slug_but_not_to_one_in_use(club, public_club, owner):
    assert owner.patch(f"{CLUBS}nantes/", {"slug": "naoned"}).json()["slug"] == "naoned"
    assert owner.get(f"{CLUBS}nantes/").status_code == 404
    assert owner.patch(f"{CLUBS}naoned/", {"slug": "naoned", "name": "Naoned"}).status_code == 200
    answer = owner.patch(f"{CLUBS}naoned/", {"slug": "bristol"})
    assert (answer.status_code, code(answer)) == (409, "slug-taken")
    assert owner.get(f"{CLUBS}naoned/").json()["name"] == "Naoned"


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_only_owners_change_or_delete_a_club(club, member, stranger, anonymous, method):
    def attempt(caller: APIClient) -> int:
        return getattr(caller, method)(f"{CLUBS}nantes/", {} if method == "delete" else {"name": "Mine"}).status_code

    assert [attempt(member), attempt(stranger), attempt(anonymous)] == [403, 404, 401]
    Club.objects.update(visibility="public")
    assert [attempt(member), attempt(stranger), attempt(anonymous)] == [403, 403, 401]
    assert Club.objects.get().name == "Nantes"


def test_deleting_a_club_takes_its_plays_players_and_members_with_it(club, owner):
    put_in_a_play(*services.players_for(club, ["Théo", "Marianne"]))
    assert owner.delete(f"{CLUBS}nantes/").status_code == 204
    assert owner.get(f"{CLUBS}nantes/").status_code == 404
    assert not Play.objects.exists()
    assert not Player.objects.exists()
    assert not Membership.objects.exists()


def test_a_change_made_against_an_old_state_is_refused(club, owner):
    read = owner.get(f"{CLUBS}nantes/")
    assert owner.patch(f"{CLUBS}nantes/", {"name": "A"}, headers={"If-Match": read["ETag"]}).status_code == 200
    stale = owner.patch(f"{CLUBS}nantes/", {"name": "B"}, headers={"If-Match": read["ETag"]})
    assert (stale.status_code, code(stale)) == (412, "stale")
    assert owner.delete(f"{CLUBS}nantes/", headers={"If-Match": read["ETag"]}).status_code == 412
    fresh = owner.get(f"{CLUBS}nantes/")
    assert fresh.json()["name"] == "A"
    assert owner.patch(f"{CLUBS}nantes/", {"name": "C"}, headers={"If-Match": f"W/{fresh['ETag']}"}).status_code == 200
    assert owner.patch(f"{CLUBS}nantes/", {"name": "D"}, headers={"If-Match": "*"}).status_code == 200


def test_who_is_visible_to_whom_by_the_helpers_other_rooms_use(club, public_club, owner, member, stranger):
    Club.objects.create(slug="hidden", name="Hidden", visibility="unlisted")

    def slugs(clubs) -> list[str]:
        return sorted(clubs.values_list("slug", flat=True))

    assert slugs(services.visible_clubs(member.user)) == ["bristol", "hidden", "nantes"]
    assert slugs(services.listed_clubs(member.user)) == ["bristol", "nantes"]
    assert slugs(services.visible_clubs(stranger.user)) == ["bristol", "hidden"]
    assert slugs(services.listed_clubs(stranger.user)) == ["bristol"]
    assert services.membership(owner.user, club).role == Role.OWNER
    assert services.membership(stranger.user, club) is None

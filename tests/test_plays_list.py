"""The list of plays: filters, order, pages, and who sees which."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Membership, Player
from forsale_api.plays.models import Play
from tests.conftest import token_client
from tests.test_plays import NAMES, PLAYS, patch, post, problem, record_body, seats


def ids(client: APIClient, **query: Any) -> list[str]:
    response = client.get(PLAYS, query)
    assert response.status_code == 200, response.content
    return [play["id"] for play in response.json()["results"]]


def test_each_filter_keeps_what_it_names(owner: APIClient, club: Club) -> None:
    sheet = post(owner, played_on="2026-10-01")
    totals = [{"player": n, "total": t} for n, t in zip([*NAMES, "Paul"], (60, 61, 62, 63), strict=True)]
    four = post(owner, played_on="2026-10-02", seats=totals, edition="eagle", variant="not-enough-for-everyone")
    aborted = post(owner, played_on="2026-10-03", counts=False, not_counted_reason="aborted")
    lady = post(
        owner,
        played_on="2026-10-04",
        game="lady-richmond",
        seats=[{"player": "Paul", "points": 1}, {"player": "X", "points": 2}],
    )
    everything = [play["id"] for play in (lady, aborted, four, sheet)]
    paul = lady["seats"][0]["player"]["id"]
    for query, expected in (
        ({}, [0, 1, 2, 3]),
        ({"game": "lady-richmond"}, [0]),
        ({"edition": "eagle"}, [2]),
        ({"variant": "not-enough-for-everyone"}, [2]),
        ({"player_count": "3"}, [1, 3]),
        ({"level": "total"}, [0, 2]),
        ({"counts": "false"}, [1]),
        ({"counts": "true"}, [0, 2, 3]),
        ({"played_after": "2026-10-03"}, [0, 1]),
        ({"played_before": "2026-10-02"}, [2, 3]),
        ({"played_after": "2026-10-02", "played_before": "2026-10-02"}, [2]),
        ({"player": paul}, [0, 2]),
        ({"player": "PAUL", "club": "nantes"}, [0, 2]),
        ({"player": "Nobody", "club": "nantes"}, []),
        ({"ordering": "played_on"}, [3, 2, 1, 0]),
        ({"ordering": "-created_at"}, [0, 1, 2, 3]),
        ({"player": paul, "game": "for-sale"}, [2]),
    ):
        assert ids(owner, **query) == [everything[i] for i in expected], query


def test_updated_after_and_deleted_plays_serve_a_sync(owner: APIClient, club: Club) -> None:
    first, second, third = (post(owner, notes=str(i)) for i in range(3))
    changed = patch(owner, first, notes="new")
    owner.delete(f"{PLAYS}{second['id']}/")
    assert ids(owner, updated_after=changed["updated_at"], ordering="updated_at") == [first["id"]]
    answer = owner.get(
        PLAYS, {"updated_after": changed["updated_at"], "ordering": "updated_at", "include": "deleted"}
    ).json()
    assert [play["id"] for play in answer["results"]] == [first["id"], second["id"]]
    assert answer["results"][1].keys() == {"id", "deleted_at"}
    assert ids(owner, ordering="updated_at") == [third["id"], first["id"]]


def test_records_are_left_out_unless_asked_for(owner: APIClient, club: Club) -> None:
    sent = record_body()
    owner.post(PLAYS, sent)
    assert "record" not in owner.get(PLAYS).json()["results"][0]
    assert owner.get(PLAYS, {"include": "record"}).json()["results"][0]["record"] == sent["record"]
    assert owner.get(PLAYS, {"include": "deleted,record"}).json()["results"][0]["record"] == sent["record"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"colour": "red"}, "/colour"),
        ({"playedafter": "2026-10-01"}, "/playedafter"),
        ({"game": "chess"}, "/game"),
        ({"edition": "iela"}, "/edition"),
        ({"player_count": "9"}, "/player_count"),
        ({"counts": "yes"}, "/counts"),
        ({"played_after": "1 May"}, "/played_after"),
        ({"updated_after": "1733000000"}, "/updated_after"),
        ({"ordering": "notes"}, "/ordering"),
        ({"include": "notes"}, "/include"),
        ({"page_size": "201"}, "/page_size"),
        ({"page_size": "0"}, "/page_size"),
        ({"cursor": "x"}, "/cursor"),
        ({"player": "Théo"}, "/player"),
        ({"mine": "maybe"}, "/mine"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(owner: APIClient, query: dict[str, str], pointer: str) -> None:
    response = owner.get(PLAYS, query)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)


def test_pages_have_no_gaps_and_no_repeats_while_others_write(owner: APIClient, club: Club) -> None:
    days = [3, 1, 1, 1, 2, 2, 3, 1, 2]  # many plays share a day
    plays = [post(owner, played_on=f"2026-10-0{day}") for day in days]
    seen: list[str] = []
    address: str | None = PLAYS + "?page_size=2"
    while address:
        answer = owner.get(address).json()
        seen += [play["id"] for play in answer["results"]]
        address = answer["next"]
        post(owner, played_on="2026-11-01")  # before what is read
    by_day = sorted(plays, key=lambda play: (play["played_on"], play["id"]), reverse=True)
    assert seen == [play["id"] for play in by_day]
    back = owner.get(answer["previous"]).json()
    assert [play["id"] for play in back["results"]] == seen[-3:-1]


@pytest.fixture
def plays_of(owner: APIClient, club: Club, public_club: Club) -> dict[str, str]:
    """One play in each of a private, a public and an unlisted club, all of the same owner."""
    hidden = Club.objects.create(slug="angers", name="Angers", visibility="unlisted")
    Membership.objects.create(club=hidden, user=owner.user, role="owner")
    return {
        name: post(owner, club=slug)["id"]
        for name, slug in (("private", "nantes"), ("public", "bristol"), ("unlisted", "angers"))
    }


def test_who_sees_which_plays(
    owner: APIClient, stranger: APIClient, anonymous: APIClient, plays_of: dict[str, str]
) -> None:
    assert set(ids(owner)) == set(plays_of.values())
    for client in (stranger, anonymous, token_client(owner.user, "plays:write")):
        assert ids(client) == [plays_of["public"]]
        assert ids(client, club="angers") == [plays_of["unlisted"]]
        assert client.get(f"{PLAYS}{plays_of['unlisted']}/").status_code == 200
    for client in (stranger, anonymous):
        problem(client.get(PLAYS, {"club": "nantes"}), 404, "no-such-club", "/club")
        problem(client.get(PLAYS, {"club": "atlantis"}), 404, "no-such-club", "/club")
        assert client.get(f"{PLAYS}{plays_of['private']}/").status_code == 404
    blind = token_client(owner.user, "plays:write")
    assert blind.get(PLAYS, {"club": "nantes"}).status_code == 403
    assert blind.get(f"{PLAYS}{plays_of['private']}/").json()["errors"][0]["code"] == "missing-scope"


def test_a_player_filter_shows_nothing_of_clubs_one_may_not_see(
    owner: APIClient, stranger: APIClient, plays_of: dict[str, str]
) -> None:
    player = Play.objects.get(pk=plays_of["private"]).seats.get(seat=1).player_id
    assert ids(stranger, player=str(player)) == []
    assert ids(owner, player=str(player)) == [plays_of["private"]]


def test_the_old_name_and_the_old_id_of_a_merged_player_lead_to_the_one_who_stayed(
    owner: APIClient, anonymous: APIClient, club: Club
) -> None:
    first = post(owner, seats=seats(names=["Theo B.", "Marianne", "Guilaine"]))
    second = post(owner, seats=seats(names=["Théodore", "Marianne", "Guilaine"]))
    gone, kept = first["seats"][0]["player"]["id"], second["seats"][0]["player"]["id"]
    last = str(Player.objects.create(club=club, name="Teddy", name_key="teddy").pk)
    for one, other in ((gone, kept), (kept, last)):
        assert owner.post(f"/api/v1/clubs/nantes/players/{one}/merge/", {"into": other}).status_code == 201
    for who in (gone, kept, last, "theo b.", "Théodore", "Teddy"):
        assert ids(owner, player=who, club="nantes") == [second["id"], first["id"]], who
        lines = owner.get(PLAYS + "export.ndjson", {"player": who, "club": "nantes"}).getvalue().splitlines()
        assert len(lines) == 3
    assert ids(anonymous, player=gone) == []


def test_my_plays_are_those_i_recorded_or_sat_in(
    owner: APIClient, member: APIClient, anonymous: APIClient, club: Club
) -> None:
    recorded = post(member)["id"]
    sat = post(owner, seats=seats(names=["Marcel", "Marianne", "Guilaine"]))["id"]
    post(owner)
    Player.objects.filter(club=club, name="Marcel").update(user=member.user)
    assert set(ids(member, mine="true")) == {recorded, sat}
    assert len(ids(member, mine="false")) == 3
    assert anonymous.get(PLAYS, {"mine": "true"}).status_code == 401
    assert token_client(member.user, "plays:write").get(PLAYS, {"mine": "true"}).status_code == 403


def test_a_list_costs_the_same_whatever_its_length(
    owner: APIClient, club: Club, django_assert_max_num_queries: Any
) -> None:
    for _number in range(8):
        post(owner)
    for size in ("2", "8"):
        with django_assert_max_num_queries(5):
            owner.get(PLAYS, {"page_size": size, "include": "record,deleted", "club": "nantes"})


def test_an_unchanged_list_is_304(owner: APIClient, club: Club) -> None:
    post(owner)
    tag = owner.get(PLAYS)["ETag"]
    assert owner.get(PLAYS, headers={"if-none-match": tag}).status_code == 304
    post(owner)
    assert owner.get(PLAYS, headers={"if-none-match": tag}).status_code == 200

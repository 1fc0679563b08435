"""Players of a club: guests by name, renamed, claimed by members, and never two of one name."""

import threading
import uuid

import pytest
from conftest import make_user, token_client
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from test_clubs import code, put_in_a_play

from forsale_api.api.problems import AgainstTheRules, Problem
from forsale_api.clubs import services
from forsale_api.clubs.models import Club, Membership, Player, name_key

PLAYERS = "/api/v1/clubs/nantes/players/"


def address(player: Player) -> str:
    return f"{PLAYERS}{player.pk}/"


@pytest.fixture
def theo(club: Club) -> Player:
    return services.create_player(club, "Théo")


# ---- names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    ["théo", "THEO", "  Théo ", "The\u0301o", "ＴＨＥＯ"],
)
def test_names_are_one_without_case_accents_and_extra_blanks(club, owner, theo, other):
    answer = owner.post(PLAYERS, {"name": other})
    assert (answer.status_code, code(answer)) == (409, "name-taken")
    assert answer.json()["existing"] == {"id": str(theo.pk), "name": "Théo"}
    assert services.player_for(club, other) == theo


def test_different_names_stay_apart():
    names = ["Théo", "Thea", "Theo B", "Θεο", "Тео", "李", "李雷", "\u0301"]
    assert len({name_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    "name", ["\ufdfa" * 50, "\u200d", "\ufeff \u3164", "Th\u202eéo", "01a22dc5-4f3c-76a0-8dbe-dd3c7ecd531d"]
)
def test_a_name_that_cannot_be_kept_or_looks_like_an_id_is_refused(club, owner, name):
    answer = owner.post(PLAYERS, {"name": name})
    assert (answer.status_code, code(answer)) == (400, "bad-name")


@pytest.mark.parametrize("name", ["👩\u200d👧", "می\u200cخواهم", "\u200fאבי"])
def test_a_name_may_hold_the_marks_that_its_script_needs(club, owner, name):
    assert owner.post(PLAYERS, {"name": name}).json()["name"] == name


def test_extra_blanks_are_not_stored(club, owner):
    assert owner.post(PLAYERS, {"name": "  Anne   Marie "}).json()["name"] == "Anne Marie"


# ---- over HTTP --------------------------------------------------------------------------------------


def test_any_member_adds_a_player(club, member):
    answer = member.post(PLAYERS, {"name": "Guilaine"})
    assert answer.status_code == 201
    assert member.get(answer["Location"]).json() == answer.json()
    assert answer.json()["username"] is None


def test_strangers_change_no_players(club, theo, stranger, anonymous):
    for visibility, status in (("private", 404), ("public", 403)):
        Club.objects.update(visibility=visibility)
        attempts = [
            lambda caller: caller.post(PLAYERS, {"name": "X"}),
            lambda caller: caller.patch(address(theo), {"name": "X"}),
            lambda caller: caller.delete(address(theo)),
            lambda caller: caller.post(address(theo) + "claim/"),
            lambda caller: caller.delete(address(theo) + "claim/"),
        ]
        assert [attempt(stranger).status_code for attempt in attempts] == [status] * 5
        assert [attempt(anonymous).status_code for attempt in attempts] == [401] * 5
    assert list(Player.objects.values_list("name", "user")) == [("Théo", None)]


def test_the_list_is_by_name_and_can_be_asked_for_one_name(club, member, theo):
    services.players_for(club, ["zoé", "Anne", "Élodie"])
    assert [row["name"] for row in member.get(PLAYERS).json()["results"]] == ["Anne", "Élodie", "Théo", "zoé"]
    assert [row["name"] for row in member.get(PLAYERS, {"name": "ELODIE"}).json()["results"]] == ["Élodie"]


def test_the_list_costs_the_same_queries_for_one_player_as_for_thirty(club, member, theo):
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert member.get(PLAYERS).status_code == 200
        return len(caught)

    member.get(PLAYERS)
    few = queries()
    for number in range(30):
        player = services.create_player(club, f"Player {number}")
        user = make_user(f"user{number}")
        Membership.objects.create(club=club, user=user)
        services.claim_player(player, user)
    assert queries() == few


def test_a_player_of_another_club_is_not_found_here(club, public_club, owner):
    elsewhere = services.create_player(public_club, "Théo")
    assert owner.get(address(elsewhere)).status_code == 404
    assert owner.get(f"{PLAYERS}{uuid.uuid4()}/").status_code == 404


def test_a_rename_is_a_new_version_of_the_plays_the_player_sat_in_and_of_no_other(club, member, theo):
    anne, ben = services.players_for(club, ["Anne", "Ben"])
    sat, other = put_in_a_play(theo, anne), put_in_a_play(anne, ben)
    answer = member.patch(address(theo), {"name": "Théodore"})
    assert (answer.status_code, answer.json()["name"]) == (200, "Théodore")
    before = sat.updated_at
    sat.refresh_from_db()
    other.refresh_from_db()
    assert sat.version == 2
    assert str(sat.updated_at) > str(before)
    assert other.version == 1


def test_a_rename_may_change_accents_but_not_take_a_name(club, member, theo):
    services.create_player(club, "Anne")
    assert member.patch(address(theo), {"name": "Theo"}).json()["name"] == "Theo"
    answer = member.patch(address(theo), {"name": "ANNE"})
    assert (answer.status_code, code(answer)) == (409, "name-taken")
    assert member.patch(address(theo), {}).json()["name"] == "Theo"


def test_a_rename_against_an_old_state_is_refused(club, member, theo):
    read = member.get(address(theo))
    assert member.patch(address(theo), {"name": "T"}, headers={"If-Match": read["ETag"]}).status_code == 200
    assert member.patch(address(theo), {"name": "U"}, headers={"If-Match": read["ETag"]}).status_code == 412
    assert member.delete(address(theo), headers={"If-Match": read["ETag"]}).status_code == 412
    theo.refresh_from_db()
    assert theo.name == "T"


def test_a_player_who_sat_somewhere_cannot_be_deleted(club, member, theo):
    anne, ben = services.players_for(club, ["Anne", "Ben"])
    put_in_a_play(theo, anne)
    answer = member.delete(address(theo))
    assert (answer.status_code, code(answer)) == (409, "player-has-plays")
    assert member.delete(address(ben)).status_code == 204
    assert member.get(address(ben)).status_code == 404


# ---- claims -----------------------------------------------------------------------------------------


def test_a_member_claims_one_player_and_only_members_see_who_it_is(club, member, owner, anonymous, theo):
    claimed = member.post(address(theo) + "claim/")
    assert (claimed.status_code, claimed.json()["username"], claimed.json()["is_me"]) == (200, "marcel", True)
    assert member.post(address(theo) + "claim/").status_code == 200
    assert owner.get(address(theo)).json()["is_me"] is False
    Club.objects.update(visibility="public")
    assert anonymous.get(address(theo)).json()["username"] is None
    anne = services.create_player(club, "Anne")
    second = member.post(address(anne) + "claim/")
    assert (second.status_code, code(second)) == (409, "already-somebody")
    taken = owner.post(address(theo) + "claim/")
    assert (taken.status_code, code(taken)) == (409, "player-claimed")


def test_a_claim_is_given_up_by_its_member_or_taken_back_by_an_owner(club, member, owner, theo):
    other = make_user("other")
    Membership.objects.create(club=club, user=other)
    member.post(address(theo) + "claim/")
    refused = token_client(other).delete(address(theo) + "claim/")
    assert (refused.status_code, code(refused)) == (403, "player-claimed")
    assert member.delete(address(theo) + "claim/").json()["username"] is None
    member.post(address(theo) + "claim/")
    assert owner.delete(address(theo) + "claim/").json()["username"] is None
    assert owner.delete(address(theo) + "claim/").status_code == 200


# ---- what other rooms call --------------------------------------------------------------------------


def test_players_come_back_in_the_order_asked_for_new_guests_made_once(club, theo):
    found = services.players_for(club, ["Anne", str(theo.pk), "  anne", "THÉO", str(theo.pk).upper()])
    assert [player.name for player in found] == ["Anne", "Théo", "Anne", "Théo", "Théo"]
    assert Player.objects.count() == 2


def test_six_players_cost_one_query_when_known_and_three_when_new(club, django_assert_num_queries):
    names = [f"Player {number}" for number in range(6)]
    with django_assert_num_queries(3):
        services.players_for(club, names)
    with django_assert_num_queries(1):
        services.players_for(club, names)


def test_an_id_must_be_of_this_club_and_an_unknown_name_can_be_refused(club, public_club):
    elsewhere = services.create_player(public_club, "Théo")
    for who, create in ((str(elsewhere.pk), True), (str(uuid.uuid4()), True), ("Nobody", False)):
        with pytest.raises(AgainstTheRules) as caught:
            services.player_for(club, who, create=create, place=("seats", 2, "player"))
        assert caught.value.errors[0]["code"] == "no-such-player"
        assert caught.value.errors[0]["pointer"] == "/seats/2/player"
    with pytest.raises(Problem):
        services.player_for(club, "   ")
    assert not Player.objects.filter(club=club).exists()


@pytest.mark.django_db(transaction=True)
def test_ten_callers_who_name_the_same_new_guests_at_once_get_the_same_players(club):
    start, seen, failures = threading.Barrier(10), [], []

    def call(number: int) -> None:
        names = ["Anne", "Ben", "Chloé"]
        start.wait()
        try:
            seen.append({player.pk for player in services.players_for(club, names[number % 3 :] + names[: number % 3])})
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=call, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(seen) == 10
    assert all(players == seen[0] for players in seen)
    assert Player.objects.count() == 3

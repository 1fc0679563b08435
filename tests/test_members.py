"""Members of a club: added by owners, handed the club, removed, leaving; and an owner always remains."""

import threading

import pytest
from conftest import make_user, token_client
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from test_clubs import code

from forsale_api.api.problems import Conflict
from forsale_api.clubs import services
from forsale_api.clubs.models import Club, Membership, Role

MEMBERS = "/api/v1/clubs/nantes/members/"


def roles(club: Club) -> dict[str, str]:
    return dict(Membership.objects.filter(club=club).values_list("user__username", "role"))


def test_members_see_the_members_and_others_do_not(club, owner, member, stranger, anonymous):
    shown = member.get(MEMBERS).json()["results"]
    assert [(row["username"], row["role"]) for row in shown] == [("olive", "owner"), ("marcel", "member")]
    assert member.get(MEMBERS + "olive/").json() == shown[0]
    assert [caller.get(MEMBERS).status_code for caller in (stranger, anonymous)] == [404, 401]
    Club.objects.update(visibility="public")
    assert [caller.get(MEMBERS).status_code for caller in (stranger, anonymous)] == [403, 401]
    assert stranger.get(MEMBERS + "olive/").status_code == 403


def test_an_owner_adds_a_member_by_the_name_of_the_account(club, owner, stranger):
    answer = owner.post(MEMBERS, {"username": "stan"})
    assert (answer.status_code, answer.json()["role"]) == (201, "member")
    assert owner.get(answer["Location"]).json() == answer.json()
    assert stranger.get("/api/v1/clubs/nantes/").status_code == 200
    again = owner.post(MEMBERS, {"username": "stan"})
    assert (again.status_code, code(again)) == (409, "already-a-member")
    nobody = owner.post(MEMBERS, {"username": "nobody"})
    assert (nobody.status_code, code(nobody)) == (422, "no-such-user")
    assert nobody.json()["errors"][0]["pointer"] == "/username"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({}, "/username"), ({"username": "stan", "role": "king"}, "/role"), ({"username": ["stan"]}, "/username")],
)
def test_a_wrong_body_adds_nobody(club, owner, stranger, body, pointer):
    answer = owner.post(MEMBERS, body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert roles(club) == {"olive": "owner"}


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_members_and_strangers_run_nothing(club, owner, member, stranger, anonymous, visibility):
    Club.objects.update(visibility=visibility)
    unseen = 404 if visibility == "private" else 403
    for attempt in (
        lambda caller: caller.post(MEMBERS, {"username": "stan"}),
        lambda caller: caller.patch(MEMBERS + "olive/", {"role": "member"}),
        lambda caller: caller.patch(MEMBERS + "marcel/", {"role": "owner"}),
        lambda caller: caller.delete(MEMBERS + "olive/"),
    ):
        assert [attempt(caller).status_code for caller in (member, stranger, anonymous)] == [403, unseen, 401]
    assert roles(club) == {"olive": "owner", "marcel": "member"}


def test_a_club_is_handed_over_by_making_another_an_owner(club, owner, member):
    assert owner.patch(MEMBERS + "marcel/", {"role": "owner"}).json()["role"] == "owner"
    assert owner.patch(MEMBERS + "olive/", {"role": "member"}).json()["role"] == "member"
    assert roles(club) == {"olive": "member", "marcel": "owner"}
    assert owner.patch(MEMBERS + "marcel/", {"role": "member"}).status_code == 403


def test_the_last_owner_can_neither_step_down_nor_leave(club, owner, member):
    for attempt in (owner.patch(MEMBERS + "olive/", {"role": "member"}), owner.delete(MEMBERS + "olive/")):
        assert (attempt.status_code, code(attempt)) == (409, "last-owner")
    assert roles(club) == {"olive": "owner", "marcel": "member"}


def test_a_member_leaves_and_an_owner_removes(club, owner, member, stranger):
    assert member.delete(MEMBERS + "marcel/").status_code == 204
    assert member.get("/api/v1/clubs/nantes/").status_code == 404
    owner.post(MEMBERS, {"username": "stan"})
    assert owner.delete(MEMBERS + "stan/").status_code == 204
    assert owner.delete(MEMBERS + "stan/").status_code == 404
    assert roles(club) == {"olive": "owner"}


def test_a_token_without_the_scope_runs_nothing(club, owner, member):
    recorder = token_client(owner.user, "plays:read", "plays:write")
    assert recorder.post(MEMBERS, {"username": "stan"}).status_code == 403
    assert recorder.patch(MEMBERS + "marcel/", {"role": "owner"}).status_code == 403
    assert recorder.delete(MEMBERS + "marcel/").status_code == 403
    assert roles(club) == {"olive": "owner", "marcel": "member"}


def test_a_change_against_an_old_state_is_refused(club, owner, member):
    read = owner.get(MEMBERS + "marcel/")
    owner.patch(MEMBERS + "marcel/", {"role": "owner"})
    assert owner.delete(MEMBERS + "marcel/", headers={"If-Match": read["ETag"]}).status_code == 412
    assert "marcel" in roles(club)


def test_the_list_costs_the_same_queries_for_two_members_as_for_twenty(club, member):
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert member.get(MEMBERS).status_code == 200
        return len(caught)

    member.get(MEMBERS)
    few = queries()
    for number in range(20):
        Membership.objects.create(club=club, user=make_user(f"user{number}"))
    assert queries() == few


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_leave_at_the_same_moment_leave_one_behind(club, owner, member):
    services.change_role(Membership.objects.select_related("club").get(user=member.user), Role.OWNER)
    start, outcomes = threading.Barrier(2), []

    def leave(membership: Membership) -> None:
        start.wait()
        try:
            services.remove_member(membership)
            outcomes.append("left")
        except Conflict as conflict:
            outcomes.append(conflict.errors[0]["code"])
        finally:
            connections.close_all()

    both = list(Membership.objects.select_related("club").filter(club=club))
    threads = [threading.Thread(target=leave, args=(membership,)) for membership in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["last-owner", "left"]
    assert list(roles(club).values()) == ["owner"]

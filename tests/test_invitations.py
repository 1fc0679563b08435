"""Invitations by link, seasons, and two players who turn out to be one: with undo, and seen by mirrors."""

import threading
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from conftest import make_user, token_client
from django.db import connections
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient
from test_clubs import code

from forsale_api.api.problems import Problem
from forsale_api.clubs import accounts, invitations, services
from forsale_api.clubs.models import Club, Invitation, Membership, Player, PlayerMerge, Role, Season, User
from forsale_api.plays.models import Play, PlayChange, PlayToFold, Seat
from stats import aggregates
from stats.tasks import fold
from tests.test_plays import PLAYS, body, post

CLUB = "/api/v1/clubs/nantes/"
INVITATIONS, SEASONS, MERGES, PLAYERS = (CLUB + name + "/" for name in ("invitations", "seasons", "merges", "players"))


def browser_of(client: APIClient) -> Client:
    browser = Client()
    browser.force_login(client.user)
    return browser


# ---- invitations ------------------------------------------------------------------------------------


@pytest.fixture
def invitation(club: Club, owner: APIClient) -> Invitation:
    return invitations.invite(club, owner.user)


def test_whoever_has_the_link_joins_as_a_member_and_sees_the_private_club(
    club: Club, owner: APIClient, stranger: APIClient, anonymous: APIClient
) -> None:
    made = owner.post(INVITATIONS, {"uses": 2, "days": 30})
    assert made.status_code == 201
    assert owner.get(made["Location"]).json() == made.json()
    address = f"/api/v1/invitations/{made.json()['code']}/"
    assert anonymous.get(address).json()["name"] == "Nantes"
    assert anonymous.post(address).status_code == 401
    assert stranger.get(CLUB).status_code == 404
    joined = stranger.post(address)
    assert (joined.status_code, joined.json()["role"]) == (201, "member")
    assert stranger.get(CLUB).status_code == 200
    assert stranger.post(address).status_code == 200  # a member already: nothing is used up
    assert owner.get(made["Location"]).json()["used"] == 1


def test_a_link_ends_when_it_is_used_up_taken_back_or_over(
    club: Club, owner: APIClient, stranger: APIClient, invitation: Invitation
) -> None:
    last = token_client(make_user("last"))
    address = f"/api/v1/invitations/{invitation.code}/"
    assert last.post(address).status_code == 201
    taken_back = invitations.invite(club, owner.user)
    assert owner.delete(f"{INVITATIONS}{taken_back.pk}/").status_code == 204
    over = invitations.invite(club, owner.user)
    Invitation.objects.filter(pk=over.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    for spent in (invitation, taken_back, over):
        answer = stranger.post(f"/api/v1/invitations/{spent.code}/")
        assert (answer.status_code, code(answer)) == (404, "no-such-invitation")
    assert owner.get(INVITATIONS).json()["results"] == []
    assert not Membership.objects.filter(user=stranger.user).exists()
    assert Membership.objects.filter(user=last.user).exists()


def test_only_owners_make_and_see_invitations(
    club: Club, member: APIClient, stranger: APIClient, invitation: Invitation
) -> None:
    for caller, status in ((member, 403), (stranger, 404)):
        assert caller.get(INVITATIONS).status_code == status
        assert caller.post(INVITATIONS, {}).status_code == status
        assert caller.delete(f"{INVITATIONS}{invitation.pk}/").status_code == status
    assert invitations.usable(invitation.code) == invitation


@pytest.mark.parametrize("wrong", [{"uses": 0}, {"uses": 501}, {"days": 0}, {"days": 91}, {"role": "owner"}])
def test_an_invitation_has_its_bounds(club: Club, owner: APIClient, wrong: dict[str, Any]) -> None:
    assert owner.post(INVITATIONS, wrong).status_code == 400
    assert not Invitation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_ten_who_follow_a_link_for_three_at_once_three_join(club: Club, owner: APIClient) -> None:
    link = invitations.invite(club, owner.user, uses=3)
    people = [make_user(f"friend{number}") for number in range(10)]
    start, joined, refused, other = threading.Barrier(10), [], [], []

    def follow(user: User) -> None:
        start.wait()
        try:
            joined.append(invitations.accept(link.code, user))
        except Problem:
            refused.append(user)
        except Exception as error:
            other.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=follow, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other == []
    assert (len(joined), len(refused)) == (3, 7)
    assert Membership.objects.filter(club=club, role=Role.MEMBER).count() == 3


def test_the_page_of_a_link_signs_up_and_joins(
    club: Club, invitation: Invitation, client: Client, settings: Any
) -> None:
    settings.SIGNUP = "invite"
    address = f"/join/{invitation.code}/"
    page = client.get(address).content.decode()
    assert "You are invited to Nantes" in page
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone", "next": address}
    assert client.post("/accounts/signup/", new)["Location"] == address
    assert client.post(address)["Location"] == "/clubs/nantes/"
    assert Membership.objects.get(club=club, user__username="ines").role == Role.MEMBER
    assert client.get(address)["Location"] == "/clubs/nantes/"
    assert Client().get(address).status_code == 404  # it was for one


def test_where_accounts_are_by_invitation_nobody_else_signs_up(db: Any, client: Client, settings: Any) -> None:
    settings.SIGNUP = "invite"
    assert "for those who are invited" in client.get("/accounts/signup/").content.decode()
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone"}
    client.post("/accounts/signup/", new)
    client.get("/join/made-up/")
    client.post("/accounts/signup/", new)
    assert not User.objects.exists()


def test_owners_invite_and_take_back_on_the_page_and_members_do_not(
    club: Club, owner: APIClient, member: APIClient, stranger: APIClient
) -> None:
    people = "/clubs/nantes/people/"
    browser = browser_of(owner)
    browser.post("/clubs/nantes/invitations/", {"uses": 3, "days": "7"})
    link = Invitation.objects.get()
    assert f"/join/{link.code}/" in browser.get(people).content.decode()
    assert link.code not in browser_of(member).get(people).content.decode()
    for other in (member, stranger):
        assert browser_of(other).post("/clubs/nantes/invitations/", {"uses": 3, "days": "7"}).status_code == 404
        assert browser_of(other).post(f"/clubs/nantes/invitations/{link.pk}/revoke/").status_code == 404
    assert browser_of(stranger).get(people).status_code == 404
    assert browser.post(f"/clubs/nantes/invitations/{link.pk}/revoke/").status_code == 302
    assert invitations.usable(link.code) is None


# ---- roles ------------------------------------------------------------------------------------------


def test_a_club_is_handed_over_on_its_page_and_left(club: Club, owner: APIClient, member: APIClient) -> None:
    browser = browser_of(owner)
    olive = Membership.objects.get(user=owner.user)
    marcel = Membership.objects.get(user=member.user)
    leave = f"/clubs/nantes/members/{olive.pk}/remove/"
    refused = browser.post(leave, follow=True).content.decode()
    assert "A club needs an owner" in refused
    assert "Make a member" not in browser.get("/clubs/nantes/people/").content.decode()  # the only owner stays one
    browser.post(f"/clubs/nantes/members/{marcel.pk}/role/", {"role": "owner"})
    assert "Make a member" in browser.get("/clubs/nantes/people/").content.decode()
    assert browser.post(leave)["Location"] == "/clubs/"
    assert list(club.memberships.values_list("user__username", "role")) == [("marcel", "owner")]


def test_members_remove_nobody_but_themselves(club: Club, owner: APIClient, member: APIClient) -> None:
    olive = Membership.objects.get(user=owner.user)
    browser = browser_of(member)
    assert browser.post(f"/clubs/nantes/members/{olive.pk}/remove/").status_code == 404
    assert browser.post(f"/clubs/nantes/members/{olive.pk}/role/", {"role": "member"}).status_code == 404
    assert club.memberships.count() == 2


# ---- the end of an account --------------------------------------------------------------------------


def test_an_account_ends_and_the_past_stays(club: Club, owner: APIClient, member: APIClient) -> None:
    play = post(member)
    theo = Player.objects.get(club=club, name="Théo")
    services.claim_player(theo, member.user)
    before = owner.get(f"{PLAYS}{play['id']}/").json()
    browser = browser_of(member)
    assert browser.get("/accounts/delete/")["Location"].startswith("/accounts/reauthenticate/")
    browser.post("/accounts/reauthenticate/", {"password": "correct horse battery"})
    assert browser.post("/accounts/delete/", {"username": "olive"}).status_code == 200
    assert browser.post("/accounts/delete/", {"username": "marcel"})["Location"] == "/"
    assert not User.objects.filter(username="marcel").exists()
    assert owner.get(f"{PLAYS}{play['id']}/").json() == before
    theo.refresh_from_db()
    assert theo.user is None
    assert PlayChange.objects.get(play=play["id"]).user is None
    assert member.get(CLUB).status_code == 401


def test_a_last_owner_hands_the_club_over_first(club: Club, owner: APIClient, member: APIClient) -> None:
    with pytest.raises(Problem) as caught:
        accounts.delete_account(owner.user)
    assert caught.value.errors[0]["code"] == "last-owner"
    browser = browser_of(owner)
    browser.post("/accounts/reauthenticate/", {"password": "correct horse battery"})
    assert "Nantes" in browser.get("/accounts/delete/").content.decode()
    services.change_role(Membership.objects.get(user=member.user), Role.OWNER)
    accounts.delete_account(owner.user)
    assert Club.objects.get() == club


def test_a_club_of_one_goes_with_its_owner(club: Club, owner: APIClient) -> None:
    post(owner)
    accounts.delete_account(owner.user)
    assert not Club.objects.exists()
    assert not Play.objects.exists()


# ---- seasons ----------------------------------------------------------------------------------------

AUTUMN = {"name": "Autumn 2026", "first_day": "2026-09-01", "last_day": "2026-11-27"}


def test_a_season_holds_the_plays_of_its_club_on_its_days(club: Club, public_club: Club, owner: APIClient) -> None:
    inside = [post(owner, played_on=day)["id"] for day in ("2026-09-01", "2026-11-27")]
    post(owner, played_on="2026-11-28")
    post(owner, club="bristol", played_on="2026-10-01")
    season = owner.post(SEASONS, AUTUMN).json()
    listed = owner.get(PLAYS, {"season": season["id"], "ordering": "played_on"}).json()["results"]
    assert [play["id"] for play in listed] == inside
    open_end = owner.patch(f"{SEASONS}{season['id']}/", {"last_day": None})
    assert open_end.json()["last_day"] is None
    assert len(owner.get(PLAYS, {"season": season["id"]}).json()["results"]) == 3


def test_seasons_are_made_by_owners_and_seen_by_whoever_sees_the_club(
    club: Club, owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient
) -> None:
    address = owner.post(SEASONS, AUTUMN)["Location"]
    season = Season.objects.get()
    assert member.get(address).json()["name"] == "Autumn 2026"
    for caller, reads, writes in ((member, 200, 403), (stranger, 404, 404), (anonymous, 404, 401)):
        assert caller.get(SEASONS).status_code == reads
        assert caller.get(PLAYS, {"season": season.pk}).status_code == reads
        assert caller.post(SEASONS, AUTUMN | {"name": "X"}).status_code == writes
        assert caller.patch(address, {"name": "X"}).status_code == writes
        assert caller.delete(address).status_code == writes
    assert owner.delete(address).status_code == 204
    assert owner.get(address).status_code == 404


@pytest.mark.parametrize("day", ["20260901", "2026-W36-2", "2026-9-1", "٢٠٢٦-٠٩-٠١"])
def test_a_day_is_written_in_one_way(club: Club, owner: APIClient, day: str) -> None:
    answer = owner.post(SEASONS, AUTUMN | {"first_day": day})
    assert (answer.status_code, code(answer)) == (400, "invalid")


def test_a_season_ends_after_it_begins_and_has_its_name_alone(club: Club, owner: APIClient) -> None:
    early = owner.post(SEASONS, AUTUMN | {"last_day": "2026-08-31"})
    assert (early.status_code, code(early)) == (422, "season-ends-early")
    assert owner.post(SEASONS, AUTUMN).status_code == 201
    twice = owner.post(SEASONS, AUTUMN)
    assert (twice.status_code, code(twice)) == (409, "season-taken")


def test_a_season_changed_since_it_was_read_is_not_overwritten(club: Club, owner: APIClient) -> None:
    made = owner.post(SEASONS, AUTUMN)
    assert owner.patch(made["Location"], {"name": "A"}, headers={"If-Match": made["ETag"]}).status_code == 200
    assert owner.patch(made["Location"], {"name": "B"}, headers={"If-Match": made["ETag"]}).status_code == 412


def test_owners_keep_seasons_on_pages_that_link_to_figures(club: Club, owner: APIClient, member: APIClient) -> None:
    browser = browser_of(owner)
    assert browser.post("/clubs/nantes/seasons/", AUTUMN).status_code == 302
    season = Season.objects.get()
    assert "?played_after=2026-09-01&amp;played_before=2026-11-27" in browser.get("/clubs/nantes/").content.decode()
    browser.post(f"/clubs/nantes/seasons/{season.pk}/", AUTUMN | {"name": "Autumn"})
    season.refresh_from_db()
    assert season.name == "Autumn"
    assert browser_of(member).post(f"/clubs/nantes/seasons/{season.pk}/delete/").status_code == 404
    browser.post(f"/clubs/nantes/seasons/{season.pk}/delete/")
    assert not Season.objects.exists()


# ---- merging players --------------------------------------------------------------------------------


def seats(*names: str) -> list[dict[str, Any]]:
    figures = [(83, 4), (85, 2), (70, 0)]
    return [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(names, figures, strict=True)]


@pytest.fixture
def two(club: Club, owner: APIClient) -> tuple[Player, Player]:
    """Theo, who sat in two plays, one of them deleted since, and Théodore, who sat in one: the same person."""
    post(owner, seats=seats("Anne", "Ben", "Theo"))
    gone = post(owner, seats=seats("Theo", "Ben", "Anne"), played_on="2026-11-27")
    owner.delete(f"{PLAYS}{gone['id']}/")
    post(owner, seats=seats("Anne", "Théodore", "Ben"), played_on="2026-11-26")
    PlayToFold.objects.all().delete()
    return Player.objects.get(name="Theo"), Player.objects.get(name="Théodore")


def sat(player: Player) -> int:
    return Seat.objects.filter(player=player).count()


def test_a_merge_is_looked_at_done_and_undone(club: Club, owner: APIClient, two: tuple[Player, Player]) -> None:
    theo, theodore = two
    address = f"{PLAYERS}{theo.pk}/merge/"
    seen = owner.get(address, {"into": str(theodore.pk)}).json()
    assert (seen["plays"], seen["together"], seen["possible"], seen["obstacle"]) == (2, [], True, None)
    assert (sat(theo), sat(theodore)) == (2, 1)
    merged = owner.post(address, {"into": str(theodore.pk)})
    assert merged.status_code == 201, merged.content
    assert (sat(theo), sat(theodore)) == (0, 3)
    assert [row["name"] for row in owner.get(PLAYERS).json()["results"]] == ["Anne", "Ben", "Théodore"]
    gone = owner.get(f"{PLAYERS}{theo.pk}/")
    assert (gone.status_code, gone.json()["merged_into"]) == (404, str(theodore.pk))
    assert owner.get(merged["Location"]).json() == merged.json()
    assert owner.delete(merged["Location"]).status_code == 204
    assert (sat(theo), sat(theodore)) == (2, 1)
    assert owner.get(f"{PLAYERS}{theo.pk}/").status_code == 200
    assert owner.get(MERGES).json()["results"] == []
    assert owner.delete(merged["Location"]).status_code == 404


def test_mirrors_history_and_figures_notice_a_merge(club: Club, owner: APIClient, two: tuple[Player, Player]) -> None:
    theo, theodore = two
    since = timezone.now().isoformat()
    owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    changed = owner.get(PLAYS, {"club": "nantes", "updated_after": since, "include": "deleted"}).json()["results"]
    assert len(changed) == 2
    assert PlayToFold.objects.count() == 2
    live = next(play for play in changed if "seats" in play)
    assert [seat["player"]["name"] for seat in live["seats"]] == ["Anne", "Ben", "Théodore"]
    assert (live["version"], live["winners"]) == (2, [1])
    last = owner.get(f"{PLAYS}{live['id']}/history/").json()["results"]
    assert {entry["action"] for entry in last} == {"created", "changed"}


def test_boards_and_ratings_follow_a_merge_and_its_undo(
    club: Club, owner: APIClient, two: tuple[Player, Player]
) -> None:
    club.visibility = "public"
    club.save()
    Play.objects.filter(deleted_at=None).update(updated_at=timezone.now())
    PlayToFold.objects.bulk_create(PlayToFold(play_id=pk) for pk in Play.objects.values_list("pk", flat=True))

    def board() -> dict[str, int]:
        fold()
        kept = aggregates.leader_board({"played_after": date(2026, 11, 1)})["results"]
        assert kept == aggregates.leader_board({"played_after": date(2026, 11, 1), "club": club.slug})["results"]
        assert kept == aggregates.leader_board({})["results"]
        assert all(row["rating"] for row in kept)
        return {row["player"]["name"]: row["plays"] for row in kept}

    before = board()
    theo, theodore = two
    merged = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    assert board() == {name: plays for name, plays in before.items() if name not in ("Theo", "Théodore")} | {
        "Théodore": before.get("Theo", 0) + before["Théodore"]
    }
    owner.delete(merged["Location"])
    assert board() == before


def test_the_old_name_and_the_old_id_mean_the_one_who_stayed(
    club: Club, owner: APIClient, two: tuple[Player, Player]
) -> None:
    theo, theodore = two
    owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    for who in ("THEO", str(theo.pk)):
        play = post(owner, seats=seats(who, "Ben", "Anne"), played_on="2026-11-20")
        assert play["seats"][0]["player"] == {"id": str(theodore.pk), "name": "Théodore"}
    both = owner.post(PLAYS, body(seats=seats("Theo", "Théodore", "Anne")))
    assert (both.status_code, code(both)) == (422, "player-sits-twice")
    taken = owner.post(PLAYERS, {"name": "theo"})
    assert (taken.status_code, taken.json()["existing"]["id"]) == (409, str(theodore.pk))


def test_two_who_sat_at_one_table_stay_two(club: Club, owner: APIClient, two: tuple[Player, Player]) -> None:
    theo, _theodore = two
    anne = Player.objects.get(name="Anne")
    seen = owner.get(f"{PLAYERS}{theo.pk}/merge/", {"into": str(anne.pk)}).json()
    assert (seen["possible"], len(seen["together"])) == (False, 2)
    refused = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(anne.pk)})
    assert (refused.status_code, code(refused)) == (409, "sat-together")
    itself = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theo.pk)})
    assert (itself.status_code, code(itself)) == (409, "same-player")
    assert sat(theo) == 2


def test_a_claim_goes_over_and_comes_back(club: Club, owner: APIClient, member: APIClient, two: Any) -> None:
    theo, theodore = two
    services.claim_player(theo, member.user)
    merged = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    assert Player.objects.get(user=member.user) == theodore
    owner.delete(merged["Location"])
    assert Player.objects.get(user=member.user) == theo
    services.claim_player(theodore, owner.user)
    refused = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    assert (refused.status_code, code(refused)) == (409, "player-claimed")


def test_a_merge_does_not_show_who_is_hidden(club: Club, owner: APIClient, two: tuple[Player, Player]) -> None:
    theo, theodore = two
    services.hide_player(theo, Membership.objects.get(user=owner.user))
    refused = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    assert (refused.status_code, code(refused)) == (409, "player-hidden")
    assert "Theo " not in refused.content.decode()
    back = owner.post(f"{PLAYERS}{theodore.pk}/merge/", {"into": str(theo.pk)})
    assert (back.status_code, code(back)) == (409, "player-hidden"), "the one who goes would tell who the other is"


def test_merges_are_undone_from_the_last_one_back(club: Club, owner: APIClient, two: tuple[Player, Player]) -> None:
    theo, theodore = two
    third = services.create_player(club, "Teddy")
    first = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})["Location"]
    second = owner.post(f"{PLAYERS}{theodore.pk}/merge/", {"into": str(third.pk)})["Location"]
    assert services.player_for(club, "theo") == third
    refused = owner.delete(first)
    assert (refused.status_code, code(refused)) == (409, "merged-since")
    assert owner.delete(second).status_code == 204
    assert owner.delete(first).status_code == 204
    assert (sat(theo), sat(theodore), sat(third)) == (2, 1, 0)


def test_what_was_recorded_since_stays_with_the_one_who_stayed(club: Club, owner: APIClient, two: Any) -> None:
    theo, theodore = two
    merged = owner.post(f"{PLAYERS}{theo.pk}/merge/", {"into": str(theodore.pk)})
    post(owner, seats=seats("Theo", "Ben", "Anne"), played_on="2026-11-20")
    owner.delete(merged["Location"])
    assert (sat(theo), sat(theodore)) == (2, 2)


def test_only_owners_merge_and_players_of_two_clubs_never(
    club: Club, public_club: Club, owner: APIClient, member: APIClient, stranger: APIClient, two: Any
) -> None:
    theo, theodore = two
    address = f"{PLAYERS}{theo.pk}/merge/"
    for caller, status in ((member, 403), (stranger, 404)):
        assert caller.get(address, {"into": str(theodore.pk)}).status_code == status
        assert caller.post(address, {"into": str(theodore.pk)}).status_code == status
    elsewhere = services.create_player(public_club, "Théodore")
    assert owner.post(address, {"into": str(elsewhere.pk)}).status_code == 404
    assert owner.post(address, {"into": str(uuid4())}).status_code == 404
    assert not PlayerMerge.objects.exists()
    owner.post(address, {"into": str(theodore.pk)})
    merge = PlayerMerge.objects.get()
    assert member.get(f"{MERGES}{merge.pk}/").status_code == 200
    assert member.delete(f"{MERGES}{merge.pk}/").status_code == 403
    assert stranger.get(MERGES).status_code == 404


def test_owners_merge_on_pages_with_a_look_before_and_undo(
    club: Club, owner: APIClient, member: APIClient, two: Any
) -> None:
    theo, theodore = two
    address = f"/clubs/nantes/players/{theo.pk}/merge/"
    browser = browser_of(owner)
    seen = browser.get(address, {"into": str(theodore.pk)}).content.decode()
    assert "2 plays of Theo become Théodore’s." in seen
    anne = Player.objects.get(name="Anne")
    assert "two people" in browser.get(address, {"into": str(anne.pk)}).content.decode()
    assert browser_of(member).get(address).status_code == 404
    browser.post(address, {"into": str(theodore.pk)})
    merge = PlayerMerge.objects.get()
    assert "Theo is Théodore" in browser.get("/clubs/nantes/people/").content.decode()
    assert browser_of(member).post(f"/clubs/nantes/merges/{merge.pk}/undo/").status_code == 404
    browser.post(f"/clubs/nantes/merges/{merge.pk}/undo/")
    assert (sat(theo), sat(theodore)) == (2, 1)


def test_a_member_says_who_they_are_and_sees_their_plays(club: Club, owner: APIClient, member: APIClient) -> None:
    post(owner)
    theo = Player.objects.get(name="Théo")
    browser = browser_of(member)
    assert "does not know yet" in browser.get("/plays/mine/").content.decode()
    browser.post(f"/clubs/nantes/players/{theo.pk}/claim/")
    page = browser.get("/plays/mine/").content.decode()
    assert "1 play, 1 won." in page
    assert browser.post(f"/clubs/nantes/players/{theo.pk}/nonsense/").status_code == 404
    browser.post(f"/clubs/nantes/players/{theo.pk}/unclaim/")
    assert "does not know yet" in browser.get("/plays/mine/").content.decode()

"""Hidden players go by a pseudonym everywhere; accounts that go leave the plays as they are."""

import re
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Player, User
from forsale_api.plays.models import Play, PlayChange
from tests.conftest import token_client
from tests.test_folding import fold_all
from tests.test_plays import PLAYS, patch, post, seats

pytestmark = pytest.mark.usefixtures("club")

PLAYERS = "/api/v1/clubs/nantes/players/"


def player(name: str = "Théo") -> Player:
    return Player.objects.get(club__slug="nantes", name=name)


def claimed(client: APIClient, name: str = "Théo") -> Player:
    found = player(name)
    assert client.post(f"{PLAYERS}{found.pk}/claim/").status_code == 200
    return found


def hide(client: APIClient, who: Player, status: int = 200) -> Any:
    answer = client.post(f"{PLAYERS}{who.pk}/hide/")
    assert answer.status_code == status, answer.content
    return answer.json()


@pytest.fixture
def open_club(club: Club) -> Club:
    """The club of Nantes, for everybody to see."""
    club.visibility = "public"
    club.save()
    return club


# ---- hidden players ---------------------------------------------------------------------------------


def test_a_member_hides_the_player_they_are_and_an_owner_any(owner: APIClient, member: APIClient) -> None:
    post(owner)
    mine = claimed(member)
    assert hide(member, mine)["hidden"] is True
    assert hide(member, player("Marianne"), 403)["errors"][0]["code"] == "not-your-player"
    assert hide(owner, player("Marianne"))["hidden"] is True


def test_strangers_hide_nobody(owner: APIClient, stranger: APIClient, anonymous: APIClient, open_club: Club) -> None:
    post(owner)
    hide(stranger, player(), 403)
    hide(anonymous, player(), 401)
    open_club.visibility = "private"
    open_club.save()
    hide(stranger, player(), 404)


def everything_shown(clients: list[APIClient], play: str, who: Player) -> dict[str, str]:
    """What each address that shows players answers each of these callers, all in one text by address."""
    fold_all()
    addresses = [
        PLAYS, f"{PLAYS}?club=nantes&include=record", f"{PLAYS}{play}/", f"{PLAYS}{play}/scores/",
        f"{PLAYS}{play}/history/", f"{PLAYS}?club=nantes&player={who.pk}", PLAYERS, f"{PLAYERS}{who.pk}/",
        "/api/v1/stats/players/?club=nantes", f"/api/v1/stats/players/{who.pk}/", "/", "/plays/", f"/plays/{play}/",
        "/clubs/nantes/", f"{PLAYS}export.ndjson?club=nantes", f"{PLAYS}export.csv?club=nantes",
        f"/embed/plays/{play}/",
    ]  # fmt: skip
    shown = {}
    for address in addresses:
        answers = [client.get(address) for client in clients]
        assert all(answer.status_code == 200 for answer in answers), address
        texts = [b"".join(a.streaming_content) if a.streaming else a.content for a in answers]
        shown[address] = "\n".join(text.decode() for text in texts)
    return shown


def test_from_then_on_the_name_is_nowhere_and_the_pseudonym_everywhere(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient, open_club: Club
) -> None:
    play = post(owner, seats=seats(names=["Zéphyrin", "Marianne", "Guilaine"]))["id"]
    patch(owner, {"id": play}, seats=seats(names=["Guilaine", "Marianne", "Zéphyrin"]))
    who = claimed(member, "Zéphyrin")
    cast = [owner, stranger, anonymous]
    before = everything_shown(cast, play, who)
    assert all("Zéphyrin" in json_or_text(text) for text in before.values())
    pseudonym = hide(member, who)["name"]
    after = everything_shown([*cast, member], play, who)
    for address, text in after.items():
        assert "phyrin" not in json_or_text(text), address
        assert pseudonym in text, address
    assert pseudonym == who.pseudonym


def json_or_text(text: str) -> str:
    """The text with the escapes of JSON undone, so that no spelling of a name is overlooked."""
    return text.encode().decode("unicode_escape", "ignore") + text


def test_the_figures_of_a_hidden_player_stay(owner: APIClient, member: APIClient) -> None:
    post(owner)
    mine = claimed(member)
    fold_all()
    before = owner.get(f"/api/v1/stats/players/{mine.pk}/").json()["results"]
    hide(member, mine)
    assert owner.get(f"/api/v1/stats/players/{mine.pk}/").json()["results"] == before


def test_no_lookup_by_name_tells_who_a_pseudonym_is(owner: APIClient, anonymous: APIClient, open_club: Club) -> None:
    post(owner)
    hide(owner, player())
    assert anonymous.get(f"{PLAYS}?club=nantes&player=Théo").json()["results"] == []
    assert anonymous.get(f"{PLAYERS}?name=Théo").json()["results"] == []
    listed = [row["name"] for row in anonymous.get(PLAYERS).json()["results"]]
    assert listed == sorted(listed), "the order tells nothing of the names behind"


def test_a_play_logged_under_the_real_name_is_the_hidden_players(owner: APIClient) -> None:
    post(owner)
    who = player()
    pseudonym = hide(owner, who)["name"]
    again = post(owner, played_on="2026-11-27")
    assert again["seats"][0]["player"] == {"id": str(who.pk), "name": pseudonym}
    taken = owner.post(PLAYERS, {"name": "theo"})
    assert (taken.status_code, taken.json()["errors"][0]["code"]) == (409, "name-taken")


def test_hiding_is_a_new_version_of_each_play_so_that_copies_notice(owner: APIClient) -> None:
    play = post(owner)
    response = owner.get(f"{PLAYS}{play['id']}/")
    hide(owner, player())
    fresh = owner.get(f"{PLAYS}{play['id']}/", headers={"If-None-Match": response["ETag"]})
    assert fresh.status_code == 200
    assert fresh.json()["updated_at"] > play["updated_at"]


def test_the_username_of_a_hidden_player_is_shown_to_nobody_else(owner: APIClient, member: APIClient) -> None:
    post(owner)
    mine = claimed(member)
    hide(member, mine)
    assert owner.get(f"{PLAYERS}{mine.pk}/").json()["username"] is None
    assert member.get(f"{PLAYERS}{mine.pk}/").json()["username"] == "marcel"


def test_shown_again_the_player_has_the_name_back_and_hidden_again_the_same_pseudonym(owner: APIClient) -> None:
    post(owner)
    who = player()
    pseudonym = hide(owner, who)["name"]
    shown = owner.delete(f"{PLAYERS}{who.pk}/hide/").json()
    assert (shown["name"], shown["hidden"]) == ("Théo", False)
    assert hide(owner, who)["name"] == pseudonym


def test_a_hidden_player_who_is_renamed_keeps_the_pseudonym(owner: APIClient) -> None:
    post(owner)
    who = player()
    pseudonym = hide(owner, who)["name"]
    assert owner.patch(f"{PLAYERS}{who.pk}/", {"name": "Théodore"}).json()["name"] == pseudonym
    assert owner.delete(f"{PLAYERS}{who.pk}/hide/").json()["name"] == "Théodore"


def test_whoever_turned_out_to_be_a_hidden_player_is_hidden_with_them(owner: APIClient) -> None:
    old = post(owner, seats=seats(names=["Zéphyrin", "Marianne", "Guilaine"]))
    post(owner, played_on="2026-11-27")
    gone, kept = player("Zéphyrin"), player("Théo")
    assert owner.post(f"{PLAYERS}{gone.pk}/merge/", {"into": str(kept.pk)}).status_code == 201
    hide(owner, kept)
    for address in (f"{PLAYS}{old['id']}/", f"{PLAYS}{old['id']}/history/", "/api/v1/clubs/nantes/merges/"):
        answer = owner.get(address)
        assert answer.status_code == 200
        assert not {"Zéphyrin", "Théo"} & set(re.findall(r'"name":"([^"]*)"', answer.content.decode())), address
    assert post(owner, played_on="2026-11-26", seats=seats(names=["zephyrin", "A", "B"]))["seats"][0]["player"] == {
        "id": str(kept.pk), "name": kept.pseudonym
    }  # fmt: skip
    owner.delete(f"{PLAYERS}{kept.pk}/hide/")
    assert {"Zéphyrin", "Théo"} <= set(Player.objects.values_list("name", flat=True))


# ---- accounts that go -------------------------------------------------------------------------------


def test_an_account_that_goes_is_unlinked_and_rewrites_nothing(owner: APIClient, member: APIClient) -> None:
    play = post(member)
    patch(member, play, notes="a close one")
    mine = claimed(member)
    before = [row["changes"] for row in owner.get(f"{PLAYS}{play['id']}/history/").json()["results"]]
    shown = owner.get(f"{PLAYS}{play['id']}/").json()
    User.objects.get(username="marcel").delete()
    assert owner.get(f"{PLAYS}{play['id']}/").json() == shown
    history = owner.get(f"{PLAYS}{play['id']}/history/").json()["results"]
    assert [row["changes"] for row in history] == before
    assert {row["user"] for row in history} == {None}
    mine.refresh_from_db()
    assert mine.user is None
    assert Play.objects.get().recorder is None
    assert PlayChange.objects.count() == 2


# ---- one's own data ---------------------------------------------------------------------------------

EXPORT = "/api/v1/me/export/"


def test_everybody_gets_what_is_kept_about_them_and_no_secret(owner: APIClient, member: APIClient) -> None:
    play = post(member)
    hide(member, claimed(member))
    answer = member.get(EXPORT)
    mine = answer.json()
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Cache-Control"] == "no-store"
    assert (mine["account"]["username"], mine["account"]["email"]) == ("marcel", "marcel@example.org")
    assert [club["club"] for club in mine["clubs"]] == ["nantes"]
    (shown,) = mine["players"]
    assert (shown["name"], shown["hidden"]) == ("Théo", True)
    assert [seat["total"] for seat in shown["seats"]] == [87]
    assert [recorded["id"] for recorded in mine["plays_recorded"]] == [play["id"]]
    assert [change["action"] for change in mine["changes_made"]] == ["created"]
    secret = member._credentials["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    text = answer.content.decode()
    assert secret not in text
    assert "Marianne" not in text, "other people's names are theirs"
    assert owner.get(EXPORT).json()["plays_recorded"] == []


def test_the_export_is_for_the_person_alone(member: APIClient, anonymous: APIClient) -> None:
    assert anonymous.get(EXPORT).status_code == 401
    assert token_client(member.user, "simulations:write").get(EXPORT).status_code == 403

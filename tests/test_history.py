"""Who changed what: the history of a play."""

from typing import Any

from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from tests.test_plays import NAMES, PLAYS, patch, post, record_body


def history(client: APIClient, play: dict[str, Any]) -> list[dict[str, Any]]:
    response = client.get(f"{PLAYS}{play['id']}/history/")
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_a_change_names_the_fields_before_and_after(member: APIClient, owner: APIClient) -> None:
    play = post(member, notes="")
    patch(owner, play, notes="Recounted", seats=[{"banknotes": 3}, {}, {"player": "Nicolas"}])
    created, changed = history(member, play)
    assert (created["version"], created["action"], created["user"]) == (1, "created", "marcel")
    assert (changed["version"], changed["action"], changed["user"]) == (2, "changed", "olive")
    differences = {change["pointer"]: (change["before"], change["after"]) for change in changed["changes"]}
    nicolas = differences.pop("/seats/2/player")
    assert (nicolas[0]["name"], nicolas[1]["name"]) == ("Guilaine", "Nicolas")
    assert differences == {"/notes": ("", "Recounted"), "/seats/0/banknotes": (4, 3)}


def test_the_creation_tells_what_was_recorded(member: APIClient) -> None:
    play = post(member)
    (created,) = history(member, play)
    first = {change["pointer"]: change["after"] for change in created["changes"]}
    assert first["/played_on"] == "2026-11-28"
    assert [first[f"/seats/{i}/player"]["name"] for i in range(3)] == NAMES
    assert (first["/seats/1/cheques"], first["/seats/1/banknotes"]) == (85, 2)


def test_a_replaced_record_stays_in_the_history(member: APIClient) -> None:
    play = member.post(PLAYS, record_body(seed=1)).json()
    other = record_body(seed=2)["record"]
    patch(member, play, record=other)
    _created, changed = history(member, play)
    differences = {change["pointer"]: (change["before"], change["after"]) for change in changed["changes"]}
    assert differences["/record"] == (play["record"], other)


def test_counting_again_after_a_correction_shows(member: APIClient) -> None:
    play = post(
        member, seats=[{"player": n, "cheques": c, "banknotes": 0} for n, c in zip(NAMES, (83, 85, 69), strict=True)],
        accept_findings=True,
    )  # fmt: skip
    patch(member, play, seats=[{}, {}, {"cheques": 70}])
    changes = {c["pointer"]: (c["before"], c["after"]) for c in history(member, play)[1]["changes"]}
    assert changes["/counts"] == (False, True)


def test_members_may_read_the_history_of_a_deleted_play(member: APIClient, stranger: APIClient, club: Club) -> None:
    Club.objects.filter(pk=club.pk).update(visibility="public")
    play = post(member)
    member.delete(f"{PLAYS}{play['id']}/")
    assert [change["action"] for change in history(member, play)] == ["created", "deleted"]
    assert stranger.get(f"{PLAYS}{play['id']}/history/").status_code == 404


def test_strangers_see_changes_but_neither_names_of_accounts_nor_notes(
    member: APIClient, stranger: APIClient, club: Club
) -> None:
    Club.objects.filter(pk=club.pk).update(visibility="public")
    play = post(member, location="12 rue des Lices")
    patch(member, play, notes="Paul came late", duration_minutes=30)
    response = stranger.get(f"{PLAYS}{play['id']}/history/")
    assert "marcel" not in response.content.decode()
    assert "Lices" not in response.content.decode()
    assert "Paul" not in response.content.decode()
    assert [c["pointer"] for c in response.json()["results"][1]["changes"]] == ["/duration_minutes"]


def test_a_long_history_has_pages(member: APIClient, django_assert_max_num_queries: Any) -> None:
    play = post(member)
    for minutes in range(20, 25):
        patch(member, play, duration_minutes=minutes)
    seen = []
    address: str | None = f"{PLAYS}{play['id']}/history/?page_size=4"
    with django_assert_max_num_queries(14):
        while address:
            answer = member.get(address).json()
            seen += [change["version"] for change in answer["results"]]
            address = answer["next"]
    assert seen == [1, 2, 3, 4, 5, 6]
    assert member.get(f"{PLAYS}{play['id']}/history/", {"colour": "x"}).status_code == 400


def test_a_renamed_player_makes_no_change_of_the_play(member: APIClient, club: Club) -> None:
    play = post(member)
    club.players.filter(name="Théo").update(name="Théodore", name_key="theodore")
    (created,) = history(member, play)
    assert next(c["after"]["name"] for c in created["changes"] if c["pointer"] == "/seats/0/player") == "Théodore"

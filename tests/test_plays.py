"""Recording, reading, changing, deleting and restoring plays through the API."""

import uuid
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Membership, Player
from forsale_api.plays.models import Play, PlayChange, PlayToFold
from tests.conftest import make_user, token_client
from tests.games import random_record
from tests.referee import judge

PLAYS = "/api/v1/plays/"
SHEET = [(83, 4), (85, 2), (70, 0)]
NAMES = ["Théo", "Marianne", "Guilaine"]


def seats(figures: list[tuple[int, int]] = SHEET, names: list[str] = NAMES) -> list[dict[str, Any]]:
    return [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(names, figures, strict=True)]


def body(**facts: Any) -> dict[str, Any]:
    return {"club": "nantes", "game": "for-sale", "played_on": "2026-11-28", "seats": seats(), **facts}


def record_body(seed: int = 1, kind: tuple[str, str, int] = ("iello", "base", 3), **facts: Any) -> dict[str, Any]:
    names = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul", "Inès"][: kind[2]]
    return body(
        edition=kind[0],
        variant=kind[1],
        seats=[{"player": name} for name in names],
        record=random_record(Random(seed), kind),
        **facts,
    )


def post(client: APIClient, status: int = 201, **facts: Any) -> Any:
    response = client.post(PLAYS, body(**facts))
    assert response.status_code == status, response.content
    return response.json()


def patch(client: APIClient, play: dict[str, Any], status: int = 200, **changes: Any) -> Any:
    response = client.patch(f"{PLAYS}{play['id']}/", changes)
    assert response.status_code == status, response.content
    return response.json()


def problem(response: Any, status: int, code: str, pointer: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    answer = response.json()
    assert {"code": code, "pointer": pointer}.items() <= answer["errors"][0].items(), answer
    return answer


# ---- recording --------------------------------------------------------------------------------------


def test_a_play_is_scored_and_shown_as_the_contract_says(member: APIClient) -> None:
    response = member.post(PLAYS, body(location="Chez Paul", duration_minutes=25, first_seat=2))
    assert response.status_code == 201
    play = response.json()
    assert response["Location"].endswith(f"{PLAYS}{play['id']}/")
    assert uuid.UUID(play["id"]).version == 7
    assert (play["edition"], play["variant"], play["level"], play["decided_by"]) == (
        "iello",
        "base",
        "sheet",
        "banknotes",
    )
    assert play["winners"] == [1]
    assert [(s["seat"], s["player"]["name"], s["total"], s["rank"], s["is_winner"]) for s in play["seats"]] == [
        (1, "Théo", 87, 1, True),
        (2, "Marianne", 87, 2, False),
        (3, "Guilaine", 70, 3, False),
    ]
    assert (play["findings"], play["version"], play["counts"], play["first_seat"]) == ([], 1, True, 2)
    assert play["location"] == "Chez Paul"
    assert member.get(response["Location"]).json() == play


def test_a_record_gives_the_scores_the_opener_and_the_level(member: APIClient) -> None:
    sent = record_body()
    play = member.post(PLAYS, sent).json()
    assert play["level"] == "record"
    assert play["first_seat"] == sent["record"]["first_seat"]
    assert [s["total"] for s in play["seats"]] == judge(sent["record"], ("iello", "base", 3)).totals
    assert play["record"] == sent["record"]


def test_the_opener_must_agree_with_the_record(member: APIClient) -> None:
    sent = record_body()
    other = sent["record"]["first_seat"] % 3 + 1
    problem(member.post(PLAYS, {**sent, "first_seat": other}), 422, "first-seat-contradicts-record", "/first_seat")
    assert member.post(PLAYS, {**sent, "first_seat": sent["record"]["first_seat"]}).status_code == 201


def test_the_opener_sits_at_the_table(member: APIClient) -> None:
    problem(member.post(PLAYS, body(first_seat=4)), 422, "no-such-seat", "/first_seat")
    problem(member.post(PLAYS, body(first_seat=10**400)), 422, "no-such-seat", "/first_seat")


def test_figures_beside_a_record_must_agree_with_it(member: APIClient) -> None:
    sent = record_body()
    sent["seats"][1]["total"] = 1
    problem(member.post(PLAYS, sent), 422, "figure-contradicts-record", "/seats/1/total")


def test_players_are_found_by_name_without_case_and_accents_and_made_where_new(member: APIClient, club: Club) -> None:
    post(member)
    again = post(member, seats=seats(names=["  theo ", "MARIANNE", "Nicolas"]))
    assert [s["player"]["name"] for s in again["seats"]] == ["Théo", "Marianne", "Nicolas"]
    assert club.players.count() == 4
    by_id = post(member, seats=seats(names=[s["player"]["id"] for s in again["seats"]]))
    assert by_id["seats"][0]["player"] == again["seats"][0]["player"]


def test_a_player_of_another_club_is_unknown(member: APIClient, public_club: Club) -> None:
    elsewhere = Player.objects.create(club=public_club, name="Théo", name_key="theo")
    response = member.post(PLAYS, body(seats=seats(names=[str(elsewhere.pk), "Marianne", "Guilaine"])))
    problem(response, 422, "no-such-player", "/seats/0/player")


def test_nobody_sits_twice(member: APIClient) -> None:
    response = member.post(PLAYS, body(seats=seats(names=["Théo", "Marianne", "THEO"])))
    problem(response, 422, "player-sits-twice", "/seats/2/player")


def test_a_refused_play_leaves_no_guest_behind(member: APIClient, club: Club) -> None:
    member.post(PLAYS, body(seats=seats(names=["Théo", "Marianne", "THEO"])))
    member.post(PLAYS, body(seats=seats([(83, 4), (85, 2), (69, 0)])))
    assert club.players.count() == 0


def test_a_date_in_the_clubs_future_is_refused(member: APIClient, club: Club) -> None:
    Club.objects.filter(pk=club.pk).update(time_zone="Pacific/Kiritimati")
    today = datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
    post(member, played_on=today.isoformat())
    response = member.post(PLAYS, body(played_on=(today + timedelta(days=1)).isoformat()))
    problem(response, 422, "date-in-future", "/played_on")
    Club.objects.filter(pk=club.pk).update(time_zone="Etc/GMT+12")
    behind = datetime.now(ZoneInfo("Etc/GMT+12")).date()
    problem(
        member.post(PLAYS, body(played_on=(behind + timedelta(days=1)).isoformat())),
        422,
        "date-in-future",
        "/played_on",
    )


def test_a_date_of_another_calendar_gets_a_hint(member: APIClient) -> None:
    year = datetime.now(UTC).year + 543
    answer = problem(member.post(PLAYS, body(played_on=f"{year}-01-01")), 422, "date-in-future", "/played_on")
    assert str(year - 543) in answer["detail"]


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"colour": "red"}, "/colour", "unknown-field"),
        ({"game": "chess"}, "/game", "invalid-choice"),
        ({"id": 5}, "/id", "invalid"),
        ({"id": True}, "/id", "invalid"),
        ({"id": "urn:uuid:01a22dc5-4f3c-76a0-8dbe-dd3c7ecd531d"}, "/id", "invalid"),
        ({"played_on": "2026-W48-6"}, "/played_on", "invalid"),
        ({"played_on": "٢٠٢٦-١١-٠١"}, "/played_on", "invalid"),
        ({"played_at": "٢١:١٠"}, "/played_at", "invalid"),
        ({"played_on": None}, "/played_on", "null"),
        ({"played_at": "9 pm"}, "/played_at", "invalid"),
        ({"counts": "yes"}, "/counts", "invalid"),
        ({"seats": [{"player": "Théo", "cheques": "83", "banknotes": 4}]}, "/seats/0/cheques", "invalid"),
        ({"seats": [{"player": "Théo", "cheques": 8.5, "banknotes": 4}]}, "/seats/0/cheques", "invalid"),
        ({"seats": [{"player": "Théo", "cheques": True, "banknotes": 4}]}, "/seats/0/cheques", "invalid"),
        ({"seats": [{"cheques": 83, "banknotes": 4}]}, "/seats/0/player", "required"),
        ({"seats": [{"player": "Théo", "cheques": 83}, {"player": "B", "total": 3}, {"player": "C", "total": 3}]},
         "/seats/0/banknotes", "figure-missing"),
        ({"seats": []}, "/seats", "players-not-offered"),
        ({"seats": seats() + [{"player": str(i), "total": 3} for i in range(4)]}, "/seats", "players-not-offered"),
        ({"edition": "classic1997", "variant": "not-enough-for-everyone"}, "/seats", "players-not-offered"),
        ({"edition": "haba"}, "/edition", "edition-not-offered"),
        ({"source": "bgg"}, "/source_id", "source-incomplete"),
        ({"not_counted_reason": "aborted"}, "/not_counted_reason", "reason-without-effect"),
        ({"id": "7"}, "/id", "invalid"),
    ],
)  # fmt: skip
def test_the_wrong_shape_is_refused_where_it_stands(
    member: APIClient, change: dict[str, Any], pointer: str, code: str
) -> None:
    problem(member.post(PLAYS, body(**change)), 400, code, pointer)


@pytest.mark.parametrize("name", ["club", "game", "played_on", "seats"])
def test_what_is_needed_is_named(member: APIClient, name: str) -> None:
    sent = body()
    del sent[name]
    problem(member.post(PLAYS, sent), 400, "required", f"/{name}")


def test_lady_richmond_has_its_own_figures(member: APIClient) -> None:
    play = post(
        member,
        game="lady-richmond",
        seats=[
            {"player": "Théo", "points": 12, "largest_category": 3},
            {"player": "Marianne", "points": 12, "largest_category": 4},
            {"player": "Guilaine", "points": -2, "largest_category": 1},
        ],
    )
    assert (play["edition"], play["decided_by"], play["winners"]) == ("haba", "largest_category", [2])
    assert "cheques" not in play["seats"][0]
    assert (play["seats"][2]["points"], play["seats"][2]["total"]) == (-2, -2)


def test_totals_alone_with_a_reported_winner(member: APIClient) -> None:
    totals = [{"player": n, "total": t} for n, t in zip(NAMES, (84, 84, 76), strict=True)]
    play = post(member, seats=totals, reported_winners=[2])
    assert (play["level"], play["decided_by"], play["winners"], play["reported_winners"]) == (
        "total",
        "reported",
        [2],
        [2],
    )
    assert [s["rank"] for s in play["seats"]] == [2, 1, 3]
    response = member.post(PLAYS, body(seats=totals, reported_winners=[3]))
    problem(response, 422, "winner-contradicts-totals", "/reported_winners/0")
    unknown = post(member, seats=totals)
    assert (unknown["decided_by"], unknown["winners"]) == ("unknown", [1, 2])


# ---- impossible sheets ------------------------------------------------------------------------------

IMPOSSIBLE = seats([(83, 4), (85, 2), (69, 0)])


def test_an_impossible_sheet_is_refused_with_its_findings(member: APIClient) -> None:
    response = member.post(PLAYS, body(seats=IMPOSSIBLE))
    assert response.status_code == 422
    (finding,) = response.json()["findings"]
    assert finding["severity"] == "impossible"
    assert "237" in finding["detail"]
    assert Play.objects.count() == 0
    french = member.post(PLAYS, body(seats=IMPOSSIBLE), headers={"accept-language": "fr"}).json()
    assert french["findings"][0]["code"] == finding["code"]


def test_an_accepted_impossible_sheet_does_not_count_until_it_is_corrected(member: APIClient) -> None:
    play = post(member, seats=IMPOSSIBLE, accept_findings=True)
    assert play["counts"] is False
    assert "237" in play["not_counted_reason"]
    assert play["findings"][0]["severity"] == "impossible"
    noted = patch(member, play, notes="Recount the cheques of Guilaine")
    assert noted["counts"] is False
    corrected = patch(member, play, seats=[{}, {}, {"cheques": 70}])
    assert (corrected["counts"], corrected["not_counted_reason"], corrected["findings"]) == (True, "", [])


def test_a_correction_does_not_overrule_a_member_who_said_it_does_not_count(member: APIClient) -> None:
    play = post(member, seats=IMPOSSIBLE, accept_findings=True, counts=False, not_counted_reason="A card was lost")
    assert patch(member, play, seats=[{}, {}, {"cheques": 70}])["counts"] is False
    other = post(member, seats=IMPOSSIBLE, accept_findings=True)
    said = patch(member, other, counts=False)
    assert (said["counts"], said["not_counted_reason"]) == (False, "")
    assert patch(member, other, seats=[{}, {}, {"cheques": 70}])["counts"] is False


def test_a_member_may_say_that_an_impossible_sheet_counts(member: APIClient) -> None:
    play = post(member, seats=IMPOSSIBLE, accept_findings=True)
    said = patch(member, play, counts=True)
    assert (said["counts"], said["not_counted_reason"]) == (True, "")
    assert patch(member, play, seats=[{"player": "Nicolas"}, {}, {}])["counts"] is True


def test_a_change_to_an_impossible_sheet_must_be_accepted_too(member: APIClient) -> None:
    play = post(member)
    refused = patch(member, play, 422, seats=[{}, {}, {"cheques": 69}])
    assert refused["findings"]
    assert member.get(f"{PLAYS}{play['id']}/").json() == play
    accepted = patch(member, play, seats=[{}, {}, {"cheques": 69}], accept_findings=True)
    assert accepted["counts"] is False
    worse = patch(member, play, 422, seats=[{}, {}, {"cheques": 60}])
    assert worse["findings"]


# ---- safe repeats -----------------------------------------------------------------------------------


def test_the_same_id_and_body_answer_the_stored_play(member: APIClient) -> None:
    sent = body(id=str(uuid.uuid4()))
    first = member.post(PLAYS, sent)
    again = member.post(PLAYS, dict(reversed(sent.items())))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert first.json()["id"] == sent["id"]
    problem(member.post(PLAYS, {**sent, "notes": "x"}), 409, "id-taken", "/id")
    assert Play.objects.count() == 1


def test_an_id_of_a_club_one_may_not_see_gives_nothing_away(
    member: APIClient, stranger: APIClient, public_club: Club
) -> None:
    Membership.objects.create(club=public_club, user=stranger.user)
    hidden = post(member, id=str(uuid.uuid4()))
    answer = problem(stranger.post(PLAYS, body(club="bristol", id=hidden["id"])), 409, "id-taken", "/id")
    assert "play" not in answer
    assert "nantes" not in str(answer)


def test_the_id_of_a_deleted_play_is_not_used_again(owner: APIClient, club: Club) -> None:
    sent = body(id=str(uuid.uuid4()))
    owner.post(PLAYS, sent)
    owner.delete(f"{PLAYS}{sent['id']}/")
    problem(owner.post(PLAYS, sent), 409, "deleted", "/id")


def test_a_source_is_recorded_once_per_club(owner: APIClient, club: Club, public_club: Club) -> None:
    play = post(owner, source="bgg", source_id="12345")
    answer = problem(owner.post(PLAYS, body(source="bgg", source_id="12345")), 409, "source-taken", "/source_id")
    assert answer["play"] == f"{PLAYS}{play['id']}/"
    assert answer["play"] in answer["detail"]
    post(owner, club="bristol", source="bgg", source_id="12345")
    other = post(owner, source="bgg", source_id="6")
    problem(owner.patch(f"{PLAYS}{other['id']}/", {"source_id": "12345"}), 409, "source-taken", "/source_id")
    owner.delete(f"{PLAYS}{play['id']}/")
    problem(owner.post(PLAYS, body(source="bgg", source_id="12345")), 409, "source-taken", "/source_id")


def test_an_idempotency_key_stores_once(member: APIClient) -> None:
    first = member.post(PLAYS, body(), headers={"idempotency-key": "k1"})
    again = member.post(PLAYS, body(), headers={"idempotency-key": "k1"})
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert Play.objects.count() == 1
    assert member.post(PLAYS, body(notes="x"), headers={"idempotency-key": "k1"}).status_code == 422


# ---- changing ---------------------------------------------------------------------------------------


def test_an_entry_keeps_what_it_does_not_name(member: APIClient) -> None:
    play = post(member, notes="A long evening")
    changed = patch(member, play, seats=[{"banknotes": 1}, {}, {"player": "Nicolas"}])
    assert [(s["player"]["name"], s["cheques"], s["banknotes"], s["total"]) for s in changed["seats"]] == [
        ("Théo", 83, 1, 84),
        ("Marianne", 85, 2, 87),
        ("Nicolas", 70, 0, 70),
    ]
    assert (changed["winners"], changed["decided_by"], changed["version"]) == ([2], "total", 2)
    assert changed["notes"] == "A long evening"


def test_figures_follow_a_player_who_moves_or_stays_while_another_leaves(member: APIClient) -> None:
    play = post(member, first_seat=3)
    moved = patch(member, play, seats=[{"player": "Guilaine"}, {"player": "Théo"}, {"player": "Marianne"}])
    assert [s["total"] for s in moved["seats"]] == [70, 87, 87]
    assert (moved["winners"], moved["first_seat"]) == ([2], 1)
    totals = [{"player": n, "total": t} for n, t in zip([*NAMES, "Paul"], (72, 72, 50, 60), strict=True)]
    reported = post(member, seats=totals, reported_winners=[2], variant="not-enough-for-everyone", edition="eagle")
    fewer = patch(
        member, reported, seats=[{"player": "Marianne"}, {"player": "Théo"}, {"player": "Paul"}], accept_findings=True
    )
    assert [s["total"] for s in fewer["seats"]] == [72, 72, 60]
    assert (fewer["reported_winners"], fewer["winners"], fewer["player_count"]) == ([1], [1], 3)


def test_a_seat_may_be_added(member: APIClient) -> None:
    play = post(member, seats=seats([(83, 4), (60, 2), (46, 0)]), variant="base", accept_findings=True)
    more = patch(member, play, seats=[{}, {}, {}, {"player": "Nicolas", "cheques": 49, "banknotes": 3}])
    assert (more["player_count"], more["counts"]) == (4, True)
    problem(
        member.patch(f"{PLAYS}{play['id']}/", {"seats": [{}, {}, {}, {}, {"total": 30}]}),
        400,
        "required",
        "/seats/4/player",
    )


def test_a_figure_is_taken_away_by_null(member: APIClient) -> None:
    play = post(member)
    response = member.patch(f"{PLAYS}{play['id']}/", {"seats": [{"total": 90}, {}, {}]})
    problem(response, 422, "total-contradicts-figures", "/seats/0/total")
    less = patch(member, play, seats=[{"total": 87, "cheques": None, "banknotes": None}, {}, {}])
    assert (less["level"], less["seats"][0]["cheques"]) == ("total", None)


def test_a_total_is_completed_by_a_sheet(member: APIClient) -> None:
    play = post(member, seats=[{"player": n, "total": t} for n, t in zip(NAMES, (87, 87, 70), strict=True)])
    full = patch(member, play, seats=[{"banknotes": 4}, {"banknotes": 2}, {"cheques": 70}])
    assert (full["level"], full["decided_by"], [s["cheques"] for s in full["seats"]]) == (
        "sheet",
        "banknotes",
        [83, 85, 70],
    )


def test_a_record_that_no_longer_fits_must_be_replaced_or_dropped(member: APIClient) -> None:
    play = member.post(PLAYS, record_body()).json()
    address = f"{PLAYS}{play['id']}/"
    four = [{}, {}, {}, {"player": "Nicolas", "cheques": 1, "banknotes": 1}]
    problem(member.patch(address, {"seats": four}), 422, "record-does-not-fit", "/record")
    problem(member.patch(address, {"edition": "classic1997"}), 422, "record-does-not-fit", "/record")
    problem(
        member.patch(address, {"seats": [{"cheques": 3}, {}, {}]}), 422, "figure-contradicts-record", "/seats/0/cheques"
    )
    swapped = patch(member, play, seats=[{"player": "Marianne"}, {"player": "Théo"}, {}])
    assert [s["total"] for s in swapped["seats"]] == [s["total"] for s in play["seats"]]
    sheet = patch(member, play, record=None)
    assert (sheet["level"], sheet["first_seat"]) == ("cards", play["first_seat"])
    assert [s["total"] for s in sheet["seats"]] == [s["total"] for s in play["seats"]]
    other = record_body(seed=2)
    whole = patch(member, play, record=other["record"], seats=[{"cheque_cards": None, "banknotes": None}] * 3)
    assert (whole["level"], whole["first_seat"]) == ("record", other["record"]["first_seat"])


def test_a_change_that_changes_nothing_makes_no_version(member: APIClient) -> None:
    play = post(member)
    assert patch(member, play, notes="", seats=[{"player": "theo"}, {}, {}]) == play
    assert PlayChange.objects.count() == PlayToFold.objects.count() == 1


def test_club_game_and_what_is_derived_cannot_be_changed(member: APIClient) -> None:
    play = post(member)
    for name in ("club", "game", "id", "level", "winners", "version"):
        problem(member.patch(f"{PLAYS}{play['id']}/", {name: play[name]}), 400, "unknown-field", f"/{name}")


def test_a_stale_change_is_refused(member: APIClient) -> None:
    response = member.post(PLAYS, body())
    address, tag = response["Location"], response["ETag"]
    assert member.get(address)["ETag"] == tag
    assert member.get(address, headers={"if-none-match": tag}).status_code == 304
    changed = member.patch(address, {"notes": "a"}, headers={"if-match": tag})
    assert changed.status_code == 200
    problem(member.patch(address, {"notes": "b"}, headers={"if-match": tag}), 412, "stale", "")
    assert member.delete(address, headers={"if-match": tag}).status_code == 412
    assert member.get(address, headers={"if-none-match": tag}).status_code == 200
    assert member.delete(address, headers={"if-match": changed["ETag"]}).status_code == 204


def test_deleted_plays_are_gone_until_they_are_restored(member: APIClient) -> None:
    play = post(member)
    address = f"{PLAYS}{play['id']}/"
    assert member.delete(address).status_code == 204
    assert member.get(address).status_code == 404
    assert member.patch(address, {"notes": "x"}).status_code == 404
    assert member.delete(address).status_code == 404
    assert member.get(PLAYS, {"club": "nantes"}).json()["results"] == []
    restored = member.post(address + "restore/")
    assert restored.status_code == 200
    assert {**restored.json(), "updated_at": "", "version": 0} == {**play, "updated_at": "", "version": 0}
    assert member.post(address + "restore/").json() == restored.json()


def test_every_write_leaves_a_change_and_an_outbox_row(member: APIClient) -> None:
    play = post(member)
    patch(member, play, notes="x")
    member.delete(f"{PLAYS}{play['id']}/")
    member.post(f"{PLAYS}{play['id']}/restore/")
    assert list(PlayChange.objects.order_by("version").values_list("version", "action")) == [
        (1, "created"),
        (2, "changed"),
        (3, "deleted"),
        (4, "restored"),
    ]
    assert [str(row.play_id) for row in PlayToFold.objects.all()] == [play["id"]] * 4


# ---- who may what -----------------------------------------------------------------------------------


@pytest.fixture
def cast(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient, club: Club
) -> dict[str, APIClient]:
    recorder = make_user("renee")
    Membership.objects.create(club=club, user=recorder)
    return {
        "owner": owner,
        "recorder": token_client(recorder),
        "member": member,
        "stranger": stranger,
        "anonymous": anonymous,
        "read only": token_client(recorder, "plays:read"),
        "write only": token_client(recorder, "plays:write"),
    }


WHO = ("owner", "recorder", "member", "stranger", "anonymous", "read only", "write only")
MAY = {  # what each of them is answered, on the play of a private club and on that of an open one
    ("get", "private"): (200, 200, 200, 404, 404, 200, 403),
    ("get", "open"): (200, 200, 200, 200, 200, 200, 200),
    ("post", "private"): (201, 201, 201, 404, 401, 403, 201),
    ("post", "open"): (201, 201, 201, 403, 401, 403, 201),
    ("patch", "private"): (200, 200, 200, 404, 401, 403, 200),
    ("patch", "open"): (200, 200, 200, 403, 401, 403, 200),
    ("delete", "private"): (204, 204, 403, 404, 401, 403, 204),
    ("delete", "open"): (204, 204, 403, 403, 401, 403, 204),
    ("restore", "private"): (200, 200, 403, 404, 401, 403, 200),
    ("restore", "open"): (200, 200, 403, 403, 401, 403, 200),
}


@pytest.mark.parametrize("visibility", ["private", "public", "unlisted"])
@pytest.mark.parametrize("operation", ["get", "post", "patch", "delete", "restore"])
def test_who_may_do_what(cast: dict[str, APIClient], club: Club, operation: str, visibility: str) -> None:
    Club.objects.filter(pk=club.pk).update(visibility=visibility)
    may = MAY[operation, "private" if visibility == "private" else "open"]
    for who, status in zip(WHO, may, strict=True):
        client = cast[who]
        address = f"{PLAYS}{post(cast['recorder'])['id']}/"
        match operation:
            case "get":
                answers = {client.get(address + view).status_code for view in ("", "scores/", "history/")}
                assert answers == {status}, who
                continue
            case "post":
                response = client.post(PLAYS, body())
            case "patch":
                response = client.patch(address, {"notes": "x"})
            case "delete":
                response = client.delete(address)
            case "restore":
                cast["recorder"].delete(address)
                response = client.post(address + "restore/")
        assert response.status_code == status, (who, response.content)


def test_location_and_notes_are_for_members_unless_the_club_shows_them(
    member: APIClient, stranger: APIClient, anonymous: APIClient, club: Club
) -> None:
    Club.objects.filter(pk=club.pk).update(visibility="public")
    play = post(member, location="12 rue des Lices", notes="Paul came late")
    address = f"{PLAYS}{play['id']}/"
    for client in (stranger, anonymous):
        assert "Lices" not in client.get(address).content.decode()
        assert "Lices" not in client.get(PLAYS).content.decode()
        assert "Lices" not in client.get(address + "history/").content.decode()
        assert client.get(address).json()["notes"] is None
    assert member.get(PLAYS).json()["results"][0]["notes"] == "Paul came late"
    assert member.get(address)["ETag"] != anonymous.get(address)["ETag"]
    Club.objects.filter(pk=club.pk).update(notes_public=True)
    assert anonymous.get(address).json()["location"] == "12 rue des Lices"


def test_the_widget_form_is_small(member: APIClient) -> None:
    play = post(member)
    assert member.get(f"{PLAYS}{play['id']}/scores/").json() == {
        "id": play["id"],
        "game": "for-sale",
        "played_on": "2026-11-28",
        "decided_by": "banknotes",
        "winners": [1],
        "seats": [
            {name: seat[name] for name in ("seat", "player", "total", "rank", "is_winner")} for seat in play["seats"]
        ],
    }


# ---- cost -------------------------------------------------------------------------------------------


def test_recording_costs_few_queries(member: APIClient, django_assert_max_num_queries: Any) -> None:
    six = [{"player": name, "total": 40} for name in ("A", "B", "C", "D", "E", "F")]
    with django_assert_max_num_queries(17):
        assert member.post(PLAYS, body(seats=six)).status_code == 201
    with django_assert_max_num_queries(10):
        assert member.post(PLAYS, body(seats=six)).status_code == 201


def test_reading_costs_few_queries(member: APIClient, django_assert_max_num_queries: Any) -> None:
    address = f"{PLAYS}{post(member)['id']}/"
    tag = member.get(address)["ETag"]
    with django_assert_max_num_queries(5):
        member.get(address)
    with django_assert_max_num_queries(3):
        assert member.get(address, headers={"if-none-match": tag}).status_code == 304


# ---- what the database refuses by itself ------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"total": 86},
        {"banknotes": None},
        {"cheques": -1, "total": 3},
        {"rank": 2},
        {"is_winner": False},
        {"seat": 7},
        {"seat": 2},
        {"player": 2},
    ],
    ids=str,
)
def test_the_database_refuses_a_seat_that_makes_no_sense(member: APIClient, wrong: dict[str, Any]) -> None:
    play = Play.objects.get(pk=post(member)["id"])
    if "player" in wrong:
        wrong = {"player": play.seats.get(seat=2).player}
    with pytest.raises(IntegrityError), transaction.atomic():
        play.seats.filter(seat=1).update(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"player_count": 7},
        {"level": "rumour"},
        {"decided_by": "dice"},
        {"first_seat": 4},
        {"source": "bgg"},
        {"held_back": True},
        {"not_counted_reason": "aborted"},
    ],
    ids=str,
)
def test_the_database_refuses_a_play_that_makes_no_sense(member: APIClient, wrong: dict[str, Any]) -> None:
    play = post(member)
    with pytest.raises(IntegrityError), transaction.atomic():
        Play.objects.filter(pk=play["id"]).update(**wrong)

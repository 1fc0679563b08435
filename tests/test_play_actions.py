"""What can be done on a play's page: correct, not count, delete, restore, undo, hand on."""

import json
import re
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play, PlayChange
from tests.test_pages import page, signed_in
from tests.test_plays import PLAYS, body, patch, post, record_body


def form_of(html: str) -> dict[str, str]:
    """What a browser would send of the correction form."""
    sent = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        kind = re.search(r'type="([^"]+)"', tag)
        if name and not (kind and kind[1] in ("radio", "checkbox") and "checked" not in tag):
            sent[name[1]] = value[1] if value else ""
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', html, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        sent[name] = chosen[1] if chosen else ""
    for name, text in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', html, re.DOTALL):
        sent[name] = text
    return sent


def test_only_members_get_the_buttons_and_the_forms(owner: APIClient, stranger: APIClient, public_club: Club) -> None:
    play = post(owner, club="bristol")
    address = f"/plays/{play['id']}/"
    assert "correct/" in page(signed_in(owner), address)
    for browser in (signed_in(stranger), Client()):
        html = page(browser, address)
        assert "correct/" not in html
        assert "/delete/" not in html
        assert "bgstats://" in html
    for verb in ("counts", "delete", "restore", "undo"):
        assert signed_in(stranger).post(f"{address}{verb}/").status_code == 404
    assert signed_in(stranger).get(f"{address}correct/").status_code == 404
    assert signed_in(owner).post(f"{address}burn/").status_code == 404
    assert signed_in(owner).get(f"{address}delete/").status_code == 405
    assert Play.objects.get().deleted_at is None


def test_a_correction_changes_what_was_changed_and_nothing_else(owner: APIClient, member: APIClient) -> None:
    play = post(owner, location="Chez Paul", notes="Rainy.", first_seat=2, played_at="21:10")
    browser = signed_in(member)
    address = f"/plays/{play['id']}/correct/"
    sent = form_of(page(browser, address))
    assert browser.post(address, sent)["Location"] == f"/plays/{play['id']}/"
    assert PlayChange.objects.count() == 1  # nothing differs, nothing is written
    browser.post(address, sent | {"banknotes-1": "5", "cheques-1": "80+3", "player-3": "Zoé"})
    stored = member.get(f"{PLAYS}{play['id']}/").json()
    assert [(s["player"]["name"], s["cheques"], s["banknotes"]) for s in stored["seats"]] == [
        ("Théo", 83, 5), ("Marianne", 85, 2), ("Zoé", 70, 0),
    ]  # fmt: skip
    assert (stored["location"], stored["first_seat"], stored["played_at"]) == ("Chez Paul", 2, "21:10:00")


def test_a_correction_of_what_somebody_else_changed_meanwhile_is_not_made(owner: APIClient, club: Club) -> None:
    play = post(owner)
    browser, address = signed_in(owner), f"/plays/{play['id']}/correct/"
    sent = form_of(page(browser, address))
    patch(owner, play, notes="Mine.")
    answer = browser.post(address, sent | {"notes": "Other."})
    assert answer.status_code == 422
    assert "Somebody has changed this play meanwhile" in answer.content.decode()
    assert Play.objects.get().notes == "Mine."


def test_a_correction_that_cannot_be_is_explained(owner: APIClient, club: Club) -> None:
    play = post(owner)
    browser, address = signed_in(owner), f"/plays/{play['id']}/correct/"
    sent = form_of(page(browser, address)) | {"cheques-1": "200"}
    html = browser.post(address, sent).content.decode()
    assert "The cheques of seat 1, 200, are 70 more than possible; the most is 130." in html
    assert Play.objects.get().version == 1
    assert browser.post(address, sent | {"accept_findings": "1"}).status_code == 302
    assert Play.objects.get().counts is False


def test_totals_alone_and_records_can_be_corrected(owner: APIClient, club: Club) -> None:
    totals = [{"player": name, "total": total} for name, total in (("Théo", 90), ("Inès", 81), ("Paul", 75))]
    browser = signed_in(owner)
    for sent_body, change in (
        (body(seats=totals), {"total-2": "82"}),
        (record_body(), {"player-2": "Zoé", "notes": "Long."}),
    ):
        play = owner.post(PLAYS, sent_body).json()
        address = f"/plays/{play['id']}/correct/"
        answer = browser.post(address, form_of(page(browser, address)) | change)
        assert answer.status_code == 302, answer.content.decode()
        stored = owner.get(f"{PLAYS}{play['id']}/").json()
        assert stored["version"] == 2
        assert stored["level"] == play["level"]
        assert stored["seats"][1]["total"] == (82 if "total-2" in change else play["seats"][1]["total"])


def test_a_play_stops_counting_with_a_reason_and_counts_again(owner: APIClient, member: APIClient) -> None:
    play = post(owner)
    browser, address = signed_in(member), f"/plays/{play['id']}/"
    html = browser.post(f"{address}counts/", {"counts": "false", "reason": "Broken off"}, follow=True).content.decode()
    assert "This play does not count in statistics." in html
    assert "Broken off" in html
    assert Play.objects.get().counts is False
    browser.post(f"{address}counts/", {"counts": "true"})
    assert (Play.objects.get().counts, Play.objects.get().not_counted_reason) == (True, "")


def test_the_recorder_deletes_and_restores_other_members_do_not(owner: APIClient, member: APIClient) -> None:
    play = post(owner)
    address = f"/plays/{play['id']}/"
    html = signed_in(member).post(f"{address}delete/", follow=True).content.decode()
    assert "Only the recorder of a play and owners of the club may delete or restore it." in html
    html = signed_in(owner).post(f"{address}delete/", follow=True).content.decode()
    assert "A deleted play" in html
    assert page(signed_in(owner), address, 404)
    assert "Restore the play" not in page(signed_in(member), f"{address}deleted/")
    signed_in(owner).post(f"{address}restore/")
    assert Play.objects.get().deleted_at is None


@pytest.mark.parametrize(
    "change",
    [
        {"seats": [{"cheques": 80}, {"player": "Zoé"}, {"banknotes": 2}], "accept_findings": True},
        {"seats": [{}, {}, {}, {"player": "Hugo", "cheques": 0, "banknotes": 0}], "accept_findings": True},
        {"played_on": "2026-11-20", "played_at": "20:15", "notes": "x", "location": "y", "duration_minutes": 30},
        {"counts": False, "not_counted_reason": "Broken off"},
        {"variant": "not-enough-for-everyone", "first_seat": None, "accept_findings": True},
        {"seats": [{"cheques": 200}, {}, {}], "accept_findings": True},
        {"record": "a record"},
    ],
)
def test_an_undo_brings_back_what_was_there_before(owner: APIClient, club: Club, change: dict[str, Any]) -> None:
    play = post(owner, first_seat=2, played_at="21:10")
    if change.get("record"):
        sent = record_body(seed=8)
        change = {"record": sent["record"], "seats": [{"player": name} for name in ("Théo", "Marianne", "Guilaine")]}
        nothing = dict.fromkeys(("cheques", "banknotes", "total", "cheque_cards"))
        change["seats"] = [seat | nothing for seat in change["seats"]]
        change["first_seat"] = None
    patch(owner, play, **change)
    browser, address = signed_in(owner), f"/plays/{play['id']}/"
    assert f"{address}undo/" in page(browser, address)
    browser.post(f"{address}undo/", {"version": "1"})
    assert Play.objects.get().version == 2  # somebody looked at another version
    html = browser.post(f"{address}undo/", {"version": "2"}, follow=True).content.decode()
    assert "The last change is taken back." in html
    stored = owner.get(f"{PLAYS}{play['id']}/").json()
    changed_anyway = {"version", "updated_at"}
    assert {k: v for k, v in stored.items() if k not in changed_anyway} == {
        k: v for k, v in play.items() if k not in changed_anyway
    }
    assert PlayChange.objects.count() == 3


def test_the_recording_itself_cannot_be_undone_and_a_deletion_can(owner: APIClient, club: Club) -> None:
    play = post(owner)
    browser, address = signed_in(owner), f"/plays/{play['id']}/"
    assert "undo/" not in page(browser, address)
    assert (
        "There is no change to take back."
        in browser.post(f"{address}undo/", {"version": "1"}, follow=True).content.decode()
    )
    browser.post(f"{address}delete/")
    browser.post(f"{address}undo/", {"version": "2"})
    assert Play.objects.get().deleted_at is None


def test_the_link_to_bg_stats_holds_the_play_and_no_secrets(owner: APIClient, public_club: Club) -> None:
    play = post(owner, club="bristol", first_seat=2, location="At mine", notes="Psst", duration_minutes=25)

    def linked(browser: Client) -> dict[str, Any]:
        html = page(browser, f"/plays/{play['id']}/")
        start = html.index("bgstats://app.bgstatsapp.com/createPlay.html?data=")
        return json.loads(unquote(html[start : html.index('"', start)].partition("data=")[2]))

    told = linked(signed_in(owner))
    assert told["sourcePlayId"] == play["id"]
    assert told["playDate"] == "2026-11-28 10:00:00"
    assert (told["durationMin"], told["location"], told["board"]) == (25, "At mine", "Base game")
    assert told["game"] == {
        "name": "For Sale", "bggId": 172, "sourceGameId": "for-sale", "highestWins": True, "noPoints": False,
    }  # fmt: skip
    assert [(p["name"], p["score"], p["rank"], p["winner"], p["startPlayer"]) for p in told["players"]] == [
        ("Théo", 87, 1, True, False), ("Marianne", 87, 2, False, True), ("Guilaine", 70, 3, False, False),
    ]  # fmt: skip
    assert "more banknotes left: 4 against 2" in told["comments"]
    strangers = linked(Client())
    assert strangers["location"] == ""
    assert "Psst" not in strangers["comments"]


def test_the_embed_snippet_is_for_plays_that_everybody_may_see(owner: APIClient, club: Club, public_club: Club) -> None:
    public, private = post(owner, club="bristol"), post(owner)
    html = page(signed_in(owner), f"/plays/{public['id']}/")
    assert f"/embed/plays/{public['id']}/" in html[html.index('id="embed-code"') :]
    assert 'id="embed-code"' not in page(signed_in(owner), f"/plays/{private['id']}/")

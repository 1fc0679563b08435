"""The pages: who sees what, that their numbers are the API's, and that a strict browser has nothing to say."""

import csv
import io
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from dashboard import question_pages
from forsale_api.clubs.models import Club, Player, Token, User
from forsale_api.plays.models import Play
from stats import questions
from stats.models import PricedTable, Simulation, Status
from stats.questions import QUESTIONS
from stats.tasks import play_league, price_table
from tests.test_aggregates import ASKED, publish, stored
from tests.test_folding import fold_all
from tests.test_plays import PLAYS, body, post, record_body

SCORES = "/api/v1/stats/scores/"
TIE = [(83, 4), (85, 2), (70, 0)]
FOUR = [(67, 4), (69, 2), (55, 3), (47, 6)]
NAMES = ["Théo", "Marianne", "Guilaine", "Nicolas"]
PAGES = [
    "/", "/positions/", "/houses/", "/players/", "/questions/", "/questions/ties/", "/questions/rounding/",
    "/questions/fair-price/", "/compare/", "/plays/", "/clubs/", "/simulations/",
    "/bots/", "/leagues/", "/developers/", "/accounts/login/", "/accounts/signup/",
]  # fmt: skip

TABLE_ASKED = "player_count=3&houses=1+16+30&banknotes=20&rounds_left=5&bot=to-six"


@pytest.fixture(autouse=True)
def no_references_on_their_way() -> None:
    """Reference simulations that are missing count as asked for: no test waits for ten million games."""
    cache.clear()


@pytest.fixture
def simulated(db: Any) -> Simulation:
    return stored(2000, **ASKED)


@pytest.fixture
def logged(owner: APIClient, club: Club) -> list[dict[str, Any]]:
    """A public club with a tie, a full record and a sheet of four, folded into the figures."""
    publish(club)
    four = [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(NAMES, FOUR, strict=True)]
    made = [post(owner), post(owner, seats=four, played_on="2026-11-27")]
    answer = owner.post(PLAYS, record_body(seed=3, kind=("iello", "base", 3), played_on="2026-11-26"))
    assert answer.status_code == 201, answer.content
    fold_all()
    return [*made, answer.json()]


def page(client: Client, address: str, status: int = 200, **headers: Any) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == status, response.content[:500]
    return response.content.decode()


def signed_in(client: APIClient) -> Client:
    browser = Client()
    browser.force_login(client.user)
    return browser


# ---- what a stranger's browser gets -----------------------------------------------------------------


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_pages_hold_nothing_that_a_strict_policy_forbids(db: Any, client: Client, address: str, language: str) -> None:
    html = page(client, address, accept_language=language)
    assert f'<html lang="{language}">' in html
    html = re.sub(r"<code.*?</code>", "", html, flags=re.DOTALL)  # samples to copy are text
    scripts = re.findall(r"<script([^>]*)>", html)
    assert all("src=" in script or 'type="application/json"' in script for script in scripts)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
    policy = client.get(address)["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert re.search(r"style-src 'self'(;|$)", policy)


@pytest.mark.parametrize("address", PAGES)
def test_pages_ask_nothing_of_other_sites(db: Any, client: Client, address: str) -> None:
    html = re.sub(r"<code.*?</code>", "", page(client, address), flags=re.DOTALL)  # samples to copy are text
    assert re.findall(r'(?:src|action|<link[^>]*href)="(?!/)([^"]+)"', html) == []


def test_the_first_view_of_the_dashboard_is_light(db: Any, client: Client) -> None:
    html = client.get("/", headers={"accept-encoding": "gzip"})
    text = page(client, "/")
    assets = re.findall(r'(?:src|<link[^>]*href)="(/static/[^"]+)"', text)
    assert any("plotly" in address for address in assets)
    sizes = {"/": len(html.content)}
    for address in assets:
        answer = client.get(address, headers={"accept-encoding": "gzip"})
        assert answer["Content-Encoding"] == "gzip"
        sizes[address] = len(b"".join(answer.streaming_content))
    assert sum(sizes.values()) < 700_000, sizes


@pytest.mark.parametrize(
    "address",
    ["/?club=%00", "/clubs/?q=%00", "/clubs/?after=%00", "/compare/?a-club=a%00b", "/oauth/authorize/?client_id=%00"],
)
def test_an_address_with_nul_in_it_is_refused(db: Any, client: Client, address: str) -> None:
    page(client, address, 400)


def test_a_form_with_nul_in_it_is_refused(db: Any, client: Client) -> None:
    for address in ("/oauth/token/", "/oauth/revoke/", "/accounts/login/"):
        assert client.post(address, {"client_id": "\0", "login": "\0", "token": "\0"}).status_code == 400


def test_a_page_that_is_not_there_says_so_in_the_language_of_the_reader(db: Any, client: Client) -> None:
    assert "There is nothing here for you" in page(client, "/clubs/nowhere/", 404)
    assert "Il n’y a rien ici pour vous" in page(client, "/nowhere/", 404, accept_language="fr")


def test_the_page_of_a_failure_needs_nothing_that_may_have_failed(client: Client) -> None:
    for name in ("500.html", "403_csrf.html"):
        assert "<h1>" in render_to_string(name)


def test_the_site_chooses_the_language_of_the_browser_until_told_otherwise(db: Any, client: Client) -> None:
    assert '<html lang="fr">' in page(client, "/bots/", accept_language="fr-CA, en;q=0.5")
    client.post("/i18n/setlang/", {"language": "en", "next": "/bots/"})
    assert '<html lang="en">' in page(client, "/bots/", accept_language="fr")


# ---- scores -----------------------------------------------------------------------------------------


def rows_of(html: str) -> list[list[str]]:
    """The cells of the table that gives the same numbers as the charts."""
    table = html[html.index('id="table"') :]
    table = table[: table.index("</table>")]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in table.split("<tr>")[1:]]
    return [row for row in rows if row]


@pytest.mark.parametrize(
    "query", ["", "?player_count=3", "?club=nantes", "?played_after=2026-11-27", "?counts=all", "?variant=base"]
)
def test_the_numbers_of_the_page_are_the_apis(
    logged: Any, simulated: Any, client: Client, anonymous: APIClient, query: str
) -> None:
    html = page(client, f"/{query}")
    asked = dict(pair.split("=") for pair in query[1:].split("&") if pair)
    common = {"game": "for-sale", "edition": "iello"}
    of_plays = {"club", "played_after", "counts"}
    expected = {}
    for data, filters in (
        ("recorded", asked),
        ("simulated", {k: v for k, v in asked.items() if k not in of_plays}),
    ):
        for block in anonymous.get(SCORES, common | filters | {"data": data}).json()["results"]:
            expected[block["variant"], block["player_count"], data] = block
    shown = {}
    for variant, players, data, plays, n, _mean, median, interval, *quantiles in (row[:12] for row in rows_of(html)):
        slug = "base" if variant == "Base game" else "not-enough-for-everyone"
        shown[slug, int(players), data] = (plays, n, median, interval, quantiles)
    assert {key for key, row in shown.items() if row[0] != "0"} == expected.keys()
    for key, block in expected.items():
        total = block["total"]
        low_high = total["median_interval"]
        assert shown[key] == (
            f"{block['plays']:,}",
            f"{total['n']:,}",
            str(total["median"]),
            f"{low_high[0]} to {low_high[1]}" if low_high else "–",
            [str(total["quantiles"][q]) for q in ("p05", "p25", "p75", "p95")],
        )


def test_the_csv_holds_every_count(logged: Any, client: Client, anonymous: APIClient) -> None:
    text = b"".join(client.get("/scores.csv?data=recorded").streaming_content).decode()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["player_count"] == "3"]
    (block,) = anonymous.get(SCORES, {"game": "for-sale", "edition": "iello", "player_count": 3}).json()["results"]
    assert [{"score": int(row["score"]), "count": int(row["count"])} for row in rows] == block["total"]["histogram"]


def test_the_csv_of_a_page_has_the_filters_of_the_page(
    logged: Any, owner: APIClient, client: Client, anonymous: APIClient
) -> None:
    post(owner, counts=False, not_counted_reason="taught the rules")
    fold_all()
    for query, plays in (("", "2"), ("?counts=true", "2"), ("?counts=all", "3"), ("?counts=all&club=nantes", "3")):
        html = page(client, f"/{query}")
        address, winners, ties = re.findall(r'href="(/scores.csv[^"]*)"', html)
        text = b"".join(client.get(address.replace("&amp;", "&")).streaming_content).decode()
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["data"] == "recorded"]
        assert sum(int(row["count"]) for row in rows if row["player_count"] == "3") == 3 * int(plays)
        assert f"n = {plays} plays" in html
        for other, due in ((winners, int(plays)), (ties, int(plays))):
            text = b"".join(client.get(other.replace("&amp;", "&")).streaming_content).decode()
            rows = [row for row in csv.DictReader(io.StringIO(text)) if row["data"] == "recorded"]
            assert sum(int(row["count"]) for row in rows if row["player_count"] == "3") == due


def test_an_empty_cell_says_how_to_fill_it(db: Any, client: Client) -> None:
    html = page(client, "/?data=recorded")
    assert html.count("No club has played this yet") >= 8
    assert "The first play with six players fills this chart." in html


@pytest.mark.parametrize(
    "query", ["player_count=9", "played_after=yesterday", "edition=mine", "measure=luck", "data=x"]
)
def test_a_wrong_filter_is_said_and_left_out(db: Any, client: Client, query: str) -> None:
    assert 'role="alert"' in page(client, f"/?{query}")


def test_an_edition_without_these_games_says_so(db: Any, client: Client) -> None:
    assert "This edition offers no game for these filters." in page(client, "/?edition=classic1997&player_count=6")


def test_lady_richmond_has_the_same_page(db: Any, client: Client) -> None:
    assert "2 players" in page(client, "/?game=lady-richmond")


def test_a_private_club_is_nowhere_to_be_seen(
    owner: APIClient, club: Club, stranger: APIClient, client: Client
) -> None:
    play = post(owner)
    fold_all()
    closed = ("/?club=nantes", "/plays/?club=nantes", "/clubs/nantes/", "/scores/live/?club=nantes")
    for browser in (client, signed_in(stranger)):
        for address in (*closed, f"/plays/{play['id']}/"):
            page(browser, address, 404)
        assert "Nantes" not in page(browser, "/") + page(browser, "/plays/") + page(browser, "/clubs/")
    mine = signed_in(owner)
    assert "n = 1 play" in page(mine, "/?club=nantes")
    assert "Théo wins" in page(mine, "/clubs/nantes/")
    assert "Théo wins" in page(mine, f"/plays/{play['id']}/")


def test_an_unlisted_club_is_seen_by_whoever_has_the_address(owner: APIClient, club: Club, client: Client) -> None:
    club.visibility = "unlisted"
    club.save()
    play = post(owner)
    assert "Théo wins" in page(client, f"/plays/{play['id']}/")
    assert "Théo wins" in page(client, "/plays/?club=nantes")
    assert "Théo" not in page(client, "/plays/") + page(client, "/")


def test_the_live_part_looks_again_each_second_while_games_are_simulated(
    logged: Any, simulated: Simulation, client: Client
) -> None:
    assert 'data-every="10000"' in page(client, "/scores/live/")
    Simulation.objects.update(status=Status.RUNNING, games=4000, next_game=4000)
    html = page(client, "/scores/live/")
    assert 'data-every="1000"' in html
    assert "50 % of 4,000 games, still running" in html


def test_more_plays_cost_no_more_queries(logged: Any, owner: APIClient, simulated: Any, client: Client) -> None:
    theo = Player.objects.get(name="Théo").pk
    addresses = ("/", "/positions/", "/houses/?player_count=3", "/players/?min_plays=1", "/compare/", "/plays/")
    addresses += ("/clubs/nantes/",)
    addresses += (
        f"/players/{theo}/",
        "/players/?club=nantes&min_plays=1",
        f"/simulations/{Simulation.objects.get().pk}/?club=nantes",
    )

    def queries() -> list[int]:
        counts = []
        for address in addresses:
            with CaptureQueriesContext(
                connection,
            ) as asked:
                page(client, address)
            counts.append(len(asked))
        return counts

    for day in range(1, 6):  # enough for the club's board
        post(owner, played_on=f"2026-09-0{day}")
    fold_all()
    queries()  # the first request of all asks for what is kept
    before = queries()
    for day in range(1, 9):
        post(owner, played_on=f"2026-10-0{day}")
    fold_all()
    assert queries() == before


# ---- plays ------------------------------------------------------------------------------------------


def test_a_play_tells_who_won_and_why(logged: Any, client: Client) -> None:
    html = page(client, f"/plays/{logged[0]['id']}/")
    assert "Théo wins on $87,000" in html
    assert "Level at 87 with Marianne, more banknotes left: 4 against 2." in html
    assert "Auction 1" not in html
    french = page(client, f"/plays/{logged[0]['id']}/", accept_language="fr")
    assert "Théo gagne avec 87\u00a0000\u00a0$" in french


def test_a_full_record_is_told_auction_by_auction(logged: Any, client: Client) -> None:
    play = logged[2]
    html = page(client, f"/plays/{play['id']}/")
    record = Play.objects.get(pk=play["id"]).record
    assert html.count('<li class="auction">') == len(record["auctions"])
    assert html.count('class="slip') == sum(len(sale["cheques"]) for sale in record["sales"])
    assert 'data-figure="deals-figure"' in html
    text = b"".join(client.get(f"/plays/{play['id']}/?format=csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert sum(int(row["cheque"]) for row in rows) == sum(seat["cheques"] for seat in play["seats"])


@pytest.mark.parametrize("seed", range(6))
def test_records_of_every_kind_can_be_told(owner: APIClient, club: Club, client: Client, seed: int) -> None:
    kinds = [
        ("iello", "not-enough-for-everyone", 3), ("iello", "not-enough-for-everyone", 5), ("eagle", "base", 6),
        ("classic1997", "base", 5), ("iello", "not-enough-for-everyone", 6), ("bga-up", "base", 4),
    ]  # fmt: skip
    publish(club)
    answer = owner.post(PLAYS, record_body(seed=seed, kind=kinds[seed]))
    assert answer.status_code == 201, answer.content
    html = page(client, f"/plays/{answer.json()['id']}/")
    assert html.count('<svg class="track"') == kinds[seed][2] * len(Play.objects.get().record["auctions"])


def test_a_finding_is_said_in_the_language_of_the_reader(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    wrong = [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(NAMES, [*FOUR[:3], (46, 6)], strict=True)]
    play = post(owner, seats=wrong, accept_findings=True)
    html = page(client, f"/plays/{play['id']}/")
    assert "This play does not count in statistics." in html
    assert "The cheques add up to 237, 1 short of 238." in html
    assert "Total des chèques" in page(client, f"/plays/{play['id']}/", accept_language="fr")


def test_notes_and_history_are_for_members(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    play = post(owner, notes="in the cellar", location="rue Kervégan")
    address = f"/plays/{play['id']}/"
    for secret in ("in the cellar", "rue Kervégan", "recorded the play"):
        assert secret not in page(client, address)
        assert secret in page(signed_in(owner), address)


def test_names_are_text_and_nothing_else(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    evil = "<script>alert(1)</script>"
    answer = owner.post(PLAYS, record_body(seed=1, kind=("iello", "base", 3)) | {
        "seats": [{"player": evil}, {"player": "B"}, {"player": "C"}],
    })  # fmt: skip
    assert answer.status_code == 201, answer.content
    for address in ("/", "/plays/", "/clubs/nantes/", f"/plays/{answer.json()['id']}/"):
        html = page(client, address)
        assert evil not in html
        assert "script" in html


def test_the_list_of_plays_goes_on_without_a_gap_or_a_repeat(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    for number in range(35):
        post(owner, played_on=f"2026-10-{1 + number % 20:02}")
    html = page(client, "/plays/")
    first = re.findall(r"/plays/([0-9a-f-]{36})/", html)
    (older,) = re.findall(r'href="(\?before=[^"]+)"', html)
    rest = re.findall(r"/plays/([0-9a-f-]{36})/", page(client, "/plays/" + older))
    assert (len(first), len(rest)) == (30, 5)
    assert len({*first, *rest}) == 35


def test_deleted_plays_are_gone(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    play = post(owner)
    owner.delete(f"{PLAYS}{play['id']}/")
    page(client, f"/plays/{play['id']}/", 404)
    assert play["id"] not in page(client, "/plays/")


# ---- simulations and houses -------------------------------------------------------------------------


def test_a_simulation_shows_its_results(simulated: Simulation, client: Client, anonymous: APIClient) -> None:
    html = page(client, f"/simulations/{simulated.pk}/")
    results = anonymous.get(f"/api/v1/simulations/{simulated.pk}/results/").json()
    total = results["overall"]["total"]
    assert f"Half of all scores lie between {total['quantiles']['p25']} and {total['quantiles']['p75']}" in html
    assert "Coin flip in every seat" in html
    assert 'data-every="0"' in html


def test_a_simulation_that_has_not_begun_has_a_page(simulated: Simulation, client: Client) -> None:
    result = simulated.result
    Simulation.objects.update(status=Status.QUEUED, games_done=0)
    type(result).objects.update(games=0, complete=False, summary=None)
    html = page(client, f"/simulations/{simulated.pk}/")
    assert "0 % of 2,000 games, waiting" in html
    assert 'data-every="1000"' in html


def test_a_simulation_is_controlled_by_whoever_asked_for_it(
    simulated: Simulation, owner: APIClient, stranger: APIClient, client: Client
) -> None:
    Simulation.objects.update(status=Status.RUNNING, games=4000, next_game=4000, requester=owner.user)
    address = f"/simulations/{simulated.pk}/"
    for reader in (client, signed_in(stranger)):
        assert "Pause" not in page(reader, address)
        reader.post(f"{address}pause/")
        assert Simulation.objects.get().status == Status.RUNNING
    mine = signed_in(owner)
    assert "Pause" in page(mine, address)
    for verb, status in (("pause", Status.PAUSED), ("resume", Status.QUEUED), ("cancel", Status.CANCELLED)):
        assert mine.post(f"{address}{verb}/")["Location"] == address
        assert Simulation.objects.get().status == status
    assert mine.post(f"{address}forget/").status_code == 404


def test_houses_are_those_of_the_reference_simulation(simulated: Any, client: Client, anonymous: APIClient) -> None:
    html = page(client, "/houses/?player_count=3")
    query = {"game": "for-sale", "edition": "iello", "variant": "base", "player_count": 3, "data": "simulated"}
    (block,) = anonymous.get("/api/v1/stats/houses/", query).json()["results"]
    for row in block["houses"]:
        assert f'<td class="num">{row["cheque"]["mean"]:.3f}</td>' in html
    assert "has not played a game yet" in page(client, "/houses/?player_count=6")


# ---- questions --------------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody plays beside the test, so nobody is waited for."""
    monkeypatch.setattr(questions, "PATIENCE", 0)


def test_a_question_without_an_answer_says_that_it_is_on_its_way(db: Any, client: Client) -> None:
    html = page(client, "/questions/position/?player_count=5")
    assert "The first simulated games are on their way" in html
    assert 'data-every="1000"' in html
    page(client, "/questions/meaning-of-life/", 404)
    assert "offers no game for these filters" in page(client, "/questions/ties/?edition=classic1997&player_count=6")
    assert 'role="alert"' in page(client, "/questions/ties/?bot=brain")


def test_a_table_is_asked_for_in_a_form_and_kept_at_its_address(db: Any, client: Client, impatient: None) -> None:
    assert "Lay out a table" in page(client, "/questions/fair-price/")
    address = f"/questions/fair-price/?{TABLE_ASKED}"
    assert "The first deals are on their way" in page(client, address)
    while not PricedTable.objects.get().complete:
        price_table(table_id=PricedTable.objects.get().pk)
    for language, says in (("en", "taking house 30 is worth more"), ("fr", "prendre la maison 30 vaut mieux")):
        html = page(client, address, accept_language=language)
        assert says in html
        assert 'data-every="0"' in html
    (csv_link,) = re.findall(r'href="([^"]*format=csv[^"]*)"', html)
    text = b"".join(client.get(csv_link.replace("&amp;", "&")).streaming_content).decode()
    assert len(list(csv.DictReader(io.StringIO(text)))) == 12


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("houses=7+x&banknotes=3&rounds_left=4", "with blanks between them"),
        ("houses=7+12&banknotes=3&rounds_left=4", "opens with 4 different houses, not with 2"),
        ("houses=7+12+18+29&banknotes=30&rounds_left=4", "must be a whole number from 0 to 21, not 30"),
        ("houses=7+12+18+29&banknotes=3&rounds_left=4&stake2=5&stake3=2", "2 does not top 5"),
        ("houses=7+12+18+29&banknotes=3&rounds_left=4&notes2=5", "of all the others, or of nobody"),
        ("player_count=6&edition=classic1997&houses=7&banknotes=3&rounds_left=4", "not for 6 players"),
    ],
)
def test_a_table_that_cannot_be_is_refused_beside_the_field(
    db: Any, client: Client, impatient: None, query: str, says: str
) -> None:
    html = page(client, f"/questions/fair-price/?{query}")
    assert "There is no such table" in html
    assert says in html
    assert not PricedTable.objects.exists()


def test_a_stranger_has_so_many_new_tables_an_hour(
    db: Any, client: Client, owner: APIClient, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_pages, "ANONYMOUS_TABLES", 1)
    known, other = (f"/questions/fair-price/?houses=1+2+3+{house}&banknotes=9&rounds_left=1" for house in (4, 5))
    page(client, known)
    assert "Sign in" in page(client, other)
    assert "first deals" in page(client, known), "this one is known"
    assert "first deals" in page(signed_in(owner), other)


@pytest.mark.slow
def test_tapped_houses_are_written_and_typed_ones_are_marked(chromium: Any, live_server: Any, impatient: None) -> None:
    tab = Tab(chromium.new_context(viewport={"width": 360, "height": 740}), live_server.url)
    page = tab.open("/questions/fair-price/")
    page.click("[data-house='18']")  # one of the example's
    page.click("[data-house='3']")
    assert page.input_value("#id_houses") == "3 7 12 29"
    page.fill("#id_houses", "30 5, 9 1")
    pressed = page.locator("[data-house][aria-pressed=true]").all_inner_texts()
    assert pressed == ["1", "5", "9", "30"]
    page.click("text=What is it worth?")
    page.wait_for_url("**houses=30+5%2C+9+1**")
    page.wait_for_selector("html[data-drawn]")
    tab.check()


# ---- leagues ----------------------------------------------------------------------------------------

LEAGUE: dict[str, Any] = {
    "variant": "base", "player_count": 3, "edition": "iello", "bots": ["to-six", "random", "coin-flip"],
    "tables": "duels", "rounds": 4, "deals": 3,
}  # fmt: skip


def work(league: str) -> None:
    """Play the league, a turn after the other, however long one takes."""
    for _turn in range(LEAGUE["rounds"]):
        play_league(league_id=league)


def test_a_league_is_started_in_a_form_watched_and_controlled(
    owner: APIClient, stranger: APIClient, client: Client
) -> None:
    mine = signed_in(owner)
    (drawn,) = re.findall(r'name="id" value="([^"]+)"', page(mine, "/leagues/new/"))
    refused = mine.post("/leagues/new/", {**LEAGUE, "bots": ["random"], "id": drawn})
    assert "from 2 to 12 bots, not 1" in refused.content.decode()
    address = mine.post("/leagues/new/", {**LEAGUE, "id": drawn})["Location"]
    assert address == f"/leagues/{drawn}/"
    assert mine.post("/leagues/new/", {**LEAGUE, "id": drawn})["Location"] == address, "twice is once"
    html = page(client, address)
    assert "The first round is on its way" in html
    assert 'data-every="1000"' in html
    assert "Pause" not in html + page(signed_in(stranger), address)
    assert "Pause" in page(mine, address)
    mine.post(f"{address}pause/")
    assert "Go on" in page(mine, address)
    mine.post(f"{address}resume/")
    work(drawn)
    assert 'data-every="0"' in page(client, address)
    assert address in page(client, "/leagues/")
    assert address not in page(signed_in(stranger), "/leagues/?mine=1")


# ---- accounts ---------------------------------------------------------------------------------------


def test_signing_up_starting_a_club_and_making_a_token_lets_one_log_a_play(db: Any, client: Client) -> None:
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone"}
    assert client.post("/accounts/signup/", new)["Location"] == "/"
    made = client.post("/clubs/new/", {"name": "Café Lyon", "visibility": "private"})
    assert made["Location"] == "/clubs/cafe-lyon/"
    html = client.post("/accounts/tokens/", {"name": "pad", "scopes": ["plays:write"], "days": "90"})
    (secret,) = re.findall(r'<code id="secret">(fs_[^<]+)</code>', html.content.decode())
    assert html["Cache-Control"] == "no-store"
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert api.post(PLAYS, body(club="cafe-lyon")).status_code == 201
    assert secret not in page(client, "/accounts/tokens/")


def test_a_token_can_be_revoked_by_its_owner_alone(owner: APIClient, stranger: APIClient) -> None:
    token = Token.objects.filter(user=owner.user).first()
    address = f"/accounts/tokens/{token.pk}/revoke/"
    assert signed_in(stranger).post(address).status_code == 404
    assert signed_in(owner).get(address).status_code == 405
    assert owner.get("/api/v1/clubs/").status_code == 200
    assert signed_in(owner).post(address).status_code == 302
    assert owner.get("/api/v1/clubs/").status_code == 401


def test_a_token_needs_a_scope(owner: APIClient) -> None:
    browser = signed_in(owner)
    before = Token.objects.count()
    answer = browser.post("/accounts/tokens/", {"name": "none", "scopes": [], "days": ""})
    assert answer.status_code == 200
    assert Token.objects.count() == before


def test_a_site_may_take_no_new_accounts(db: Any, client: Client, settings: Any) -> None:
    settings.SIGNUP = "closed"
    assert "takes no new accounts" in page(client, "/accounts/signup/")
    client.post("/accounts/signup/", {"username": "x", "password1": "quiet river", "password2": "quiet river"})
    assert not User.objects.exists()


@pytest.mark.parametrize("address", ["/accounts/tokens/", "/clubs/new/"])
def test_pages_of_one_s_own_ask_who_one_is(db: Any, client: Client, address: str) -> None:
    assert client.get(address)["Location"] == f"/accounts/login/?next={address}"


def test_forms_refuse_what_comes_from_elsewhere(owner: APIClient) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner.user)
    assert browser.post("/clubs/new/", {"name": "X", "visibility": "public"}).status_code == 403


# ---- a real browser ---------------------------------------------------------------------------------

CHROMIUM = next(filter(None, map(which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip


class Tab:
    """A page of the browser that keeps what its console says."""

    def __init__(self, context: Any, address: str) -> None:
        self.page = context.new_page()
        self.address = address
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("requestfailed", self._failed)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left while it asked
            self.said.append(f"failed: {request.url}")

    def open(self, path: str) -> Any:
        self.page.goto(self.address + path)
        if self.page.query_selector(".chart"):
            self.page.wait_for_selector("html[data-drawn]")
        return self.page

    def check(self) -> None:
        """Nothing in the console, nothing asked of other sites, no sideways scroll, every chart drawn."""
        assert self.said == []
        assert [url for url in self.asked if not url.startswith((self.address, "blob:", "data:"))] == []
        widths = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], self.page.url
        assert self.page.query_selector_all(".chart:not([data-ready])") == []


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for it; a browser under a strict policy does not evaluate conditions given as text."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def chromium(transactional_db: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.fail("This test needs a browser: apt-get install --no-install-recommends chromium")
    from playwright.sync_api import sync_playwright

    # its event loop makes Django think that this thread is asynchronous
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def everything(owner: APIClient) -> list[str]:
    """The addresses of every kind of page, once there is something on it."""
    simulation = Simulation.objects.get()
    record = Play.objects.get(level="record")
    league = owner.post("/api/v1/leagues/", LEAGUE).json()["id"]
    work(league)
    return [
        f"/leagues/{league}/",
        *PAGES,
        "/players/?min_plays=1",
        f"/players/{Player.objects.get(name='Théo').pk}/",
        "/compare/?a-player_count=3&b-player_count=3&b-data=simulated",
        f"/simulations/compare/?a={simulation.pk}&b={simulation.pk}",
        f"/simulations/{simulation.pk}/?club=nantes",
        "/clubs/nantes/",
        f"/plays/{record.pk}/",
        f"/simulations/{simulation.pk}/",
        f"/simulations/{simulation.pk}/games/1/",
        *(f"/questions/{slug}/?bot=coin-flip&player_count=3" for slug in QUESTIONS),
        f"/questions/fair-price/?{TABLE_ASKED}",
        "/questions/fair-price/?houses=7+12&banknotes=99&rounds_left=4&stake2=2&passed3=on",
        "/houses/?player_count=3",
    ]


def test_a_phone_shows_charts_without_a_word_in_the_console(
    chromium: Any, live_server: Any, logged: Any, simulated: Any, owner: APIClient
) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 740}, locale="fr-FR", color_scheme="dark")
    tab = Tab(context, live_server.url)
    for path in ("/", everything(owner)[-3]):
        assert tab.open(path).get_attribute("html", "lang") == "fr"
        tab.check()


def test_the_theme_is_kept_and_charts_follow_it(chromium: Any, live_server: Any, logged: Any, simulated: Any) -> None:
    tab = Tab(chromium.new_context(viewport={"width": 1280, "height": 800}), live_server.url)
    page = tab.open("/?player_count=3&variant=base")
    ink = "getComputedStyle(document.querySelector('.chart .xtick text')).fill"
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(f"[{ink}, {ground}]")
    page.click(".top [data-theme-switch]")
    until(lambda: page.evaluate(ink) != light[0])
    assert page.evaluate(ground) != light[1]
    tab.open("/bots/")
    assert page.get_attribute("html", "data-theme") == "dark"
    tab.check()


def test_figures_come_in_while_the_page_is_open(
    chromium: Any, live_server: Any, logged: Any, simulated: Simulation
) -> None:
    Simulation.objects.update(status=Status.RUNNING, games=8000, next_game=8000)
    tab = Tab(chromium.new_context(), live_server.url)
    page = tab.open("/?player_count=3&variant=base")
    assert "25 % of 8,000 games" in page.inner_text("#progress")
    Simulation.objects.update(status=Status.FINISHED, games_done=8000)
    page.wait_for_selector("#progress:not(:has(p))", state="attached")
    tab.check()


def test_a_simulation_is_paused_with_a_click_and_its_page_knows(
    chromium: Any, live_server: Any, simulated: Simulation, owner: APIClient
) -> None:
    Simulation.objects.update(status=Status.RUNNING, games=4000, next_game=4000, requester=owner.user)
    context = chromium.new_context()
    session = signed_in(owner).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    tab = Tab(context, live_server.url)
    page = tab.open(f"/simulations/{simulated.pk}/")
    with page.expect_navigation():
        page.click("text=Pause")
    assert Simulation.objects.get().status == Status.PAUSED
    Simulation.objects.update(status=Status.FINISHED, games_done=4000)
    page.wait_for_selector("#control:not(:has(button))", state="attached")
    tab.check()


def test_a_section_can_be_saved_as_a_picture(chromium: Any, live_server: Any, logged: Any, tmp_path: Path) -> None:
    tab = Tab(chromium.new_context(accept_downloads=True), live_server.url)
    page = tab.open("/?player_count=3&variant=base")
    for kind, begins in (("png", b"\x89PNG"), ("svg", b"<svg")):
        with page.expect_download() as download:
            page.click(f"[data-picture={kind}]")
        download.value.save_as(tmp_path / kind)
        picture = (tmp_path / kind).read_bytes()
        assert picture.startswith(begins)
    assert "Half of" in picture.decode()
    tab.check()


def test_choosing_a_filter_changes_the_address(chromium: Any, live_server: Any, logged: Any) -> None:
    tab = Tab(chromium.new_context(), live_server.url)
    page = tab.open("/?data=recorded")
    with page.expect_navigation():
        page.select_option("[name=player_count]", "3")
    assert page.url == f"{live_server.url}/?data=recorded&player_count=3"


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("width", "language"), [(1280, "en-US"), (1280, "fr-FR"), (360, "en-US"), (360, "fr-FR"), (768, "fr-FR")]
)
def test_every_page_in_every_guise(
    chromium: Any,
    live_server: Any,
    logged: Any,
    simulated: Any,
    owner: APIClient,
    theme: str,
    width: int,
    language: str,
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 800}, locale=language, color_scheme=theme)
    tab = Tab(context, live_server.url)
    for path in everything(owner):
        tab.open(path)
        tab.check()

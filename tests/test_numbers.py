"""Each number on each page is the API's for the same filter: the pages are walked, table by table."""

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from stats import questions, services, tasks
from stats.bots import BOTS
from stats.models import PricedTable, Simulation
from tests.test_aggregates import ASKED, publish, stored
from tests.test_pages import FOUR, NAMES, page
from tests.test_plays import PLAYS, post, record_body, seats
from tests.test_ratings import rate_all

STATS = "/api/v1/stats/"


@pytest.fixture(autouse=True)
def no_references_on_their_way() -> None:
    cache.clear()


@pytest.fixture
def simulated(db: Any) -> Simulation:
    return stored(2000, **ASKED)


@pytest.fixture
def logged(owner: APIClient, club: Club) -> list[dict[str, Any]]:
    """A public club: ties, full records, positions known and unknown, uncounted plays, two variants."""
    publish(club)
    four = [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(NAMES, FOUR, strict=True)]
    made = [post(owner, played_on=f"2026-11-0{day}", first_seat=1 + day % 3) for day in range(1, 5)]
    made += [
        post(owner, seats=four, played_on="2026-10-27", first_seat=2),
        post(owner, seats=seats([(84, 5), (84, 5), (70, 0)]), played_on="2026-09-01"),
        post(owner, counts=False, not_counted_reason="taught the rules"),
    ]
    for seed in (3, 4):
        for variant in ("base", "not-enough-for-everyone"):
            answer = owner.post(PLAYS, record_body(seed=seed, kind=("iello", variant, 3), played_on="2026-11-26"))
            assert answer.status_code == 201, answer.content
            made.append(answer.json())
    rate_all()
    return made


def table(html: str, name: str) -> list[list[str]]:
    """The cells of a table's body, row by row; `name` is the id of the table or of what it stands in."""
    rest = html[html.index(f'id="{name}"') :]
    body = rest[rest.index("<tbody>") : rest.index("</tbody>")]
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in body.split("<tr>")[1:]]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in rows]


def percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f}\u00a0%".replace("\u00a0", " ")


def number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def plain(rows: list[list[str]]) -> list[list[str]]:
    return [[cell.replace("\u00a0", " ") for cell in row] for row in rows]


def blocks(client: APIClient, address: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(STATS + address, {"game": "for-sale", **query})
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


OF_PLAYS = [{}, {"club": "nantes"}, {"player_count": 3}, {"played_after": "2026-11-01"}, {"counts": "all"}]


def query_of(filters: dict[str, Any]) -> str:
    return "&".join(f"{name}={value}" for name, value in filters.items())


@pytest.mark.parametrize("filters", OF_PLAYS)
def test_positions(logged: Any, simulated: Any, client: Client, anonymous: APIClient, filters: dict[str, Any]) -> None:
    shown = plain(table(page(client, f"/positions/?{query_of(filters)}"), "table"))
    due = []
    for data in ("recorded", "simulated"):
        kept = {k: v for k, v in filters.items() if data == "recorded" or k == "player_count"}
        for block in blocks(anonymous, "seats/", edition="iello", data=data, **kept):
            variant = "Base game" if block["variant"] == "base" else "Not enough for everyone"
            for row in block["positions"]:
                share = row["win_share"]
                mean = row["total"]["mean"] if row["total"] else None
                due.append([
                    variant, str(block["player_count"]), data, str(row["position"]), f"{block['plays']:,}",
                    percent(share["value"], 2), f"{percent(share['low'], 2)} – {percent(share['high'], 2)}",
                    number(mean, 1),
                ])  # fmt: skip
    assert sorted(shown) == sorted(due)
    assert due


@pytest.mark.parametrize("filters", [{}, {"club": "nantes"}, {"played_after": "2026-12-01"}, {"counts": "all"}])
@pytest.mark.parametrize("variant", ["base", "not-enough-for-everyone"])
def test_houses(
    logged: Any, simulated: Any, client: Client, anonymous: APIClient, filters: dict[str, Any], variant: str
) -> None:
    kind = {"edition": "iello", "variant": variant, "player_count": 3}
    recorded = blocks(anonymous, "houses/", **kind, **filters)
    imagined = blocks(anonymous, "houses/", **kind, data="simulated")
    html = page(client, f"/houses/?variant={variant}&player_count=3&{query_of(filters)}")
    if not recorded and not imagined:
        assert "houses-table" not in html
        return
    by_house = [{row["house"]: row for row in (found[0]["houses"] if found else [])} for found in (recorded, imagined)]
    due = []
    for house in sorted({*by_house[0], *by_house[1]}):
        nothing = {"n": None, "mean": None, "se": None}
        none = {"price": nothing, "cheque": nothing}
        played, dreamt = (found.get(house, none) for found in by_house)
        due.append([
            str(house), number(played["price"]["n"], 0), number(played["price"]["mean"], 2),
            number(played["cheque"]["mean"], 2), number(dreamt["price"]["n"], 0), number(dreamt["price"]["mean"], 3),
            number(dreamt["price"]["se"], 4), number(dreamt["cheque"]["mean"], 3), number(dreamt["cheque"]["se"], 4),
        ])  # fmt: skip
    assert plain(table(html, "houses-table")) == due


@pytest.mark.parametrize("filters", [*OF_PLAYS, {"variant": "base"}, {"min_plays": 1}])
def test_players(logged: Any, client: Client, anonymous: APIClient, filters: dict[str, Any]) -> None:
    html = page(client, f"/players/?{query_of(filters)}")
    rows = blocks(anonymous, "players/", **{"min_plays": 5, **filters})
    if not rows:
        assert "Nobody has played enough" in html
        return
    shown = plain(table(html, "players"))
    due = []
    for place, row in enumerate(rows, start=1):
        share, rating = row["win_share"], row["rating"]
        due.append([
            str(place), row["player"]["name"], *([] if "club" in filters else ["Nantes"]), str(row["plays"]),
            str(row["wins"]), str(row["shared_wins"]), percent(share["value"]),
            f"{100 * share['low']:.0f} to {percent(share['high'])}", percent(row["expected_share"]),
            percent(row["adjusted_share"], 1), number(row["mean_total"]["mean"], 1), number(rating["value"], 1),
            f"{rating['low']:.1f} – {rating['high']:.1f}",
        ])  # fmt: skip
    assert shown == due


@pytest.mark.parametrize("filters", [{}, {"variant": "base"}, {"played_after": "2026-11-01"}, {"counts": "all"}])
def test_a_player(logged: Any, client: Client, anonymous: APIClient, filters: dict[str, Any]) -> None:
    theo = logged[0]["seats"][0]["player"]["id"]
    html = page(client, f"/players/{theo}/?{query_of(filters)}")
    answer = anonymous.get(f"{STATS}players/{theo}/", {"game": "for-sale", **filters}).json()
    shown = plain(table(html, "table"))
    assert sorted([row[2], row[3], row[4], row[5], row[8], row[9]] for row in shown) == sorted(
        [
            str(block["plays"]), str(block["wins"]), str(block["shared_wins"]), percent(block["win_share"]["value"]),
            number(block["total"]["mean"], 1), str(block["total"]["median"]),
        ]
        for block in answer["results"]
    )  # fmt: skip
    assert plain(table(html, "opponents")) == [
        [
            row["player"]["name"], str(row["plays"]), str(row["ahead"]), str(row["behind"]), str(row["level"]),
            percent(row["ahead_share"]["value"]),
            f"{100 * row['ahead_share']['low']:.0f} to {percent(row['ahead_share']['high'])}",
        ]
        for row in answer["opponents"]
    ]  # fmt: skip
    assert [row[1] for row in table(html, "ratings")] == [f"{point['value']:.2f}" for point in answer["ratings"]]
    placed = answer["placed"]
    assert "Placed ahead of others {ahead} times, behind {behind} times, level {level} times".format(**placed) in html
    assert f"${max(one['total'] for one in answer['form'])},000" in html


def test_winners_and_ties_of_the_scores(logged: Any, simulated: Any, client: Client, anonymous: APIClient) -> None:
    shown = {tuple(row[:3]): row[12:] for row in plain(table(page(client, "/?player_count=3"), "table"))}
    for data in ("recorded", "simulated"):
        for block in blocks(anonymous, "scores/", edition="iello", player_count=3, data=data):
            variant = "Base game" if block["variant"] == "base" else "Not enough for everyone"
            d, decided = block["winning_total"], block["decided_by"]
            level = sum(decided.values()) - decided["total"]
            assert shown[variant, "3", data] == [
                str(d["median"]), *(str(d["quantiles"][q]) for q in ("p05", "p25", "p75", "p95")),
                number(level, 0), number(decided["banknotes"], 0), number(decided["shared"], 0),
                number(level - decided["banknotes"] - decided["shared"], 0),
            ]  # fmt: skip


def test_a_clubs_months(logged: Any, client: Client, anonymous: APIClient) -> None:
    months = blocks(anonymous, "activity/", club="nantes")
    shown = table(page(client, "/clubs/nantes/"), "months")
    assert [row[1:] for row in shown] == [[str(row["plays"]), str(row["days"])] for row in months]
    assert len(shown) == 3
    text = b"".join(client.get("/clubs/nantes/activity.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["month"], int(row["plays"])) for row in rows] == [(row["month"], row["plays"]) for row in months]


@pytest.mark.parametrize("measure", ["total", "winning_total", "margin", "banknotes"])
def test_both_sides_of_a_comparison(
    logged: Any, simulated: Any, client: Client, anonymous: APIClient, measure: str
) -> None:
    kind = "player_count=3"
    html = page(client, f"/compare/?measure={measure}&a-{kind}&a-club=nantes&b-{kind}&b-data=simulated")
    common = {"edition": "iello", "variant": "base", "player_count": 3}
    sides = [
        *blocks(anonymous, "scores/", club="nantes", **common),
        *blocks(anonymous, "scores/", data="simulated", **common),
    ]
    shown = plain(table(html, "table"))
    for row, block, name in zip(shown, sides, "AB", strict=True):
        d = block[measure]
        assert [row[0], row[1], row[2], row[4]] == [name, f"{block['plays']:,}", f"{d['n']:,}", str(d["median"])]
        assert row[6:10] == [str(d["quantiles"][q]) for q in ("p05", "p25", "p75", "p95")]
    gap = sides[0][measure]["mean"] - sides[1][measure]["mean"]
    assert f"{abs(gap):.1f}" in re.search(r'<h2 class="says">(.*?)</h2>', html)[1]


def test_two_simulations(simulated: Simulation, client: Client, anonymous: APIClient) -> None:
    results = anonymous.get(f"/api/v1/simulations/{simulated.pk}/results/").json()
    html = page(client, f"/simulations/compare/?a={simulated.pk}&b={simulated.pk}")
    shown = plain(table(html, "seats"))
    for row, seat in zip(shown, results["seats"], strict=True):
        share = percent(seat["win_share"]["value"], 2)
        assert row[1:3] == [BOTS[seat["bot"]].names["en"], share]
        assert row[5:7] == [BOTS[seat["bot"]].names["en"], share]
    places = plain(table(html, "positions"))
    assert [row[1] for row in places] == [percent(row["win_share"]["value"], 2) for row in results["positions"]]
    total = results["overall"]["total"]
    assert [row[1:3] for row in plain(table(html, "totals"))] == 2 * [[f"{total['n']:,}", number(total["mean"], 3)]]
    rows = csv_rows(client, f"/simulations/compare/?a={simulated.pk}&b={simulated.pk}&format=csv&of=totals")
    whole = [int(row["count"]) for row in rows if (row["side"], row["seat"]) == ("B", "all")]
    assert whole == [bar["count"] for bar in total["histogram"]]
    page(client, f"/simulations/compare/?a={simulated.pk}&b=nothing", 404)


def csv_rows(client: Client, address: str) -> list[dict[str, str]]:
    text = b"".join(client.get(address).streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_a_simulation(simulated: Simulation, client: Client, anonymous: APIClient) -> None:
    results = anonymous.get(f"/api/v1/simulations/{simulated.pk}/results/").json()
    address = f"/simulations/{simulated.pk}/"
    html = page(client, address)
    total = results["overall"]["total"]
    assert plain(table(html, "totals")) == [
        [
            f"{total['n']:,}", number(total["mean"], 3), number(total["se"], 4),
            *(str(total["quantiles"][q]) for q in ("p05", "p25")), str(total["median"]),
            *(str(total["quantiles"][q]) for q in ("p75", "p95")),
        ]
    ]  # fmt: skip
    assert [row[1:3] for row in plain(table(html, "positions"))] == [
        [f"{row['win_share']['n']:,}", percent(row["win_share"]["value"], 2)] for row in results["positions"]
    ]
    links = [unescape(link) for link in re.findall(r'href="([^"]*format=csv[^"]*)"', html)]
    totals, positions, seats_, houses = (csv_rows(client, link) for link in links)
    assert sum(int(row["count"]) for row in totals if row["seat"] == "all") == total["n"]
    shares = [row["win_share"]["value"] for row in results["positions"]]
    assert [float(row["win_share"]) for row in positions] == shares
    assert [float(row["total_mean"]) for row in seats_] == [seat["total"]["mean"] for seat in results["seats"]]
    prices = [row["price"]["mean"] for row in results["houses"]]
    assert [float(row["price_mean"]) if row["price_mean"] else None for row in houses] == prices
    assert client.get(f"{address}?format=csv&of=luck").status_code == 404


def test_what_a_simulation_is_shown_beside_has_its_filters(
    logged: Any, simulated: Simulation, client: Client, anonymous: APIClient
) -> None:
    kind = {"edition": "iello", "variant": "base", "player_count": 3, "club": "nantes"}
    for filters in ({}, {"played_after": "2026-11-03"}, {"counts": "all"}):
        plays = blocks(anonymous, "scores/", **kind, **filters)[0]["plays"]
        html = page(client, f"/simulations/{simulated.pk}/?club=nantes&{query_of(filters)}")
        assert f"Beside {plays} plays" in html


@pytest.mark.parametrize("filters", [{}, {"played_after": "2026-11-02"}, {"counts": "all"}])
def test_the_board_and_the_months_of_a_club(
    logged: Any, client: Client, anonymous: APIClient, filters: dict[str, Any]
) -> None:
    html = page(client, f"/clubs/nantes/?{query_of(filters)}")
    months = blocks(anonymous, "activity/", club="nantes", **filters)
    assert [row[1:] for row in table(html, "months")] == [[str(row["plays"]), str(row["days"])] for row in months]
    links = [unescape(link) for link in re.findall(r'href="([^"]*csv[^"]*)"', html)]
    of_board, of_months = (next(link for link in links if word in link) for word in ("/players/", "activity"))
    assert [int(row["plays"]) for row in csv_rows(client, of_months)] == [row["plays"] for row in months]
    board = blocks(anonymous, "players/", club="nantes", min_plays=5, **filters)
    assert [row["player"] for row in csv_rows(client, of_board)] == [row["player"]["name"] for row in board]
    for row in board:
        assert row["player"]["name"] in html


def test_every_table_of_a_player_as_csv(logged: Any, client: Client, anonymous: APIClient) -> None:
    theo = logged[0]["seats"][0]["player"]["id"]
    answer = anonymous.get(f"{STATS}players/{theo}/", {"game": "for-sale"}).json()
    links = [unescape(link) for link in re.findall(r'href="([^"]*format=csv[^"]*)"', page(client, f"/players/{theo}/"))]
    ratings, results, totals, opponents = (csv_rows(client, link) for link in links)
    assert [float(row["rating"]) for row in ratings] == [point["value"] for point in answer["ratings"]]
    assert [int(row["plays"]) for row in results] == [block["plays"] for block in answer["results"]]
    assert sum(int(row["count"]) for row in totals) == sum(block["plays"] for block in answer["results"])
    assert [row["player"] for row in opponents] == [row["player"]["name"] for row in answer["opponents"]]


@pytest.mark.parametrize(
    ("address", "column"),
    [("/positions/?club=nantes", "win_share"), ("/houses/?player_count=3", "cheque_mean"), ("/players/", "rating")],
)
def test_the_csv_of_a_page_has_its_filters_and_all_digits(
    logged: Any, simulated: Any, client: Client, anonymous: APIClient, address: str, column: str
) -> None:
    html = page(client, address)
    (link,) = re.findall(r'href="([^"]*format=csv[^"]*)"', html)
    text = b"".join(client.get(unescape(link)).streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    if address == "/players/":
        due = [row["rating"]["value"] for row in blocks(anonymous, "players/", min_plays=5)]
        assert [float(row[column]) for row in rows] == due
    elif "positions" in address:
        found = blocks(anonymous, "seats/", club="nantes", edition="iello")
        due = [place["win_share"]["value"] for block in found for place in block["positions"]]
        assert [float(row[column]) for row in rows if row["data"] == "recorded"] == due
    else:
        kind = {"edition": "iello", "variant": "base", "player_count": 3}
        due = [row["cheque"]["mean"] for row in blocks(anonymous, "houses/", data="simulated", **kind)[0]["houses"]]
        assert [float(row[column]) for row in rows if row["data"] == "simulated"] == due


def test_questions_are_answered_in_the_words_of_the_api(db: Any, client: Client, anonymous: APIClient) -> None:
    html = page(client, "/questions/?player_count=3")
    for question in anonymous.get("/api/v1/questions/").json()["results"]:
        assert question["title"] in unescape(html)
        answer = anonymous.get(f"/api/v1/questions/{question['question']}/", {"player_count": 3}).json()
        assert html.count(f'id="{question["question"]}-answer"') == 1
        for block in answer["results"]:
            assert block["sentence"] in unescape(html)


QUESTION_TABLES: dict[str, Any] = {
    "house-worth": lambda row: [
        str(row["house"]), *of_mean(row["price"]), *of_mean(row["cheque"]),
    ],
    "position": lambda row: [
        str(row["position"]), *of_share(row["win_share"]), percent(row["se"], 3), percent(row["advantage"], 2),
    ],
    "ties": lambda row: [*of_share(row["share"]), percent(row["se"], 3)],
    "tie-break": lambda row: [
        str(row["position"]), percent(row["level"]["value"], 2), number(row["gain"]["n"], 0),
        percent(row["win_share"]["value"], 2), percent(row["even_share"], 2), percent(row["gain"]["mean"], 2),
        percent(row["gain"]["se"], 2),
    ],
    "rounding": lambda row: of_change(row),
    "variant": lambda row: of_change(row),
}  # fmt: skip


def of_mean(found: dict[str, Any]) -> list[str]:
    return [number(found["n"], 0), number(found["mean"], 3), number(found["se"], 4)]


def of_share(found: dict[str, Any]) -> list[str]:
    return [percent(found[name], 2) for name in ("value", "low", "high")]


def of_change(row: dict[str, Any]) -> list[str]:
    is_money = row["figure"] in ("total", "winning_total", "margin", "banknotes")
    values = [row[name] for name in ("first", "second", "difference", "se")]
    return [number(value, 4) if is_money else percent(value, 3) for value in values]


@pytest.mark.parametrize("slug", QUESTION_TABLES)
def test_the_table_and_csv_of_a_question(db: Any, client: Client, anonymous: APIClient, slug: str) -> None:
    kinds = [("iello", "base"), ("bga-down", "base"), ("bga-up", "base"), ("iello", "not-enough-for-everyone")]
    for edition, variant in {(services.reference_edition(edition), variant) for edition, variant in kinds}:
        stored(1000, **{**ASKED, "edition": edition, "variant": variant})
    query = "bot=coin-flip&player_count=3" + ("" if slug == "variant" else "&variant=base")
    (block,) = anonymous.get(f"/api/v1/questions/{slug}/?{query}").json()["results"]
    html = page(client, f"/questions/{slug}/?{query}")
    assert block["sentence"].rstrip(".") in unescape(html)
    assert block["rows"]
    shown = [[cell.replace("−", "-") for cell in row] for row in plain(table(html, f"{slug}-table"))]
    due = [QUESTION_TABLES[slug](row) for row in block["rows"]]
    assert [row[-len(due[0]) :] for row in shown] == due
    assert {row[2] for row in shown} == {"3"}
    assert {row[3] for row in shown} == {"1,000"}
    (link,) = re.findall(r'href="([^"]*format=csv[^"]*)"', html)
    text = b"".join(client.get(unescape(link)).streaming_content).decode()
    last = {"ties": "se", "position": "advantage", "tie-break": "se", "house-worth": "cheque_se"}.get(slug, "se")
    rows = list(csv.DictReader(io.StringIO(text)))
    given = [row["cheque"]["se"] if slug == "house-worth" else row["gain"]["se"] if slug == "tie-break" else row[last]
             for row in block["rows"]]  # fmt: skip
    assert [float(row[last]) for row in rows] == given


def test_a_fair_price(owner: APIClient, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "PATIENCE", 0)
    body = {"player_count": 3, "houses": [1, 16], "banknotes": 12, "rounds_left": 5, "bot": "to-six",
            "stakes": [0, 2, None], "opponents_banknotes": [20, 14]}  # fmt: skip
    body["variant"] = "not-enough-for-everyone"
    owner.post("/api/v1/questions/fair-price/", body)
    tasks.price_table(table_id=PricedTable.objects.get().pk)
    answer = owner.post("/api/v1/questions/fair-price/", body).json()
    query = "player_count=3&houses=16,1&banknotes=12&rounds_left=5&bot=to-six&variant=not-enough-for-everyone"
    html = page(client, f"/questions/fair-price/?{query}&stake2=2&passed3=on&notes2=20&notes3=14")
    assert PricedTable.objects.count() == 1, "the page asks for the same table"
    assert answer["sentence"] in unescape(html)
    shown = [[cell.replace("−", "-") for cell in row] for row in plain(table(html, "prices-table"))]
    assert [[row[0], row[1], row[2], row[4], row[5]] for row in shown] == [
        [
            f"${row['price']},000", number(row["gain"], 2), number(row["se"], 3), percent(row["win_gain"], 2),
            percent(row["win_se"], 2),
        ]
        for row in answer["rows"]
    ]  # fmt: skip


def test_a_league(owner: APIClient, client: Client) -> None:
    asked: dict[str, Any] = {
        "player_count": 3,
        "bots": ["to-six", "random", "coin-flip"],
        "tables": "duels",
        "rounds": 5,
        "deals": 4,
    }
    made = owner.post("/api/v1/leagues/", asked).json()
    for _turn in range(asked["rounds"]):
        tasks.play_league(league_id=made["id"])
    answer = owner.get(f"/api/v1/leagues/{made['id']}/table/").json()
    html = page(client, f"/leagues/{made['id']}/")

    def interval(found: dict[str, Any] | None, words: Any) -> list[str]:
        if found is None:
            return ["–", "–"]
        return [words(found["value"]), f"{words(found['low'])} – {words(found['high'])}"]

    shown = [[cell.replace("−", "-") for cell in row] for row in plain(table(html, "league"))]
    assert shown == [
        [
            str(row["place"]), BOTS[row["bot"]].names["en"], *interval(row["rating"], lambda v: number(v, 1)),
            *interval(row["win_share"], lambda v: percent(v, 2)), *interval(row["lead"], lambda v: percent(v, 2)),
            number(row["mean_total"]["value"], 2), number(row["mean_rank"]["value"], 3),
            number(row["win_share"]["n"], 0),
        ]
        for row in answer["results"]
    ]  # fmt: skip
    assert [row[:3] for row in table(html, "duels")] == [
        [BOTS[row["bot"]].names["en"], BOTS[row["among"]].names["en"], number(row["times_fair"]["value"], 3)]
        for row in answer["duels"]
    ]
    of_table, of_duels = (
        csv_rows(client, unescape(link)) for link in re.findall(r'href="([^"]*format=csv[^"]*)"', html)
    )
    assert [float(row["times_fair"]) for row in of_duels] == [row["times_fair"]["value"] for row in answer["duels"]]
    ratings = [float(row["rating_value"]) for row in of_table]
    assert ratings == [row["rating"]["value"] for row in answer["results"]]

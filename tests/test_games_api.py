"""GET /games/: what the rules offer, in the reader's language."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api import rules
from forsale_api.rules import for_sale

GAMES = "/api/v1/games/"


def test_games_are_named_in_the_readers_language(anonymous: APIClient) -> None:
    english = anonymous.get(GAMES)
    french = anonymous.get(GAMES, headers={"accept-language": "fr"})
    assert [game["name"] for game in english.json()["results"]] == ["For Sale", "Lady Richmond"]
    assert [game["name"] for game in french.json()["results"]] == ["For Sale", "Se fait plumer !"]
    assert "Accept-Language" in french["Vary"]
    variants = {v["variant"]: v["name"] for v in french.json()["results"][0]["variants"]}
    assert variants["not-enough-for-everyone"] == "Il n'y en aura pas pour tout le monde"


def test_a_game_tells_the_numbers_of_each_edition(anonymous: APIClient) -> None:
    game = anonymous.get(f"{GAMES}for-sale/").json()
    assert (game["players"], game["default_edition"]) == ({"min": 3, "max": 6}, "iello")
    assert game["sheet_fields"] == ["cheques", "banknotes"]
    editions = {edition["edition"]: edition for edition in game["editions"]}
    assert editions.keys() == for_sale.EDITIONS.keys()
    setups = {(s["variant"], s["player_count"]): s for s in editions["iello"]["setups"]}
    assert [setups["base", n]["money"] for n in (3, 4, 5, 6)] == [28, 21, 16, 14]
    assert [setups["base", n]["cards_aside"] for n in (3, 4, 5, 6)] == [0, 2, 0, 0]
    assert [setups["not-enough-for-everyone", n]["cards_aside"] for n in (3, 4, 5, 6)] == [10, 0, 3, 0]
    assert [setups["base", n]["rounds"] for n in (3, 4, 5, 6)] == [10, 7, 6, 5]


def test_the_lady_has_a_sheet_of_her_own(anonymous: APIClient) -> None:
    game = anonymous.get(f"{GAMES}lady-richmond/").json()
    assert (game["sheet_fields"], game["default_edition"]) == (["points", "largest_category"], "haba")


@pytest.mark.parametrize("path", ["", "for-sale/"])
def test_a_reader_who_has_it_gets_304(anonymous: APIClient, path: str) -> None:
    tag = anonymous.get(GAMES + path)["ETag"]
    assert anonymous.get(GAMES + path, headers={"if-none-match": tag}).status_code == 304
    other = anonymous.get(GAMES + path, headers={"if-none-match": tag, "accept-language": "fr"})
    assert other.status_code == 200


def test_an_unknown_game_is_a_problem(anonymous: APIClient) -> None:
    response = anonymous.get(f"{GAMES}chess/")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_games_cost_no_query(anonymous: APIClient, db: Any, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert len(anonymous.get(GAMES).json()["results"]) == len(rules.GAMES)


def test_an_unknown_parameter_is_refused(anonymous: APIClient) -> None:
    response = anonymous.get(GAMES, {"player_count": "4"})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "/player_count")

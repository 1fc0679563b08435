"""A game written down move by move: only what the rules allow, and a record at the end."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dashboard.recording import Recording, UnreadableMove
from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play
from forsale_api.rules import IllegalStep, for_sale
from tests.games import random_record
from tests.test_pad import Phone
from tests.test_pages import NAMES, chromium, page, signed_in, until

__all__ = ["chromium"]

RECORD = "/log/record/"
GAMES = sorted((Path(__file__).parent.parent / "seeds" / "games").glob("*.json"))
SIX = [*NAMES, "Inès", "Hugo"]


def moves_of(record: dict[str, Any]) -> list[str]:
    """A record as the moves somebody would tap in."""
    moves = []
    for auction in record["auctions"]:
        moves.append("h" + ",".join(map(str, auction["houses"])))
        moves += [f"b{action['bid']}" if "bid" in action else "p" for action in auction["actions"]]
    for sale in record["sales"]:
        moves.append("c" + ",".join(map(str, sale["cheques"])))
        if "offers" in sale:
            moves.append("o" + ",".join(f"{offer['seat']}:{offer['house']}" for offer in sale["offers"]))
    return moves


def recording(players: int = 3, moves: tuple[str, ...] = (), variant: str = "base") -> Recording:
    return Recording("iello", variant, tuple(SIX[:players]), 1, moves)


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_every_golden_game_can_be_written_down(path: Path) -> None:
    game = json.loads(path.read_text(encoding="utf-8"))
    record = game["record"]
    written = Recording(
        game["edition"], game["variant"], tuple(game["players"]), record["first_seat"], tuple(moves_of(record))
    )
    assert written.is_over
    assert written.record == record


def test_what_is_offered_is_legal_and_nothing_else() -> None:
    seed = 20261130
    print(f"seed {seed}")
    for kind in (("iello", "base", 4), ("iello", "not-enough-for-everyone", 3), ("classic1997", "base", 5)):
        told = random_record(Random(seed), kind)
        game = Recording(kind[0], kind[1], tuple(SIX[: kind[2]]), told["first_seat"], ())
        for move in moves_of(told):
            if game.step == "act":
                stakes = range(game.state.seat(game.state.turn).banknotes + 2)
                legal = [n for n in stakes if for_sale.is_legal(game.state, for_sale.Bid(game.state.turn, n))]
                assert game.bids == legal
            if game.step == "offers":
                for one in game.waiting:
                    assert one["houses"] == sorted(game.state.seat(one["seat"]).houses)
            game = game.after(move)
        assert game.is_over


def test_a_move_the_rules_forbid_is_refused_and_nonsense_too() -> None:
    game = recording().after("h8,20,28").after("b5")
    with pytest.raises(IllegalStep, match="does not top"):
        game.after("b5")
    with pytest.raises(IllegalStep, match="The number of houses"):
        recording().after("h8,20")
    for nonsense in ("", "x", "b", "bfive", "h", "o1", "h8,,20"):
        with pytest.raises((UnreadableMove, IllegalStep)):
            game.after(nonsense)


def test_undo_takes_back_one_move_and_money_and_houses_follow() -> None:
    game = recording().after("h8,20,28").after("b5").after("p")
    assert [seat["houses"] for seat in game.seats] == [[], [8], []]
    assert [seat["banknotes"] for seat in game.seats] == [23, 28, 28]
    back = game.undone()
    assert back.turn == "Marianne"
    assert [seat["houses"] for seat in back.seats] == [[], [], []]


# ---- the page, without script -----------------------------------------------------------------------


def fields(html: str) -> dict[str, str]:
    """What a browser would send of the page's form, without the button."""
    form = html[html.index('id="recording"') : html.rindex("</form>")]
    return {
        name: value.replace("&amp;", "&")
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
        if name != "csrfmiddlewaretoken"
    }


def begin(browser: Client, variant: str = "base", **options: str) -> str:
    sent = {"do": "begin", "club": "nantes", "played_on": "2026-11-28", "edition": "iello", "variant": variant}
    sent |= {"first_seat": "1", "moves": ""} | {f"player-{i}": name for i, name in enumerate(NAMES[:3], start=1)}
    return browser.post(RECORD, sent | options).content.decode()


def test_a_whole_game_is_recorded_with_plain_forms(member: APIClient, club: Club) -> None:
    browser = signed_in(member)
    assert 'name="player-6"' in page(browser, RECORD)
    record = random_record(Random(5), ("iello", "base", 3))
    html = begin(browser, first_seat=str(record["first_seat"]))
    for move in moves_of(record):
        sent: dict[str, Any] = fields(html)
        if move[0] in "hc":
            sent |= {"do": {"h": "houses", "c": "cheques"}[move[0]], "card": move[1:].split(",")}
            assert 'type="checkbox" name="card"' in html
        elif move[0] == "o":
            sent |= {"do": "offers"} | {f"offer-{p.split(':')[0]}": p.split(":")[1] for p in move[1:].split(",")}
        else:
            assert f'name="do" value="{move}"' in html
            sent |= {"do": move}
        html = browser.post(RECORD, sent).content.decode()
    assert "The game is over" in html
    answer = browser.post(RECORD, fields(html) | {"do": "save"})
    play = Play.objects.get()
    assert answer["Location"] == f"/plays/{play.pk}/"
    assert (play.level, play.first_seat, play.recorder) == ("record", record["first_seat"], member.user)
    assert [len(a["actions"]) for a in play.record["auctions"]] == [len(a["actions"]) for a in record["auctions"]]


def test_a_wrong_step_is_explained_and_the_game_goes_on(member: APIClient, club: Club) -> None:
    browser = signed_in(member)
    html = begin(browser)
    html = browser.post(RECORD, fields(html) | {"do": "houses", "card": ["8", "20"]}).content.decode()
    assert "The number of houses in this buying round is 3, not 2." in html
    html = browser.post(RECORD, fields(html) | {"do": "houses", "card": ["8", "20", "28"]}).content.decode()
    assert "Théo bids or passes" in html
    html = browser.post(RECORD, fields(html) | {"do": "b29"}).content.decode()
    assert "holds only 28 in banknotes" in html
    assert "Théo bids or passes" in html
    html = browser.post(RECORD, fields(html) | {"do": "undo"}).content.decode()
    assert "Which 3 houses are revealed?" in html


def test_a_table_that_cannot_play_is_told_why(member: APIClient, stranger: APIClient, club: Club) -> None:
    browser = signed_in(member)
    assert "sits at the table once only" in begin(browser, **{"player-2": "théo"})
    assert "is for 3, 4, 5, 6 players, not 2" in begin(browser, **{"player-3": ""})
    assert "There is no edition" in begin(browser, edition="none")
    assert browser.post(RECORD, {"do": "go-on", "moves": "nonsense"}).status_code == 200
    assert "/clubs/new/" in page(signed_in(stranger), RECORD)
    assert Client().get(RECORD).status_code == 302


@pytest.mark.slow
def test_a_recorded_game_survives_a_reload(chromium: Any, live_server: Any, member: APIClient, club: Club) -> None:
    phone = Phone(chromium, live_server, member.user, locale="fr-FR")
    tab = phone.open(RECORD)
    tab.wait_for_selector("#recording[data-ready]")
    for number, name in enumerate(NAMES[:3], start=1):
        tab.fill(f"[name=player-{number}]", name)
    tab.tap("button[value=begin]")
    tab.wait_for_selector("[data-need]")
    assert tab.is_disabled("button[value=houses]")
    for house in (8, 20, 28):
        tab.tap(f".cards label:has(input[value='{house}'])")
    tab.tap("button[value=houses]")
    tab.tap("button[value=b3]")
    until(lambda: "Marianne" in tab.inner_text("h1"))
    phone.open(RECORD)
    tab.tap("#go-on button")
    until(lambda: "Marianne" in tab.inner_text("h1"))
    assert tab.query_selector("button[value=b3]") is None
    assert tab.query_selector("button[value=b4]") is not None
    tab.tap("button[value=undo]")
    until(lambda: "Théo" in tab.inner_text("h1"))
    phone.check()

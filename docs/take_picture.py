#!/usr/bin/env python3
"""Pictures of the site, taken in Chromium from a demo with small simulations in a folder of its own.

uv run --group test docs/take_picture.py             docs/dashboard.png, the picture in README.md
uv run --group test docs/take_picture.py --all var/pictures
                                                     every page: wide and on a phone, light and dark, English and
                                                     French, for a reader to look at; not kept in git
... --all var/pictures --site http://127.0.0.1:8000 --account demo:password
                                                     of a demo that runs already, after `--only` a word
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "dashboard.png"
GAMES = "1000000"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
GUISES = {  # name -> width, height, language, theme
    "wide": (1280, 900, "en-GB", "light"),
    "wide-dark-fr": (1280, 900, "fr-FR", "dark"),
    "phone-fr": (360, 740, "fr-FR", "light"),
    "phone-dark": (360, 740, "en-GB", "dark"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="pictures of every page into this folder")
    parser.add_argument("--only", default="", metavar="WORD", help="with --all: pages whose name holds this word")
    parser.add_argument("--site", default="", metavar="ADDRESS", help="a demo that runs already")
    parser.add_argument("--account", default="", metavar="NAME:PASSWORD", help="with --site: whom it printed")
    asked = parser.parse_args()
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium here. Install it, for example: apt-get install chromium")
    with running_demo(asked.site, asked.account) as (address, account), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        if asked.all:
            asked.all.mkdir(parents=True, exist_ok=True)
            for name, path in pages(address).items():
                if asked.only in name:
                    every_guise(browser, address + path, asked.all, name)
            if account:
                as_member(browser, address, account, asked.all, asked.only)
        else:
            open_page(browser, address + "/", "wide", width=1200).screenshot(path=PICTURE)
            print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")
        browser.close()


@contextmanager
def running_demo(site: str, account: str) -> Iterator[tuple[str, list[str]]]:
    """Address and account of a demo whose simulations are done: the one named, else one of our own."""
    if site:
        yield site.rstrip("/"), account.split(":", 1) if account else []
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3", "MAX_SIMULATION_GAMES": GAMES}
        command = [sys.executable, str(ROOT / "manage.py"), "demo", "--port", "0"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as demo:
            try:
                printed = ""
                while "all done" not in printed:
                    line = demo.stdout.readline()
                    if not line:
                        raise SystemExit(f"The demo ended by itself:\n{printed}")
                    printed += line
                account = re.search(r"as:\s+(\S+) with the password (\S+)", printed)
                yield re.search(r"(http://[\d.:]+)/", printed)[1], list(account.groups())
            finally:
                demo.terminate()


def pages(address: str) -> dict[str, str]:
    """Name -> path of every kind of page that a visitor may see."""

    def listed(path: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{address}/api/v1/{path}") as answer:  # noqa: S310  our own demo
            return json.load(answer)["results"]

    def first(path: str, **like: Any) -> str:
        return next(row["id"] for row in listed(path) if all(row[name] == value for name, value in like.items()))

    simulations = [first("simulations/?player_count=4"), first("simulations/?player_count=6")]
    player = listed("stats/players/?limit=1")[0]["player"]["id"]
    slugs = [row["question"] for row in listed("questions/")]
    leagues = [row["id"] for row in listed("leagues/?page_size=1")]
    six = first("plays/?player_count=6&page_size=200", level="record")
    return {
        "home": "/",
        "home-empty": "/?played_after=2026-11-30&data=recorded",
        "positions": "/positions/",
        "houses": "/houses/",
        "players": "/players/",
        "player": f"/players/{player}/",
        "compare": "/compare/?a-club=nantes&b-club=bristol",
        "plays": "/plays/",
        "play": f"/plays/{first('plays/?player_count=4&page_size=200', level='record')}/",
        "play-of-six": f"/plays/{six}/",
        "play-sheet": f"/plays/{first('plays/?page_size=200', level='sheet')}/",
        "clubs": "/clubs/",
        "club": "/clubs/nantes/",
        "questions": "/questions/",
        **{f"question-{slug}": f"/questions/{slug}/" for slug in slugs},
        "question-one-kind": "/questions/house-worth/?player_count=4&variant=base",
        "fair-price": "/questions/fair-price/",
        "fair-price-answered": "/questions/fair-price/?player_count=4&houses=7+12+18+29&banknotes=12&rounds_left=4",
        "fair-price-refused": "/questions/fair-price/?player_count=4&houses=7+12&banknotes=12&rounds_left=4&stake2=3",
        "leagues": "/leagues/",
        "league": f"/leagues/{leagues[0]}/" if leagues else "/leagues/?mine=1",
        "simulations": "/simulations/",
        "simulation": f"/simulations/{simulations[0]}/",
        "simulation-beside": f"/simulations/{simulations[0]}/?club=*",
        "simulation-game": f"/simulations/{simulations[0]}/games/0/",
        "simulations-compare": f"/simulations/compare/?a={simulations[0]}&b={simulations[1]}",
        "bots": "/bots/",
        "developers": "/developers/",
        "login": "/accounts/login/",
        "signup": "/accounts/signup/",
        "nothing-here": "/nowhere/",
    }


OWN = {  # pages of a member of the demo's clubs
    "clubs-mine": "/clubs/",
    "club-mine": "/clubs/nantes/",
    "club-people": "/clubs/nantes/people/",
    "club-settings": "/clubs/nantes/settings/",
    "club-delete": "/clubs/nantes/delete/",
    "club-new": "/clubs/new/",
    "my-plays": "/plays/mine/",
    "account": "/accounts/",
    "account-tokens": "/accounts/tokens/",
    "pad-start": "/log/",
    "pad-turn-by-turn": "/log/record/",
}
SHEETS = {  # seats -> cheques and banknotes of each, the last not yet written
    5: [("55", "3"), ("49", "2"), ("51", "0"), ("44", "4"), ("", "")],
    6: [("45", "3"), ("39", "2"), ("42", "0"), ("40", "4"), ("36", "1"), ("", "")],
    4: [("67", "4"), ("69", "2"), ("55", "3"), ("47", "6")],
}


def as_member(browser: Browser, address: str, account: list[str], folder: Path, only: str) -> None:
    """What is seen signed in, and the pad in its states."""
    for guise in GUISES:
        page = open_page(browser, address + "/accounts/login/", guise)
        page.fill("[name=login]", account[0])
        page.fill("[name=password]", account[1])
        page.click("main form button:not([type=button])")
        page.wait_for_url(lambda url: "login" not in url)

        def take(name: str, page: Page = page, guise: str = guise, *, whole: bool = True) -> None:
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=folder / f"{name}-{guise}.png", full_page=whole)
            print(folder / f"{name}-{guise}.png")

        for name, path in OWN.items():
            if only in name:
                page.goto(address + path)
                expect(page.locator(".chart:not([data-ready])")).to_have_count(0, timeout=15_000)
                take(name)
        for seats, sheet in SHEETS.items() if only in "pad-sheet" else ():
            fill_pad(page, address, sheet)
            size = page.viewport_size
            if seats > 4 and size["width"] < 500:
                page.set_viewport_size({"width": 360, "height": 508})  # what a keyboard leaves
            take(f"pad-sheet-{seats}", whole=seats == 4)
            page.check("#only-totals")
            take(f"pad-sheet-{seats}-totals", whole=seats == 4)
            page.uncheck("#only-totals")
            page.set_viewport_size(size)
            if seats == 4:
                page.context.set_offline(True)  # nothing of it reaches the demo
                page.click("#save")
                page.wait_for_selector("#done:not([hidden])")
                take("pad-sheet-finished")
                page.click("#other")
                page.wait_for_selector("#queue:not([hidden])")
                take("pad-sheet-waiting")
        page.context.close()


def fill_pad(page: Page, address: str, sheet: list[tuple[str, str]]) -> None:
    """The pad with so many at the table, and what is written of them."""
    page.goto(address + "/log/")
    page.wait_for_selector("#pad[data-ready]")
    page.evaluate("localStorage.clear()")
    page.goto(address + "/log/")
    page.wait_for_selector("#pad[data-ready]")
    for _seat in sheet:
        page.locator("#recent button").first.click()
    page.click("#count")
    for number, (cheques, banknotes) in enumerate(sheet, start=1):
        page.fill(f"[name=cheques-{number}]", cheques)
        page.fill(f"[name=banknotes-{number}]", banknotes)


def every_guise(browser: Browser, address: str, folder: Path, name: str) -> None:
    for guise in GUISES:
        path = folder / f"{name}-{guise}.png"
        page = open_page(browser, address, guise)
        page.screenshot(path=path, full_page=True)
        page.context.close()
        print(path)


def open_page(browser: Browser, address: str, guise: str, width: int = 0) -> Page:
    """The page with every chart drawn, at its top."""
    usual_width, height, language, theme = GUISES[guise]
    size = {"width": width or usual_width, "height": height}
    page = browser.new_context(viewport=size, locale=language, color_scheme=theme).new_page()
    page.goto(address)
    expect(page.locator(".chart:not([data-ready])")).to_have_count(0, timeout=15_000)
    page.evaluate("scrollTo(0, 0)")
    return page


if __name__ == "__main__":
    main()

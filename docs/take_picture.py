#!/usr/bin/env python3
"""Pictures of the site, taken in Chromium from a demo with small simulations in a folder of its own.

uv run --group test docs/take_picture.py             docs/dashboard.png, the picture in README.md
uv run --group test docs/take_picture.py --all var/pictures
                                                     every page: wide and on a phone, light and dark, English and
                                                     French, for a reader to look at; not kept in git
... --all var/pictures --site http://127.0.0.1:8000  of a demo that runs already, after `--only` a word
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
    asked = parser.parse_args()
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium here. Install it, for example: apt-get install chromium")
    with running_demo(asked.site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        if asked.all:
            asked.all.mkdir(parents=True, exist_ok=True)
            for name, path in pages(address).items():
                if asked.only in name:
                    every_guise(browser, address + path, asked.all, name)
        else:
            open_page(browser, address + "/", "wide", width=1200).screenshot(path=PICTURE)
            print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")
        browser.close()


@contextmanager
def running_demo(site: str) -> Iterator[str]:
    """The address of a demo whose simulations are done: the one named, else one of our own."""
    if site:
        yield site.rstrip("/")
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
                yield re.search(r"(http://[\d.:]+)/", printed)[1]
            finally:
                demo.terminate()


def pages(address: str) -> dict[str, str]:
    """Name -> path of every kind of page that a visitor may see."""

    def first(listed: str, **like: Any) -> str:
        with urllib.request.urlopen(f"{address}/api/v1/{listed}") as answer:  # noqa: S310  our own demo
            rows = json.load(answer)["results"]
        return next(row["id"] for row in rows if all(row[name] == value for name, value in like.items()))

    simulations = [first("simulations/?player_count=4"), first("simulations/?player_count=6")]
    with urllib.request.urlopen(f"{address}/api/v1/stats/players/?limit=1") as answer:  # noqa: S310
        player = json.load(answer)["results"][0]["player"]["id"]
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
        "simulations": "/simulations/",
        "simulation": f"/simulations/{simulations[0]}/",
        "simulation-beside": f"/simulations/{simulations[0]}/?club=*",
        "simulations-compare": f"/simulations/compare/?a={simulations[0]}&b={simulations[1]}",
        "bots": "/bots/",
        "developers": "/developers/",
        "login": "/accounts/login/",
        "signup": "/accounts/signup/",
        "nothing-here": "/nowhere/",
    }


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

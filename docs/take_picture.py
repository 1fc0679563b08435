#!/usr/bin/env python3
"""Takes docs/dashboard.png, the picture in README.md: uv run --group test docs/take_picture.py

Runs a demo with small simulations in a folder of its own and photographs its first page; needs Chromium.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

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


def main() -> None:
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium here. Install it, for example: apt-get install chromium")
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
                photograph(re.search(r"http://[\d.:]+/", printed)[0])
            finally:
                demo.terminate()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")


def photograph(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page(viewport={"width": 1200, "height": 900}, locale="en-GB", color_scheme="light")
        page.goto(address)
        for chart in page.locator(".chart").all():
            chart.scroll_into_view_if_needed()
        expect(page.locator(".chart:not([data-ready])")).to_have_count(0, timeout=15_000)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()

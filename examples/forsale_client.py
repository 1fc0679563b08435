"""A client of the For Sale API in one file, for Python 3.10 or later and nothing else. Copy it, change it.

    from forsale_client import Client

    api = Client("https://scores.example.org/api/v1", token="fs_...")
    play = api.log_play("nantes", "2026-11-28", {"Théo": (83, 4), "Marianne": (85, 2), "Guilaine": (70, 0)})
    for play in api.plays(club="nantes"):
        print(play["played_on"], play["winners"])

What it takes care of: pages, repeats that cannot store twice, waiting where the service asks for it, answers that have
not changed, and errors as exceptions that say which field is wrong.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

ATTEMPTS = 5
LONGEST_WAIT = 60.0


class ApiError(Exception):
    """What the API answered instead: `status`, `title`, `detail`, and `errors` with a pointer and a code each."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.title = problem.get("title", "")
        self.detail = problem.get("detail", "")
        self.errors = problem.get("errors", [])
        wrong = "; ".join(error["detail"] for error in self.errors if error["detail"] != self.detail)
        super().__init__(f"{status} {self.title}: {self.detail} {wrong}".rstrip())


class Client:
    """The API at one address, for one token or none."""

    def __init__(self, address: str, token: str = "", *, language: str = "en", timeout: float = 30.0) -> None:
        self.address = address.rstrip("/")
        self.timeout = timeout
        self._headers = {"Accept": "application/json", "Accept-Language": language}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._known: dict[str, tuple[str, Any]] = {}

    # ---- plays ------------------------------------------------------------------------------------

    def log_play(
        self, club: str, played_on: str, sheet: Mapping[str, tuple[int, int]], *, id: str | None = None, **facts: Any
    ) -> Any:
        """Log a play of For Sale: {player: (cheques, banknotes)} in seat order, in thousands of dollars.

        The play gets an id here, before it is sent: whatever is lost on the way, a repeat stores nothing twice. Give
        your own where you keep the play yourself, and sending it again tomorrow is as harmless.
        """
        seats = [{"player": name, "cheques": c, "banknotes": b} for name, (c, b) in sheet.items()]
        play = {"id": id or str(uuid.uuid4()), "club": club, "game": "for-sale", "played_on": played_on, "seats": seats}
        return self.call("POST", "/plays/", {**play, **facts})

    def correct_play(self, play: Mapping[str, Any], **changes: Any) -> Any:
        """Change a play that was read, unless somebody else has changed it since: then `ApiError` 412."""
        current = self.get(f"/plays/{play['id']}/")
        if current["version"] != play["version"]:
            raise ApiError(412, {"title": "Changed since", "detail": f"It is at version {current['version']} by now."})
        tag = self._known[self._url(f"/plays/{play['id']}/")][0]
        return self.call("PATCH", f"/plays/{play['id']}/", changes, {"If-Match": tag})

    def plays(self, **filters: Any) -> Iterator[Any]:
        """All plays that the filters leave (club, player, played_after, ordering, ...), page by page."""
        return self.pages("/plays/", **filters)

    def changed_plays(self, club: str, since: str | None = None) -> Iterator[Any]:
        """Plays of a club that changed at or after a moment, deleted ones as {"id", "deleted_at"}, oldest change first.

        To keep a copy: apply them by id, remember the time at which you began, and begin the next time from a minute
        before it.
        """
        given = {"updated_after": since} if since else {}
        return self.pages("/plays/", club=club, include="deleted", ordering="updated_at", page_size=200, **given)

    # ---- figures ----------------------------------------------------------------------------------

    def scores(self, **filters: Any) -> Any:
        """Score distributions, one block for each edition, variant and number of players."""
        return self.get("/stats/scores/", **filters)["results"]

    def leader_board(self, club: str, **filters: Any) -> Any:
        """The players of a club by their share of wins."""
        return self.get("/stats/players/", club=club, **filters)["results"]

    # ---- how it is said ---------------------------------------------------------------------------

    def get(self, path: str, **query: Any) -> Any:
        """Read an address; what has not changed since the last time costs next to nothing."""
        return self.call("GET", path + (f"?{urllib.parse.urlencode(query)}" if query else ""))

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """The rows of a list from all its pages."""
        page = self.get(path, **query)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.call("GET", page["next"])

    def call(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """One request, repeated where that may help and cannot hurt. Raises `ApiError` and `urllib.error.URLError`."""
        url = self._url(path)
        sent = {**self._headers, **(headers or {})}
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid.uuid4())
        if method == "GET" and url in self._known:
            sent["If-None-Match"] = self._known[url][0]
        for attempt in range(1, ATTEMPTS + 1):
            request = urllib.request.Request(url, data, sent, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    text = answer.read()
                    found = json.loads(text) if text else None
                    if method == "GET" and answer.headers.get("ETag"):
                        self._known[url] = (answer.headers["ETag"], found)
                    return found
            except urllib.error.HTTPError as error:
                if error.code == 304:
                    return self._known[url][1]
                again = error.code in (429, 502, 503, 504) or (error.code == 409 and "Retry-After" in error.headers)
                if not again or attempt == ATTEMPTS:
                    raise ApiError(error.code, _problem(error.read())) from None
                wait = float(error.headers.get("Retry-After") or 2**attempt)
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if method == "PATCH" or attempt == ATTEMPTS:
                    raise
                wait = 2.0**attempt
            time.sleep(min(wait, LONGEST_WAIT))
        raise AssertionError("unreachable")

    def _url(self, path: str) -> str:
        return path if path.startswith(("http://", "https://")) else self.address + path


def _problem(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return {"title": "No answer of the API", "detail": text[:200].decode("utf-8", "replace")}

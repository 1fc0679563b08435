"""What is asked of each operation of the API to have it answer as it should: the bodies, and what must be so before.

One source for the examples in the OpenAPI document and for the matrix of who may do what. An operation that is not here
is asked by the owner of the club, with no body, and answers 200 or what its document says.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rest_framework.test import APIClient

from forsale_api.api.service import schema_in
from stats import services, tasks
from stats.models import Chunk
from tests.world import ALL_EVENTS, BACKSTAGE, LEAGUE, PAST, SIMULATION, World, made, seats

OWN_ID = "019ace24-0000-7000-8000-0000000000aa"


@dataclass(frozen=True)
class Ask:
    """A request by somebody of the cast; `{club}`-like words in texts stand for the things of the club it is about."""

    body: Any = None
    query: str = ""
    by: str = "owner"
    before: Callable[[World, dict[str, str]], None] = lambda world, mine: None
    named: dict[str, str] = field(default_factory=dict)
    """Parameters of the path that are other things than the usual, by their name among the things."""


def sheet(**facts: Any) -> dict[str, Any]:
    return {
        "club": "{slug}",
        "game": "for-sale",
        "played_on": PAST,
        "seats": seats("Théo", "Marianne", "Paul"),
        **facts,
    }


def as_owner(method: str, path: str, body: Any = None, by: str = "owner") -> Callable[[World, dict[str, str]], None]:
    """Something that the owner (or another) does before."""

    def act(world: World, mine: dict[str, str]) -> None:
        made(getattr(world.clients[by], method)("/api/v1/" + path.format(**mine), filled(body, mine)))

    return act


def play_all_games(world: World, mine: dict[str, str]) -> None:
    """Runs the simulation to its end, as workers would."""
    while chunk := Chunk.objects.filter(lease=None, simulation__status__in=services.ACTIVE).order_by("pk").first():
        tasks.run_chunk(chunk_id=chunk.pk)


def play_all_rounds(world: World, mine: dict[str, str]) -> None:
    for _round in range(LEAGUE["rounds"]):
        tasks.play_league(league_id=mine["leagues"])


def filled(data: Any, mine: dict[str, str]) -> Any:
    """The data with the things of a club in the place of their names."""
    if isinstance(data, dict):
        return {key: filled(value, mine) for key, value in data.items()}
    if isinstance(data, list):
        return [filled(value, mine) for value in data]
    if isinstance(data, str):
        for name, value in mine.items():
            data = data.replace(f"{{{name}}}", value)
    return data


CLAIMED = as_owner("post", "clubs/{slug}/players/{players}/claim/", by="member")

ASKS: dict[tuple[str, int], Ask] = {
    ("clubs_create", 201): Ask({"name": "Café des Halles", "visibility": "public", "time_zone": "Europe/Paris"}),
    ("clubs_partial_update", 200): Ask({"notes_public": True}),
    ("clubs_invitations_create", 201): Ask({"days": 7, "uses": 5}),
    ("clubs_members_create", 201): Ask({"username": "stan"}),
    ("clubs_members_partial_update", 200): Ask({"role": "owner"}),
    ("clubs_players_create", 201): Ask({"name": "Inès"}),
    ("clubs_players_partial_update", 200): Ask({"name": "Théodore"}),
    ("clubs_players_destroy", 204): Ask(named={"id": "guest"}),
    ("clubs_players_claim_create", 200): Ask(by="member"),
    ("clubs_players_claim_destroy", 200): Ask(by="member", before=CLAIMED),
    ("clubs_players_hide_destroy", 200): Ask(before=as_owner("post", "clubs/{slug}/players/{players}/hide/")),
    ("clubs_players_merge_read", 200): Ask(query="into={players}", named={"id": "guest"}),
    ("clubs_players_merge_create", 201): Ask({"into": "{players}"}, named={"id": "guest"}),
    ("clubs_seasons_create", 201): Ask({"name": "Winter", "first_day": "2026-12-01", "last_day": "2027-02-28"}),
    ("clubs_seasons_partial_update", 200): Ask({"last_day": "2026-11-30"}),
    ("clubs_webhooks_create", 201): Ask({"url": f"https://hooks.example.org/{BACKSTAGE}/2", "events": ALL_EVENTS}),
    ("clubs_webhooks_partial_update", 200): Ask({"events": ["play.created"], "language": "fr"}),
    ("games_retrieve", 200): Ask(named={"game": "other_game"}),
    ("games_score_create", 200): Ask(
        {
            "edition": "iello",
            "variant": "base",
            "seats": [
                {"cheques": 83, "banknotes": 4},
                {"cheque_cards": [15, 12, 0, 2, 9, 9, 14, 8, 10, 6], "banknotes": 2},
                {"cheques": 70, "banknotes": 0},
            ],
        }
    ),
    ("invitations_create", 200): Ask(by="member"),
    ("invitations_create", 201): Ask(by="stranger"),
    ("leagues_create", 202): Ask({**LEAGUE, "seed": 4}),
    ("leagues_resume_create", 200): Ask(before=as_owner("post", "leagues/{leagues}/pause/")),
    ("leagues_table_read", 200): Ask(before=play_all_rounds),
    ("plays_list", 200): Ask(query="club={slug}&page_size=10"),
    ("plays_create", 200): Ask(sheet(id=OWN_ID), before=as_owner("post", "plays/", sheet(id=OWN_ID))),
    ("plays_create", 201): Ask(sheet(location="Chez Paul", duration_minutes=25, first_seat=2)),
    ("plays_partial_update", 200): Ask({"duration_minutes": 30}),
    ("plays_restore_create", 200): Ask(before=as_owner("delete", "plays/{plays}/")),
    ("plays_bulk_create", 200): Ask([sheet(id=OWN_ID), sheet(first_seat=4)]),
    ("plays_export_csv_read", 200): Ask(query="club={slug}"),
    ("plays_export_ndjson_read", 200): Ask(query="club={slug}"),
    ("questions_fair_price_create", 200): Ask(
        {"player_count": 3, "houses": [30, 1, 16], "banknotes": 20, "rounds_left": 5, "bot": "to-six"}
    ),
    ("simulations_create", 202): Ask({**SIMULATION, "seed": 8}),
    ("simulations_resume_create", 200): Ask(before=as_owner("post", "simulations/{simulations}/pause/")),
    ("simulations_results_read", 200): Ask(before=play_all_games),
    ("stats_activity_read", 200): Ask(query="club={slug}"),
    ("stats_houses_read", 200): Ask(query="club={slug}"),
    ("stats_players_read", 200): Ask(query="club={slug}"),
    ("stats_scores_read", 200): Ask(query="club={slug}"),
    ("stats_seats_read", 200): Ask(query="club={slug}"),
}


@dataclass(frozen=True)
class Operation:
    """An operation of the schema."""

    path: str
    method: str
    document: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.document["operationId"])

    @property
    def good(self) -> list[int]:
        return [int(status) for status in self.document["responses"] if status.startswith("2")]

    @property
    def takes(self) -> str:
        """The media type of the body; empty where there is none."""
        return next(iter(self.document.get("requestBody", {}).get("content", ())), "")


def operations() -> Iterator[Operation]:
    for path, methods in schema_in("en")["paths"].items():
        for method, document in methods.items():
            yield Operation(path, method, document)


def send(
    world: World, operation: Operation, status: int, club: str, client: APIClient | None = None
) -> tuple[Any, Any]:
    """The request that is answered so, about this club, by who should send it or this client: its body, its answer."""
    ask, mine = ASKS.get((operation.id, status), Ask()), world.things[club]
    ask.before(world, mine)
    values = world.values(operation.path, club) | {name: mine[thing] for name, thing in ask.named.items()}
    address = operation.path.format(**values) + (f"?{filled(ask.query, mine)}" if ask.query else "")
    body, form = filled(ask.body, mine), {}
    if operation.takes == "application/x-ndjson":
        body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in body)
        form = {"content_type": operation.takes}
    return body, getattr(client or world.clients[ask.by], operation.method)(address, body, **form)


def text_of(answer: Any) -> str:
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()

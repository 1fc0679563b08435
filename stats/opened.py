"""One game of a simulation, opened: its moves as a record, and how it ended.

A game depends on the setting, the seed and its number alone, so nothing of it was kept: the readable twins play it
again, in some milliseconds. A bot that thinks long takes them some seconds; such a game a worker plays, one at a time,
and the record is kept for whoever looks next.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.cache import cache as shared_cache
from django.utils.translation import gettext

from forsale_api import rules
from forsale_api.api.problems import Conflict, NotFound
from forsale_api.rules.for_sale import EDITIONS
from forsale_api.rules.scoring import Score
from stats.bots import BOTS, play
from stats.models import OpenedGame, Simulation
from stats.services import is_current, of_another_engine, send_task, setting_of
from stats.simulation import thinks_long

PLAY_OPENED = "stats.tasks.play_opened"
KEPT = 1_000
"""Records of long games that are kept, the latest."""
ASKED_SECONDS = 20
"""For so long, at most, one long game that was asked for keeps another waiting."""
ASKED = "opened-game"


def open_game(simulation: Simulation, index: int) -> dict[str, Any]:
    """The record of game `index` (from 0), in the API's form.

    Raises `NotFound` (404, `no-such-game`) beyond the simulation's games, `Conflict` (409): `other-engine` where those
    games are no longer played so, `being-played` (with Retry-After) while a worker plays it.
    """
    if not 0 <= index < simulation.games:
        raise NotFound(
            gettext("There is no game %(index)s here: they are numbered from 0 to %(last)s.")
            % {"index": index, "last": simulation.games - 1},
            code="no-such-game",
        )
    if not is_current(simulation):
        raise of_another_engine(simulation)
    if not thinks_long(simulation.bots):
        return _played(simulation, index)
    kept = OpenedGame.objects.filter(key=simulation.result.key, index=index).first()
    if kept is not None:
        return dict(kept.record)
    if shared_cache.add(ASKED, True, timeout=ASKED_SECONDS):
        send_task(PLAY_OPENED, simulation_id=str(simulation.pk), index=index)
    raise Conflict(
        gettext("This game is being played: its bots think for some seconds."),
        code="being-played",
        headers={"Retry-After": "2"},
    )


def play_opened(*, simulation_id: UUID, index: int) -> None:
    """Play a long game and keep its record; what is kept already, or of a simulation that has gone, is not played."""
    try:
        simulation = Simulation.objects.select_related("result").filter(pk=simulation_id).first()
        if simulation is None or not is_current(simulation):
            return
        wanted = {"key": simulation.result.key, "index": index}
        if not OpenedGame.objects.filter(**wanted).exists():
            game = OpenedGame(**wanted, record=_played(simulation, index))
            OpenedGame.objects.bulk_create([game], ignore_conflicts=True)
            latest = OpenedGame.objects.order_by("-pk").values_list("pk", flat=True)[KEPT : KEPT + 1]
            OpenedGame.objects.filter(pk__lte=max(latest, default=0)).delete()
    finally:
        shared_cache.delete(ASKED)


def score_of(simulation: Simulation, record: Mapping[str, Any]) -> Score:
    """How such a game ended."""
    game = rules.GAMES[simulation.game]
    return game.score(edition=simulation.edition, variant=simulation.variant, seats=(), record=record)


def _played(simulation: Simulation, index: int) -> dict[str, Any]:
    setting = setting_of(simulation)
    _state, record = play(
        edition=EDITIONS[setting.edition],
        variant=setting.variant,
        player_count=setting.player_count,
        bots=[BOTS[bot] for bot in setting.bots],
        seed=setting.seed,
        index=index,
        opener=simulation.opener,
    )
    return record

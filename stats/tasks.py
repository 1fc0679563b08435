"""Celery's door: each task reads its arguments, makes one call, and may be repeated at any time."""

import time
from functools import partial
from typing import Any
from uuid import UUID

from celery import shared_task

from stats import fair_price, folding, league_services, opened, pools, questions, ratings, services, simulation
from stats.league import play_round


@shared_task  # type: ignore[untyped-decorator]
def fold() -> None:
    """Fold the plays that wait in the outbox into the counts, pool those, and rate whom they concern.

    In turn, until there is nothing to do: plays that come in without end hold up neither pools nor ratings.
    """
    while any([folding.fold(), pools.refresh(), ratings.rate()]):
        time.sleep(0.01)  # on SQLite a person's write comes in between


@shared_task  # type: ignore[untyped-decorator]
def run_chunk(*, chunk_id: int) -> None:
    """Run a chunk of a simulation, outside any transaction, and store it."""
    lease = services.lease(chunk_id=chunk_id)
    if lease is None:
        return
    begun = time.perf_counter()
    try:
        summary = simulation.simulate(
            game=lease.setting.game,
            edition=lease.setting.edition,
            variant=lease.setting.variant,
            player_count=lease.setting.player_count,
            bots=lease.setting.bots,
            games=lease.games,
            seed=lease.setting.seed,
            first_game=lease.first_game,
            opener=lease.setting.opener,
            progress=services.watch(partial(services.is_wanted, lease)),
        )
    except services.Stopped:
        services.stopped(lease=lease)
        return
    except Exception as error:
        services.raised(lease=lease, error=error)
        raise
    services.store(lease=lease, summary=summary, seconds=time.perf_counter() - begun)


@shared_task  # type: ignore[untyped-decorator]
def reconcile(*, everything: bool = False) -> None:
    """Send again the tasks of chunks and leagues that nobody works on."""
    services.reconcile(everything=everything)
    league_services.reconcile(everything=everything)


@shared_task  # type: ignore[untyped-decorator]
def play_league(*, league_id: str) -> None:
    """Play rounds of a league for a second, outside any transaction, and let others have their turn."""
    until = time.monotonic() + league_services.TURN_SECONDS
    while (leased := league_services.lease(league_id=UUID(league_id))) is not None:
        run, number = leased
        progress = services.watch(partial(league_services.is_wanted, run))
        try:
            results = play_round(league_services.league_of(run), number, progress=progress)
        except services.Stopped:
            league_services.stopped(id=run.pk, number=number)
            return
        except Exception as error:
            league_services.raised(id=run.pk, number=number, error=error)
            raise
        league_services.store(id=run.pk, number=number, results=results)
        if time.monotonic() > until:
            league_services.send(run.pk)
            return


@shared_task  # type: ignore[untyped-decorator]
def start_references(*, kinds: list[dict[str, Any]]) -> None:
    """Start the reference simulations of these kinds, where there are none."""
    for kind in kinds:
        services.start_reference(**kind)


@shared_task  # type: ignore[untyped-decorator]
def start_questions(*, wanted: list[list[Any]]) -> None:
    """Start the simulations that questions wait for: edition, variant, players, bot, games."""
    for edition, variant, player_count, bot, games in wanted:
        questions.begin(edition=edition, variant=variant, player_count=player_count, bot=bot, games=games)


@shared_task  # type: ignore[untyped-decorator]
def play_opened(*, simulation_id: str, index: int) -> None:
    """Play one game of a simulation whose bots think long, for somebody who looks at it."""
    opened.play_opened(simulation_id=UUID(simulation_id), index=index)


@shared_task  # type: ignore[untyped-decorator]
def price_table(*, table_id: int) -> None:
    """Play deals of a table for a second, and let others have their turn."""
    questions.price_for_a_turn(table_id=table_id)


@shared_task  # type: ignore[untyped-decorator]
def warm_up(*, every_bot: bool = False) -> None:
    """Load the kernel, compiling it where this source was never compiled: called at a worker's start."""
    simulation.warm_up(every_bot=every_bot)
    if every_bot:
        fair_price.warm_up()

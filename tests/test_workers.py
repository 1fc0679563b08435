"""Workers share chunks, die, come back: no count changes, and nothing waits for ever."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from forsale_api.celery import EmbeddedWorker, app
from forsale_api.clubs.models import Club
from forsale_api.plays.models import PlayToFold
from stats import aggregates, services, tasks
from stats.models import Chunk, Simulation, SimulationResult, Status
from stats.simulation import simulate
from tests.test_plays import post
from tests.test_simulations_api import work

ASKED: dict[str, Any] = {"game": "for-sale", "player_count": 3, "bots": ["coin-flip"] * 3, "seed": 3}
ROOT = Path(__file__).parent.parent


def ask(games: int, **changes: Any) -> Simulation:
    return services.request_simulation(**{"requester": None, **ASKED, "games": games, **changes})


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def done(simulation: Simulation) -> int:
    simulation.refresh_from_db()
    assert simulation.status != Status.FAILED, simulation.error
    return simulation.games_done


# ---- leases -----------------------------------------------------------------------------------------


def test_a_chunk_is_leased_by_one_worker_only(db: Any) -> None:
    ask(50_000)
    chunk = Chunk.objects.earliest("pk")
    first = services.lease(chunk_id=chunk.pk)
    assert first is not None
    assert services.lease(chunk_id=chunk.pk) is None
    tasks.run_chunk(chunk_id=chunk.pk)
    assert Simulation.objects.get().games_done == 0, "whoever has no lease runs nothing"


def test_a_lease_that_ran_out_passes_on_and_the_late_worker_stores_nothing(db: Any) -> None:
    simulation = ask(50_000)
    chunk = Chunk.objects.earliest("pk")
    late = services.lease(chunk_id=chunk.pk)
    Chunk.objects.filter(pk=chunk.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    summary = simulate(**ASKED, games=chunk.games, first_game=chunk.first_game)
    tasks.run_chunk(chunk_id=chunk.pk)
    assert done(simulation) == chunk.games
    assert late is not None
    assert not services.store(lease=late, summary=summary, seconds=0.1)
    tasks.run_chunk(chunk_id=chunk.pk)
    assert done(simulation) == chunk.games, "a message that comes twice runs nothing"
    work()
    assert services.summary_of(Simulation.objects.get()) == simulate(**ASKED, games=50_000)


def sent(run: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, capture: Any) -> list[int]:
    """The chunks whose tasks are sent while `run` runs."""
    chunks: list[int] = []
    with monkeypatch.context() as patched, capture(execute=True):
        patched.setattr(app, "send_task", lambda name, kwargs: chunks.append(kwargs["chunk_id"]))
        run()
    return chunks


def test_tasks_are_sent_on_commit_and_few_at_a_time(
    db: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def request() -> None:
        ask(10**10)

    assert len(sent(request, monkeypatch, django_capture_on_commit_callbacks)) == settings.SIMULATION_WIDTH
    first = Chunk.objects.earliest("pk").pk

    def run() -> None:
        tasks.run_chunk(chunk_id=first)

    assert len(sent(run, monkeypatch, django_capture_on_commit_callbacks)) == 1
    assert Chunk.objects.count() == settings.SIMULATION_WIDTH


def test_what_nobody_works_on_is_sent_again(
    db: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any, settings: Any
) -> None:
    settings.SIMULATION_WIDTH = 2
    ask(10**6)
    lost, held = Chunk.objects.order_by("pk")[:2]

    def again(**how: Any) -> list[int]:
        return sent(lambda: services.reconcile(**how), monkeypatch, django_capture_on_commit_callbacks)

    assert again() == [], "just sent"
    services.lease(chunk_id=held.pk)
    assert again(everything=True) == [lost.pk], "leased by a process that lives"
    Chunk.objects.filter(pk=lost.pk).update(enqueued_at=timezone.now() - timedelta(minutes=1))
    assert again() == [lost.pk], "its message was lost"
    assert again() == []
    Chunk.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    assert again() == [held.pk], "its lease ran out"


def test_the_lease_of_a_process_that_died_here_need_not_run_out(
    db: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    ask(10**6)
    chunk = Chunk.objects.earliest("pk")
    services.lease(chunk_id=chunk.pk)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = Chunk.objects.get(pk=chunk.pk).worker.rpartition(":")[0]
    Chunk.objects.filter(pk=chunk.pk).update(worker=f"{host}:{gone.pid}")
    assert sent(services.reconcile, monkeypatch, django_capture_on_commit_callbacks) == [chunk.pk]
    assert services.lease(chunk_id=chunk.pk) is not None


def test_a_chunk_that_cannot_be_run_fails_its_simulation_with_the_reason(
    db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = ask(50_000)
    chunk = Chunk.objects.earliest("pk")

    def broken(**asked: Any) -> None:
        raise MemoryError("no memory left")

    monkeypatch.setattr("stats.simulation.simulate", broken)
    for attempt in range(services.MOST_ERRORS):
        simulation.refresh_from_db()
        assert simulation.status != Status.FAILED, attempt
        with pytest.raises(MemoryError):
            tasks.run_chunk(chunk_id=chunk.pk)
    simulation.refresh_from_db()
    assert (simulation.status, simulation.error) == (Status.FAILED, "MemoryError: no memory left")
    assert not Chunk.objects.exists()


def test_a_reference_that_failed_or_was_cancelled_is_begun_again(db: Any) -> None:
    kind: dict[str, Any] = {"game": "for-sale", "edition": "iello", "variant": "base", "player_count": 4}
    first = services.start_reference(**kind)
    assert services.start_reference(**kind) == first
    services._fail(first.pk, "a test")
    second = services.start_reference(**kind)
    assert second != first
    assert list(Simulation.objects.filter(reference=True)) == [second]


def made_by_another(simulation: Simulation) -> None:
    """As if an engine, an edition or one of its bots had been another one when it was asked for."""
    SimulationResult.objects.filter(simulations=simulation).update(key="of another")


def test_a_reference_of_another_engine_or_bot_is_not_shown_and_begun_anew(db: Any) -> None:
    kind: dict[str, Any] = {"game": "for-sale", "edition": "iello", "variant": "base", "player_count": 3}
    first = services.start_reference(**kind)
    work(chunks=1)
    shown = {"data": "simulated", "edition": "iello", "variant": "base", "player_count": 3}
    assert len(aggregates.score_blocks(shown)["results"]) == 1
    made_by_another(first)
    assert not aggregates.score_blocks(shown)["results"]
    second = services.start_reference(**kind)
    assert second != first
    assert list(Simulation.objects.filter(reference=True)) == [second]


def test_a_simulation_begun_by_another_engine_or_bot_fails_rather_than_mixing_games(db: Any) -> None:
    simulation = ask(20_000)
    work(chunks=1)
    made_by_another(simulation)
    work()
    simulation.refresh_from_db()
    assert (simulation.status, simulation.games_done) == (Status.FAILED, services.FIRST_CHUNK)
    assert "another engine" in simulation.error


def test_a_request_that_another_engine_or_bot_answered_is_played_anew(db: Any) -> None:
    first = ask(5_000)
    work()
    assert ask(5_000).status == Status.FINISHED
    made_by_another(first)
    assert ask(5_000).status == Status.QUEUED


# ---- turns, and an end in the middle ---------------------------------------------------------------


@pytest.mark.parametrize("bots", [["coin-flip"] * 3, ["planner", "counter", "counter"]])
@pytest.mark.parametrize("control", [services.pause, services.cancel])
def test_a_worker_stops_in_the_middle_of_a_chunk_that_is_held_or_called_off(
    owner: APIClient, monkeypatch: pytest.MonkeyPatch, bots: list[str], control: Callable[..., Any]
) -> None:
    """It looks every half second; here at each slice, and the third time somebody has held or cancelled it."""
    simulation = ask(10**9, requester=owner.user, bots=bots)  # type: ignore[attr-defined]
    chunk = Chunk.objects.earliest("pk")
    Chunk.objects.filter(pk=chunk.pk).update(games=10**8)
    played: list[int] = []
    wanted = services.is_wanted

    def third_time_called_off(lease: services.Lease) -> bool:
        played.append(lease.games)
        if len(played) == 3:
            control(id=simulation.pk, requester=owner.user)  # type: ignore[attr-defined]
        return wanted(lease)

    monkeypatch.setattr(services, "LOOK_SECONDS", 0)
    monkeypatch.setattr(services, "is_wanted", third_time_called_off)
    tasks.run_chunk(chunk_id=chunk.pk)
    assert len(played) == 3, "it went on"
    assert done(simulation) == 0
    assert not Chunk.objects.exclude(lease=None).exists(), "whoever resumes it finds the chunk free"


def test_a_chunk_left_in_the_middle_is_played_whole_after_a_resume(
    owner: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine: dict[str, Any] = {"requester": owner.user}  # type: ignore[attr-defined]
    simulation = ask(200_000, **mine)
    chunk = Chunk.objects.earliest("pk")
    wanted = services.is_wanted

    def called_off(lease: services.Lease) -> bool:
        services.pause(id=simulation.pk, **mine)
        return wanted(lease)

    monkeypatch.setattr(services, "LOOK_SECONDS", 0)
    monkeypatch.setattr(services, "is_wanted", called_off)
    tasks.run_chunk(chunk_id=chunk.pk)
    monkeypatch.setattr(services, "is_wanted", wanted)
    assert done(simulation) == 0
    services.resume(id=simulation.pk, **mine)
    work()
    assert services.summary_of(Simulation.objects.get()) == simulate(**ASKED, games=200_000)


def test_simulations_take_turns_whatever_their_size_and_whoever_came_first(
    db: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    """Messages are answered in the order they were sent, by one worker; a turn is a chunk, sized by time."""
    queue: deque[int] = deque()
    monkeypatch.setattr(app, "send_task", lambda name, kwargs: queue.append(kwargs["chunk_id"]))
    monkeypatch.setattr(services, "CHUNK_SECONDS", 0.001)
    turns: list[UUID] = []

    def run(chunks: int) -> None:
        for _chunk in range(chunks):
            turns.append(Chunk.objects.get(pk=queue[0]).simulation_id)
            with django_capture_on_commit_callbacks(execute=True):
                tasks.run_chunk(chunk_id=queue.popleft())

    with django_capture_on_commit_callbacks(execute=True):
        large = ask(10**10)
    run(10)
    with django_capture_on_commit_callbacks(execute=True):
        slow = ask(10**6, bots=["counter"] * 3, player_count=3)
        late = ask(10**6, bots=["to-six"] * 3)
    begun = len(turns)
    run(60)
    width = settings.SIMULATION_WIDTH
    shares = Counter(turns[begun:])
    assert set(shares) == {large.pk, slow.pk, late.pk}
    assert max(shares.values()) - min(shares.values()) <= width, shares
    assert late.pk in turns[begun : begun + 2 * width + 1], "whoever comes last waits one round of the others' chunks"


# ---- the embedded worker ----------------------------------------------------------------------------


@pytest.fixture
def worker(transactional_db: Any) -> Iterator[Callable[..., EmbeddedWorker]]:
    """Starts embedded workers, one after the other; the last is stopped at the end."""
    started: list[EmbeddedWorker] = []

    def start(concurrency: int) -> EmbeddedWorker:
        started.append(EmbeddedWorker(concurrency=concurrency))
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        assert each.stop(timeout=20)
    Simulation.objects.all().delete()


def test_one_thread_and_four_give_the_same_counts(worker: Callable[..., EmbeddedWorker]) -> None:
    games = 400_000
    whole = simulate(**ASKED, games=games)
    for concurrency in (1, 4):
        running = worker(concurrency)
        simulation = ask(games)
        wait_for(lambda simulation=simulation: done(simulation) == games, 60, f"{concurrency} threads")
        assert services.summary_of(Simulation.objects.select_related("result").get(pk=simulation.pk)) == whole
        assert running.stop(timeout=20)
        Simulation.objects.all().delete()
        SimulationResult.objects.all().delete()


def test_a_stopped_worker_leaves_the_rest_to_the_next(
    worker: Callable[..., EmbeddedWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "LARGEST_CHUNK", 10_000)  # so that what it has in hand is never all of them
    games = 1_000_000
    simulation = ask(games)
    first = worker(2)
    wait_for(lambda: done(simulation) > 0, 60, "the first games")
    assert first.stop(timeout=20)
    left = done(simulation)
    assert 0 < left < games
    worker(2)
    wait_for(lambda: done(simulation) == games, 60, "the rest")
    assert services.summary_of(Simulation.objects.select_related("result").get()) == simulate(**ASKED, games=games)


def test_figures_are_at_most_five_seconds_behind_a_write(
    worker: Callable[..., EmbeddedWorker], owner: APIClient, public_club: Club
) -> None:
    worker(2)
    ask(3_000_000)
    post(owner, club=public_club.slug)
    wait_for(lambda: aggregates.score_blocks({})["results"], 5, "the play in the figures")


def test_figures_do_not_wait_for_a_long_simulation(
    worker: Callable[..., EmbeddedWorker], owner: APIClient, club: Club
) -> None:
    running = worker(1)
    simulation = ask(500_000_000, requester=owner.user)
    wait_for(lambda: done(simulation) > 500_000, 60, "chunks that have found their size")
    post(owner)
    wait_for(lambda: not PlayToFold.objects.exists(), 10, "the fold")
    assert done(simulation) < simulation.games
    services.cancel(id=simulation.pk, requester=owner.user)
    assert running.stop(timeout=20)


# ---- workers of their own process -------------------------------------------------------------------


class Workers:
    """Celery workers as people start them, on this test's database and a queue of their own."""

    def __init__(self) -> None:
        database = connection.settings_dict
        if connection.vendor == "sqlite":
            url = f"sqlite:///{database['NAME']}"
        else:
            user = f"{database['USER']}:{database['PASSWORD']}@" if database["USER"] else ""
            url = f"postgres://{user}{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"
        # TEST_BROKER_URL: a Redis database that nobody else uses
        self.broker = os.environ.get("TEST_BROKER_URL", "redis://127.0.0.1:6379/9")
        self.env = {
            **os.environ, "DATABASE_URL": url, "CELERY_BROKER_URL": self.broker, "DJANGO_SECRET_KEY": "x" * 50,
            "DJANGO_SETTINGS_MODULE": "forsale_api.settings",
        }  # fmt: skip
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "--app", "forsale_api", "worker", *options]
        command += ["--without-mingle", "--without-gossip", "--loglevel", "WARNING"]
        self.running.append(subprocess.Popen(command, cwd=ROOT, env=self.env, start_new_session=True))
        return self.running[-1]

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """kill -9 of the worker and its children, all of them ours: they are in a session of their own."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def stop(self) -> None:
        for worker in self.running:
            if worker.poll() is None:
                self.kill(worker)


@pytest.fixture
def workers(transactional_db: Any) -> Iterator[Workers]:
    found = Workers()
    redis.Redis.from_url(found.broker).flushdb()
    yield found
    found.stop()
    Simulation.objects.all().delete()


def ask_unheard(games: int, **changes: Any) -> Simulation:
    """Ask where no message reaches the workers: they take up what is left when they start."""
    simulation = ask(games, **changes)
    Chunk.objects.update(enqueued_at=timezone.now() - timedelta(minutes=1))
    return simulation


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["prefork", "threads"])
def test_kill_9_five_times_over_changes_no_count(workers: Workers, pool: str) -> None:
    games = 6_000_000
    simulation = ask_unheard(games)
    for death in range(5):
        before = done(simulation)
        worker = workers.start("--concurrency", "2", "--pool", pool)
        wait_for(lambda before=before: done(simulation) > before, 90, f"life {death + 1}")
        workers.kill(worker)
    assert done(simulation) < games, "killed in the middle"
    workers.start("--concurrency", "2", "--pool", pool)
    wait_for(lambda: done(simulation) == games, 120, "the rest")
    assert services.summary_of(Simulation.objects.select_related("result").get()) == simulate(
        **ASKED, games=games, threads=2
    )
    assert not Chunk.objects.exists()


@pytest.mark.slow
def test_four_processes_give_the_counts_of_one(workers: Workers) -> None:
    games = 2_000_000
    simulation = ask_unheard(games, seed=8)
    workers.start("--concurrency", "1")
    workers.start("--concurrency", "3")
    wait_for(lambda: done(simulation) == games, 120, "all games")
    summary = services.summary_of(Simulation.objects.select_related("result").get())
    assert summary == simulate(**{**ASKED, "seed": 8}, games=games, threads=2)


@pytest.mark.slow
def test_ten_random_deaths_and_a_broker_that_forgets_change_no_count(workers: Workers) -> None:
    """kill -9 of one of two workers at random moments, Redis flushed in between: the counters of one process."""
    games, random = 12_000_000, Random(20)
    simulation = ask_unheard(games, seed=20, player_count=5, bots=["coin-flip"] * 5)
    running = [workers.start("--concurrency", "2"), workers.start("--concurrency", "2")]
    wait_for(lambda: done(simulation) > 0, 120, "the first games")
    for death in range(10):
        time.sleep(random.uniform(0, 3))
        workers.kill(running.pop(random.randrange(2)))
        if death % 3 == 0:
            redis.Redis.from_url(workers.broker).flushdb()
        running.append(workers.start("--concurrency", "2"))
    wait_for(lambda: done(simulation) == games, 300, "the rest")
    summary = services.summary_of(Simulation.objects.select_related("result").get())
    assert summary == simulate(**{**ASKED, "seed": 20, "player_count": 5, "bots": ["coin-flip"] * 5}, games=games)
    assert not Chunk.objects.exists()


def test_chunks_stored_in_a_shuffled_order_give_the_same_counts(db: Any, settings: Any) -> None:
    settings.SIMULATION_WIDTH = 5
    random = Random(4)
    simulation = ask(60_000)
    while Chunk.objects.exists():
        chunks = list(Chunk.objects.all())
        random.shuffle(chunks)
        leases = [taken for chunk in chunks if (taken := services.lease(chunk_id=chunk.pk))]
        random.shuffle(leases)
        for taken in leases:
            summary = simulate(**ASKED, games=taken.games, first_game=taken.first_game)
            assert services.store(lease=taken, summary=summary, seconds=services.CHUNK_SECONDS)
    assert done(simulation) == 60_000
    assert services.summary_of(Simulation.objects.get()) == simulate(**ASKED, games=60_000)

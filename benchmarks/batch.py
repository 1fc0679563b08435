"""What does a simulation lose on its way through API, database, broker and workers?

    DATABASE_URL=postgres://... CELERY_BROKER_URL=redis://... uv run python benchmarks/batch.py [--games 2e8]

Uses a scratch database, made by `createdb` (its tables are made here, its simulations deleted), and a broker that no
one else uses. Starts one Celery worker of two processes, asks for a simulation through the API, waits until it is done,
and compares the wall time with that of the bare kernel in two processes, measured before and after in the same run.
"""

import argparse
import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")
os.environ.setdefault("DJANGO_DEBUG", "1")
ASKED: dict[str, Any] = {"game": "for-sale", "player_count": 5, "bots": ["coin-flip"] * 5}


def play(games: int, seed: int, ready: Any, go: Any) -> None:
    """One process of the bare kernel."""
    from stats.simulation import simulate, warm_up

    warm_up()
    simulate(**ASKED, games=1000, seed=seed)
    ready.release()
    go.wait()
    simulate(**ASKED, games=games, seed=seed)


def bare(games: int) -> float:
    """Seconds that two processes take for so many games together, started and warm."""
    spawn = multiprocessing.get_context("spawn")
    ready, go = spawn.Semaphore(0), spawn.Event()
    processes = [spawn.Process(target=play, args=(games // 2, seed, ready, go)) for seed in (1, 2)]
    for process in processes:
        process.start()
    for _process in processes:
        ready.acquire()
    begun = time.perf_counter()
    go.set()
    for process in processes:
        process.join()
    return time.perf_counter() - begun


def through_the_api(games: int) -> float:
    """Seconds from the request to the answer that it is finished, with a worker that waits for work."""
    from rest_framework.test import APIClient

    from forsale_api.clubs.models import User
    from stats.models import Simulation, SimulationResult

    client = APIClient()
    user = User.objects.create_user(f"benchmark-{secrets.token_hex(4)}")
    client.force_login(user)
    worker = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "celery",
            "--app",
            "forsale_api",
            "worker",
            "--concurrency",
            "2",
            "--loglevel",
            "WARNING",
        ],
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        seconds = [0.0, 0.0]
        for run, number in enumerate((200_000, games)):  # the first one finds the worker ready
            begun = time.time()
            response = client.post("/api/v1/simulations/", {**ASKED, "games": number}, format="json")
            assert response.status_code == 202, response.content
            while (answer := client.get(response["Location"])).json()["status"] != "finished":
                time.sleep(int(answer["Retry-After"]))  # as clients do: asking costs the workers' cores
            seconds[run] = datetime.fromisoformat(answer.json()["finished_at"]).timestamp() - begun
        return seconds[1]
    finally:
        os.killpg(worker.pid, signal.SIGTERM)
        worker.wait()
        Simulation.objects.filter(requester=user).delete()
        SimulationResult.objects.filter(simulations=None).delete()
        user.delete()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=float, default=2e8)
    games = int(parser.parse_args().games)
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    before, batch, after = bare(games), through_the_api(games), bare(games)
    kernel = (before + after) / 2
    print(f"{games:,} games of five coin-flip bots, two processes")
    print(f"bare kernel      {kernel:7.1f} s   ({before:.1f} and {after:.1f}), {games / kernel:,.0f} games a second")
    print(f"through the API  {batch:7.1f} s   {batch / kernel:.3f} times the bare kernel")


if __name__ == "__main__":
    main()

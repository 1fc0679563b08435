"""What does a simulation lose on its way through API, database, broker and workers?

    DATABASE_URL=postgres://... CELERY_BROKER_URL=redis://... uv run python benchmarks/batch.py [--games 2e8]

Uses a scratch database, made by `createdb` (its tables are made here, its simulations deleted), and a broker that no
one else uses. Starts one Celery worker of two processes, asks for a simulation through the API, waits until it is done,
and compares the wall time with that of the bare kernel in two processes, measured before and after in the same run.
Says besides how true the rate, the progress and the time left were that the API showed on the way, what memory the
worker's processes used, and how long after a cancel or a pause they were idle, planners and leagues included.
"""

import argparse
import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")
os.environ.setdefault("DJANGO_DEBUG", "1")
ASKED: dict[str, Any] = {"game": "for-sale", "player_count": 5, "bots": ["coin-flip"] * 5}


class Look(NamedTuple):
    """What the API showed of a simulation, `at` seconds after it was asked for."""

    at: float
    games_done: int
    games_per_second: float | None
    eta_seconds: float | None


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


class Worker:
    """A Celery worker of two processes, and what the system says of them."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "celery", "--app", "forsale_api", "worker"]
        self._process = subprocess.Popen(
            [*command, "--concurrency", "2", "--loglevel", "WARNING"], cwd=ROOT, start_new_session=True
        )
        return self

    def __exit__(self, *raised: object) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()

    def _of_each(self, file: str) -> list[str]:
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [Path(f"/proc/{child}/{file}").read_text() for child in children]

    def megabytes(self) -> list[int]:
        """Memory in use (RSS) of each of its processes, the least first."""
        return sorted(int(text.partition("VmRSS:")[2].split()[0]) // 1024 for text in self._of_each("status"))

    def seconds_until_idle(self) -> float:
        """From now until its processes have used no more than a tenth of one core for a quarter of a second."""
        begun = time.perf_counter()
        while True:
            before, since = self._cpu_seconds(), time.perf_counter()
            time.sleep(0.25)
            if self._cpu_seconds() - before <= 0.025:
                return since - begun

    def _cpu_seconds(self) -> float:
        fields = [text.rpartition(")")[2].split() for text in self._of_each("stat")]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def watched(client: Any, asked: Mapping[str, Any]) -> tuple[float, list[Look]]:
    """Seconds from the request to the moment it is finished, and what was shown on the way."""
    begun = time.time()
    response = client.post("/api/v1/simulations/", asked, format="json")
    assert response.status_code == 202, response.content
    looks = []
    while (answer := client.get(response["Location"])).json()["status"] != "finished":
        shown = answer.json()
        looks.append(Look(time.time() - begun, *(shown[name] for name in Look._fields[1:])))
        time.sleep(int(answer["Retry-After"]))  # as clients do: asking costs the workers' cores
    return datetime.fromisoformat(answer.json()["finished_at"]).timestamp() - begun, looks


def print_truth(seconds: float, games: int, looks: Sequence[Look]) -> None:
    """How true the rate and the time left were that the API showed, against the clock."""
    settled = [look for look in looks if look.at > 5 and look.games_per_second]
    if len(settled) < 3:
        print("too short a run to say how true the rate is")
        return
    first, last = settled[0], settled[-1]
    true = (last.games_done - first.games_done) / (last.at - first.at)
    shown = [look.games_per_second / true - 1 for look in settled]
    print(f"rate shown       {fmean(shown):+.1%} of the true one on average, {min(shown):+.1%} to {max(shown):+.1%}")
    progress = [look.games_done - games * look.at / seconds for look in settled]
    print(f"progress shown   {fmean(progress) / games:+.2%} of all games off the straight line on average")
    half = settled[len(settled) // 2]
    print(f"time left shown  {half.eta_seconds / (seconds - half.at) - 1:+.1%} at half-time")


def print_ends(client: Any, worker: Worker) -> None:
    """How long after a cancel, or a pause, the API has answered and the workers are idle."""
    simulated = ("simulations", {"games": 10**9, "player_count": 5})
    league = ("leagues", {"rounds": 500, "deals": 1000, "player_count": 5})
    for verb in ("cancel", "pause"):
        for (kind, asked), bots in (
            (simulated, ["coin-flip"] * 5),
            (simulated, ["planner"] + ["counter"] * 4),
            (league, ["planner", "counter", "pacer", "spread"]),
        ):
            response = client.post(f"/api/v1/{kind}/", {"game": "for-sale", **asked, "bots": bots}, format="json")
            assert response.status_code == 202, response.content
            time.sleep(6)  # chunks have grown to their length by then
            begun = time.perf_counter()
            assert client.post(f"{response['Location']}{verb}/").status_code == 200
            answered = time.perf_counter() - begun
            print(
                f"{verb:<7}{kind:<12}{bots[0]:<10} answered after {answered:.3f} s, "
                f"workers idle {worker.seconds_until_idle() + answered:.1f} s after the request"
            )
            client.post(f"{response['Location']}cancel/")


def through_the_api(games: int) -> float:
    """Seconds from the request to the answer that it is finished, with a worker that waits for work."""
    from rest_framework.test import APIClient

    from forsale_api.clubs.models import User
    from stats.models import LeagueRun, Simulation, SimulationResult

    client = APIClient()
    user = User.objects.create_user(f"benchmark-{secrets.token_hex(4)}")
    client.force_login(user)
    try:
        with Worker() as worker:
            watched(client, {**ASKED, "games": 200_000})  # finds the worker ready
            before = worker.megabytes()
            seconds, looks = watched(client, {**ASKED, "games": games})
            after = worker.megabytes()
            print_truth(seconds, games, looks)
            print(f"memory           {before} MB before, {after} MB after, by process")
            print_ends(client, worker)
        return seconds
    finally:
        Simulation.objects.filter(requester=user).delete()
        SimulationResult.objects.filter(simulations=None).delete()
        LeagueRun.objects.filter(requester=user).delete()
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

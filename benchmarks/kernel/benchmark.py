"""Games per second: the compiled kernel, the same in hand-written C, and plain Python, side by side in one process.

    uv run python benchmarks/kernel/benchmark.py [--quick] [--frozen] [--players N ...]

Needs gcc. One thread: thread CPU time, the engines in turn, medians of five. Two threads: wall time, the same way.
Every counter of the kernel and of the C program is compared; plain Python is `stats.bots.play`, the readable rules.
Figures differ from machine to machine; the ratios come from one run.
"""

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import exp, log
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from forsale_api.rules.for_sale import EDITIONS  # noqa: E402
from stats import kernel, simulation  # noqa: E402
from stats.bots import BOTS, play  # noqa: E402
from stats.summary import COUNTS, Setting  # noqa: E402

VARIANTS = ("base", "not-enough-for-everyone")
LINE_UPS = {
    "random": ("random",) * 6,
    "coin-flip": ("coin-flip",) * 6,
    "spread": ("spread",) * 6,
    "pacer": ("pacer",) * 6,
    "counter": ("counter",) * 6,
    "mixed": ("random", "spread", "pacer", "counter", "coin-flip", "counter"),
}
SEED = 1


def build_c(folder: Path) -> Callable[..., None]:
    """Compile games.c and give its `block`."""
    library = folder / "games.so"
    source = Path(__file__).with_name("games.c")
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    assert loaded.game_size() == kernel.GAME.itemsize
    assert loaded.counts_size() == COUNTS.itemsize
    loaded.block.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64]
    loaded.block.restype = None

    def block(table: Any, counts: Any, seed: Any, first: int, number: int) -> None:
        loaded.block(table.ctypes.data, counts.ctypes.data, int(seed), first, number)

    return block


class Bench:
    """One kind of game at one table of bots."""

    def __init__(self, players: int, variant: str, line_up: str, games: int) -> None:
        self.setting = Setting("for-sale", "iello", variant, players, LINE_UPS[line_up][:players], SEED)
        self.games = games

    def run(self, block: Callable[..., None], threads: int, pool: ThreadPoolExecutor) -> tuple[float, Any]:
        """Seconds for `games` games on each thread, and the counters added up."""
        tables = [simulation.game_record(kernel, self.setting) for _ in range(threads)]
        counts = [np.zeros(3, COUNTS) for _ in range(threads)]
        seed = np.uint64(SEED)
        clock = time.perf_counter if threads > 1 else time.thread_time
        before = clock()
        if threads == 1:
            block(tables[0], counts[0][1:2], seed, 0, self.games)
        else:
            list(pool.map(lambda k: block(tables[k], counts[k][1:2], seed, k * self.games, self.games), range(threads)))
        spent = clock() - before
        return spent, sum(c[1:2].view(np.int64) for c in counts)

    def plain(self, games: int) -> float:
        """Seconds of plain Python a game."""
        before = time.thread_time()
        for index in range(games):
            play(
                edition=EDITIONS["iello"],
                variant=self.setting.variant,
                player_count=self.setting.player_count,
                bots=[BOTS[bot] for bot in self.setting.bots],
                seed=SEED,
                index=index,
            )
        return (time.thread_time() - before) / games


def compare(bench: Bench, engines: dict[str, Callable[..., None]], threads: int, repeats: int, pool: Any) -> dict:
    """Games a second of each engine (median), after checking that all count the same."""
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    counted = {}
    for _repeat in range(repeats):
        for name, block in engines.items():
            spent, counted[name] = bench.run(block, threads, pool)
            seconds[name].append(spent)
    first, *others = counted.values()
    assert all(np.array_equal(first, other) for other in others), "the engines do not count the same"
    return {name: threads * bench.games / median(spent) for name, spent in seconds.items()}


def geometric_mean(values: list[float]) -> float:
    """exp of the mean logarithm."""
    return exp(fmean(map(log, values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer games: about ten seconds")
    parser.add_argument("--frozen", action="store_true", help="kernels with the number of players frozen")
    parser.add_argument("--players", type=int, nargs="*", default=[3, 4, 5, 6], help="these numbers of players only")
    options = parser.parse_args()
    games, repeats = (20_000, 3) if options.quick else (60_000, 5)
    print("million games a second; plain Python in games a second; ratios are medians of one run")
    print(
        f"{'n':>2} {'variant':<8}{'bots':<11}{'kernel':>8}{'C':>8}{'k/C':>6}"
        f"{'2 thr':>8}{'C 2 thr':>8}{'2/1':>6}{'plain':>8}{'k/plain':>8}"
    )
    ratios, scaling, plain_ratios = [], [], []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        c_block = build_c(Path(folder))
        for players in options.players:
            for variant in VARIANTS:
                for line_up in LINE_UPS:
                    frozen = {"players": players} if options.frozen else {}
                    module = kernel.build_for(LINE_UPS[line_up], **frozen)
                    engines = {"kernel": module.block, "c": c_block}
                    bench = Bench(players, variant, line_up, games)
                    one = compare(bench, engines, 1, repeats, pool)
                    two = compare(bench, engines, 2, repeats, pool)
                    plain = 1 / bench.plain(20 if options.quick else 100)
                    ratios.append(one["kernel"] / one["c"])
                    scaling.append(two["kernel"] / one["kernel"])
                    plain_ratios.append(one["kernel"] / plain)
                    print(
                        f"{players:>2} {'base' if variant == 'base' else 'variant':<8}{line_up:<11}"
                        f"{one['kernel'] / 1e6:8.2f}{one['c'] / 1e6:8.2f}{ratios[-1]:6.2f}"
                        f"{two['kernel'] / 1e6:8.2f}{two['c'] / 1e6:8.2f}{scaling[-1]:6.2f}"
                        f"{plain:8,.0f}{plain_ratios[-1]:8,.0f}",
                        flush=True,
                    )
    print(
        f"geometric means: kernel/C {geometric_mean(ratios):.3f} (least {min(ratios):.2f}), "
        f"two threads/one {geometric_mean(scaling):.2f}, kernel/plain Python {geometric_mean(plain_ratios):.0f}"
    )


if __name__ == "__main__":
    main()

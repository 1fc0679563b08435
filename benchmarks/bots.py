"""How much the planner, or another bot, wins alone among each of the simpler ones, and how fast it thinks.

    uv run python benchmarks/bots.py [--bot planner] [--deals 100]      # a few minutes on one core

Every deal is played once from each seat (the opener stays), a shared win counts its share. The figure is the bot's
share of the wins over a fair share, with the 95 % interval over deals; games a second are of one core's time.
"""

import argparse
import sys
import time
from math import sqrt
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from stats import kernel, simulation  # noqa: E402
from stats.summary import COUNTS, Setting  # noqa: E402

VARIANTS = {"base": "base", "variant": "not-enough-for-everyone"}
OTHERS = ("spread", "pacer", "counter", "to-six", "coin-flip")


def match(bot: str, players: int, variant: str, other: str, deals: int, seed: int) -> tuple[float, float, float]:
    """The bot's share over a fair share, half the width of its 95 % interval, games a second."""
    block = kernel.build_for([bot, other]).block
    wins = np.zeros(deals)
    before = time.thread_time()
    for seat in range(players):
        bots = [other] * players
        bots[seat] = bot
        setting = Setting("for-sale", "iello", variant, players, tuple(bots), seed)
        table = simulation.game_record(kernel, setting)
        for deal in range(deals):
            counts = np.zeros(1, COUNTS)
            block(table, counts, np.uint64(seed), deal, 1)
            wins[deal] += sum(counts["win"][0, seat] / np.arange(1, 7))
    rate = deals * players / (time.thread_time() - before)
    return wins.mean(), 1.96 * wins.std(ddof=1) / sqrt(deals), rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bot", default="planner", choices=kernel.BOTS)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    print("| players | game | " + " | ".join(f"among {other}" for other in OTHERS) + " | games a second |")
    print("|---" * (3 + len(OTHERS)) + "|")
    for players in (3, 4, 5, 6):
        for name, variant in VARIANTS.items():
            cells, rates = [], []
            for other in OTHERS:
                mean, half, rate = match(options.bot, players, variant, other, options.deals, options.seed)
                cells.append(f"{mean:.2f} ({mean - half:.2f} to {mean + half:.2f})")
                rates.append(rate)
            print(f"| {players} | {name} | {' | '.join(cells)} | {min(rates):.0f} to {max(rates):.0f} |", flush=True)


if __name__ == "__main__":
    main()

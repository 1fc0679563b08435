"""How fast fair prices are played: by the kernel, against the readable rules, and until every error is small enough.

    uv run python benchmarks/fair_price.py      # half a minute on one core

A deal is played once for each price and once for passing. Both play the same deals; the last column is the time that a
whole answer takes, standard errors within `questions.GAIN_SE`.
"""

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")
os.environ.setdefault("DJANGO_DEBUG", "1")

import django  # noqa: E402

django.setup()

from stats import fair_price  # noqa: E402
from stats.fair_price import Table  # noqa: E402
from stats.questions import GAIN_SE, MOST_DEALS, TURN_DEALS  # noqa: E402

BASE, VARIANT = "base", "not-enough-for-everyone"
TABLES = [
    Table("iello", BASE, 3, (1, 16, 30), 20, 5, "counter"),
    Table("iello", BASE, 4, (7, 12, 18, 29), 12, 4, "counter"),
    Table("iello", BASE, 5, (2, 9, 14, 21, 26), 10, 3, "counter"),
    Table("iello", BASE, 6, (3, 8, 11, 17, 22, 28), 14, 4, "counter"),
    Table("iello", BASE, 6, (3, 8, 11, 17, 22, 28), 14, 4, "random"),
    Table("iello", VARIANT, 4, (7, 18, 29), 12, 5, "counter"),
    Table("iello", VARIANT, 4, (7, 18, 29), 12, 5, "coin-flip"),
    Table("iello", BASE, 6, (5, 9, 20, 28), 9, 2, "pacer", stakes=(0, None, 2, 3, None, 5)),
]
KERNEL_DEALS, READABLE_DEALS = 10_000, 40


def deals_a_second(play: object, table: Table, deals: int) -> float:
    """Of one core's time."""
    before = time.thread_time()
    play(table, 0, deals)  # type: ignore[operator]
    return deals / (time.thread_time() - before)


def answer(table: Table) -> tuple[int, float]:
    """Deals and seconds until every standard error is within its limit."""
    before, deals, sums = time.perf_counter(), 0, None
    while deals < MOST_DEALS:
        new = fair_price.sums_of(table, deals, TURN_DEALS)
        sums = fair_price.joined(sums, new) if sums else new
        deals += TURN_DEALS
        if max(row["se"] for row in fair_price.rows_of(sums)) <= GAIN_SE:
            break
    return deals, time.perf_counter() - before


def main() -> None:
    fair_price.warm_up()
    print("| players | game | bot | prices | deals a second | readable rules | times | deals of an answer | seconds |")
    print("|---" * 9 + "|")
    for table in TABLES:
        fast = deals_a_second(fair_price.sums_of, table, KERNEL_DEALS)
        slow = deals_a_second(fair_price.sums_readable, table, READABLE_DEALS)
        deals, seconds = answer(table)
        game = "base" if table.variant == BASE else "variant"
        game += ", bid under way" if table.stakes else ""
        print(
            f"| {table.player_count} | {game} | {table.bot} | {len(table.prices)} | {fast:,.0f} | {slow:,.0f} "
            f"| {fast / slow:,.0f} | {deals:,} | {seconds:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Counts of games played in the readable rules: what the kernel counts, for tables that the kernel cannot play."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from forsale_api.rules.for_sale import EDITIONS, State, scores
from stats.bots import BOTS, Bot, play
from stats.summary import COUNTS, LAST, Setting, Summary


def simulate_readable(
    setting: Setting,
    *,
    games: int,
    others: Mapping[str, Bot],
    progress: Callable[[int], None] | None = None,
) -> Summary:
    """Play games 0 to `games - 1` of the setting, move by move, and count them.

    `others` are bots by name that are not built in. `progress` hears, now and then, how many games are done.
    """
    counts = np.zeros(1, COUNTS)
    for index in range(games):
        state, _record = play(
            edition=EDITIONS[setting.edition],
            variant=setting.variant,
            player_count=setting.player_count,
            bots=[others.get(bot) or BOTS[bot] for bot in setting.bots],
            seed=setting.seed,
            index=index,
            opener=None if setting.opener == "random" else setting.opener,
        )
        tally(state, counts[0])
        if progress and (index % 20 == 19 or index + 1 == games):
            progress(index + 1)
    return Summary(setting, ((0, games),), counts)


def places(state: State) -> list[int]:
    """Each seat's rank, from 1: by total, then by banknotes; equal where both are."""
    figures = [(total, hand.banknotes) for total, hand in zip(scores(state), state.hands, strict=True)]
    return [1 + sum(other > mine for other in figures) for mine in figures]


def tally(state: State, c: Any) -> None:
    """Add a finished game to a record of COUNTS."""
    totals, ranks = scores(state), places(state)
    notes = [hand.banknotes for hand in state.hands]
    cheques = [sum(hand.cheques) for hand in state.hands]
    best, second = sorted(totals, reverse=True)[:2]
    level, winners = totals.count(best), ranks.count(1)
    c["games"] += 1
    c["winning_total"][best] += 1
    c["margin"][best - second] += 1
    c["decided_by"][0 if best > second else 1 if winners == 1 else 2] += 1
    c["game_total"][sum(totals)] += 1
    c["game_banknotes"][sum(notes)] += 1
    c["game_cheques"][sum(cheques)] += 1
    for seat in range(state.players):
        position = (seat + 1 - state.first_seat) % state.players
        c["total"][seat, totals[seat]] += 1
        c["banknotes"][seat, notes[seat]] += 1
        c["rank"][seat, ranks[seat] - 1] += 1
        c["seat_cheques"][cheques[seat]] += 1
        c["seat_houses"][sum(owner == seat + 1 for owner in state.owners.values())] += 1
        if ranks[seat] == 1:
            c["win"][seat, winners - 1] += 1
            c["position_win"][position, winners - 1] += 1
        if totals[seat] == best and level > 1:
            shared_by = winners if ranks[seat] == 1 else 0
            c["tie"][seat, level - 1, shared_by] += 1
            c["position_tie"][position, level - 1, shared_by] += 1
    _tally_purchases(state, c)
    _tally_sales(state, c)


def _tally_purchases(state: State, c: Any) -> None:
    for number in range(len(state.sizes)):
        bought = [purchase for purchase in state.purchases if purchase.round == number]
        houses = [purchase.house for purchase in bought if purchase.house is not None]
        c["spread"][max(houses) - min(houses), bought[-1].paid] += 1
        for purchase in bought:
            if purchase.house is None:
                c["empty"][purchase.stake] += 1
            else:
                c["taken"][purchase.house - 1, purchase.stake + (LAST if purchase is bought[-1] else 0)] += 1


def _tally_sales(state: State, c: Any) -> None:
    sold = {sale.house: sale.cheque for sale in state.sales}
    kept = sorted(state.owners.keys() - sold.keys())  # by whoever scooped: they count as sold in order of size
    c["scoop"][len(kept)] += 1
    if kept:
        sold |= zip(kept, sorted(state.seat(state.owners[kept[0]]).cheques[-len(kept) :]), strict=True)
    for house, cheque in sold.items():
        c["fetched"][house - 1, cheque] += 1

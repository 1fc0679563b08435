"""The audit of a sheet as tables, for a score pad that has no rules of its own and only compares.

`of_sheet` holds what `score_sheet.audit` asks of cheques and banknotes seat by seat; the search for one common deal
of houses (variant) does not fit a table, so a sheet that passes here may still be refused there. `of_points` holds
all that `lady_richmond.audit` asks.
"""

from functools import cache
from typing import Any

from . import for_sale, lady_richmond
from .score_sheet import Deal, cards_of, deal_of, highest, lost_by_passing, lowest, sums_of
from .scoring import Severity


@cache
def of_sheet(edition_slug: str, variant: str, players: int) -> dict[str, Any]:
    """What the sheet of this edition, variant and number of players can be, in thousands of dollars.

    - `money`: banknotes dealt to each seat; `rounds`: buying rounds.
    - `groups`: per size 1, 2, ... below `players`, the least and the most cheques of a group of that many seats.
    - `alone`, `all`: the sums that one seat's cheques and all cheques can have, as ranges [low, high].
    - `without`: how many seats can end without a banknote, null where all can.
    - `passing`: by what the last seat of a round paid, the most a passer can lose in it; null where it limits nothing.
    - `cards`: cheque cards of each seat, null where seats differ; `values`: the cheques there are.
    - `other`: null, or `aside` and a table of the deal with that many cards set aside that the booklet may mean.
    """
    edition = for_sale.EDITIONS[edition_slug]
    table = _table(deal_of(edition, variant, players))
    other = edition.variant_aside_doubt.get(players) if variant == for_sale.NOT_ENOUGH else None
    if other is not None:
        table["other"] = _table(deal_of(edition, variant, players, other)) | {"aside": other}
        table["aside"] = for_sale.cards_aside(edition, variant, players)
    return table


@cache
def of_points() -> dict[str, Any]:
    """What a Lady Richmond sheet can be, whatever the number of players.

    - `limits`: how many objects the largest categories of 1, 2, ... seats have together at most.
    - `readings`: of the deck, the one that allows most first: what lies beyond it (`severity`), and the `most` and the
      `least` points of a pile with at most 0, 1, ... objects alike; the last ones are those of any pile.
    """
    objects = lady_richmond.OBJECTS
    best, worst = lady_richmond.widest_reading(objects)
    readings: list[tuple[Severity, Any, Any]] = [("impossible", best, worst), ("unlikely", objects, objects)]
    alike = range(lady_richmond.MOST_ALIKE + 1)
    return {
        "limits": lady_richmond.group_limits(),
        "readings": [
            {
                "severity": severity,
                "most": [lady_richmond.most_points(high, number) for number in alike],
                "least": [lady_richmond.least_points(low, number) for number in alike],
            }
            for severity, high, low in readings
        ],
    }


def _table(deal: Deal) -> dict[str, Any]:
    sums = sums_of(deal.deck)
    few_rounds = deal.rounds < deal.players
    alone = 0
    groups = []
    for size in range(1, deal.players):
        fewest, most = cards_of(size, deal.players - size, deal.dealt, deal)
        groups.append([lowest(sums[fewest]), highest(sums[most])])
        if size == 1:
            for number in range(fewest, most + 1):
                alone |= sums[number]
    return {
        "money": deal.money,
        "rounds": deal.rounds,
        "groups": groups,
        "alone": _ranges(alone),
        "all": _ranges(sums[deal.dealt]),
        "without": deal.rounds if few_rounds and deal.refund_rounds_up else None,
        "passing": [lost_by_passing(max(paid, 1), deal) for paid in range(deal.money + 1)] if few_rounds else None,
        "cards": deal.rounds if deal.is_base else None,
        "values": sorted(set(deal.deck)),
        "other": None,
    }


def _ranges(sums: int) -> list[list[int]]:
    """A set of sums, the bits of an integer, as ranges of neighbours, both ends included."""
    found: list[list[int]] = []
    for value in range(sums.bit_length()):
        if not sums >> value & 1:
            continue
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return found

"""A league of bots: who wins how much, and how sure that is. No Django.

A league is played in rounds. A round seats every bot equally often; each table plays its deals once for every rotation
of its bots round the seats, so that neither the seat, nor the opener, nor the luck of the cards favours anybody. A
round depends on the request and its own number alone: it may be played anywhere, in any order, again after a failure.
Rounds are independent of each other, so what differs between them gives every standard error.

Ratings are those of R. D. Luce's choice model (Individual Choice Behavior, 1959) for who wins a table: bot i wins with
probability s_i / (the sum of s over the seats), a shared win counting 1/k for each of its k winners. They are shown as
400 log10(s), 1500 on average: of two bots 100 apart, the better one wins 1.78 times as often at a table of both. The
fit is that of D. R. Hunter (Annals of Statistics 32, 2004); its interval is a jackknife over groups of rounds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import gcd, lcm, log10, sqrt
from random import Random
from statistics import mean, stdev
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from forsale_api.rules.for_sale import DEFAULT_EDITION, EDITIONS, State, scores
from forsale_api.rules.messages import Message
from forsale_api.rules.messages import gettext_noop as _
from stats.bots import BOTS, Bot, play
from stats.distribution import Z
from stats.simulation import MOST_GAMES, RequestError, check_request, simulate
from stats.summary import Setting, Summary
from stats.tally import places

CREDIT = 60
"""A win, in parts that every number of winners divides."""
MOST_BOTS = 12
MOST_ROUNDS = 2_000
GROUPS = 40
"""Rounds are put into so many groups for the jackknife of the ratings."""
PRIOR = 0.5
"""Wins that every bot is given against, and as many that it gives to, a bot of strength 1: no rating is infinite."""

type Tables = Literal["mixed", "duels"]
TABLES = ("mixed", "duels")


@dataclass(frozen=True, slots=True)
class League:
    """A request. `rounds` rounds with `deals` deals at each table.

    `tables`: "mixed" draws who sits with whom anew in each round; "duels" sets each bot alone among copies of each
    other one.
    """

    bots: tuple[str, ...]
    player_count: int
    seed: int
    rounds: int = 60
    deals: int = 100
    tables: Tables = "mixed"
    game: str = "for-sale"
    edition: str = DEFAULT_EDITION
    variant: str = "base"

    @property
    def games_a_deal(self) -> int:
        """Games of one round with one deal a table: one for each table and rotation."""
        bots, seats = len(self.bots), self.player_count
        tables = bots * (bots - 1) if self.tables == "duels" else bots // gcd(bots, seats)
        return tables * seats

    @property
    def games_a_round(self) -> int:
        """Games of one round."""
        return self.games_a_deal * self.deals

    @property
    def games(self) -> int:
        """Games of the whole league."""
        return self.rounds * self.games_a_round

    def made_by(self) -> dict[str, Any]:
        """What plays it now, as `Setting.made_by` says."""
        return Setting(self.game, self.edition, self.variant, self.player_count, self.bots, self.seed).made_by()

    def as_dict(self) -> dict[str, Any]:
        """The request as it would be posted, with nothing left out."""
        return {**asdict(self), "bots": list(self.bots)}


def check_league(league: League, *, known: Iterable[str] = BOTS, most_games: int = MOST_GAMES) -> None:
    """Raise RequestError for the first field that is not as offered; the message names what is.

    `known` are the bots there are: the built-in ones, or those and others.
    """
    stand_ins = [next(iter(BOTS))] * league.player_count if 0 < league.player_count < 100 else []
    check_request(
        game=league.game, edition=league.edition, variant=league.variant, player_count=league.player_count,
        bots=stand_ins, games=1, seed=league.seed,
    )  # fmt: skip
    if not 2 <= len(league.bots) <= MOST_BOTS:
        text = _("A league has from %(low)s to %(high)s bots, not %(number)s.")
        limits = {"low": 2, "high": MOST_BOTS, "number": len(league.bots)}
        raise RequestError(Message("wrong-number-of-bots", text, limits), "bots")
    known = list(known)
    for index, bot in enumerate(league.bots):
        if bot not in known:
            text = _("There is no bot “%(value)s”, only %(offered)s.")
            raise RequestError(Message("unknown-bot", text, {"value": bot, "offered": ", ".join(known)}), "bots", index)
        if bot in league.bots[:index]:
            text = _("The bot “%(value)s” is named twice.")
            raise RequestError(Message("bot-named-twice", text, {"value": bot}), "bots", index)
    if league.tables not in TABLES:
        text = _("There are no tables “%(value)s”, only %(offered)s.")
        params = {"value": league.tables, "offered": ", ".join(TABLES)}
        raise RequestError(Message("unknown-tables", text, params), "tables")
    _within("rounds", league.rounds, 2, MOST_ROUNDS)
    _within("deals", league.deals, 1, max(1, most_games // (league.games_a_deal * league.rounds)))


def _within(field: str, value: int, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        text = _("%(field)s must be a whole number from %(low)s to %(high)s, not %(value)s.")
        params = {"field": field, "low": f"{low}", "high": f"{high}", "value": value}
        raise RequestError(Message(f"{field}-out-of-range", text, params), field)


# --- playing -----------------------------------------------------------------------------------------


def tables_of(league: League, number: int) -> list[tuple[int, ...]]:
    """Who sits together in round `number` (from 0): indices of bots, in seat order before any rotation."""
    bots, seats = range(len(league.bots)), league.player_count
    if league.tables == "duels":
        return [(lone, *[other] * (seats - 1)) for lone in bots for other in bots if other != lone]
    random = Random(f"{league.seed}/{number}")
    line: list[int] = []
    while len(line) < lcm(len(bots), seats):
        some = list(bots)
        random.shuffle(some)
        waiting = line[len(line) - len(line) % seats :]  # at the table that is not full yet; they come last
        line += sorted(some, key=waiting.__contains__)
    return [tuple(line[at : at + seats]) for at in range(0, len(line), seats)]


def play_round(
    league: League,
    number: int,
    *,
    others: Mapping[str, Bot] | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[dict[str, Any]]:
    """Play round `number`; whole numbers, a row for each table.

    A row: `bots` (indices into the league's), `games`, and by place at the table, over all rotations, `credit` (wins
    in 60ths), `total` (thousands of dollars, summed) and `rank` (summed). `others` are bots by name that are not
    built in: their tables are played in the readable rules, move by move. `progress` is called now and then, with the
    games of this table so far, and may stop the round by raising.
    """
    rows = []
    for index, table in enumerate(tables_of(league, number)):
        first = (number * league.games_a_round // league.player_count) + index * league.deals
        row = {"bots": list(table), "games": league.deals * league.player_count}
        sums = np.zeros((3, league.player_count), np.int64)
        for turn in range(league.player_count):
            seated = [league.bots[table[(seat - turn) % league.player_count]] for seat in range(league.player_count)]
            by_seat = _figures(league, seated, first, others or {}, progress)
            sums += np.roll(by_seat, -turn, axis=1)
        row |= {name: sums[k].tolist() for k, name in enumerate(("credit", "total", "rank"))}
        rows.append(row)
    return rows


def _figures(
    league: League,
    seated: Sequence[str],
    first: int,
    others: Mapping[str, Bot],
    progress: Callable[[int], None] | None,
) -> NDArray[np.int64]:
    """Wins in 60ths, sums of totals and sums of ranks, by seat, of games `first` on."""
    if not others.keys() & set(seated):
        summary = simulate(
            game=league.game, edition=league.edition, variant=league.variant, player_count=league.player_count,
            bots=seated, games=league.deals, seed=league.seed, first_game=first, progress=progress,
        )  # fmt: skip
        return np.array([_of_seat(summary, seat) for seat in range(league.player_count)], np.int64).T
    sums = np.zeros((3, league.player_count), np.int64)
    for index in range(first, first + league.deals):
        state, _record = play(
            edition=EDITIONS[league.edition], variant=league.variant, player_count=league.player_count,
            bots=[others.get(bot) or BOTS[bot] for bot in seated], seed=league.seed, index=index,
        )  # fmt: skip
        sums += _of_game(state)
    return sums


def _of_seat(summary: Summary, seat: int) -> tuple[int, int, int]:
    wins, ranks = summary["win"][seat], summary["rank"][seat]
    return (
        sum(int(count) * CREDIT // k for k, count in enumerate(wins, 1)),
        sum(total * count for total, count in summary.histogram("total", seat).items()),
        sum(rank * int(count) for rank, count in enumerate(ranks, 1)),
    )


def _of_game(state: State) -> NDArray[np.int64]:
    """The same of one game."""
    ranks = places(state)
    credit = [CREDIT // ranks.count(1) if rank == 1 else 0 for rank in ranks]
    return np.array([credit, scores(state), ranks], np.int64)


# --- the table ---------------------------------------------------------------------------------------


def standings(league: League, rounds: Mapping[int, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The table of the rounds played so far (any of them), best rating first, with 95 % intervals.

    Shares and means are over rounds, as are their intervals (Student's t); null below two rounds.
    """
    played = [rounds[number] for number in sorted(rounds)]
    bots = range(len(league.bots))
    shares, totals, ranks = ([[_mean_of(rows, bot, name) for rows in played] for bot in bots] for name in _SUMS)
    ratings = _ratings(league, played)
    order = sorted(bots, key=lambda bot: (ratings[bot]["value"] or 0.0, -bot), reverse=True)
    results = []
    for place, bot in enumerate(order):
        after = order[place + 1] if place + 1 < len(order) else None
        lead = [] if after is None else [a - b for a, b in zip(shares[bot], shares[after], strict=True)]
        seats = sum(row["bots"].count(bot) * row["games"] for rows in played for row in rows)
        results.append(
            {
                "place": place + 1,
                "bot": league.bots[bot],
                "rating": ratings[bot],
                "win_share": {**_estimate([share / CREDIT for share in shares[bot]]), "n": seats},
                "lead": None if after is None else _estimate([share / CREDIT for share in lead]),
                "mean_total": _estimate(totals[bot]),
                "mean_rank": _estimate(ranks[bot]),
            }
        )
    return {
        "request": league.as_dict(),
        **league.made_by(),
        "rounds": len(played),
        "games": len(played) * league.games_a_round,
        "complete": len(played) == league.rounds,
        "fair_share": 1 / league.player_count,
        "model": MODEL,
        "results": results,
        "duels": _duels(league, played) if league.tables == "duels" else [],
    }


MODEL = "luce-400-1500"
"""Names the model of the ratings, described above."""

_SUMS = ("credit", "total", "rank")


def _mean_of(rows: Sequence[Mapping[str, Any]], bot: int, name: str) -> float:
    """The mean over a round's seats that the bot held."""
    held = [(row[name][at], row["games"]) for row in rows for at, other in enumerate(row["bots"]) if other == bot]
    return float(sum(value for value, _games in held) / sum(games for _value, games in held))


def _estimate(values: Sequence[float]) -> dict[str, float | None]:
    """The mean of independent values with its standard error and 95 % interval."""
    if not values:
        return dict.fromkeys(("value", "se", "low", "high"))
    centre = mean(values)
    if len(values) < 2:
        return {"value": centre, "se": None, "low": None, "high": None}
    se = stdev(values) / sqrt(len(values))
    half = student(len(values) - 1) * se
    return {"value": centre, "se": se, "low": centre - half, "high": centre + half}


def student(freedom: int) -> float:
    """Student's t for a 95 % interval (M. Abramowitz, I. Stegun, Handbook, 26.7.5); within 2 % from 3 degrees on."""
    z, v = Z, freedom
    return float(
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def _duels(league: League, played: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Of each bot alone among each other: its share of the wins, as a multiple of a fair share."""
    times: dict[tuple[int, int], list[float]] = defaultdict(list)
    for rows in played:
        for row in rows:
            lone, other = row["bots"][:2]
            times[lone, other].append(row["credit"][0] / CREDIT / row["games"] * league.player_count)
    return [
        {"bot": league.bots[lone], "among": league.bots[other], "times_fair": _estimate(values)}
        for (lone, other), values in sorted(times.items())
    ]


def _ratings(league: League, played: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, float | None]]:
    bots = len(league.bots)
    if not played:
        return [{"value": None, "se": None, "low": None, "high": None} for _bot in range(bots)]
    groups = min(GROUPS, len(played))
    parts = [_wins_of((row for rows in played[group::groups] for row in rows), bots) for group in range(groups)]
    whole = _joined(parts, bots)
    centre = _fit(*whole)
    if groups < 2:
        return [{"value": float(value), "se": None, "low": None, "high": None} for value in centre]
    without = np.array([_fit(*_joined(parts[:k] + parts[k + 1 :], bots), start=centre) for k in range(groups)])
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    se = np.sqrt(spread * (groups - 1) / groups)
    half = student(groups - 1) * se
    return [
        {"value": float(v), "se": float(s), "low": float(v - h), "high": float(v + h)}
        for v, s, h in zip(centre, se, half, strict=True)
    ]


type _Wins = tuple[NDArray[np.float64], dict[tuple[int, ...], int]]
"""Wins by bot, and games by who sat at the table (indices, ascending)."""


def _wins_of(rows: Iterable[Mapping[str, Any]], bots: int) -> _Wins:
    wins, games = np.zeros(bots), defaultdict[tuple[int, ...], int](int)
    for row in rows:
        games[tuple(sorted(row["bots"]))] += row["games"]
        np.add.at(wins, row["bots"], np.array(row["credit"]) / CREDIT)
    return wins, games


def _joined(parts: Sequence[_Wins], bots: int) -> _Wins:
    wins, games = np.zeros(bots), defaultdict[tuple[int, ...], int](int)
    for some, tables in parts:
        wins += some
        for table, number in tables.items():
            games[table] += number
    return wins, games


def _fit(
    wins: NDArray[np.float64], games: Mapping[tuple[int, ...], int], *, start: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The ratings that make these wins most likely, by Hunter's minorisation steps."""
    seated = np.array([[table.count(bot) for bot in range(len(wins))] for table in games], float)
    number = np.array(list(games.values()), float)
    strength = np.ones(len(wins)) if start is None else 10 ** ((start - start.mean()) / 400)
    for _step in range(2000):
        due = seated.T @ (number / (seated @ strength)) + 2 * PRIOR / (strength + 1)
        better = (wins + PRIOR) / due
        better /= np.exp(np.log(better).mean())
        change = float(np.abs(np.log(better / strength)).max())
        strength = better
        if change < 1e-9:
            break
    return np.array([1500 + 400 * log10(value) for value in strength])


# --- many rounds -------------------------------------------------------------------------------------


def missing(league: League, done: Iterable[int]) -> list[int]:
    """The rounds still to be played, in order."""
    return sorted(set(range(league.rounds)) - set(done))

"""Questions people ask about the game, answered by simulation: rows for a chart, and a sentence.

Every answer is read from simulations of one bot in every seat (seed 1, opener random), as many games as keep every
standard error under a stated size. They are begun by the first who asks and stored for ever; until they end the answer
is that of the games done so far, and says so. Money is in thousands of dollars.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log10, sqrt
from typing import Any

from django.conf import settings
from django.core.cache import cache as shared_cache
from django.db import transaction
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from forsale_api.api.problems import NotFound, Problem, translate
from forsale_api.rules.for_sale import BASE, DEFAULT_EDITION, EDITIONS, NOT_ENOUGH, player_counts
from stats import services
from stats.bots import BOTS
from stats.distribution import share
from stats.fair_price import Table, check_table, fair_price, joined, rows_of, sums_of
from stats.models import PricedTable, Simulation, SimulationResult
from stats.simulation import RequestError
from stats.summary import ENGINE, Setting, Summary

START_QUESTIONS = "stats.tasks.start_questions"
BOT = "counter"
"""Who plays, unless another is asked for: the answer depends on it."""
ASKED = tuple(bot for bot in BOTS if bot != "planner")
"""Who may be asked for: those that play a million games in seconds."""
FIRST_GAMES = 1_000_000
"""Enough for most answers; where they are not, they tell how many are."""
MOST_GAMES = 200_000_000
APART = 3.0
"""Standard errors between the best and the worst of up to six, for them to be called different."""


@dataclass(frozen=True, slots=True)
class Precision:
    """The largest standard error of a mean (thousands of dollars) and of a share."""

    mean: float
    share: float


PRECISIONS = {"normal": Precision(0.02, 0.001), "fine": Precision(0.005, 0.0003)}

type Kind = tuple[str, str, int]
"""Edition, variant, number of players."""
type Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Played:
    """What the answers read of a summary: small enough to be kept."""

    player_count: int
    games: int
    means: Mapping[str, Mapping[str, float | None]]
    """By figure: {"mean", "se"}."""
    decided_by: Mapping[str, int]
    positions: Rows
    tie_positions: Rows
    houses: Rows


@dataclass(frozen=True, slots=True)
class Question:
    """`kinds` gives the groups of simulations that one block of the answer needs, `answer` the block's rows."""

    slug: str
    kinds: Callable[[Mapping[str, Any]], list[tuple[Kind, ...]]]
    answer: Callable[[Sequence[Played]], Rows]
    sentence: Callable[[Sequence[Played], Rows], str]


def ask(slug: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question: {"question", "filters", "complete", "se_limits", "engine", "results"}.

    A block of the results has its kind, `games`, `complete`, the largest standard errors, `rows` and a `sentence`.
    Raises `NotFound` where there is no such question. Simulations that are missing are begun by a worker.
    """
    question = QUESTIONS.get(slug)
    if question is None:
        raise NotFound(gettext("There is no such question."), code="no-such-question")
    bot, precision = filters.get("bot") or BOT, filters.get("precision") or "normal"
    limits = PRECISIONS[precision]
    groups = question.kinds(filters)
    if not groups:
        raise Problem(
            gettext("No edition and variant is for that many players."),
            code="players-not-offered",
            place=("player_count",),
        )
    results, wanted = [], []
    for kinds in groups:
        found = [_best(_setting(kind, bot)) for kind in kinds]
        block = _block(question, kinds, found, limits)
        if not block["complete"]:
            wanted += [(*kind, bot, block["needs"]) for kind in kinds]
        del block["needs"]
        results.append(block)
    start(wanted)
    return {
        "question": slug,
        "filters": {"edition": filters.get("edition"), "variant": filters.get("variant"),
                    "player_count": filters.get("player_count"), "bot": bot, "precision": precision},
        "complete": not wanted,
        "se_limits": {"mean": limits.mean, "share": limits.share},
        "engine": ENGINE,
        "results": results,
    }  # fmt: skip


def _setting(kind: Kind, bot: str) -> Setting:
    edition, variant, players = kind
    same = services.reference_edition(edition)  # editions of equal numbers share their simulations
    return Setting(services.SIMULATED_GAME, same, variant, players, (bot,) * players, services.REFERENCE_SEED)


def _best(setting: Setting) -> Played | None:
    """The summary with most games that is stored of this setting, under way or done."""
    stored = SimulationResult.objects.filter(key=setting.key, games__gt=0, summary__isnull=False)
    best = stored.order_by("-games").values_list("pk", "games", "complete").first()
    if best is None:
        return None
    pk, games, complete = best
    return _whole(setting.key, games, pk) if complete else _read(pk)


@lru_cache(maxsize=256)
def _whole(key: str, games: int, pk: int) -> Played | None:
    """Of a simulation that is complete, which never changes."""
    return _read(pk)


def _read(pk: int) -> Played | None:
    stored = SimulationResult.objects.values_list("summary", flat=True).get(pk=pk)
    try:
        summary = Summary.from_bytes(bytes(stored or b""))
    except ValueError:  # stored in another form: as good as none
        return None
    results = summary.as_dict()
    means = {name: {part: found[part] for part in ("mean", "se")} for name, found in results["overall"].items()}
    return Played(
        summary.setting.player_count, summary.games, means, results["decided_by"], results["positions"],
        results["ties"]["positions"], results["houses"],
    )  # fmt: skip


def _block(
    question: Question, kinds: Sequence[Kind], found: Sequence[Played | None], limits: Precision
) -> dict[str, Any]:
    edition, variant, players = kinds[0]
    played = [each for each in found if each is not None]
    rows = question.answer(played) if len(played) == len(kinds) else []
    games = min((each.games for each in played), default=0) if rows else 0
    largest = {"mean": _largest(rows, "means"), "share": _largest(rows, "shares")}
    excess = max((largest[name] or 0) / getattr(limits, name) for name in largest) if rows else 0.0
    # an error shrinks with the root of the games
    needs = FIRST_GAMES if games < FIRST_GAMES else min(MOST_GAMES, _rounded_up(games * excess**2))
    needs = min(needs, settings.MAX_SIMULATION_GAMES)
    return {
        "edition": edition if len({kind[0] for kind in kinds}) == 1 else None,
        "variant": variant if len({kind[1] for kind in kinds}) == 1 else None,
        "player_count": players,
        "games": games,
        "complete": bool(rows) and games >= needs,
        "largest_se": largest,
        "needs": needs,
        "rows": [{name: value for name, value in row.items() if name not in ("means", "shares")} for row in rows],
        "sentence": question.sentence(played, rows) if rows else "",
    }


def _largest(rows: Rows, name: str) -> float | None:
    return max((se for row in rows for se in row.get(name, ()) if se is not None), default=None)


def _rounded_up(games: float) -> int:
    """To two digits, so that the same question asks for the same games."""
    step = 10 ** max(0, int(log10(max(games, 1))) - 1)
    return int(ceil(games * 1.1 / step) * step)  # the error is itself an estimate


# --- simulations -------------------------------------------------------------------------------------


def start(wanted: Iterable[tuple[str, str, int, str, int]]) -> None:
    """Have a worker begin these simulations: edition, variant, players, bot, games."""
    new = [one for one in dict.fromkeys(wanted) if shared_cache.add("question:" + ":".join(map(str, one)), True, 5)]
    if new:
        services.send_task(START_QUESTIONS, wanted=[list(one) for one in new])


def begin(*, edition: str, variant: str, player_count: int, bot: str, games: int) -> Simulation | None:
    """Begin a simulation for a question, unless one of as many games is under way."""
    setting = _setting((edition, variant, player_count), bot)
    under_way = Simulation.objects.filter(result__key=setting.key, games__gte=games, status__in=services.ACTIVE)
    with transaction.atomic():
        if under_way.exists():
            return None
        return services.request_simulation(
            requester=None,
            game=setting.game,
            edition=setting.edition,
            variant=variant,
            player_count=player_count,
            bots=setting.bots,
            games=games,
            seed=setting.seed,
        )


# --- kinds -------------------------------------------------------------------------------------------


def _each(filters: Mapping[str, Any]) -> list[tuple[Kind, ...]]:
    """A block for each variant and number of players that the filters leave."""
    edition = filters.get("edition") or DEFAULT_EDITION
    return [
        ((edition, variant, players),)
        for variant in (BASE, NOT_ENOUGH)
        if filters.get("variant") in (None, variant)
        for players in player_counts(EDITIONS[edition], variant)
        if filters.get("player_count") in (None, players)
    ]


def _roundings(filters: Mapping[str, Any]) -> list[tuple[Kind, ...]]:
    """The same, of two editions that differ in nothing but the rounding of the refund, down first."""
    kinds = _each({**filters, "edition": "bga-up"})
    return [(("bga-down", variant, players), ("bga-up", variant, players)) for ((_up, variant, players),) in kinds]


def _variants(filters: Mapping[str, Any]) -> list[tuple[Kind, ...]]:
    """Base game and variant, for each number of players that both are for."""
    edition = filters.get("edition") or DEFAULT_EDITION
    both = set(player_counts(EDITIONS[edition], BASE)) & set(player_counts(EDITIONS[edition], NOT_ENOUGH))
    return [
        ((edition, BASE, players), (edition, NOT_ENOUGH, players))
        for players in sorted(both)
        if filters.get("player_count") in (None, players)
    ]


# --- answers -----------------------------------------------------------------------------------------


def _house_worth(played: Sequence[Played]) -> Rows:
    (one,) = played
    return [{**house, "means": [house["price"]["se"], house["cheque"]["se"]]} for house in one.houses]


def _position(played: Sequence[Played]) -> Rows:
    (one,) = played
    fair = 1 / one.player_count
    rows = []
    for place in one.positions:
        se = _se_of(place["win_share"])
        rows.append({**place, "se": se, "advantage": place["win_share"]["value"] - fair, "shares": [se]})
    return rows


def _ties(played: Sequence[Played]) -> Rows:
    (one,) = played
    decided = one.decided_by
    outcomes = {"tied": decided["banknotes"] + decided["shared"], **decided}
    return [
        {"outcome": outcome, "share": found, "se": _se_of(found), "shares": [_se_of(found)]}
        for outcome, found in ((outcome, share(count, one.games)) for outcome, count in outcomes.items())
    ]


def _tie_break(played: Sequence[Played]) -> Rows:
    """By position: how often it is level with others at the top, and what it wins then beyond an even chance."""
    (one,) = played
    rows = []
    for place in one.tie_positions:
        level, gain = place["level"], place["gain"]
        of_all = None if gain["se"] is None else gain["se"] * level["value"]  # so much of the share of all wins
        rows.append({**place, "shares": [_se_of(level), of_all]})
    return rows


def _compared(played: Sequence[Played]) -> Rows:
    """Two simulations figure by figure, the second less the first. Their errors are taken as independent."""
    one, other = played
    rows: Rows = []
    for figure in ("total", "winning_total", "margin", "banknotes"):
        a, b = one.means[figure], other.means[figure]
        se = sqrt((a["se"] or 0) ** 2 + (b["se"] or 0) ** 2)
        rows.append(_difference(figure, a["mean"] or 0, b["mean"] or 0, se) | {"means": [se]})
    for figure, count in (("tied", ("banknotes", "shared")), ("shared", ("shared",))):
        a, b = (share(sum(found.decided_by[how] for how in count), found.games) for found in (one, other))
        se = sqrt(_se_of(a) ** 2 + _se_of(b) ** 2)
        rows.append(_difference(figure, a["value"], b["value"], se) | {"shares": [se]})
    first, second = (found.positions[0]["win_share"] for found in (one, other))
    se = sqrt(_se_of(first) ** 2 + _se_of(second) ** 2)
    rows.append(_difference("opener_wins", first["value"], second["value"], se) | {"shares": [se]})
    return rows


def _difference(figure: str, a: float, b: float, se: float) -> dict[str, Any]:
    return {"figure": figure, "first": a, "second": b, "difference": b - a, "se": se}


def _se_of(found: Mapping[str, Any]) -> float:
    return sqrt(found["value"] * (1 - found["value"]) / found["n"])


# --- sentences ---------------------------------------------------------------------------------------


def _with_players(played: Played) -> str:
    players = played.player_count
    return ngettext("with %(number)d player", "with %(number)d players", players) % {"number": players}


def _money(thousands: float, *, signed: bool = False) -> str:
    """Whole hundreds of dollars, as the language writes them."""
    amount = number_format(abs(round(thousands * 1000, -2)), 0, force_grouping=True)
    return _sign(thousands, signed) + gettext("$%(amount)s") % {"amount": amount}


def _percent(share: float, *, signed: bool = False) -> str:
    return _sign(share, signed) + number_format(abs(100 * share), 1)


def _sign(value: float, signed: bool) -> str:
    return "−" if value < 0 else "+" if signed else ""


def _say_house_worth(played: Sequence[Played], rows: Rows) -> str:
    sold = [row for row in rows if row["cheque"]["mean"] is not None]
    best, middle = sold[-1], sold[len(sold) // 2]
    return gettext(
        "House %(best)d fetches a cheque of %(high)s on average and costs %(price)s %(players)s; house %(middle)d "
        "fetches %(middle_cheque)s and costs %(middle_price)s."
    ) % {
        "best": best["house"],
        "high": _money(best["cheque"]["mean"]),
        "price": _money(best["price"]["mean"]),
        "middle": middle["house"],
        "middle_cheque": _money(middle["cheque"]["mean"]),
        "middle_price": _money(middle["price"]["mean"]),
        "players": _with_players(played[0]),
    }


def _say_position(played: Sequence[Played], rows: Rows) -> str:
    best, worst = (pick(rows, key=lambda row: row["advantage"]) for pick in (max, min))
    return gettext(
        "Of 100 games %(players)s, position %(best)d wins %(high)s and position %(worst)d %(low)s; position 1 opens "
        "the first auction."
    ) % {
        "players": _with_players(played[0]),
        "best": best["position"],
        "high": _percent(best["win_share"]["value"]),
        "worst": worst["position"],
        "low": _percent(worst["win_share"]["value"]),
    }


def _say_ties(played: Sequence[Played], rows: Rows) -> str:
    shares = {row["outcome"]: _percent(row["share"]["value"]) for row in rows}
    return gettext(
        "Of 100 games %(players)s, %(tied)s end level at the top: in %(banknotes)s of them whoever kept more banknotes "
        "gains by the tie-break, in %(shared)s the win is shared."
    ) % {"players": _with_players(played[0]), **shares}


def _say_tie_break(played: Sequence[Played], rows: Rows) -> str:
    players = _with_players(played[0])
    known = [row for row in rows if row["gain"]["se"] is not None]
    if not known:
        return gettext("No game %(players)s ended level at the top so far.") % {"players": players}
    best, worst = (pick(known, key=lambda row: row["gain"]["mean"]) for pick in (max, min))
    # best and worst of several were picked: the difference must be larger than that of two named before
    if best["gain"]["mean"] - worst["gain"]["mean"] < APART * sqrt(best["gain"]["se"] ** 2 + worst["gain"]["se"] ** 2):
        return gettext("No position gains by the tie-break %(players)s, as far as these games can tell.") % {
            "players": players
        }
    return gettext(
        "The tie-break %(players)s favours position %(best)d: of 100 games that it ends level at the top it wins "
        "%(high)s, %(more)s more than by lot; position %(worst)d wins %(low)s, %(less)s fewer."
    ) % {
        "players": players,
        "best": best["position"],
        "high": _percent(best["win_share"]["value"]),
        "more": _percent(best["gain"]["mean"]),
        "worst": worst["position"],
        "low": _percent(worst["win_share"]["value"]),
        "less": _percent(abs(worst["gain"]["mean"])),
    }


def _say_rounding(played: Sequence[Played], rows: Rows) -> str:
    change = {row["figure"]: row["difference"] for row in rows}
    return gettext(
        "Rounding the refund up instead of down changes a player’s mean total %(players)s by %(total)s, the winner’s "
        "by %(winner)s, and the ties in 100 games by %(tied)s."
    ) % {
        "players": _with_players(played[0]),
        "total": _money(change["total"], signed=True),
        "winner": _money(change["winning_total"], signed=True),
        "tied": _percent(change["tied"], signed=True),
    }


def _say_variant(played: Sequence[Played], rows: Rows) -> str:
    change = {row["figure"]: row["difference"] for row in rows}
    return gettext(
        "The variant changes a player’s mean total %(players)s by %(total)s, the winner’s lead by %(margin)s, and "
        "the opener’s wins in 100 games by %(opener)s."
    ) % {
        "players": _with_players(played[0]),
        "total": _money(change["total"], signed=True),
        "margin": _money(change["margin"], signed=True),
        "opener": _percent(change["opener_wins"], signed=True),
    }


QUESTIONS: Mapping[str, Question] = {
    question.slug: question
    for question in (
        Question("house-worth", _each, _house_worth, _say_house_worth),
        Question("position", _each, _position, _say_position),
        Question("ties", _each, _ties, _say_ties),
        Question("tie-break", _each, _tie_break, _say_tie_break),
        Question("rounding", _roundings, _compared, _say_rounding),
        Question("variant", _variants, _compared, _say_variant),
    )
}


# --- fair prices -------------------------------------------------------------------------------------

PRICE_TABLE = "stats.tasks.price_table"
TURN_SECONDS = 1.0
PATIENCE, LOOK_AGAIN = 0.4, 0.02
"""How long the first who asks waits for a worker, in seconds, and between two looks: most tables take less."""
TURN_DEALS = 500
GAIN_SE = 0.1
"""The largest standard error of a gain, in thousands of dollars."""
MOST_DEALS = 500_000


def price(table: Table, *, may_begin: Callable[[], bool] = lambda: True) -> dict[str, Any]:
    """What taking the table's best house at each price gains over passing, of the deals played so far.

    `may_begin` is asked where nobody has asked for this table before.

    {"table", "engine", "deals", "complete", "se_limit", "passed": mean total after passing, "rows", "fair_price",
    "fair_price_se", "sentence"}. A worker plays until every standard error is within its limit; most tables take it so
    little time that the first answer waits for it. Raises `Problem` (400).
    """
    try:
        check_table(table)
    except RequestError as error:
        raise Problem(translate(error.message), code=error.code, place=error.place) from error
    key = _key(table)
    if not PricedTable.objects.filter(key=key).exists() and not may_begin():
        raise Problem(
            gettext("Your address has asked for many tables. Sign in, or try again in an hour."), code="throttled"
        )
    stored, new = PricedTable.objects.get_or_create(key=key, defaults={"table": table.as_dict()})
    if not stored.complete and shared_cache.add(f"price:{stored.pk}", True, 5):
        services.send_task(PRICE_TABLE, table_id=stored.pk)
    until = time.monotonic() + PATIENCE
    while new and not stored.complete and time.monotonic() < until:
        time.sleep(LOOK_AGAIN)
        stored.refresh_from_db()
    sums: Mapping[str, Any] = stored.sums or {"taken": {}, "passed": 0}
    rows = rows_of(sums) if stored.deals else []
    value, se = fair_price(rows) if rows else (None, None)
    return {
        "table": table.as_dict(),
        "engine": ENGINE,
        "deals": stored.deals,
        "complete": stored.complete,
        "se_limit": GAIN_SE,
        "passed": sums["passed"] / stored.deals if stored.deals else None,
        "rows": rows,
        "fair_price": value,
        "fair_price_se": se,
        "sentence": _say_price(table, rows, value) if stored.deals else "",
    }


def _key(table: Table) -> str:
    """Of the numbers of the edition and of all that decides what is played: equal tables of equal editions are one."""
    numbers = _setting((table.edition, table.variant, table.player_count), table.bot).key
    asked = {name: value for name, value in table.as_dict().items() if name != "edition"}
    return hashlib.sha256(json.dumps([numbers, asked, table.prices, GAIN_SE], sort_keys=True).encode()).hexdigest()


def price_for_a_turn(*, table_id: int) -> None:
    """Play deals of a table for a second, then send for the next turn until the errors are small enough."""
    stored = PricedTable.objects.filter(pk=table_id, complete=False).first()
    if stored is not None and _play(stored, TURN_SECONDS) and not stored.complete:
        services.send_task(PRICE_TABLE, table_id=table_id)


def _play(stored: PricedTable, seconds: float) -> bool:
    """Play deals until the errors are small enough or the time is over, and store them; whether they were stored."""
    until = time.monotonic() + seconds
    table, first = Table.from_dict(stored.table), stored.deals
    while True:
        new = sums_of(table, stored.deals, TURN_DEALS)
        stored.deals += TURN_DEALS
        stored.sums = joined(stored.sums, new) if stored.sums else new
        worst = max((row["se"] or GAIN_SE for row in rows_of(stored.sums)), default=0.0)
        stored.complete = worst <= GAIN_SE or stored.deals >= MOST_DEALS
        if stored.complete or time.monotonic() > until:
            break
    # whoever else had this turn has played the same deals: the first to store them stores them
    here = PricedTable.objects.filter(pk=stored.pk, deals=first, complete=False)
    new_here = {"sums": stored.sums, "deals": stored.deals, "complete": stored.complete, "updated_at": timezone.now()}
    return bool(here.update(**new_here))


def _say_price(table: Table, rows: Rows, value: float | None) -> str:
    best = max(table.houses)
    if not rows:
        return gettext("Your banknotes do not reach above the highest bid: you can only pass.")
    if value is None:
        return gettext("House %(house)d is worth more here than all your banknotes.") % {"house": best}
    if not value:
        return gettext("House %(house)d is worth no bid here: pass.") % {"house": best}
    return gettext("Up to about %(price)s, taking house %(house)d is worth more than passing now.") % {
        "price": _money(value), "house": best,
    }  # fmt: skip

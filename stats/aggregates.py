"""The read side: every statistic as plain rows, for the API and for pages alike.

Recorded figures are read from the folded counts, those of one player from that player's plays; simulated ones from
stored summaries. Money is in thousands of dollars. `filters` are those of the API, by name; one that is left out, or
None, does not narrow.
"""

from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from math import sqrt
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache as shared_cache
from django.db import connection
from django.db.models import F, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api.api.problems import NotFound, Problem
from forsale_api.api.views import tag_of
from forsale_api.clubs.models import Club, Player, User, Visibility
from forsale_api.clubs.services import visible_club, visible_clubs
from forsale_api.plays.models import DECISIONS, Play, Seat
from forsale_api.rules import GAMES, for_sale
from stats import freshness, pools, ratings, services
from stats.distribution import Z, describe, share, standard_error
from stats.folding import Cell, gift, with_seats
from stats.models import Block, FoldLock, Measure, Rating, Simulation, Standing, Tally
from stats.pools import KIND, Cells, Histogram, Kind
from stats.ratings import WIN
from stats.summary import Summary

type Caller = User | AnonymousUser
type Filters = Mapping[str, Any]

NOT_OFFERED = {
    "game": "unknown-game",
    "edition": "edition-not-offered",
    "variant": "variant-not-offered",
    "player_count": "players-not-offered",
}


# --- filters -----------------------------------------------------------------------------------------


def kinds(filters: Filters) -> list[Kind]:
    """The combinations on offer that the filters leave, in the order of the rules.

    Raises `Problem` (400) naming what is offered, at the first filter that leaves nothing.
    """
    left = [
        Kind(game.slug, edition, variant, players)
        for game in GAMES.values()
        for (edition, variant), counts in game.offers.items()
        for players in counts
    ]
    for name in KIND:
        wanted = filters.get(name)
        if wanted is None:
            continue
        offered = list(dict.fromkeys(getattr(kind, name) for kind in left))
        if wanted not in offered:
            raise Problem(
                gettext("%(name)s “%(value)s” is not offered here; there is %(offered)s.")
                % {"name": name, "value": wanted, "offered": ", ".join(map(str, offered))},
                code=NOT_OFFERED[name],
                place=(name,),
            )
        left = [kind for kind in left if getattr(kind, name) == wanted]
    return left


def _refuse(filters: Filters, names: Iterable[str], why: str, code: str) -> None:
    for name in names:
        if filters.get(name) is not None:
            raise Problem(why % {"name": name}, code=code, place=(name,))


def _echo(filters: Filters, names: Sequence[str]) -> dict[str, Any]:
    given = {name: filters.get(name) for name in names}
    if "counts" in given:
        given["counts"] = given["counts"] or "true"
    return given


def _counted(filters: Filters, of: str = "") -> Q:
    """Condition on plays and on blocks alike: counted ones, unless all are asked for. `of` leads to them."""
    return Q() if filters.get("counts") == "all" else Q((f"{of}counts", True))


def _narrowed(filters: Filters, of: str = "") -> Q:
    """Condition on plays and on blocks alike: game, edition, variant, number of players. `of` leads to them."""
    return Q(**{of + name: filters[name] for name in KIND if filters.get(name) is not None})


def _dates(filters: Filters, field: str) -> Q:
    bounds = {f"{field}__gte": filters.get("played_after"), f"{field}__lte": filters.get("played_before")}
    return Q(**{name: day for name, day in bounds.items() if day is not None})


def visible_player(player: UUID, viewer: Caller) -> Player:
    """The player of this id, `.club` loaded. Raises `NotFound` where the viewer may not see their club."""
    found = Player.objects.select_related("club").filter(pk=player, club__in=visible_clubs(viewer)).first()
    if found is None:
        raise NotFound(gettext("There is no such player here for you."), code="no-such-player", place=("player",))
    return found


# --- recorded counts ---------------------------------------------------------------------------------


def _counts(filters: Filters, viewer: Caller, measures: Iterable[str]) -> dict[Kind, tuple[int, Cells]]:
    """By kind: plays, and the counts of these measures that the viewer may see under these filters.

    A named club needs to be seen by the viewer. Without one they are those of all clubs (`pools.of_everybody`).
    """
    which, first, last = (
        _narrowed(filters) & _counted(filters),
        filters.get("played_after"),
        filters.get("played_before"),
    )
    if filters.get("club"):
        days = _dates(filters, "day") & Q(day__isnull=False) if first or last else Q(day=None)
        club = visible_club(viewer, filters["club"], place=("club",))
        return pools.added_up(Block.objects.filter(which, days, club=club), measures)
    kept = None if first or last else pools.read(_narrowed(filters), filters.get("counts") or "true", measures)
    return pools.of_everybody(which, measures, first=first, last=last) if kept is None else kept


def _as_of() -> datetime:
    """When the counts last changed."""
    folded_at: datetime | None = FoldLock.objects.values_list("folded_at", flat=True).first()
    return folded_at or timezone.now()


def _pooled(cells: Iterable[Mapping[Cell, int]]) -> Cells:
    pool: dict[tuple[str, int], Histogram] = defaultdict(lambda: defaultdict(int))
    for some in cells:
        for (measure, part, value), n in some.items():
            pool[measure, part][value] += n
    return pool


def clustered_se(sums: Mapping[int, Histogram]) -> float | None:
    """The standard error, over plays, of the mean of all values; None below two plays.

    `sums` is {number of values in a play: {their sum: plays}}. The mean is a ratio of sums over plays; its standard
    error is that of a ratio estimate (W. G. Cochran, Sampling Techniques, 3rd ed., section 2.11), which for plays of
    one size is the standard error of the mean of the plays' means.
    """
    plays = sum(sum(histogram.values()) for histogram in sums.values())
    if plays < 2:
        return None
    values = sum(size * sum(histogram.values()) for size, histogram in sums.items())
    mean = sum(total * n for histogram in sums.values() for total, n in histogram.items()) / values
    squares = sum(n * (total - mean * size) ** 2 for size, histogram in sums.items() for total, n in histogram.items())
    return sqrt(squares * plays / (plays - 1)) / values


def _part(cells: Cells, measure: Measure, part: int = 0) -> Histogram:
    return dict(cells.get((measure.value, part), {}))


def _over_plays(cells: Cells, measure: Measure, sums: Measure) -> dict[str, Any]:
    """`D` of a figure that every seat has, its standard error over plays."""
    sizes = {part: dict(histogram) for (name, part), histogram in cells.items() if name == sums.value}
    return describe(_part(cells, measure), se=clustered_se(sizes))


def _alone(histogram: Histogram) -> dict[str, Any]:
    """`D` of a figure that a play has once."""
    return describe(histogram, se=standard_error(histogram))


def _moments(histogram: Histogram) -> dict[str, Any]:
    n = sum(histogram.values())
    mean = sum(value * count for value, count in histogram.items()) / n if n else None
    return {"n": n, "mean": mean, "se": standard_error(histogram)}


# --- scores ------------------------------------------------------------------------------------------

SCORE_FILTERS = (*KIND, "data", "club", "player", "played_after", "played_before", "counts", "simulation")
_OF_PLAYS = ("club", "player", "played_after", "played_before")
_SCORE_MEASURES = (
    Measure.TOTAL,
    Measure.WINNING_TOTAL,
    Measure.MARGIN,
    Measure.BANKNOTES,
    Measure.DECIDED_BY,
    Measure.TABLE_TOTAL,
    Measure.TABLE_BANKNOTES,
)


def score_blocks(filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """Score distributions: {"filters", "as_of", "results": one block per edition, variant and player count}.

    `viewer` is whom the answer is for; None is a stranger. Raises `Problem` (400) for filters that do not go together
    or leave nothing on offer, `NotFound` for a club, player or simulation that the viewer may not see.
    """
    viewer = viewer or AnonymousUser()
    data = filters.get("data") or ("simulated" if filters.get("simulation") else "recorded")
    left = kinds(filters)
    if data == "simulated":
        only_plays = gettext("%(name)s is about recorded plays; it does not go with data=simulated.")
        _refuse(filters, _OF_PLAYS, only_plays, "filter-of-plays")
        as_of, results = _simulated_blocks(left, filters)
    else:
        only_simulated = gettext("%(name)s goes with data=simulated only.")
        _refuse(filters, ["simulation"], only_simulated, "filter-of-simulations")
        found = _player_blocks(filters, viewer) if filters.get("player") else _recorded_blocks(filters, viewer)
        as_of, results = _as_of(), [found[kind] for kind in left if kind in found]
    echo = _echo({**filters, "data": data}, SCORE_FILTERS)
    return {"filters": echo, "as_of": as_of, "results": results}


def _recorded_blocks(filters: Filters, viewer: Caller) -> dict[Kind, dict[str, Any]]:
    folded = _counts(filters, viewer, _SCORE_MEASURES)
    return {kind: _block(kind, plays, cells) for kind, (plays, cells) in folded.items()}


def _block(kind: Kind, plays: int, cells: Cells) -> dict[str, Any]:
    decided = _part(cells, Measure.DECIDED_BY)
    return {
        **kind._asdict(),
        "plays": plays,
        "total": _over_plays(cells, Measure.TOTAL, Measure.TABLE_TOTAL),
        "winning_total": _alone(_part(cells, Measure.WINNING_TOTAL)),
        "margin": _alone(_part(cells, Measure.MARGIN)),
        "banknotes": _over_plays(cells, Measure.BANKNOTES, Measure.TABLE_BANKNOTES),
        "decided_by": {how: decided.get(index, 0) for index, how in enumerate(DECISIONS)},
    }


def _plays_by_kind(player: Player, filters: Filters) -> dict[Kind, list[Play]]:
    """The plays the player sat in, with their seats: two queries, by the index on the seats' player."""
    plays = Play.objects.filter(
        _narrowed(filters), _counted(filters), _dates(filters, "played_on"), deleted_at=None, seats__player=player
    )
    if filters.get("club") and filters["club"] != player.club.slug:
        plays = plays.none()
    by_kind: dict[Kind, list[Play]] = defaultdict(list)
    for play in with_seats(plays.defer("record", "notes")):
        play.record = None  # deferred: houses are not asked for
        by_kind[Kind(play.game, play.edition, play.variant, play.player_count)].append(play)
    return by_kind


def _player_blocks(filters: Filters, viewer: Caller) -> dict[Kind, dict[str, Any]]:
    """Blocks of the plays a player sat in; totals and banknotes are that player's only, one a play."""
    if filters.get("club"):
        visible_club(viewer, filters["club"], place=("club",))
    player = visible_player(filters["player"], viewer)
    by_kind = _plays_by_kind(player, filters)
    return {kind: _player_block(kind, plays, player) for kind, plays in by_kind.items()}


def _player_block(kind: Kind, plays: Sequence[Play], player: Player) -> dict[str, Any]:
    mine = [seat for play in plays for seat in play.seats.all() if seat.player_id == player.pk]
    gifts = (gift(play, play.seats.all()) for play in plays)
    cells = _pooled(given.cells for given in gifts if given)
    return _block(kind, len(plays), cells) | {
        "total": _alone(Counter(seat.total for seat in mine)),
        "banknotes": _alone(Counter(seat.banknotes for seat in mine if seat.banknotes is not None)),
    }


# --- simulated ---------------------------------------------------------------------------------------


def _simulated_blocks(left: Sequence[Kind], filters: Filters) -> tuple[datetime, list[dict[str, Any]]]:
    found = _simulations(left, filters)
    return _newest_result(found), [_simulated_block(kind, simulation) for kind, simulation in found.items()]


def _newest_result(found: Mapping[Kind, Simulation]) -> datetime:
    return max((simulation.result.updated_at for simulation in found.values()), default=timezone.now())


def _simulations(left: Sequence[Kind], filters: Filters) -> dict[Kind, Simulation]:
    """The simulation asked for, else the reference of each kind; a reference that is missing is asked for."""
    stored = Simulation.objects.select_related("result")
    if filters.get("simulation"):
        one = stored.filter(pk=filters["simulation"]).first()
        if one is None:
            raise services.no_such_simulation(("simulation",))
        return {kind: one for kind in left if kind == _kind_of(one)}
    shared = {
        kind: kind._replace(edition=services.reference_edition(kind.edition))
        for kind in left
        if kind.game == services.SIMULATED_GAME
    }
    references = {_kind_of(one): one for one in stored.filter(reference=True) if services.is_current(one)}
    missing = dict.fromkeys(kind for kind in shared.values() if kind not in references)
    if missing:
        services.ask_for_references([kind._asdict() for kind in missing])
    return {kind: references[same] for kind, same in shared.items() if same in references}


def _kind_of(simulation: Simulation) -> Kind:
    return Kind(simulation.game, simulation.edition, simulation.variant, simulation.player_count)


def _simulated_block(kind: Kind, simulation: Simulation) -> dict[str, Any]:
    figures = _figures(simulation)
    return {
        **kind._asdict(),
        "plays": figures["games"],
        **figures["overall"],
        "decided_by": dict.fromkeys(DECISIONS, 0) | figures["decided_by"],
        **_line_up(simulation),
    }


def _line_up(simulation: Simulation) -> dict[str, Any]:
    """What simulated figures must say of themselves: who played, from which seed, and how much of it is done."""
    return {
        "simulation": simulation.pk,
        "bots": simulation.bots,
        "seed": simulation.seed,
        "opener": simulation.opener or "random",
        "games": simulation.games_done,
        "games_requested": simulation.games,
        "complete": simulation.games_done == simulation.games,
        "engine": simulation.result.engine,
    }


def _figures(simulation: Simulation) -> dict[str, Any]:
    stored = simulation.result.summary
    if stored is None:
        return services.summary_of(simulation).as_dict()
    try:
        return _stored_figures(bytes(stored))
    except ValueError as error:
        raise services.of_another_engine(simulation) from error


@lru_cache(maxsize=64)
def _stored_figures(summary: bytes) -> dict[str, Any]:
    """The figures of a stored summary; the same bytes are the same figures, so they are kept. Not to be changed."""
    return Summary.from_bytes(summary).as_dict()


# --- seats and houses --------------------------------------------------------------------------------

SEAT_FILTERS = (*KIND, "data", "club", "played_after", "played_before", "counts")


def seat_blocks(filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """How each position in turn order fares (1 opens the first auction), from plays that know their first seat.

    Per block `positions`: `win_share` (a shared win counts 1/k), and of recorded plays `total` and `banknotes` as `D`.
    Raises as `score_blocks` does.
    """
    measures = (Measure.POSITION_TOTAL, Measure.POSITION_BANKNOTES, Measure.POSITION_WIN)
    return _blocks_of(filters, viewer, measures, _recorded_positions, _simulated_positions)


def house_blocks(filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """What was paid for each house and the cheque it fetched: {"n", "mean", "se"} each, from plays with a record.

    Houses that a lone holder scoops fetch no cheque of their own in recorded plays. Raises as `score_blocks` does.
    """
    return _blocks_of(filters, viewer, (Measure.PRICE, Measure.CHEQUE), _recorded_houses, _simulated_houses)


def _blocks_of(
    filters: Filters,
    viewer: Caller | None,
    measures: Sequence[Measure],
    recorded: Callable[[Kind, Cells], dict[str, Any] | None],
    simulated: Callable[[Mapping[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    data = filters.get("data") or "recorded"
    left = kinds(filters)
    results: list[dict[str, Any]] = []
    if data == "simulated":
        only_plays = gettext("%(name)s is about recorded plays; it does not go with data=simulated.")
        _refuse(filters, _OF_PLAYS, only_plays, "filter-of-plays")
        simulations = _simulations(left, filters)
        as_of = _newest_result(simulations)
        for kind, simulation in simulations.items():
            figures = _figures(simulation)
            results.append({**kind._asdict(), "plays": figures["games"], **simulated(figures), **_line_up(simulation)})
    else:
        as_of = _as_of()
        folded = _counts(filters, viewer or AnonymousUser(), measures)
        found = [(kind, recorded(kind, folded[kind][1])) for kind in left if kind in folded]
        results = [{**kind._asdict(), **block} for kind, block in found if block]
    return {"filters": _echo({**filters, "data": data}, SEAT_FILTERS), "as_of": as_of, "results": results}


def _recorded_positions(kind: Kind, cells: Cells) -> dict[str, Any] | None:
    plays = sum(_part(cells, Measure.POSITION_TOTAL, 1).values())
    positions = []
    for position in range(1, kind.player_count + 1):
        wins = sum(n / winners for winners, n in _part(cells, Measure.POSITION_WIN, position).items())
        positions.append(
            {
                "position": position,
                "win_share": share(wins, plays),
                "total": _alone(_part(cells, Measure.POSITION_TOTAL, position)),
                "banknotes": _alone(_part(cells, Measure.POSITION_BANKNOTES, position)),
            }
        )
    return {"plays": plays, "positions": positions} if plays else None


def _simulated_positions(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {"positions": [{**place, "total": None, "banknotes": None} for place in figures["positions"]]}


def _recorded_houses(kind: Kind, cells: Cells) -> dict[str, Any] | None:
    edition = for_sale.EDITIONS.get(kind.edition) if kind.game == services.SIMULATED_GAME else None
    if edition is None or not cells:
        return None
    bought = sum(sum(prices.values()) for (measure, _house), prices in cells.items() if measure == Measure.PRICE)
    houses = [
        {
            "house": house,
            "price": _moments(_part(cells, Measure.PRICE, house)),
            "cheque": _moments(_part(cells, Measure.CHEQUE, house)),
        }
        for house in range(1, edition.houses + 1)
    ]
    plays = bought // for_sale.cards_dealt(edition, kind.variant, kind.player_count)  # every house dealt is bought
    return {"plays": plays, "houses": houses}


def _simulated_houses(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {"houses": figures["houses"]}


# --- players -----------------------------------------------------------------------------------------

PLAYER_FILTERS = (*KIND, "club", "played_after", "played_before", "counts", "min_plays", "limit")
LEADERS = 50
FORM = 10
KEPT_SECONDS = 600
"""For so long, at most, a board between dates is kept: a million plays take some tenths of a second to add up."""
MANY_PLAYERS = 500
"""Players from which on all are added up here: fewer are left out of what the database ranks."""


def leader_board(filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """Players by their share of wins, best first; of one club, or of all public ones.

    Each row: plays, wins (alone), shared wins, `win_share` (a shared win counts 1/k), the share that luck alone would
    give at tables of those sizes, the `adjusted_share` that the order follows (`ratings.adjusted_share`), the mean
    total with its standard error and 95 % interval, and the `rating` in that game after the last counted play until
    `played_before`, whatever else the filters leave out. `min_plays` leaves out whoever has
    fewer, `limit` is the number of rows. Game left out is For Sale. Raises as `score_blocks` does.
    """
    viewer = viewer or AnonymousUser()
    filters = {**filters, "game": filters.get("game") or services.SIMULATED_GAME}
    kinds(filters)
    fewest, limit = filters.get("min_plays") or 1, filters.get("limit") or LEADERS
    if filters.get("club"):
        club = visible_club(viewer, filters["club"], place=("club",))
        plays = _counted(filters, "play__") & _dates(filters, "play__played_on")
        seats = Seat.objects.filter(_narrowed(filters, "play__"), plays, play__deleted_at=None, play__club=club)
        as_of = seats.aggregate(newest=Max("play__updated_at"))["newest"] or _as_of()
        found = _by_player(_rows(ratings.tallies(seats)))
    else:
        as_of = _as_of()
        found = _of_all_clubs(filters, fewest, limit)
    rows = [_leader(tally) for tally in found if tally["plays"] >= fewest]
    rows.sort(key=lambda row: (-row["adjusted_share"], -row["plays"], str(row["player"])))
    del rows[limit:]
    _name(rows)
    rows.sort(key=lambda row: (-row["adjusted_share"], -row["plays"], row["player"]["name"]))
    skills = ratings.skills(
        [row["player"]["id"] for row in rows], game=filters["game"], until=filters.get("played_before")
    )
    for row in rows:
        row["rating"] = _rating(skills.get(row["player"]["id"]))
    echo = _echo({**filters, "min_plays": fewest, "limit": limit}, PLAYER_FILTERS)
    return {"filters": echo, "as_of": as_of, "lucky_plays": ratings.LUCKY_PLAYS, "results": rows}


def _rating(skill: ratings.Skill | None) -> dict[str, Any] | None:
    """A rating as it is shown; None before the first counted play."""
    if skill is None:
        return None
    value, spread = skill.mu, Z * skill.sigma
    return {"value": value, "sigma": skill.sigma, "low": value - spread, "high": value + spread}


def player_figures(player: UUID, filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """One player: results by block, and what the plays that the filters leave say beyond them.

    `results` are score blocks with wins and win share; `form` the latest plays, latest first; `best` the highest total
    of each game; `placed` how often others of the table were ahead, behind or level (rank), over all of them and per
    `opponents`, the most frequent first; `ratings` the rating after each counted play of the game (For Sale unless
    said), oldest first, within the dates. Raises `NotFound` where the viewer may not see the player's club; else as
    `score_blocks` does.
    """
    found = visible_player(player, viewer or AnonymousUser())
    left = kinds(filters)
    by_kind = _plays_by_kind(found, filters)
    results = [
        {**_player_block(kind, by_kind[kind], found), **_wins(by_kind[kind], found)} for kind in left if kind in by_kind
    ]
    plays = sorted(
        (play for kind in left for play in by_kind.get(kind, ())),
        key=lambda play: (play.played_on, play.pk),
        reverse=True,
    )
    sittings = [_sitting(play, found) for play in plays]
    opponents = _opponents(plays, found)
    return {
        "player": {"id": found.pk, "name": found.name, "club": found.club.slug},
        "filters": _echo(filters, (*KIND, "played_after", "played_before", "counts")),
        "as_of": _newest(Play.objects.filter(seats__player=found)),
        "results": results,
        "form": sittings[:FORM],
        "best": [
            max((sitting for sitting in sittings if sitting["game"] == game), key=lambda sitting: sitting["total"])
            for game in dict.fromkeys(sitting["game"] for sitting in sittings)
        ],
        "placed": {name: sum(row[name] for row in opponents) for name in PLACED},
        "opponents": opponents,
        "ratings": _ratings_over_time(found, filters),
    }


PLACED = ("ahead", "behind", "level")


def _sitting(play: Play, player: Player) -> dict[str, Any]:
    """One play as one player remembers it."""
    seat = next(seat for seat in play.seats.all() if seat.player_id == player.pk)
    return {
        "play": play.pk,
        "played_on": play.played_on,
        **Kind(play.game, play.edition, play.variant, play.player_count)._asdict(),
        "total": seat.total,
        "rank": seat.rank,
        "is_winner": seat.is_winner,
    }


def _opponents(plays: Sequence[Play], player: Player) -> list[dict[str, Any]]:
    """Whom the player met, most often first: in how many plays, and who was placed ahead of whom."""
    met: dict[UUID, Counter[str]] = defaultdict(Counter)
    for play in plays:
        ranks = {seat.player_id: seat.rank for seat in play.seats.all()}
        mine = ranks.pop(player.pk)
        for other, rank in ranks.items():
            met[other]["plays"] += 1
            met[other]["ahead" if mine < rank else "behind" if mine > rank else "level"] += 1
    names = dict(Player.objects.filter(pk__in=met).values_list("pk", "name"))
    rows = [
        {
            "player": {"id": other, "name": names[other], "club": player.club.slug},
            "plays": counts["plays"],
            **{name: counts[name] for name in PLACED},
            "ahead_share": share(counts["ahead"] + counts["level"] / 2, counts["plays"]),
        }
        for other, counts in met.items()
    ]
    return sorted(rows, key=lambda row: (-row["plays"], row["player"]["name"]))


def _ratings_over_time(player: Player, filters: Filters) -> list[dict[str, Any]]:
    game = filters.get("game") or services.SIMULATED_GAME
    stored = Rating.objects.filter(_dates(filters, "played_on"), player=player, game=game).order_by("played_on", "play")
    return [
        {"play": play, "played_on": day, **(_rating(ratings.Skill(mu, sigma)) or {})}
        for play, day, mu, sigma in stored.values_list("play", "played_on", "mu", "sigma")
    ]


ACTIVITY_FILTERS = (*KIND, "club", "played_after", "played_before", "counts")


def activity(filters: Filters, *, viewer: Caller | None = None) -> dict[str, Any]:
    """Plays of a club by month: {"filters", "as_of", "results": [{"month": "2026-11", "plays", "days", "kinds"}]}.

    `club` is needed. From the first month with a play to the last, months without one included; `days` is on how many
    days something was played, `kinds` the plays by game, edition, variant and player count. Raises as `score_blocks`.
    """
    club = visible_club(viewer or AnonymousUser(), filters["club"], place=("club",))
    kinds(filters)
    blocks = Block.objects.filter(
        _narrowed(filters), _counted(filters), _dates(filters, "day"), club=club, day__isnull=False
    )
    months: dict[tuple[int, int], Counter[Kind]] = defaultdict(Counter)
    days: dict[tuple[int, int], set[date]] = defaultdict(set)
    for day, plays, *kind in blocks.values_list("day", "plays", *KIND):
        months[day.year, day.month][Kind(*kind)] += plays
        days[day.year, day.month].add(day)
    results = [
        {
            "month": f"{year:04}-{month:02}",
            "plays": sum(months[year, month].values()),
            "days": len(days[year, month]),
            "kinds": [{**kind._asdict(), "plays": n} for kind, n in sorted(months[year, month].items())],
        }
        for year, month in _months(sorted(months))
    ]
    return {"filters": _echo(filters, ACTIVITY_FILTERS), "as_of": _as_of(), "results": results}


def _months(known: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Every month from the first to the last of these."""
    if not known:
        return []
    (first_year, first), (last_year, last) = known[0], known[-1]
    numbers = range(12 * first_year + first - 1, 12 * last_year + last)
    return [(number // 12, number % 12 + 1) for number in numbers]


def _newest(plays: QuerySet[Play]) -> datetime:
    """When these plays last changed."""
    return plays.aggregate(newest=Max("updated_at"))["newest"] or _as_of()


def _of_all_clubs(filters: Filters, fewest: int, limit: int) -> list[dict[str, Any]]:
    """The best players of public clubs, and perhaps more.

    Counted plays are read from what is kept with the ratings: from standings where no dates are asked for, whose best
    an index tells; else from the tallies of whole months. To those the database adds what lies before and after them;
    to the best of the standings the plays that do not count are added here, with all that is kept of their players.
    """
    public = Club.objects.filter(visibility=Visibility.PUBLIC)
    whole, rest = _whole_months(filters)
    others = rest & Q(play__counts=True) if rest else Q(pk__in=[])
    if filters.get("counts") == "all":
        others |= _dates(filters, "play__played_on") & Q(play__counts=False)
    seats = Seat.objects.filter(_narrowed(filters, "play__"), others, play__deleted_at=None, play__club__in=public)
    if whole is not None:
        asked = (*(filters.get(name) for name in (*KIND, "played_after", "played_before", "counts")), fewest, limit)
        return _kept_while_fresh(
            asked, lambda: _best_of(_summed(filters, whole, public), ratings.by_player(seats), fewest, limit)
        )
    besides = _by_player(_rows(ratings.tallies(seats)))
    kept = _standings(filters, public)
    if len(besides) > MANY_PLAYERS:
        return _by_player(chain(_sums(kept), besides))
    touched = [row["player"] for row in besides]
    best = kept.exclude(player__in=touched).filter(sum_plays__gte=fewest)
    best = best.order_by("-sum_adjusted", "-sum_plays", "player")[:limit]
    return [*_sums(best), *_by_player(chain(_sums(kept.filter(player__in=touched)), besides))]


def _standings(filters: Filters, clubs: QuerySet[Club]) -> QuerySet[Any, Any]:
    """What is kept of the players of these clubs without dates, named as in `_summed`."""
    kind = {"edition": filters.get("edition") or "", "variant": filters.get("variant") or ""}
    stored = Standing.objects.filter(
        game=filters["game"], player_count=filters.get("player_count") or 0, **kind, player__club__in=clubs
    )
    names = {f"sum_{name}": F(name) for name in ("luck", "adjusted", *ratings.SUMS)}
    return stored.values("player").annotate(**names)


def _summed(filters: Filters, months: Q, clubs: QuerySet[Club]) -> QuerySet[Any, Any]:
    """Tallies of these months added up by player in the database."""
    stored = Tally.objects.filter(_narrowed(filters), months, player__club__in=clubs)
    sums = {f"sum_{name}": Sum(name) for name in ratings.SUMS}
    return stored.order_by().values("player").annotate(sum_luck=Sum(F("plays") * WIN / F("player_count")), **sums)


def _best_of(months: QuerySet[Any, Any], seats: QuerySet[Any, Any], fewest: int, limit: int) -> list[dict[str, Any]]:
    """The best by both together; the database adds them up, since they are about every player of a year."""
    names = ("luck", *ratings.SUMS)
    sums = [f"sum_{name}" for name in names]
    parts, given = (
        months.values_list("player", *sums).union(seats.values_list("player", *sums), all=True).query.sql_with_params()
    )
    whole = ", ".join(f"CAST(SUM({name}) AS bigint)" for name in sums)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT player, {whole} FROM ({parts}) AS parts GROUP BY player HAVING SUM(sum_plays) >= %s",  # noqa: S608
            [*given, fewest],
        )
        rows = (dict(zip(("player", *names), row, strict=True)) for row in cursor.fetchall())
    best = nsmallest(limit, rows, key=lambda row: (-_adjusted(row), -row["plays"], str(row["player"])))
    return [{**row, "player": Player._meta.pk.to_python(row["player"])} for row in best]


def _kept_while_fresh[Rows](asked: tuple[Any, ...], add_up: Callable[[], Rows]) -> Rows:
    """What was added up of everybody's plays for this question, until a play or a club changes."""
    state = freshness.state_of_everybody(rated=True)
    if state is None:
        return add_up()
    return cast(Rows, shared_cache.get_or_set("board:" + tag_of(*asked, *state), add_up, KEPT_SECONDS))


def _adjusted(tally: Mapping[str, Any]) -> float:
    share_of: float = ratings.adjusted_share(credit=tally["credit"], luck=tally["luck"], plays=tally["plays"])
    return share_of


def _sums(kept: QuerySet[Any, Any]) -> Iterator[dict[str, Any]]:
    """Rows of `_standings` under the names of tallies."""
    names = ("luck", *ratings.SUMS)
    rows = kept.values_list("player", *(f"sum_{name}" for name in names))
    return (dict(zip(("player", *names), row, strict=True)) for row in rows)


def _whole_months(filters: Filters) -> tuple[Q | None, Q]:
    """The whole months between the dates of the filters, None for all time, and the days of seats that are left."""
    after, before = filters.get("played_after"), filters.get("played_before")
    if after is None and before is None:
        return None, Q()
    whole, rest = Q(), Q()
    if after is not None:
        first = after.replace(day=1)
        whole &= Q(month__gte=first) if after == first else Q(month__gt=first)
        until = min(_last_of_month(after), before or date.max)
        rest |= Q() if after == first else Q(play__played_on__range=(after, until))
    if before is not None:
        first, is_whole = before.replace(day=1), before == _last_of_month(before)
        whole &= Q(month__lte=first) if is_whole else Q(month__lt=first)
        rest |= Q() if is_whole else Q(play__played_on__range=(max(first, after or date.min), before))
    return whole, rest


def _last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def _rows(tallies: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Tallies of kinds with what luck alone would win."""
    return ({**row, "luck": row["plays"] * WIN // row["player_count"]} for row in tallies)


def _by_player(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Sums of several kinds or times added up by player."""
    found: dict[UUID, dict[str, Any]] = {}
    for row in rows:
        tally = found.setdefault(row["player"], {"player": row["player"], **dict.fromkeys(("luck", *ratings.SUMS), 0)})
        for name in ("luck", *ratings.SUMS):
            tally[name] += row[name]
    return list(found.values())


def _name(rows: Iterable[dict[str, Any]]) -> None:
    """Put the players' names and clubs in place of their ids; one query."""
    rows = list(rows)
    known = Player.objects.filter(pk__in=[row["player"] for row in rows]).values_list("pk", "name", "club__slug")
    named = {pk: {"id": pk, "name": name, "club": club} for pk, name, club in known}
    for row in rows:
        row["player"] = named[row["player"]]


def _leader(tally: Mapping[str, Any]) -> dict[str, Any]:
    n, mean = tally["plays"], tally["totals"] / tally["plays"]
    luck, wins = tally["luck"] / WIN / n, share(tally["credit"] / WIN, n)
    se = sqrt(max(0, n * tally["squares"] - tally["totals"] ** 2) / (n - 1)) / n if n > 1 else None
    return {
        "player": tally["player"],
        "plays": n,
        "wins": tally["wins"],
        "shared_wins": tally["shared_wins"],
        "win_share": wins,
        "expected_share": luck,
        "adjusted_share": _adjusted(tally),
        "mean_total": {
            "n": n,
            "mean": mean,
            "se": se,
            "low": None if se is None else mean - Z * se,
            "high": None if se is None else mean + Z * se,
        },
    }


def _shares(won: Mapping[int, int], plays: int) -> dict[str, Any]:
    """Wins alone, shared wins and the share of wins, from {number of winners: plays}."""
    credit = sum(n / winners for winners, n in won.items())
    alone = won.get(1, 0)
    return {"wins": alone, "shared_wins": sum(won.values()) - alone, "win_share": share(credit, plays)}


def _wins(plays: Sequence[Play], player: Player) -> dict[str, Any]:
    won: Counter[int] = Counter()
    for play in plays:
        winners = [seat.player_id for seat in play.seats.all() if seat.is_winner]
        if player.pk in winners:
            won[len(winners)] += 1
    return _shares(won, len(plays))

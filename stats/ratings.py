"""How strong the players of a club are, and how sure that is: ratings by OpenSkill's Plackett-Luce model.

A rating is a normal distribution over skill, `mu` and `sigma`; a player without a play has `START`. Each counted play
moves the ratings of its seats by their ranks (equal ranks are draws): R. C. Weng and C.-J. Lin, A Bayesian
Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4. Ratings are of one game in one club, whose players
meet each other; they are stored after each play, so that a rating over time is read and not computed.

Plays are rated in the order of their dates, whatever the order they were recorded in: `fold` says from which day on
the ratings of a club are out of date (`out_of_date`), `rate` rates that club again from there, some days at a time.
What the plays of the players it concerned come to is written down on the way, by month (`Tally`) and in all
(`Standing`), for boards over all clubs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby, product
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Cast, Coalesce, TruncMonth
from openskill.models import PlackettLuce

from forsale_api.clubs.models import Player
from forsale_api.plays.models import Play, Seat
from stats import rows
from stats.models import Rating, RatingDue, Standing, Tally

_MODEL = PlackettLuce()
SLICES = {"sqlite": 500, "postgresql": 2000}
"""Plays a transaction: about a tenth of a second on SQLite, where others wait meanwhile."""


class Skill(NamedTuple):
    """What is believed of a player: the mean and its standard deviation, on OpenSkill's scale (25 to begin with)."""

    mu: float
    sigma: float


START = Skill(_MODEL.mu, _MODEL.sigma)


def after(skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """The skills of a table after a play with these ranks, seat by seat."""
    teams = [[_MODEL.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return [Skill(team[0].mu, team[0].sigma) for team in rated]


def out_of_date(days: Mapping[tuple[int, str], date]) -> None:
    """Remember that ratings of these clubs and games are wrong from these days on. The caller holds the fold's lock."""
    due = {
        (row.club_id, row.game): row
        for row in RatingDue.objects.select_for_update().filter(club__in={club for club, _game in days})
    }
    for key, day in days.items():
        if key not in due:
            RatingDue.objects.create(club_id=key[0], game=key[1], since=day)
        elif day < due[key].since:
            RatingDue.objects.filter(pk=due[key].pk).update(since=day)


@transaction.atomic
def rate(*, plays: int | None = None) -> int:
    """Rate again some days of a club whose ratings are out of date; gives the number of plays, 0 where none is due.

    `plays` is about how many (see `SLICES`).
    """
    plays = plays or SLICES[connection.vendor]
    due = RatingDue.objects.select_for_update(skip_locked=True).order_by("pk").first()
    if due is None:
        return 0
    counted = Play.objects.filter(club=due.club, game=due.game, counts=True, deleted_at=None)
    waiting = list(
        counted.filter(played_on__gte=due.since).order_by("played_on", "pk").values_list("pk", "played_on")[: plays + 1]
    )
    days = [list(day) for _day, day in groupby(waiting, key=lambda row: row[1])]
    rest = days.pop() if len(waiting) > plays and len(days) > 1 else []
    if len(waiting) > plays and not rest:  # one day holds them all, and a day is rated at once
        days = [list(counted.filter(played_on=waiting[0][1]).order_by("pk").values_list("pk", "played_on"))]
    taken = [row for day in days for row in day]
    stale = Rating.objects.filter(player__club=due.club, game=due.game, played_on__gte=due.since)
    concerned = set(stale.values_list("player", flat=True).distinct())
    stale.delete()
    concerned |= _store(taken, due)
    _tally(concerned, due)
    later = (
        counted.filter(played_on__gt=taken[-1][1]).order_by("played_on").values_list("played_on", flat=True).first()
        if taken
        else None
    )
    if later is None:
        due.delete()
    else:
        due.since = later
        due.save(update_fields=["since"])
    return max(1, len(taken))


def _store(plays: Sequence[tuple[UUID, date]], due: RatingDue) -> set[UUID]:
    """Store the ratings after these plays; gives the players who sat in them."""
    seats: dict[UUID, list[tuple[UUID, int]]] = {}
    sat = Seat.objects.filter(play__in=[pk for pk, _day in plays]).order_by("play", "seat")
    for play, player, rank in sat.values_list("play", "player", "rank"):
        seats.setdefault(play, []).append((player, rank))
    known = skills({player for table in seats.values() for player, _rank in table}, game=due.game, before=due.since)
    made = []
    for play, day in plays:
        table = seats.get(play, [])
        now = after([known.get(player, START) for player, _rank in table], [rank for _player, rank in table])
        for (player, _rank), skill in zip(table, now, strict=True):
            known[player] = skill
            made.append((play, player, due.game, day, skill.mu, skill.sigma))
    rows.add(Rating, ("play", "player", "game", "played_on", "mu", "sigma"), made)
    return {player for _play, player, *_skill in made}


def tallies(seats: QuerySet[Seat], **also_by: Any) -> QuerySet[Any, Any]:
    """Rows per player, kind and what else is said of what these seats come to, named as in `Tally`; one query."""
    kind = {name: F(f"play__{name}") for name in ("game", *KIND)}
    return _with_winners(seats).values("player", **kind, **also_by).annotate(**_SUMMED)


def by_player(seats: QuerySet[Seat]) -> QuerySet[Any, Any]:
    """Rows per player of what these seats come to, and what luck alone would win: `sum_luck`, `sum_plays` and so on."""
    sums = {f"sum_{name}": sum_ for name, sum_ in _SUMMED.items()}
    return _with_winners(seats).values("player").annotate(sum_luck=Sum(WIN / F("play__player_count")), **sums)


def _with_winners(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """With the number of winners of the play at the seats that won; in no order."""
    winners = Seat.objects.filter(play=OuterRef("play"), is_winner=True).order_by().values("play")
    number = Case(
        When(is_winner=True, play__decided_by__in=DECIDED_FOR_ONE, then=Value(1)),
        When(is_winner=True, then=Subquery(winners.annotate(n=Count("pk")).values("n"))),
    )
    return seats.annotate(winners=number).order_by()


DECIDED_FOR_ONE = ("total", "banknotes", "largest_category")
"""How a play is decided that has one winner for certain, so that the others need not be counted."""
WIN = 60
"""Parts of a win: what up to six winners share, and what luck gives at a table of six, is a whole number of them."""
LUCKY_PLAYS = 10
"""Plays that everybody is taken to have played besides, winning what luck alone gives: few plays prove little."""
KIND = ("edition", "variant", "player_count")
SUMS = ("plays", "wins", "shared_wins", "credit", "totals", "squares")
"""The sums of tallies and standings that add up."""
_SUMMED = {
    "plays": Count("pk"),
    "wins": Count("pk", filter=Q(winners=1)),
    "shared_wins": Count("pk", filter=Q(winners__gt=1)),
    "credit": Coalesce(Sum(WIN / F("winners")), 0),
    "totals": Sum("total"),
    "squares": Sum(Cast("total", IntegerField()) * F("total")),  # the column is a small integer: 182 squared is none
}
"""Their names and what seats with their number of winners give to them."""


def adjusted_share(*, credit: Any, luck: Any, plays: Any) -> Any:
    """The share of wins that boards are ranked by: as if `LUCKY_PLAYS` more had gone as luck has it.

    `credit` is what was won, `luck` what luck alone would win, in parts of a win; numbers or expressions of a query.
    """
    return (credit + LUCKY_PLAYS * luck / plays) / (plays + LUCKY_PLAYS) / WIN


def _tally(players: set[UUID], due: RatingDue) -> None:
    """Write down again what the counted plays of these players come to, from the month that is out of date on."""
    since = due.since.replace(day=1)
    Tally.objects.filter(player__in=players, game=due.game, month__gte=since).delete()
    counted = Seat.objects.filter(
        player__in=players, play__game=due.game, play__counts=True, play__deleted_at=None, play__club=due.club,
        play__played_on__gte=since,
    )  # fmt: skip
    names: tuple[str, ...] = ("player", "game", *KIND, "month", *SUMS)
    rows.add(Tally, names, tallies(counted, month=TruncMonth("play__played_on")).values_list(*names))
    Standing.objects.filter(player__in=players, game=due.game).delete()
    names = ("player", "game", *KIND, *SUMS, "luck", "adjusted")
    rows.add(Standing, names, _standings(Tally.objects.filter(player__in=players, game=due.game)))


def _standings(stored: QuerySet[Tally]) -> Iterator[tuple[Any, ...]]:
    """The standings of the players of these tallies: each kind, and whatever it is left out of."""
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * (len(SUMS) + 1))
    of_all_months = stored.order_by().values_list("player", "game", *KIND).annotate(*map(Sum, SUMS))
    for player, game, edition, variant, player_count, *own in of_all_months:
        own.append(own[0] * WIN // player_count)  # the wins of luck in so many plays
        for kind in product(("", edition), ("", variant), (0, player_count)):
            key = (player, game, *kind)
            sums[key] = [one + more for one, more in zip(sums[key], own, strict=True)]
    for key, own in sums.items():
        of = dict(zip((*SUMS, "luck"), own, strict=True))
        yield (*key, *own, adjusted_share(credit=of["credit"], luck=of["luck"], plays=of["plays"]))


def skills(
    players: Iterable[UUID], *, game: str, before: date | None = None, until: date | None = None
) -> dict[UUID, Skill]:
    """The latest skills of these players, of plays before a day or until one; one query. The unrated are left out."""
    latest: QuerySet[Rating] = Rating.objects.filter(player=OuterRef("pk"), game=game)
    if before is not None:
        latest = latest.filter(played_on__lt=before)
    if until is not None:
        latest = latest.filter(played_on__lte=until)
    latest = latest.order_by("-played_on", "-play")
    rows = Player.objects.filter(pk__in=list(players)).annotate(
        mu=Subquery(latest.values("mu")[:1]), sigma=Subquery(latest.values("sigma")[:1])
    )
    return {pk: Skill(mu, sigma) for pk, mu, sigma in rows.values_list("pk", "mu", "sigma") if mu is not None}

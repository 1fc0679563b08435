"""What can be done with leagues: ask for one, hold it, go on, call it off; and how workers share its rounds.

A round depends on the league and its number alone and is stored once, so a message says no more than that a league has
rounds to play: each worker that gets one takes rounds, one after the other, for a second. Any number of messages, of
workers, of deaths gives the same table.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api.api.problems import Conflict, Forbidden, NotFound, Problem, translate
from forsale_api.clubs.models import User
from stats.league import League, check_league, standings
from stats.models import LeagueRound, LeagueRun, Status
from stats.services import (
    ACTIVE,
    MOST_ERRORS,
    MOST_LEASES,
    UNANSWERED,
    is_dead,
    refuse_too_many,
    send_task,
    this_worker,
)
from stats.simulation import RequestError
from stats.summary import ENGINE

PLAY_LEAGUE = "stats.tasks.play_league"
TURN_SECONDS = 1.0
LEASE = timedelta(minutes=10)
"""For a round; of a worker that died on this machine, no lease need run out."""


def league_of(run: LeagueRun) -> League:
    """What a stored league plays."""
    return League(
        tuple(run.bots), run.player_count, run.seed, run.rounds, run.deals, run.tables,  # type: ignore[arg-type]
        run.game, run.edition, run.variant,
    )  # fmt: skip


@transaction.atomic
def request_league(*, requester: User, id: UUID | None = None, seed: int | None = None, **asked: Any) -> LeagueRun:
    """Store the request and have it played; `asked` are the fields of `League`. Without a seed one is drawn.

    With an `id` of the caller's own, the same request again answers the stored league.
    Raises `Problem` (400) naming what is allowed, and `Conflict` (409): `id-taken` for another request under that id,
    `too-many-at-once` as `refuse_too_many` does.
    """
    body_hash = hashlib.sha256(json.dumps([asked, seed], sort_keys=True).encode()).hexdigest()
    known = LeagueRun.objects.filter(pk=id).first() if id else None
    if known is not None:
        if known.requester_id != requester.pk or known.body_hash != body_hash:
            raise Conflict(gettext("This id names another league."), code="id-taken", place=("id",))
        return known
    drawn = secrets.randbelow(2**53) if seed is None else seed  # what JavaScript reads without loss
    league = League(**{**asked, "bots": tuple(asked["bots"]), "seed": drawn})
    try:
        check_league(league, most_games=settings.MAX_SIMULATION_GAMES)
    except RequestError as error:
        raise Problem(translate(error.message), code=error.code, place=error.place) from error
    refuse_too_many(LeagueRun, requester)
    own = {"id": id, "body_hash": body_hash} if id else {}
    run = LeagueRun(requester=requester, engine=ENGINE, made_by=league.made_by(), **league.as_dict(), **own)
    run.save(force_insert=True)
    _send_all(run)
    return run


def table_of(run: LeagueRun) -> dict[str, Any]:
    """The table of the rounds played so far.

    Raises `Conflict` (409, `other-engine`) where another engine or bot played it and it was not finished.
    """
    if run.status != Status.FINISHED and not _is_current(run):
        raise Conflict(
            gettext("These results are of engine %(engine)s; ask for the league again.") % {"engine": run.engine},
            code="other-engine",
        )
    if run.status == Status.FINISHED:
        unknown = {"engine": run.engine, "edition_hash": "", "bot_hashes": {}}  # of the first engine's leagues
        return {**_whole_table(run.pk), **unknown, **run.made_by}
    return _table(run)


def _is_current(run: LeagueRun) -> bool:
    return bool(run.made_by == league_of(run).made_by())


def _table(run: LeagueRun) -> dict[str, Any]:
    played = run.played_rounds.filter(results__isnull=False).values_list("number", "results")
    return standings(league_of(run), {number: results or [] for number, results in played})


@lru_cache(maxsize=32)
def _whole_table(id: UUID) -> Mapping[str, Any]:
    """Of a league that is finished, which never changes."""
    return _table(LeagueRun.objects.get(pk=id))


# --- control -----------------------------------------------------------------------------------------


def no_such_league() -> NotFound:
    """The answer (404) where there is no league of that id."""
    return NotFound(gettext("There is no such league."), code="no-such-league")


@transaction.atomic
def pause(*, id: UUID, requester: Any) -> LeagueRun:
    """Hold a league. Raises as `_controlled` does."""
    run = _controlled(id, requester, (*ACTIVE, Status.PAUSED))
    run.status = Status.PAUSED
    run.save()
    return run


@transaction.atomic
def resume(*, id: UUID, requester: Any) -> LeagueRun:
    """Go on with a league that was held. Raises as `_controlled` does."""
    run = _controlled(id, requester, (*ACTIVE, Status.PAUSED))
    if run.status == Status.PAUSED:
        run.status = Status.QUEUED
        run.save()
        _send_all(run)
    return run


@transaction.atomic
def cancel(*, id: UUID, requester: Any) -> LeagueRun:
    """End a league where it is; the table so far remains. Raises as `_controlled` does."""
    run = _controlled(id, requester, (*ACTIVE, Status.PAUSED, Status.CANCELLED))
    if run.status != Status.CANCELLED:
        _end(run, Status.CANCELLED)
    return run


def _controlled(id: UUID, requester: Any, allowed: Sequence[str]) -> LeagueRun:
    """The league, its row held.

    Raises `NotFound`; `Forbidden` (403) where somebody else asked for it; `Conflict` (409, `league-ended`) where its
    status is not one of `allowed`.
    """
    run = LeagueRun.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if run is None:
        raise no_such_league()
    if run.requester_id is None or run.requester_id != requester.pk:
        raise Forbidden(gettext("Only whoever asked for a league may control it."), code="not-the-requester")
    if run.status not in allowed:
        raise Conflict(
            gettext("This league is %(status)s; there is nothing left to control.")
            % {"status": Status(run.status).label},
            code="league-ended",
        )
    return run


def _end(run: LeagueRun, status: Status, error: str = "") -> None:
    run.status, run.error, run.finished_at = status, error, timezone.now()
    run.save()


# --- rounds ------------------------------------------------------------------------------------------


@transaction.atomic
def lease(*, league_id: UUID) -> tuple[LeagueRun, int] | None:
    """Take a round to play: one that a worker left, else the next; None where there is none to be played."""
    run = LeagueRun.objects.select_for_update(of=("self",)).filter(pk=league_id, status__in=ACTIVE).first()
    if run is None:
        return None
    if not _is_current(run):
        _end(run, Status.FAILED, "begun by another engine, edition or bot of that name, which is no more")
        return None
    now = timezone.now()
    left = run.played_rounds.filter(Q(leased_until=None) | Q(leased_until__lt=now), results__isnull=True)
    taken = left.order_by("number").first()
    if taken is None:
        if run.next_round == run.rounds:
            return None
        taken = LeagueRound(league=run, number=run.next_round)
        run.next_round += 1
    taken.leased_until, taken.worker, taken.attempts = now + LEASE, this_worker(), taken.attempts + 1
    taken.save()
    if taken.attempts > MOST_LEASES:
        _end(run, Status.FAILED, f"round {taken.number} was begun {MOST_LEASES} times and never ended")
        return None
    run.status = Status.RUNNING
    run.save()
    return run, taken.number


@transaction.atomic
def store(*, id: UUID, number: int, results: list[dict[str, Any]]) -> None:
    """Keep a round's results, once; the last round ends the league. Nothing where the league is gone."""
    run = LeagueRun.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if run is None:
        return
    new = run.played_rounds.filter(number=number, results__isnull=True).update(results=results, leased_until=None)
    run.rounds_done = F("rounds_done") + new
    run.save()
    run.refresh_from_db()
    if run.rounds_done == run.rounds and run.status in (*ACTIVE, Status.PAUSED):
        _end(run, Status.FINISHED)


def is_wanted(run: LeagueRun) -> bool:
    """Whether its rounds are to be played: neither held nor over."""
    return LeagueRun.objects.filter(pk=run.pk, status__in=ACTIVE).exists()


@transaction.atomic
def stopped(*, id: UUID, number: int) -> None:
    """A worker left a round in the middle, because the league was held or called off: it is for the next who comes."""
    run = LeagueRun.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if run is None:
        return
    run.played_rounds.filter(number=number, results__isnull=True).update(leased_until=None)
    if run.status in ACTIVE:  # gone on with meanwhile
        send(run.pk)


@transaction.atomic
def raised(*, id: UUID, number: int, error: Exception) -> None:
    """A round raised: tried again, then, after `MOST_ERRORS` attempts, the league fails with the error."""
    run = LeagueRun.objects.select_for_update(of=("self",)).filter(pk=id, status__in=ACTIVE).first()
    if run is None:
        return
    taken = run.played_rounds.get(number=number)
    if taken.attempts >= MOST_ERRORS:
        _end(run, Status.FAILED, f"{type(error).__name__}: {error}"[:1000])
        return
    taken.leased_until = None
    taken.save()
    send(run.pk)


def send(id: UUID) -> None:
    """Have a worker play rounds of this league, once what was written is committed."""
    send_task(PLAY_LEAGUE, league_id=str(id))


def _send_all(run: LeagueRun) -> None:
    for _worker in range(settings.SIMULATION_WIDTH):
        send(run.pk)


def reconcile(*, everything: bool = False) -> int:
    """Take rounds back from workers that died, and call workers to leagues that stand still; gives how many."""
    now = timezone.now()
    out = LeagueRound.objects.filter(league__status__in=ACTIVE, results__isnull=True, leased_until__gte=now)
    dead = [taken.pk for taken in out if is_dead(taken.worker)]
    LeagueRound.objects.filter(pk__in=dead, results__isnull=True).update(leased_until=None)
    still = LeagueRun.objects.filter(status__in=ACTIVE)
    if not everything:
        still = still.filter(Q(updated_at__lt=now - UNANSWERED) | Q(played_rounds__in=dead))
    called = 0
    for run in still.distinct():
        if not out.filter(league=run).exclude(pk__in=dead).exists():  # nobody is at it, not even slowly
            LeagueRun.objects.filter(pk=run.pk).update(updated_at=now)
            _send_all(run)
            called += 1
    return called

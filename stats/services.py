"""What can be done with simulations: ask for one, hold it, go on, call it off; and the life of its chunks.

The database is the truth. A simulation hands out its games in ranges, the chunks; each waits for a worker, is leased,
run and stored once, and then replaced by the next, sized by the speed so far: so whatever a simulation's length, only
a few rows and messages are out at a time, and simulations take turns. A message only names a chunk. One that is lost
is sent again by `reconcile`, one that comes twice finds the chunk leased or gone. Since a game depends on seed and
number alone and counts add up, no order, number of workers or death of one changes a count.

Tasks are asked for by name: `stats.tasks` stands above this room and calls it, like a view.
"""

import hashlib
import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from django.conf import settings
from django.core.cache import cache as shared_cache
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api.api.problems import Conflict, Forbidden, NotFound, Problem, translate
from forsale_api.celery import app
from forsale_api.clubs.models import User
from forsale_api.rules.for_sale import DEFAULT_EDITION, EDITIONS
from forsale_api.webhooks.services import tell_clubs_of
from stats.models import Chunk, LeagueRun, Simulation, SimulationResult, Status
from stats.simulation import RequestError, check_request, slice_of
from stats.summary import COUNTS, ENGINE, Opener, Setting, Summary

SIMULATED_GAME = "for-sale"
REFERENCE_BOT, REFERENCE_SEED, REFERENCE_GAMES = "coin-flip", 1, 10_000_000

RUN_CHUNK, START_REFERENCES = "stats.tasks.run_chunk", "stats.tasks.start_references"

FIRST_CHUNK = 5_000
"""Games of a simulation's first chunks, before its speed is known: some milliseconds, and progress at once."""
CHUNK_SECONDS = 1.0
LARGEST_CHUNK = 20_000_000
LEASE = timedelta(seconds=30)
UNANSWERED = timedelta(seconds=20)
"""A message that was not answered by then is sent again; the first may still come, and then finds nothing to do."""
MOST_ERRORS = 3
MOST_LEASES = 50
LOOK_SECONDS = 0.5
"""Between two looks of a worker at whether what it plays is still wanted."""
PACE_SECONDS = 20.0
"""The speed shown is that of so many seconds before the last chunk."""

ACTIVE = (Status.QUEUED, Status.RUNNING)
MOST_AT_ONCE = 100
"""Simulations, or leagues, of one account that have not ended: workers take turns between them, not between people."""


# --- requests ----------------------------------------------------------------------------------------


def setting_of(simulation: Simulation) -> Setting:
    """What a stored simulation plays."""
    return Setting(
        simulation.game,
        simulation.edition,
        simulation.variant,
        simulation.player_count,
        tuple(simulation.bots),
        simulation.seed,
        simulation.opener or "random",
    )


def request_of(simulation: Simulation) -> dict[str, Any]:
    """The request as it would be posted, with nothing left out."""
    return {
        "game": simulation.game,
        "edition": simulation.edition,
        "variant": simulation.variant,
        "player_count": simulation.player_count,
        "bots": simulation.bots,
        "games": simulation.games,
        "seed": simulation.seed,
        "opener": simulation.opener or "random",
    }


def is_current(simulation: Simulation) -> bool:
    """Whether its games are still those that would be played now: same engine, edition and bots by policy."""
    return simulation.result.key == setting_of(simulation).key


def summary_of(simulation: Simulation) -> Summary:
    """The counts so far, all zero before the first game.

    Raises `Conflict` (409, `other-engine`) where an older engine made them, whose counts are no longer understood.
    """
    stored = simulation.result.summary
    if stored is None:
        return Summary(setting_of(simulation), (), np.zeros(1, COUNTS))
    try:
        return Summary.from_bytes(bytes(stored))
    except ValueError as error:
        raise of_another_engine(simulation) from error


def of_another_engine(simulation: Simulation) -> Conflict:
    """The answer (409) where an older engine counted, in a form that is no longer read."""
    return Conflict(
        gettext("These results are of engine %(engine)s; ask for the simulation again.")
        % {"engine": simulation.result.engine},
        code="other-engine",
    )


def results_of(simulation: Simulation) -> dict[str, Any]:
    """The results in the API's form, of the games done so far. Raises as `summary_of` does."""
    return summary_of(simulation).as_dict(request_of(simulation))


def no_such_simulation(place: tuple[str, ...] = ()) -> NotFound:
    """The answer (404) where there is no simulation of that id."""
    return NotFound(gettext("There is no such simulation."), code="no-such-simulation", place=place)


@transaction.atomic
def request_simulation(
    *,
    requester: User | None,
    game: str,
    player_count: int,
    bots: Sequence[str],
    games: int,
    edition: str = DEFAULT_EDITION,
    variant: str = "base",
    seed: int | None = None,
    opener: Opener = "random",
    id: UUID | None = None,
    reference: bool = False,
) -> Simulation:
    """Store the request and its first chunks, whose tasks are sent on commit; or finish at once what is stored.

    Games that a finished simulation of the same setting has counted are not played again. Without a seed one is drawn.
    With an `id` of the caller's own, the same request again answers the stored simulation.
    Raises `Problem` (400) naming what is allowed, and `Conflict` (409): `id-taken` for another request under that id,
    `too-many-at-once` as `refuse_too_many` does.
    """
    asked: dict[str, Any] = {
        "game": game,
        "edition": edition,
        "variant": variant,
        "player_count": player_count,
        "bots": list(bots),
        "games": games,
        "opener": opener,
    }
    body_hash = hashlib.sha256(json.dumps([asked, seed], sort_keys=True).encode()).hexdigest()
    known = Simulation.objects.select_related("result").filter(pk=id).first() if id else None
    if known is not None:
        return _same_or_conflict(known, requester, body_hash)
    seed = secrets.randbelow(2**53) if seed is None else seed  # what JavaScript reads without loss
    _check(asked, seed)
    simulation = Simulation(
        requester=requester,
        **{**asked, "opener": None if opener == "random" else opener},
        seed=seed,
        reference=reference,
        body_hash=body_hash if id else "",
        **({"id": id} if id else {}),
    )
    _begin(simulation)
    return simulation


def _check(asked: Mapping[str, Any], seed: int) -> None:
    try:
        check_request(**asked, seed=seed, most_games=settings.MAX_SIMULATION_GAMES)
    except RequestError as error:
        raise Problem(translate(error.message), code=error.code, place=error.place) from error


def _same_or_conflict(known: Simulation, requester: User | None, body_hash: str) -> Simulation:
    if requester is None or known.requester_id != requester.pk or known.body_hash != body_hash:
        raise Conflict(gettext("This id names another simulation."), code="id-taken", place=("id",))
    return known


def _begin(simulation: Simulation) -> None:
    """Save a new simulation with what is already known of its games, and hand out its first chunks."""
    key = setting_of(simulation).key
    stored = SimulationResult.objects.filter(key=key, complete=True, games__lte=simulation.games)
    known = stored.order_by("-games").first()
    if known is not None and known.games == simulation.games:
        simulation.result, simulation.status = known, Status.FINISHED
        simulation.games_done = simulation.next_game = known.games
        simulation.finished_at = timezone.now()
    else:
        refuse_too_many(Simulation, simulation.requester)
        simulation.result = SimulationResult.objects.create(key=key, engine=ENGINE)
        if known is not None:
            simulation.result.games, simulation.result.summary = known.games, known.summary
            simulation.result.save()
            simulation.games_done = simulation.next_game = known.games
        simulation.chunk_games = min(FIRST_CHUNK, slice_of(simulation.bots))
    simulation.save(force_insert=True)
    if simulation.status == Status.QUEUED:
        _hand_out(simulation)
    else:
        _tell(simulation)


def refuse_too_many(runs: type[Simulation] | type[LeagueRun], requester: User | None) -> None:
    """Raises `Conflict` (409, `too-many-at-once`) for an account with `MOST_AT_ONCE` of them that have not ended."""
    if requester is None:
        return
    if runs.objects.filter(requester=requester, status__in=(*ACTIVE, Status.PAUSED)).count() >= MOST_AT_ONCE:
        raise Conflict(
            gettext("%(most)s of yours have not ended yet: wait for one, or cancel one.") % {"most": MOST_AT_ONCE},
            code="too-many-at-once",
        )


# --- references --------------------------------------------------------------------------------------


@cache
def reference_edition(edition: str) -> str:
    """The first edition of the same rule numbers: those that differ in name only share a reference simulation."""
    numbers = {slug: asdict(replace(other, slug="", names={})) for slug, other in EDITIONS.items()}
    return next(slug for slug in EDITIONS if numbers[slug] == numbers[edition])


@transaction.atomic
def start_reference(
    *, game: str, edition: str, variant: str, player_count: int, requester: User | None = None
) -> Simulation:
    """The simulation that recorded scores of this kind are shown beside, begun if there is none.

    One that was cancelled, failed, or is no longer current is replaced. `requester` may hold and go on with a new one.
    """
    kind: dict[str, Any] = {
        "game": game,
        "edition": reference_edition(edition),
        "variant": variant,
        "player_count": player_count,
    }
    references = Simulation.objects.select_related("result").filter(**kind, reference=True)
    found = references.select_for_update(of=("self",)).first()
    if found is not None and found.status not in (Status.CANCELLED, Status.FAILED) and is_current(found):
        return found
    if found is not None:
        found.reference = False
        found.save(update_fields=["reference", "updated_at"])
    try:
        with transaction.atomic():
            return request_simulation(
                requester=requester,
                **kind,
                bots=[REFERENCE_BOT] * player_count,
                games=min(REFERENCE_GAMES, settings.MAX_SIMULATION_GAMES),
                seed=REFERENCE_SEED,
                reference=True,
            )
    except IntegrityError:  # begun by somebody else at the same moment
        return references.get()


def ask_for_references(kinds: Sequence[Mapping[str, Any]]) -> None:
    """Have a worker start these reference simulations: {"game", "edition", "variant", "player_count"} each."""
    new = [
        kind for kind in kinds if shared_cache.add("reference:" + ":".join(map(str, kind.values())), True, timeout=10)
    ]
    if new:
        send_task(START_REFERENCES, kinds=[dict(kind) for kind in new])


# --- control -----------------------------------------------------------------------------------------


@transaction.atomic
def pause(*, id: UUID, requester: Any) -> Simulation:
    """Hold a simulation: from now on its count of games stands still. Raises as `_controlled` does."""
    simulation = _controlled(id, requester, (*ACTIVE, Status.PAUSED))
    if simulation.status != Status.PAUSED:
        _stop_clock(simulation)
        simulation.status, simulation.pace = Status.PAUSED, []
        simulation.save()
    return simulation


@transaction.atomic
def resume(*, id: UUID, requester: Any) -> Simulation:
    """Go on with a simulation that was held. Raises as `_controlled` does."""
    simulation = _controlled(id, requester, (*ACTIVE, Status.PAUSED))
    if simulation.status == Status.PAUSED:
        simulation.status = Status.QUEUED
        simulation.save()
        _enqueue(simulation.chunks.filter(lease=None))
    return simulation


@transaction.atomic
def cancel(*, id: UUID, requester: Any) -> Simulation:
    """End a simulation where it is; the games done so far remain to be read. Raises as `_controlled` does."""
    simulation = _controlled(id, requester, (*ACTIVE, Status.PAUSED, Status.CANCELLED))
    if simulation.status != Status.CANCELLED:
        _end(simulation, Status.CANCELLED)
    return simulation


def _controlled(id: UUID, requester: Any, allowed: Sequence[str]) -> Simulation:
    """The simulation, its row held.

    Raises `NotFound`; `Forbidden` (403) where somebody else asked for it; `Conflict` (409, `simulation-ended`) where
    its status is not one of `allowed`.
    """
    simulation = Simulation.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if simulation is None:
        raise no_such_simulation()
    if simulation.requester_id is None or simulation.requester_id != requester.pk:
        raise Forbidden(gettext("Only whoever asked for a simulation may control it."), code="not-the-requester")
    if simulation.status not in allowed:
        raise Conflict(
            gettext("This simulation is %(status)s; there is nothing left to control.")
            % {"status": Status(simulation.status).label},
            code="simulation-ended",
        )
    return simulation


def _stop_clock(simulation: Simulation) -> None:
    if simulation.running_since is not None:
        simulation.ran_seconds += (timezone.now() - simulation.running_since).total_seconds()
        simulation.running_since = None


def _end(simulation: Simulation, status: Status, error: str = "") -> None:
    """The row is held by the caller. Chunks that are still out are forgotten: whoever runs one stores nothing."""
    _stop_clock(simulation)
    simulation.status, simulation.error, simulation.finished_at = status, error, timezone.now()
    simulation.save()
    simulation.chunks.all().delete()
    if status == Status.FINISHED:
        _tell(simulation)


def _tell(simulation: Simulation) -> None:
    """Let the webhooks of the requester's clubs know that it is finished."""
    facts = {"id": str(simulation.pk), "status": simulation.status, "request": request_of(simulation)}
    tell_clubs_of(simulation.requester, "simulation.finished", facts)


# --- progress ----------------------------------------------------------------------------------------


def games_per_second(simulation: Simulation) -> float | None:
    """While it runs, the speed of the last seconds; afterwards the mean speed, pauses left out; None where unknown."""
    if simulation.status == Status.RUNNING:
        return _recent_speed([(at, games) for at, games in simulation.pace], time.time())
    return simulation.games_done / simulation.ran_seconds if simulation.ran_seconds else None


def _recent_speed(marks: Sequence[tuple[float, int]], now: float) -> float | None:
    """Games a second from marks of [clock in s, games done], one at the end of each chunk; None below two.

    Chunks of a simulation come in groups where several simulations take turns: the span begins and ends at the same
    place of a group, so that it holds whole turns. Once the next chunk is later than any was, time goes on counting.
    """
    if len(marks) < 2:
        return None
    turns = (len(marks) - 1) // settings.SIMULATION_WIDTH
    since, before = marks[-1 - (turns * settings.SIMULATION_WIDTH or len(marks) - 1)]
    until, done = marks[-1]
    longest = max(b[0] - a[0] for a, b in pairwise(marks))
    return (done - before) / max(until - since + max(0.0, now - until - 1.5 * longest), 1e-3)


def eta_seconds(simulation: Simulation) -> float | None:
    """Seconds until the end at the present speed; 0 once finished, None where unknown."""
    if simulation.status == Status.FINISHED:
        return 0.0
    speed = games_per_second(simulation) if simulation.status == Status.RUNNING else None
    return (simulation.games - simulation.games_done) / speed if speed else None


# --- chunks ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lease:
    """A chunk in a worker's hands: games `first_game` to `first_game + games - 1` of the setting."""

    chunk: int
    token: UUID
    setting: Setting
    first_game: int
    games: int


def this_worker() -> str:
    """Host and process, as leases name them."""
    return f"{socket.gethostname()[:80]}:{os.getpid()}"


def lease(*, chunk_id: int) -> Lease | None:
    """Take the chunk, unless somebody has it, it is done, or its simulation is held or over: then None.

    One conditional UPDATE, so two workers never take the same chunk as long as the lease lasts.
    """
    now, token = timezone.now(), uuid4()
    taken = Chunk.objects.filter(
        Q(leased_until=None) | Q(leased_until__lt=now),
        pk=chunk_id,
        simulation__in=Simulation.objects.filter(status__in=ACTIVE),
    ).update(lease=token, leased_until=now + LEASE, worker=this_worker(), attempts=F("attempts") + 1)
    chunks = Chunk.objects.select_related("simulation__result")
    chunk = chunks.filter(pk=chunk_id, lease=token).first() if taken else None
    if chunk is None:
        return None
    if not is_current(chunk.simulation):
        _fail(chunk.simulation_id, "begun by another engine, edition or bot of that name, which is no more")
        return None
    if chunk.attempts > MOST_LEASES:
        _fail(chunk.simulation_id, f"games from {chunk.first_game} on were begun {MOST_LEASES} times and never ended")
        return None
    if chunk.simulation.status == Status.QUEUED:
        _mark_running(chunk.simulation_id, now)
    return Lease(chunk.pk, token, setting_of(chunk.simulation), chunk.first_game, chunk.games)


def _mark_running(id: UUID, now: datetime) -> None:
    queued = Simulation.objects.filter(pk=id, status=Status.QUEUED)
    queued.filter(started_at=None).update(started_at=now)
    queued.update(status=Status.RUNNING, running_since=now, updated_at=now)


@transaction.atomic
def store(*, lease: Lease, summary: Summary, seconds: float) -> bool:
    """Add a chunk's counts to its simulation, once, and hand out the next; `seconds` is how long the chunk ran.

    False, and nothing stored, where the lease was lost meanwhile or the simulation is held or over.
    """
    simulation = _held(lease)
    if simulation is None:
        return False
    if simulation.status not in ACTIVE:
        _lay_down(simulation, lease)
        return False
    Chunk.objects.filter(pk=lease.chunk).delete()
    result = simulation.result  # read now, with the lock held
    joined = summary if result.summary is None else Summary.from_bytes(bytes(result.summary)) + summary
    result.summary, result.games = joined.to_bytes(), joined.games
    result.save()
    simulation.games_done = joined.games
    _keep_pace(simulation, lease.games / max(seconds, 1e-6))
    if simulation.games_done == simulation.games:
        _finish(simulation)
    else:
        _hand_out(simulation)
    return True


class Stopped(Exception):
    """What a worker plays is no longer wanted: held, called off, or in other hands."""


def is_wanted(lease: Lease) -> bool:
    """Whether the lease holds and its simulation is neither held nor over."""
    return Chunk.objects.filter(pk=lease.chunk, lease=lease.token, simulation__status__in=ACTIVE).exists()


def watch(is_wanted: Callable[[], bool]) -> Callable[[int], None]:
    """To be called now and then while games are played: raises `Stopped` soon after they are no longer wanted."""
    looked = time.monotonic()

    def look(_games: int) -> None:
        nonlocal looked
        if time.monotonic() - looked >= LOOK_SECONDS:
            looked = time.monotonic()
            if not is_wanted():
                raise Stopped

    return look


@transaction.atomic
def stopped(*, lease: Lease) -> None:
    """A worker left a chunk in the middle: whoever is called to it begins it again, if it is wanted again."""
    simulation = _held(lease)
    if simulation is not None:
        _lay_down(simulation, lease)


def _lay_down(simulation: Simulation, lease: Lease) -> None:
    chunks = simulation.chunks.filter(pk=lease.chunk)
    chunks.update(lease=None, leased_until=None)
    if simulation.status in ACTIVE:  # held and gone on with meanwhile, when this chunk was not sent
        _enqueue(chunks)


def _held(lease: Lease) -> Simulation | None:
    """The simulation of a lease that still holds, with its row locked; else None."""
    # Not joined with its result: of a row that had to be waited for, PostgreSQL reads the newest state, but of rows
    # joined to it the state from before the wait.
    simulation = (
        Simulation.objects.select_for_update()
        .filter(pk__in=Chunk.objects.filter(pk=lease.chunk).values("simulation"))
        .first()
    )
    # asked again now that nobody else can change it
    still = simulation is not None and Chunk.objects.filter(pk=lease.chunk, lease=lease.token).exists()
    return simulation if still else None


def _keep_pace(simulation: Simulation, speed: float) -> None:
    now = time.time()
    pace = [mark for mark in simulation.pace if now - mark[0] <= PACE_SECONDS]
    simulation.pace = [*pace, [now, simulation.games_done]]
    simulation.chunk_games = int(min(max(speed * CHUNK_SECONDS, 1), LARGEST_CHUNK))


def _finish(simulation: Simulation) -> None:
    """Make the result one that later requests find; where one is already stored, it is that one."""
    result = simulation.result
    twin = SimulationResult.objects.filter(key=result.key, games=result.games, complete=True).first()
    if twin is not None:
        simulation.result = twin
        _end(simulation, Status.FINISHED)
        result.delete()
        return
    result.complete = True
    result.save()
    _end(simulation, Status.FINISHED)


def _hand_out(simulation: Simulation) -> None:
    """Fill up the chunks that are out; the row is new or held by the caller. Tasks are sent on commit."""
    now, new = timezone.now(), []
    for _more in range(settings.SIMULATION_WIDTH - simulation.chunks.count()):
        games = min(simulation.chunk_games, simulation.games - simulation.next_game)
        if games == 0:
            break
        new.append(Chunk(simulation=simulation, first_game=simulation.next_game, games=games, enqueued_at=now))
        simulation.next_game += games
    simulation.save()
    _enqueue(Chunk.objects.bulk_create(new))


def _enqueue(chunks: Iterable[Chunk]) -> None:
    """Send the chunks' tasks once what they name is committed; one that cannot be sent is `reconcile`'s."""
    for chunk in chunks:
        send_task(RUN_CHUNK, chunk_id=chunk.pk)


def send_task(task: str, **kwargs: Any) -> None:
    """Have a worker run the task once what was written is committed; a broker that is down is `reconcile`'s matter."""
    transaction.on_commit(partial(app.send_task, task, kwargs=kwargs), robust=True)


@transaction.atomic
def raised(*, lease: Lease, error: Exception) -> None:
    """A chunk's run raised: tried again, then, after `MOST_ERRORS` in all, the simulation fails with the error."""
    simulation = _held(lease)
    if simulation is None:
        return
    chunk = Chunk.objects.get(pk=lease.chunk)
    chunk.errors += 1
    if chunk.errors >= MOST_ERRORS:
        _end(simulation, Status.FAILED, f"{type(error).__name__}: {error}"[:1000])
        return
    chunk.lease = chunk.leased_until = None
    chunk.enqueued_at = timezone.now()
    chunk.save()
    _enqueue([chunk])


@transaction.atomic
def _fail(id: UUID, error: str) -> None:
    simulation = Simulation.objects.select_for_update(of=("self",)).filter(pk=id, status__in=ACTIVE).first()
    if simulation is not None:
        _end(simulation, Status.FAILED, error)


def reconcile(*, everything: bool = False) -> int:
    """Send the tasks again of chunks that nobody works on: lease run out, worker dead, message unanswered.

    `everything`: of all chunks without a lease, as when a worker starts, since messages may have died with another.
    One too many does no harm. Gives how many were sent.
    """
    now = timezone.now()
    waiting = Q(leased_until=None)
    if not everything:
        waiting &= Q(enqueued_at__lt=now - UNANSWERED)
    chunks = Chunk.objects.filter(simulation__status__in=ACTIVE)
    due = [chunk.pk for chunk in chunks.filter(waiting | Q(leased_until__lt=now))]
    for chunk in chunks.filter(leased_until__gte=now):
        if is_dead(chunk.worker):
            freed = Chunk.objects.filter(pk=chunk.pk, lease=chunk.lease).update(lease=None, leased_until=None)
            due += [chunk.pk] * freed
    Chunk.objects.filter(pk__in=due).update(enqueued_at=now)
    _enqueue(Chunk.objects.filter(pk__in=due).order_by("pk"))
    return len(due)


def is_dead(worker: str) -> bool:
    """Whether the process that took a lease ran on this machine and is no more; no lease need run out for it."""
    host, _colon, pid = worker.rpartition(":")
    if host != socket.gethostname()[:80] or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False

"""What can be done with plays: record, change, delete, restore. The one write path of API, pages, imports and seeds.

Each write is one transaction: the play and its seats, the change for the history, and the outbox row for the
statistics. Facts come in, `rules` derives scores and ranks from them, both are stored.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from datetime import date, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api import rules
from forsale_api.api.problems import AgainstTheRules, Conflict, Forbidden, NotFound, Problem
from forsale_api.clubs.models import Club, Membership, Player, Role, User, Visibility
from forsale_api.clubs.services import Caller, NoSuchPlayer, all_living, hold_players, membership, players_for
from forsale_api.plays.inserts import insert
from forsale_api.plays.models import Play, PlayChange, PlayToFold, Seat
from forsale_api.rules import IllegalStep, Score, SeatEntry

logger = logging.getLogger(__name__)

FIGURES = tuple(field.name for field in fields(SeatEntry))
DETAILS = ("played_on", "played_at", "location", "duration_minutes", "notes", "source", "source_id")
"""Facts that no score depends on."""
SCORED = ("edition", "variant", "first_seat", "record", "reported_winners")
"""Facts beside the seats that scores depend on."""
FACTS = (*SCORED, *DETAILS, "counts", "not_counted_reason")


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """One seat as somebody wrote it down: a player's name or id (None: the one who sits there), and figures.

    `figures` holds only what was named; naming a figure `None` takes it away. Money in thousands of dollars.
    """

    player: str | None
    figures: Mapping[str, Any]


class ImpossibleSheet(AgainstTheRules):
    """No legal game gives this sheet, and nobody said to accept it. Its findings are a member of the problem."""

    def __init__(self, findings: Sequence[Mapping[str, Any]]) -> None:
        found = [finding_in_words(finding) for finding in findings]
        errors = [
            {
                "pointer": f"/seats/{finding['seats'][0] - 1}" if len(finding["seats"]) == 1 else "/seats",
                "code": "impossible-sheet",
                "detail": finding["detail"],
            }
            for finding in found
            if finding["severity"] == "impossible"
        ]
        super().__init__(
            gettext("No legal game gives this sheet. Correct it, or store it uncounted with accept_findings: true."),
            code="impossible-sheet",
            errors=errors,
            members={"findings": found},
        )


def finding_in_words(finding: Mapping[str, Any]) -> dict[str, Any]:
    """A stored finding as the contract shows it, its detail in the language of the reader."""
    return {
        "code": finding["code"],
        "severity": finding["severity"],
        "seats": list(finding["seats"]),
        "detail": gettext(finding["template"]) % finding["params"],
    }


def plain_findings(score: Score) -> list[dict[str, Any]]:
    """Findings as they are stored: the message's template and parameters, in no language."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity,
            "seats": list(finding.seats),
            "template": finding.message.template,
            "params": dict(finding.message.params),
        }
        for finding in score.findings
    ]


# ---- recording --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draft:
    """A new play that has been checked and scored, and waits to be stored with whoever is named to have sat."""

    play: Play
    names: Sequence[str]
    score: Score


def record_play(
    *,
    club: Club,
    id: UUID | None = None,
    body_hash: str = "",
    players: Sequence[Player] | None = None,
    **facts: Any,
) -> tuple[Play, bool]:
    """Stores one play with its scores, whole or not at all; takes what `draft_play` takes.

    `players` are those the seats name, where they have been looked up before (`known_players`).

    Answers (play, True), or (the stored play, False) where the caller's own `id` came before with the same
    `body_hash`.

    Raises as `draft_play`; `Conflict` (409) for an id with another body or a (source, source_id) the club has;
    `AgainstTheRules` for a player who sits twice or is unknown.
    """
    if id is not None:
        stored = _stored_before(club, id, body_hash)
        if stored is not None:
            return stored, False
    draft = draft_play(club=club, id=id, body_hash=body_hash, **facts)
    play = draft.play
    _refuse_sitting_twice(players or ())
    try:
        try:
            with transaction.atomic() if connection.in_atomic_block else nullcontext():
                players = players or _players(club, draft.names, create=False)
                _store([draft], [players])
        except NoSuchPlayer:  # guests come with the play or not at all
            with transaction.atomic():
                players = _players(club, draft.names)
                _store([draft], [players])
    except IntegrityError:
        stored = _stored_before(club, id, body_hash) if id is not None else None
        if stored is not None:
            return stored, False
        _refuse_known_source(play)
        if all_living(players or ()):
            raise
        # somebody was merged or deleted since they were looked up
        return record_play(club=club, id=id, body_hash=body_hash, **facts)
    return play, True


@transaction.atomic
def record_drafts(club: Club, drafts: Sequence[Draft]) -> None:
    """Stores new plays of one club together, in as few statements as one play takes.

    Raises where a single one cannot be stored (`IntegrityError` for an id or source that is there already, or what
    `record_play` raises), and has then stored none: record them one by one to learn which.
    """
    everybody = list(dict.fromkeys(name for draft in drafts for name in draft.names))
    found = dict(zip(everybody, players_for(club, everybody), strict=True))
    tables = []
    for draft in drafts:
        players = [found[name] for name in draft.names]
        _refuse_sitting_twice(players)
        tables.append(players)
    _store(drafts, tables)


def draft_play(
    *,
    club: Club,
    recorder: User | None,
    game: str,
    played_on: date,
    seats: Sequence[SeatFacts],
    edition: str | None = None,
    variant: str = "base",
    played_at: time | None = None,
    location: str = "",
    duration_minutes: int | None = None,
    notes: str = "",
    first_seat: int | None = None,
    record: dict[str, Any] | None = None,
    reported_winners: Sequence[int] = (),
    source: str | None = None,
    source_id: str | None = None,
    counts: bool = True,
    not_counted_reason: str = "",
    accept_findings: bool = False,
    id: UUID | None = None,
    body_hash: str = "",
) -> Draft:
    """Checks and scores a new play; nothing is stored yet, and nothing read.

    Whoever calls has made sure that `recorder` is a member of the club. An impossible sheet that is accepted is held
    back: it does not count until it is corrected.

    Raises `RuleError` (rules; places are JSON paths of the API's body), `ImpossibleSheet`, `AgainstTheRules` for a
    date in the club's future.
    """
    play = Play(
        club=club,
        recorder=recorder,
        game=game,
        edition=edition if edition is not None else rules.game(game).default_edition,
        variant=variant,
        played_on=played_on,
        played_at=played_at,
        location=location,
        duration_minutes=duration_minutes,
        notes=notes,
        first_seat=first_seat,
        record=record,
        reported_winners=list(reported_winners),
        source=source,
        source_id=source_id,
        counts=counts,
        not_counted_reason=not_counted_reason,
        body_hash=body_hash if id is not None else "",
        updated_at=timezone.now(),
    )
    if id is not None:
        play.id = id
    _check_date(club, played_on)
    _check_source(play)
    score = _score(play, [_entry(seat.figures) for seat in seats])
    _check_reason(play)
    if play.impossible:
        if not accept_findings:
            raise ImpossibleSheet(play.findings)
        play.held_back, play.counts = play.counts, False
    return Draft(play, [seat.player or "" for seat in seats], score)


def _store(drafts: Sequence[Draft], tables: Sequence[Sequence[Player]]) -> None:
    """Writes new plays with all that goes with them, in one statement where the database can."""
    seats: list[Seat] = []
    changes: list[PlayChange] = []
    waiting: list[PlayToFold] = []
    for draft, players in zip(drafts, tables, strict=True):
        rows = _rows(draft.play, players, draft.score)
        facts = {**_facts(draft.play, rows), "record": None}
        change, to_fold = _entries(draft.play, "created", draft.play.recorder, after=facts)
        seats += rows
        changes += change
        waiting += to_fold
        _hold(draft.play, rows)
    insert([draft.play for draft in drafts], seats, changes, waiting)


def _stored_before(club: Club, id: UUID, body_hash: str) -> Play | None:
    """The play a client stored before under its own id. Raises `Conflict` where the id stands for something else."""
    play = Play.objects.filter(pk=id).first()
    if play is None:
        return None
    if play.club_id != club.pk or not body_hash or play.body_hash != body_hash:
        raise Conflict(gettext("This id is in use for another play."), code="id-taken", place=("id",))
    if play.deleted_at is not None:
        raise Conflict(
            gettext("This play was stored and deleted since; restore it if it should be there."),
            code="deleted",
            place=("id",),
            members={"play": address(play)},
        )
    return play


def _refuse_known_source(play: Play) -> None:
    """Raises `Conflict` with the address of the club's play of this source, if there is one."""
    if play.source is None:
        return
    known = Play.objects.filter(club=play.club, source=play.source, source_id=play.source_id).exclude(pk=play.pk)
    for other in known.only("id", "deleted_at"):
        text = (
            gettext("This club has a play of this source and source_id: %(address)s.")
            if other.deleted_at is None
            else gettext("This club had a play of this source and source_id and deleted it: %(address)s.")
        )
        raise Conflict(
            text % {"address": address(other)},
            code="source-taken",
            place=("source_id",),
            members={"play": address(other)},
        )


def address(play: Play) -> str:
    """Where the play stands in the API."""
    return reverse("play", args=[play.pk])


# ---- changing ---------------------------------------------------------------------------------------


def play_to_change(user: Caller, play_id: UUID, *, deleted: bool = False) -> tuple[Play, Membership]:
    """The play, held until the transaction ends, and the caller's membership. `deleted`: deleted ones too.

    Raises `NotFound` (404) where there is none or the caller may not see it, `Forbidden` (403) for non-members.
    """
    play = Play.objects.select_for_update(of=("self",)).select_related("club").filter(pk=play_id).first()
    role = membership(user, play.club) if play is not None else None
    if play is None or (role is None and play.club.visibility == Visibility.PRIVATE):
        raise no_such_play()
    if play.deleted_at is not None and not deleted:
        raise no_such_play()
    if role is None:
        raise Forbidden(gettext("Only members of this club may do that."), code="not-a-member")
    return play, role


def no_such_play() -> NotFound:
    return NotFound(gettext("There is no such play here for you."), code="no-such-play")


@transaction.atomic
def change_play(play: Play, *, user: User | None, changes: Mapping[str, Any]) -> Play:
    """Changes the named facts of a play from `play_to_change`, scores it anew and logs what differs.

    `changes` may hold any of `FACTS`, `accept_findings`, and `seats`: the full list of `SeatFacts` in seat order.
    An entry keeps the figures it does not name: those of the player it names, if they sit in the play; else those of
    the seat at its place, unless another entry has taken them. Reported winners and the opener move with their
    seats. While a record is kept, figures are the record's.

    Counting: a sheet that becomes impossible needs `accept_findings` and is held back; one that is possible again
    counts again, unless a member has said that it does not. Naming `counts` in the change decides.

    Raises as `record_play` does; a stored record that no longer fits is refused (422, record-does-not-fit).
    """
    seats = list(play.seats.select_related("player"))
    before = _facts(play, seats)
    findings_before = play.findings
    for name in FACTS:
        if name in changes:
            setattr(play, name, changes[name])
    if changes.get("record") is not None and "first_seat" not in changes:
        play.first_seat = None
    if changes.get("counts"):
        play.not_counted_reason = changes.get("not_counted_reason", "")
    if "played_on" in changes:
        _check_date(play.club, play.played_on)
    _check_source(play)
    players, entries = _merged(play, seats, changes)
    try:
        score = _score(play, entries)
    except IllegalStep as step:
        if "record" in changes:
            raise
        raise AgainstTheRules(
            gettext("The stored record does not fit any more; send a new record, or null, with this change. %(reason)s")
            % {"reason": gettext(step.message.template) % step.message.params},
            code="record-does-not-fit",
            place=("record",),
        ) from step
    _judge(play, findings_before, changes)
    _check_reason(play)
    rows = _rows(play, players, score)
    after = _facts(play, rows)
    if after == before:
        _hold(play, seats)
        return play
    _next_version(play)
    try:
        with transaction.atomic():
            play.save()
    except IntegrityError:
        _refuse_known_source(play)
        raise
    if after["seats"] != before["seats"] or _derived(seats) != _derived(rows):
        play.seats.all().delete()
        insert(rows)
    differ = [name for name in after if after[name] != before[name]]
    _log(
        play,
        "changed",
        user,
        before={name: before[name] for name in differ},
        after={name: after[name] for name in differ},
    )
    _hold(play, rows)
    return play


def _merged(play: Play, seats: Sequence[Seat], changes: Mapping[str, Any]) -> tuple[list[Player], list[SeatEntry]]:
    """Who sits where after a change, and the figures to score; see `change_play` for what an entry keeps."""
    given: Sequence[SeatFacts] | None = changes.get("seats")
    keeps_record = play.record is not None
    stored: list[Mapping[str, Any]] = [{} if keeps_record else _written(seat) for seat in seats]
    if given is None:
        return [seat.player for seat in seats], [_entry(figures) for figures in stored]
    # An entry that names nobody is the seat at its place; beyond the last one it must name somebody.
    names = [
        entry.player or (str(seats[index].player_id) if index < len(seats) else "") for index, entry in enumerate(given)
    ]
    players = hold_players(_players(play.club, names))
    _refuse_sitting_twice(players)
    origin = _origins(players, seats)
    entries = [
        _entry({**(stored[place] if (place := origin[index]) is not None else {}), **entry.figures})
        for index, entry in enumerate(given)
    ]
    if not keeps_record:
        now_at = {place + 1: index + 1 for index, place in enumerate(origin) if place is not None}
        if "reported_winners" not in changes:
            play.reported_winners = sorted(now_at[seat] for seat in play.reported_winners if seat in now_at)
        if "first_seat" not in changes and play.first_seat is not None:
            play.first_seat = now_at.get(play.first_seat)
    return players, entries


def _origins(players: Sequence[Player], seats: Sequence[Seat]) -> list[int | None]:
    """For each new seat the index of the stored seat whose figures it keeps, if any; no seat serves twice."""
    sat = {seat.player_id: index for index, seat in enumerate(seats)}
    origin = [sat.get(player.pk) for player in players]
    taken = set(origin)
    for index, place in enumerate(origin):
        if place is None and index < len(seats) and index not in taken:
            origin[index] = index
    return origin


def _judge(play: Play, findings_before: Sequence[Mapping[str, Any]], changes: Mapping[str, Any]) -> None:
    """Whether the changed play counts. Findings that were accepted before need not be accepted again."""
    accepted = [finding for finding in findings_before if finding["severity"] == "impossible"]
    found = [finding for finding in play.findings if finding["severity"] == "impossible"]
    if found and found != accepted:
        if not changes.get("accept_findings"):
            raise ImpossibleSheet(play.findings)
        if play.counts:
            play.counts, play.held_back = False, True
    if not found and play.held_back:
        play.counts, play.held_back = True, False
    if "counts" in changes:
        play.counts, play.held_back = changes["counts"], False
    if changes.get("not_counted_reason"):
        play.held_back = False  # a member's own reason stays until a member takes it back


def _require_right_to_remove(play: Play, role: Membership) -> None:
    if role.role != Role.OWNER and play.recorder_id != role.user_id:
        raise Forbidden(
            gettext("Only the recorder of a play and owners of the club may delete or restore it."),
            code="not-the-recorder",
        )


@transaction.atomic
def delete_play(play: Play, role: Membership) -> None:
    """Takes a play from `play_to_change` out of lists and figures; it can be restored.

    Raises `Forbidden` (403) unless the caller recorded it or owns the club.
    """
    _require_right_to_remove(play, role)
    _next_version(play)
    play.deleted_at = play.updated_at
    play.save(update_fields=["version", "updated_at", "deleted_at"])
    _log(play, "deleted", role.user)


@transaction.atomic
def restore_play(play: Play, role: Membership) -> Play:
    """Brings a deleted play back as it was; one that is there stays as it is. Raises as `delete_play`."""
    _require_right_to_remove(play, role)
    if play.deleted_at is not None:
        _next_version(play)
        play.deleted_at = None
        play.save(update_fields=["version", "updated_at", "deleted_at"])
        _log(play, "restored", role.user)
    return play


def reseat(play: Play, *, old: Player, new: Player, user: User | None) -> None:
    """Lets `new` sit where `old` sits in the play, for players found to be one; the caller holds the play's row.

    The scores do not change. Deleted plays are reseated, too: restored, they have the right player.
    """
    seats = list(play.seats.order_by("seat"))
    before = _facts(play, seats)["seats"]
    for seat in seats:
        if seat.player_id == old.pk:
            seat.player = new
            seat.save(update_fields=["player"])
    _next_version(play)
    play.save(update_fields=["version", "updated_at"])
    _log(play, "changed", user, before={"seats": before}, after={"seats": _facts(play, seats)["seats"]})


# ---- deriving ---------------------------------------------------------------------------------------


def differences(play: Play) -> list[str]:
    """What is stored of a play's scores but does not follow from its facts; empty where all is well."""
    seats = list(play.seats.all())
    stored = _outcome(play, seats)
    try:
        rows = _rescored(play, seats)
    except (rules.RuleError, Problem) as error:
        return [f"cannot be scored: {error}"]
    derived = _outcome(play, rows)
    return [
        f"{name}: stored {stored[name]!r}, derived {value!r}"
        for name, value in derived.items()
        if stored[name] != value
    ]


@transaction.atomic
def rescore_play(play_id: UUID) -> None:
    """Stores what follows from the facts of the play. Raises `RuleError` where they cannot be scored."""
    play = Play.objects.select_for_update(of=("self",)).select_related("club").get(pk=play_id)
    rows = _rescored(play, list(play.seats.select_related("player")))
    if not play.impossible and play.held_back:
        play.counts, play.held_back = True, False
    _next_version(play)
    play.save()
    play.seats.all().delete()
    Seat.objects.bulk_create(rows)
    _log(play, "changed", None, before={}, after={})


def _rescored(play: Play, seats: Sequence[Seat]) -> list[Seat]:
    """Scores the play's facts anew, on the object only."""
    if play.record is not None:
        play.first_seat = None  # the record's
    score = _score(play, [_entry({} if play.record is not None else _written(seat)) for seat in seats])
    return _rows(play, [seat.player for seat in seats], score)


def _outcome(play: Play, seats: Sequence[Seat]) -> dict[str, Any]:
    outcome: dict[str, Any] = {
        name: getattr(play, name)
        for name in ("player_count", "level", "decided_by", "first_seat", "impossible", "findings")
    }
    for seat, figures in zip(seats, _derived(seats), strict=True):
        outcome[f"seat {seat.seat}"] = figures
    return outcome


def _derived(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    names = ("seat", "cheques", "banknotes", "cheque_cards", "points", "largest_category", "total", "rank", "is_winner")
    return [{name: getattr(seat, name) for name in names} for seat in seats]


def _score(play: Play, entries: Sequence[SeatEntry]) -> Score:
    """Scores the entries under the play's other facts and puts the outcome on the play."""
    game = rules.game(play.game)
    game.check_offer(play.edition, play.variant, len(entries))
    score = game.score(
        edition=play.edition,
        variant=play.variant,
        seats=entries,
        record=play.record,
        reported_winners=play.reported_winners,
    )
    play.player_count = len(entries)
    play.first_seat = _first_seat(play, score)
    play.level, play.decided_by = score.level, score.decided_by
    play.findings = plain_findings(score)
    play.impossible = any(finding.severity == "impossible" for finding in score.findings)
    return score


def _first_seat(play: Play, score: Score) -> int | None:
    """The opener as given, else the record's. Raises `AgainstTheRules` where they disagree or no such seat is."""
    given = play.first_seat
    if given is None:
        return score.first_seat
    if not 1 <= given <= play.player_count:
        raise AgainstTheRules(
            gettext("There is no seat %(seat)s; seats are numbered from 1 to %(players)s.")
            % {"seat": given if abs(given) < 10**9 else "…", "players": play.player_count},
            code="no-such-seat",
            place=("first_seat",),
        )
    if score.first_seat is not None and given != score.first_seat:
        raise AgainstTheRules(
            gettext("The record is opened by seat %(due)s, not seat %(seat)s.")
            % {"due": score.first_seat, "seat": given},
            code="first-seat-contradicts-record",
            place=("first_seat",),
        )
    return given


def _rows(play: Play, players: Sequence[Player], score: Score) -> list[Seat]:
    return [
        Seat(
            play=play,
            seat=line.seat,
            player=player,
            cheques=line.cheques,
            banknotes=line.banknotes,
            cheque_cards=list(line.cheque_cards) if line.cheque_cards is not None else None,
            points=line.points,
            largest_category=line.largest_category,
            total=line.total,
            rank=line.rank,
            is_winner=line.is_winner,
        )
        for player, line in zip(players, score.seats, strict=True)
    ]


def _entry(figures: Mapping[str, Any]) -> SeatEntry:
    cards = figures.get("cheque_cards")
    return SeatEntry(**{**figures, "cheque_cards": tuple(cards) if cards is not None else None})


def _written(seat: Seat) -> dict[str, Any]:
    """The figures of a seat from which the others follow: cards or cheques with banknotes, points, or the total."""
    if seat.points is not None:
        return {"points": seat.points, "largest_category": seat.largest_category}
    if seat.cheque_cards is not None:
        return {"cheque_cards": seat.cheque_cards, "banknotes": seat.banknotes}
    if seat.cheques is not None:
        return {"cheques": seat.cheques, "banknotes": seat.banknotes}
    return {"total": seat.total}


# ---- checks beside the rules ------------------------------------------------------------------------


def _check_date(club: Club, played_on: date) -> None:
    today = datetime.now(ZoneInfo(club.time_zone)).date()
    if played_on <= today:
        return
    hint = ""
    buddhist = played_on.year - 543
    if today.year - 60 <= buddhist <= today.year:
        hint = " " + gettext("Year %(year)s of the Buddhist calendar is %(common)s.") % {
            "year": played_on.year,
            "common": buddhist,
        }
    raise AgainstTheRules(
        gettext("A play cannot be in the future: it is %(today)s in this club.") % {"today": today.isoformat()} + hint,
        code="date-in-future",
        place=("played_on",),
    )


def _check_source(play: Play) -> None:
    for name, other in (("source", "source_id"), ("source_id", "source")):
        if getattr(play, name) is None and getattr(play, other) is not None:
            raise Problem(
                gettext("source and source_id are given together or not at all."),
                code="source-incomplete",
                place=(name,),
            )


def _check_reason(play: Play) -> None:
    if play.counts and play.not_counted_reason:
        raise Problem(
            gettext("A play that counts has no reason for not counting; send counts: false with it."),
            code="reason-without-effect",
            place=("not_counted_reason",),
        )


def _players(club: Club, names: Sequence[str], *, create: bool = True) -> list[Player]:
    """The players of the seats, guests made where a name is new. Raises `AgainstTheRules` where one sits twice.

    `create=False` raises `NoSuchPlayer` for a new name.
    """
    places = [("seats", index, "player") for index in range(len(names))]
    for index, name in enumerate(names):
        if not name:
            raise Problem(gettext("This seat needs a player."), code="required", place=places[index])
    players = players_for(club, names, places=places, create=create)
    _refuse_sitting_twice(players)
    return players


def _refuse_sitting_twice(players: Sequence[Player]) -> None:
    first: dict[UUID, int] = {}
    for index, player in enumerate(players):
        if player.pk in first:
            raise AgainstTheRules(
                gettext("%(player)s already sits in seat %(seat)s.")
                % {"player": player.name, "seat": first[player.pk] + 1},
                code="player-sits-twice",
                place=("seats", index, "player"),
            )
        first[player.pk] = index


# ---- history and outbox -----------------------------------------------------------------------------


def _next_version(play: Play) -> None:
    play.version += 1
    play.updated_at = timezone.now()


def _facts(play: Play, seats: Sequence[Seat]) -> dict[str, Any]:
    """The facts of a play as plain JSON. Players stand by id: a renamed one is not a changed play."""
    facts = {name: getattr(play, name) for name in FACTS}
    for name in ("played_on", "played_at"):
        facts[name] = facts[name].isoformat() if facts[name] is not None else None
    facts["held_back"] = play.held_back
    facts["seats"] = [{"player": str(seat.player_id), **_written(seat)} for seat in seats]
    return facts


def _log(
    play: Play,
    action: str,
    user: User | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Writes the change to the history, and the play to the outbox of the statistics."""
    insert(*_entries(play, action, user, before=before, after=after))


def _entries(
    play: Play,
    action: str,
    user: User | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> tuple[list[PlayChange], list[PlayToFold]]:
    """The rows of history and outbox that go with a change of a play."""
    change = PlayChange(play=play, version=play.version, action=action, user=user, before=before, after=after)
    return [change], [PlayToFold(play_id=play.pk)]


def _hold(play: Play, seats: Sequence[Seat]) -> None:
    """Lets the play answer `seats.all()` without a query."""
    play._prefetched_objects_cache = {"seats": list(seats)}  # type: ignore[attr-defined]

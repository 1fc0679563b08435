"""Two players of a club who turn out to be one: their plays are brought together, and taken apart again on demand.

The player who goes keeps its row, and with it the name: whoever writes the old name down later, or sends the old id
from a phone that was offline, means the one who stayed. Each play whose seat changes hands becomes a new version with
an entry in its history, so that mirrors, ETags, webhooks and figures notice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from forsale_api.api.problems import Conflict, NotFound
from forsale_api.clubs.models import Club, Player, PlayerMerge, User
from forsale_api.clubs.services import locked_club
from forsale_api.plays.models import Play, Seat
from forsale_api.plays.services import reseat


@dataclass(frozen=True, slots=True)
class Preview:
    """What a merge would do. `together`: plays in which both sit, which make it impossible, deleted ones included."""

    gone: Player
    kept: Player
    plays: list[UUID]
    together: list[UUID]
    obstacle: Conflict | None


def preview(gone: Player, kept: Player) -> Preview:
    """What merging `gone` into `kept` would do, and what stands against it; both are players of one club."""
    plays = list(Seat.objects.filter(player=gone).order_by("play_id").values_list("play_id", flat=True))
    together = list(
        Seat.objects.filter(player=kept, play__in=Seat.objects.filter(player=gone).values("play"))
        .order_by("play_id")
        .values_list("play_id", flat=True)
    )
    return Preview(gone, kept, plays, together, _obstacle(gone, kept, together))


def _obstacle(gone: Player, kept: Player, together: list[UUID]) -> Conflict | None:
    names = {"gone": gone.name, "kept": kept.name, "count": len(together)}
    if gone == kept:
        return Conflict(gettext("A player cannot be merged into itself."), code="same-player", place=("into",))
    if together:
        return Conflict(
            gettext("%(gone)s and %(kept)s sat at one table (%(count)d times): they are two people.") % names,
            code="sat-together",
            members={"together": [str(play) for play in together]},
        )
    if gone.user_id is not None and kept.user_id is not None:
        return Conflict(
            gettext("%(gone)s and %(kept)s are two members; one of them must give their player up first.") % names,
            code="player-claimed",
        )
    if gone.hidden != kept.hidden:  # else what is shown of the one would tell the name of the other
        hidden, shown = (gone, kept) if gone.hidden else (kept, gone)
        return Conflict(
            gettext("%(gone)s is hidden and %(kept)s is not: hide both or show both first.")
            % {"gone": hidden.name, "kept": shown.name},
            code="player-hidden",
        )
    return None


@transaction.atomic
def merge_players(gone: Player, kept: Player, by: User) -> PlayerMerge:
    """Makes `kept` out of both; whoever calls has made sure that `by` owns the club of both.

    A claim of `gone` goes over to `kept`. Raises `Conflict` (409): same-player, sat-together, player-claimed,
    player-hidden; `NotFound` where either was merged or deleted meanwhile.
    """
    locked_club(gone.club)
    _hold_plays(preview(gone, kept).plays)
    gone, kept = _held(gone, kept)
    plan = preview(gone, kept)  # with what was recorded until now
    if plan.obstacle is not None:
        raise plan.obstacle
    claim_moved = gone.user_id is not None
    if claim_moved:
        user, gone.user = gone.user, None
        gone.save(update_fields=["user"])  # first: one player per member
        kept.user = user
        kept.save(update_fields=["user"])
    gone.merged_into = kept
    gone.save(update_fields=["merged_into"])
    _reseat(plan.plays, old=gone, new=kept, by=by)
    return PlayerMerge.objects.create(
        club=gone.club,
        gone=gone,
        kept=kept,
        plays=[str(play) for play in plan.plays],
        claim_moved=claim_moved,
        made_by=by,
    )


def _hold_plays(plays: Iterable[UUID]) -> list[Play]:
    """These plays, held until the transaction ends: before the players, as whoever changes a play does."""
    return list(Play.objects.select_for_update(of=("self",)).filter(pk__in=list(plays)).order_by("pk"))


def _held(*players: Player) -> list[Player]:
    """The players' rows, held until the transaction ends. Raises `NotFound` (404) where one was merged or deleted.

    Plays that seat one of them wait until then and seat the one who stays (`plays.inserts`).
    """
    rows = Player.objects.select_for_update(of=("self",), no_key=True).select_related("club").order_by("pk")
    found = {row.pk: row for row in rows.filter(pk__in=[player.pk for player in players], merged_into=None)}
    if not all(player.pk in found for player in players):
        raise NotFound(gettext("This club has no such player."), code="no-such-player")
    return [found[player.pk] for player in players]


def _reseat(plays: Iterable[UUID], *, old: Player, new: Player, by: User) -> None:
    for play in _hold_plays(plays):
        reseat(play, old=old, new=new, user=by)


def merges_of(club: Club) -> QuerySet[PlayerMerge]:
    """The merges of the club that stand, latest first."""
    return PlayerMerge.objects.filter(club=club, undone_at=None).select_related("gone", "kept").order_by("-pk")


def merge_of(club: Club, id: UUID) -> PlayerMerge:
    """The club's merge of this id that stands. Raises `NotFound` (404, no-such-merge)."""
    found = merges_of(club).filter(pk=id).first()
    if found is None:
        raise NotFound(gettext("There is no such merge, or it was undone."), code="no-such-merge")
    return found


@transaction.atomic
def undo_merge(merge: PlayerMerge, by: User) -> None:
    """Takes the two apart: the plays that changed hands go back, as far as the player who stayed still sits in them.

    Plays recorded since stay with the one who stayed, whichever name was written down. Raises `Conflict` (409,
    merged-since) where that one was itself merged into a third: that merge has to be undone first.
    """
    locked_club(merge.club)
    merge = merge_of(merge.club, merge.pk)
    gone, kept = merge.gone, merge.kept
    if kept.merged_into is not None:
        raise Conflict(
            gettext("%(kept)s was merged into %(third)s since; undo that first.")
            % {"kept": kept.name, "third": kept.merged_into.name},
            code="merged-since",
        )
    sits = Seat.objects.filter(play__in=[UUID(play) for play in merge.plays], player=kept)
    still = [play.pk for play in _hold_plays(sits.values_list("play_id", flat=True))]
    gone.merged_into = None
    if merge.claim_moved and kept.user is not None:
        user, kept.user = kept.user, None
        kept.save(update_fields=["user"])
        gone.user = user
    gone.save(update_fields=["merged_into", "user"])
    _reseat(still, old=kept, new=gone, by=by)
    merge.undone_at = timezone.now()
    merge.save(update_fields=["undone_at"])

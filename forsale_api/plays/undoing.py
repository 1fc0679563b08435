"""Taking back the last change of a play. The history keeps both the change and its undoing."""

from collections.abc import Mapping
from datetime import date, time
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from forsale_api.api.problems import Conflict, Stale
from forsale_api.clubs.models import Membership
from forsale_api.plays import services
from forsale_api.plays.models import Play, PlayChange


@transaction.atomic
def undo_last_change(play: Play, role: Membership, *, version: str) -> None:
    """Makes a play from `services.play_to_change` what it was before its last change.

    `version` is the version the caller looked at. A change is undone by any member, a deletion or a restoring by
    whoever may delete. Raises `Stale` (412) where the play has changed since, `Conflict` (409, nothing-to-undo) where
    there is only the recording, and what `services.change_play` raises.
    """
    if version != str(play.version):
        raise Stale(code="stale")
    last = last_change(play)
    if last is None:
        raise Conflict(gettext("There is no change to take back."), code="nothing-to-undo")
    if last.action == "deleted":
        services.restore_play(play, role)
    elif last.action == "restored":
        services.delete_play(play, role)
    else:
        services.change_play(play, user=role.user, changes=changes_to(last.before or {}))


def last_change(play: Play) -> PlayChange | None:
    """The change that an undo would take back, if there is one."""
    last = PlayChange.objects.filter(play=play).order_by("-version").first()
    return last if last is not None and (last.action != "changed" or last.before) and last.action != "created" else None


def changes_to(before: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of the history as the changes that bring them back; figures that were not there are taken away."""
    changes = {name: value for name, value in before.items() if name in services.FACTS}
    if changes.get("played_on"):
        changes["played_on"] = date.fromisoformat(changes["played_on"])
    if changes.get("played_at"):
        changes["played_at"] = time.fromisoformat(changes["played_at"])
    if "seats" in before:
        nothing: dict[str, Any] = dict.fromkeys(services.FIGURES)
        changes["seats"] = [
            services.SeatFacts(
                seat["player"], nothing | {name: value for name, value in seat.items() if name != "player"}
            )
            for seat in before["seats"]
        ]
    if before.get("held_back"):
        changes.pop("counts", None)  # held back again by what the audit finds
    return changes | {"accept_findings": True}

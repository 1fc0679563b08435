"""Loads the demo clubs of `seeds/`; whatever is there already stays as it is."""

import json
from datetime import date, time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from forsale_api.clubs.models import Club, Membership, Role, User, Visibility
from forsale_api.plays.models import Play
from forsale_api.plays.services import SeatFacts, record_play

FILES = ("demo-nantes.json", "demo-bristol.json")
SOURCE = "demo"
DEMO_USER = "demo"


class Command(BaseCommand):
    help = "Loads the demo clubs of seeds/ and their plays. Running it again adds only what is missing."

    def handle(self, *args: Any, **options: Any) -> None:
        for name in FILES:
            path = Path(settings.BASE_DIR, "seeds", name)
            added, total = load(json.loads(path.read_text(encoding="utf-8")))
            self.stdout.write(f"{name}: {added} of {total} plays added.")


@transaction.atomic
def load(demo: dict[str, Any]) -> tuple[int, int]:
    """Stores a demo club with the plays it lacks. Answers how many were added, and how many the file has."""
    user, new = User.objects.get_or_create(username=DEMO_USER)
    if new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    about = demo["club"]
    club, new = Club.objects.get_or_create(
        slug=about["slug"],
        defaults={"name": about["name"], "time_zone": about["time_zone"], "visibility": Visibility.PUBLIC},
    )
    if new:
        Membership.objects.create(club=club, user=user, role=Role.OWNER)
    elif not Membership.objects.filter(club=club, user=user).exists():
        raise CommandError(f"There is a club {club.slug} that is not the demo's; nothing was added to it.")
    stored = set(Play.objects.filter(club=club, source=SOURCE).values_list("source_id", flat=True))
    missing = [play for play in demo["plays"] if play["body"]["source_id"] not in stored]
    for play in missing:
        record_play(club=club, recorder=user, **_facts(play["body"]))
    return len(missing), len(demo["plays"])


def _facts(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a POST as `record_play` takes it."""
    facts = {name: value for name, value in body.items() if name != "club"}
    facts["played_on"] = date.fromisoformat(facts["played_on"])
    if "played_at" in facts:
        facts["played_at"] = time.fromisoformat(facts["played_at"])
    facts["seats"] = [
        SeatFacts(seat["player"], {name: value for name, value in seat.items() if name != "player"})
        for seat in facts["seats"]
    ]
    return facts

"""Derives every play's scores again from its facts, and reports what is stored otherwise."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Prefetch

from forsale_api.plays.models import Play, Seat
from forsale_api.plays.services import differences, rescore_play
from forsale_api.rules import RuleError

BATCH = 500


class Command(BaseCommand):
    help = "Derives the scores of all plays again from the facts; exits 1 where any is stored otherwise."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fix", action="store_true", help="store what follows from the facts, as a new version")

    def handle(self, *args: Any, **options: Any) -> None:
        checked = wrong = mended = 0
        plays = Play.objects.select_related("club").prefetch_related(
            Prefetch("seats", Seat.objects.select_related("player"))
        )
        for play in plays.order_by("pk").iterator(chunk_size=BATCH):
            checked += 1
            found = differences(play)
            if not found:
                continue
            wrong += 1
            for line in found:
                self.stdout.write(f"play {play.pk}: {line}")
            if options["fix"]:
                try:
                    rescore_play(play.pk)
                except RuleError:
                    continue  # reported above: only a change of the facts can mend it
                mended += 1
        summary = f"{checked} plays checked, {wrong} differ from their facts"
        summary += f", {mended} mended." if options["fix"] else "."
        if wrong > mended:
            raise CommandError(summary)
        self.stdout.write(summary)

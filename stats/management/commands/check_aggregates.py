"""Holds the counts of the statistics against the plays they were folded from."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from forsale_api.plays.models import PlayToFold
from stats import folding, ratings


class Command(BaseCommand):
    """Folds what waits, derives every count again from the plays and reports differences; exit 1 on any."""

    help = "Derive the statistics' counts again from the plays and report differences (exit 1 on any)."

    def handle(self, *args: Any, **options: Any) -> None:
        while folding.fold():
            pass
        while ratings.rate():
            pass
        found = list(folding.differences())
        for difference in found:
            self.stdout.write(difference)
        waiting = PlayToFold.objects.count()
        if waiting:
            self.stdout.write(f"{waiting} changes wait to be folded and were not judged.")
        if found:
            self.stderr.write(f"{len(found)} differences.")
            sys.exit(1)
        self.stdout.write("The counts are those of the plays.")

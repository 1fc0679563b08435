"""`manage.py createtoken USERNAME --scopes a,b`: a personal token for scripts, printed alone."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from forsale_api.api.permissions import SCOPES
from forsale_api.api.problems import Problem
from forsale_api.clubs.models import User
from forsale_api.clubs.services import make_token

MOST_DAYS = 36500


class Command(BaseCommand):
    help = "Makes a personal token and prints its secret, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--scopes", required=True, help=f"separated by commas: {','.join(SCOPES)}")
        parser.add_argument("--name", default="createtoken", help="to tell it apart from your other tokens")
        parser.add_argument("--expires", type=int, metavar="DAYS", help="never, when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active account named {options['username']!r}.")
        days = options["expires"]
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--expires takes 1 to {MOST_DAYS} days.")
        scopes = [scope.strip() for scope in options["scopes"].split(",") if scope.strip()]
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        try:
            _token, secret = make_token(user, options["name"][:100], scopes, expires_at)
        except Problem as problem:
            raise CommandError(str(problem.detail)) from problem
        self.stdout.write(secret)

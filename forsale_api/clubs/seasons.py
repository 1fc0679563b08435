"""Seasons: named ranges of dates in a club. They may overlap: a year, and a tournament in it."""

from datetime import date
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from forsale_api.api.problems import AgainstTheRules, Conflict, NotFound
from forsale_api.clubs.models import Club, Season
from forsale_api.clubs.services import Caller, visible_clubs


def seasons_of(club: Club) -> QuerySet[Season]:
    """The seasons of the club, the latest first."""
    return Season.objects.filter(club=club).order_by("-first_day", "-pk")


def season_of(club: Club, id: int) -> Season:
    """The club's season of this id. Raises `NotFound` (404, no-such-season)."""
    season = Season.objects.filter(club=club, pk=id).first()
    if season is None:
        raise NotFound(gettext("This club has no such season."), code="no-such-season")
    return season


def season_for(reader: Caller, id: int) -> Season:
    """The season of this id, of a club that the reader may see. Raises `NotFound` (404, no-such-season)."""
    season = Season.objects.filter(club__in=visible_clubs(reader), pk=id).first()
    if season is None:
        raise NotFound(gettext("There is no such season here for you."), code="no-such-season", place=("season",))
    return season


def plays_in(season: Season) -> Q:
    """The condition on plays that fall in the season."""
    played = Q(club=season.club_id, played_on__gte=season.first_day)
    return played if season.last_day is None else played & Q(played_on__lte=season.last_day)


@transaction.atomic
def add_season(club: Club, *, name: str, first_day: date, last_day: date | None = None) -> Season:
    """A new season. Raises `AgainstTheRules` (422, season-ends-early) and `Conflict` (409, season-taken)."""
    return _saved(Season(club=club, name=name, first_day=first_day, last_day=last_day))


@transaction.atomic
def change_season(season: Season, **changes: Any) -> Season:
    """Changes the named fields. Raises as `add_season`."""
    for name, value in changes.items():
        setattr(season, name, value)
    return _saved(season)


def _saved(season: Season) -> Season:
    if season.last_day is not None and season.last_day < season.first_day:
        raise AgainstTheRules(
            gettext("A season cannot end before it begins, on %(day)s.") % {"day": season.first_day.isoformat()},
            code="season-ends-early",
            place=("last_day",),
        )
    try:
        with transaction.atomic():
            season.save()
    except IntegrityError:
        raise Conflict(
            gettext("The club has a season named %(name)s.") % {"name": season.name},
            code="season-taken",
            place=("name",),
        ) from None
    return season

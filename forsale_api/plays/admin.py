"""Plays in the admin, to look at: writing goes through the services, so that scores and history keep up."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from forsale_api.plays.models import Play, PlayChange, Seat


class ReadOnly:
    """No permission to add, change or delete."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SeatInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = Seat
    extra = 0


class ChangeInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    model = PlayChange
    extra = 0


@admin.register(Play)
class PlayAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = (
        "played_on",
        "club",
        "game",
        "variant",
        "player_count",
        "level",
        "decided_by",
        "counts",
        "deleted_at",
    )
    list_filter = ("game", "variant", "player_count", "level", "counts")
    list_select_related = ("club",)
    date_hierarchy = "played_on"
    inlines = (SeatInline, ChangeInline)

"""Simulations in the admin, to look at: they are asked for and controlled through the services."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from stats.models import Simulation


@admin.register(Simulation)
class SimulationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("created_at", "game", "edition", "variant", "player_count", "games_done", "games", "status")
    list_filter = ("status", "reference", "game", "edition", "variant", "player_count")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

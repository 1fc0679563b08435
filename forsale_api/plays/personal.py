"""What is kept about a person, for that person: the export that anybody may ask for."""

from typing import Any, cast

from django.db import models
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.views import APIView
from forsale_api.clubs.models import Player, User
from forsale_api.plays.models import Play, PlayChange, Seat


def stored_about(user: User) -> dict[str, Any]:
    """Everything the database ties to this account, in plain data; secrets and other people's names left out."""
    return {
        "exported_at": timezone.now(),
        "account": _row(user, "username", "email", "first_name", "last_name", "date_joined", "last_login"),
        "tokens": _rows(
            user.tokens, "name", "prefix", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at"
        ),
        "clubs": _rows(user.memberships, "club__slug", "club__name", "role", "joined_at"),
        "players": [_player(player) for player in user.players.select_related("club").order_by("pk")],
        "plays_recorded": _rows(
            Play.objects.filter(recorder=user), "id", "club__slug", "game", "played_on", "created_at", "deleted_at"
        ),
        "changes_made": _rows(PlayChange.objects.filter(user=user), "play_id", "version", "action", "at"),
        "simulations": _rows(user.simulations, "id", "game", "player_count", "games", "status", "created_at"),
    }


def _player(player: Player) -> dict[str, Any]:
    seats = Seat.objects.filter(player=player)
    columns = ("play_id", "play__played_on", "seat", "cheques", "banknotes", "points", "total", "rank", "is_winner")
    return {
        "id": player.pk,
        "club": player.club.slug,
        "name": player.hidden_name or player.name,
        "hidden": player.hidden,
        "shown_as": player.name,
        "created_at": player.created_at,
        "seats": _rows(seats, *columns),
    }


def _row(row: models.Model, *columns: str) -> dict[str, Any]:
    return {column: getattr(row, column) for column in columns}


def _rows(rows: Any, *columns: str) -> list[dict[str, Any]]:
    """These columns of all rows, oldest first, under their last name: `club__slug` is `club`, `play__played_on` too."""
    names = {"club__slug": "club", "club__name": "name", "play_id": "play", "play__played_on": "played_on"}
    found = rows.order_by("pk").values_list(*columns)
    return [{names.get(column, column): value for column, value in zip(columns, row, strict=True)} for row in found]


class ExportSerializer(serializers.Serializer[Any]):
    """What is kept about you."""

    exported_at = serializers.DateTimeField()
    account = serializers.DictField()
    tokens = serializers.ListField(child=serializers.DictField(), help_text="Not their secrets")
    clubs = serializers.ListField(child=serializers.DictField())
    players = serializers.ListField(child=serializers.DictField(), help_text="With the seats they took in plays")
    plays_recorded = serializers.ListField(child=serializers.DictField())
    changes_made = serializers.ListField(child=serializers.DictField())
    simulations = serializers.ListField(child=serializers.DictField())


class MyExport(APIView):
    """Your own data."""

    scopes = {"GET": "plays:read"}

    @extend_schema(responses={200: ExportSerializer})
    def get(self, request: Request) -> Response:
        """All that is kept about you, as a file."""
        user = cast(User, request.user)  # the scope needs a caller
        day = timezone.now()
        headers = {
            "Content-Disposition": f'attachment; filename="export-{day:%Y-%m-%d}.json"',
            "Cache-Control": "no-store",
        }
        return Response(stored_about(user), headers=headers)

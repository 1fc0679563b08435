"""Merged players over HTTP: look first, merge, undo."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.fields import QuerySerializer, StrictSerializer, UUIDField
from forsale_api.api.paging import PageQuery, page
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, conditional, idempotent, tag_of
from forsale_api.clubs.models import Membership, Player, PlayerMerge
from forsale_api.clubs.services import require_member, require_owner
from forsale_api.clubs.views import player_of, read_body
from forsale_api.plays import merging


class MergeQuery(QuerySerializer):
    """Whom the player turned out to be."""

    into = UUIDField(help_text=_("The id of the player who stays"))


class MergeBody(StrictSerializer):
    """Whom the player turned out to be."""

    into = UUIDField(help_text=_("The id of the player who stays"))


class MergedPlayerSerializer(StrictSerializer):
    """One of the two players."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class MergePreviewSerializer(StrictSerializer):
    """What a merge would do."""

    gone = MergedPlayerSerializer()
    kept = MergedPlayerSerializer()
    plays = serializers.IntegerField(help_text=_("Plays that would change hands, deleted ones included"))
    together = serializers.ListField(
        child=serializers.UUIDField(), help_text=_("Plays in which both sit: two people, then")
    )
    possible = serializers.BooleanField()
    obstacle = serializers.CharField(allow_null=True, help_text=_("What stands against it"))


class MergeSerializer(StrictSerializer):
    """Two players who turned out to be one."""

    id = serializers.UUIDField()
    gone = MergedPlayerSerializer()
    kept = MergedPlayerSerializer()
    plays = serializers.IntegerField(help_text=_("Plays that changed hands, deleted ones included"))
    created_at = serializers.DateTimeField()


def _named(player: Player) -> dict[str, Any]:
    return {"id": player.pk, "name": player.name}


def show_merge(merge: PlayerMerge) -> dict[str, Any]:
    shown = {
        "id": merge.pk,
        "gone": _named(merge.gone),
        "kept": _named(merge.kept),
        "plays": len(merge.plays),
        "created_at": merge.created_at,
    }
    return dict(MergeSerializer(shown).data)


def merge_tag(merge: PlayerMerge) -> str:
    return tag_of("merge", merge.pk, merge.gone.name, merge.kept.name)


class PlayerMergeView(APIView):
    """Makes one player out of two of a club."""

    query_serializer = MergeQuery
    scopes = {"GET": "club:admin", "POST": "club:admin"}
    problems = {"POST": (409,)}

    @extend_schema(responses={200: MergePreviewSerializer})
    def get(self, request: Request, slug: str, id: UUID) -> Response:
        """What merging this player into another would do; owners only."""
        mine = require_owner(request.user, slug)
        gone, kept = _both(mine, id, self.query["into"])
        plan = merging.preview(gone, kept)
        shown = {
            "gone": _named(gone),
            "kept": _named(kept),
            "plays": len(plan.plays),
            "together": plan.together,
            "possible": plan.obstacle is None,
            "obstacle": str(plan.obstacle.detail) if plan.obstacle else None,
        }
        return conditional(
            request, tag_of("preview", *map(str, shown.values())), lambda: MergePreviewSerializer(shown).data
        )

    @extend_schema(request=MergeBody, responses={201: MergeSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str, id: UUID) -> Response:
        """Merges this player into another, in all plays; owners only. Two who sat at one table stay two."""
        mine = require_owner(request.user, slug, lock=True)
        gone, kept = _both(mine, id, read_body(MergeBody, request)["into"])
        merge = merging.merge_players(gone, kept, mine.user)
        address = request.build_absolute_uri(reverse("merge", args=[slug, merge.pk]))
        return Response(show_merge(merge), status=201, headers={"Location": address})


def _both(mine: Membership, gone: UUID, kept: UUID) -> tuple[Player, Player]:
    return player_of(mine.club, gone), player_of(mine.club, kept)


class MergesView(APIView):
    """The merges of a club that stand."""

    query_serializer = PageQuery
    scopes = {"GET": ("plays:read", "club:admin", "plays:write")}

    @extend_schema(responses={200: page_of(MergeSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """Which players were merged, latest first; members only."""
        mine = require_member(request.user, slug)

        def show(rows: Sequence[PlayerMerge]) -> list[Any]:
            return [show_merge(merge) for merge in rows]

        return Response(
            page(request, merging.merges_of(mine.club), ordering="-created_at", query=self.query, show=show)
        )


class MergeView(APIView):
    """One merge of a club."""

    scopes = {"GET": ("plays:read", "club:admin", "plays:write"), "DELETE": "club:admin"}
    problems = {"DELETE": (409,)}

    @extend_schema(responses={200: MergeSerializer})
    def get(self, request: Request, slug: str, id: UUID) -> Response:
        """A merge that stands; members only."""
        mine = require_member(request.user, slug)
        merge = merging.merge_of(mine.club, id)
        return conditional(request, merge_tag(merge), lambda: show_merge(merge))

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: UUID) -> Response:
        """Undoes the merge: the plays that changed hands go back; owners only."""
        mine = require_owner(request.user, slug, lock=True)
        merge = merging.merge_of(mine.club, id)
        self.check_if_match(request, merge_tag(merge))
        merging.undo_merge(merge, mine.user)
        return Response(status=204)

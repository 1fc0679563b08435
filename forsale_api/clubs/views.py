"""Clubs, their players and their members over HTTP."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.paging import PageQuery, page
from forsale_api.api.permissions import has_scope
from forsale_api.api.problems import NotFound
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, conditional, etag, idempotent, tag_of
from forsale_api.clubs import invitations, seasons, services
from forsale_api.clubs.models import Club, Invitation, Membership, Player, Season, User, name_key
from forsale_api.clubs.serializers import (
    ClubPlayerSerializer,
    ClubQuery,
    ClubSerializer,
    InvitationSerializer,
    InvitedSerializer,
    MemberChangeSerializer,
    MemberSerializer,
    PlayerQuery,
    SeasonSerializer,
)

READS = ("plays:read", "club:admin", "plays:write")
ANY_MEMBER = ("plays:write", "club:admin")


def reader(request: Request) -> Any:
    """Whom a read of clubs is for: a token for simulations alone sees what an anonymous caller sees."""
    return request.user if any(has_scope(request, scope) for scope in READS) else AnonymousUser()


def read_body(serializer: type[Any], request: Request, *, partial: bool = False) -> dict[str, Any]:
    """The validated body. Raises `ValidationError` (400)."""
    body = serializer(data=request.data, partial=partial)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


# ---- clubs ------------------------------------------------------------------------------------------


def show_club(club: Club, mine: Membership | None) -> dict[str, Any]:
    club.role = mine.role if mine else None  # type: ignore[attr-defined]
    return dict(ClubSerializer(club).data)


def club_tag(club: Club, mine: Membership | None) -> str:
    return tag_of("club", club.pk, club.updated_at, mine.role if mine else None)


class ClubsView(APIView):
    """The clubs you may see unasked: public ones and your own."""

    query_serializer = ClubQuery
    scopes = {"POST": "club:admin"}

    @extend_schema(responses={200: page_of(ClubSerializer)})
    def get(self, request: Request) -> Response:
        """Public clubs and your own, by slug."""
        user = reader(request)
        clubs = services.listed_clubs(user)
        if "mine" in self.query and user.is_authenticated:
            mine = Membership.objects.filter(user=user).values("club")
            clubs = clubs.filter(pk__in=mine) if self.query["mine"] else clubs.exclude(pk__in=mine)
        elif self.query.get("mine"):
            clubs = clubs.none()

        def show(rows: Sequence[Club]) -> list[Any]:
            found = Membership.objects.filter(club__in=rows, user=user) if user.is_authenticated else ()
            roles = {membership.club_id: membership for membership in found}
            return [show_club(club, roles.get(club.pk)) for club in rows]

        return Response(page(request, clubs, ordering="slug", query=self.query, show=show))

    @extend_schema(request=ClubSerializer, responses={201: ClubSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Makes a club; you become its owner."""
        club = services.create_club(owner=cast(User, request.user), **read_body(ClubSerializer, request))
        mine = services.membership(request.user, club)
        address = request.build_absolute_uri(reverse("club", args=[club.slug]))
        return Response(
            show_club(club, mine), status=201, headers={"Location": address, "ETag": etag(club_tag(club, mine))}
        )


class ClubView(APIView):
    """One club."""

    scopes = {"PATCH": "club:admin", "DELETE": "club:admin"}
    problems = {"PATCH": (409,)}

    @extend_schema(responses={200: ClubSerializer})
    def get(self, request: Request, slug: str) -> Response:
        """A club, and your role in it."""
        club = services.visible_club(reader(request), slug)
        mine = services.membership(reader(request), club)
        return conditional(request, club_tag(club, mine), lambda: show_club(club, mine))

    @extend_schema(request=ClubSerializer, responses={200: ClubSerializer})
    @transaction.atomic
    def patch(self, request: Request, slug: str) -> Response:
        """Changes what the body names; owners only."""
        club, mine = self.held(request, slug)
        club = services.change_club(club, **read_body(ClubSerializer, request, partial=True))
        return Response(show_club(club, mine), headers={"ETag": etag(club_tag(club, mine))})

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str) -> Response:
        """Removes the club with its plays, players and members, for good; owners only."""
        club, _mine = self.held(request, slug)
        services.delete_club(club)
        return Response(status=204)

    def held(self, request: Request, slug: str) -> tuple[Club, Membership]:
        mine = services.require_owner(request.user, slug, lock=True)
        self.check_if_match(request, club_tag(mine.club, mine))
        return mine.club, mine


# ---- players ----------------------------------------------------------------------------------------


def show_player(player: Player, viewer: Any, *, for_members: bool) -> dict[str, Any]:
    player.is_me = player.user_id is not None and player.user_id == viewer.pk  # type: ignore[attr-defined]
    named = for_members and (not player.hidden or player.is_me)  # type: ignore[attr-defined]
    player.username = player.user.username if player.user and named else None  # type: ignore[attr-defined]
    return dict(ClubPlayerSerializer(player).data)


def player_tag(player: Player, viewer: Any, *, for_members: bool) -> str:
    shown = (player.user_id, viewer.pk == player.user_id) if for_members else ()
    return tag_of("player", player.pk, player.name, player.hidden, *shown)


def player_of(club: Club, id: UUID) -> Player:
    """The club's player of this id. Raises `NotFound` (404)."""
    player = Player.objects.select_related("user", "club").filter(club=club, pk=id).first()
    if player is None or player.merged_into_id is not None:
        merged = {"merged_into": str(services.lives_on_as(player).pk)} if player else {}
        raise NotFound(gettext("This club has no such player."), code="no-such-player", members=merged)
    return player


class PlayersView(APIView):
    """The players of a club."""

    query_serializer = PlayerQuery
    scopes = {"POST": ANY_MEMBER}
    problems = {"POST": (404,)}

    @extend_schema(responses={200: page_of(ClubPlayerSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """The players of the club, by name."""
        user = reader(request)
        club = services.visible_club(user, slug)
        for_members = services.membership(user, club) is not None
        players = Player.objects.select_related("user").filter(club=club, merged_into=None)
        if "name" in self.query:
            players = players.filter(name_key=name_key(self.query["name"]))

        def show(rows: Sequence[Player]) -> list[Any]:
            return [show_player(player, user, for_members=for_members) for player in rows]

        return Response(page(request, players, ordering="name_key", query=self.query, show=show))

    @extend_schema(request=ClubPlayerSerializer, responses={201: ClubPlayerSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str) -> Response:
        """Adds a player; any member may."""
        mine = services.require_member(request.user, slug, lock=True)
        player = services.create_player(mine.club, **read_body(ClubPlayerSerializer, request))
        address = request.build_absolute_uri(reverse("player", args=[slug, player.pk]))
        return Response(
            show_player(player, request.user, for_members=True),
            status=201,
            headers={"Location": address, "ETag": etag(player_tag(player, request.user, for_members=True))},
        )


class PlayerView(APIView):
    """One player of a club."""

    scopes = {"PATCH": ANY_MEMBER, "DELETE": ANY_MEMBER}
    problems = {"PATCH": (409,), "DELETE": (409,)}

    @extend_schema(responses={200: ClubPlayerSerializer})
    def get(self, request: Request, slug: str, id: UUID) -> Response:
        """A player."""
        user = reader(request)
        club = services.visible_club(user, slug)
        player = player_of(club, id)
        for_members = services.membership(user, club) is not None
        tag = player_tag(player, user, for_members=for_members)
        return conditional(request, tag, lambda: show_player(player, user, for_members=for_members))

    @extend_schema(request=ClubPlayerSerializer, responses={200: ClubPlayerSerializer})
    @transaction.atomic
    def patch(self, request: Request, slug: str, id: UUID) -> Response:
        """Renames a player in all plays; any member may."""
        player = self.held(request, slug, id)
        body = read_body(ClubPlayerSerializer, request, partial=True)
        player = services.rename_player(player, body.get("name", player.name))
        return Response(
            show_player(player, request.user, for_members=True),
            headers={"ETag": etag(player_tag(player, request.user, for_members=True))},
        )

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: UUID) -> Response:
        """Removes a player who sits in no play; any member may."""
        services.delete_player(self.held(request, slug, id))
        return Response(status=204)

    def held(self, request: Request, slug: str, id: UUID) -> Player:
        mine = services.require_member(request.user, slug, lock=True)
        player = player_of(mine.club, id)
        self.check_if_match(request, player_tag(player, request.user, for_members=True))
        return player


class PlayerHideView(APIView):
    """Whether a player goes by a pseudonym."""

    scopes = {"POST": ANY_MEMBER, "DELETE": ANY_MEMBER}
    problems = {"DELETE": (409,)}
    conditional = ()

    @extend_schema(request=None, responses={200: ClubPlayerSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str, id: UUID) -> Response:
        """Hides a player behind a pseudonym, everywhere and in old plays too; the player's member or an owner may."""
        mine = services.require_member(request.user, slug, lock=True)
        player = services.hide_player(player_of(mine.club, id), mine)
        return Response(show_player(player, request.user, for_members=True))

    @extend_schema(request=None, responses={200: ClubPlayerSerializer})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: UUID) -> Response:
        """Shows a hidden player by name again; the player's member or an owner may."""
        mine = services.require_member(request.user, slug, lock=True)
        player = services.show_player(player_of(mine.club, id), mine)
        return Response(show_player(player, request.user, for_members=True))


class PlayerClaimView(APIView):
    """The bond between a player and the member who is that player."""

    scopes = {"POST": ANY_MEMBER, "DELETE": ANY_MEMBER}
    problems = {"POST": (409,)}
    conditional = ()

    @extend_schema(request=None, responses={200: ClubPlayerSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str, id: UUID) -> Response:
        """Says that you are this player; one player per member."""
        mine = services.require_member(request.user, slug, lock=True)
        player = services.claim_player(player_of(mine.club, id), mine.user)
        return Response(show_player(player, request.user, for_members=True))

    @extend_schema(request=None, responses={200: ClubPlayerSerializer})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: UUID) -> Response:
        """Gives the player up; an owner may take the claim of another back."""
        mine = services.require_member(request.user, slug, lock=True)
        player = services.unclaim_player(player_of(mine.club, id), mine)
        return Response(show_player(player, request.user, for_members=True))


# ---- members ----------------------------------------------------------------------------------------


def show_member(member: Membership) -> dict[str, Any]:
    member.username = member.user.username  # type: ignore[attr-defined]
    return dict(MemberSerializer(member).data)


def member_tag(member: Membership) -> str:
    return tag_of("member", member.pk, member.user.username, member.role)


def member_of(club: Club, username: str) -> Membership:
    """The club's member of this name. Raises `NotFound` (404)."""
    member = Membership.objects.select_related("user", "club").filter(club=club, user__username=username).first()
    if member is None:
        raise NotFound(gettext("This club has no such member."), code="no-such-member")
    return member


class MembersView(APIView):
    """The members of a club; members see them."""

    query_serializer = PageQuery
    scopes = {"GET": READS, "POST": "club:admin"}
    problems = {"POST": (404,)}

    @extend_schema(responses={200: page_of(MemberSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """The members of the club, in the order they joined; members only."""
        mine = services.require_member(request.user, slug)
        members = Membership.objects.select_related("user").filter(club=mine.club_id)

        def show(rows: Sequence[Membership]) -> list[Any]:
            return [show_member(member) for member in rows]

        return Response(page(request, members, ordering="joined_at", query=self.query, show=show))

    @extend_schema(request=MemberSerializer, responses={201: MemberSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str) -> Response:
        """Makes an account a member of the club; owners only."""
        mine = services.require_owner(request.user, slug, lock=True)
        member = services.add_member(mine.club, **read_body(MemberSerializer, request))
        address = request.build_absolute_uri(reverse("member", args=[slug, member.user.username]))
        return Response(
            show_member(member), status=201, headers={"Location": address, "ETag": etag(member_tag(member))}
        )


class MemberView(APIView):
    """One member of a club."""

    scopes = {"GET": READS, "PATCH": "club:admin", "DELETE": "club:admin"}
    problems = {"PATCH": (409,), "DELETE": (409,)}

    @extend_schema(responses={200: MemberSerializer})
    def get(self, request: Request, slug: str, username: str) -> Response:
        """A member; members only."""
        mine = services.require_member(request.user, slug)
        member = member_of(mine.club, username)
        return conditional(request, member_tag(member), lambda: show_member(member))

    @extend_schema(request=MemberChangeSerializer, responses={200: MemberSerializer})
    @transaction.atomic
    def patch(self, request: Request, slug: str, username: str) -> Response:
        """Changes a member's role; owners only. To hand the club over, make another member an owner."""
        mine = services.require_owner(request.user, slug, lock=True)
        member = self.held(request, mine, username)
        body = read_body(MemberChangeSerializer, request, partial=True)
        member = services.change_role(member, body.get("role", member.role))
        return Response(show_member(member), headers={"ETag": etag(member_tag(member))})

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """Removes a member (owners only), or leaves the club (yourself)."""
        leaving = username == request.user.get_username()
        require = services.require_member if leaving else services.require_owner
        mine = require(request.user, slug, lock=True)
        services.remove_member(self.held(request, mine, username))
        return Response(status=204)

    def held(self, request: Request, mine: Membership, username: str) -> Membership:
        member = member_of(mine.club, username)
        self.check_if_match(request, member_tag(member))
        return member


# ---- invitations ------------------------------------------------------------------------------------


def show_invitation(request: Request, found: Invitation) -> dict[str, Any]:
    found.url = request.build_absolute_uri(f"/join/{found.code}/")  # type: ignore[attr-defined]
    return dict(InvitationSerializer(found).data)


def invitation_tag(found: Invitation) -> str:
    return tag_of("invitation", found.pk, found.used)


class InvitationsView(APIView):
    """The open invitations of a club; owners see them."""

    query_serializer = PageQuery
    scopes = {"GET": "club:admin", "POST": "club:admin"}
    problems = {"POST": (404,)}

    @extend_schema(responses={200: page_of(InvitationSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """The invitations that can still be used, newest first; owners only."""
        mine = services.require_owner(request.user, slug)

        def show(rows: Sequence[Invitation]) -> list[Any]:
            return [show_invitation(request, found) for found in rows]

        found = invitations.open_invitations(mine.club)
        return Response(page(request, found, ordering="-created_at", query=self.query, show=show))

    @extend_schema(request=InvitationSerializer, responses={201: InvitationSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str) -> Response:
        """Makes a link that lets people join, as often and as long as it says; owners only."""
        mine = services.require_owner(request.user, slug, lock=True)
        found = invitations.invite(mine.club, mine.user, **read_body(InvitationSerializer, request))
        address = request.build_absolute_uri(reverse("invitation", args=[slug, found.pk]))
        headers = {"Location": address, "ETag": etag(invitation_tag(found))}
        return Response(show_invitation(request, found), status=201, headers=headers)


class InvitationView(APIView):
    """One invitation of a club."""

    scopes = {"GET": "club:admin", "DELETE": "club:admin"}

    @extend_schema(responses={200: InvitationSerializer})
    def get(self, request: Request, slug: str, id: int) -> Response:
        """An invitation that can still be used; owners only."""
        found = self.found(request, slug, id)
        return conditional(request, invitation_tag(found), lambda: show_invitation(request, found))

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: int) -> Response:
        """Takes the link back; who joined by it stays. Owners only."""
        found = self.found(request, slug, id, lock=True)
        self.check_if_match(request, invitation_tag(found))
        invitations.revoke(found)
        return Response(status=204)

    def found(self, request: Request, slug: str, id: int, *, lock: bool = False) -> Invitation:
        mine = services.require_owner(request.user, slug, lock=lock)
        found = invitations.open_invitations(mine.club).filter(pk=id).first()
        if found is None:
            raise NotFound(gettext("This club has no such invitation."), code="no-such-invitation")
        return found


class InvitedView(APIView):
    """An invitation as whoever has its code sees it."""

    scopes = {"POST": ANY_MEMBER}

    @extend_schema(responses={200: InvitedSerializer})
    def get(self, request: Request, code: str) -> Response:
        """Which club the code is for."""
        found = invitations.invitation(code)
        shown = {"club": found.club.slug, "name": found.club.name, "expires_at": found.expires_at}
        return conditional(request, tag_of("invited", found.pk, *shown.values()), lambda: InvitedSerializer(shown).data)

    @extend_schema(request=None, responses={200: MemberSerializer, 201: MemberSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, code: str) -> Response:
        """Joins the club: 201, or 200 where you are a member already."""
        member, new = invitations.accept(code, cast(User, request.user))
        address = request.build_absolute_uri(reverse("member", args=[member.club.slug, member.user.username]))
        return Response(show_member(member), status=201 if new else 200, headers={"Location": address})


# ---- seasons ----------------------------------------------------------------------------------------


def show_season(season: Season) -> dict[str, Any]:
    return dict(SeasonSerializer(season).data)


def season_tag(season: Season) -> str:
    return tag_of("season", season.pk, season.updated_at)


class SeasonsView(APIView):
    """The seasons of a club."""

    query_serializer = PageQuery
    scopes = {"POST": "club:admin"}
    problems = {"POST": (404,)}

    @extend_schema(responses={200: page_of(SeasonSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """The seasons of the club, the latest first."""
        club = services.visible_club(reader(request), slug)

        def show(rows: Sequence[Season]) -> list[Any]:
            return [show_season(season) for season in rows]

        return Response(page(request, seasons.seasons_of(club), ordering="-first_day", query=self.query, show=show))

    @extend_schema(request=SeasonSerializer, responses={201: SeasonSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str) -> Response:
        """Adds a season; owners only. Seasons may overlap."""
        mine = services.require_owner(request.user, slug, lock=True)
        season = seasons.add_season(mine.club, **read_body(SeasonSerializer, request))
        address = request.build_absolute_uri(reverse("season", args=[slug, season.pk]))
        headers = {"Location": address, "ETag": etag(season_tag(season))}
        return Response(show_season(season), status=201, headers=headers)


class SeasonView(APIView):
    """One season of a club."""

    scopes = {"PATCH": "club:admin", "DELETE": "club:admin"}
    problems = {"PATCH": (409, 422)}

    @extend_schema(responses={200: SeasonSerializer})
    def get(self, request: Request, slug: str, id: int) -> Response:
        """A season."""
        season = seasons.season_of(services.visible_club(reader(request), slug), id)
        return conditional(request, season_tag(season), lambda: show_season(season))

    @extend_schema(request=SeasonSerializer, responses={200: SeasonSerializer})
    @transaction.atomic
    def patch(self, request: Request, slug: str, id: int) -> Response:
        """Changes what the body names; owners only."""
        season = self.held(request, slug, id)
        season = seasons.change_season(season, **read_body(SeasonSerializer, request, partial=True))
        return Response(show_season(season), headers={"ETag": etag(season_tag(season))})

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: int) -> Response:
        """Removes the season; its plays stay. Owners only."""
        self.held(request, slug, id).delete()
        return Response(status=204)

    def held(self, request: Request, slug: str, id: int) -> Season:
        mine = services.require_owner(request.user, slug, lock=True)
        season = seasons.season_of(mine.club, id)
        self.check_if_match(request, season_tag(season))
        return season

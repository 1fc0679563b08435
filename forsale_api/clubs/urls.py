"""Addresses of clubs, their players and their members."""

from django.urls import path, register_converter
from django.urls.converters import IntConverter, StringConverter

from forsale_api.clubs import views


class UsernameConverter(StringConverter):
    """What an account's name may hold."""

    regex = r"[\w.@+-]{1,150}"


class IdConverter(IntConverter):
    """A key of the database: no number is too large for it."""

    regex = "[0-9]{1,18}"


register_converter(UsernameConverter, "username")
register_converter(IdConverter, "id")

urlpatterns = [
    path("clubs/", views.ClubsView.as_view(), name="clubs"),
    path("clubs/<slug:slug>/", views.ClubView.as_view(), name="club"),
    path("clubs/<slug:slug>/members/", views.MembersView.as_view(), name="members"),
    path("clubs/<slug:slug>/members/<username:username>/", views.MemberView.as_view(), name="member"),
    path("clubs/<slug:slug>/players/", views.PlayersView.as_view(), name="players"),
    path("clubs/<slug:slug>/players/<uuid:id>/", views.PlayerView.as_view(), name="player"),
    path("clubs/<slug:slug>/players/<uuid:id>/hide/", views.PlayerHideView.as_view(), name="player-hide"),
    path("clubs/<slug:slug>/players/<uuid:id>/claim/", views.PlayerClaimView.as_view(), name="player-claim"),
    path("clubs/<slug:slug>/invitations/", views.InvitationsView.as_view(), name="invitations"),
    path("clubs/<slug:slug>/invitations/<id:id>/", views.InvitationView.as_view(), name="invitation"),
    path("clubs/<slug:slug>/seasons/", views.SeasonsView.as_view(), name="seasons"),
    path("clubs/<slug:slug>/seasons/<id:id>/", views.SeasonView.as_view(), name="season"),
    path("invitations/<str:code>/", views.InvitedView.as_view(), name="invited"),
]

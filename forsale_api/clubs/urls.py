"""Addresses of clubs, their players and their members."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from forsale_api.clubs import views


class UsernameConverter(StringConverter):
    """What an account's name may hold."""

    regex = r"[\w.@+-]{1,150}"


register_converter(UsernameConverter, "username")

urlpatterns = [
    path("clubs/", views.ClubsView.as_view(), name="clubs"),
    path("clubs/<slug:slug>/", views.ClubView.as_view(), name="club"),
    path("clubs/<slug:slug>/members/", views.MembersView.as_view(), name="members"),
    path("clubs/<slug:slug>/members/<username:username>/", views.MemberView.as_view(), name="member"),
    path("clubs/<slug:slug>/players/", views.PlayersView.as_view(), name="players"),
    path("clubs/<slug:slug>/players/<uuid:id>/", views.PlayerView.as_view(), name="player"),
    path("clubs/<slug:slug>/players/<uuid:id>/hide/", views.PlayerHideView.as_view(), name="player-hide"),
    path("clubs/<slug:slug>/players/<uuid:id>/claim/", views.PlayerClaimView.as_view(), name="player-claim"),
]

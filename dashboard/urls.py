"""Addresses of the pages people use."""

from django.urls import path

from dashboard import accounts, club_pages, embeds, views

app_name = "dashboard"

urlpatterns = [
    path("", views.home, name="home"),
    path("scores/live/", views.scores_live, name="scores-live"),
    path("scores.csv", views.scores_csv, name="scores-csv"),
    path("plays/", views.plays, name="plays"),
    path("plays/<uuid:pk>/", views.play, name="play"),
    path("clubs/", views.clubs, name="clubs"),
    path("clubs/new/", views.club_new, name="club-new"),
    path("clubs/<slug:slug>/", views.club, name="club"),
    path("clubs/<slug:slug>/people/", club_pages.people, name="club-people"),
    path("clubs/<slug:slug>/members/<int:pk>/role/", club_pages.member_role, name="member-role"),
    path("clubs/<slug:slug>/members/<int:pk>/remove/", club_pages.member_remove, name="member-remove"),
    path("clubs/<slug:slug>/invitations/", club_pages.invitation_new, name="invitation-new"),
    path("clubs/<slug:slug>/invitations/<int:pk>/revoke/", club_pages.invitation_revoke, name="invitation-revoke"),
    path("clubs/<slug:slug>/players/<uuid:pk>/merge/", club_pages.player_merge, name="player-merge"),
    path("clubs/<slug:slug>/players/<uuid:pk>/<str:verb>/", club_pages.player_act, name="player-act"),
    path("clubs/<slug:slug>/merges/<uuid:pk>/undo/", club_pages.merge_undo, name="merge-undo"),
    path("clubs/<slug:slug>/seasons/", club_pages.season, name="season-new"),
    path("clubs/<slug:slug>/seasons/<int:pk>/", club_pages.season, name="season"),
    path("clubs/<slug:slug>/seasons/<int:pk>/delete/", club_pages.season_delete, name="season-delete"),
    path("simulations/", views.simulations, name="simulations"),
    path("simulations/<uuid:pk>/", views.simulation, name="simulation"),
    path("simulations/<uuid:pk>/<str:verb>/", views.simulation_control, name="simulation-control"),
    path("houses/", views.houses, name="houses"),
    path("bots/", views.bots, name="bots"),
    path("embed/plays/<uuid:pk>/", embeds.play_card, name="embed-play"),
    path("embed/clubs/<slug:slug>/", embeds.club_chart, name="embed-club"),
    path("badges/clubs/<slug:slug>.json", embeds.badge, name="badge"),
    path("oembed/", embeds.oembed, name="oembed"),
    path("developers/", views.developers, name="developers"),
    path("developers/apps/", accounts.apps, name="apps"),
    path("developers/apps/<str:pk>/delete/", accounts.app_delete, name="app-delete"),
    path("plays/mine/", accounts.my_plays, name="my-plays"),
    path("join/<str:code>/", accounts.join, name="join"),
    path("accounts/", accounts.account, name="account"),
    path("accounts/delete/", accounts.account_delete, name="account-delete"),
    path("accounts/tokens/", accounts.tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", accounts.token_revoke, name="token-revoke"),
    path("accounts/apps/<str:pk>/revoke/", accounts.app_disallow, name="app-disallow"),
]

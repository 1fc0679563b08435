"""Addresses of the pages people use."""

from django.contrib.auth import views as auth_views
from django.urls import path

from dashboard import views

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
    path("simulations/", views.simulations, name="simulations"),
    path("simulations/<uuid:pk>/", views.simulation, name="simulation"),
    path("simulations/<uuid:pk>/<str:verb>/", views.simulation_control, name="simulation-control"),
    path("houses/", views.houses, name="houses"),
    path("bots/", views.bots, name="bots"),
    path("developers/", views.developers, name="developers"),
    path(
        "accounts/login/",
        auth_views.LoginView.as_view(template_name="dashboard/accounts/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("accounts/signup/", views.signup, name="signup"),
    path("accounts/tokens/", views.tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", views.token_revoke, name="token-revoke"),
]

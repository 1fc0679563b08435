"""Addresses of statistics and simulations."""

from django.urls import path

from stats import league_views, question_views, views

urlpatterns = [
    path("stats/scores/", views.Scores.as_view(), name="stats-scores"),
    path("stats/seats/", views.Positions.as_view(), name="stats-seats"),
    path("stats/houses/", views.Houses.as_view(), name="stats-houses"),
    path("stats/players/", views.Leaders.as_view(), name="stats-players"),
    path("stats/players/<uuid:id>/", views.OnePlayer.as_view(), name="stats-player"),
    path("stats/activity/", views.Activity.as_view(), name="stats-activity"),
    path("bots/", views.Bots.as_view(), name="bots"),
    path("simulations/", views.Simulations.as_view(), name="simulations"),
    path("simulations/<uuid:id>/", views.OneSimulation.as_view(), name="simulation"),
    path("simulations/<uuid:id>/cancel/", views.Cancel.as_view(), name="simulation-cancel"),
    path("simulations/<uuid:id>/pause/", views.Pause.as_view(), name="simulation-pause"),
    path("simulations/<uuid:id>/resume/", views.Resume.as_view(), name="simulation-resume"),
    path("simulations/<uuid:id>/results/", views.Results.as_view(), name="simulation-results"),
    path("simulations/<uuid:id>/games/<int:index>/", views.Game.as_view(), name="simulation-game"),
    path("leagues/", league_views.Leagues.as_view(), name="leagues"),
    path("leagues/<uuid:id>/", league_views.OneLeague.as_view(), name="league"),
    path("leagues/<uuid:id>/cancel/", league_views.CancelLeague.as_view(), name="league-cancel"),
    path("leagues/<uuid:id>/pause/", league_views.PauseLeague.as_view(), name="league-pause"),
    path("leagues/<uuid:id>/resume/", league_views.ResumeLeague.as_view(), name="league-resume"),
    path("leagues/<uuid:id>/table/", league_views.LeagueTable.as_view(), name="league-table"),
    path("questions/", question_views.Questions.as_view(), name="questions"),
    path("questions/fair-price/", question_views.FairPrice.as_view(), name="fair-price"),
    path("questions/<slug:slug>/", question_views.OneQuestion.as_view(), name="question"),
]

"""Addresses of games and plays."""

from django.urls import path

from forsale_api.plays import merge_views, personal, transfer, views

urlpatterns = [
    path("games/", views.Games.as_view(), name="games"),
    path("games/<slug:game>/", views.Game.as_view(), name="game"),
    path("games/<slug:game>/score/", views.ScoreSheet.as_view(), name="score"),
    path("me/export/", personal.MyExport.as_view(), name="my-export"),
    path("plays/", views.Plays.as_view(), name="plays"),
    path("plays/bulk/", transfer.BulkPlays.as_view(), name="plays-bulk"),
    path("plays/export.ndjson", transfer.ExportLines.as_view(), name="plays-export-ndjson"),
    path("plays/export.csv", transfer.ExportTable.as_view(), name="plays-export-csv"),
    path("plays/<uuid:id>/", views.OnePlay.as_view(), name="play"),
    path("plays/<uuid:id>/restore/", views.Restore.as_view(), name="play-restore"),
    path("plays/<uuid:id>/history/", views.History.as_view(), name="play-history"),
    path("plays/<uuid:id>/scores/", views.Scores.as_view(), name="play-scores"),
    path("clubs/<slug:slug>/players/<uuid:id>/merge/", merge_views.PlayerMergeView.as_view(), name="player-merge"),
    path("clubs/<slug:slug>/merges/", merge_views.MergesView.as_view(), name="merges"),
    path("clubs/<slug:slug>/merges/<uuid:id>/", merge_views.MergeView.as_view(), name="merge"),
]

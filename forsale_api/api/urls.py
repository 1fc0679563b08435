"""Addresses about the API itself."""

from django.urls import path

from forsale_api.api import service

urlpatterns = [
    path("", service.RootView.as_view(), name="root"),
    path("problems/", service.ProblemsView.as_view(), name="problems"),
    path("problems/<slug:slug>/", service.ProblemView.as_view(), name="problem"),
    path("schema/", service.SchemaView.as_view(), name="schema"),
    path("docs/", service.DocsView.as_view(), name="docs"),
]

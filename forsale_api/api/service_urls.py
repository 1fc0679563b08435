"""Addresses for whoever runs the service."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

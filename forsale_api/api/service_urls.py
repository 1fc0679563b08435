"""Addresses for whoever runs the service."""

from django.urls import path

from forsale_api.api import service

urlpatterns = [
    path("healthz", service.healthz, name="healthz"),
    path("readyz", service.readyz, name="readyz"),
    path("metrics", service.prometheus, name="metrics"),
]

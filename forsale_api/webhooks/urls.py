"""Addresses of webhooks."""

from django.urls import path

from forsale_api.webhooks import views

ROOT = "clubs/<slug:slug>/webhooks/"
ONE = ROOT + "<uuid:id>/"

urlpatterns = [
    path(ROOT, views.Webhooks.as_view(), name="webhooks"),
    path(ONE, views.OneWebhook.as_view(), name="webhook"),
    path(ONE + "rotate/", views.Rotate.as_view(), name="webhook-rotate"),
    path(ONE + "test/", views.Test.as_view(), name="webhook-test"),
    path(ONE + "deliveries/", views.Deliveries.as_view(), name="deliveries"),
    path(ONE + "deliveries/<uuid:delivery>/", views.OneDelivery.as_view(), name="delivery"),
    path(ONE + "deliveries/<uuid:delivery>/redeliver/", views.Redeliver.as_view(), name="delivery-redeliver"),
]

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "forsale_api.webhooks"

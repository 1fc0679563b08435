from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "forsale_api.api"
    label = "api"

    def ready(self) -> None:
        from forsale_api.celery import app  # noqa: F401  a web process that enqueues needs the configured app

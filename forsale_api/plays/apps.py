from django.apps import AppConfig


class PlaysConfig(AppConfig):
    name = "forsale_api.plays"
    label = "plays"

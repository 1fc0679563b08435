from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "forsale_api.clubs"
    label = "clubs"

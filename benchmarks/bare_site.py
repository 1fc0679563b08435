"""The site, and beside it the bare views that `api.py` compares with: plain DRF, one row written or read."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")


def site() -> Any:
    """The site's WSGI application, answering at /bare/ too."""
    from forsale_api.wsgi import application  # isort: skip  sets the site up, first of all

    from django.urls import path
    from rest_framework import serializers
    from rest_framework.permissions import IsAuthenticated
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.views import APIView

    import forsale_api.urls
    from forsale_api.clubs.models import Club
    from forsale_api.plays.models import PlayToFold

    class WrittenRow(serializers.Serializer[Any]):
        play_id = serializers.UUIDField()

    class ReadRow(serializers.ModelSerializer[Club]):
        class Meta:
            model = Club
            fields = ["slug", "name", "visibility", "time_zone", "created_at"]

    class Bare(APIView):
        """What a plain view costs that looks up the caller's token and writes or reads one row."""

        permission_classes = [IsAuthenticated]

        def get(self, request: Request) -> Response:
            return Response(ReadRow(Club.objects.get(slug="bench")).data)

        def post(self, request: Request) -> Response:
            row = WrittenRow(data=request.data)
            row.is_valid(raise_exception=True)
            PlayToFold.objects.create(**row.validated_data)
            return Response(row.data, status=201)

    forsale_api.urls.urlpatterns.insert(0, path("bare/", Bare.as_view()))
    return application


application = site()

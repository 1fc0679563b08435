"""The web application, for a WSGI server. Without a broker address each web process runs a worker of its own."""

import os

from django.conf import settings
from django.core.management.base import BaseCommand
from django.core.wsgi import get_wsgi_application

from forsale_api.celery import start_embedded_worker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")

application = get_wsgi_application()
BaseCommand().check(tags=["environment"])  # a server does not start on settings that make no sense

if settings.EMBEDDED_WORKER:
    start_embedded_worker()

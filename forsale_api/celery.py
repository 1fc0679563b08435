"""The Celery app. Without a broker address, tasks travel in memory to a worker thread of the same process."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")

app = Celery("forsale")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

"""Settings come from the environment, are listed in .env.example, and say what they do not understand."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from forsale_api.settings import ENVIRONMENT

ROOT = Path(__file__).resolve().parent.parent
PROMISED = {
    "DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "DJANGO_SECRET_KEY", "DJANGO_ALLOWED_HOSTS",
    "DJANGO_CSRF_TRUSTED_ORIGINS", "DJANGO_PROXY_SSL_HEADER", "DJANGO_DEBUG", "EMAIL_URL", "SIGNUP", "API_LIMITS",
    "API_PROXIES",
}  # fmt: skip
ONLY_COMPOSE = {"POSTGRES_PASSWORD", "PORT"}
SECRET = {"DJANGO_SECRET_KEY": "k" * 50}


def python(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, which sees of our variables only the ones given."""
    kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=kept | environment, capture_output=True, text=True, timeout=60
    )


def setting(name: str, **environment: str) -> Any:
    """The value that a setting has in this environment."""
    done = python("-c", f"import json, forsale_api.settings as s; print(json.dumps(s.{name}))", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_variable_is_read_and_listed_in_the_example():
    listed = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert listed == set(ENVIRONMENT) | ONLY_COMPOSE
    assert set(ENVIRONMENT) >= PROMISED


def test_the_example_holds_no_value_and_so_starts_as_a_laptop_does():
    lines = (ROOT / ".env.example").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#") and not line.endswith("=")] == []


def test_nonsense_in_any_variable_is_an_error_that_says_what_is_right_and_hides_the_value():
    nonsense = dict.fromkeys(set(ENVIRONMENT) - {"DJANGO_SECRET_KEY", "DJANGO_STATIC_ROOT"}, "hush/hush=")
    done = python("manage.py", "check", **SECRET, **nonsense)
    assert done.returncode == 1
    for name in nonsense:
        assert re.search(rf"\(forsale\.E0\d\d\) {name} is not understood\.\n\s+HINT: \S", done.stderr), name
    assert "hush" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_secret_is_an_error_unless_on_a_laptop():
    done = python("manage.py", "check")
    assert done.returncode == 1
    assert "DJANGO_SECRET_KEY is not set" in done.stderr
    assert python("manage.py", "check", DJANGO_DEBUG="1").returncode == 0


def test_a_web_server_does_not_start_on_settings_that_make_no_sense():
    done = python("-c", "import forsale_api.wsgi", **SECRET, SIGNUP="perhaps")
    assert done.returncode != 0
    assert "SIGNUP is not understood" in done.stderr


def test_an_empty_variable_is_an_unset_one():
    assert setting("ALLOWED_HOSTS", DJANGO_ALLOWED_HOSTS="") == ["localhost", "127.0.0.1", "[::1]"]
    assert setting("DATABASES['default']['ENGINE']", DATABASE_URL="") == "django.db.backends.sqlite3"
    assert setting("EMBEDDED_WORKER", CELERY_BROKER_URL="") is True


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("", None),
        ("0", None),
        ("1", ["HTTP_X_FORWARDED_PROTO", "https"]),
        ("X-Forwarded-Ssl=on", ["HTTP_X_FORWARDED_SSL", "on"]),
        ("HTTP_X_SCHEME=https", ["HTTP_X_SCHEME", "https"]),
    ],
)
def test_the_proxy_header_is_trusted_only_when_named(value: str, header: list[str] | None):
    name = "__dict__.get('SECURE_PROXY_SSL_HEADER')"
    assert setting(name, DJANGO_PROXY_SSL_HEADER=value) == header
    assert setting("__dict__.get('SESSION_COOKIE_SECURE', False)", DJANGO_PROXY_SSL_HEADER=value) is bool(header)


def test_production_is_what_the_variables_name():
    database = setting("DATABASES['default']", DATABASE_URL="postgres://ann:pw@db.example.org:5433/scores")
    assert {key: database[key] for key in ("ENGINE", "NAME", "USER", "HOST", "PORT")} == {
        "ENGINE": "django.db.backends.postgresql", "NAME": "scores", "USER": "ann", "HOST": "db.example.org",
        "PORT": 5433,
    }  # fmt: skip
    assert setting("EMBEDDED_WORKER", CELERY_BROKER_URL="redis://queue:6379/0") is False
    assert setting("CACHES['default']['LOCATION']", CACHE_URL="redis://cache:6379/1") == "redis://cache:6379/1"
    assert setting("ALLOWED_HOSTS", DJANGO_ALLOWED_HOSTS="a.example, b.example") == ["a.example", "b.example"]
    assert setting("MAILERS['default']['OPTIONS']", EMAIL_URL="smtp+tls://u:p@mail.example.org:587") == {
        "host": "mail.example.org", "port": 587, "username": "u", "password": "p", "use_tls": True, "use_ssl": False,
    }  # fmt: skip

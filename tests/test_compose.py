"""docker-compose.yml and Dockerfile agree with each other and with the settings; no engine is needed to see it."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from forsale_api.settings import ENVIRONMENT, _database

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {"migrate", "web", "worker", "beat"}
DOCKERFILE = (ROOT / "Dockerfile").read_text()
ON_A_LAPTOP_ONLY = {"DJANGO_DEBUG", "DJANGO_STATIC_ROOT", "WEBHOOKS_TO_LOOPBACK"}


def test_the_services_are_the_whole_service():
    assert set(SERVICES) == OURS | {"postgres", "redis"}


def test_our_services_are_given_every_variable_that_the_settings_read_and_no_other():
    for name in OURS:
        assert set(SERVICES[name]["environment"]) == set(ENVIRONMENT) - ON_A_LAPTOP_ONLY, name


def test_every_variable_of_the_compose_file_is_in_the_example():
    asked = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", TEXT))
    listed = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert asked <= listed
    assert listed - asked == ON_A_LAPTOP_ONLY | {"DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL"}


def test_secrets_are_demanded_and_none_is_written_here():
    for name in ("DJANGO_SECRET_KEY", "POSTGRES_PASSWORD"):
        uses = re.findall(rf"\$\{{{name}(.)", TEXT)
        assert uses
        assert set(uses) == {":"}
        assert f"${{{name}:?" in TEXT


def test_the_addresses_name_services_of_this_file():
    environment = SERVICES["web"]["environment"]
    database = _database(re.sub(r"\$\{[^}]*\}", "secret", environment["DATABASE_URL"]))
    postgres = SERVICES["postgres"]["environment"]
    assert (database["HOST"], database["USER"], database["NAME"]) == (
        "postgres", postgres["POSTGRES_USER"], postgres["POSTGRES_DB"],
    )  # fmt: skip
    redis = {environment[name] for name in ("CELERY_BROKER_URL", "CACHE_URL")}
    assert redis == {"redis://redis:6379/0", "redis://redis:6379/1"}


def test_every_service_that_stays_up_has_a_health_check_and_waits_for_the_ones_it_needs():
    for name in ("postgres", "redis", "worker", "beat"):
        assert SERVICES[name]["healthcheck"]["test"], name
    assert "\nHEALTHCHECK " in DOCKERFILE  # of the image, for web
    for name in ("web", "worker", "beat"):
        assert SERVICES[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "postgres": {"condition": "service_healthy"},
            "redis": {"condition": "service_healthy"},
        }


def test_the_published_port_is_the_one_that_the_server_listens_on():
    (port,) = re.findall(r"GRANIAN_PORT=(\d+)", DOCKERFILE)
    assert SERVICES["web"]["ports"] == [f"${{PORT:-{port}}}:{port}"]
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert f"http://127.0.0.1:{port}/readyz" in DOCKERFILE


def test_the_image_runs_as_nobody_special_and_serves_by_default():
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!0|root)\S+$", final, re.MULTILINE)
    (command,) = re.findall(r"^CMD (\[.*\])$", final, re.MULTILINE)
    assert json.loads(command) == SERVICES["web"]["command"]


def test_the_image_has_the_python_of_this_project():
    version = (ROOT / ".python-version").read_text().strip()
    assert set(re.findall(r"^FROM python:([\d.]+)-slim", DOCKERFILE, re.MULTILINE)) == {version}


def test_the_build_sees_the_source_and_not_the_database_or_secrets():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == {
        "pyproject.toml", "README.md", "manage.py", "forsale_api", "stats", "dashboard", "seeds",
        "examples",
    }  # fmt: skip

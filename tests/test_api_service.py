"""Addresses about the service itself: the root, problem pages, schema, docs, health and figures."""

import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from jsonschema import Draft202012Validator

from forsale_api.api import service
from forsale_api.api.codes import CODES
from forsale_api.api.problems import TITLES

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def schema() -> dict:
    return json.loads(Client().get("/api/v1/schema/").content)


# ---- the root and the problems ----------------------------------------------------------------------


def test_the_root_lists_addresses_that_are_there(db, anonymous):
    listed = anonymous.get("/api/v1/").json()
    assert {"clubs", "schema", "docs", "problems"} <= set(listed)
    assert listed["clubs"] == "http://testserver/api/v1/clubs/"
    for address in listed.values():
        assert anonymous.get(address).status_code in {200, 400, 401, 405}, address


@pytest.mark.parametrize("slug", TITLES)
def test_the_type_of_every_problem_opens_a_page_in_both_languages(db, slug):
    address = f"/api/v1/problems/{slug}/"
    english = Client().get(address, headers=BROWSER)
    french = Client().get(address, headers=BROWSER | {"Accept-Language": "fr"})
    for page in (english, french):
        assert page["Content-Type"].startswith("text/html")
        assert b"<script>" not in page.content
        assert b"style=" not in page.content
    assert '<html lang="en"' in english.content.decode()
    assert '<html lang="fr"' in french.content.decode()
    assert Client().get(address).json()["type"] == f"http://testserver{address}"


def test_all_problems_are_on_one_page_and_in_one_answer(db):
    assert [problem["slug"] for problem in Client().get("/api/v1/problems/").json()["problems"]] == list(TITLES)
    page = Client().get("/api/v1/problems/", headers=BROWSER).content.decode()
    assert all(f"/api/v1/problems/{slug}/" in page for slug in TITLES)


def test_the_docs_have_nothing_inline_that_the_policy_would_stop(db):
    page = Client().get("/api/v1/docs/", headers=BROWSER)
    assert page.status_code == 200
    text = page.content.decode()
    assert "<style" not in text
    assert "<script>" not in text
    assert "script-src 'self'" in page["Content-Security-Policy"]
    script = Client().get("/api/v1/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/v1/schema/" in script.content.decode() or "../schema/" in script.content.decode()


# ---- the schema -------------------------------------------------------------------------------------


def test_the_schema_is_valid_and_made_without_a_warning(capsys):
    call_command("spectacular", validate=True, fail_on_warn=True, file="/dev/null")
    assert "Warning" not in capsys.readouterr().err


def test_the_schema_is_openapi_3_1_as_json_or_yaml(db, schema):
    assert schema["openapi"].startswith("3.1.")
    assert Client().get("/api/v1/schema/", headers={"Accept": "application/yaml"}).content.startswith(b"openapi: 3.1")


def operations(schema: dict) -> list[tuple[str, str, dict]]:
    return [
        (path, method, operation) for path, methods in schema["paths"].items() for method, operation in methods.items()
    ]


def test_every_operation_has_its_own_id_says_what_it_does_and_who_may(schema):
    found = operations(schema)
    assert len({operation["operationId"] for _path, _method, operation in found}) == len(found)
    for path, method, operation in found:
        assert operation.get("description"), (path, method)
        assert operation["security"], (path, method)


def test_every_operation_documents_its_problems_and_no_vague_default(schema):
    for path, method, operation in operations(schema):
        answers = operation["responses"]
        expected = {"400", "401", "406", "429"} | ({"404"} if "{" in path else set())
        expected |= {"415", "413"} if "requestBody" in operation else set()
        expected |= {"304"} if method == "get" else {"403"}
        assert expected <= set(answers), (path, method)
        assert "default" not in answers


def test_every_object_that_can_be_changed_documents_if_match(schema):
    for path, method, operation in operations(schema):
        names = {parameter.get("$ref", "").rsplit("/", 1)[-1] for parameter in operation.get("parameters", [])}
        if method == "get":
            assert "IfNoneMatch" in names, (path, method)
        assert ("IfMatch" in names) == ("412" in operation["responses"]), (path, method)


def test_bodies_refuse_unknown_fields_in_the_schema_too(schema):
    clubs = schema["components"]["schemas"]["ClubRequest"]
    validator = Draft202012Validator(clubs | {"components": schema["components"]})
    assert validator.is_valid({"name": "X"})
    assert not validator.is_valid({"name": "X", "nmae": "X"})
    assert not validator.is_valid({"name": " "})
    assert not validator.is_valid({"name": "X", "time_zone": "Nowhere"})


def test_the_codes_are_an_enum_in_the_schema(schema):
    assert schema["components"]["schemas"]["ProblemCode"]["enum"] == sorted(CODES)


def test_a_problem_fits_the_schema_it_is_documented_with(db, schema, anonymous):
    problem = anonymous.get("/api/v1/clubs/?x=1").json()
    validator = Draft202012Validator(schema["components"]["schemas"]["Problem"] | {"components": schema["components"]})
    assert list(validator.iter_errors(problem)) == []


# ---- health and figures -----------------------------------------------------------------------------


def test_alive_needs_nothing_and_ready_names_what_it_looked_at(db):
    assert Client().get("/healthz").json() == {"status": "alive"}
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == {"database": "ok", "broker": "ok", "migrations": "ok"}


def test_a_missing_migration_means_not_ready(db):
    MigrationRecorder(connection).record_unapplied("clubs", "0001_initial")
    answer = Client().get("/readyz")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer["Retry-After"]
    assert answer.json()["checks"] == {"database": "ok", "broker": "ok", "migrations": "failed"}
    assert "migrations" in answer.json()["detail"]


@pytest.mark.parametrize("part", ["database", "broker"])
def test_a_part_that_does_not_answer_means_not_ready(db, monkeypatch, part):
    def broken() -> None:
        raise OSError("no answer")

    monkeypatch.setitem(service.CHECKS, part, broken)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["checks"][part]) == (503, "failed")
    assert answer.json()["errors"][0]["code"] == "not-ready"


def test_requests_are_counted_by_method_route_and_status(db, anonymous):
    def count(**labels: str) -> float:
        wanted = {f'{name}="{value}"' for name, value in labels.items()}
        for line in Client().get("/metrics").content.decode().splitlines():
            if line.startswith("forsale_requests_total{") and wanted <= set(line[23:].split("}")[0].split(",")):
                return float(line.split()[-1])
        return 0

    seen = {"method": "GET", "route": "api/v1/clubs/", "status": "200"}
    unseen = {"method": "GET", "route": "api/v1/clubs/<slug:slug>/", "status": "404"}
    before = count(**seen), count(**unseen)
    anonymous.get("/api/v1/clubs/")
    anonymous.get("/api/v1/clubs/a/")
    anonymous.get("/api/v1/clubs/b/")
    assert (count(**seen), count(**unseen)) == (before[0] + 1, before[1] + 2)


def test_made_up_methods_and_addresses_make_no_new_series(db, anonymous):
    anonymous.generic("BREW", "/api/v1/clubs/")
    anonymous.get("/api/v1/no/such/address/")
    text = Client().get("/metrics").content.decode()
    assert "BREW" not in text
    assert "no/such" not in text

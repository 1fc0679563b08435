"""The committed OpenAPI document: it is what the views say, and nothing that clients rely on goes within v1."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from forsale_api.api import contract
from forsale_api.api.problems import TITLES
from forsale_api.api.schema import STATUS_SLUGS

ROOT = Path(__file__).resolve().parent.parent
QUICK_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
RUN = "Run .ci/contract and commit what it writes."


@pytest.fixture(scope="module")
def promised() -> set[str]:
    return set((ROOT / contract.PROMISES).read_text().splitlines())


@pytest.fixture(scope="module")
def present() -> set[str]:
    return set(contract.promises())


def test_the_document_is_what_the_views_say() -> None:
    stored = yaml.load((ROOT / contract.DOCUMENT).read_text(), QUICK_LOADER)  # noqa: S506  both are safe
    assert stored == contract.plain(contract.schema()), RUN


def test_nothing_that_was_promised_has_gone(promised: set[str], present: set[str]) -> None:
    assert not sorted(promised - present)


def test_everything_new_is_promised(promised: set[str], present: set[str]) -> None:
    assert not sorted(present - promised), RUN


def test_what_clients_rely_on_is_among_the_promises(promised: set[str]) -> None:
    assert promised >= {
        "GET /api/v1/plays/",
        "GET /api/v1/plays/ takes query updated_after",
        "POST /api/v1/plays/ takes seats[].cheques",
        "POST /api/v1/plays/ does not need edition",
        "GET /api/v1/plays/{id}/ gives seats[].player.name",
        "GET /api/v1/stats/scores/ gives results[].total.histogram[].count",
        "POST /api/v1/plays/ takes header Idempotency-Key",
        "webhook play.created sends data.seats[].player.name",
        "code winner-contradicts-totals",
    }


def test_a_field_that_goes_is_noticed(promised: set[str], monkeypatch: Any) -> None:
    whole = contract.schema()
    del whole["components"]["schemas"]["PlaySeat"]["properties"]["rank"]
    del whole["paths"]["/api/v1/plays/{id}/history/"]
    whole["components"]["schemas"]["PlayBodyRequest"]["required"].append("edition")
    monkeypatch.setattr(contract, "schema", lambda: whole)
    gone = promised - set(contract.promises())
    assert {
        "GET /api/v1/plays/{id}/ gives seats[].rank",
        "GET /api/v1/plays/{id}/history/",
        "POST /api/v1/plays/ does not need edition",
    } <= gone


def test_every_operation_documents_its_problems_by_the_one_shape() -> None:
    whole = contract.schema()
    problem = Draft202012Validator({"$ref": "#/components/schemas/Problem", "components": whole["components"]})
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            for status in ("400", "401", "406", "429"):
                assert "$ref" in operation["responses"][status], (method, path, status)
    assert problem.is_valid({"type": "/x", "title": "", "status": 404, "detail": "", "errors": []})


@pytest.mark.parametrize("slug", TITLES)
def test_the_type_of_every_problem_resolves(anonymous: APIClient, db: Any, slug: str) -> None:
    address = f"/api/v1/problems/{slug}/"
    assert anonymous.get(address).json()["slug"] == slug
    assert str(TITLES[slug]) in anonymous.get(address, HTTP_ACCEPT="text/html").content.decode()


def test_every_status_of_the_document_has_its_type_of_problem() -> None:
    whole = contract.schema()
    statuses = {status for ways in whole["paths"].values() for way in ways.values() for status in way["responses"]}
    assert {STATUS_SLUGS[int(status)] for status in statuses if status.startswith(("4", "5"))} <= TITLES.keys()

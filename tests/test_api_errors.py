"""Every error has one shape, in the caller's language, with codes from a closed list."""

import ast
import json
import re
from pathlib import Path

import pytest
from django.test import Client
from rest_framework.test import APIClient

from forsale_api.api.codes import CODES, FIELD_CODES, FINDING_CODES, FRAMEWORK_CODES
from forsale_api.api.formats import parse_json
from forsale_api.api.problems import ADVICE, TITLES
from forsale_api.api.views import APIView
from forsale_api.rules import for_sale

CLUBS = "/api/v1/clubs/"
ROOT = Path(__file__).parent.parent


def check_shape(answer, status: int) -> dict:
    """The problem in an answer, after its shape has been checked."""
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert "Accept-Language" in answer["Vary"]
    problem = json.loads(answer.content)
    assert {"type", "title", "status", "detail", "errors"} <= set(problem)
    assert problem["status"] == status
    slug = re.fullmatch(r"http://testserver/api/v1/problems/([a-z-]+)/", problem["type"])[1]
    assert slug in TITLES
    assert problem["detail"]
    for error in problem["errors"]:
        assert set(error) == {"pointer", "code", "detail"}
        assert error["code"] in CODES
        assert error["pointer"] == "" or error["pointer"].startswith("/")
        assert error["detail"]
    return problem


def too_large(client: APIClient):
    return client.post(CLUBS, b'"' + b"x" * (5 * 2**20) + b'"', content_type="application/json")


def nameless(client: APIClient, authorization: str = "") -> APIClient:
    """A client of the same language without the other's token."""
    headers = client._credentials | {"HTTP_AUTHORIZATION": authorization}
    other = APIClient()
    other.credentials(**{name: value for name, value in headers.items() if value})
    return other


ERRORS = {
    "no address": (404, lambda c: c.get("/api/v1/nothing/")),
    "no version": (404, lambda c: c.get("/api/v9/clubs/")),
    "no object": (404, lambda c: c.get(CLUBS + "nothing/")),
    "no slash": (404, lambda c: c.get("/api/v1/clubs")),
    "method": (405, lambda c: c.put(CLUBS, {})),
    "accept": (406, lambda c: c.get(CLUBS, headers={"Accept": "text/csv"})),
    "media type": (415, lambda c: c.post(CLUBS, "a=b", content_type="application/x-www-form-urlencoded")),
    "no JSON": (400, lambda c: c.post(CLUBS, "{", content_type="application/json")),
    "no text": (400, lambda c: c.post(CLUBS, b"\xff\xfe", content_type="application/json")),
    "unknown field": (400, lambda c: c.post(CLUBS, {"name": "X", "nmae": "X"})),
    "unknown parameter": (400, lambda c: c.get(CLUBS + "?vissibility=public")),
    "parameter of a POST": (400, lambda c: c.post(CLUBS + "?mine=true", {"name": "X"})),
    "bad cursor": (400, lambda c: c.get(CLUBS + "?cursor=abc")),
    "too large": (413, too_large),
    "no token": (401, lambda c: nameless(c).post(CLUBS, {"name": "X"})),
    "bad token": (401, lambda c: nameless(c, "Bearer fs_no").get(CLUBS)),
    "bad token at the docs": (401, lambda c: nameless(c, "Bearer fs_no").get("/api/v1/docs/")),
    "no problem": (404, lambda c: c.get("/api/v1/problems/no-such-type/")),
    "accept at the schema": (406, lambda c: c.get("/api/v1/schema/", headers={"Accept": "text/csv"})),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_every_kind_of_error_has_the_one_shape_in_both_languages(owner, name):
    status, provoke = ERRORS[name]
    english = check_shape(provoke(owner), status)
    owner.credentials(**owner._credentials, HTTP_ACCEPT_LANGUAGE="fr-CA, fr;q=0.8, en;q=0.5")
    french = check_shape(provoke(owner), status)
    assert [(e["pointer"], e["code"]) for e in french["errors"]] == [
        (e["pointer"], e["code"]) for e in english["errors"]
    ]
    assert french["type"] == english["type"]


def test_a_missing_slash_is_pointed_out(anonymous):
    assert "/api/v1/clubs/" in anonymous.get("/api/v1/clubs").json()["detail"]
    assert "/api/v1/clubs/" not in anonymous.get("/api/v1/clbus").json()["detail"]


def test_a_wrong_parameter_is_named_with_what_there_is(anonymous):
    (error,) = anonymous.get(CLUBS + "?page_sise=3").json()["errors"]
    assert (error["pointer"], error["code"]) == ("/page_sise", "unknown-parameter")
    assert "page_size" in error["detail"]
    (error,) = anonymous.get(CLUBS + "?page_size=3&page_size=4").json()["errors"]
    assert (error["pointer"], error["code"]) == ("/page_size", "repeated-parameter")


@pytest.mark.parametrize("size", ["0", "201", "-1", "x", "1.0", " 1", "1_0", "9" * 400, "", "١"])
def test_a_page_has_1_to_200_rows(anonymous, size):
    answer = anonymous.get(CLUBS, {"page_size": size})
    assert check_shape(answer, 400)["errors"][0]["pointer"] == "/page_size"


def test_all_that_is_wrong_is_said_at_once(owner):
    problem = owner.post(CLUBS, {"visibility": "secret", "contribute": 3, "x": 1}).json()
    assert [error["pointer"] for error in problem["errors"]] == ["/name", "/visibility", "/contribute", "/x"]


def test_the_names_of_fields_are_escaped_in_pointers(owner):
    problem = owner.post(CLUBS, {"name": "X", "a/b~c": 1}).json()
    assert problem["errors"][0]["pointer"] == "/a~1b~0c"


def test_a_method_that_is_not_there_is_a_405_whatever_else_is_wrong(anonymous):
    for method in ("PUT", "TRACE", "BREW"):
        check_shape(anonymous.generic(method, CLUBS + "?nonsense=1"), 405)


def test_methods_that_exist_are_named_with_a_405(owner):
    assert set(owner.put(CLUBS, {})["Allow"].split(", ")) == {"GET", "POST", "HEAD", "OPTIONS"}


def test_a_session_writes_with_the_csrf_token_of_its_page_and_not_without(owner):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner.user)
    refused = browser.post(CLUBS, {"name": "X"}, content_type="application/json")
    assert check_shape(refused, 403)["errors"][0]["code"] == "csrf-failed"
    browser.cookies["csrftoken"] = "a" * 32
    done = browser.post(CLUBS, {"name": "X"}, content_type="application/json", headers={"X-CSRFToken": "a" * 32})
    assert done.status_code == 201


@pytest.mark.parametrize("method", ["post", "patch", "delete"])
def test_a_write_to_no_address_is_not_found_whoever_sends_it(db, method):
    answer = getattr(Client(enforce_csrf_checks=True), method)("/api/v1/nothing/")
    assert check_shape(answer, 404)["errors"][0]["code"] == "not-found"


def test_an_unexpected_exception_is_a_logged_problem(owner, monkeypatch, caplog):
    def broken(*args: object) -> None:
        raise ZeroDivisionError("a secret of ours")

    monkeypatch.setattr(APIView, "initial", broken)
    client = Client(raise_request_exception=False)
    answer = client.get(CLUBS)
    problem = check_shape(answer, 500)
    assert "secret" not in str(problem)
    (record,) = [record for record in caplog.records if record.exc_info]
    assert CLUBS in record.getMessage()


def test_a_host_that_is_not_ours_is_a_problem_too(db, settings):
    settings.ALLOWED_HOSTS = ["forsale.example"]
    answer = Client().get(CLUBS, headers={"Host": "evil.example"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["type"] == "/api/v1/problems/bad-request/"


# ---- bodies that try to break something -------------------------------------------------------------

NASTY = {
    "half a surrogate": r'{"name": "\ud800"}',
    "half a surrogate as a field": r'{"\udfff": 1}',
    "NUL": r'{"name": "a\u0000b"}',
    "NUL as a field": r'{"name": "X", "a\u0000": 1}',
    "NaN": '{"name": NaN}',
    "infinity": '{"name": -Infinity}',
    "a number beyond a double": '{"name": 1e999}',
    "a number of ten thousand digits": '{"name": ' + "9" * 10_000 + "}",
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "an unfinished text": '{"name": "',
    "two values": "{} {}",
    "nothing": "",
    "a byte order mark": "\ufeff{}",
    "a control character": '{"name": "a\x01b"}',
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
def test_a_nasty_body_is_a_400(owner, name):
    answer = owner.post(CLUBS, NASTY[name].encode("utf-8", "surrogatepass"), content_type="application/json")
    check_shape(answer, 400)


def test_a_whole_number_may_be_written_with_a_point(owner):
    """1.0 and 1 are one number in JSON; half a game is still no number of games."""
    assert parse_json("[5, 5.0, 1e6, -2.0, 2.5, 1e300]") == [5, 5, 1_000_000, -2, 2.5, 1e300]
    assert [type(number) for number in parse_json("[5, 5.0, 1e6, 2.5, 1e300]")] == [int, int, int, float, float]


def test_a_backslash_before_u0000_is_text_and_not_a_nul(owner):
    answer = owner.post(CLUBS, r'{"name": "a\\u0000b"}', content_type="application/json")
    assert answer.json()["name"] == r"a\u0000b"


@pytest.mark.parametrize(
    "value", [None, True, 0, -1, 2**70, 1.5, "", "x" * 5000, [], [[]], {}, {"a": {}}, "\u202e", "💥"]
)
def test_no_value_in_any_field_is_a_fault_of_ours(club, owner, member, value):
    player = owner.post(CLUBS + "nantes/players/", {"name": "Théo"}).json()["id"]
    addresses = {
        ("post", CLUBS): ["name", "slug", "visibility", "time_zone", "contribute", "notes_public"],
        ("patch", CLUBS + "nantes/"): ["name", "visibility", "time_zone", "contribute", "notes_public"],
        ("post", CLUBS + "nantes/players/"): ["name"],
        ("patch", CLUBS + f"nantes/players/{player}/"): ["name"],
        ("post", CLUBS + "nantes/members/"): ["username", "role"],
        ("patch", CLUBS + "nantes/members/marcel/"): ["role"],
    }
    for (method, address), fields in addresses.items():
        for field in fields:
            answer = getattr(owner, method)(
                address, {"name": "X", field: value} if address == CLUBS else {field: value}
            )
            assert answer.status_code < 500, (method, address, field)
        assert getattr(owner, method)(address, json.dumps(value), content_type="application/json").status_code < 500


@pytest.mark.parametrize(
    "address",
    [
        "clubs/%00/", "clubs/nantes/members/%00/", "clubs/nantes/players/%F0%9F%92%A5/", "clubs/?name=%00",
        "clubs/nantes/players/?name=%00", "clubs/nantes/players/?name=%ED%A0%80", "clubs/?cursor=%00",
        "clubs/?cursor=WzAsMSwiMSJd", "clubs/?cursor=WzAsbnVsbCxudWxsXQ", "clubs/?cursor=W10",
        "clubs/?cursor=WzAsImEiLCI5OTk5OTk5OTk5OTk5OTk5OTk5OTk5Il0", "problems/%00/", "%ff%fe/",
        "clubs/nantes/players/?cursor=WzAsIlx1ZDgwMCIsIjAxYTIyZGM1LTRmM2MtNzZhMC04ZGJlLWRkM2M3ZWNkNTMxZCJd",
    ],
)  # fmt: skip
def test_no_address_is_a_fault_of_ours(club, owner, address):
    answer = owner.get("/api/v1/" + address)
    if answer.status_code != 200:
        check_shape(answer, 404 if "?" not in address else 400)


@pytest.mark.parametrize(
    "header", ["If-None-Match", "If-Match", "Idempotency-Key", "Accept", "Accept-Language", "Range"]
)
@pytest.mark.parametrize("value", ["", "*", '"', "W/", "é", ",,,", "x" * 5000])
def test_no_header_is_a_fault_of_ours(club, owner, header, value):
    for answer in (
        owner.get(CLUBS + "nantes/", headers={header: value}),
        owner.patch(CLUBS + "nantes/", {}, headers={header: value}),
        owner.post(CLUBS, {"name": "X"}, headers={header: value}),
    ):
        assert answer.status_code < 500


def test_a_body_in_chunks_is_refused_rather_than_taken_for_an_empty_one(club, owner):
    answer = owner.patch(CLUBS + "nantes/", {"name": "X"}, headers={"Transfer-Encoding": "chunked"})
    check_shape(answer, 400)
    assert "Content-Length" in answer.json()["detail"]
    assert owner.get(CLUBS + "nantes/").json()["name"] != "X"


# ---- the closed lists -------------------------------------------------------------------------------


def test_every_type_of_problem_has_a_title_and_advice():
    assert set(TITLES) == set(ADVICE)


def codes_in_the_source(calls: dict[str, int], *, keyword: bool) -> dict[str, str]:
    """Every code that a room writes down, by file: as the argument of these calls, or as code="..." of any call."""
    found = {}
    for path in [path for package in ("forsale_api", "stats", "dashboard") for path in (ROOT / package).rglob("*.py")]:
        if path.name == "settings.py" or "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                position = calls.get(getattr(node.func, "id", getattr(node.func, "attr", "")))
                texts = [k.value for k in node.keywords if k.arg == "code" and keyword]
                texts += node.args[position : position + 1] if position is not None else []
                for text in texts:
                    if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                        found[text.value.replace("_", "-")] = str(path.relative_to(ROOT))
    return found


def error_codes_in_the_source() -> dict[str, str]:
    calls = {"Message": 0, "fail": 0, "_illegal": 0, "error_entry": 1, "_wrong": 1, "_answer": 2, "_one_of": 3}
    calls["_refuse"] = 3
    found = codes_in_the_source(calls, keyword=True) | dict.fromkeys(for_sale.SAYS, "the sentences of the rules")
    return found | dict.fromkeys(
        (
            f"{field}-out-of-range"
            for field in (
                "games",
                "seed",
                "rounds",
                "deals",
                "rounds-left",
                "banknotes",
                "stakes",
                "opponents-banknotes",
            )
        ),
        "a number of a simulation or league",
    )


def finding_codes_in_the_source() -> dict[str, str]:
    return codes_in_the_source({"Finding": 0, "_finding": 0}, keyword=False)


def test_every_code_a_room_answers_is_in_the_closed_list():
    known = CODES | FINDING_CODES
    assert {code: path for code, path in error_codes_in_the_source().items() if code not in known} == {}


def test_every_code_of_a_finding_is_in_its_closed_list():
    assert set(finding_codes_in_the_source()) == FINDING_CODES


def test_no_code_of_a_room_is_promised_that_nobody_answers():
    promised = CODES - FIELD_CODES - FRAMEWORK_CODES
    assert promised - set(error_codes_in_the_source()) - set(default_error_messages()) == set()


def default_error_messages() -> set[str]:
    """The codes that our own fields and serializers declare."""
    found = set()
    for path in (ROOT / "forsale_api").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "default_error_messages":
                found |= {key.value.replace("_", "-") for key in node.value.keys}
    return found


def test_codes_are_words_and_hyphens():
    assert [code for code in CODES | FINDING_CODES if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code)] == []

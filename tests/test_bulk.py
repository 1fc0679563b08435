"""Many plays in one request: every line answered, none held up by another, safe to repeat, in constant memory."""

import json
import threading
import uuid
from io import BytesIO
from typing import Any

from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Player
from forsale_api.plays import arriving
from forsale_api.plays.arriving import ArrivingLines, TooLong
from forsale_api.plays.models import Play, PlayChange, PlayToFold
from tests.conftest import token_client
from tests.test_plays import PLAYS, body, record_body, seats

BULK = PLAYS + "bulk/"
IMPOSSIBLE = seats([(83, 4), (85, 2), (69, 0)])


def upload(client: APIClient, *lines: Any, **headers: str) -> list[dict[str, Any]]:
    sent = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    response = client.post(BULK, sent, content_type="application/x-ndjson", headers=headers)
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.getvalue().splitlines()]


def codes(answer: dict[str, Any]) -> list[str]:
    return [error["code"] for error in answer["problem"]["errors"]]


def test_each_line_is_answered_in_order_with_its_own_id(member: APIClient, public_club: Club) -> None:
    answers = upload(member, body(), record_body(), body(game="lady-richmond", seats=[
        {"player": "Théo", "points": -1}, {"player": "Inès", "points": 4}]))  # fmt: skip
    assert [(answer["line"], answer["status"]) for answer in answers] == [(1, 201), (2, 201), (3, 201)]
    for answer in answers:
        assert member.get(f"{PLAYS}{answer['id']}/").status_code == 200
    assert Play.objects.count() == PlayChange.objects.count() == PlayToFold.objects.count() == 3


def test_a_bad_line_holds_up_no_other(member: APIClient, public_club: Club) -> None:
    own = str(uuid.uuid4())
    answers = upload(
        member,
        body(),
        b"{not json",
        body(colour="red"),
        b"\xff",
        body(seats=IMPOSSIBLE, id=own),
        body(club="bristol"),
        body(club="atlantis"),
        body(seats=[*seats()[:2], {"player": "THEO", "cheques": 70, "banknotes": 0}]),
        b"[]",
        body(played_on="2999-01-01"),
        body(notes="last"),
    )
    assert [answer["status"] for answer in answers] == [201, 400, 400, 400, 422, 403, 404, 422, 400, 422, 201]
    assert [answer["line"] for answer in answers] == list(range(1, 12))
    assert answers[4]["id"] == own
    assert codes(answers[2]) == ["unknown-field"]
    assert answers[2]["problem"]["errors"][0]["pointer"] == "/colour"
    assert codes(answers[7]) == ["player-sits-twice"]
    assert answers[4]["problem"]["findings"]
    assert Play.objects.count() == 2


def test_a_line_is_refused_in_the_words_that_the_play_alone_would_be(member: APIClient) -> None:
    french = {"Accept-Language": "fr"}
    alone = member.post(PLAYS, body(seats=IMPOSSIBLE), headers=french).json()
    (answer,) = upload(member, body(seats=IMPOSSIBLE), **french)
    assert answer["problem"] == alone


def test_empty_lines_are_counted_and_skipped(member: APIClient) -> None:
    assert [answer["line"] for answer in upload(member, b"", body(), b"  ", body(), b"")] == [2, 4]
    assert upload(member) == []


def test_own_ids_make_an_upload_repeatable(member: APIClient) -> None:
    lines = [body(id=str(uuid.uuid4()), notes=str(number)) for number in range(3)]
    first = upload(member, *lines[:2])
    again = upload(member, *lines)
    assert [answer["status"] for answer in again] == [200, 200, 201]
    assert [answer["id"] for answer in again[:2]] == [answer["id"] for answer in first]
    (other,) = upload(member, lines[0] | {"notes": "other"})
    assert (other["status"], codes(other), other["id"]) == (409, ["id-taken"], lines[0]["id"])
    assert Play.objects.count() == 3


def test_an_idempotency_key_makes_lines_without_ids_repeatable(member: APIClient) -> None:
    first = upload(member, body(), body(), **{"Idempotency-Key": "k"})
    again = upload(member, body(), body(), body(), **{"Idempotency-Key": "k"})
    assert [answer["status"] for answer in again] == [200, 200, 201]
    assert [answer["id"] for answer in again[:2]] == [answer["id"] for answer in first]
    upload(member, body(), **{"Idempotency-Key": "other"})
    assert Play.objects.count() == 4


def test_one_source_in_two_lines_is_stored_once(member: APIClient) -> None:
    line = body(source="bgg", source_id="1")
    assert [answer["status"] for answer in upload(member, body(), line, line, body())] == [201, 201, 409, 201]


def test_a_guest_named_in_many_lines_is_one_player(member: APIClient, club: Club) -> None:
    upload(member, *(body(seats=seats(names=[name, "B", "C"])) for name in ("Zoé", "ZOE", "zoe ")))
    assert Player.objects.filter(club=club).count() == 3


def test_who_may_upload(club: Club, owner: APIClient, stranger: APIClient, anonymous: APIClient) -> None:
    assert [answer["status"] for answer in upload(stranger, body())] == [404]
    sent = {"data": json.dumps(body()), "content_type": "application/x-ndjson"}
    assert anonymous.post(BULK, **sent).status_code == 401
    refused = token_client(owner.user, "plays:read").post(BULK, **sent)
    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    assert owner.post(BULK, body()).status_code == 415
    assert owner.get(BULK).status_code == 405
    assert not Play.objects.exists()


def test_a_line_too_long_is_refused_alone(member: APIClient, monkeypatch: Any) -> None:
    monkeypatch.setattr(arriving, "CHUNK", 100)
    monkeypatch.setattr(arriving, "LONGEST_LINE", 1000)
    answers = upload(member, body(), body(notes="x" * 1500), body())
    assert [answer["status"] for answer in answers] == [201, 413, 201]


def test_more_lines_than_a_batch_are_all_stored(member: APIClient) -> None:
    answers = upload(member, *(body(notes=str(number)) if number != 70 else b"?" for number in range(120)))
    assert [answer["status"] for answer in answers] == [201] * 70 + [400] + [201] * 49
    notes = {str(play.pk): play.notes for play in Play.objects.all()}
    assert [notes[a["id"]] for a in answers if a["status"] == 201] == [str(n) for n in range(120) if n != 70]


# ---- lines that arrive ------------------------------------------------------------------------------


class Pipe:
    """A body of which a part arrives when somebody says so."""

    def __init__(self, *parts: bytes) -> None:
        self.parts, self.released, self.read_all = list(parts), threading.Semaphore(0), threading.Event()

    def read(self, size: int) -> bytes:
        self.released.acquire()
        if not self.parts:
            self.read_all.set()
            return b""
        return self.parts.pop(0)


def test_lines_are_there_before_the_body_has_ended() -> None:
    pipe = Pipe(b"one\ntw", b"o\n")
    lines = iter(ArrivingLines(pipe, limit=100))
    pipe.released.release()
    assert next(lines) == b"one"
    pipe.released.release(2)
    assert list(lines) == [b"two"]


def test_the_body_is_read_to_its_end_though_nobody_takes_the_lines() -> None:
    pipe = Pipe(*[b"x" * 60_000 + b"\n"] * 50)
    lines = ArrivingLines(pipe, limit=2**30)
    pipe.released.release(51)
    assert pipe.read_all.wait(10)
    assert len(list(lines)) == 50


def test_a_body_beyond_the_limit_ends_in_a_refusal() -> None:
    *lines, last = ArrivingLines(BytesIO(b"a\nb\n" * 30_000), limit=100_000)
    assert isinstance(last, TooLong)
    assert set(lines) == {b"a", b"b"}

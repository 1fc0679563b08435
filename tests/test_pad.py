"""The score pad: without script, what its script counts, and offline in a real browser."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from dashboard import pad, sentences, sheet_form
from forsale_api import rules
from forsale_api.clubs.models import Club, Player
from forsale_api.plays.models import Play
from forsale_api.rules import SeatEntry, for_sale, lady_richmond, score_sheet, sheet_tables
from tests.test_axe import OPEN, RUN, VENDOR
from tests.test_pages import NAMES, Tab, chromium, page, signed_in, until
from tests.test_plays import post

__all__ = ["chromium"]

LOG = "/log/"
FOUR = [("67", "4"), ("69", "2"), ("55", "3"), ("47", "6")]


def form(rows: list[tuple[str, str]] = FOUR, names: list[str] = NAMES, **fields: str) -> dict[str, str]:
    """The pad as a browser without script sends it: six rows, some of them empty."""
    sent = {
        "id": str(uuid4()), "club": "nantes", "played_on": "2026-11-28", "edition": "iello",
        "variant": "not-enough-for-everyone", "location": "", "notes": "", "first_seat": "", "played_at": "",
        "duration_minutes": "",
    }  # fmt: skip
    for number in range(1, 7):
        cheques, banknotes = rows[number - 1] if number <= len(rows) else ("", "")
        name = names[number - 1] if number <= len(rows) else ""
        sent |= {f"player-{number}": name, f"cheques-{number}": cheques, f"banknotes-{number}": banknotes}
    return sent | fields


def refused(browser: Client, sent: dict[str, str], **headers: str) -> str:
    answer = browser.post(LOG, sent, headers=headers)
    assert answer.status_code == 422, answer.content[:300]
    assert not Play.objects.exists()
    return answer.content.decode()


# ---- without script ---------------------------------------------------------------------------------


def test_a_reader_without_an_account_is_asked_to_log_in(client: Client, db: Any) -> None:
    answer = client.get(LOG)
    assert answer.status_code == 302
    assert answer["Location"].endswith("/accounts/login/?next=/log/")
    assert client.get("/log/data/").status_code == 401


def test_whoever_has_no_club_is_told_to_start_one(stranger: APIClient) -> None:
    assert "/clubs/new/" in page(signed_in(stranger), LOG)


def test_a_sheet_is_stored_by_a_plain_form(member: APIClient, club: Club) -> None:
    answer = signed_in(member).post(LOG, form(location="Chez Paul", first_seat="2", duration_minutes="25"))
    play = Play.objects.get()
    assert answer["Location"] == f"/plays/{play.pk}/"
    assert (play.variant, play.edition, play.recorder, play.first_seat) == (
        "not-enough-for-everyone", "iello", member.user, 2,
    )  # fmt: skip
    assert (play.location, play.duration_minutes, play.counts) == ("Chez Paul", 25, True)
    assert [(s.player.name, s.cheques, s.banknotes, s.rank) for s in play.seats.all()] == [
        ("Théo", 67, 4, 1), ("Marianne", 69, 2, 2), ("Guilaine", 55, 3, 3), ("Nicolas", 47, 6, 4),
    ]  # fmt: skip


def test_totals_alone_are_stored_by_a_plain_form_and_the_table_names_the_winner(member: APIClient, club: Club) -> None:
    totals = {f"total-{number}": text for number, text in enumerate(("71", "40+31", "58", "53"), start=1)}
    signed_in(member).post(LOG, form(**totals, only_totals="1", **{"won-2": "1"}))
    play = Play.objects.get()
    assert (play.level, play.decided_by, play.reported_winners) == ("total", "reported", [2])
    html = page(signed_in(member), f"/plays/{play.pk}/correct/")
    assert re.findall(r'name="won-(\d)" value="1" checked', html) == ["2"]


def test_a_form_that_is_sent_twice_is_stored_once(member: APIClient, club: Club) -> None:
    browser, sent = signed_in(member), form()
    assert browser.post(LOG, sent)["Location"] == browser.post(LOG, sent)["Location"]
    assert Play.objects.count() == 1


def test_sums_are_added_up_and_whole_hands_keep_their_cheques(member: APIClient, club: Club) -> None:
    rows = [("15+14+13+12+11+2+3", "4"), ("60", "2"), (" 40 + 15 ", "3"), ("53", "6")]
    signed_in(member).post(LOG, form(rows, variant="base"))
    seats = list(Play.objects.get().seats.all())
    assert [seat.cheques for seat in seats] == [70, 60, 55, 53]
    assert [seat.cheque_cards for seat in seats] == [[15, 14, 13, 12, 11, 2, 3], None, None, None]


@given(st.lists(st.integers(0, 999), min_size=1, max_size=8))
def test_a_sum_is_what_its_parts_add_up_to(parts: list[int]) -> None:
    assert sheet_form.sum_of(" + ".join(map(str, parts))) == sum(parts)


@pytest.mark.parametrize("text", ["", "49-46ish", "36, 42", "1++2", "1e3", "12.5", "x", "+", "１２"])
def test_what_is_no_sum_is_never_a_number(text: str) -> None:
    assert sheet_form.sum_of(text) is None


def test_what_cannot_be_read_is_said_at_its_seat_and_kept(member: APIClient, club: Club) -> None:
    html = refused(signed_in(member), form([("67", "4"), ("69ish", "2"), ("55", "3"), ("47", "6")]))
    row = html[html.index('data-seat="2"') : html.index('data-seat="3"')]
    assert "Write a whole number or a sum such as 15+12+0." in row
    assert 'value="69ish"' in row
    assert 'aria-invalid="true"' in row


def test_an_impossible_sheet_is_explained_and_stored_uncounted_only_when_accepted(
    member: APIClient, club: Club
) -> None:
    browser, sent = signed_in(member), form([("67", "4"), ("69", "2"), ("55", "3"), ("46", "6")])
    assert "The cheques add up to 237, 1 short of 238." in refused(browser, sent)
    assert "237, soit 1 de moins que 238." in refused(browser, sent, accept_language="fr")
    assert browser.post(LOG, sent | {"accept_findings": "1"}).status_code == 302
    assert Play.objects.get().counts is False


def test_a_wrong_date_and_a_name_twice_are_said_where_they_are(member: APIClient, club: Club) -> None:
    browser = signed_in(member)
    tomorrow = (timezone.now() + timedelta(days=2)).date().isoformat()
    assert "A play cannot be in the future" in refused(browser, form(played_on=tomorrow))
    assert "already sits in seat 1" in refused(browser, form(names=["Théo", "théo", "Guilaine", "Nicolas"]))
    assert "is for 3, 4, 5, 6 players" in refused(browser, form([("67", "4"), ("69", "2")]))


def test_nobody_logs_a_play_for_a_club_of_others(member: APIClient, stranger: APIClient, club: Club) -> None:
    other = Club.objects.create(slug="lyon", name="Lyon", visibility="private")
    html = refused(signed_in(member), form(club="lyon"))
    assert "There is no club lyon here for you." in html
    assert other.players.count() == 0


def test_lady_richmond_has_a_sheet_of_her_own(member: APIClient, club: Club) -> None:
    browser = signed_in(member)
    html = page(browser, LOG + "?game=lady-richmond", accept_language="fr")
    assert "Se fait plumer !" in html
    assert 'name="points-1"' in html
    assert 'name="cheques-1"' not in html
    sent = form([], edition="haba", variant="base")
    for number, (name, points) in enumerate([("Théo", "12"), ("Inès", "-3"), ("Paul", "7-2")], start=1):
        sent |= {f"player-{number}": name, f"points-{number}": points}
    assert browser.post(LOG + "?game=lady-richmond", sent).status_code == 302
    assert [(s.points, s.rank) for s in Play.objects.get().seats.all()] == [(12, 1), (-3, 3), (5, 2)]
    assert browser.get(LOG + "?game=chess").status_code == 404


def test_the_pad_knows_only_the_readers_own_clubs_and_their_players(
    owner: APIClient, member: APIClient, club: Club
) -> None:
    post(owner)
    other = Club.objects.create(slug="lyon", name="Lyon", visibility="public")
    Player.objects.create(club=other, name="Zora", name_key="zora")
    data = signed_in(member).get("/log/data/").json()
    assert data["user"] == "marcel"
    assert [one["slug"] for one in data["clubs"]] == ["nantes"]
    assert data["clubs"][0]["players"] == sorted(["Théo", "Marianne", "Guilaine"])
    assert data["clubs"][0]["tables"]["for-sale"]["players"] == ["Théo", "Marianne", "Guilaine"]


def test_more_clubs_and_plays_cost_no_more_queries(
    owner: APIClient, club: Club, public_club: Club, django_assert_num_queries: Any
) -> None:
    browser = signed_in(owner)
    post(owner)
    browser.get("/log/data/")
    with django_assert_num_queries(8):
        browser.get("/log/data/")
    post(owner, club="bristol")
    post(owner, played_on="2026-11-20")
    with django_assert_num_queries(8):
        browser.get("/log/data/")


# ---- what the page weighs and is -------------------------------------------------------------------


def test_the_pad_weighs_less_than_sixty_kilobytes(member: APIClient, club: Club) -> None:
    html = page(signed_in(member), LOG)
    asked = {*re.findall(r'(?:src|href)="/static/dashboard/([^"]+)"', html), "pad-worker.js"}
    assert {"pad.js", "pad.css", "site.css"} <= asked
    weight = sum(len(gzip.compress(Path(str(finders.find(f"dashboard/{name}"))).read_bytes(), 6)) for name in asked)
    weight += len(gzip.compress(html.encode(), 6))
    assert weight < 60_000, weight


def test_the_worker_keeps_every_file_the_page_asks_for(member: APIClient, club: Club) -> None:
    browser = signed_in(member)
    script = page(browser, "/log/worker.js")
    facts = json.loads(script[script.index("{") : script.index("};") + 1])
    asked = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page(browser, LOG)))
    assert asked <= set(facts["files"])
    assert facts["pages"] == ["/log/", "/log/?game=lady-richmond"]
    shown = browser.get("/log/manifest.webmanifest")
    assert shown["Content-Type"] == "application/manifest+json"
    assert shown.json()["scope"] == "/log/"


# ---- the script counts as the rules do --------------------------------------------------------------


def sheets(seed: int, number: int) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
    """Sheets of every edition, variant and count: dealt ones, those a little off, and nonsense."""
    print(f"seed {seed}")
    chance = Random(seed)
    kinds = [(e, v, n) for (e, v), counts in rules.GAMES["for-sale"].offers.items() for n in counts]
    for _ in range(number):
        edition, variant, players = chance.choice(kinds)
        numbers = for_sale.EDITIONS[edition]
        deck = list(numbers.cheques)
        chance.shuffle(deck)
        dealt = for_sale.cards_dealt(numbers, variant, players)
        sheet = []
        for seat in range(players):
            size = dealt // players if seat < players - 1 else dealt - seat * (dealt // players)
            hand, deck = deck[:size], deck[size:]
            off = chance.choice([0, 0, 0, 0, 0, 1, -1, 30, -30]) if chance.random() < 0.4 else 0
            notes = chance.choice([0, 0, 1, chance.randint(0, numbers.money[players] + 1)])
            sheet.append((max(0, sum(hand) + off), notes))
        yield edition, variant, sheet


SOUND = {"no-common-deal", "too-little-spent", "fits-other-set-aside"}
"""What the search for one common deal says of a sheet of the variant; no table holds that."""


def test_the_script_finds_what_the_rules_find_and_ranks_and_speaks_like_them(chromium: Any) -> None:
    tab = chromium.new_page()
    tab.add_script_tag(path=str(finders.find("dashboard/pad-sheet.js")))
    asked, due = [], []
    for edition, variant, sheet in sheets(seed=20261130, number=250):
        entries = [SeatEntry(cheques=cheques, banknotes=banknotes) for cheques, banknotes in sheet]
        score = rules.GAMES["for-sale"].score(edition=edition, variant=variant, seats=entries)
        names = [*NAMES, "Inès", "Hugo"]
        asked.append(
            {
                "table": sheet_tables.of_sheet(edition, variant, len(sheet)),
                "seats": [
                    {"cheques": c, "banknotes": b, "total": c + b, "tie": b, "name": names[i]}
                    for i, (c, b) in enumerate(sheet)
                ],
            }
        )
        due.append((variant, score))
    with translation.override("fr"):
        words = pad._words()
        answers = tab.evaluate(
            """([asked, says, words]) => asked.map(({table, seats}) => {
                const ranking = padSheet.rank(seats, "banknotes");
                const told = padSheet.tell(words, seats, ranking, true);
                return {findings: padSheet.audit(table, says, seats), ranking, told};
            })""",
            [asked, dict(score_sheet.SAYS), words],
        )
        impossible = 0
        for (variant, score), question, answer in zip(due, asked, answers, strict=True):
            found = [
                {"code": f.code, "severity": f.severity, "seats": list(f.seats), "detail": str(f.message)}
                for f in score.findings
            ]
            mine = [one | {"code": one["code"].removesuffix("-together")} for one in answer["findings"]]
            for one in mine:
                one["code"] = re.sub("^cheques-sum-.*", "cheques-sum", one["code"])
            if variant == "base" or not {one["code"] for one in found} & SOUND:
                assert mine == found, question
            else:
                assert not [one for one in mine if one["severity"] == "impossible"], question
            impossible += bool(mine)
            assert tuple(answer["ranking"]["ranks"]) == tuple(seat.rank for seat in score.seats), question
            assert answer["ranking"]["decidedBy"] == score.decided_by, question
            assert answer["told"] == told(question["seats"], score), question
        assert 30 < impossible < 220  # both kinds were asked


def piles(seed: int, number: int) -> Iterator[list[tuple[int, int | None]]]:
    """Lady Richmond's sheets: near the bounds of one seat and of all, with and without the largest collection."""
    print(f"seed {seed}")
    chance = Random(seed)
    for _ in range(number):
        wide = chance.choice([12, 12, 40, 90, 150])
        yield [
            (chance.randint(-wide // 3, wide), chance.choice([None, None, 0, 1, 3, chance.randint(2, 11)]))
            for _seat in range(chance.randint(2, 5))
        ]


def test_the_script_finds_what_the_rules_find_in_piles_of_objects(chromium: Any) -> None:
    tab = chromium.new_page()
    tab.add_script_tag(path=str(finders.find("dashboard/pad-sheet.js")))
    written = list(piles(seed=20261201, number=400))
    answers = tab.evaluate(
        "([table, says, sheets]) => sheets.map((seats) => padSheet.audit(table, says, seats))",
        [
            sheet_tables.of_points(), dict(lady_richmond.SAYS),
            [[{"points": p, "largest_category": c} for p, c in sheet] for sheet in written],
        ],
    )  # fmt: skip
    severities = Counter()
    for sheet, answer in zip(written, answers, strict=True):
        found = [
            {"severity": f.severity, "seats": list(f.seats), "detail": str(f.message)}
            for f in lady_richmond.audit([lady_richmond.Figures(points, most) for points, most in sheet])
        ]
        assert [{name: one[name] for name in ("severity", "seats", "detail")} for one in answer] == found, sheet
        severities[found[0]["severity"] if found else "fair"] += 1
    assert min(severities[name] for name in ("impossible", "unlikely", "fair")) > 20, severities


def test_the_script_lets_the_table_name_the_winner_of_a_tie_as_the_rules_do(chromium: Any) -> None:
    tab = chromium.new_page()
    tab.add_script_tag(path=str(finders.find("dashboard/pad-sheet.js")))
    for totals, named in [((80, 80, 78), ()), ((80, 80, 78), (2,)), ((80, 80, 80), (1, 3)), ((80, 79, 79), ())]:
        entries = [SeatEntry(total=total) for total in totals]
        score = rules.GAMES["for-sale"].score(edition="iello", variant="base", seats=entries, reported_winners=named)
        seats = [
            {"total": total, "tie": None, "won": seat in named, "name": NAMES[seat - 1]}
            for seat, total in enumerate(totals, start=1)
        ]
        ranking, says = tab.evaluate(
            """([seats, words]) => {
                const ranking = padSheet.rank(seats, "banknotes");
                return [ranking, padSheet.tell(words, seats, ranking, true)];
            }""",
            [seats, pad._words()],
        )
        assert ranking == {"ranks": [seat.rank for seat in score.seats], "decidedBy": score.decided_by}
        assert says == told(seats, score)


def told(seats: list[dict[str, Any]], score: rules.Score) -> list[str]:
    """Who won and why in the words of the other pages."""
    facts = {
        "game": "for-sale",
        "decided_by": score.decided_by,
        "seats": [
            {
                "player": {"name": asked["name"]}, "total": line.total, "banknotes": line.banknotes,
                "rank": line.rank, "is_winner": line.is_winner,
            }
            for asked, line in zip(seats, score.seats, strict=True)
        ],
    }  # fmt: skip
    if all(line.is_winner for line in score.seats) and score.decided_by == "total":
        return [sentences.win_headline(facts), ""]
    return [sentences.win_headline(facts), sentences.win_reason(facts)]


def test_the_scripts_sums_are_the_servers(chromium: Any) -> None:
    tab = chromium.new_page()
    tab.add_script_tag(path=str(finders.find("dashboard/pad-sheet.js")))
    texts = ["0", "15+12+0", " 40 + 15 ", "7-2", "-3", "−3", "12+", "1++2", "49-46ish", "36, 42", "12.5", "1e3", "x"]
    sums = "texts => texts.map((text) => padSheet.sumOf(text)).map((n) => (Number.isNaN(n) ? null : n))"
    answers = tab.evaluate(sums, texts)
    assert answers == [sheet_form.sum_of(text) for text in texts]


# ---- in a phone's browser ---------------------------------------------------------------------------


class Phone(Tab):
    """A signed-in phone."""

    def __init__(self, browser: Any, live_server: Any, user: Any, **options: Any) -> None:
        shape = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
        self.context = browser.new_context(**shape, **options)
        visitor = Client()
        visitor.force_login(user)
        session = visitor.cookies["sessionid"].value
        self.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        super().__init__(self.context, live_server.url)

    def pad(self, path: str = LOG) -> Any:
        page = self.open(path)
        page.wait_for_selector("#pad[data-ready]")
        return page

    def sit(self, *names: str) -> None:
        for name in names:
            self.page.tap(f"#recent button:text-is('{name}')")
        self.page.tap("#count")

    def write(self, rows: list[tuple[str, str]], delay: float = 0) -> None:
        for number, row in enumerate(rows, start=1):
            for figure, text in zip(("cheques", "banknotes"), row, strict=True):
                box = self.page.locator(f"[name={figure}-{number}]")
                box.tap()
                box.press_sequentially(text, delay=delay)

    def is_kept(self) -> bool:
        """Whether the device can open the pad without a network."""
        return bool(
            self.page.evaluate(
                "async () => navigator.serviceWorker.controller && (await caches.match('/log/')) && true || false"
            )
        )


@pytest.fixture
def played(owner: APIClient, club: Club) -> None:
    rows = [{"player": n, "cheques": int(c), "banknotes": int(b)} for n, (c, b) in zip(NAMES, FOUR, strict=True)]
    post(owner, seats=rows, variant="not-enough-for-everyone")
    Play.objects.update(played_on="2026-11-01")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en-GB", ("Théo wins", "Saved on this device", "Offline")),
        ("fr-FR", ("Théo gagne", "Enregistrée sur cet appareil", "Hors ligne")),
    ],
)
def test_a_game_of_four_is_logged_offline_in_twenty_seconds_and_arrives_once(
    chromium: Any, live_server: Any, played: None, member: APIClient, language: str, theme: str, says: Any
) -> None:
    phone = Phone(chromium, live_server, member.user, locale=language, color_scheme=theme)
    page = phone.pad()
    until(phone.is_kept)
    phone.context.set_offline(True)
    page = phone.pad()
    begun = timezone.now()
    page.wait_for_timeout(500)
    page.tap("#again")
    phone.write(FOUR, delay=150)  # a person's pace: some 150 ms a key, half a second to find the next button
    page.wait_for_timeout(500)
    page.tap("#save")
    page.wait_for_selector("#done:not([hidden])")
    took = (timezone.now() - begun).total_seconds()
    assert took < 20
    until(lambda: says[1] in page.inner_text("#done-state"))
    assert page.inner_text("#done-head") == says[0]
    assert says[2] in page.inner_text("#done [data-net]")
    assert Play.objects.count() == 1
    phone.pad()  # a reload, still offline: it waits on
    until(lambda: says[0] in page.inner_text("#queue"))
    phone.context.set_offline(False)
    until(lambda: Play.objects.count() == 2, 20)
    until(lambda: page.is_hidden("#queue"), 20)
    page.reload()
    page.wait_for_selector("#pad[data-ready]")
    page.wait_for_timeout(500)
    assert Play.objects.count() == 2
    play = Play.objects.latest("created_at")
    assert UUID(str(play.pk)).version == 7
    assert (play.recorder, play.variant) == (member.user, "not-enough-for-everyone")
    assert [(s.player.name, s.cheques, s.banknotes) for s in play.seats.all()] == [
        (name, int(c), int(b)) for name, (c, b) in zip(NAMES, FOUR, strict=True)
    ]
    assert Player.objects.count() == 4
    assert [line for line in phone.said if "ERR_INTERNET_DISCONNECTED" not in line and "failed:" not in line] == []


@pytest.mark.slow
def test_a_session_that_ended_loses_nothing(chromium: Any, live_server: Any, played: None, member: APIClient) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    phone.sit(*NAMES)
    phone.write([("70", "4"), ("60", "2"), ("55", "3"), ("53", "6")])
    session = phone.context.cookies()
    phone.context.clear_cookies()
    page.tap("#save")
    until(lambda: "Log in again to send it" in page.inner_text("#done-state"))
    assert Play.objects.count() == 1
    phone.context.add_cookies(session)
    phone.pad()
    until(lambda: Play.objects.count() == 2)
    until(lambda: page.is_hidden("#queue"))


@pytest.mark.slow
def test_a_sheet_that_only_the_server_sees_through_waits_to_be_mended(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    until(phone.is_kept)
    phone.context.set_offline(True)
    phone.sit(*NAMES)
    page.evaluate("document.querySelector('[name=played_on]').value = '2999-01-01'")
    phone.write([("70", "4"), ("60", "2"), ("55", "3"), ("53", "6")])
    page.tap("#save")
    page.wait_for_selector("#done:not([hidden])")
    phone.context.set_offline(False)
    until(lambda: "A play cannot be in the future" in page.inner_text("#done-state"))
    page.tap("#fix")
    page.tap("#back")
    page.fill("[name=played_on]", "2026-11-28")
    page.tap("#count")
    page.tap("#save")
    until(lambda: Play.objects.count() == 2)


@pytest.mark.slow
def test_the_pad_speaks_while_it_is_typed_on_and_a_draft_survives_a_reload(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    page.tap("#again")
    phone.write([("67", "4"), ("69", "2"), ("55", "3")])
    assert page.inner_text("#find") == "So far the cheques add up to 191 of 238."
    page.fill("[name=cheques-4]", "15+12+0+6+8+5")
    page.fill("[name=banknotes-4]", "6")
    assert "1 short of 238" in page.inner_text("#find")
    assert page.inner_text("#save") == "Save, not counted"
    assert page.inner_text("[data-seat='4'] .tt b") == "52"
    phone.pad()
    assert page.input_value("[name=cheques-4]") == "15+12+0+6+8+5"
    page.fill("[name=cheques-4]", "47")
    assert page.inner_text("#who") == "Théo wins, level at 71 with Marianne, more banknotes left: 4 against 2"
    assert page.inner_text("#save") == "Save the play"
    assert [line for line in phone.said if "/score/" not in line] == []  # asked as the page was left


@pytest.mark.slow
def test_totals_alone_are_logged_offline_with_the_winner_the_table_names(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    until(phone.is_kept)
    phone.context.set_offline(True)
    page = phone.pad()
    page.tap("#again")
    page.check("#only-totals")
    for number, text in enumerate(("71", "40+31", "58", "53"), start=1):
        page.fill(f"[name=total-{number}]", text)
    assert page.inner_text("#who") == "Théo and Marianne are level, level at 71; the tie-break was not written down"
    assert page.is_hidden("#won-3")
    page.check("#won-2")
    assert page.inner_text("#who") == "Marianne wins, level at 71; the table named the winner"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.pad()  # the draft knows it
    assert page.input_value("[name=total-2]") == "40+31"
    page.tap("#save")
    page.wait_for_selector("#done:not([hidden])")
    phone.context.set_offline(False)
    until(lambda: Play.objects.count() == 2, 20)
    play = Play.objects.latest("created_at")
    assert (play.level, play.decided_by, play.reported_winners) == ("total", "reported", [2])
    assert [seat.total for seat in play.seats.all()] == [71, 71, 58, 53]


@pytest.mark.slow
def test_lady_richmond_s_sheet_is_checked_without_a_network(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user, locale="fr-FR")
    page = phone.pad()
    until(phone.is_kept)
    phone.context.set_offline(True)
    page = phone.pad(f"{LOG}?game=lady-richmond")
    phone.sit(*NAMES[:2])
    page.fill("[name=points-1]", "147")
    assert "147" in page.inner_text("#find b")
    page.fill("[name=points-1]", "80")
    page.fill("[name=points-2]", "7")
    assert "87" in page.inner_text("#find b")
    assert "Peu vraisemblable" in page.inner_text("#find span")
    page.fill("[name=points-2]", "5")
    assert page.get_attribute("#find", "class") == "find ok"


@pytest.mark.slow
def test_the_keyboard_alone_logs_a_play_with_a_guest(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    page.focus("#new-player")
    for name in ("Théo", "marianne", "Zoé"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    assert page.inner_text("#new-says") == "New: Zoé becomes a guest of the club."
    page.focus("#count")
    page.keyboard.press("Enter")
    for text in ("85", "2", "83", "4", "70", "0"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "save"
    page.keyboard.press("Enter")
    until(lambda: Play.objects.count() == 2)
    play = Play.objects.latest("created_at")
    assert [s.player.name for s in play.seats.all()] == ["Théo", "Marianne", "Zoé"]
    until(lambda: "log of Nantes" in page.inner_text("#done-state"))
    assert page.inner_text("#done-rows tr:first-child").split() == ["1", "Marianne", "$83,000", "$4,000", "$87,000"]
    page.focus("#open")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/plays/{play.pk}/")


@pytest.mark.slow
@pytest.mark.parametrize("count", [5, 6])
def test_five_and_six_seats_stand_above_an_open_keyboard(
    chromium: Any, live_server: Any, played: None, member: APIClient, count: int
) -> None:
    phone = Phone(chromium, live_server, member.user)
    page = phone.pad()
    for name in ("Inès", "Hugo"):
        page.fill("#new-player", name)
        page.tap("#add")
    phone.sit(*NAMES[: count - 2])
    page.set_viewport_size({"width": 360, "height": 508})
    bottom = page.evaluate(f"document.querySelector(\"[data-seat='{count}']\").getBoundingClientRect().bottom")
    assert bottom <= 508
    boxes = page.evaluate("[...document.querySelectorAll('.box')].filter(b => b.offsetParent).map(b => b.offsetHeight)")
    assert len(boxes) == 2 * count
    assert min(boxes) >= 52
    phone.check()


@pytest.mark.slow
def test_a_pad_that_was_kept_since_yesterday_knows_what_day_it_is(
    chromium: Any, live_server: Any, played: None, member: APIClient
) -> None:
    phone = Phone(chromium, live_server, member.user, timezone_id="America/Lima")
    page = phone.pad()
    until(phone.is_kept)
    page.clock.install(time="2026-12-24T23:30:00Z")  # half past midnight in the club's Paris
    phone.context.set_offline(True)
    phone.pad()
    assert page.input_value("[name=played_on]") == "2026-12-25"


@pytest.mark.slow
def test_plain_http_is_said_to_work_with_a_network_only(chromium: Any, live_server: Any, member: APIClient) -> None:
    phone = Phone(chromium, live_server, member.user)
    phone.context.add_init_script("Object.defineProperty(globalThis, 'isSecureContext', {value: false})")
    page = phone.pad()
    assert page.is_visible("#insecure")
    assert settings.SECURE_CSP["script-src"] == ["'self'"]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state_of_the_pad(
    chromium: Any, live_server: Any, played: None, owner: APIClient, theme: str
) -> None:
    phone = Phone(chromium, live_server, owner.user, color_scheme=theme)
    tab = phone.page
    found: list[Any] = []

    def look(state: str) -> None:
        tab.evaluate(OPEN)
        tab.evaluate((VENDOR / "axe.min.js").read_text())
        found.extend([state, *each] for each in tab.evaluate(RUN))

    phone.pad()
    look("start")
    phone.sit(*NAMES)
    phone.write([("67", "4"), ("69x", "2"), ("55", "3"), ("15+12+0+6+8+5", "6")])
    look("not a number")
    tab.fill("[name=cheques-2]", "69")
    look("a finding")
    tab.fill("[name=cheques-4]", "47")
    look("finished")
    phone.context.set_offline(True)
    tab.tap("#save")
    tab.wait_for_selector("#done:not([hidden])")
    look("saved offline")
    tab.tap("#other")
    look("waiting")
    phone.context.set_offline(False)
    until(lambda: Play.objects.count() == 2)
    phone.pad(LOG + "?game=lady-richmond")
    phone.sit(*NAMES[:3])
    for number in (1, 2, 3):
        tab.fill(f"[name=points-{number}]", "12")
    look("lady richmond, level")
    phone.open("/log/record/")
    look("turn by turn, the table")
    for number, name in enumerate(NAMES[:3], start=1):
        tab.fill(f"[name=player-{number}]", name)
    tab.tap("button[value=begin]")
    for house in (8, 20, 28):
        tab.tap(f".cards label:has(input[value='{house}'])")
    look("houses")
    tab.tap("button[value=houses]")
    tab.tap("button[value=b3]")
    look("a bid")
    address = f"/plays/{Play.objects.latest('created_at').pk}/"
    phone.open(address)
    look("a play of one's own")
    phone.open(f"{address}correct/")
    look("correct")
    assert found == []

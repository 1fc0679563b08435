"""A bot is known by a hash of what it does, by which stored results are found again."""

from pathlib import Path

import pytest

from stats.bot_hashes import SOURCES, bot_hash, hashes_of
from stats.bots import BOTS
from stats.simulation import simulate
from stats.summary import Setting, Summary
from tests.test_kernel import SLUGS, copy_of_the_engine, edit, run_copy

ROOT = Path(__file__).parent.parent
TEXTS = {name: (ROOT / "stats" / f"{name}.py").read_text() for name in SOURCES}
HASHES = hashes_of(TEXTS)


def changed(module, old, new):
    """The bots whose hash is another one after this edit of a source."""
    assert TEXTS[module].count(old) == 1
    after = hashes_of({**TEXTS, module: TEXTS[module].replace(old, new)})
    return {bot for bot in HASHES if after[bot] != HASHES[bot]}


def test_each_bot_has_a_hash_of_its_own():
    assert list(HASHES) == list(BOTS)
    assert len(set(HASHES.values())) == len(BOTS)
    assert all(bot_hash(bot) == HASHES[bot] for bot in BOTS)
    assert bot_hash("Cautious@1a2b3c4d") == "Cautious@1a2b3c4d"


@pytest.mark.parametrize(
    ("module", "old", "new", "whose"),
    [
        ("bots", "min(6, view.banknotes)", "min(5, view.banknotes)", {"to-six", "planner"}),
        ("bots", "choice = stream.below(4)", "choice = stream.below(5)", {"coin-flip"}),
        ("bots", "spread * view.money // (8 *", "spread * view.money // (9 *", {"spread", "planner"}),
        ("bots", "later = view.gain, 8 * view", "later = view.gain, 7 * view", {"pacer", "planner"}),
        ("bots", "view.cheques[0] - 8) // 42", "view.cheques[0] - 8) // 40", {"pacer", "counter", "planner"}),
        ("bots", "return 3 * now - 512 *", "return 3 * now - 511 *", {"counter", "planner"}),
        ("bots", "0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5B7", {"random", "coin-flip", "to-six", "planner"}),
        ("bots", "- (0 if self.houseless else", "- (1 if self.houseless else", {"pacer", "counter", "planner"}),
        ("planning", "MOST_TRIES, LOOK, SURE = 64", "MOST_TRIES, LOOK, SURE = 32", {"planner"}),
        ("planning", '"counter")\nOWN', '"random")\nOWN', {"planner"}),
        ("planning", "!= (stake > 0)", "!= (stake > 1)", {"planner"}),
    ],
)
def test_a_changed_rule_of_a_bot_changes_its_hash_and_those_of_the_bots_that_play_on_with_it(module, old, new, whose):
    assert changed(module, old, new) == whose


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("bots", "    choice = stream.below(4)\n", "    # a coin\n    choice = stream.below(4)  # tossed\n"),
        ("bots", '    """Raise by 1 as long as the new bid is at most 6', '    """Raises by 1 up to 6'),
        ("bots", "Tosses a coin: passes", "Flips a coin: passes"),
        ("bots", "def bid_pacer(view: View, stream: Stream) -> int:", "def bid_pacer(view, stream):"),
        ("bots", "    money: int = 0\n", "    money: int = 0\n    weather: int = 0\n"),
        ("bots", "BOTS: Mapping", "def bid_new(view, stream):\n    return 7\n\n\nBOTS: Mapping"),
        ("bots", "    for bot in (\n", '    for bot in (\n        Bot("new", {}, {}, bid_to_six, sell_pacer),\n'),
        ("planning", "def bid(view: View", "# the bidding\ndef bid(view: View"),
    ],
)
def test_a_comment_a_description_or_a_bot_beside_it_changes_no_hash(module, old, new):
    assert not changed(module, old, new)


def test_a_hash_speaks_for_the_kernel_since_each_bot_is_compared_with_its_twin():
    """`test_a_table_of_one_bot_agrees_too` and the games of all kinds there; the planner's in its own file."""
    assert {*SLUGS, "planner"} == set(BOTS)


KEY = """
from stats.summary import Setting
print(*[Setting("for-sale", "iello", "base", 3, (bot, "spread", "spread"), 1).key for bot in ("to-six", "pacer")])
"""


def test_a_request_has_another_key_once_one_of_its_bots_is_another(tmp_path):
    copy_of_the_engine(tmp_path)
    before, _err = run_copy(tmp_path, tmp_path, KEY)
    edit(tmp_path / "stats" / "bots.py", "min(6, view.banknotes)", "min(5, view.banknotes)")
    after, _err = run_copy(tmp_path, tmp_path, KEY)
    same = [key == now for key, now in zip(before.split(), after.split(), strict=True)]
    assert same == [False, True]


def test_results_say_by_which_engine_edition_and_bots_they_were_made_and_go_on_saying_so():
    request = {"game": "for-sale", "player_count": 3, "bots": ["to-six", "random", "to-six"], "seed": 1}
    s = simulate(**request, games=10)
    results = s.as_dict()
    assert results["bot_hashes"] == {"to-six": bot_hash("to-six"), "random": bot_hash("random")}
    old = {**s.made_by, "bot_hashes": {"to-six": "0" * 16, "random": bot_hash("random")}}
    stored = Summary.from_bytes(Summary(s.setting, s.ranges, s.counts, old).to_bytes())
    assert stored.as_dict()["bot_hashes"]["to-six"] == "0" * 16
    with pytest.raises(ValueError, match="different simulations"):
        stored + simulate(**request, games=5, first_game=10)


def test_editions_of_the_same_numbers_have_the_same_hash_and_others_another():
    def made(edition):
        return Setting("for-sale", edition, "base", 3, ("random",) * 3, 1).made_by()["edition_hash"]

    assert made("eagle") == made("bga-down")
    assert len({made("iello"), made("eagle"), made("bga-up"), made("classic1997")}) == 4

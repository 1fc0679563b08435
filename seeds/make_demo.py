"""Makes the demo clubs (`demo-nantes.json`, `demo-bristol.json`): run `python seeds/make_demo.py`.

Every For Sale play is a whole game, played here by invented people under the rules of `forsale_api.rules` with a
fixed seed, and then written down as a club would: with every move, with the cheques, as a sheet, or as totals. Where
a play is to show something (a tie, a shared win) games are played until one does. Nantes plays the games of `games/`,
too. The files are the same each time.
"""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from forsale_api import rules  # noqa: E402
from forsale_api.rules import for_sale as fs  # noqa: E402

BASE, SHORT = fs.BASE, fs.NOT_ENOUGH
FIRST_EVENING, LAST_EVENING = date(2025, 6, 7), date(2026, 11, 28)

type Game = tuple[dict[str, Any], fs.State]


# ---- people who play --------------------------------------------------------------------------------


def play_game(rng: Random, edition: str, variant: str, players: int) -> Game:
    """A whole game as a record, and its final state. Each seat has a taste for money and a good eye or none."""
    numbers = fs.EDITIONS[edition]
    state = fs.setup(numbers, variant, players, rng.randint(1, players))
    aside = fs.cards_aside(numbers, variant, players)
    houses = rng.sample(range(1, numbers.houses + 1), numbers.houses - aside)
    cheques = rng.sample(numbers.cheques, len(numbers.cheques) - aside)
    tastes = [rng.uniform(0.7, 1.3) for _seat in range(players)]
    record: dict[str, Any] = {"first_seat": state.first_seat, "auctions": [], "sales": []}
    for size in state.sizes:
        table, houses = houses[:size], houses[size:]
        fs.apply(state, fs.RevealHouses(tuple(table)))
        record["auctions"].append({"houses": table, "actions": buy(rng, state, tastes)})
    while not fs.is_over(state):
        record["sales"].append(sell(rng, state, cheques))
    return record, state


def buy(rng: Random, state: fs.State, tastes: list[float]) -> list[dict[str, Any]]:
    """One buying round: everybody bids up to a limit of their own, higher where the houses differ much."""
    left = len(state.sizes) - state.buying_round
    spread = (state.houses[-1] - state.houses[0]) / state.edition.houses
    limits = [
        min(hand.banknotes, round(hand.banknotes / left * taste * (0.3 + 1.9 * spread) * rng.uniform(0.5, 1.6)))
        for hand, taste in zip(state.hands, tastes, strict=True)
    ]
    actions = []
    while state.houses:
        seat = state.turn
        least = fs.lowest_bid(state.highest_stake, state.seat(seat).stake, state.edition)
        if least <= limits[seat - 1]:
            stake = min(limits[seat - 1], least + rng.choice((0, 0, 0, 1, 1, 2)))
            fs.apply(state, fs.Bid(seat, stake))
            actions.append({"seat": seat, "bid": stake})
        else:
            fs.apply(state, fs.Pass(seat))
            actions.append({"seat": seat, "pass": True})
    return actions


def sell(rng: Random, state: fs.State, cheques: list[int]) -> dict[str, Any]:
    """One selling round, or the scoop: good houses for good cheques, with an eye that errs."""
    holders = state.holders
    if len(holders) == 1:
        shown = cheques[: len(state.seat(holders[0]).houses)]
        fs.apply(state, fs.RevealCheques(tuple(shown)))
        fs.apply(state, fs.Scoop(holders[0]))
        return {"cheques": shown, "scoop": holders[0]}
    shown = [cheques.pop() for _holder in holders]
    fs.apply(state, fs.RevealCheques(tuple(shown)))
    worth = sum(shown) / len(shown) / max(state.edition.cheques)
    offers = []
    for seat in holders:
        hand = sorted(state.seat(seat).houses)
        aim = min(max(worth + rng.gauss(0, 0.22), 0), 1)
        offers.append({"seat": seat, "house": hand[round(aim * (len(hand) - 1))]})
    for offer in offers:
        fs.apply(state, fs.Offer(offer["seat"], offer["house"]))
    return {"cheques": shown, "offers": offers}


# ---- what is to be shown ----------------------------------------------------------------------------


def decided_by(how: str) -> Callable[[rules.Score], bool]:
    return lambda score: score.decided_by == how


def anyhow(_score: rules.Score) -> bool:
    return True


def as_in_the_picture(score: rules.Score) -> bool:
    """Seats 1 and 4 level, seat 1 ahead by banknotes."""
    return score.decided_by == "banknotes" and score.winners == (1,) and score.seats[3].rank == 2


def a_game(rng: Random, kind: tuple[str, str, int], shows: Callable[[rules.Score], bool]) -> tuple[Game, rules.Score]:
    """Games until one shows what is wanted."""
    while True:
        game = play_game(rng, *kind)
        score = rules.game("for-sale").score(edition=kind[0], variant=kind[1], seats=(), record=game[0])
        if shows(score):
            return game, score


def written_down(game: Game, score: rules.Score, level: str, names: list[str]) -> dict[str, Any]:
    """The play as a club writes it down at that level."""
    if level == "record":
        return {"seats": [{"player": name} for name in names], "record": game[0]}
    figures: dict[str, Callable[[rules.SeatScore], dict[str, Any]]] = {
        "cards": lambda s: {"cheque_cards": list(s.cheque_cards or ()), "banknotes": s.banknotes},
        "sheet": lambda s: {"cheques": s.cheques, "banknotes": s.banknotes},
        "total": lambda s: {"total": s.total},
    }
    facts: dict[str, Any] = {
        "seats": [{"player": name, **figures[level](s)} for name, s in zip(names, score.seats, strict=True)]
    }
    if level == "total" and score.decided_by in ("banknotes", "shared"):
        facts["reported_winners"] = list(score.winners)
    return facts


# What the evenings of a club bring: (how often, edition, variant, players, level, what it shows).
NANTES = [
    (4, "iello", BASE, 3, "record", anyhow),
    (3, "iello", BASE, 4, "record", anyhow),
    (2, "iello", BASE, 5, "record", anyhow),
    (1, "iello", BASE, 6, "record", decided_by("shared")),
    (2, "iello", SHORT, 3, "record", anyhow),
    (2, "iello", SHORT, 4, "record", decided_by("banknotes")),
    (1, "iello", SHORT, 5, "record", anyhow),
    (1, "iello", SHORT, 6, "record", anyhow),
    (5, "iello", BASE, 4, "sheet", anyhow),
    (1, "iello", BASE, 4, "sheet", decided_by("shared")),
    (1, "iello", BASE, 3, "sheet", decided_by("banknotes")),
    (4, "iello", BASE, 5, "sheet", anyhow),
    (2, "iello", BASE, 6, "sheet", anyhow),
    (3, "iello", SHORT, 4, "sheet", anyhow),
    (2, "iello", SHORT, 5, "sheet", anyhow),
    (2, "iello", SHORT, 3, "cards", anyhow),
    (2, "iello", BASE, 3, "cards", anyhow),
    (2, "iello", BASE, 5, "total", anyhow),
    (1, "iello", BASE, 5, "total", decided_by("banknotes")),
]
BRISTOL = [
    (3, "iello", BASE, 3, "record", anyhow),
    (4, "iello", BASE, 4, "record", anyhow),
    (2, "iello", BASE, 5, "record", decided_by("banknotes")),
    (1, "iello", SHORT, 4, "record", anyhow),
    (1, "iello", SHORT, 5, "record", decided_by("shared")),
    (1, "eagle", BASE, 4, "record", anyhow),
    (1, "classic1997", BASE, 4, "record", anyhow),
    (3, "iello", BASE, 3, "sheet", anyhow),
    (4, "iello", BASE, 4, "sheet", anyhow),
    (3, "iello", BASE, 5, "sheet", anyhow),
    (3, "iello", BASE, 6, "sheet", anyhow),
    (2, "iello", SHORT, 3, "sheet", anyhow),
    (2, "iello", SHORT, 6, "sheet", anyhow),
    (2, "eagle", BASE, 5, "sheet", anyhow),
    (2, "eagle", SHORT, 4, "sheet", anyhow),
    (2, "iello", BASE, 4, "cards", anyhow),
    (2, "iello", BASE, 4, "total", anyhow),
    (1, "iello", BASE, 4, "total", decided_by("shared")),
]


# ---- clubs ------------------------------------------------------------------------------------------


def evenings(rng: Random, plays: int) -> Iterator[date]:
    """One Saturday for each play, spread over the year and a half, some Saturdays with two or three plays."""
    weeks = (LAST_EVENING - FIRST_EVENING).days // 7
    chosen = sorted(rng.randrange(weeks) for _play in range(plays))
    return (FIRST_EVENING + timedelta(weeks=week) for week in chosen)


def for_sale_plays(rng: Random, menu: list[tuple[Any, ...]], people: list[str]) -> list[dict[str, Any]]:
    courses = [course[1:] for course in menu for _time in range(course[0])]
    rng.shuffle(courses)
    plays = []
    for edition, variant, players, level, shows in courses:
        game, score = a_game(rng, (edition, variant, players), shows)
        names = rng.sample(people, players)
        facts = written_down(game, score, level, names)
        if level == "sheet" and rng.random() < 0.4:
            facts["first_seat"] = game[0]["first_seat"]
        plays.append({"game": "for-sale", "edition": edition, "variant": variant, **facts})
    return plays


def lady_richmond_play(rng: Random, people: list[str], figures: list[tuple[int, int | None]]) -> dict[str, Any]:
    names = rng.sample(people, len(figures))
    seats = [
        {"player": name, "points": points} | ({"largest_category": largest} if largest is not None else {})
        for name, (points, largest) in zip(names, figures, strict=True)
    ]
    return {"game": "lady-richmond", "edition": "haba", "variant": "base", "seats": seats}


def club(slug: str, name: str, zone: str, plays: list[dict[str, Any]], rng: Random) -> dict[str, Any]:
    """The club's file: each play as the body of a POST, and what must come out."""
    days = evenings(rng, len(plays))
    entries = []
    for number, (facts, day) in enumerate(zip(plays, days, strict=True), 1):
        played = {"played_on": day.isoformat()}
        if rng.random() < 0.6:
            played["played_at"] = f"{rng.randint(19, 22)}:{rng.choice(('00', '10', '15', '30', '45'))}"
        if rng.random() < 0.7:
            played["duration_minutes"] = rng.randrange(18, 45)
        body = {"club": slug, **played, **facts, "source": "demo", "source_id": f"{slug}-{number:03}"}
        entries.append({"body": body, "expected": expected(body)})
    return {"club": {"slug": slug, "name": name, "time_zone": zone}, "plays": entries}


def expected(body: dict[str, Any]) -> dict[str, Any]:
    """What must come out, as the rules see it; the tests hold it against a referee of their own."""
    names = rules.SeatEntry.__dataclass_fields__
    figures = [{k: tuple(v) if isinstance(v, list) else v for k, v in s.items() if k in names} for s in body["seats"]]
    score = rules.game(body["game"]).score(
        edition=body["edition"],
        variant=body["variant"],
        seats=[rules.SeatEntry(**seat) for seat in figures],
        record=body.get("record"),
        reported_winners=body.get("reported_winners", ()),
    )
    impossible = any(finding.severity == "impossible" for finding in score.findings)
    return {
        "level": score.level,
        "decided_by": score.decided_by,
        "winners": list(score.winners),
        "totals": [seat.total for seat in score.seats],
        "ranks": [seat.rank for seat in score.seats],
        "counts": body.get("counts", True) and not impossible,
    }


def nantes() -> dict[str, Any]:
    rng = Random("nantes")
    people = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul", "Inès", "Bastien", "Léa", "Yann"]
    plays = for_sale_plays(rng, NANTES, people)
    for path in sorted((HERE / "games").glob("*.json")):
        known = json.loads(path.read_text(encoding="utf-8"))
        facts = {name: known[name] for name in ("game", "edition", "variant", "record")}
        seats = [{"player": name} for name in known["players"]]
        plays.insert(rng.randrange(len(plays)), {**facts, "seats": seats, "notes": known["about"]["fr"]})
    plays[7] |= {"notes": "Les enchères sont montées très haut ce soir-là.", "location": "La Maison des jeux"}
    plays[11] |= {"counts": False, "not_counted_reason": "Partie d’initiation, expliquée en jouant"}
    plays.insert(14, lady_richmond_play(rng, people, [(21, 6), (21, 5), (17, 4)]))
    plays.insert(22, lady_richmond_play(rng, people, [(14, 5), (9, 4), (14, 5), (22, 7), (-2, 2)]))
    plays.insert(30, lady_richmond_play(rng, people, [(18, 5), (18, 5)]))
    table = ["Théo", "Marianne", "Guilaine", "Nicolas"]
    pad = {"game": "for-sale", "edition": "iello", "variant": SHORT}
    misread, right = [(67, 4), (69, 2), (55, 3), (46, 6)], [(67, 4), (69, 2), (55, 3), (47, 6)]
    for sheet, more in (
        (misread, {"accept_findings": True, "notes": "Un chèque mal lu ; personne ne sait plus lequel."}),
        (right, {}),
    ):
        seats = [{"player": n, "cheques": c, "banknotes": b} for n, (c, b) in zip(table, sheet, strict=True)]
        plays.append({**pad, "seats": seats, **more})
    game, score = a_game(rng, ("iello", BASE, 4), as_in_the_picture)
    last = written_down(game, score, "record", ["Marianne", "Guilaine", "Nicolas", "Paul"])
    plays.append({"game": "for-sale", "edition": "iello", "variant": BASE, **last})
    made = club("nantes", "Nantes", "Europe/Paris", plays, rng)
    made["plays"][-1]["body"].update(played_on=LAST_EVENING.isoformat(), played_at="21:10", duration_minutes=25)
    return made


def bristol() -> dict[str, Any]:
    rng = Random("bristol")
    people = ["Alice", "Ben", "Chloe", "Dev", "Erin", "Farid", "Grace", "Harry"]
    plays = for_sale_plays(rng, BRISTOL, people)
    plays[3] |= {"notes": "A quick one before the last train.", "location": "The Full Moon"}
    plays[9] |= {"counts": False, "not_counted_reason": "Two cards were found under the table afterwards"}
    plays.insert(12, lady_richmond_play(rng, people, [(11, 4), (24, 8), (16, 5), (8, 4)]))
    plays.insert(25, lady_richmond_play(rng, people, [(19, None), (26, None), (13, None)]))
    return club("bristol", "Bristol", "Europe/London", plays, rng)


def as_text(demo: dict[str, Any]) -> str:
    """JSON with one play on a line."""
    lines = ",\n".join(json.dumps(play, ensure_ascii=False, separators=(",", ":")) for play in demo["plays"])
    about = json.dumps(demo["club"], ensure_ascii=False)
    return f'{{"club": {about},\n"plays": [\n{lines}\n]}}\n'


CLUBS = {"demo-nantes.json": nantes, "demo-bristol.json": bristol}


if __name__ == "__main__":
    for name, make in CLUBS.items():
        (HERE / name).write_text(as_text(make()), encoding="utf-8")

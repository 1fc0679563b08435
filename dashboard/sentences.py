"""What a chart or a play says, in words, computed from the very numbers that are shown.

Sentences are English here and French in the catalogue. Scores and money are thousands of dollars;
only :func:`money` writes them out. Sentences with ``<b>`` are safe HTML built by ``format_html``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date as date_type
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from math import floor, log10
from typing import Any

from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from dashboard.figures import Words
from forsale_api.rules.for_sale import BASE, VARIANTS
from stats import distribution
from stats.bots import BOTS

type Distribution = Mapping[str, Any]
type Block = Mapping[str, Any]
type PlayFacts = Mapping[str, Any]

FEW_PLAYS = 20
"""Below this many plays a sentence says "so far", and the interval what may be."""

MEASURES = ("total", "winning_total", "margin", "banknotes")


def in_language(names: Mapping[str, str]) -> str:
    """The name of a game, edition, variant or bot in the language of the reader.

    Pages write the apostrophe of print where the rules, and with them the API, have that of typewriters.
    """
    return (names.get((get_language() or "en")[:2]) or names["en"]).replace("'", "’")


def bot_name(slug: str) -> str:
    """The name of a bot in the language of the reader; its slug where no such bot plays any more."""
    return in_language(BOTS[slug].names) if slug in BOTS else slug


# ---- numbers as people write them -------------------------------------------------------------------


def whole(number: int) -> str:
    """A whole number with its thousands apart: 10,000,000 or 10 000 000."""
    return formats.number_format(number, decimal_pos=0, use_l10n=True, force_grouping=True)


def decimal(number: float, digits: int = 1) -> str:
    """A number with this many digits behind the decimal sign of the language."""
    rounded = Decimal(f"{number:.{digits}f}")  # Django cuts digits off, it does not round
    return formats.number_format(rounded, decimal_pos=digits, use_l10n=True, force_grouping=True).replace("-", "−")


def money(thousands: int) -> str:
    """Thousands of dollars written out: $13,000 or 13 000 $."""
    amount = _("$%(amount)s") % {"amount": whole(abs(thousands) * 1000)}
    return f"−{amount}" if thousands < 0 else amount


def percent(share: float, digits: int = 0) -> str:
    """A share between 0 and 1 as per cent: 62 %."""
    return _("%(value)s %%") % {"value": decimal(100 * share, digits)}


def day(date: date_type) -> str:
    """28 November 2026."""
    return formats.date_format(date, "j F Y")


def short_day(date: date_type) -> str:
    """28 Nov 26, where there is little room."""
    return formats.date_format(date, "j M y")


def moment(time: datetime) -> str:
    """28 November 2026, 21:41, in the reader's time zone as far as it is known."""
    return formats.date_format(timezone.localtime(time), "j F Y, H:i")


def number(value: int) -> str:
    """A small number in words, as a sentence wants it: three."""
    words = {
        1: _("one"),
        2: _("two"),
        3: _("three"),
        4: _("four"),
        5: _("five"),
        6: _("six"),
        7: _("seven"),
        8: _("eight"),
        9: _("nine"),
        10: _("ten"),
    }
    return words.get(value) or whole(value)


def _rough_percent(share: float) -> str:
    """A share of few games: whole per cents, one digit more below one per cent."""
    return percent(share, 1 if 0 < share < 0.01 else 0)


def number_of_games(games: int) -> str:
    """10 billion games, 10 million games, 500,000 games."""
    if games >= 1_000_000_000 and games % 100_000_000 == 0:
        billions = games / 1_000_000_000
        text = decimal(billions, 0 if billions == int(billions) else 1)
        return ngettext("%(billions)s billion games", "%(billions)s billion games", int(billions)) % {"billions": text}
    if games >= 1_000_000 and games % 100_000 == 0:
        millions = games / 1_000_000
        text = decimal(millions, 0 if millions == int(millions) else 1)
        return ngettext("%(millions)s million games", "%(millions)s million games", int(millions)) % {"millions": text}
    return ngettext("%(games)s game", "%(games)s games", games) % {"games": whole(games)}


def number_of_plays(plays: int) -> str:
    """138 plays."""
    return ngettext("%(plays)s play", "%(plays)s plays", plays) % {"plays": whole(plays)}


def number_of_players(players: int) -> str:
    """4 players."""
    return ngettext("%(players)s player", "%(players)s players", players) % {"players": players}


def names(people: Sequence[str]) -> str:
    """Théo, Marianne and Guilaine."""
    if len(people) < 2:
        return "".join(people)
    return _("%(first)s and %(last)s") % {"first": ", ".join(people[:-1]), "last": people[-1]}


def chart_words() -> Words:
    """The words of :mod:`dashboard.figures` in the language of the reader."""
    return Words(
        recorded=_("recorded"),
        simulated=_("simulated"),
        players=_("%(count)d players"),
        bar=_("%{customdata[0]}: %{customdata[1]} of %{customdata[2]} (%{y:.1f} %)"),
        step=_("simulated, %{customdata[0]}: %{y:.1f} %"),
        below=_("under %(score)d"),
        above=_("%(score)d and more"),
        between=_("%(low)d to %(high)d"),
        percent=_("%(value)d %%"),
        percent_suffix=_(" %"),
        strip=_("%(who)s: nine in ten from %(p05)d to %(p95)d, half from %(p25)d to %(p75)d"),
        decided=ways(),
        decided_bar=_("%{customdata[0]}: %{customdata[1]} of %{customdata[2]} plays (%{x:.2f} %)"),
        mean_price=_("mean price, simulated"),
        mean_cheque=_("mean cheque, simulated"),
        house=_("house %(house)d"),
        deal=_("%{customdata[0]}, house %{customdata[1]}: paid %{customdata[2]}, cheque %{customdata[3]}"),
        house_axis=_("House"),
        position_axis=_("Position from the opener of the first auction"),
        whisker=_("%(who)s, position %(position)d: %(share)s, 95 %% interval %(low)s to %(high)s, n = %(n)s"),
        price=_("mean price"),
        cheque=_("mean cheque"),
        house_point=_("house %(house)d, %(what)s: %(mean)s, n = %(n)s"),
        wins=_("%(who)s: %(share)s of %(n)s plays, 95 %% interval %(low)s to %(high)s"),
        luck=_("%(who)s: luck alone gives %(share)s"),
        from_zero=_("%(what)s: %(value)s, 95 %% interval %(low)s to %(high)s"),
        rated=_("%(day)s: %(value)s, 95 %% interval %(low)s to %(high)s"),
        months=tuple(_("J F M A M J J A S O N D").split()),
        month_bar=_("%(month)s: %(plays)s plays"),
        decimal=decimal,
        day=day,
        short_day=short_day,
        separators=_(".,"),
    )


def ways() -> dict[str, str]:
    """The ways a game is decided, as labels."""
    return {
        "total": _("by the total"),
        "banknotes": _("level, by the banknotes left"),
        "largest_category": _("level, by the largest collection"),
        "shared": _("level to the end, shared"),
        "reported": _("level, winner named by the table"),
        "unknown": _("level, not known further"),
    }


def measures() -> dict[str, str]:
    """The measures of a distribution, as titles with their unit in words."""
    return {
        "total": _("Final totals"),
        "winning_total": _("Winning totals"),
        "margin": _("Winners’ margins"),
        "banknotes": _("Banknotes left"),
    }


def explained(measure: str) -> str:
    """The line under the head of the grid: what is measured, of whom, in which unit and step."""
    return {
        "total": _(
            "Final totals (cheques and banknotes) of every seat, in thousands of dollars; share of scores "
            "per step of five."
        ),
        "winning_total": _(
            "Final total of the winner of each game, in thousands of dollars; share of games per step of five."
        ),
        "margin": _(
            "Best total minus the next, in thousands of dollars, 0 when level; share of games per step of two."
        ),
        "banknotes": _(
            "Banknotes left at the end, one a thousand dollars, of every seat; share of seats per step of two."
        ),
    }[measure]


def variant_says(variant: str) -> str:
    """What a variant changes, in one line."""
    if variant == "not-enough-for-everyone":
        return _("One house fewer than players: the first to pass takes the whole stake back and gets none.")
    return _("One house each in every auction.")


# ---- distributions ----------------------------------------------------------------------------------


def grid_heading(measure: str, cells: Sequence[tuple[int, Block | None, Block | None]], variant_name: str) -> str:
    """What a row of the grid says: how the median moves with the number of players.

    ``cells`` are ``(player_count, recorded block, simulated block)``, fewest players first. Recorded
    medians speak where there are at least two of them, else simulated ones, and the sentence says so.
    """
    for place, simulated in ((0, False), (1, True)):
        columns = [(players, blocks[place]) for players, *blocks in cells]
        medians = [(players, block[measure]["median"]) for players, block in columns if block and block[measure]["n"]]
        if len(medians) > 1:
            return _trend(measure, medians, variant_name, simulated=simulated)
    for place, simulated in ((1, False), (2, True)):
        for players, *blocks in cells:
            block = blocks[place - 1]
            if block and block[measure]["n"]:
                return _alone(measure, players, block, simulated=simulated)
    return _("No scores for these filters yet")


def _trend(measure: str, medians: Sequence[tuple[int, float]], variant_name: str, *, simulated: bool) -> str:
    (few, first), (many, last) = medians[0], medians[-1]
    values = [median for _count, median in medians]
    falling = all(a > b for a, b in pairwise(values))
    said = {
        "few": number(few),
        "first": decimal(first, 0),
        "many": number(many),
        "last": decimal(last, 0),
        "variant": in_sentence(variant_name),
        "measure": measures()[measure],
    }
    if measure == "total" and falling and simulated:
        return (
            _(
                "The more players, the less for each: simulated, %(variant)s, the median falls from %(first)s "
                "with %(few)s players to %(last)s with %(many)s"
            )
            % said
        )
    if measure == "total" and falling:
        return (
            _(
                "The more players, the less for each: in the %(variant)s the median falls from %(first)s with "
                "%(few)s players to %(last)s with %(many)s"
            )
            % said
        )
    if simulated:
        return (
            _(
                "%(measure)s, simulated, %(variant)s: the median is %(first)s with %(few)s players and %(last)s "
                "with %(many)s"
            )
            % said
        )
    return _("%(measure)s, %(variant)s: the median is %(first)s with %(few)s players and %(last)s with %(many)s") % said


def in_sentence(name: str) -> str:
    """A variant's name in the middle of a sentence; the base game is no proper name."""
    if name in VARIANTS[BASE].values():
        return name[:1].lower() + name[1:]
    return _("“%(name)s”") % {"name": name}


def _alone(measure: str, players: int, block: Block, *, simulated: bool) -> str:
    quantiles = block[measure]["quantiles"]
    said = {"players": number(players), "low": quantiles["p25"], "high": quantiles["p75"]}
    if simulated:
        return _("With %(players)s players half of all simulated games lie between %(low)s and %(high)s") % said
    return {
        "total": _("With %(players)s players half of all scores lie between %(low)s and %(high)s"),
        "winning_total": _("With %(players)s players half of all winners have between %(low)s and %(high)s"),
        "margin": _("With %(players)s players half of all games are won by %(low)s to %(high)s"),
        "banknotes": _("With %(players)s players half of all seats keep %(low)s to %(high)s banknotes"),
    }[measure] % said


def cell_heading(measure: str, recorded: Block | None, simulated: Block | None, *, narrowed: bool) -> SafeString:
    """The sentence over one cell. ``narrowed`` says that filters leave plays out that may exist."""
    if recorded and recorded[measure]["n"]:
        few = recorded["plays"] < FEW_PLAYS
        template = _few_says(measure) if few else _half_says(measure)
        d = recorded[measure]
        return format_html(
            template,
            low=d["quantiles"]["p25"],
            high=d["quantiles"]["p75"],
            n=whole(d["n"]),
        )
    if recorded is not None:
        if narrowed:
            return format_html("{}", _("No play matches these filters yet"))
        return format_html("{}", _("No club has played this yet"))
    if simulated and simulated[measure]["n"]:
        quantiles = simulated[measure]["quantiles"]
        return format_html(_half_simulated(measure), low=quantiles["p25"], high=quantiles["p75"])
    return format_html("{}", _("The first simulated games are on their way"))


def _half_says(measure: str) -> str:
    return {
        "total": _("Half of all scores lie between <b>{low}</b> and <b>{high}</b>"),
        "winning_total": _("Half of all winners have between <b>{low}</b> and <b>{high}</b>"),
        "margin": _("Half of all games are won by <b>{low}</b> to <b>{high}</b>"),
        "banknotes": _("Half of all seats keep <b>{low}</b> to <b>{high}</b> banknotes"),
    }[measure]


def _few_says(measure: str) -> str:
    return {
        "total": _("Half of the {n} scores so far lie between <b>{low}</b> and <b>{high}</b>"),
        "winning_total": _("Half of the {n} winners so far have between <b>{low}</b> and <b>{high}</b>"),
        "margin": _("Half of the {n} games so far were won by <b>{low}</b> to <b>{high}</b>"),
        "banknotes": _("Half of the {n} seats so far kept <b>{low}</b> to <b>{high}</b> banknotes"),
    }[measure]


def _half_simulated(measure: str) -> str:
    return {
        "total": _("Half of all simulated scores lie between <b>{low}</b> and <b>{high}</b>"),
        "winning_total": _("Half of all simulated winners have between <b>{low}</b> and <b>{high}</b>"),
        "margin": _("Half of all simulated games are won by <b>{low}</b> to <b>{high}</b>"),
        "banknotes": _("Half of all simulated seats keep <b>{low}</b> to <b>{high}</b> banknotes"),
    }[measure]


def cell_note(measure: str, recorded: Block | None, simulated: Block | None) -> str:
    """The words under one cell: the median, how sure it is, and where the simulated one lies."""
    has_simulated = bool(simulated and simulated[measure]["n"])
    if not (recorded and recorded[measure]["n"]):
        return _simulated_note(simulated[measure]) if simulated and has_simulated else ""
    d = recorded[measure]
    median, interval = d["median"], d["median_interval"]
    said: dict[str, Any] = {"median": median, "plays": number_of_plays(recorded["plays"])}
    if interval is None:
        note = _("Median %(median)s of %(plays)s, too few for an interval.") % said
        if simulated and has_simulated:
            note += " " + _("Simulated %(median)s.") % {"median": simulated[measure]["median"]}
        return note
    said |= {"low": interval[0], "high": interval[1]}
    if not (simulated and has_simulated):
        return _("Median %(median)s, 95 %% interval %(low)s to %(high)s.") % said
    said["simulated"] = simulated[measure]["median"]
    if recorded["plays"] < FEW_PLAYS:
        return (
            _(
                "Only %(plays)s: the median, %(median)s here, may lie anywhere from %(low)s to %(high)s. "
                "Simulated %(simulated)s."
            )
            % said
        )
    if interval[0] <= said["simulated"] <= interval[1]:
        return (
            _("Median %(median)s, 95 %% interval %(low)s to %(high)s; simulated %(simulated)s, within the interval.")
            % said
        )
    said["gap"] = abs(median - said["simulated"])
    if median > said["simulated"]:
        return (
            _("Median %(median)s, 95 %% interval %(low)s to %(high)s; %(gap)s above the simulated %(simulated)s.")
            % said
        )
    return _("Median %(median)s, 95 %% interval %(low)s to %(high)s; %(gap)s below the simulated %(simulated)s.") % said


def _simulated_note(d: Distribution) -> str:
    quantiles = d["quantiles"]
    said = {"median": d["median"], "low": quantiles["p25"], "high": quantiles["p75"]}
    return _("Simulated median %(median)s, half between %(low)s and %(high)s.") % said


def empty_helps(players: int, *, narrowed: bool) -> str:
    """What to do about an empty cell."""
    if narrowed:
        return _("Widen the filters, or log a play with %(players)s players.") % {"players": number(players)}
    return _("The first play with %(players)s players fills this chart.") % {"players": number(players)}


def mean(d: Distribution) -> str:
    """A mean with its standard error, no more digits than the error allows."""
    if d["mean"] is None:
        return "–"
    if not d["se"]:
        return decimal(d["mean"], 1)
    digits = min(3, max(0, -floor(log10(d["se"]))))
    return f"{decimal(d['mean'], digits)} ± {decimal(d['se'], digits)}"


def interval(bounds: Sequence[float]) -> str:
    """An interval in a table: 52 to 67."""
    return _("%(low)s to %(high)s") % {"low": bounds[0], "high": bounds[1]}


def winners_heading(blocks: Iterable[Block], *, simulated: bool) -> str:
    """What it takes to win, said for the block that knows most games."""
    known = [block for block in blocks if block["winning_total"]["n"]]
    if not known:
        return _("What it takes to win")
    block = max(known, key=lambda one: one["plays"])
    d = block["winning_total"]
    said = {"median": d["median"], "players": number(block["player_count"]), "high": d["quantiles"]["p75"]}
    if simulated:
        return (
            _(
                "Simulated, with %(players)s players, half of all games are won with %(median)s or less, three "
                "quarters with %(high)s or less"
            )
            % said
        )
    return (
        _(
            "With %(players)s players half of all games are won with %(median)s or less, three quarters "
            "with %(high)s or less"
        )
        % said
    )


def decided_heading(blocks: Iterable[Block], *, simulated: bool) -> str:
    """How often the best totals are level, with its interval, said for the block that knows most games."""
    known = [block for block in blocks if sum(block["decided_by"].values())]
    if not known:
        return _("How games were decided")
    block = max(known, key=lambda one: sum(one["decided_by"].values()))
    games = sum(block["decided_by"].values())
    level = games - block["decided_by"].get("total", 0)
    share = distribution.share(level, games)
    said = {"players": number(block["player_count"]), "games": number_of_games(games)}
    if simulated:
        said["share"] = percent(share["value"], 1)
        return _("With %(players)s players %(share)s of simulated games end level at the top") % said
    said |= {name: _rough_percent(share[key]) for name, key in (("share", "value"), ("low", "low"), ("high", "high"))}
    return (
        _(
            "With %(players)s players %(share)s of games ended level at the top (%(games)s, 95 %% interval "
            "%(low)s to %(high)s)"
        )
        % said
    )


def share_interval(share: Mapping[str, Any], digits: int = 0) -> str:
    """A share's interval in a table: 24 to 53 %."""
    if share["low"] is None:
        return "–"
    return _("%(low)s to %(high)s") % {
        "low": decimal(100 * share["low"], digits),
        "high": percent(share["high"], digits),
    }


def month(text: str) -> str:
    """November 2026, from 2026-11."""
    return formats.date_format(date_type.fromisoformat(f"{text}-01"), "F Y")


# ---- positions and houses ----------------------------------------------------------------------------


def _seats_apart(positions: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the intervals of best and worst position do not meet."""
    shares = sorted((row["win_share"] for row in positions), key=lambda share: share["value"])
    return bool(shares[-1]["low"] > shares[0]["high"])


def position_says(recorded: Block | None, simulated: Block | None, *, narrowed: bool) -> str:
    """The sentence over a cell of positions, only as sure as the intervals allow."""
    if recorded and recorded["plays"]:
        if _seats_apart(recorded["positions"]):
            return positions_heading(recorded["positions"])
        said = {"plays": number_of_plays(recorded["plays"])}
        return _("No position wins more often than another, as far as %(plays)s can tell") % said
    if recorded is not None and narrowed:
        return _("No play matches these filters yet")
    if recorded is not None and not simulated:
        return _("No play says who opened yet")
    if simulated:
        return _("Simulated: %(says)s") % {"says": positions_heading(simulated["positions"])}
    return _("The first simulated games are on their way")


def positions_page_heading(cells: Sequence[tuple[int, Block | None, Block | None]]) -> str:
    """What the place at the table is worth, said for the cell where it is worth most."""
    best: tuple[float, int, bool, Sequence[Mapping[str, Any]]] | None = None
    for players, recorded, simulated in cells:
        for block, is_simulated in ((recorded, False), (simulated, True)):
            if block and block["plays"] and _seats_apart(block["positions"]):
                values = [row["win_share"]["value"] for row in block["positions"]]
                gap = (max(values) - min(values), players, is_simulated, block["positions"])
                if best is None or (best[2], -best[0]) > (is_simulated, -gap[0]):
                    best = gap
    if best is None:
        return _("No position at the table is known to be better than another")
    _gap, players, is_simulated, positions = best
    said = {"players": number(players), "says": positions_heading(positions)}
    said["says"] = said["says"][:1].lower() + said["says"][1:]
    if is_simulated:
        return _("Simulated, with %(players)s players: %(says)s") % said
    return _("With %(players)s players %(says)s") % said


def house_note(recorded: Block | None) -> str:
    """What the recorded houses stand on."""
    if recorded is None or not recorded["plays"]:
        return _("No play with a full record matches these filters yet: the points are still to come.")
    few = recorded["plays"] < FEW_PLAYS
    said = {"plays": number_of_plays(recorded["plays"])}
    if few:
        return _("Points: %(plays)s with a full record, few yet; whiskers are 95 %% intervals.") % said
    return _("Points: %(plays)s with a full record; whiskers are 95 %% intervals.") % said


# ---- players and clubs -------------------------------------------------------------------------------


def leaders_heading(rows: Sequence[Mapping[str, Any]]) -> str:
    """Who wins most, and whether that is more than luck gives."""
    if not rows:
        return _("Nobody has played enough for this board yet")
    first = rows[0]
    share = first["win_share"]
    said = {
        "who": first["player"]["name"],
        "share": percent(share["value"]),
        "plays": number_of_plays(first["plays"]),
        "luck": percent(first["expected_share"]),
    }
    if share["low"] > first["expected_share"]:
        return _("%(who)s leads with %(share)s of %(plays)s won, more than the %(luck)s of luck") % said
    return _("%(who)s leads with %(share)s of %(plays)s won; luck alone gives %(luck)s and may explain it") % said


def shrinkage(lucky_plays: int) -> str:
    """How the order of a leader board allows for few plays."""
    return _(
        "The order allows for few plays: everybody is ranked as if %(n)s more plays had gone as luck has it, so that "
        "one lucky evening does not lead. The whisker is what is known of the true share, the small line what luck "
        "alone would give at these tables."
    ) % {"n": number(lucky_plays)}


def fewest_plays(fewest: int, shown: int) -> str:
    """Which threshold applies."""
    players = ngettext("%(n)s player", "%(n)s players", shown) % {"n": whole(shown)}
    return _("%(players)s with at least %(plays)s.") % {"players": players, "plays": number_of_plays(fewest)}


def player_heading(name: str, results: Sequence[Mapping[str, Any]]) -> str:
    """How often a player wins, over everything that is shown, against luck."""
    plays = sum(block["plays"] for block in results)
    if not plays:
        return _("No play of %(who)s matches these filters") % {"who": name}
    credit = sum(block["win_share"]["value"] * block["plays"] for block in results)
    luck = sum(block["plays"] / block["player_count"] for block in results) / plays
    share = distribution.share(credit, plays)
    said = {
        "who": name,
        "share": percent(share["value"]),
        "plays": number_of_plays(plays),
        "low": decimal(100 * share["low"], 0),
        "high": percent(share["high"]),
        "luck": percent(luck),
    }
    return (
        _("%(who)s wins %(share)s of %(plays)s (95 %% interval %(low)s to %(high)s); luck alone gives %(luck)s") % said
    )


def rating_heading(points: Sequence[Mapping[str, Any]]) -> str:
    """The rating now, and how sure it is."""
    if not points:
        return _("No rating yet: the first counted play gives one")
    said = {name: decimal(points[-1][name], 1) for name in ("value", "low", "high")}
    said["plays"] = number_of_plays(len(points))
    return _("Rated %(value)s after %(plays)s, somewhere between %(low)s and %(high)s") % said


def placed_heading(placed: Mapping[str, int]) -> str:
    """Placed ahead and behind, named as such: these are no wins and losses."""
    return _("Placed ahead of others %(ahead)s times, behind %(behind)s times, level %(level)s times") % {
        name: whole(n) for name, n in placed.items()
    }


def activity_heading(months: Sequence[Mapping[str, Any]]) -> str:
    """The busiest month."""
    if not months:
        return _("Nothing logged yet")
    busiest = max(months, key=lambda row: row["plays"])
    said = {"month": month(busiest["month"]), "plays": number_of_plays(busiest["plays"])}
    if len(months) == 1:
        return _("%(plays)s in %(month)s") % said
    mean = sum(row["plays"] for row in months) / len(months)
    said["mean"] = decimal(mean, 0 if mean >= 10 else 1)
    return _("The busiest month was %(month)s with %(plays)s; the mean is %(mean)s a month") % said


def compare_heading(measure: str, first: Block | None, second: Block | None) -> str:
    """The difference of two means, and whether it may be chance. The two are taken as independent."""
    a, b = (block[measure] if block else None for block in (first, second))
    if not a or not b or not a["n"] or not b["n"]:
        return _("One side has no plays yet")
    gap = a["mean"] - b["mean"]
    if a["se"] is None or b["se"] is None:
        return _("Too few plays to compare: the means are %(gap)s apart") % {"gap": decimal(abs(gap))}
    spread = distribution.Z * (a["se"] ** 2 + b["se"] ** 2) ** 0.5
    digits = 1 if spread >= 0.1 else 3
    said = {
        "measure": measures()[measure],
        "gap": decimal(abs(gap), digits),
        "low": decimal(gap - spread, digits),
        "high": decimal(gap + spread, digits),
    }
    if abs(gap) <= spread:
        return (
            _("%(measure)s: the means are %(gap)s apart, which may be chance (95 %% interval %(low)s to %(high)s)")
            % said
        )
    if gap > 0:
        return _("%(measure)s: the mean of A is %(gap)s higher (95 %% interval %(low)s to %(high)s)") % said
    return _("%(measure)s: the mean of A is %(gap)s lower (95 %% interval %(low)s to %(high)s)") % said


# ---- simulations ------------------------------------------------------------------------------------


def progress(games_done: int, games: int, *, running: bool) -> str:
    """62 % of 10 million games, still running."""
    said = {"share": percent(games_done / games if games else 0), "games": number_of_games(games)}
    if games_done >= games:
        return _("%(games)s, finished") % said
    if running:
        return _("%(share)s of %(games)s, still running") % said
    return _("%(share)s of %(games)s, waiting") % said


def pace(games_per_second: float | None, eta_seconds: float | None) -> str:
    """3.1 million games per second, about 20 seconds left."""
    parts = []
    if games_per_second:
        if games_per_second >= 1_000_000:
            rate = _("%(rate)s million games per second") % {"rate": decimal(games_per_second / 1_000_000)}
        else:
            rounded = int(round(games_per_second, -3)) if games_per_second >= 10_000 else int(games_per_second)
            rate = _("%(rate)s games per second") % {"rate": whole(rounded)}
        parts.append(rate)
    if eta_seconds:
        parts.append(_time_left(eta_seconds))
    return ", ".join(parts)


def _time_left(seconds: float) -> str:
    if seconds < 90:
        rounded = max(1, int(seconds)) if seconds < 10 else 5 * round(seconds / 5)
        return ngettext("about %(n)d second left", "about %(n)d seconds left", rounded) % {"n": rounded}
    if seconds < 5400:
        minutes = round(seconds / 60)
        return ngettext("about %(n)d minute left", "about %(n)d minutes left", minutes) % {"n": minutes}
    hours = round(seconds / 3600)
    return ngettext("about %(n)d hour left", "about %(n)d hours left", hours) % {"n": hours}


# ---- questions ----------------------------------------------------------------------------------------

MONEY_FIGURES = ("total", "winning_total", "margin", "banknotes")
"""Figures of a comparison in thousands of dollars; the others are shares of games."""


def difference_names() -> dict[str, str]:
    """The figures that two simulations are compared by."""
    return {
        "total": _("Mean total of a player"),
        "winning_total": _("Mean total of the winner"),
        "margin": _("Mean lead of the winner"),
        "banknotes": _("Mean banknotes left"),
        "tied": _("Games level at the top"),
        "shared": _("Wins that are shared"),
        "opener_wins": _("Wins of the opener"),
    }


def outcomes() -> dict[str, str]:
    """How simulated games end, as labels."""
    return {**ways(), "tied": _("level at the top")}


def question_measure(slug: str) -> str:
    """The line under the head of a question's charts: what is measured, in which unit."""
    return {
        "house-worth": _("Mean price paid and mean cheque fetched by house, in thousands of dollars."),
        "position": _(
            "Share of wins by position, a shared win split; whiskers are 95 %% intervals, the dashed line an equal "
            "share."
        ),
        "ties": _("Share of games whose best totals are level, and how they are decided."),
        "tie-break": _(
            "Of the games that a position ends level with others at the top: its wins less those that a lot would "
            "give it, in per cent; whiskers are 95 %% intervals."
        ),
        "rounding": _(
            "What changes when half a refund of whole banknotes is rounded up instead of down, by number of players; "
            "whiskers are 95 %% intervals."
        ),
        "variant": _(
            "What changes from the base game to “Not enough for everyone”, by number of players; whiskers are 95 %% "
            "intervals."
        ),
    }[slug] % {}


def question_heading(slug: str, blocks: Sequence[Block]) -> str:
    """What the charts of a question say all together; nothing as long as there is no answer."""
    known = [block for block in blocks if block["rows"]]
    if not known:
        return ""
    if len(known) == 1:
        return str(known[0]["sentence"]).rstrip(".")
    if slug == "position":
        return positions_page_heading(
            [(block["player_count"], None, {"plays": block["games"], "positions": block["rows"]}) for block in known]
        )
    if slug == "tie-break":
        return _tie_break_heading(known)
    first = [block for block in known if block["variant"] == known[0]["variant"]]
    if len(first) == 1:  # nothing to compare it with yet
        return str(first[0]["sentence"]).rstrip(".")
    fewest, most = first[0], first[-1]
    between = {"fewest": number(fewest["player_count"]), "most": number(most["player_count"])}
    if slug == "house-worth":
        costs = [max(row["price"]["mean"] or 0 for row in block["rows"]) for block in (fewest, most)]
        between |= {"high": hundreds(costs[0]), "low": hundreds(costs[1])}
        return _("The dearest house costs %(high)s with %(fewest)s players and %(low)s with %(most)s") % between
    if slug == "ties":
        tied = [_row(block, "outcome", "tied")["share"]["value"] for block in (fewest, most)]
        between |= {"first": percent(tied[0], 1), "second": percent(tied[1], 1)}
        return (
            _("%(first)s of games with %(fewest)s players end level at the top, %(second)s of those with %(most)s")
            % between
        )
    changes = [_row(block, "figure", "total")["difference"] for block in (fewest, most)]
    between |= {name: hundreds(change, signed=True) for name, change in zip(("first", "second"), changes, strict=True)}
    if slug == "rounding":
        return (
            _("Rounding up changes the mean total by %(first)s with %(fewest)s players and by %(second)s with %(most)s")
            % between
        )
    return (
        _("The variant changes the mean total by %(first)s with %(fewest)s players and by %(second)s with %(most)s")
        % between
    )


def _row(block: Block, name: str, value: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(row for row in block["rows"] if row[name] == value)
    return found


def _tie_break_heading(blocks: Sequence[Block]) -> str:
    """Said for the position that gains most."""
    gains = [
        (row["gain"]["mean"], row["gain"]["se"], block["player_count"], row["position"])
        for block in blocks
        for row in block["rows"]
        if row["gain"]["se"]
    ]
    sure = [gain for gain in gains if gain[0] > 3 * gain[1]]  # the best of some forty
    if not sure:
        return _("Nobody is known to gain by the tie-break")
    gain, _se, players, position = max(sure)
    said = {"position": position, "players": number(players), "gain": decimal(100 * gain, 1)}
    return (
        _("With %(players)s players position %(position)s gains most: of 100 ties it wins %(gain)s more than by lot")
        % said
    )


def hundreds(thousands: float, *, signed: bool = False) -> str:
    """Whole hundreds of dollars, as the language writes them: $5,100, +$700."""
    amount = _("$%(amount)s") % {"amount": whole(round(abs(thousands) * 10) * 100)}
    sign = "−" if thousands < 0 else "+" if signed else ""
    return f"{sign}{amount}"


def decided_by(block: Block) -> dict[str, int]:
    """How many games of a block of the question of ties were decided by what."""
    shares = {row["outcome"]: row["share"] for row in block["rows"] if row["outcome"] != "tied"}
    return {outcome: round(share["value"] * share["n"]) for outcome, share in shares.items()}


def ties_say(blocks: Sequence[Block]) -> str:
    """The sentence over the ties of one variant."""
    known = [block for block in blocks if block["rows"]]
    if not known:
        return _("The first simulated games are on their way")
    return decided_heading(
        [{"player_count": block["player_count"], "decided_by": decided_by(block)} for block in known], simulated=True
    )


def question_source(answer: Mapping[str, Any]) -> str:
    """Under the charts of a question: who played, how many games, how sure."""
    blocks = answer["results"]
    said = {
        "bot": bot_name(answer["filters"]["bot"]),
        "games": number_of_games(sum(block["games"] for block in blocks)),
        "engine": answer["engine"],
        "mean": hundreds(answer["se_limits"]["mean"]) if answer["se_limits"]["mean"] >= 0.1 else
        _("$%(amount)s") % {"amount": whole(round(answer["se_limits"]["mean"] * 1000))},
        "share": percent(answer["se_limits"]["share"], 2),
    }  # fmt: skip
    return (
        _(
            "Simulated: %(bot)s in every seat, %(games)s in all, seed 1, random opener, engine %(engine)s. Played "
            "until no standard error of a mean is above %(mean)s and none of a share of games above %(share)s."
        )
        % said
    )


def number_of_deals(deals: int) -> str:
    """12,000 deals."""
    return ngettext("%(deals)s deal", "%(deals)s deals", deals) % {"deals": whole(deals)}


def price_source(answer: Mapping[str, Any]) -> str:
    """Under the charts of a fair price."""
    said = {
        "bot": bot_name(answer["table"]["bot"]),
        "deals": number_of_deals(answer["deals"]),
        "engine": answer["engine"],
        "limit": hundreds(answer["se_limit"]),
    }
    return (
        _(
            "Simulated: %(bot)s plays everything that you did not say, %(deals)s, each once for every price and once "
            "for passing, seed 1, engine %(engine)s. Played until no standard error of a gain is above %(limit)s."
        )
        % said
    )


def price_says(answer: Mapping[str, Any]) -> str:
    """The fair price with its interval, where there is one."""
    value, se = answer["fair_price"], answer["fair_price_se"]
    if not value or se is None:
        return ""
    low, high = (hundreds(max(0.0, value + sign * 1.96 * se)) for sign in (-1, 1))
    return _("Fair price %(price)s, 95 %% interval %(low)s to %(high)s") % {
        "price": hundreds(value), "low": low, "high": high,
    }  # fmt: skip


def wins_by_price(rows: Sequence[Mapping[str, Any]]) -> str:
    """What taking does to the chance to win, at the lowest price."""
    if not rows:
        return _("Wins")
    least = rows[0]
    said = {"price": money(least["price"]), "wins": decimal(abs(100 * least["win_gain"]), 1)}
    if abs(least["win_gain"]) <= 1.96 * (least["win_se"] or 0):
        return _("Taking for %(price)s wins as many games as passing, as far as these deals can tell") % said
    if least["win_gain"] > 0:
        return _("Taking for %(price)s wins %(wins)s more of 100 games than passing") % said
    return _("Taking for %(price)s wins %(wins)s fewer of 100 games than passing") % said


def positions_compared(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> str:
    """What the opener wins in two simulations; only as sure as the intervals allow."""
    a, b = (rows[0]["win_share"] for rows in (first, second)) if first and second else (None, None)
    if not (a and b and a["n"] and b["n"]):
        return _("Positions at the table")
    said = {"a": percent(a["value"], 1), "b": percent(b["value"], 1)}
    if a["low"] > b["high"] or b["low"] > a["high"]:
        return _("The opener wins %(a)s in A and %(b)s in B") % said
    return _("The opener wins %(a)s in A and %(b)s in B: no difference that these games can tell") % said


def houses_compared(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> str:
    """What the dearest house costs in two simulations."""
    a, b = (max((row["price"]["mean"] or 0 for row in rows), default=0) for rows in (first, second))
    if not a or not b:
        return _("What a house is worth")
    return _("The dearest house costs %(a)s in A and %(b)s in B") % {"a": hundreds(a), "b": hundreds(b)}


# ---- leagues ----------------------------------------------------------------------------------------


def league_words() -> Words:
    """The words of the figure of wins, of bots and games."""
    return replace(chart_words(), wins=_("%(who)s: %(share)s of %(n)s games, 95 %% interval %(low)s to %(high)s"))


def league_heading(rows: Sequence[Mapping[str, Any]], fair: float) -> str:
    """Who wins most, only as sure as the intervals allow."""
    if not rows:
        return _("The first round is on its way")
    best = rows[0]
    said = {"bot": bot_name(best["bot"]), "share": percent(best["win_share"]["value"], 1), "fair": percent(fair, 1)}
    low = (best["lead"] or {}).get("low")
    if low is not None and low > 0:
        said["next"] = bot_name(rows[1]["bot"])
        return _("%(bot)s wins most: %(share)s of its games, where %(fair)s is fair, clearly ahead of %(next)s") % said
    return _("%(bot)s wins %(share)s of its games, where %(fair)s is fair; nobody is clearly ahead") % said


def league_source(run: Any, table: Mapping[str, Any]) -> str:
    """Under the table of a league."""
    said = {
        "rounds": whole(table["rounds"]),
        "all": whole(run.rounds),
        "games": number_of_games(table["games"]),
        "seed": run.seed,
        "engine": table["engine"],
    }
    return (
        _(
            "Simulated: %(rounds)s of %(all)s rounds, %(games)s, seed %(seed)s, engine %(engine)s. Each deal is played "
            "from every seat; ratings are those of Luce’s choice model, 1500 on average, intervals over rounds."
        )
        % said
    )


def line_up(bots: Sequence[str]) -> str:
    """*Coin flip* in every seat, or the bots in seat order."""
    if len(set(bots)) == 1:
        return _("%(bot)s in every seat") % {"bot": bot_name(bots[0])}
    return names([bot_name(bot) for bot in bots])


def bots_at_table(bots: Sequence[str]) -> dict[int, str]:
    """What each seat's bot is called at the table, by seat: where a name sits twice, its seat tells which."""
    return {
        seat: f"{bot_name(bot)}\u00a0{seat}" if bots.count(bot) > 1 else bot_name(bot)
        for seat, bot in enumerate(bots, start=1)
    }


def bots_by_seat(bots: Sequence[str]) -> dict[int, str]:
    """The same where there is no room for a whole name: the seat comes first."""
    return {seat: f"{seat} {bot_name(bot)}" for seat, bot in enumerate(bots, start=1)}


def simulated_source(*, bots: Sequence[str], games: int, seed: int, engine: str) -> str:
    """Where simulated figures beside others come from."""
    return _("Simulated: %(bots)s, %(games)s, seed %(seed)s, engine %(engine)s.") % {
        "bots": line_up(bots),
        "games": number_of_games(games),
        "seed": seed,
        "engine": engine,
    }


def simulation_heading(results: Mapping[str, Any]) -> str:
    """What the totals of a simulation say."""
    d = results["overall"]["total"]
    said = {"low": d["quantiles"]["p25"], "high": d["quantiles"]["p75"], "median": d["median"]}
    return _("Half of all scores lie between %(low)s and %(high)s, the median is %(median)s") % said


def positions_heading(positions: Sequence[Mapping[str, Any]]) -> str:
    """What the place at the table is worth, only as sure as the intervals allow."""
    best = max(positions, key=lambda row: row["win_share"]["value"])
    worst = min(positions, key=lambda row: row["win_share"]["value"])
    if best["win_share"]["low"] <= worst["win_share"]["high"]:
        return _("No position wins more often than another, as far as these games can tell")
    return _("Position %(best)s wins %(most)s of games, position %(worst)s only %(least)s") % {
        "best": best["position"],
        "most": percent(best["win_share"]["value"], 1),
        "worst": worst["position"],
        "least": percent(worst["win_share"]["value"], 1),
    }


def houses_heading(houses: Sequence[Mapping[str, Any]]) -> str:
    """Which house gains most on average, and what the highest costs and fetches."""
    known = [row for row in houses if row["price"]["n"] and row["cheque"]["n"]]
    if not known:
        return _("What a house is worth")
    best = max(known, key=lambda row: row["cheque"]["mean"] - row["price"]["mean"])
    top = known[-1]
    said = {
        "best": best["house"],
        "gain": decimal(best["cheque"]["mean"] - best["price"]["mean"]),
        "top": top["house"],
        "price": decimal(top["price"]["mean"]),
        "cheque": decimal(top["cheque"]["mean"]),
    }
    if best is top:
        return _("House %(best)d gains most, %(gain)s on average: it costs %(price)s and fetches %(cheque)s") % said
    return (
        _("House %(best)d gains most, %(gain)s on average; house %(top)d costs %(price)s and fetches %(cheque)s") % said
    )


# ---- plays ------------------------------------------------------------------------------------------


def _name(seat: Mapping[str, Any]) -> str:
    name: str = seat["player"]["name"]
    return name


def _winners(play: PlayFacts) -> list[Mapping[str, Any]]:
    return [seat for seat in play["seats"] if seat["is_winner"]]


def win_headline(play: PlayFacts, *, with_total: bool = False) -> str:
    """Who won: Théo wins; Inès and Hugo share the win.

    ``play`` has ``decided_by`` and per seat ``player.name``, ``total``, ``banknotes``, ``rank`` and
    ``is_winner``, as the API gives it. ``with_total`` adds the winning total as money.
    """
    winners = _winners(play)
    said = {"who": names([_name(seat) for seat in winners]), "total": _total(play, winners[0]["total"])}
    if play["decided_by"] == "unknown":
        return (_("%(who)s are level on %(total)s") if with_total else _("%(who)s are level")) % said
    if len(winners) > 1:
        return (_("%(who)s share the win on %(total)s") if with_total else _("%(who)s share the win")) % said
    return (_("%(who)s wins on %(total)s") if with_total else _("%(who)s wins")) % said


def _total(play: PlayFacts, total: int) -> str:
    return money(total) if play["game"] == "for-sale" else _("%(points)s points") % {"points": total}


def win_reason(play: PlayFacts) -> str:
    """Why: level at 87, more banknotes left: 4 against 2. Begins in lower case, without a full stop."""
    winners = _winners(play)
    best = winners[0]
    rest = [seat for seat in play["seats"] if not seat["is_winner"]]
    level = [seat for seat in rest if seat["total"] == best["total"]]
    said: dict[str, Any] = {"total": best["total"], "with": names([_name(seat) for seat in level])}
    match play["decided_by"]:
        case "banknotes":
            said |= {"more": best["banknotes"], "less": max(seat["banknotes"] for seat in level)}
            return _("level at %(total)s with %(with)s, more banknotes left: %(more)s against %(less)s") % said
        case "largest_category":
            said |= {"more": best["largest_category"], "less": max(seat["largest_category"] for seat in level)}
            return _("level at %(total)s with %(with)s, larger collection: %(more)s against %(less)s") % said
        case "shared":
            if best.get("banknotes") is None:
                return _("level at %(total)s, and in the tie-break too") % said
            said["banknotes"] = best["banknotes"]
            return (
                ngettext(
                    "level at %(total)s, and %(banknotes)s banknote each",
                    "level at %(total)s, and %(banknotes)s banknotes each",
                    best["banknotes"],
                )
                % said
            )
        case "reported":
            return ngettext(
                "level at %(total)s; the table named the winner",
                "level at %(total)s; the table named the winners",
                len(winners),
            ) % said  # fmt: skip
        case "unknown":
            return _("level at %(total)s; the tie-break was not written down") % said
    second = max(seat["total"] for seat in rest)
    said |= {
        "ahead": best["total"] - second,
        "second": names([_name(seat) for seat in rest if seat["total"] == second]),
    }
    return _("highest total, %(ahead)s ahead of %(second)s") % said


def summary(play: PlayFacts, *, title: str, place_and_date: str, deals: str = "") -> str:
    """A play as text to share: what, where and when, the places, why, the best deals."""
    lines = [title, place_and_date, ""]
    for seat in sorted(play["seats"], key=lambda one: (one["rank"], one["seat"])):
        line = f"{seat['rank']}. {_name(seat)}, {_total(play, seat['total'])}"
        if seat.get("banknotes") is not None:
            line += ", " + ngettext("%(n)d banknote", "%(n)d banknotes", seat["banknotes"]) % {"n": seat["banknotes"]}
        lines.append(line)
    return "\n".join([*lines, "", sentence(win_reason(play)), *([sentence(deals)] if deals else [])])


def sentence(text: str) -> str:
    """A phrase as a sentence: a capital first, a full stop last."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def auctions_heading(purchases: Sequence[Mapping[str, Any]]) -> str:
    """Who paid the most for one house.

    ``purchases`` are rows ``{"auction", "player", "house", "paid"}``; house is None where the variant
    leaves a seat without one.
    """
    most = max((row["paid"] for row in purchases if row["house"]), default=0)
    dearest = [row for row in purchases if row["house"] and row["paid"] == most]
    if most == 0:
        return _("Nobody paid for a house")
    said = {"paid": money(most)}
    if len(dearest) == 1:
        row = dearest[0]
        said |= {"who": row["player"], "house": row["house"], "auction": row["auction"]}
        return _("%(who)s paid the most for one house: %(paid)s for %(house)s in auction %(auction)s") % said
    said["houses"] = names(
        [_("%(house)s (%(who)s)") % {"house": row["house"], "who": row["player"]} for row in dearest]
    )
    return _("The most paid for one house was %(paid)s: for %(houses)s") % said


def sales_heading(cheques: Sequence[tuple[str, int]]) -> str:
    """Who sold best. ``cheques`` are ``(player, sum of cheques)``."""
    ordered = sorted(cheques, key=lambda entry: -entry[1])
    best = ordered[0][1]
    first = [name for name, total in ordered if total == best]
    rest = [entry for entry in ordered if entry[1] < best]
    said = {"who": names(first), "cheques": money(best)}
    if not rest:
        return _("%(who)s sold equally well: %(cheques)s in cheques each") % said
    said |= {"next": names([name for name, total in rest if total == rest[0][1]]), "less": money(rest[0][1])}
    if len(first) > 1:
        return _("%(who)s sold best: %(cheques)s in cheques each, %(next)s %(less)s") % said
    return _("%(who)s sold best: %(cheques)s in cheques, %(next)s %(less)s") % said


def best_deals(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The deals with the largest gain, all of them when they are level."""
    most = max((row["cheque"] - row["paid"] for row in rows), default=0)
    return [row for row in rows if row["cheque"] - row["paid"] == most]


def deals_heading(rows: Sequence[Mapping[str, Any]]) -> str:
    """The best deals by name. ``rows`` are ``{"house", "player", "paid", "cheque"}``."""
    best = best_deals(rows)
    gain = best[0]["cheque"] - best[0]["paid"]
    if len(best) == 1:
        row = best[0]
        return _("Best deal: house %(house)s of %(who)s, paid %(paid)s and sold for %(cheque)s") % {
            "house": row["house"],
            "who": row["player"],
            "paid": money(row["paid"]),
            "cheque": money(row["cheque"]),
        }
    said = {
        "number": number(len(best)),
        "gain": money(gain),
        "houses": names([_("%(house)s (%(who)s)") % {"house": row["house"], "who": row["player"]} for row in best]),
    }
    return sentence(_("%(number)s deals gained %(gain)s each: houses %(houses)s") % said).removesuffix(".")


def change_says(action: str, who: str) -> str:
    """One line of a play's history: Guilaine corrected the play."""
    said = {"who": who or _("a former member")}
    return {
        "created": _("%(who)s recorded the play"),
        "changed": _("%(who)s corrected the play"),
        "deleted": _("%(who)s deleted the play"),
        "restored": _("%(who)s restored the play"),
    }[action] % said

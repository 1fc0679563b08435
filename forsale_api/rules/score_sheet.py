"""The score sheet of For Sale: reading it, and the audit (can any legal game have produced it?)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations

from .for_sale import BASE, NOT_ENOUGH, Edition, State, round_sizes
from .messages import Message, RuleError, ShapeError
from .messages import gettext_noop as _
from .scoring import Finding, Level, SeatEntry, check_figure


@dataclass(frozen=True, slots=True)
class Figures:
    """One seat's sheet, completed as far as it goes; `cheques` and `banknotes` are known together or not at all."""

    total: int
    cheques: int | None = None
    banknotes: int | None = None
    cheque_cards: tuple[int, ...] | None = None

    @property
    def level(self) -> Level:
        """How much this seat tells."""
        if self.cheque_cards is not None:
            return "cards"
        return "total" if self.cheques is None else "sheet"


def read_sheet(seats: Sequence[SeatEntry]) -> tuple[Figures, ...]:
    """Complete every seat: cheque cards give the cheques; any two of cheques, banknotes and total the third.

    Raises ShapeError `figure-missing` or `figure-of-another-game`, RuleError `figure-out-of-range`,
    `cheques-contradict-cards`, `total-contradicts-figures`, `total-too-small`; places are ("seats", i, figure).
    """
    return tuple(_read_seat(entry, index) for index, entry in enumerate(seats))


def read_final_state(state: State) -> tuple[Figures, ...]:
    """The sheet of a replayed game."""
    return tuple(
        Figures(sum(hand.cheques) + hand.banknotes, sum(hand.cheques), hand.banknotes, tuple(sorted(hand.cheques)))
        for hand in state.hands
    )


def check_against(played: Sequence[Figures], seats: Sequence[SeatEntry]) -> None:
    """Hold figures given beside a record against it. Raises RuleError `figure-contradicts-record`."""
    for index, (figures, entry) in enumerate(zip(played, seats, strict=True)):
        _refuse_foreign_figures(entry, index)
        written = tuple(sorted(entry.cheque_cards)) if entry.cheque_cards is not None else None
        for name, value, due in (
            ("cheque_cards", written, figures.cheque_cards),
            ("cheques", entry.cheques, figures.cheques),
            ("banknotes", entry.banknotes, figures.banknotes),
            ("total", entry.total, figures.total),
        ):
            if value is not None and value != due:
                message = Message(
                    "figure-contradicts-record",
                    _("The record gives %(due)s for %(figure)s, not %(value)s."),
                    {"figure": name, "due": _plain(due), "value": _plain(value)},
                )
                raise RuleError(message, ("seats", index, name))


def _plain(value: int | tuple[int, ...] | None) -> object:
    return ", ".join(map(str, value[:12])) if isinstance(value, tuple) else value


def _read_seat(entry: SeatEntry, index: int) -> Figures:
    _refuse_foreign_figures(entry, index)
    for name, value in (("cheques", entry.cheques), ("banknotes", entry.banknotes), ("total", entry.total)):
        check_figure(name, value, ("seats", index, name))
    cheques = _cheques_of(entry, index)
    banknotes, total = entry.banknotes, entry.total
    if total is None:
        if cheques is None or banknotes is None:
            raise _missing(cheques, banknotes, index)
        return Figures(cheques + banknotes, cheques, banknotes, entry.cheque_cards)
    if cheques is None and banknotes is None:
        return Figures(total)
    cheques = total - (banknotes or 0) if cheques is None else cheques
    banknotes = total - cheques if banknotes is None else banknotes
    if min(cheques, banknotes) < 0:
        message = Message(
            "total-too-small",
            _("The total of %(total)s is less than a figure it contains."),
            {"total": total},
        )
        raise RuleError(message, ("seats", index, "total"))
    if cheques + banknotes != total:
        message = Message(
            "total-contradicts-figures",
            _("Cheques %(cheques)s and banknotes %(banknotes)s make %(sum)s, not %(total)s."),
            {"cheques": cheques, "banknotes": banknotes, "sum": cheques + banknotes, "total": total},
        )
        raise RuleError(message, ("seats", index, "total"))
    return Figures(total, cheques, banknotes, entry.cheque_cards)


def _cheques_of(entry: SeatEntry, index: int) -> int | None:
    if entry.cheque_cards is None:
        return entry.cheques
    for position, card in enumerate(entry.cheque_cards):
        check_figure("cheque_cards", card, ("seats", index, "cheque_cards", position))
    cheques = sum(entry.cheque_cards)
    check_figure("cheques", cheques, ("seats", index, "cheque_cards"))
    if entry.cheques is not None and entry.cheques != cheques:
        message = Message(
            "cheques-contradict-cards",
            _("The cheque cards add up to %(sum)s, not %(cheques)s."),
            {"sum": cheques, "cheques": entry.cheques},
        )
        raise RuleError(message, ("seats", index, "cheques"))
    return cheques


def _missing(cheques: int | None, banknotes: int | None, index: int) -> ShapeError:
    if cheques is None and banknotes is None:
        template = _("Give the cheques and the banknotes, or the total.")
        return ShapeError(Message("figure-missing", template), ("seats", index))
    absent, present = ("banknotes", "cheques") if banknotes is None else ("cheques", "banknotes")
    template = _("With %(present)s alone the fortune stays unknown: give %(absent)s or total too.")
    return ShapeError(
        Message("figure-missing", template, {"present": present, "absent": absent}), ("seats", index, absent)
    )


def _refuse_foreign_figures(entry: SeatEntry, index: int) -> None:
    for name, value in (("points", entry.points), ("largest_category", entry.largest_category)):
        if value is not None:
            template = _("For Sale has no %(figure)s.")
            raise ShapeError(Message("figure-of-another-game", template, {"figure": name}), ("seats", index, name))


# --- The audit: the game behind the sheet ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Deal:
    """What an audit needs to know of an edition, a variant and a number of players."""

    deck: tuple[int, ...]
    players: int
    money: int
    sizes: tuple[int, ...]
    """Houses of each buying round."""
    is_base: bool
    refund_rounds_up: bool
    equal_bid_allowed: bool

    @property
    def rounds(self) -> int:
        """Buying rounds; a seat gets at most one house, and so one cheque, for each."""
        return len(self.sizes)

    @property
    def dealt(self) -> int:
        """Houses in play, and cheques."""
        return sum(self.sizes)


@cache
def deal_of(edition: Edition, variant: str, players: int, aside: int | None = None) -> Deal:
    """The deal of an edition; `aside` stands in for the edition's own number of cards set aside."""
    if aside is not None:
        edition = replace(edition, variant_aside={**edition.variant_aside, players: aside})
    return Deal(
        edition.cheques,
        players,
        edition.money[players],
        round_sizes(edition, variant, players),
        variant == BASE,
        edition.refund_rounds_up,
        edition.equal_bid_allowed,
    )


@lru_cache(maxsize=4096)
def sums_of(deck: tuple[int, ...]) -> tuple[int, ...]:
    """For each n, the sums that n cards of the deck can have, as the bits of an integer."""
    sums = [1] + [0] * len(deck)
    for seen, card in enumerate(deck):
        for n in range(seen, -1, -1):
            sums[n + 1] |= sums[n] << card
    return tuple(sums)


def lowest(sums: int) -> int:
    """The least sum in a set of sums."""
    return (sums & -sums).bit_length() - 1


def highest(sums: int) -> int:
    """The greatest sum in a set of sums."""
    return sums.bit_length() - 1


def nearest(sums: int, wanted: int) -> int:
    """The sum in the set nearest to `wanted`, the greater of two."""
    above = sums >> max(wanted, 0)
    below = sums & ((1 << max(wanted, 0)) - 1)
    if not above:
        return highest(sums)
    up = max(wanted, 0) + lowest(above)
    return up if not below or up - wanted <= wanted - highest(below) else highest(below)


@cache
def fewest_bidding_rounds(players: int, sizes: tuple[int, ...]) -> Mapping[tuple[int, ...], int]:
    """House counts per seat that one game of the variant can give -> the fewest rounds with a bid it takes.

    In a round without a bid the seats pass in turn: the opener is left without a house (in a short round the
    next seat too), and the last seat, the one before the opener, opens the next round. A round with a bid may
    leave any seat without a house and any other as the last. What a bid makes possible is overestimated here,
    so a count that is missing, or takes more bids than were paid for, is impossible for certain.
    """
    seats = range(players)
    one = [1 << (8 * seat) for seat in seats]  # counts are packed, a byte a seat
    reached = {(opener, 0): 0 for opener in seats}
    for size in sizes:
        empty = players - size
        without_bid = [{(opener + i) % players for i in range(empty)} for opener in seats]
        with_bid = [
            (last, sum(one) - sum(one[seat] for seat in none))
            for none in combinations(seats, empty)
            for last in seats
            if last not in none
        ]
        after: dict[tuple[int, int], int] = {}
        for (opener, counts), bids in reached.items():
            gain = sum(one) - sum(one[seat] for seat in without_bid[opener])
            key = ((opener - 1) % players, counts + gain)
            after[key] = min(bids, after.get(key, bids))
            for last, gain in with_bid:
                key = (last, counts + gain)
                after[key] = min(bids + 1, after.get(key, bids + 1))
        reached = after
    fewest: dict[tuple[int, ...], int] = {}
    for (_opener, packed), bids in reached.items():
        houses = tuple(packed.to_bytes(players, "little"))
        fewest[houses] = min(bids, fewest.get(houses, bids))
    return fewest


# --- The audit: findings -----------------------------------------------------------------------------

SAYS: Mapping[str, str] = {
    "banknotes-above-dealt": _(
        "Seat %(seats)s has %(banknotes)s in banknotes, %(by)s more than the %(money)s it was dealt."
    ),
    "too-many-without-banknotes": _(
        "%(number)s seats have no banknote left, %(by)s more than possible: only the last seat of a buying "
        "round can spend its last banknote, and there are %(rounds)s rounds."
    ),
    "too-little-spent": _(
        "Every seat has spent something, so in %(rounds)s buying rounds one of them spent %(least)s or more "
        "by passing only; the others have not bid enough for that."
    ),
    "cheques-too-high": _(
        "The cheques of seat %(seats)s, %(value)s, are %(by)s more than possible; the most is %(limit)s."
    ),
    "cheques-too-high-together": _(
        "The cheques of seats %(seats)s add up to %(value)s, %(by)s more than possible (%(limit)s)."
    ),
    "cheques-too-low": _(
        "The cheques of seat %(seats)s, %(value)s, are %(by)s less than possible; the least is %(limit)s."
    ),
    "cheques-too-low-together": _(
        "The cheques of seats %(seats)s add up to %(value)s, %(by)s less than possible (%(limit)s)."
    ),
    "no-such-cheque-sum": _("No cheques add up to %(value)s; the nearest sum is %(nearest)s (seat %(seats)s)."),
    "cheques-sum-short": _("The cheques add up to %(value)s, %(by)s short of %(nearest)s."),
    "cheques-sum-over": _("The cheques add up to %(value)s, %(by)s more than %(nearest)s."),
    "fits-other-set-aside": _(
        "This fits only a game with %(other)s cards of each pile set aside; the rules say %(aside)s."
    ),
}
"""What is said of a sheet that has cheques and banknotes for each seat; `sheet_tables` hands these sentences on."""


def audit(figures: Sequence[Figures], *, edition: Edition, variant: str) -> tuple[Finding, ...]:
    """What no legal game under these rule numbers can produce, and by how much it is off.

    Exact for the base game: cheques pass if and only if they can be dealt (rules decision 5: the bounds of
    every group of seats, and the set of possible sums), and so do banknotes (see `_audit_banknotes`). In the
    variant a whole sheet is searched for a deal that gives it; the search gives up in the sheet's favour.

    Where a deal with another number of cards aside is a plausible reading of the booklet (5 players in the
    variant, decision 3), a sheet that only it allows is *unlikely*, not impossible.
    """
    players = len(figures)
    findings = _audit(figures, deal_of(edition, variant, players))
    other = edition.variant_aside_doubt.get(players) if variant == NOT_ENOUGH else None
    if not findings or other is None or _audit(figures, deal_of(edition, variant, players, other)):
        return findings
    params = {"other": other, "aside": edition.variant_aside[players]}
    every_seat = tuple(range(1, players + 1))
    message = Message("fits-other-set-aside", SAYS["fits-other-set-aside"], params)
    return (Finding("fits-other-set-aside", "unlikely", every_seat, message),)


@lru_cache(maxsize=4096)
def _audit_cached(figures: tuple[Figures, ...], deal: Deal) -> tuple[Finding, ...]:
    return (*_audit_banknotes(figures, deal), *_audit_cards(figures, deal), *_audit_cheques(figures, deal))


def _audit(figures: Sequence[Figures], deal: Deal) -> tuple[Finding, ...]:
    return _audit_cached(tuple(figures), deal)


def _finding(code: str, seats: Iterable[int], template: str, **params: object) -> Finding:
    """An impossibility; `seats` are indices from 0 here, numbers from 1 in the finding."""
    numbers = tuple(sorted(seat + 1 for seat in seats))
    params["seats"] = ", ".join(map(str, numbers))
    return Finding(code, "impossible", numbers, Message(code, template, params))


def _audit_banknotes(figures: Sequence[Figures], deal: Deal) -> list[Finding]:
    """At most what was dealt; and what seats can have spent when there are fewer buying rounds than seats.

    With as many rounds as seats anything goes: each seat is the last of one round, alone in bidding. With one
    round fewer, some seat is never the last of a round and spends by passing only. Where refunds round up, that
    leaves it at least one banknote; and what it loses is bounded by what the last seats staked (`_can_be_spent`).
    """
    known = [(seat, f.banknotes) for seat, f in enumerate(figures) if f.banknotes is not None]
    above = [
        _finding(
            "banknotes-above-dealt",
            (seat,),
            SAYS["banknotes-above-dealt"],
            banknotes=notes,
            by=notes - deal.money,
            money=deal.money,
        )
        for seat, notes in known
        if notes > deal.money
    ]
    if above or deal.rounds >= deal.players:
        return above
    without = [seat for seat, notes in known if not notes]
    if deal.refund_rounds_up and len(without) > deal.rounds:
        by = len(without) - deal.rounds
        params = {"number": len(without), "by": by, "rounds": deal.rounds}
        return [_finding("too-many-without-banknotes", without, SAYS["too-many-without-banknotes"], **params)]
    spent = sorted(deal.money - notes for _seat, notes in known)
    if len(spent) == deal.players and spent[0] and not _can_be_spent(spent, deal):
        params = {"rounds": deal.rounds, "least": spent[0]}
        return [_finding("too-little-spent", range(deal.players), SAYS["too-little-spent"], **params)]
    return []


def _can_be_spent(spent: Sequence[int], deal: Deal) -> bool:
    """Whether the seat that spent least can have lost it by passing below the others (every seat spent something).

    A seat that spent d and was last staked at most d; a passer staked less (in 1997 perhaps as much) and lost
    half of that. Each of the others is last once, so the sum of those halves is the most one passer can lose.
    For the money and the rounds of every edition on offer the passer can also reach it.
    """
    return spent[0] <= sum(lost_by_passing(below, deal) for below in spent[1:])


def lost_by_passing(below: int, deal: Deal) -> int:
    """The most that a passer can lose in a round whose last seat paid `below`."""
    stake = below if deal.equal_bid_allowed else below - 1
    return stake // 2 if deal.refund_rounds_up else (stake + 1) // 2


def _audit_cards(figures: Sequence[Figures], deal: Deal) -> list[Finding]:
    """Cheque cards against the deck: how often each exists, and how many a seat can have."""
    findings = []
    holders: dict[int, list[int]] = {}
    for seat, f in enumerate(figures):
        for card in f.cheque_cards or ():
            holders.setdefault(card, []).append(seat)
    for card, seats in sorted(holders.items()):
        exist = deal.deck.count(card)
        if not exist:
            template = _("There is no cheque of %(card)s.")
            findings.append(_finding("no-such-cheque-card", set(seats), template, card=card))
        elif len(seats) > exist:
            template = _("The cheque of %(card)s is there %(number)s times, %(by)s more than exist (%(exist)s).")
            params = {"card": card, "number": len(seats), "by": len(seats) - exist, "exist": exist}
            findings.append(_finding("cheque-card-too-often", set(seats), template, **params))
    counts = {seat: len(f.cheque_cards) for seat, f in enumerate(figures) if f.cheque_cards is not None}
    for seat, number in counts.items():
        if deal.is_base and number != deal.rounds:
            template = _("Every seat has %(due)s cheque cards in this game; seat %(seats)s is given %(number)s.")
            findings.append(_finding("wrong-number-of-cheque-cards", (seat,), template, number=number, due=deal.rounds))
        elif number > deal.rounds:
            template = _("No seat has more than %(due)s cheque cards in this game; seat %(seats)s is given %(number)s.")
            findings.append(_finding("too-many-cheque-cards", (seat,), template, number=number, due=deal.rounds))
    if findings or deal.is_base:
        return findings
    number, open_seats = sum(counts.values()), deal.players - len(counts)
    if not number <= deal.dealt <= number + open_seats * deal.rounds:
        template = _("The seats have %(number)s cheque cards in all; in this game there are %(due)s.")
        findings.append(_finding("cheque-cards-in-all", counts, template, number=number, due=deal.dealt))
    return findings


# --- The audit: cheques ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Range:
    """The cheques a seat may have: exactly what is written, or what its total leaves room for."""

    seat: int
    low: int
    high: int
    is_total: bool


def _audit_cheques(figures: Sequence[Figures], deal: Deal) -> list[Finding]:
    """Cheque sums: each seat, every group of seats, all together, and (variant) one common deal of houses.

    Seats with cheque cards take their cards out of the deck; the rest is asked of what remains.
    """
    if any(f.banknotes is not None and f.banknotes > deal.money for f in figures):
        return []  # the seat's figures are wrong already; a guess about its cheques would add noise
    cards = [card for f in figures for card in f.cheque_cards or ()]
    left = list(deal.deck)
    for card in cards:
        if card not in left:
            return []
        left.remove(card)
    ranges = [
        _Range(seat, max(0, f.total - deal.money), f.total, is_total=True)
        if f.cheques is None
        else _Range(seat, f.cheques, f.cheques, is_total=False)
        for seat, f in enumerate(figures)
        if f.cheque_cards is None
    ]
    dealt = deal.dealt - len(cards)
    counted = [f for f in figures if f.cheque_cards is not None]
    if deal.is_base and any(len(f.cheque_cards or ()) != deal.rounds for f in counted):
        return []
    if not 0 <= dealt <= len(ranges) * deal.rounds or any(len(f.cheque_cards or ()) > deal.rounds for f in counted):
        return []
    sums = sums_of(deal.deck if not cards else tuple(left))
    findings = _audit_groups(ranges, deal, dealt, sums)
    findings += _audit_all(figures, ranges, deal, dealt, sums, narrow=deal.is_base and not findings)
    if findings or deal.is_base:
        return findings
    return _audit_common_deal(figures, ranges, deal, left, sums)


def _audit_groups(ranges: Sequence[_Range], deal: Deal, dealt: int, sums: Sequence[int]) -> list[Finding]:
    """Each seat alone; then, if nothing is wrong yet, the richest and the poorest groups of 2, 3, ... seats."""
    findings = []
    others = len(ranges)
    by_low = sorted(ranges, key=lambda r: r.low, reverse=True)
    by_high = sorted(ranges, key=lambda r: r.high)
    for size in range(1, len(ranges)):
        others -= 1
        fewest, most = cards_of(size, others, dealt, deal)
        floor, ceiling = lowest(sums[fewest]), highest(sums[most])
        groups = [[r] for r in ranges] if size == 1 else [by_low[:size], by_high[:size]]
        for group in groups:
            if (low := sum(r.low for r in group)) > ceiling:
                findings.append(_too_high(group, low - ceiling, ceiling, deal))
            elif (high := sum(r.high for r in group)) < floor:
                findings.append(_too_low(group, floor - high, floor))
            elif size == 1 and not any(_meets(sums[n], low, high) for n in range(fewest, most + 1)):
                findings.append(_impossible_alone(group[0], sums[fewest : most + 1]))
        if findings:
            break
    return findings


def cards_of(size: int, others: int, dealt: int, deal: Deal) -> tuple[int, int]:
    """The fewest and the most of the `dealt` cheques that a group of `size` seats beside `others` can have."""
    return max(0, dealt - others * deal.rounds), min(dealt, size * deal.rounds)


def _meets(sums: int, low: int, high: int) -> bool:
    """Whether some sum of the set lies in low..high."""
    low = max(low, 0)
    return high >= low and bool(sums >> low & ((1 << (high - low + 1)) - 1))


def _too_high(group: Sequence[_Range], by: int, limit: int, deal: Deal) -> Finding:
    seats = [r.seat for r in group]
    if all(r.is_total for r in group):
        value, limit = sum(r.high for r in group), limit + deal.money * len(group)
        template = _("The total of seat %(seats)s, %(value)s, is %(by)s more than possible; the most is %(limit)s.")
        if len(group) > 1:
            template = _("The totals of seats %(seats)s add up to %(value)s, %(by)s more than possible (%(limit)s).")
        return _finding("total-too-high", seats, template, value=value, by=by, limit=limit)
    value = sum(r.low for r in group)
    template = SAYS["cheques-too-high"]
    if any(r.is_total for r in group):
        template = _("Seats %(seats)s have at least %(value)s in cheques, %(by)s more than possible (%(limit)s).")
    elif len(group) > 1:
        template = SAYS["cheques-too-high-together"]
    return _finding("cheques-too-high", seats, template, value=value, by=by, limit=limit)


def _too_low(group: Sequence[_Range], by: int, limit: int) -> Finding:
    seats, value = [r.seat for r in group], sum(r.high for r in group)
    if all(r.is_total for r in group):
        template = _("The total of seat %(seats)s, %(value)s, is %(by)s less than possible; the least is %(limit)s.")
        if len(group) > 1:
            template = _("The totals of seats %(seats)s add up to %(value)s, %(by)s less than possible (%(limit)s).")
        return _finding("total-too-low", seats, template, value=value, by=by, limit=limit)
    template = SAYS["cheques-too-low"]
    if any(r.is_total for r in group):
        template = _("Seats %(seats)s have at most %(value)s in cheques, %(by)s less than possible (%(limit)s).")
    elif len(group) > 1:
        template = SAYS["cheques-too-low-together"]
    return _finding("cheques-too-low", seats, template, value=value, by=by, limit=limit)


def _impossible_alone(r: _Range, sums: Sequence[int]) -> Finding:
    possible = 0
    for some in sums:
        possible |= some
    near = nearest(possible, r.low)
    return _finding("no-such-cheque-sum", (r.seat,), SAYS["no-such-cheque-sum"], value=r.low, nearest=near)


def _audit_all(
    figures: Sequence[Figures],
    ranges: Sequence[_Range],
    deal: Deal,
    dealt: int,
    sums: Sequence[int],
    *,
    narrow: bool,
) -> list[Finding]:
    """All seats together: the sum of every cheque dealt (237 cannot be with four players)."""
    if not ranges:
        return []
    low, high = sum(r.low for r in ranges), sum(r.high for r in ranges)
    written = low
    totals = [r for r in ranges if r.is_total]
    if totals and deal.refund_rounds_up:
        zeros = sum(f.banknotes == 0 for f in figures)
        high -= max(0, len(totals) - max(0, deal.rounds - zeros))
    if narrow:
        low, high = _narrowed(ranges, deal, sums, low, high)
    if _meets(sums[dealt], low, high):
        return []
    seats = range(deal.players)
    if totals:
        return _totals_in_all(figures, deal, sums[dealt], low, high)
    known = sum(sum(f.cheque_cards or ()) for f in figures)
    near = nearest(sums[dealt], written) + known
    value = written + known
    template = SAYS["cheques-sum-short" if value < near else "cheques-sum-over"]
    return [_finding("cheques-sum", seats, template, value=value, by=abs(near - value), nearest=near)]


def _narrowed(ranges: Sequence[_Range], deal: Deal, sums: Sequence[int], low: int, high: int) -> tuple[int, int]:
    """The least and greatest sum of all seats, when a group can be held up or down by the cards there are.

    Equal hands make the possible cheque vectors a generalised polymatroid, whose sums within a box are known:
    the extreme over all groups of "the group at its limit, the others at theirs" (Frank and Tardos, 1988).
    """
    lows = sorted(r.low for r in ranges)
    highs = sorted((r.high for r in ranges), reverse=True)
    for size in range(len(ranges) + 1):
        cards = sums[size * deal.rounds]
        low = max(low, lowest(cards) + sum(lows[size:]))
        high = min(high, highest(cards) + sum(highs[size:]))
    return low, high


def _totals_in_all(figures: Sequence[Figures], deal: Deal, sums: int, low: int, high: int) -> list[Finding]:
    value = sum(f.total for f in figures)
    if high < lowest(sums) or not _meets(sums, 0, high):
        template = _("The totals add up to %(value)s, at least %(by)s less than possible.")
        by = lowest(sums) - high
    elif low > highest(sums):
        template = _("The totals add up to %(value)s, at least %(by)s more than possible.")
        by = low - highest(sums)
    else:
        template = _("The totals add up to %(value)s, which no cheques and banknotes give; it is %(by)s off.")
        by = min(abs(nearest(sums, low) - low), abs(nearest(sums, high) - high))
    return [_finding("totals-sum", range(deal.players), template, value=value, by=by)]


# --- The audit: one common deal of houses (variant) --------------------------------------------------


def _audit_common_deal(
    figures: Sequence[Figures], ranges: Sequence[_Range], deal: Deal, deck: Sequence[int], sums: Sequence[int]
) -> list[Finding]:
    """There must be one split of the houses over the seats that fits every cheque sum, and the money spent.

    A seat has as many cheques as it bought houses. Every round that saw a bid cost its last seat something.
    """
    spent = sum(deal.money - (0 if f.banknotes is None else f.banknotes) for f in figures)
    if _fits(figures, ranges, deal, deck, sums, spent):
        return []
    seats = range(deal.players)
    if _fits(figures, ranges, deal, deck, sums, deal.rounds):
        template = _(
            "These cheques need houses so unevenly spread that more had to be bid: only %(spent)s was spent in "
            "all, and without bids every seat goes without a house in turn."
        )
        return [_finding("too-little-spent", seats, template, spent=spent)]
    template = _(
        "Each figure is possible, but no way of spreading the %(houses)s houses over the seats (at most "
        "%(rounds)s each) gives all of them together."
    )
    return [_finding("no-common-deal", seats, template, houses=deal.dealt, rounds=deal.rounds)]


@lru_cache(maxsize=64)
def sums_of_the_rest(deck: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """`sums_of` the deck without its first i cards, for each i."""
    rest: list[tuple[int, ...]] = [(1,)]
    for card in reversed(deck):
        shorter = rest[-1]
        with_card = (0, *(sums << card for sums in shorter))
        rest.append(tuple(a | b for a, b in zip((*shorter, 0), with_card, strict=True)))
    return tuple(reversed(rest))


class _Dealing:
    """A search for cards that give every hand its number and its sum, card by card, the highest first.

    It stops after `STEPS` steps and then assumes that there is a way: doubt speaks for the sheet.
    """

    STEPS = 3000

    def __init__(self, deck: Sequence[int]) -> None:
        self._deck = tuple(sorted(deck, reverse=True))
        self._sums = sums_of_the_rest(self._deck)
        self._dead: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        self._steps = 0

    def finds(self, hands: Sequence[tuple[int, int]]) -> bool:
        """Whether the deck gives these hands, each (number of cards, sum); what is left over is one more hand."""
        aside = len(self._deck) - sum(n for n, _total in hands), sum(self._deck) - sum(total for _n, total in hands)
        return self._finds((*hands, aside), 0)

    def _finds(self, hands: Sequence[tuple[int, int]], i: int) -> bool:
        open_hands = tuple(sorted((hand for hand in hands if hand[0]), key=lambda hand: -hand[1] / hand[0]))
        self._steps += 1
        if not open_hands or self._steps > self.STEPS:
            return True
        if (i, open_hands) in self._dead:
            return False
        rest = self._sums[i]
        if all(total >= 0 and rest[n] >> total & 1 for n, total in open_hands):
            card = self._deck[i]
            for at, (n, total) in enumerate(open_hands):
                if total >= card and (n > 1 or total == card) and (n, total) not in open_hands[:at]:
                    given = (*open_hands[:at], (n - 1, total - card), *open_hands[at + 1 :])
                    if self._finds(given, i + 1):
                        return True
        self._dead.add((i, open_hands))
        return False


def _house_counts(r: _Range, deal: Deal, sums: Sequence[int]) -> list[int]:
    """How many houses a seat with these cheques may have had, the likeliest first."""
    counts = [n for n, possible in enumerate(sums[: deal.rounds + 1]) if _meets(possible, r.low, r.high)]
    average = sum(deal.deck) / len(deal.deck)
    return sorted(counts, key=lambda n: abs(2 * n * average - r.low - r.high))


def _fits(
    figures: Sequence[Figures],
    ranges: Sequence[_Range],
    deal: Deal,
    deck: Sequence[int],
    sums: Sequence[int],
    spent: int,
) -> bool:
    """Whether some split of the houses gives every group of seats a sum its cards can have, and can be dealt."""
    fewest = fewest_bidding_rounds(deal.players, deal.sizes)
    counts = [len(f.cheque_cards or ()) for f in figures]
    order = sorted(ranges, key=lambda r: (r.high - r.low, r.high))
    needs = [_house_counts(r, deal, sums) for r in order]
    left = deal.dealt - sum(counts)
    exact = all(r.low == r.high for r in ranges)
    dealing = _Dealing(deck)
    room = [sum(max(n, default=0) for n in needs[i:]) for i in range(len(order) + 1)]
    need = [sum(min(n, default=0) for n in needs[i:]) for i in range(len(order) + 1)]

    def place(i: int, left: int, groups: list[tuple[int, int, int]]) -> bool:
        if i == len(order):
            hands = [(counts[r.seat], r.low) for r in order]
            return left == 0 and fewest.get(tuple(counts), spent + 1) <= spent and (not exact or dealing.finds(hands))
        r = order[i]
        for n in needs[i]:
            if not need[i + 1] <= left - n <= room[i + 1]:
                continue
            joined = [(cards + n, low + r.low, high + r.high) for cards, low, high in groups]
            if all(_meets(sums[cards], low, high) for cards, low, high in joined):
                counts[r.seat] = n
                if place(i + 1, left - n, groups + joined):
                    return True
        return False

    return place(0, left, [(0, 0, 0)])

"""The games, and what each offers. Everything here is standard library only.

`GAMES` is the registry; `Game.score` is the one function behind the API, the pages, imports and simulations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import for_sale, lady_richmond, score_sheet
from .for_sale import IllegalStep
from .messages import Message, NotOffered, Place, RuleError, ShapeError, UnknownGame
from .messages import gettext_noop as _
from .scoring import (
    LARGEST_FIGURE,
    LEVELS,
    DecidedBy,
    Finding,
    Level,
    Ranking,
    Score,
    SeatEntry,
    SeatScore,
    Severity,
    rank,
)

__all__ = [
    "GAMES",
    "LARGEST_FIGURE",
    "LEVELS",
    "DecidedBy",
    "Finding",
    "Game",
    "IllegalStep",
    "Level",
    "Message",
    "NotOffered",
    "Place",
    "Ranking",
    "RuleError",
    "Score",
    "SeatEntry",
    "SeatScore",
    "Severity",
    "ShapeError",
    "UnknownGame",
    "game",
    "rank",
]

type _Scorer = Callable[[str, str, Sequence[SeatEntry], Mapping[str, Any] | None, Sequence[int]], Score]


@dataclass(frozen=True, slots=True)
class Game:
    """One title. `names` and all other names are ``{"en": ..., "fr": ...}``."""

    slug: str
    names: Mapping[str, str]
    default_edition: str
    editions: Mapping[str, Any]
    """Slug -> the game's own `Edition`."""
    variants: Mapping[str, Mapping[str, str]]
    sheet_fields: tuple[str, ...]
    has_record: bool
    """Whether a complete move record can be replayed."""
    offers: Mapping[tuple[str, str], tuple[int, ...]]
    """(edition, variant) -> the numbers of players it is offered for, fewest first."""
    _describe_edition: Callable[[str], dict[str, Any]]
    _score: _Scorer

    def check_offer(self, edition: str, variant: str, player_count: int) -> None:
        """Raise NotOffered, naming what is offered, unless the combination is. Place: edition, variant or seats."""
        self._check_edition(edition, variant)
        offered = self.offers[edition, variant]
        if player_count not in offered:
            raise for_sale.players_not_offered(edition, variant, offered, player_count)

    def _check_edition(self, edition: str, variant: str) -> None:
        if edition not in self.editions:
            template = _("There is no edition “%(edition)s”; there is %(offered)s.")
            params = {"edition": edition, "offered": ", ".join(self.editions)}
            raise NotOffered(Message("edition-not-offered", template, params), ("edition",))
        if variant not in self.variants:
            template = _("There is no variant “%(variant)s”; there is %(offered)s.")
            params = {"variant": variant, "offered": ", ".join(self.variants)}
            raise NotOffered(Message("variant-not-offered", template, params), ("variant",))

    def describe(self) -> dict[str, Any]:
        """Plain data about the game: editions with their numbers per player count, variants, sheet fields."""
        counts = sorted({count for offered in self.offers.values() for count in offered})
        return {
            "game": self.slug,
            "name": dict(self.names),
            "players": {"min": counts[0], "max": counts[-1]},
            "default_edition": self.default_edition,
            "editions": [self._describe_edition(slug) for slug in self.editions],
            "variants": [{"variant": slug, "name": dict(names)} for slug, names in self.variants.items()],
            "sheet_fields": list(self.sheet_fields),
            "has_record": self.has_record,
        }

    def score(
        self,
        *,
        edition: str,
        variant: str,
        seats: Sequence[SeatEntry],
        record: Mapping[str, Any] | None = None,
        reported_winners: Sequence[int] = (),
    ) -> Score:
        """Score a play: ranks, winners, what decided it, and what the audit finds.

        `seats` are the entries in seat order; with a `record` they may be empty (the record then says how many
        sit at the table) or carry figures, which must agree with it. `reported_winners` are seats from 1.
        Money in thousands of dollars.

        Raises NotOffered and ShapeError for what cannot be scored at all; RuleError for figures that contradict
        each other, the record or the reported winners; IllegalStep (place under "record") for an illegal record.
        """
        if seats or record is None:
            self.check_offer(edition, variant, len(seats))
        else:
            self._check_edition(edition, variant)
        return self._score(edition, variant, seats, record, reported_winners)


def _score_for_sale(
    edition_slug: str,
    variant: str,
    seats: Sequence[SeatEntry],
    record: Mapping[str, Any] | None,
    reported_winners: Sequence[int],
) -> Score:
    edition = for_sale.EDITIONS[edition_slug]
    findings: tuple[Finding, ...] = ()
    first_seat: int | None = None
    if record is None:
        figures = score_sheet.read_sheet(seats)
        level = min((seat.level for seat in figures), key=LEVELS.index)
        findings = score_sheet.audit(figures, edition=edition, variant=variant)
    else:
        players = len(seats) or for_sale.players_in(record, edition=edition, variant=variant)
        state = for_sale.replay(record, edition=edition, variant=variant, player_count=players)
        figures, level, first_seat = score_sheet.read_final_state(state), "record", state.first_seat
        if seats:
            score_sheet.check_against(figures, seats)
    ranking = rank(
        [seat.total for seat in figures], [seat.banknotes for seat in figures], "banknotes", reported_winners
    )
    lines = tuple(
        SeatScore(
            seat=index + 1,
            cheques=seat.cheques,
            banknotes=seat.banknotes,
            cheque_cards=seat.cheque_cards,
            points=None,
            largest_category=None,
            total=seat.total,
            rank=ranking.ranks[index],
            is_winner=ranking.ranks[index] == 1,
        )
        for index, seat in enumerate(figures)
    )
    return Score(level, ranking.decided_by, ranking.winners, lines, findings, first_seat)


def _score_lady_richmond(
    edition_slug: str,
    variant: str,
    seats: Sequence[SeatEntry],
    record: Mapping[str, Any] | None,
    reported_winners: Sequence[int],
) -> Score:
    if record is not None:
        template = _("Lady Richmond has no move record; give the points of each seat.")
        raise ShapeError(Message("record-not-offered", template), ("record",))
    figures = lady_richmond.read_sheet(seats)
    ranking = rank(
        [seat.points for seat in figures],
        [seat.largest_category for seat in figures],
        "largest_category",
        reported_winners,
    )
    lines = tuple(
        SeatScore(
            seat=index + 1,
            cheques=None,
            banknotes=None,
            cheque_cards=None,
            points=seat.points,
            largest_category=seat.largest_category,
            total=seat.points,
            rank=ranking.ranks[index],
            is_winner=ranking.ranks[index] == 1,
        )
        for index, seat in enumerate(figures)
    )
    level = min((seat.level for seat in figures), key=LEVELS.index)
    return Score(level, ranking.decided_by, ranking.winners, lines, lady_richmond.audit(figures))


def _describe_for_sale(slug: str) -> dict[str, Any]:
    edition = for_sale.EDITIONS[slug]
    return {
        "edition": slug,
        "name": dict(edition.names),
        "houses": edition.houses,
        "cheques": list(edition.cheques),
        "min_bid": edition.min_bid,
        "equal_bid_allowed": edition.equal_bid_allowed,
        "refund_rounds": "up" if edition.refund_rounds_up else "down",
        "setups": [
            {
                "variant": variant,
                "player_count": players,
                "money": edition.money[players],
                "cards_aside": for_sale.cards_aside(edition, variant, players),
                "cards_dealt": for_sale.cards_dealt(edition, variant, players),
                "rounds": len(for_sale.round_sizes(edition, variant, players)),
                "houses_per_round": list(for_sale.round_sizes(edition, variant, players)),
            }
            for variant in for_sale.VARIANTS
            for players in for_sale.player_counts(edition, variant)
        ],
    }


def _describe_lady_richmond(slug: str) -> dict[str, Any]:
    edition = lady_richmond.EDITIONS[slug]
    return {
        "edition": slug,
        "name": dict(edition.names),
        "layout": edition.layout,
        "setups": [
            {"variant": "base", "player_count": players, "coins": edition.coins, "cheat_tiles": edition.cheat_tiles}
            for players in edition.players
        ],
    }


GAMES: Mapping[str, Game] = {
    "for-sale": Game(
        slug="for-sale",
        names={"en": "For Sale", "fr": "For Sale"},
        default_edition=for_sale.DEFAULT_EDITION,
        editions=for_sale.EDITIONS,
        variants=for_sale.VARIANTS,
        sheet_fields=("cheques", "banknotes"),
        has_record=True,
        offers={
            (slug, variant): for_sale.player_counts(edition, variant)
            for slug, edition in for_sale.EDITIONS.items()
            for variant in for_sale.VARIANTS
        },
        _describe_edition=_describe_for_sale,
        _score=_score_for_sale,
    ),
    "lady-richmond": Game(
        slug="lady-richmond",
        names={"en": "Lady Richmond", "fr": "Se fait plumer !"},
        default_edition=lady_richmond.DEFAULT_EDITION,
        editions=lady_richmond.EDITIONS,
        variants=lady_richmond.VARIANTS,
        sheet_fields=("points", "largest_category"),
        has_record=False,
        offers={(slug, "base"): edition.players for slug, edition in lady_richmond.EDITIONS.items()},
        _describe_edition=_describe_lady_richmond,
        _score=_score_lady_richmond,
    ),
}


def game(slug: str) -> Game:
    """The game of that slug. Raises UnknownGame (place: ("game",))."""
    try:
        return GAMES[slug]
    except KeyError:
        message = Message(
            "unknown-game",
            _("There is no game “%(game)s”; there is %(offered)s."),
            {"game": slug, "offered": ", ".join(GAMES)},
        )
        raise UnknownGame(message, ("game",)) from None

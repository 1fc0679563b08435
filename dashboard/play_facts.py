"""One play as a page tells it: its seats, and with a full record its auctions, sales and deals.

Everything comes from the stored play and from replaying its record through the rules. Money is in
thousands of dollars.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard import figures, sentences
from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.plays.models import Play
from forsale_api.rules import for_sale


@dataclass(frozen=True)
class Told:
    """A play with the words for it. Needs ``club`` selected and ``seats__player`` prefetched."""

    play: Play

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The play in the API's shape, as :mod:`dashboard.sentences` wants it."""
        return {
            "game": self.play.game,
            "decided_by": self.play.decided_by,
            "seats": [
                {
                    "seat": seat.seat,
                    "player": {"id": seat.player_id, "name": seat.player.name},
                    "cheques": seat.cheques,
                    "banknotes": seat.banknotes,
                    "largest_category": seat.largest_category,
                    "total": seat.total,
                    "rank": seat.rank,
                    "is_winner": seat.is_winner,
                }
                for seat in sorted(self.play.seats.all(), key=lambda one: one.seat)
            ],
        }

    @cached_property
    def by_rank(self) -> list[dict[str, Any]]:
        """Seats, best first."""
        return sorted(self.facts["seats"], key=lambda seat: (seat["rank"], seat["seat"]))

    @property
    def url(self) -> str:
        return reverse("dashboard:play", args=[self.play.pk])

    @property
    def headline(self) -> str:
        return sentences.win_headline(self.facts)

    @property
    def headline_with_total(self) -> str:
        return sentences.win_headline(self.facts, with_total=True)

    @property
    def reason(self) -> str:
        return sentences.win_reason(self.facts)

    @property
    def reason_sentence(self) -> str:
        return sentences.sentence(self.reason)

    @property
    def game(self) -> rules.Game:
        return rules.GAMES[self.play.game]

    @property
    def variant(self) -> str:
        return in_language(self.game.variants[self.play.variant])

    @property
    def edition(self) -> str:
        return in_language(self.game.editions[self.play.edition].names)

    @property
    def has_banknotes(self) -> bool:
        return any(seat["banknotes"] is not None for seat in self.facts["seats"])

    @property
    def kind(self) -> str:
        """4 players, base game, full record."""
        parts = [sentences.number_of_players(self.play.player_count)]
        if self.play.game == "for-sale":
            parts.append(sentences.in_sentence(self.variant))
        else:
            parts.append(in_language(self.game.names))
        if self.play.level == "record":
            parts.append(_("full record"))
        return ", ".join(parts)

    @property
    def title(self) -> str:
        return ", ".join([in_language(self.game.names), self.kind])

    @property
    def date(self) -> str:
        return sentences.day(self.play.played_on)

    @property
    def summary(self) -> str:
        """The play as text to share."""
        story = self.story
        return sentences.summary(
            self.facts,
            title=self.title,
            place_and_date=f"{self.play.club.name}, {self.date}",
            deals=sentences.deals_heading(story.deals) if story else "",
        )

    @cached_property
    def story(self) -> "Story | None":
        """The record replayed, if there is one."""
        if not self.play.record or self.play.game != "for-sale":
            return None
        players = {seat["seat"]: seat["player"]["name"] for seat in self.facts["seats"]}
        return Story.of(self.play.record, self.play.edition, self.play.variant, players)


@dataclass(frozen=True)
class Story:
    """A record and the state it leads to; ``players`` are names by seat, ``labels`` those for narrow places."""

    record: Mapping[str, Any]
    state: for_sale.State
    players: Mapping[int, str]
    labels: Mapping[int, str]

    @classmethod
    def of(
        cls,
        record: Mapping[str, Any],
        edition: str,
        variant: str,
        players: Mapping[int, str],
        labels: Mapping[int, str] | None = None,
    ) -> "Story":
        """The story of a legal record."""
        rules_of = for_sale.EDITIONS[edition]
        state = for_sale.replay(record, edition=rules_of, variant=variant, player_count=len(players))
        return cls(record, state, players, labels or players)

    @cached_property
    def paid(self) -> dict[int, int]:
        """What each seat paid for its houses, all together."""
        sums = dict.fromkeys(self.players, 0)
        for purchase in self.state.purchases:
            sums[purchase.seat] += purchase.paid
        return sums

    @property
    def steps(self) -> int:
        """Bids and passes."""
        return sum(len(auction["actions"]) for auction in self.record["auctions"])

    @cached_property
    def auctions(self) -> list[dict[str, Any]]:
        """One per buying round: who opened, and a lane per seat with its stakes, payment and house."""
        widest = max([6, *(purchase.stake for purchase in self.state.purchases)])
        rounds = sorted({purchase.round for purchase in self.state.purchases})
        told = []
        opener = self.state.first_seat
        for number, (round_number, auction) in enumerate(zip(rounds, self.record["auctions"], strict=True), start=1):
            purchases = {p.seat: p for p in self.state.purchases if p.round == round_number}
            top = max(auction["houses"])
            lanes = [self._lane(auction, purchases[seat], top=top, widest=widest) for seat in sorted(self.players)]
            told.append({"number": number, "opener": self.players[opener], "lanes": lanes})
            opener = next(seat for seat, purchase in purchases.items() if purchase.house == top)
        return told

    def _lane(
        self, auction: Mapping[str, Any], purchase: for_sale.Purchase, *, top: int, widest: int
    ) -> dict[str, Any]:
        stakes = [a["bid"] for a in auction["actions"] if a["seat"] == purchase.seat and "bid" in a]

        def place(stake: int) -> str:
            return f"{100 * stake / widest:.2f}%"

        return {
            "seat": purchase.seat,
            "player": self.labels[purchase.seat],
            "house": purchase.house,
            "paid": purchase.paid,
            "paid_at": place(purchase.paid),
            "earlier": [place(stake) for stake in stakes[:-1]],
            "stake": stakes[-1] if stakes else 0,
            "stake_at": place(stakes[-1] if stakes else 0),
            "took_top": purchase.house == top,
        }

    @property
    def auctions_heading(self) -> str:
        rounds = sorted({purchase.round for purchase in self.state.purchases})
        return sentences.auctions_heading(
            [
                {
                    "auction": rounds.index(p.round) + 1,
                    "player": self.players[p.seat],
                    "house": p.house,
                    "paid": p.paid,
                }
                for p in self.state.purchases
            ]
        )

    @cached_property
    def sales(self) -> list[dict[str, Any]]:
        """One per selling round: the houses each seat sold and the cheques they fetched."""
        told = []
        for number, round_number in enumerate(sorted({sale.round for sale in self.state.sales}), start=1):
            sold = [sale for sale in self.state.sales if sale.round == round_number]
            best = max(sale.cheque for sale in sold)
            told.append(
                {
                    "number": number,
                    "seats": [
                        {
                            "seat": seat,
                            "deals": [
                                {
                                    "house": sale.house,
                                    "cheque": sale.cheque,
                                    "best": sale.cheque == best and len(sold) > 1,
                                }
                                for sale in sold
                                if sale.seat == seat
                            ],
                        }
                        for seat in sorted(self.players)
                    ],
                }
            )
        return told

    @cached_property
    def cheques(self) -> list[tuple[int, str, int]]:
        """Seat, player and the sum of the cheques."""
        return [
            (seat, self.players[seat], sum(sale.cheque for sale in self.state.sales if sale.seat == seat))
            for seat in sorted(self.players)
        ]

    @property
    def sales_heading(self) -> str:
        return sentences.sales_heading([(name, total) for _seat, name, total in self.cheques])

    @cached_property
    def deals(self) -> list[dict[str, Any]]:
        """Every house that was sold, lowest first, with what it cost and fetched."""
        bought = {p.house: p for p in self.state.purchases if p.house}
        rows = [
            {
                "house": sale.house,
                "seat": sale.seat,
                "player": self.players[sale.seat],
                "paid": bought[sale.house].paid,
                "cheque": sale.cheque,
                "gain": sale.cheque - bought[sale.house].paid,
            }
            for sale in self.state.sales
        ]
        return sorted(rows, key=lambda row: row["house"])

    def deal_rows(self) -> Iterator[list[Any]]:
        """The same under a head, as a spreadsheet has them."""
        columns = ["house", "seat", "player", "paid", "cheque", "gain"]
        yield columns
        yield from ([row[name] for name in columns] for row in self.deals)

    @property
    def deals_heading(self) -> str:
        return sentences.deals_heading(self.deals)

    def deals_figure(self, simulated: Sequence[Mapping[str, Any]]) -> figures.Figure:
        """Price against cheque for each house, before the simulated means."""
        return figures.deals(
            self.deals,
            simulated=simulated,
            named=[row["house"] for row in sentences.best_deals(self.deals)],
            words=sentences.chart_words(),
        )

    @property
    def set_aside(self) -> list[int]:
        """Houses that never came to the table."""
        return sorted(set(range(1, self.state.edition.houses + 1)) - self.state.houses_dealt)

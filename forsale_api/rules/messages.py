"""What the rules say when they refuse something: messages that can be translated, and typed errors.

The rules know no language. A `Message` keeps an English template and its parameters apart, so that
whoever speaks to people can look the template up in a catalogue first:
``gettext(message.template) % message.params``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

type Place = tuple[str | int, ...]
"""Where something stands in the caller's JSON, 0-based: ``("record", "auctions", 3, "actions", 5)``."""

LARGEST_PRINTED = 10**9
LONGEST_PRINTED = 120


def gettext_noop(template: str) -> str:
    """Mark a template for xgettext; the text itself is returned as it is."""
    return template


def _printable(value: object) -> object:
    """A number nobody would read is cut: beyond some thousand digits Python refuses to print it at all."""
    if isinstance(value, int) and abs(value) > LARGEST_PRINTED:
        return f"< -{LARGEST_PRINTED}" if value < 0 else f"> {LARGEST_PRINTED}"
    if isinstance(value, str) and len(value) > LONGEST_PRINTED:
        return value[:LONGEST_PRINTED] + "…"
    return value


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence. `code` never changes; `template` is the msgid, with named ``%(name)s`` placeholders."""

    code: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", {k: _printable(v) for k, v in self.params.items()})

    def __str__(self) -> str:
        return self.template % self.params


class RuleError(ValueError):
    """Something is against the game. `place` says where in the caller's JSON."""

    def __init__(self, message: Message, place: Place = ()) -> None:
        super().__init__(str(message))
        self.message = message
        self.place = place

    @property
    def code(self) -> str:
        """The message's code."""
        return self.message.code


class ShapeError(RuleError):
    """The figures are not of a form that can be scored at all (as opposed to a wrong figure)."""


class NotOffered(ShapeError):
    """This combination of edition, variant and number of players is not offered; the message names what is."""


class UnknownGame(RuleError):
    """No game has this slug."""

"""How a method says that it will go: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to what to use instead.

A view names the method in `deprecations`; the schema then marks the operation, and every answer carries the headers.
Within v1 nothing goes: a sunset belongs to a v2 that is there.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Since when a method is deprecated, from when on it may be gone, and where that is explained."""

    since: datetime
    sunset: datetime | None = None
    link: str = ""

    def headers(self) -> dict[str, str]:
        """The headers of every answer."""
        headers = {"Deprecation": f"@{int(self.since.timestamp())}"}
        if self.sunset is not None:
            headers["Sunset"] = http_date(self.sunset.timestamp())
        if self.link:
            headers["Link"] = f'<{self.link}>; rel="deprecation"; type="text/html"'
        return headers

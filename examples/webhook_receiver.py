"""Receive webhooks, for Python 3.10 or later alone: WEBHOOK_SECRET=whsec_... python webhook_receiver.py 8080

It prints one line a message. `verify` is the part to take over: it says whether a message is from the service,
unaltered and recent. The form is that of Standard Webhooks, whose libraries for many languages do the same.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 300  # seconds a message may be old, so that nobody can play an old one again


class NotGenuine(Exception):
    """The message is not from the service, was altered, or is too old."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> None:
    """Check a message by its headers and the bytes of its body, as they came. Raises `NotGenuine`."""
    try:
        message_id, timestamp, given = (headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(timestamp))
    except (KeyError, ValueError, TypeError) as error:
        raise NotGenuine("a header is missing") from error
    if age > TOLERANCE:
        raise NotGenuine("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # While a secret is being rotated there are two signatures; one that fits is enough.
    if not any(hmac.compare_digest(right, one) for one in given.split(" ")):
        raise NotGenuine("no signature fits")


class Receiver(BaseHTTPRequestHandler):
    seen: set[str] = set()  # a message may come twice; keep this somewhere that outlives a restart

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            verify(os.environ["WEBHOOK_SECRET"], {name.lower(): value for name, value in self.headers.items()}, body)
        except NotGenuine as error:
            self.send_error(400, str(error))
            return
        if self.headers["webhook-id"] not in self.seen:
            self.seen.add(self.headers["webhook-id"])
            message = json.loads(body)
            print(message["type"], message["data"].get("id", ""), flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()

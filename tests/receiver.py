"""Somebody else's servers: one that webhooks are sent to, and one with pages that use ours."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Receiver:
    """Keeps what arrives, and answers as it is told.

    `got` holds (headers, body) of every request; `answers` are statuses to give before 204, with headers.
    """

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.refused: set[str] = set()  # ids of messages that are always answered 400
        self.slow = 0.0
        self.long_answer = b""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                if self.headers["webhook-id"] in receiver.refused:
                    receiver.answers.insert(0, (400, {}))
                status, headers = receiver.answers.pop(0) if receiver.answers else (204, {})
                time.sleep(receiver.slow)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(receiver.long_answer)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?club=nantes"

    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _headers, body in self.got]


def is_signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Whether one of the signatures is that of the secret: what a receiver does, written from the specification."""
    key = base64.b64decode(secret.split("_", 1)[1])
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    right = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return f"v1,{right}" in headers["webhook-signature"].split(" ")


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    with running(receiver.server):
        yield receiver


class Files(SimpleHTTPRequestHandler):
    """The files of a folder, without a word."""

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of another site, whose pages are the files of this folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder)))
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"

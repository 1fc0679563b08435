"""One POST to an address that somebody else chose, with nothing of ours within its reach.

The name is resolved here, every address it stands for must be public, and the connection goes to one of the addresses
that were looked at: a name that means something else a moment later gains nothing. Redirects are not followed, the
time is bounded whatever trickles in, and of the answer only the beginning is read. No proxy of the environment is used.
"""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import re
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

DEADLINE = 10.0
"""Seconds an attempt may take, from the connection to the end of the answer."""
READ = 300
"""Bytes of the answer that are read."""
PREFIX = "whsec_"
ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(/[!\"$-~]*)?")
"""No user, no fragment, and nothing but printable ASCII."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")

type Address = tuple[socket.AddressFamily, tuple[str, int]]


class NotAnAddress(ValueError):
    """Nothing that a message could be posted to."""


class NotPublic(ValueError):
    """An address inside this machine or its network, or none that the Internet knows."""


class Unknown(OSError):
    """A name that stands for no address now."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attempt: `status` and the beginning of the answer, or an error in plain English."""

    status: int | None
    error: str
    answer: str
    retry_after: int
    seconds: float

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


# ---- secrets and signatures -------------------------------------------------------------------------


def new_secret() -> str:
    """A secret in the form of Standard Webhooks: 32 random bytes in Base64 after `whsec_`."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a message as the header has it: HMAC-SHA256 of id, timestamp and body, joined by dots."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(usable: Iterable[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of Standard Webhooks; one signature for each usable secret."""
    signatures = " ".join(signature(secret, message_id, timestamp, body) for secret in usable)
    return {"webhook-id": message_id, "webhook-timestamp": str(timestamp), "webhook-signature": signatures}


# ---- addresses --------------------------------------------------------------------------------------


def parts_of(url: str) -> SplitResult:
    """The parts of an address that can be posted to: https (plain http on this machine alone), no user, no fragment.

    Raises `NotAnAddress`.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        if parts.port == 0:  # raises ValueError by itself where it is no number, or too large
            raise ValueError
    except (ValueError, UnicodeError) as error:
        raise NotAnAddress(url) from error
    schemes = {"https", "http"} if settings.WEBHOOKS_TO_LOOPBACK else {"https"}
    if not ADDRESS.fullmatch(url) or parts.scheme not in schemes or not host:
        raise NotAnAddress(url)
    return parts


def is_public(text: str) -> bool:
    """Whether an IP address is one of the Internet, also where it is wrapped into another one."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if inner is None and address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return address.is_global and not address.is_multicast and not address.is_reserved


def addresses_of(parts: SplitResult) -> list[Address]:
    """What the host stands for now. Raises `Unknown` for nothing, `NotPublic` where any of it is not public."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unknown(f"{parts.hostname} cannot be resolved") from error
    addresses: list[Address] = [(family, (str(where[0]), port)) for family, _type, _proto, _name, where in found]
    for _family, (ip, _port) in addresses:
        is_loopback = ipaddress.ip_address(ip.partition("%")[0]).is_loopback
        if is_loopback and settings.WEBHOOKS_TO_LOOPBACK:
            continue
        if not is_public(ip) or parts.scheme != "https":
            raise NotPublic(f"{parts.hostname} is {ip}, which is not a public address")
    return addresses


# ---- the request ------------------------------------------------------------------------------------


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, resolve: Callable[[SplitResult], list[Address]] = addresses_of
) -> Outcome:
    """Post the body and say what came of it; never raises for anything the other side does."""
    began = time.monotonic()

    def ended(status: int | None, error: str = "", answer: str = "", retry_after: int = 0) -> Outcome:
        return Outcome(status, error[:200], answer, retry_after, round(time.monotonic() - began, 3))

    try:
        parts = parts_of(url)
        connection = _connection(parts, resolve(parts)[0])
    except NotAnAddress:
        return ended(None, "not an address that can be posted to")
    except (NotPublic, OSError) as error:
        return ended(None, str(error))
    watch = threading.Timer(DEADLINE, _cut_off, [connection])
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", _target(parts), body, dict(headers))
        response = connection.getresponse()
        answer = _printable(response.read(READ))
        return ended(response.status, "", answer, _seconds(response.headers.get("Retry-After", "")))
    except (OSError, ValueError, http.client.HTTPException) as error:
        late = time.monotonic() - began >= DEADLINE
        return ended(None, f"no answer within {DEADLINE:.0f} s" if late else f"{type(error).__name__}: {error}")
    finally:
        watch.cancel()
        connection.close()


def _connection(parts: SplitResult, address: Address) -> http.client.HTTPConnection:
    """A connection to this very address, whatever the name stands for by now; the certificate must be the name's."""
    family, where = address
    host = (parts.hostname or "").encode("idna").decode()
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.settimeout(DEADLINE / 2)
    try:
        sock.connect(where)
        sock.settimeout(DEADLINE)
        if parts.scheme == "https":
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=host)
    except OSError:
        sock.close()
        raise
    connection = http.client.HTTPConnection(host, where[1])
    connection.sock = sock
    connection.auto_open = 0  # never connects by itself, and so never by the name
    if parts.port is None:
        connection.port = connection.default_port  # the header Host without a port
    return connection


def _cut_off(connection: http.client.HTTPConnection) -> None:
    sock = connection.sock
    if sock is not None:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it had ended by then


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _printable(data: bytes) -> str:
    return "".join(char if char.isprintable() else " " for char in data.decode("utf-8", "replace"))


def _seconds(header: str) -> int:
    return int(header) if header.isascii() and header.isdigit() and len(header) < 7 else 0

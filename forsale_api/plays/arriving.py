"""The lines of a long body, as they arrive, in constant memory."""

from collections.abc import Iterator
from tempfile import TemporaryFile
from threading import Condition, Thread
from typing import IO, Any

CHUNK = 2**16
LONGEST_LINE = 2**20


class TooLong(ValueError):
    """A line is longer than `LONGEST_LINE`, or the body longer than its limit."""


class ArrivingLines:
    """Iterates over the lines of a body while it still arrives; a line that is too long stands as a `TooLong`.

    A thread reads the body to its end into a file without a name, however slowly the lines are taken: many clients
    read nothing before they have sent everything, and would wait for us for ever while we wait for them.
    """

    def __init__(self, body: IO[bytes] | Any, *, limit: int) -> None:
        self._file = TemporaryFile()  # noqa: SIM115  closed by `close`
        self._limit = limit
        self._arrived = self._taken = 0
        self._ended = self._too_long = False
        self._more = Condition()
        self._error: Exception | None = None
        Thread(target=self._receive, args=(body,), daemon=True).start()

    def _receive(self, body: Any) -> None:
        try:
            while chunk := body.read(CHUNK):
                with self._more:
                    if self._ended:
                        return
                    if self._arrived + len(chunk) > self._limit:
                        self._too_long = True
                        return
                    self._file.seek(self._arrived)
                    self._file.write(chunk)
                    self._arrived += len(chunk)
                    self._more.notify()
        except Exception as error:  # the connection is gone; whoever takes the lines says so
            self._error = error
        finally:
            with self._more:
                self._ended = True
                self._more.notify()

    def _chunk(self) -> bytes:
        with self._more:
            while self._taken == self._arrived and not self._ended:
                self._more.wait()
            self._file.seek(self._taken)
            chunk = self._file.read(min(CHUNK, self._arrived - self._taken))
            self._taken += len(chunk)
        return chunk

    def __iter__(self) -> Iterator[bytes | TooLong]:
        held, skipping = b"", False
        while chunk := self._chunk():
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                yield TooLong() if skipping or len(line) > LONGEST_LINE else line
                skipping = False
            if len(held) > LONGEST_LINE:
                held, skipping = b"", True
        if self._error is not None:
            raise self._error
        if self._too_long or skipping:
            yield TooLong()
        elif held:
            yield held

    def close(self) -> None:
        """Nobody takes lines any more; the file goes."""
        with self._more:
            self._ended = True
            self._file.close()

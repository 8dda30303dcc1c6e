"""The streams of a process: one that cannot be written or read is noticed, and never a traceback."""

from __future__ import annotations

import errno
import io
import os
from typing import Any, TextIO

from budgetlint.commands.misuse import Misuse


class StandardOutput(io.TextIOBase):
    """Standard output. What it cannot take is dropped, and ``failed`` says why: the verdict is known all the same."""

    def __init__(self, real: TextIO | None) -> None:
        super().__init__()
        self.real = real
        self.failed: OSError | None = None

    def write(self, text: str) -> int:
        if self.failed is None:
            self._try(lambda real: real.write(text))
        return len(text)

    def write_bytes(self, raw: bytes) -> None:
        """Behind all that was written as text."""
        self.flush()
        if self.failed is None:
            self._try(lambda real: real.buffer.write(raw))

    def flush(self) -> None:
        if self.failed is None:
            self._try(lambda real: real.flush())

    def _try(self, does: Any) -> None:
        try:
            if self.real is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            does(self.real)
        except (OSError, ValueError) as error:  # ValueError: closed by somebody
            self.failed = error if isinstance(error, OSError) else OSError(errno.EBADF, str(error))
            self._give_up()

    def _give_up(self) -> None:
        """Keeps the interpreter from writing what is left when it ends, and from ending with a code of its own."""
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.real.fileno())  # type: ignore[union-attr]
        except (OSError, ValueError, AttributeError):
            self.real = None

    @property
    def problem(self) -> str | None:
        """Why the output is not whole, for people; None where it is, and where the reader went away (``head``) and knows it."""
        if self.failed is None or isinstance(self.failed, BrokenPipeError):
            return None
        return f"standard output cannot be written: {self.failed.strerror or self.failed}"

    def isatty(self) -> bool:
        return self.real is not None and self.real.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.real, "encoding", None) or "utf-8"

    @property
    def buffer(self) -> Any:
        return getattr(self.real, "buffer", None)


class Nowhere(io.TextIOBase):
    """Standard error that is closed."""

    def write(self, text: str) -> int:
        return len(text)


class Closed(io.TextIOBase):
    """Standard input that is closed."""

    def read(self, _size: int | None = -1) -> str:
        raise Misuse("standard input is closed")

    def readline(self, _size: int | None = -1) -> str:  # type: ignore[override]
        return self.read()

"""Write a file so that nobody ever sees half of it: a temporary file beside it, synced, then put in its place."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from budgetlint.base.source import UnreadableFile, encode


def write_text(path: str | Path, text: str, encoding: str = "utf-8") -> UnreadableFile | None:
    """Write ``text`` as it is, line ends included, in the encoding that `read_source` reported. None when it is done.

    The mode is kept, and a symbolic link stays one: its target is written. What is no file (``/dev/stdout``, a pipe) is written as it
    is.
    """
    try:
        raw = encode(text, encoding)
        if _is_special(path):
            _put(path, raw)
        else:
            replace(Path(os.path.realpath(path)), raw)
    except OSError as error:
        return UnreadableFile(str(path), f"cannot be written: {error.strerror or error}", "check its permissions and the free space")
    except UnicodeEncodeError as error:
        return UnreadableFile(str(path), f"cannot be written as {encoding} (character {error.start:,})", "save it as UTF-8")
    return None


def _is_special(path: str | Path) -> bool:
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _put(path: str | Path, raw: bytes) -> None:
    with open(path, "wb", buffering=0) as file:  # noqa: PTH123
        file.write(raw)


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def _new_file(folder: Path) -> tuple[Path, int]:
    """A file that was not there and that only this user reads, as `tempfile.mkstemp` makes one: that module brings seven others into
    each check with a cache."""
    path = folder / f".{os.urandom(8).hex()}.tmp"
    return path, os.open(path, _NEW, 0o600)


def replace(target: Path, raw: bytes) -> None:
    """Put bytes in the place of a file, or of a link itself."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    temporary, handle = _new_file(target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

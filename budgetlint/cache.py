"""What an earlier check said, and whether it would say the same today.

An entry holds everything that a check looked at: the text of each file that it read, each file that it found missing, each listing
of a folder, and the code of budgetlint and of its plugins. It is used only where all of that is as it was, so deleting it is safe
and a wrong answer is not possible short of a collision of SHA-256. The name of an entry is a digest of the question: the command
line, the settings, what is installed, the day (suppressions expire) and the look of the page.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from budgetlint.files import DiskFiles, Seen
from budgetlint.record import record

FOLDER = ".budgetlint_cache"
KEPT = 32
"""Entries that stay; the oldest go."""
MARKS = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by budgetlint.\n",
}
"""What lies in the folder for git and for backups."""


@record
class Answer:
    """What a check printed, and its exit code."""

    out: str
    err: str
    code: int


def digest(*parts: str) -> str:
    from hashlib import sha256  # loads OpenSSL, 3 ms: a check without the cache needs no digest

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def code_stamp(folder: str) -> str:
    """Names, sizes and times of the files of a package: an edited rule may say something else."""
    return digest(*sorted(_stamps(folder)))


def _stamps(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _stamps(entry.path)
            elif not entry.name.endswith(".pyc"):
                state = entry.stat()
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"


def recall(folder: Path, name: str, root: Path) -> Answer | None:
    """The answer under this name, where everything below ``root`` that it looked at is as it was."""
    try:
        entry: Any = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        seen, answer = entry["seen"], Answer(str(entry["out"]), str(entry["err"]), int(entry["code"]))
        same_code = all(code_stamp(place) == stamp for place, stamp in entry["stamps"])
        return answer if same_code and _is_as_it_was(seen, DiskFiles(root, seen["exclude"])) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_as_it_was(seen: Any, files: DiskFiles) -> bool:
    same_lists = all(list(files.expand(paths)) == listed for paths, listed in seen["expanded"])
    return (
        same_lists
        and all(files.glob(pattern) == found for pattern, found in seen["globbed"])
        and all(files.state(path) == state for path, state in seen["read"].items())
        and all(files.exists(path) is there for path, there in seen["exists"].items())
    )


def keep(folder: Path, name: str, seen: Seen, code: Iterable[str], answer: Answer) -> None:
    """Remember an answer. What cannot be written is not remembered."""
    from budgetlint.documents.write import write_text

    stamps = [(place, code_stamp(place)) for place in code]
    entry = {"seen": seen._asdict(), "stamps": stamps, "out": answer.out, "err": answer.err, "code": answer.code}
    try:
        folder.mkdir(exist_ok=True)
        for mark, text in MARKS.items():
            if not (folder / mark).exists():  # a process that was killed may have left the folder without
                write_text(folder / mark, text)
        if write_text(folder / f"{name}.json", json.dumps(entry, ensure_ascii=True)) is None:
            _forget_the_oldest(folder)
    except OSError:
        return


def _forget_the_oldest(folder: Path) -> None:
    entries = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in entries[KEPT:]:
        path.unlink(missing_ok=True)


def python_stamp() -> str:
    return f"{sys.version_info[:3]} {sys.platform}"

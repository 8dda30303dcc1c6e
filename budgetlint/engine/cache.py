"""What an earlier check said, and whether it would say the same today.

An entry holds everything that a check looked at: the text of each file that it read, each file that it found missing, each listing
of a folder, and the code of budgetlint and of its plugins. It is used only where all of that is as it was. The name of an entry is a
digest of the question: the command line, the settings, what is installed, the day (suppressions expire) and the look of the page.

The folder lies in the checkout, and a change may bring one. So only a real folder that this user made is used, none that git tracks;
each entry is signed with a key that lies outside the checkout; and only files with names of the cache's own are ever deleted.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from budgetlint.base.record import record
from budgetlint.documents.write import replace
from budgetlint.files.disk import DiskFiles, Seen
from budgetlint.files.git_index import index_of, tracks
from budgetlint.isolation.boundary import boundary_of
from budgetlint.isolation.checkout import top_of

FOLDER = ".budgetlint_cache"
KEPT = 32
"""Entries that stay; the oldest go."""
MARK = "CACHEDIR.TAG"
MARKS = {
    ".gitignore": "*\n",
    MARK: "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by budgetlint.\n",
}
"""What lies in the folder for git and for backups."""
KEY_BYTES = 32
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@record
class CachedAnswer:
    """What a check printed, and its exit code."""

    out: str
    err: str
    code: int


@record
class Store:
    """The folder of entries, and the key that signs them."""

    folder: Path
    key: bytes


def digest(*parts: str) -> str:
    from hashlib import sha256  # loads OpenSSL, 3 ms: a check without the cache needs no digest

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


# -- the folder and the key --------------------------------------------------------------------------------------------------


def store_of(root: Path, environ: Mapping[str, str]) -> Store | None:
    """The cache of a working directory; None where there is none to be trusted: then a check is made anew, and not remembered."""
    folder = root / FOLDER
    top = top_of(str(root))
    if top is not None and tracks(index_of(top), os.path.relpath(folder, top).replace(os.sep, "/")):
        return None
    try:
        key = _key(root, environ)
        return Store(folder, key) if key is not None and (_is_ours(folder) or _made(folder)) else None
    except OSError:
        return None


def _is_ours(folder: Path) -> bool:
    """A real folder of this user with the cache's mark in it."""
    return _owned(folder, stat.S_ISDIR) and _owned(folder / MARK, stat.S_ISREG) and _text_of(folder / MARK) == MARKS[MARK]


def _owned(path: Path, kind: Any) -> bool:
    try:
        state = path.lstat()
    except OSError:
        return False
    return kind(state.st_mode) and state.st_uid == getattr(os, "geteuid", lambda: state.st_uid)()


def _made(folder: Path) -> bool:
    """Made whole beside its place and moved there, so that a process that is killed leaves no folder that is not ours."""
    if os.path.lexists(folder):
        return False
    import tempfile

    new = Path(tempfile.mkdtemp(prefix=f"{FOLDER}.", dir=folder.parent))
    try:
        for mark, text in MARKS.items():
            replace(new / mark, text.encode("ascii"))
        new.rename(folder)
    except OSError:
        for mark in MARKS:
            (new / mark).unlink(missing_ok=True)
        new.rmdir()
        return _is_ours(folder)  # another process was first
    return True


def _key(root: Path, environ: Mapping[str, str]) -> bytes | None:
    """This user's key, made at the first need; None where the user's folder is part of the checkout, as on CI machines it may be."""
    place = _key_place(environ)
    if place is None or boundary_of(root).has(os.path.realpath(place)):
        return None
    if not os.path.lexists(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        _make_key(place)
    if not _owned(place, stat.S_ISREG):
        return None
    with os.fdopen(os.open(place, os.O_RDONLY | _NO_LINK), "rb") as file:
        key = file.read(KEY_BYTES + 1)
    return key if len(key) == KEY_BYTES else None


def _make_key(place: Path) -> None:
    """Whole in one step: a second process finds none or all of it."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix=".", dir=place.parent)  # only this user may read it
    with os.fdopen(handle, "wb") as file:
        file.write(os.urandom(KEY_BYTES))
    try:
        os.link(name, place)  # fails where there is one
    except FileExistsError:
        pass
    finally:
        Path(name).unlink()


def _key_place(environ: Mapping[str, str]) -> Path | None:
    """In the user's cache folder (XDG Base Directory Specification: a relative ``XDG_CACHE_HOME`` is ignored)."""
    for base, below in (("XDG_CACHE_HOME", ""), ("LOCALAPPDATA", ""), ("HOME", ".cache"), ("USERPROFILE", ".cache")):
        folder = environ.get(base, "")
        if os.path.isabs(folder):  # noqa: PTH117
            return Path(folder, below, "budgetlint", "key")
    return None


# -- entries -----------------------------------------------------------------------------------------------------------------


def code_stamp(place: str) -> str:
    """Names, sizes and times of the files of a package: an edited rule may say something else."""
    return digest(*sorted(_stamps(place)))


def _stamps(place: str) -> Iterator[str]:
    if not os.path.isdir(place):  # noqa: PTH112  (a module without a package)
        state = os.stat(place)  # noqa: PTH116
        yield f"{place} {state.st_size} {state.st_mtime_ns}"
        return
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _stamps(entry.path)
            elif not entry.name.endswith(".pyc"):
                state = entry.stat()
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"


def recall(store: Store, name: str, root: Path, code: Iterable[str]) -> CachedAnswer | None:
    """The answer under this name, where everything below ``root`` that it looked at is as it was, and the ``code`` too."""
    try:
        signature, _, body = _text_of(store.folder / f"{name}.json").partition("\n")
        if signature != _signed(store, name, body):
            return None
        entry: Any = json.loads(body)
        seen, answer = Seen(**entry["seen"]), CachedAnswer(str(entry["out"]), str(entry["err"]), int(entry["code"]))
        same_code = [list(stamp) for stamp in _code(code)] == entry["stamps"]
        return answer if same_code and _is_as_it_was(seen, DiskFiles(root, seen.exclude, seen.named)) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _text_of(path: Path) -> str:
    with os.fdopen(os.open(path, os.O_RDONLY | _NO_LINK), encoding="utf-8") as file:
        return file.read()


def _signed(store: Store, name: str, body: str) -> str:
    from hashlib import blake2b

    return blake2b(f"{name}\n{body}".encode(), key=store.key, digest_size=32).hexdigest()


def _code(places: Iterable[str]) -> list[tuple[str, str]]:
    return [(place, code_stamp(place)) for place in places]


def _says_all(seen: Seen) -> bool:
    """Every file that was listed was read, or passed over."""
    return bool(seen.expanded) and all(path in seen.read for _, listed in seen.expanded for path in listed)


def _is_as_it_was(seen: Seen, files: DiskFiles) -> bool:
    same_lists = all(list(files.expand(paths)) == listed for paths, listed in seen.expanded)
    return (
        _says_all(seen)
        and same_lists
        and [(one.path, one.why) for one in files.passed] == [(path, why) for path, why in seen.passed]
        and all(files.glob(pattern) == found for pattern, found in seen.globbed)
        and all(files.state(path) == state for path, state in seen.read.items())
        and all(files.exists(path) is there for path, there in seen.exists.items())
    )


def keep(store: Store, name: str, seen: Seen, code: Iterable[str], answer: CachedAnswer) -> None:
    """Remember an answer. What cannot be written is not remembered."""
    if not _says_all(seen):
        return
    entry = {"seen": seen._asdict(), "stamps": _code(code), "out": answer.out, "err": answer.err, "code": answer.code}
    body = json.dumps(entry, ensure_ascii=True)
    try:
        replace(store.folder / f"{name}.json", f"{_signed(store, name, body)}\n{body}".encode("ascii"))
        _forget_the_oldest(store.folder)
    except OSError:
        return


def _forget_the_oldest(folder: Path) -> None:
    """Only files with the name of an entry are the cache's to delete."""
    entries = [path for path in folder.glob("*.json") if _is_a_name(path.stem) and _owned(path, stat.S_ISREG)]
    for path in sorted(entries, key=lambda path: path.stat().st_mtime_ns, reverse=True)[KEPT:]:
        path.unlink(missing_ok=True)


def _is_a_name(stem: str) -> bool:
    return len(stem) == 64 and set(stem) <= set("0123456789abcdef")


def python_stamp() -> str:
    return f"{sys.version_info[:3]} {sys.platform}"

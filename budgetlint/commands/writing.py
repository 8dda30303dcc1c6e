"""Files that a command writes: whole or not at all, and never through a link that leads out of the checkout."""

from __future__ import annotations

import os

from budgetlint.base.record import replace
from budgetlint.base.source import UnreadableFile
from budgetlint.commands.console import Console
from budgetlint.documents.write import write_text
from budgetlint.isolation.boundary import boundary_of


def write_file(io: Console, path: str, text: str, encoding: str = "utf-8", *, folders: bool = False) -> UnreadableFile | None:
    """Write a file that the user names, or a text that a fix changed; None when it is done. What lies at a path inside the checkout is
    the repository's, whoever names it: a link there does not lead out of it. ``folders``: those it lies in are made."""
    place = place_of(io, path)
    if place is None:
        return UnreadableFile(path, "is not written: it leads out of the project", "remove the link, or name the file where it really lies")
    if folders:
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
    wrong = write_text(place, text, encoding)
    return None if wrong is None else replace(wrong, path=path)


def write_report(io: Console, path: str, text: str) -> UnreadableFile | None:
    """The same for a file that is always new: where a link leads out, the report takes the place of the link."""
    whole = os.path.join(io.root, path)  # noqa: PTH118
    if os.path.islink(whole) and place_of(io, path) is None:  # noqa: PTH114
        folder = place_of(io, os.path.dirname(path) or ".")  # noqa: PTH120
        if folder is not None:
            os.unlink(whole)  # noqa: PTH108
    return write_file(io, path, text)


def place_of(io: Console, path: str, *, named: bool = True) -> str | None:
    """Where a path really leads; None where a command must not write there, nor believe what it reads there. ``named``: by the user,
    else by the settings."""
    whole = os.path.join(io.root, path)  # noqa: PTH118
    checkout = boundary_of(io.root)
    if named and not checkout.holds_text(whole):
        return whole
    return checkout.place_of(whole)

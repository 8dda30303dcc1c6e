"""Where a checkout begins, and what lies in it, links followed. `budgetlint.isolation.search_path` imports this before anything else, so it
imports only what every Python holds when it starts; ``__future__`` is not among that."""

import os

MARKS = (".git", ".hg")
"""What lies at the top of a checkout. ``.git`` is a folder, or in a worktree the file that stands for one."""


def checkout_of(path: str) -> str:
    """The top of the checkout that a file or folder lies in; outside any, the folder itself."""
    real = os.path.realpath(path)
    folder = real if os.path.isdir(real) else os.path.dirname(real)  # noqa: PTH112, PTH120
    return top_of(folder) or folder


def top_of(folder: str) -> str | None:
    """The nearest folder, from this one upwards, at which a checkout begins."""
    place, below = folder, ""
    while place != below:
        if any(os.path.exists(os.path.join(place, mark)) for mark in MARKS):  # noqa: PTH110, PTH118
            return place
        place, below = os.path.dirname(place), place  # noqa: PTH120
    return None


def is_below(place: str, top: str) -> bool:
    """Is this ``top`` itself or something in it, links followed?"""
    return holds(os.path.realpath(top), os.path.realpath(place))


def holds(top: str, place: str) -> bool:
    """The same, by the text of two absolute paths."""
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)

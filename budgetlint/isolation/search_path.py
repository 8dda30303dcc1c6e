"""Where Python looks for modules: never in a folder that is checked. A repository that holds ``json.py`` or ``ruamel/`` beside a launch
script with ``export PYTHONPATH=$PWD`` would be run by whoever checks it.

This module is imported before everything else; what it imports itself says `budgetlint.isolation.checkout`.
"""

import os
import sys

from budgetlint.isolation.checkout import checkout_of, is_below

_checked: list[str] = []
left: list[str] = []
"""What stood on ``sys.path`` until `leave`."""


def leave(words: list[str]) -> None:
    """Take the working directory, the checkouts of what ``words`` of the command line name, and all below them from ``sys.path``.
    Nothing of them is imported from then on, nor taken for a plugin (`is_checked`)."""
    for word in (".", *words):
        try:
            if os.path.exists(word):  # noqa: PTH110
                check(checkout_of(word))
        except OSError:  # the working directory is gone
            continue
    kept = {*_library(), *site_folders(), home()}
    left.extend(place for place in sys.path if place not in kept and (not os.path.isabs(place) or is_checked(place)))  # noqa: PTH117
    sys.path[:] = [place for place in sys.path if place not in left]


def check(folder: str) -> None:
    """This folder is one of those that are checked: a command names it, or an editor opened it."""
    real = os.path.realpath(folder)
    if real not in _checked:
        _checked.append(real)


def is_checked(place: str) -> bool:
    """Does a file or folder lie in what is checked, links followed?"""
    return any(is_below(place, top) for top in _checked)


def site_folders() -> tuple[str, ...]:
    """Where installed distributions lie: the interpreter's own site folders, wherever they are (an environment is often part of the
    project, and who starts its Python has chosen it), and the user's, unless it is checked: ``HOME`` may lie in the checkout."""
    site = sys.modules.get("site")
    if site is None:  # python -S
        return ()
    user = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    return (*site.getsitepackages(), *([user] if user and not is_checked(user) else []))


def home() -> str:
    """The folder that holds the package budgetlint; beside it lies what it needs."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    return os.path.dirname(package)  # noqa: PTH120


def _library() -> list[str]:
    """The places of ``sys.path`` that hold the standard library."""
    library = os.path.dirname(os.__file__)  # noqa: PTH120
    zipped = os.path.join(os.path.dirname(library), f"python{sys.version_info[0]}{sys.version_info[1]}.zip")  # noqa: PTH118, PTH120
    compiled = (os.path.join(library, "lib-dynload"), os.path.join(sys.base_prefix, "DLLs"))  # noqa: PTH118
    return [library, zipped, *compiled]

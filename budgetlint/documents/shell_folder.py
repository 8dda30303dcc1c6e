"""Folders that a script asks the shell for. A launch runs where its paths lead, so both its working directory and its own folder
are written ``.``: a path in it is tried from either.

What public scripts write: ``$(pwd)``, ``$(dirname "$0")``, ``$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)``.
"""

from __future__ import annotations

from budgetlint.base.expression import expression

_NOISE = expression(r"""[$`"'();{}]|&&|\s-[PL]\b|--|[12&]?>\s*(?:/dev/null|&1)""")
_WORDS = frozenset(("cd", "pwd", "dirname", "realpath", "readlink", "-f", "-e", "0", "BASH_SOURCE[0]", "BASH_SOURCE", "PWD", "."))
_UP = expression(r"(?:/\.\.)+/?")


_SCRIPT = ("$0", "{0}", "BASH_SOURCE")


def folder(text: str) -> str | None:
    """``.``, or a way up from it; None where the command asks for anything else."""
    words = _NOISE.sub(" ", text).split()
    ways = [word.rstrip("/") for word in words if _UP.fullmatch(word)]
    of_script = any(name in text for name in _SCRIPT)
    if any(word not in _WORDS and not _UP.fullmatch(word) for word in words) or not (of_script or "pwd" in text.lower()):
        return None
    return "." + "/.." * (words.count("dirname") - of_script) + "".join(ways)

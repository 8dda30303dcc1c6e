"""Paths that a script has the shell work out of what it holds: ``$(dirname "$X")``, ``$(cd "$X/.." && pwd)``, ``$(basename "$X")``.

A path is a text here: no link is followed and nothing is looked up. Sources: POSIX.1-2017 ``dirname``, ``basename``, ``cd``, ``pwd``;
GNU coreutils 9 ``realpath``, ``readlink -f``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from budgetlint.base.expression import expression
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_tokens import Operator
from budgetlint.documents.shell_words import RawWord

LONGEST = 400
"""Characters of one substitution."""
_COUNT = expression(
    r"""echo\s+["']?\$\{?([A-Za-z_]\w*)\}?["']?\s*\|\s*"""
    r"""(?:tr\s+(?:-s\s+)?["']?,["']?\s+["']?(?:\\n|\s)["']?\s*\|\s*wc\s+-[lw]|awk\s+-F\s*["']?,["']?\s+["']\{\s*print\s+NF;?\s*\}["'])"""
)
"""How many a list with commas names."""

Text = Callable[[RawWord], str | None]
"""What a word comes to; None where that is not known."""


def inside(substitution: str) -> str:
    """The command of ``$(...)`` or of backquotes."""
    return substitution[1:-1] if substitution.startswith("`") else substitution[2:-1]


def is_comment(substitution: str) -> bool:
    """`` `# not now` ``: in backquotes a comment ends with them; it leaves nothing."""
    return substitution.startswith("`") and substitution[1:].lstrip(" \t").startswith("#") and "\n" not in substitution


def path(substitution: str, text: Text) -> str | None:
    """The path, or None for what is no path or hangs on what nobody knows."""
    body = inside(substitution)
    commands = _commands(body) if len(body) <= LONGEST else None
    if not commands or len(commands) > 2:
        return None
    told = [[text(word) for word in command] for command in commands]
    words = [[one for one in command if one is not None] for command in told]
    if [len(one) for one in words] != [len(one) for one in told]:
        return None
    if len(words) == 2:
        return _entered(*words)
    return _asked(words[0]) if words[0] else None


def _commands(body: str) -> list[list[RawWord]] | None:
    """Simple commands behind each other, without redirections; None for anything with a pipe or a branch."""
    found: list[list[RawWord]] = [[]]
    skips = False
    for token in Lexer(body).tokens():
        if isinstance(token, Operator):
            if token.redirects:
                skips = not token.text.endswith("&-")
            elif token.text in ("&&", ";", "\n"):
                found.append([])
            else:
                return None
        elif not isinstance(token, RawWord):
            return None
        elif skips:
            skips = False
        else:
            found[-1].append(token)
    return [one for one in found if one]


def _entered(first: list[str], second: list[str]) -> str | None:
    """``cd X && pwd``"""
    words = [one for one in first if one not in ("--", "-P", "-L")]
    is_asked = second[:1] == ["pwd"] and all(one in ("-P", "-L") for one in second[1:])
    if not is_asked or len(words) != 2 or words[0] != "cd" or words[1].startswith(("-", "~")) or not words[1]:
        return None
    return posixpath.normpath(words[1])


def _asked(words: Sequence[str]) -> str | None:
    name, given = words[0], [one for one in words[1:] if one != "--"]
    if name == "dirname" and len(given) == 1 and not given[0].startswith("-"):
        return posixpath.dirname(given[0].rstrip("/")) or ("/" if given[0].startswith("/") else ".")
    if name == "basename" and len(given) in (1, 2) and not given[0].startswith("-"):
        last = given[0].rstrip("/").rpartition("/")[2]
        return last.removesuffix(given[1]) if len(given) == 2 and last != given[1] else last
    if name in ("realpath", "readlink"):
        rest = [one for one in given if one not in ("-f", "-m", "-e", "-s")]
        is_whole = name == "realpath" or "-f" in given or "-m" in given or "-e" in given
        return posixpath.normpath(rest[0]) if is_whole and len(rest) == 1 and not rest[0].startswith("-") else None
    if name == "echo" and len(given) == 1 and not given[0].startswith("-"):
        return given[0]
    return None


def counted(substitution: str, value: Callable[[str], str | None]) -> str | None:
    """``$(echo $CUDA_VISIBLE_DEVICES | tr ',' '\\n' | wc -l)``: how many devices are named."""
    found = _COUNT.fullmatch(inside(substitution).strip())
    text = value(found[1]) if found is not None else None
    return str(text.count(",") + 1) if text else None

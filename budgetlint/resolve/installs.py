"""What scripts install with pip: the requirement files and the versions that their commands name.

Sources: pip 25 ``pip install`` (``-r``/``--requirement FILE``, requirements as words), uv 0.8 ``uv pip install``. Of several commands the
last that names a package holds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.files.disk import Files
from budgetlint.files.wanted import NOTEBOOK_SUFFIX
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.environments import as_pip

_COMMAND = expression(
    r"""(?:^|[;&|!%`"]|\$\s|\bRUN\s(?:[ \t]*--\S{1,120}[ \t]){0,3}|\bthen\s|\bdo\s|\bsudo\s)[ \t]*"""
    r"""(?:(?:conda|mamba|micromamba)[ \t]+run[ \t]+(?:-\w+[ \t]+[\w./-]{1,60}[ \t]+){0,3})?"""
    r"""(?:(?:\S{0,80}python[\d.]*[ \t]+-m[ \t]+|uv[ \t]+|/\S{1,80}/)?pip[\d.]*[ \t]+install|uv[ \t]+add"""
    r"""|(?P<conda>conda|mamba|micromamba)[ \t]+(?:install|create))\b(?P<words>[^\n;&|#`]*)""",
    re.MULTILINE,
)
_WORDS = ("pip", "conda", "mamba", "uv add")
_WORD = expression(r"""["']?([^\s"']+)["']?""")
_FILE = expression(r"(?:-r|--requirement)=?(\S*)")
_VARIABLE = expression(r"^.*\$(?:\{[^}]*\}|\w+)/|^\$\([^)]*\)/")
INSTRUCTIONS = ("Dockerfile", "setup.sh", "install.sh", "README.md", "Makefile")
"""Files of a folder that say how its programs are set up."""


def installs(files: Files, path: str) -> Iterator[tuple[str, Span | SourceFile, SourceFile]]:
    """What the script at ``path`` installs, in order: a requirement with its place in the script, or a requirement file that is here."""
    source = files.read(path) if files.exists(path) else None
    if not isinstance(source, SourceFile) or not any(word in source.text for word in _WORDS):
        return
    text = source.text.replace("\\\n", "  ")
    if path.endswith(NOTEBOOK_SUFFIX):
        text = text.replace("\\n", "  ")  # a line end in its JSON
    held = dict(_HELD.findall(text)) if "$" in text else {}
    for command in _COMMAND.finditer(text):
        named = False
        for word in _WORD.finditer(command["words"]):
            option = _FILE.fullmatch(word[1])
            if named or (option is not None and option[1]):
                named = False
                if (found := _file(files, path, option[1] if option is not None else word[1])) is not None:
                    yield "", found, source
            elif option is not None:
                named = True
            elif not word[1].startswith("-"):
                start = command.start("words") + word.start(1)
                text = as_pip(word[1]) if command["conda"] else _with_held(word[1], held)
                yield text, Span(start, start + len(word[1])), source


_HELD = expression(r"^[ \t]*(?:ARG|ENV|export)?[ \t]*([A-Z][A-Z0-9_]{1,60})[= ]v?[\"']?(\d[\w.]{0,30})[\"']?[ \t]*$", re.MULTILINE)
_TAKEN = expression(r"\$\{?([A-Z][A-Z0-9_]{1,60})\}?")


def _with_held(text: str, held: dict[str, str]) -> str:
    """``transformers==${TRANSFORMERS_VERSION}``, of a variable that the file sets to a version."""
    return _TAKEN.sub(lambda one: held.get(one[1], one[0]), text) if held else text


def _file(files: Files, path: str, name: str) -> SourceFile | None:
    """A requirement file, from the working directory or from a folder around the script; one below a variable by what follows it."""
    name = _VARIABLE.sub("", name)
    found = (one for one in candidates(path, name) if not files.leads_out(one) and files.exists(one)) if "$" not in name else iter(())
    source = next((files.read(one) for one in found), None)
    return source if isinstance(source, SourceFile) else None


def named_by_instructions(files: Files, folder: str) -> set[str]:
    """The requirement files that the folder's own instructions install."""
    paths = (posixpath.join(folder, name) if folder else name for name in INSTRUCTIONS)
    return {found.path for path in paths for _, found, _ in installs(files, path) if isinstance(found, SourceFile)}

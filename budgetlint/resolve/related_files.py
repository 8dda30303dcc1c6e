"""Which files of a repository may belong to a run with some named files. Only texts are searched here, nothing is parsed.

A file belongs to a run with those that it names and with those that name it. The search is for base names, so that it finds too
many rather than too few; which runs a file is really part of is seen once they are made (`budgetlint.resolve.membership`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cache, lru_cache

from budgetlint.base.expression import expression
from budgetlint.base.record import field, open_state, record
from budgetlint.base.source import SourceFile
from budgetlint.files.disk import Files
from budgetlint.resolve.file_entries import SCRIPT_SUFFIXES
from budgetlint.resolve.project import BUDGET_SUFFIX, LOCK, lock_beside


@record
class RelatedFiles:
    """``paths`` are the files to read. ``taken`` are the named files, and the scripts that a named script starts."""

    paths: tuple[str, ...]
    taken: frozenset[str]


def related_files(files: Files, listed: Iterable[str], named: Iterable[str]) -> RelatedFiles:
    """The files among ``listed`` that are needed to judge every run of the files ``named``."""
    search = _Search(files, tuple(listed))
    taken = search.with_called(set(named))
    found = search.naming(taken | {path for lock in taken if _is_lock(lock) for path in search.budgets_beside(lock)})
    found |= search.naming(search.bound_elsewhere(found))
    changed = [path for path in found if path.endswith(BUDGET_SUFFIX)]
    found |= {path for path in search.listed if any(_is_below(path, posixpath.dirname(budget)) for budget in changed)}
    return RelatedFiles(tuple(sorted(found | search.budgets_over(found))), frozenset(taken))


def with_called(files: Files, listed: Iterable[str], named: Iterable[str]) -> frozenset[str]:
    """``named``, and the scripts among ``listed`` that those start."""
    return frozenset(_Search(files, tuple(listed)).with_called(set(named)))


@open_state
class _Search:
    """Texts are asked for many names; the words of each are found once."""

    files: Files
    listed: tuple[str, ...]
    _words: dict[str, frozenset[str]] = field(default_factory=dict)

    def text(self, path: str) -> str:
        source = self.files.read(path)
        return source.text if isinstance(source, SourceFile) else ""

    def words(self, path: str) -> frozenset[str]:
        if path not in self._words:
            self._words[path] = frozenset(_WORD.findall(self.text(path)))
        return self._words[path]

    def naming(self, paths: Iterable[str]) -> set[str]:
        """``paths``, the files that name one of them, the files that name those, and so on."""
        found = new = set(paths)
        while new:
            keys = frozenset(key for path in new for key in _keys(path))
            new = {path for path in self.listed if path not in found and self._names(path, keys)}
            found = found | new
        return found

    def _names(self, path: str, keys: frozenset[str]) -> bool:
        text = self.text(path)
        told = any(key in text for key in keys) if len(keys) <= _FEW else not keys.isdisjoint(self.words(path))
        return told or _composes(text, keys) or (path.endswith(BUDGET_SUFFIX) and _GLOB.search(text) is not None)

    def with_called(self, named: set[str]) -> set[str]:
        """With the scripts that these scripts start, which are read with the arguments that they get."""
        if not any(suffix in self.text(path) for path in named for suffix in SCRIPT_SUFFIXES):
            return named
        from budgetlint.launch.calls import names_in  # the shell's grammar: most named files start no script

        found = new = named
        while new:
            called = names_in("\n".join(self.text(path) for path in new))
            new = {path for path in self.listed if path not in found and posixpath.basename(path) in called}
            found = found | new
        return found

    def bound_elsewhere(self, found: Iterable[str]) -> set[str]:
        """Files that a script among ``found`` names and a budget too: then the run is the budget's."""
        started = frozenset().union(*(self.words(path) for path in found if _starts_runs(path, self.text(path))))
        bound = frozenset().union(*(self.words(path) for path in self.listed if path.endswith(BUDGET_SUFFIX)))
        return {path for path in self.listed if _key(path) in started & bound}

    def budgets_over(self, found: Iterable[str]) -> set[str]:
        """The budgets in and above the folders of files: they hold for what no other budget names."""
        budgets = [path for path in self.listed if path.endswith(BUDGET_SUFFIX)]
        return {budget for budget in budgets if any(_is_below(path, posixpath.dirname(budget)) for path in found)}

    def budgets_beside(self, lock: str) -> Iterable[str]:
        """The budgets whose runs a lock is about."""
        return (path for path in self.listed if path.endswith(BUDGET_SUFFIX) and lock_beside(path) == lock)


def _is_lock(path: str) -> bool:
    return posixpath.basename(path) == LOCK


_WORD = expression(r"[\w.-]+")
_GLOB = expression(r"[*?\[]")
_FEW = 16
"""Up to so many names a text is searched for each, at the speed of memory."""


@cache
def _key(path: str) -> str:
    """The last word of the base name: what stands in every text that names the file."""
    name = posixpath.basename(path)
    words: list[str] = _WORD.findall(name)
    return words[-1] if words else name


def _keys(path: str) -> tuple[str, ...]:
    """How others may name a file: by its name; Hydra and modules without the suffix; a checkpoint by its folder."""
    key = _key(path)
    stem, suffix = posixpath.splitext(key)
    if key == "config.json":
        return key, _key(posixpath.dirname(path) or key)
    return (key, stem) if suffix in _WITHOUT_SUFFIX else (key,)


_WITHOUT_SUFFIX = (".yaml", ".yml", ".py")
_COMPOSED = expression(r"\$(?:\{[^}\n]{0,200}\}|\w{1,200})([\w.-]{0,200}\.[A-Za-z]\w{0,20})")


def _composes(text: str, keys: frozenset[str]) -> bool:
    """Is a file named whose name ends like one of these behind a variable (``sft-$SIZE.yaml``)?"""
    return "$" in text and not _ends(keys).isdisjoint(_COMPOSED.findall(text))


@lru_cache(maxsize=8)
def _ends(keys: frozenset[str]) -> frozenset[str]:
    """Every end of every key: a hostile text may hold a million tails."""
    return frozenset(key[at:] for key in keys for at in range(len(key)))


_JOB = expression(r"^(?:run|command|entrypoint|apiVersion|resources|stages)\s*:", re.MULTILINE)


def _starts_runs(path: str, text: str) -> bool:
    return path.endswith(SCRIPT_SUFFIXES) or text.startswith("#!") or _JOB.search(text) is not None


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")

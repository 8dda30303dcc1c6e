"""Today's files with the gate of a revision: which texts judge instead of today's, and how the two gates differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from budgetlint.base.record import open_record
from budgetlint.base.source import Location, SourceFile
from budgetlint.compare.affected import Change
from budgetlint.config.config import Config
from budgetlint.files.disk import Files
from budgetlint.gate.budgets import restored
from budgetlint.gate.change import BY_EFFECT, LOOSENS, GateChange
from budgetlint.gate.comments import commented
from budgetlint.gate.settings import rest_of, settings_changes
from budgetlint.resolve.project import BUDGET_SUFFIX, LOCK

SETTINGS_FILE = "pyproject.toml"


@open_record
class EarlierGate:
    """``texts`` are read instead of today's files, ``hidden`` are not there. ``alone``: the change touches nothing else."""

    texts: Mapping[str, str]
    hidden: frozenset[str]
    changes: tuple[GateChange, ...]
    alone: bool

    @property
    def differs(self) -> bool:
        return bool(self.texts or self.hidden or self.changes)


def gate_of(
    before: Files,
    after: Files,
    change: Change,
    renamed: Mapping[str, str],
    configs: tuple[Config, Config],
    format_of: Callable[[str], str],
    baselines: Iterable[str] = (),
) -> EarlierGate:
    """``renamed`` gives the name that a file has now by the one that it had, ``configs`` the settings then and now; ``format_of`` says how
    comments are written in a file of today, ``baselines`` are files that hide findings."""
    was_called = {new: old for old, new in renamed.items()}
    made = _Made(before, after, was_called, format_of, {*baselines, *(name for config in configs if (name := config.baseline))})
    for path in sorted(change.edited | change.come.keys()):
        made.take(path)
    for path in sorted(change.gone.keys() - renamed.keys()):
        made.lose(path)
    changes = (*settings_changes(*configs), *made.changes)
    return EarlierGate(made.texts, frozenset(made.hidden), changes, bool(changes) and not made.others)


class _Made:
    """What is gathered file by file. ``others`` are files of which more changed than the gate."""

    def __init__(
        self, before: Files, after: Files, was_called: Mapping[str, str], format_of: Callable[[str], str], baselines: set[str]
    ) -> None:
        self.before, self.after, self.was_called, self.format_of, self.baselines = before, after, was_called, format_of, baselines
        self.texts: dict[str, str] = {}
        self.hidden: set[str] = set()
        self.changes: list[GateChange] = []
        self.others: set[str] = set()

    def take(self, path: str) -> None:
        """A file that is there today, and is another one than it was."""
        now, was = _text(self.after, path), self._earlier(path)
        if now is None:
            self.others.add(path)
        elif path.endswith(BUDGET_SUFFIX):
            self._budget(path, was, now)
        elif path.rpartition("/")[2] == LOCK:
            self._lock(path, was)
        elif path.rpartition("/")[2] == SETTINGS_FILE:
            if rest_of(was) != rest_of(now):
                self.others.add(path)
        elif path not in self.baselines:
            self._commented(path, was, now)

    def lose(self, path: str) -> None:
        """A file that is gone, and has no other name. Of a config nobody asks any more."""
        was = _text(self.before, path)
        is_gate = path.endswith(BUDGET_SUFFIX) or path.rpartition("/")[2] == LOCK
        if not is_gate or was is None:
            self.others.add(path)
            return
        self.texts[path] = was.text
        self.changes.append(GateChange("budget", path, "", LOOSENS, Location(path), path))

    def _earlier(self, path: str) -> SourceFile | None:
        old = self.was_called.get(path, path)
        return _text(self.before, old) if self.before.exists(old) else None

    def _budget(self, path: str, was: SourceFile | None, now: SourceFile) -> None:
        if was is None:
            self.hidden.add(path)
            self.changes.append(GateChange("budget", "", path, BY_EFFECT, Location(path), path))
            return
        merged = restored(was, now)
        if merged.text != now.text:
            self.texts[path] = merged.text
        waived = commented(SourceFile(path, was.text), SourceFile(path, merged.text), "budget")
        if waived.changes:
            self.texts[path] = waived.text
        self.changes += [*merged.changes, *waived.changes]

    def _lock(self, path: str, was: SourceFile | None) -> None:
        if was is None:
            self.hidden.add(path)
        else:
            self.texts[path] = was.text
        self.changes.append(GateChange("measured", was.path if was else "", path, LOOSENS, Location(path), path))

    def _commented(self, path: str, was: SourceFile | None, now: SourceFile) -> None:
        made = commented(was, now, self.format_of(path))
        if made.text != now.text:
            self.texts[path] = made.text
        self.changes += made.changes
        if was is None or made.bare[0] != made.bare[1]:
            self.others.add(path)


def _text(files: Files, path: str) -> SourceFile | None:
    source = files.read(path)
    return source if isinstance(source, SourceFile) else None

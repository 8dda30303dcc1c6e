"""One folder that an editor has open: its files, and a check of what is open in it.

A check judges every run that an open file is part of, with the other files of those runs, as ``budgetlint check FILE`` does. What was
read of a text is kept for as long as the text stays the same; the disk is listed again when it may have changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from budgetlint.base.finding import Finding
from budgetlint.base.record import field, open_record, open_state, record
from budgetlint.base.source import SourceFile
from budgetlint.config.config import Config
from budgetlint.config.load import load_config
from budgetlint.files.disk import ChangedFiles, DiskFiles, nearest_settings
from budgetlint.files.wanted import CONFIG_SUFFIXES, PYTHON_SUFFIX, is_named, is_wanted
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.project import Project

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget
    from budgetlint.results.report import Report
    from budgetlint.results.solution import Remedy
    from budgetlint.rules_api.context import Judged, RunContext

FRESH_SECONDS = 5.0
"""For so long a listing of the folder is trusted while somebody types; opening, saving and a watcher's word renew it."""


@record
class _Read:
    """What one text was taken for, with the problems that were met."""

    source: SourceFile
    entry: FileEntry
    findings: tuple[Finding, ...]


@open_record
class CheckedWorkspace:
    """What is known of the open files: everything judged, and the report on it."""

    judged: Judged
    report: Report
    files: ChangedFiles
    config: Config
    project: Project
    extra: Budget | None = None
    remedies: dict[str, tuple[Remedy, ...]] = field(default_factory=dict, repr=False)
    """Of the runs that somebody asked about, by their labels."""

    def runs_of(self, path: str) -> tuple[RunContext, ...]:
        """The runs that a file is part of."""
        from budgetlint.compare.affected import files_of_run

        return tuple(context for context in self.judged.runs if path in files_of_run(context))


@open_state
class Workspace:
    """``root`` is the folder; paths are shown relative to it. ``deep``: its configs are looked for in the folders below it too."""

    root: Path
    deep: bool = True
    _disk: DiskFiles | None = None
    _listed: tuple[str, ...] = ()
    _config: Config = field(default_factory=Config)
    _settings_file: Path | None = None
    _looked: float = 0.0
    _known: dict[str, _Read] = field(default_factory=dict)

    def forget_disk(self) -> None:
        """The disk may have changed: look again."""
        self._disk = None

    def check(self, opened: Mapping[str, SourceFile], named: frozenset[str] | None = None) -> CheckedWorkspace:
        """Judge the runs of the open texts, by their paths; of ``named`` only where they are given."""
        from budgetlint.engine.check import check
        from budgetlint.engine.registry import installed
        from budgetlint.resolve.membership import of_named
        from budgetlint.resolve.related_files import related_files
        from budgetlint.resolve.runs import judge

        disk = self._fresh_disk()
        files, config = ChangedFiles(disk, {path: source.text for path, source in opened.items()}), self._config_with(opened)
        new = (path for path, source in opened.items() if not disk.exists(path) or _makes_arguments(path, source))
        listed = tuple(sorted({*self._listed, *new}))
        asked = set(opened) & set(listed) if named is None else named & set(opened) & set(listed)
        found = related_files(files, listed, asked)
        project = self._project(files, found.paths, listed)
        extra = _extra_budget(config, files)
        judged = judge(project, extra=extra, taken=found.taken)
        report = of_named(check(judged, installed(), config), found.taken)
        return CheckedWorkspace(judged, _without_known(report, config, files), files, config, project, extra)

    def _fresh_disk(self) -> DiskFiles:
        if self._disk is None or time.monotonic() - self._looked > FRESH_SECONDS:
            self._settings_file = nearest_settings(self.root)
            self._config = _load(self.root, self._settings_file)
            self._disk = DiskFiles(self.root, self._config.exclude)
            self._listed = tuple(self._disk.expand(["."] if self.deep else _configs_in(self.root)))
            self._looked = time.monotonic()
        return self._disk

    def _config_with(self, opened: Mapping[str, SourceFile]) -> Config:
        """The settings; where their file is open, as it stands there."""
        source = opened.get("pyproject.toml") if self._settings_file == self.root / "pyproject.toml" else None
        return load_config(source) if source else self._config

    def _project(self, files: ChangedFiles, paths: tuple[str, ...], listed: tuple[str, ...]) -> Project:
        project = Project(files, listed=listed)
        for path in paths:
            known = self._read(files, path)
            if known is None:
                project.add(path)
            else:
                project.entries[path] = known.entry
                project.findings.extend(known.findings)
        return project

    def _read(self, files: ChangedFiles, path: str) -> _Read | None:
        """What a text is taken for; read again only where the text is another. None for what cannot be read."""
        source = files.read(path)
        if not isinstance(source, SourceFile):
            return None
        known = self._known.get(path)
        if known is not None and known.source.text == source.text:
            return known
        alone = Project(files, named=frozenset((path,)))
        entry = alone.add(path)
        if entry.budget is not None and entry.budget.includes:
            return None  # what it includes may change without it
        self._known[path] = found = _Read(source, entry, tuple(alone.findings))
        return found


def _configs_in(folder: Path) -> list[str]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return []
    return [name for name in names if is_named(name) or name.lower().endswith(tuple(CONFIG_SUFFIXES))]


def _makes_arguments(path: str, source: SourceFile) -> bool:
    """A program that on the disk is no training script yet."""
    return path.endswith(PYTHON_SUFFIX) and is_wanted(path, source.text)


def _load(root: Path, path: Path | None) -> Config:
    if path is None:
        return Config()
    source = DiskFiles(root).read("pyproject.toml" if path.parent == root else str(path))
    return load_config(source) if isinstance(source, SourceFile) else Config()


def _without_known(report: Report, config: Config, files: ChangedFiles) -> Report:
    """What the project's baseline knows is not told here either. `check` says what is wrong with the file."""
    source = files.read(config.baseline) if config.baseline is not None else None
    if not isinstance(source, SourceFile):
        return report
    from budgetlint.engine.baseline import BadBaseline, read, without_known

    try:
        return without_known(report, read(source.text))
    except BadBaseline:
        return report


def _extra_budget(config: Config, files: ChangedFiles) -> Budget | None:
    """The budget in ``[tool.budgetlint]``."""
    if config.budget is None or config.source is None:
        return None
    from budgetlint.language import read_budget

    return read_budget(SourceFile(config.source.path, config.budget), load=files.read)

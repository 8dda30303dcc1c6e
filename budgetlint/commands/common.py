"""What several commands share: the project that their options make."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from budgetlint.base.record import open_record, replace
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.config.config import Config
from budgetlint.config.load import load_config
from budgetlint.files.disk import ChangedFiles, DiskFiles, Files, is_repository, nearest_settings
from budgetlint.files.walk import Passed
from budgetlint.language import read_budget
from budgetlint.resolve.file_entries import FileEntry, script_entry
from budgetlint.resolve.project import BUDGET_SUFFIX, Project, open_project
from budgetlint.resolve.runs import judge
from budgetlint.settings.run import Settings

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget
    from budgetlint.resolve.handed import HandedRun
    from budgetlint.rules_api.context import Judged, RunContext

STDIN = "-"


def is_ci(environ: Mapping[str, str]) -> bool:
    """Is this a CI machine, by the word that all of them set?"""
    return environ.get("CI", "").lower() not in ("", "0", "false")


def open_config(io: Console) -> Config:
    """``[tool.budgetlint]`` of the nearest pyproject.toml at or above the working directory."""
    path = nearest_settings(io.root)
    if path is None:
        return Config()
    source = DiskFiles(io.root, named=[str(path)]).read("pyproject.toml" if path.parent == io.root else str(path))
    if isinstance(source, UnreadableFile):  # it may say what fails
        raise Misuse(f"{source.path} {source.problem}: {source.cure}")
    return load_config(source)


def project_of(paths: Sequence[str], io: Console, config: Config, files: Files | None = None) -> Project:
    """Every named path must exist; a folder is walked."""
    for path in paths:
        if path != STDIN and files is None and not (io.root / path).exists() and not (io.root / path).is_symlink():
            raise Misuse(f"{path} does not exist")
    return open_project(files or DiskFiles(io.root, config.exclude, _walked(paths)), _walked(paths), bind=config.binds)


def _walked(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if path != STDIN) if paths else (".",)


@open_record
class Session:
    """What one command line is about: the files, a budget from standard input or ``--budget``, ``--set`` and ``--target``."""

    project: Project
    paths: tuple[str, ...]
    extra: Budget | None
    overrides: Settings
    target: str | None = None
    launch: str = ""
    """The document path of a launch command: only its runs are judged."""
    taken: frozenset[str] | None = None
    """Where only files are named: only their runs are judged, though other files are read for them."""
    handed: tuple[HandedRun, ...] = ()
    """Runs whose settings came from outside: only these are judged."""

    def judged(self) -> Judged:
        if self.handed:
            from budgetlint.resolve.handed_judged import judge_handed  # few checks are asked by a launcher

            return self._narrowed(judge_handed(self.project, self.handed, extra=self.extra, overrides=self.overrides))
        return self._narrowed(judge(self.project, extra=self.extra, overrides=self.overrides, taken=self.taken))

    def rejudged(self, texts: Mapping[str, str]) -> Judged:
        """The same with some files' texts changed."""
        project = open_project(ChangedFiles(self.project.files, texts), self.paths, self.project.listed, self.project.bind)
        if self.launch and self.launch in self.project.entries:
            project.entries[self.launch] = self.project.entries[self.launch]
        return self._narrowed(judge(project, extra=self.extra, overrides=self.overrides, taken=self.taken))

    @property
    def unwritten(self) -> tuple[str, ...]:
        """Texts that are no files: a budget of the command line or the settings, a command. No fix may change what has their name."""
        return (COMMAND_LINE, *((self.extra.path,) if self.extra is not None else ()))

    @property
    def passed(self) -> tuple[Passed, ...]:
        """What was passed over on the way."""
        return (*self.project.files.passed, *self.project.passed)

    def _narrowed(self, result: Judged) -> Judged:
        if self.launch:
            result = _of_launch(result, self.launch)
        return _on_target(result, self.target) if self.target else result


def open_session(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config, files: Files | None = None) -> Session:
    """``files`` are other ones than the disk's, such as those of a revision: what is named need not be among them."""
    launch: list[str] = getattr(args, "launch", [])
    if not launch and _names_files(paths, io):
        return session_around(paths, args, io, config, files)
    project = _launch_project(paths, launch, io, config, files) if launch else project_of(paths, io, config, files)
    extra = extra_budget(paths, args, io, config, project)
    started = add_command(project, launch) if launch else ""
    return Session(
        project, _walked(paths) if not launch else tuple(project.entries), extra, settings_of_command(args), args.target, started
    )


def settings_of_command(args: argparse.Namespace) -> Settings:
    if not args.set:
        return Settings()
    from budgetlint.commands.overrides import overrides  # the table of all settings: a check without --set needs none of it

    return overrides(args.set)


def _names_files(paths: Sequence[str], io: Console) -> bool:
    """Is a file named of the repository that the working directory is, or lies in? Elsewhere nobody knows how far to look."""
    inside = all(not path.startswith(("/", "..")) and (io.root / path).exists() for path in paths)
    return STDIN not in paths and inside and any((io.root / path).is_file() for path in paths) and is_repository(io.root)


def session_around(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config, files: Files | None = None) -> Session:
    """The runs that named files, and those below named folders, take part in, with what else belongs to these runs. ``--budget``
    is asked about them as if the repository had no budgets."""
    from budgetlint.resolve.related_files import related_files

    files = files or DiskFiles(io.root, config.exclude, paths)
    listed = tuple(files.expand(["."]))
    named = set(files.expand(paths)) & set(listed) if getattr(args, "force_exclude", False) else set(files.expand(paths))
    if args.budget is not None:
        listed = tuple(path for path in listed if not path.endswith(BUDGET_SUFFIX) or path in named)
    found = related_files(files, listed, named)
    project = open_project(files, found.paths, listed, config.binds)
    extra = extra_budget(paths, args, io, config, project)
    return Session(project, found.paths, extra, settings_of_command(args), args.target, taken=found.taken)


def crashed(project: Project, io: Console) -> int:
    """2 where reading a file or working out a run failed, which is told; else 0."""
    for crash in project.crashes:
        io.complain_of(crash)
    return 2 if project.crashes else 0


COMMAND_LINE = "<command>"
"""The name of the launch command's text in messages."""


def _launch_project(paths: Sequence[str], launch: Sequence[str], io: Console, config: Config, files: Files | None = None) -> Project:
    """The budgets of the working directory, and the files named: the command says which configs are read, and may name any."""
    named = (*_walked(paths), *(word for word in launch if (io.root / word).is_file()))
    files = files or DiskFiles(io.root, config.exclude, named)
    budgets = [path for path in files.expand(["."]) if path.endswith(BUDGET_SUFFIX)]
    return open_project(files, (*budgets, *(path for path in paths if path != STDIN)), bind=config.binds)


def add_command(project: Project, words: Sequence[str]) -> str:
    """Enter a launch command (or the script that it runs) into the project; returns the name of its document. One that starts no
    program that trains makes no run."""
    import shlex

    from budgetlint.launch.read import command_launches, named_script

    source = SourceFile(COMMAND_LINE, shlex.join(words))
    launches = command_launches(source)
    script = None if launches else named_script(source)
    if script is not None and project.files.exists(script[0]):
        return _started_with(project, *script)
    project.entries[COMMAND_LINE] = FileEntry(COMMAND_LINE, None, source=source, launches=launches)
    return COMMAND_LINE


def _started_with(project: Project, script: str, arguments: Sequence[str]) -> str:
    entry = project.add(script)
    if arguments and entry.source is not None:
        project.entries[entry.path] = script_entry(entry.source, arguments)
    return entry.path


def _of_launch(result: Judged, launch: str) -> Judged:
    """Only the runs that the command starts, and the documents of those runs."""
    runs = tuple(context for context in result.runs if _belongs(context, launch))
    mine = {id(reading.document.source) for context in runs for reading in context.run.readings}
    documents = tuple(context for context in result.documents if id(context.reading.document.source) in mine)
    flags = tuple(context for context in result.flags if id(context.reading.document.source) in mine)
    return replace(result, runs=runs, documents=documents, flags=flags)


def _belongs(context: RunContext, launch: str) -> bool:
    """A run of the command, or a budget's run that the command's flags are part of."""
    named = context.run.name.partition("#")[0] == launch
    return named or any(reading.document.path == launch for reading in context.run.readings)


def extra_budget(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config, project: Project) -> Budget | None:
    if STDIN in paths:
        return read_budget(io.read(STDIN), load=project.files.read)
    text = args.budget
    if text is None and config.budget is not None and config.source is not None:
        return project.bound(read_budget(SourceFile(config.source.path, config.budget), load=project.files.read))
    if text is None:
        return config.policy.bound if config.policy is not None else None
    return read_budget(SourceFile("--budget", text), load=project.files.read)


def _on_target(result: Judged, name: str) -> Judged:
    runs = tuple(context for context in result.runs if context.target is not None and context.target.name == name)
    if not runs:
        known = sorted({context.target.name for context in result.runs if context.target and context.target.name})
        raise Misuse(f"no run is on target '{name}'{did_you_mean(name, known)}" + (f"; targets: {', '.join(known)}" if known else ""))
    return replace(result, runs=runs)

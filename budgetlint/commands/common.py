"""What several commands share: options that choose files, budgets and targets; the project they make."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from budgetlint.assemble import judge
from budgetlint.commands.console import Console, Misuse
from budgetlint.commands.overrides import overrides
from budgetlint.config import Config, load_config
from budgetlint.context import Judged
from budgetlint.files import ChangedFiles, DiskFiles
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget
from budgetlint.project import Project, open_project
from budgetlint.run import Settings
from budgetlint.source import SourceFile
from budgetlint.suggest import did_you_mean

STDIN = "-"


def add_paths(parser: argparse.ArgumentParser, default: str = "the working directory") -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help=f"files and folders (default: {default})")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", metavar="TEXT", help="a budget for every run that no budget file binds: 'device t4; reserve 1GiB'")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="override a setting of every run: micro_batch=2")
    parser.add_argument("--target", metavar="NAME", help="only this target of the budgets")


def open_config(io: Console) -> Config:
    """``[tool.budgetlint]`` of the nearest pyproject.toml at or above the working directory."""
    for folder in (io.root, *io.root.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            source = DiskFiles(io.root).read(str(path) if folder != io.root else "pyproject.toml")
            return load_config(source) if isinstance(source, SourceFile) else Config()
        if (folder / ".git").exists():
            break
    return Config()


def project_of(paths: Sequence[str], io: Console, config: Config) -> Project:
    """Every named path must exist; a folder is walked."""
    for path in paths:
        if path != STDIN and not (io.root / path).exists() and not (io.root / path).is_symlink():
            raise Misuse(f"{path} does not exist")
    return open_project(DiskFiles(io.root, config.exclude), _walked(paths))


def _walked(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if path != STDIN) if paths else (".",)


@dataclass(frozen=True)
class Session:
    """What one command line is about: the files, a budget from standard input or ``--budget``, ``--set`` and ``--target``."""

    project: Project
    paths: tuple[str, ...]
    extra: Budget | None
    overrides: Settings
    target: str | None = None

    def judged(self) -> Judged:
        return self._narrowed(judge(self.project, extra=self.extra, overrides=self.overrides))

    def rejudged(self, texts: Mapping[str, str]) -> Judged:
        """The same with some files' texts changed."""
        project = open_project(ChangedFiles(self.project.files, texts), self.paths)
        return self._narrowed(judge(project, extra=self.extra, overrides=self.overrides))

    def _narrowed(self, result: Judged) -> Judged:
        return _on_target(result, self.target) if self.target else result


def open_session(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config) -> Session:
    project = project_of(paths, io, config)
    extra = _extra_budget(paths, args, io, config, project)
    return Session(project, _walked(paths), extra, overrides(args.set), args.target)


def _extra_budget(paths: Sequence[str], args: argparse.Namespace, io: Console, config: Config, project: Project) -> Budget | None:
    if STDIN in paths:
        return read_budget(SourceFile(STDIN, io.stdin.read()), load=project.files.read)
    text, name = args.budget, "--budget"
    if text is None and config.budget is not None and config.source is not None:
        text, name = config.budget, config.source.path
    return read_budget(SourceFile(name, text), load=project.files.read) if text is not None else None


def _on_target(result: Judged, name: str) -> Judged:
    runs = tuple(context for context in result.runs if context.target is not None and context.target.name == name)
    if not runs:
        known = sorted({context.target.name for context in result.runs if context.target and context.target.name})
        raise Misuse(f"no run is on target '{name}'{did_you_mean(name, known)}" + (f"; targets: {', '.join(known)}" if known else ""))
    return replace(result, runs=runs)

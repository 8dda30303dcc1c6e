"""``--compare-with REV``: the same command on the files of a revision, and what differs between its answer and today's."""

from __future__ import annotations

import argparse
import io as streams
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from budgetlint.base.record import open_record, open_state, replace
from budgetlint.base.source import SourceFile
from budgetlint.commands.common import STDIN, Session, extra_budget, open_session, session_around
from budgetlint.commands.console import Console
from budgetlint.commands.policy import under
from budgetlint.commands.revision import Git, Revision, find_revision, git_of, is_tracked, opened
from budgetlint.compare.affected import Change, affected_files, change_between, files_of_run, seeds, takes_part_in
from budgetlint.compare.bills import Pair, compared, paired, sides
from budgetlint.compare.findings import labels_of
from budgetlint.config.config import Config
from budgetlint.config.load import load_config
from budgetlint.files.disk import DiskFiles, Files
from budgetlint.files.git_renames import renamed_files
from budgetlint.files.git_tree import RevisionFiles
from budgetlint.resolve import related_files as related
from budgetlint.resolve.project import open_project
from budgetlint.results.comparison import Comparison
from budgetlint.rules_api.context import Judged, RunContext


@open_state
class Base:
    """What a revision's files come to, for the runs that a change can have touched. ``taken``: their files and names, None where
    every run was judged. ``kept`` are today's runs that nothing touched."""

    revision: Revision
    config: Config
    session: Session
    judged: Judged
    renamed: dict[str, str]
    files: RevisionFiles
    now: Files
    """Today's files."""
    change: Change
    tracked: Callable[[str], bool]
    """Does git know a file of today?"""
    taken: frozenset[str] | None = None
    kept: tuple[RunContext, ...] = ()
    looked: frozenset[str] = frozenset()
    """Where every run was not judged: the files that the revision was asked about, and those of their runs."""
    every: Callable[[], Base] | None = None
    """The same with every run judged."""
    untouched: int | None = None
    """Where today's runs were not all judged either: the files that nothing of the change can reach."""

    def pairs(self, judged: Judged) -> list[Pair]:
        return paired(sides(self.judged.runs), sides(self._touched(judged)), self.renamed)

    def labels(self, judged: Judged) -> dict[str, str]:
        return labels_of(self.pairs(judged))

    def comparison(self, judged: Judged) -> Comparison:
        found = compared(sides(self.judged.runs), sides(self._touched(judged)), self.revision.name, self.revision.commit, self.renamed)
        return replace(found, unchanged=found.unchanged + len(self.kept), untouched=self.untouched or 0)

    def _touched(self, judged: Judged) -> list[RunContext]:
        same = {context.label for context in self.kept}
        return [context for context in judged.runs if context.label not in same]


def rereadable(args: argparse.Namespace, io: Console) -> Console:
    """Standard input that can be read for each of the two times."""
    return replace(io, stdin=streams.StringIO(io.read().text)) if STDIN in args.paths else io


@contextmanager
def base_of(args: argparse.Namespace, io: Console, session: Session, judged: Judged, *, whole: bool = False) -> Iterator[Base]:
    """The runs of the revision that ``--compare-with`` names, while its files can be read. ``whole``: every run, touched or not."""
    files_now = session.project.files
    disk = files_now if isinstance(files_now, DiskFiles) else DiskFiles(io.root)
    with opened_revision(args, io, disk) as there:
        change = change_between(there.files, disk)
        renamed = renamed_files(change.gone, change.come)
        tracked = partial(is_tracked, there.git)
        work = _Work(args, io, session, judged, there.files, there.config, change, renamed, tracked)
        apart = disk is not files_now or bool(there.prefix or args.launch or STDIN in args.paths) or session.taken is not None
        made = (None if whole or apart else work.narrowed()) or work.whole()
        yield replace(made, revision=there.revision, every=lambda: replace(work.whole(), revision=there.revision))


@open_record
class OpenedRevision:
    """A revision whose files can be read, with its settings. ``prefix`` is the working directory below the top."""

    git: Git
    revision: Revision
    prefix: str
    files: RevisionFiles
    config: Config


@contextmanager
def opened_revision(args: argparse.Namespace, io: Console, disk: DiskFiles) -> Iterator[OpenedRevision]:
    git = git_of(io)
    revision, place = find_revision(git, args.compare_with)
    with opened(git, revision, place, disk) as files:
        config = under(args, _config_of(io, files))
        files.exclude = config.exclude
        yield OpenedRevision(git, revision, place.prefix, files, config)


def _config_of(io: Console, files: RevisionFiles) -> Config:
    """``[tool.budgetlint]`` of the nearest pyproject.toml that the revision has."""
    for folder in (io.root, *io.root.parents):
        name = "pyproject.toml" if folder == io.root else str(folder / "pyproject.toml")
        if files.in_tree(name) is None:
            break
        source = files.read(name) if files.exists(name) else None
        if isinstance(source, SourceFile):
            return load_config(source)
    return Config()


def with_called(paths: frozenset[str], *both: Files) -> frozenset[str]:
    """With the scripts that those among them start, at either time."""
    return paths.union(*(related.with_called(files, files.expand(["."]), filter(files.exists, paths)) for files in both))


def both_names(names: frozenset[str], renamed: Mapping[str, str]) -> frozenset[str]:
    """With the names that these files had, or have."""
    pairs = renamed.items()
    return names | {new for old, new in pairs if old in names} | {old for old, new in pairs if new in names}


def on_target(judged: Judged, name: str | None) -> Judged:
    """The runs on a target, where one is asked for. It may have come with the change: then no run was on it."""
    runs = (context for context in judged.runs if not name or (context.target is not None and context.target.name == name))
    return replace(judged, runs=tuple(runs))


@open_record
class _Work:
    args: argparse.Namespace
    io: Console
    session: Session
    judged: Judged
    files: RevisionFiles
    config: Config
    change: Change
    renamed: dict[str, str]
    tracked: Callable[[str], bool]

    def base(self, session: Session, judged: Judged) -> Base:
        now = self.session.project.files
        return Base(
            Revision("", ""),
            self.config,
            session,
            on_target(judged, self.args.target),
            self.renamed,
            self.files,
            now,
            self.change,
            self.tracked,
        )

    # -- every run of the command line ---------------------------------------------------------------------------------------

    def whole(self) -> Base:
        if STDIN in self.args.paths:
            self.io.stdin.seek(0)  # `rereadable`
        args = argparse.Namespace(**{**vars(self.args), "target": None})
        open_it = open_session if self.session.taken is None else session_around
        session = open_it(self._paths(), args, self.io, self.config, self.files)
        judged = session.judged()
        if self.session.taken is not None:
            judged = replace(judged, runs=tuple(context for context in judged.runs if self._is_told(context)))
        return self.base(session, judged)

    def _paths(self) -> list[str]:
        """The named paths, by the names that they had."""
        paths: list[str] = list(self.args.paths)
        named = set() if STDIN in paths else set(self.session.project.files.expand(paths))
        return [*paths, *(old for old, new in self.renamed.items() if new in named)]

    def _is_told(self, context: RunContext) -> bool:
        """Of named files: a run that is there still, without one of them now, is not gone."""
        now = {one.run.name for one in self.judged.runs}
        first = context.run.readings[0].document.path if context.run.readings else ""
        return context.run.name in now or not self.session.project.files.exists(first) or first in self.change.all

    # -- only the runs that are touched --------------------------------------------------------------------------------------

    def narrowed(self) -> Base | None:
        """None where too much is touched for that to pay, or where it cannot be told."""
        found = affected_files(self.change, self.files, self.session.project.files)
        if found is None:
            return None
        taken = self._called(found)
        while True:
            mine = [context for context in self.judged.runs if takes_part_in(context, taken)]
            if 2 * len(mine) > len(self.judged.runs):
                return None
            base = self._judged(taken)
            more = taken | self._both(seeds(mine) | seeds(base.judged.runs))
            if more == taken:
                return self._with_kept(base, mine)
            taken = more

    def _called(self, paths: frozenset[str]) -> frozenset[str]:
        """With the scripts that those among them start, at either time."""
        return with_called(paths, self.files, self.session.project.files)

    def _both(self, names: frozenset[str]) -> frozenset[str]:
        return both_names(names, self.renamed)

    def _judged(self, taken: frozenset[str]) -> Base:
        listed = tuple(self.files.expand(self.session.paths))
        found = related.related_files(self.files, listed, taken & set(listed))
        project = open_project(self.files, found.paths, listed, self.config.binds)
        extra = extra_budget(self.args.paths, self.args, self.io, self.config, project)
        session = Session(project, found.paths, extra, self.session.overrides, taken=taken)
        return replace(self.base(session, session.judged()), taken=taken)

    def _with_kept(self, base: Base, mine: list[RunContext]) -> Base:
        ours = {context.label for context in mine}
        kept = tuple(context for context in self.judged.runs if context.label not in ours)
        looked = frozenset().union(base.taken or (), *(files_of_run(context) for context in base.judged.runs))
        return replace(base, kept=kept, looked=looked)

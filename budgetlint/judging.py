"""``budgetlint.judge``: resolved settings of a run, judged under a budget, for launchers.

It prints nothing, ends nothing, and reads no file but a budget that is named and what that includes.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Mapping
from pathlib import Path

from budgetlint.base.source import Location, SourceFile, UnreadableFile
from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.engine.registry import installed
from budgetlint.files.disk import DiskFiles, TextFiles
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.handed import VERSION, Mistake, WrongSettings, handed_runs
from budgetlint.resolve.handed_judged import judge_handed
from budgetlint.resolve.project import Project
from budgetlint.results.judgement import JudgedRun, Judgement, Remark
from budgetlint.results.report import Report
from budgetlint.rules_api.context import Judged, RunContext

__all__ = ["JudgedRun", "Judgement", "Mistake", "Remark", "WrongBudget", "WrongSettings", "judge"]

_SETTINGS, _BUDGET = "<settings>", "<budget>"


class WrongBudget(ValueError):
    """A budget that cannot be read; ``problems`` are its mistakes, a line each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def judge(
    settings: Mapping[str, object],
    budget: str | os.PathLike[str],
    *,
    name: str = "run",
    stack: Mapping[str, str] | None = None,
) -> Judgement:
    """Judge resolved settings under a budget.

    ``settings`` are values by the names that ``budgetlint estimate --settings`` prints (``{"model": "qwen2.5-7b", "micro_batch": 2}``), or
    the whole document that it prints with ``--format json``. ``budget`` is a text, or the path of a file (`os.PathLike`). ``name`` is the
    run's, ``stack`` its package versions; of a whole document both stand in it. Raises `WrongSettings` and `WrongBudget`, which are
    ``ValueError``, and nothing else for what it is given.
    """
    files = TextFiles({}) if isinstance(budget, str) else _folder(budget)
    judged_by = _budget(budget, files)
    source = SourceFile(_SETTINGS, _document(settings, name, stack))
    runs = handed_runs(source)
    project = Project(files)
    project.entries[_SETTINGS] = FileEntry(_SETTINGS, None, source=source)
    judged = judge_handed(project, runs, extra=judged_by)
    return _answer(check(judged, installed(), Config()), judged)


# -- what it is given ----------------------------------------------------------------------------------------------------


def _document(settings: Mapping[str, object], name: str, stack: Mapping[str, str] | None) -> str:
    """One setting a line, so that a mistake has a line too."""
    if not isinstance(settings, Mapping):
        raise _wrong(f"settings are a mapping, not {type(settings).__name__}")
    whole: Mapping[str, object] = settings
    if "runs" not in settings:
        listed = [{"name": key, "value": list(value) if isinstance(value, tuple) else value} for key, value in settings.items()]
        whole = {"version": VERSION, "runs": [{"name": name, "stack": dict(stack or {}), "settings": listed}]}
    try:
        return json.dumps(whole, indent=1, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise _wrong(f"settings are texts, numbers, true, false, lists of texts and None: {error}") from None


def _wrong(message: str) -> WrongSettings:
    return WrongSettings((Mistake(Location(_SETTINGS), "", message),))


def _folder(budget: os.PathLike[str]) -> DiskFiles:
    return DiskFiles(Path(budget).absolute().parent)


def _budget(budget: str | os.PathLike[str], files: TextFiles | DiskFiles) -> Budget:
    source = SourceFile(_BUDGET, budget) if isinstance(budget, str) else files.read(posixpath.basename(os.fspath(budget)))
    if isinstance(source, UnreadableFile):
        raise WrongBudget((f"{os.fspath(budget)} {source.problem}: {source.cure}",))
    found = read_budget(source, load=files.read)
    wrong = tuple(f"{one.location}: {one.message}" for one in found.problems if one.severity.value == "error")
    if wrong:
        raise WrongBudget(wrong)
    return found


# -- what it answers -----------------------------------------------------------------------------------------------------


def _answer(report: Report, judged: Judged) -> Judgement:
    stops = {verdict.label: verdict.stops for verdict in report.verdicts}
    runs = tuple(_run(context, stops.get(context.label, ())) for context in judged.runs)
    remarks = tuple(
        Remark(one.code, one.name, one.severity.value, one.message, one.help, one.key, tuple(one.runs)) for one in report.findings
    )
    return Judgement(runs, remarks, tuple(crash.headline for crash in report.crashes))


def _run(context: RunContext, stops: tuple[str, ...]) -> JudgedRun:
    target = context.target.name if context.target else None
    found = context.answer
    if found is None:
        return JudgedRun(context.run.name, target, "unknown", "incomplete", None, None, None, None, (), stops)
    need = found.need
    best = need.bytes if need.high is not None else None
    verdict, missing = found.verdict.value, tuple(found.missing)
    return JudgedRun(context.run.name, target, verdict, found.reason, best, need.low, need.high, found.limit, missing, stops)

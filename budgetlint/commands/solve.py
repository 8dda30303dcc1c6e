"""``budgetlint solve``: the budget backwards."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from budgetlint.base.plain_text import one_line
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.common import STDIN, Session, open_config, open_session
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.options import add_paths, add_run_options

if TYPE_CHECKING:
    from budgetlint.base.finding import Edit
    from budgetlint.results.solution import Remedy, Solution
    from budgetlint.rules_api.context import Judged, RunContext

HELP = """\
What fits: the largest batch, the longest sequence, the smallest changes.

For every run the largest micro batch and the longest sequence that fit, the fewest devices and the smallest card, and for a run
that is too large the remedies, each with the bytes it frees, what it costs, and the edit that makes it. Each remedy is proved by
estimating the edited run. PATH is as for `budgetlint estimate`.
"""

EPILOG = """\
examples:
  budgetlint solve                          # every run below this folder
  budgetlint solve sft.yaml --budget 'device rtx-4090'
  budgetlint solve sft.yaml --apply 1       # write the edits of remedy 1
  budgetlint solve run.budget --maximize batch
  echo 'device 24GiB; model qwen3-8b; batch 4; seq 4096' | budgetlint solve -
"""

MAXIMIZE, MINIMIZE = ("batch", "seq"), ("devices", "device")


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    parser.add_argument("--run", metavar="NAME", help="only the run of this name")
    parser.add_argument("--maximize", metavar="WHAT", action="append", default=[], help="only the largest that fits: batch, seq")
    parser.add_argument("--minimize", metavar="WHAT", action="append", default=[], help="only the least that fits: devices, device")
    parser.add_argument("--apply", metavar="N", type=int, help="write the edits of remedy N into the files")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    wanted = _wanted(args)
    from budgetlint.report.style import plural

    session = open_session(args.paths, args, io, open_config(io))
    judged = session.judged()
    wrong = _language_errors(judged)
    if not judged.runs and not wrong:
        raise Misuse(_nothing(args.paths))
    runs = _of_name(judged, args.run)
    solutions = _solved(session, runs, wanted)
    if args.apply is not None:
        _apply(args.apply, solutions, io)
    else:
        _tell(args.format, solutions, io)
    for text in wrong:
        io.complain(text)
    left = runs[len(solutions) :]
    if left:
        io.complain(f"{plural(len(left), 'run')} more not solved ({left[0].label} is the next): name one with --run, or files")
    return 2 if wrong or left else 0


def _wanted(args: argparse.Namespace) -> frozenset[str]:
    from budgetlint.solve.solver import EVERYTHING

    asked = {*_words("--maximize", args.maximize, MAXIMIZE), *_words("--minimize", args.minimize, MINIMIZE)}
    if asked and args.apply is not None:
        raise Misuse("--apply writes a remedy; --maximize and --minimize ask for none")
    return frozenset({"remedies"}) if args.apply is not None else frozenset(asked) or EVERYTHING


def _words(option: str, texts: list[str], known: tuple[str, ...]) -> list[str]:
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    for word in words:
        if word not in known:
            raise Misuse(f"{option} {word}: write {' or '.join(known)}{did_you_mean(word, known)}")
    return words


def _nothing(paths: list[str]) -> str:
    where = "standard input" if paths == [STDIN] else ", ".join(paths) or "this folder"
    return f"nothing to solve in {where}: no budget with a model and no training config (`budgetlint files` says what each file is)"


def _language_errors(judged: Judged) -> list[str]:
    from budgetlint.base.finding import Severity

    problems = [problem for context in judged.budgets for problem in context.budget.problems]
    found = [problem for problem in (*problems, *judged.findings) if problem.severity is Severity.ERROR]
    return [f"{one.location}: {one.code}: {one.message}" + (f" ({one.help})" if one.help else "") for one in found]


def _of_name(judged: Judged, name: str | None) -> tuple[RunContext, ...]:
    if name is None:
        return judged.runs
    found = tuple(context for context in judged.runs if name in (context.run.name, context.label))
    if not found:
        known = sorted({context.run.name for context in judged.runs})
        raise Misuse(f"no run is called '{name}'{did_you_mean(name, known)}; runs: {', '.join(known)}")
    return found


def _solved(session: Session, runs: tuple[RunContext, ...], wanted: frozenset[str]) -> list[Solution]:
    from budgetlint.solve.proof import Desk
    from budgetlint.solve.solver import solve

    desk = Desk(session.project, session.extra, session.overrides)
    solutions: list[Solution] = []
    for context in runs:
        if desk.effort.spent:  # `budgetlint.base.limits`: by counted estimates, so that a busy machine answers the same
            break
        solutions.append(solve(desk, context, wanted))
    return solutions


def _tell(format: str, solutions: list[Solution], io: Console) -> None:
    if format == "json":
        from budgetlint.report.solve_json import render as as_json

        io.write(as_json(solutions))
        return
    from budgetlint.report.solve_text import render as as_text

    io.write("\n".join(as_text(one, io.style) for one in solutions), inked=True)


# -- writing a remedy ---------------------------------------------------------------------------------------------------------


def _apply(number: int, solutions: list[Solution], io: Console) -> None:
    if len(solutions) != 1:
        names = ", ".join(dict.fromkeys(one.context.label for one in solutions))
        raise Misuse(f"--apply changes one run, and these are {len(solutions)}: name one with --run NAME ({names})")
    solution = solutions[0]
    remedy = _numbered(number, solution)
    _write(remedy, solution, io)
    from budgetlint.base.units import gib
    from budgetlint.results.solution import MAY

    io.line(one_line(f"{solution.context.label}: {remedy.title}"))
    io.line(one_line(f"  {MAY[remedy.verdict]} now: needs {gib(remedy.need)}, {gib(remedy.frees)} less; costs {remedy.cost}"))


def _numbered(number: int, solution: Solution) -> Remedy:
    remedies = solution.remedies
    if not remedies:
        raise Misuse(f"--apply {number}: there is no remedy for {solution.context.label} (`budgetlint solve` says why)")
    if not 1 <= number <= len(remedies):
        raise Misuse(f"--apply {number}: remedies are numbered from 1 to {len(remedies)}")
    remedy = remedies[number - 1]
    if not remedy.edits:
        raise Misuse(f"--apply {number}: no edit of these files alone does it; by hand: {remedy.title} ({_by_hand(remedy)})")
    lost = next((edit.file for edit in remedy.edits if edit.file in ("-", "--budget")), None)
    if lost is not None:
        where = "standard input" if lost == "-" else "--budget"
        raise Misuse(f"--apply {number}: the edit is one of {where}: write the budget into a .budget file first")
    return remedy


def _by_hand(remedy: Remedy) -> str:
    return ", ".join(f"{name} = {value}" for name, value in remedy.settings.items()) or "no setting does it"


def _write(remedy: Remedy, solution: Solution, io: Console) -> None:
    """Every file whole, or with the first that cannot be written an error that names it."""
    from budgetlint.commands.writing import write_file
    from budgetlint.documents.edit import apply

    by_file: dict[str, list[Edit]] = {}
    for edit in remedy.edits:
        by_file.setdefault(edit.file, []).append(edit)
    for file, edits in by_file.items():
        source = solution.sources[file]
        text = apply(source.text, edits)
        wrong = write_file(io, file, text, source.encoding)
        if wrong is not None:
            raise Misuse(f"{file} {wrong.problem}: {wrong.cure}")
        io.write(_diff(file, source.text, text))


def _diff(file: str, before: str, after: str) -> str:
    from budgetlint.engine.fix import difference

    return difference(file, before, after)

"""What ``budgetlint check`` does: every run judged, every rule asked, fixes applied, the answer told in each format."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from budgetlint.base.finding import Severity
from budgetlint.base.record import replace
from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.common import Session, open_config
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.reports import Wanted, tell, wanted
from budgetlint.commands.stdin_file import session_of
from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.engine.other_readers import only_in
from budgetlint.engine.registry import Registry, installed
from budgetlint.report.style import plural
from budgetlint.results.report import MISUSE, Gate, Report
from budgetlint.rules_api.context import Judged

if TYPE_CHECKING:
    from budgetlint.commands.compare_with import Base
    from budgetlint.engine.fix import Fixed


def run(args: argparse.Namespace, io: Console) -> int:
    formats = wanted(args.format)
    _goes_together(args)
    if args.policy is not None:
        from budgetlint.commands.policy import open_policy  # most checks have none

        open_policy(args, io)
    config = _settings(args, open_config(io))
    registry = installed()
    _known_rules(registry, (*_words(args.select), *_words(args.ignore)))
    if args.compare_with is None:
        session = session_of(args, io, config)
        checked = partial(_checked, registry, config, session)
        return _run(args, io, formats, config, session, checked, checked(session.judged()))
    from budgetlint.commands.compare_with import base_of, rereadable  # git and what compares: most checks do without
    from budgetlint.commands.touched import EveryRun, touched

    io = rereadable(args, io)
    with touched(args, io, config) as found:
        if found is not None:
            with suppress(EveryRun):
                return _run_compared(args, io, formats, config, registry, found.base, found.session, found.judged)
    session = session_of(args, io, config)
    judged = session.judged()
    with base_of(args, io, session, judged, whole=args.fix or args.diff) as base:
        return _run_compared(args, io, formats, config, registry, base, session, judged)


def _run_compared(
    args: argparse.Namespace,
    io: Console,
    formats: list[Wanted],
    config: Config,
    registry: Registry,
    base: Base,
    session: Session,
    judged: Judged,
) -> int:
    checked = partial(_checked_new, args, registry, base, config, session)
    if args.fix or args.diff:
        return _run(args, io, formats, config, session, checked, checked(judged))
    from budgetlint.commands.gate import gated

    was = _settings(args, base.config)
    answer = gated(args, io, base, session, judged, (was, config), partial(_checked_new, args, registry, base))
    return _run(args, io, formats, answer.config, session, checked, answer.report, answer.known)


def _run(
    args: argparse.Namespace,
    io: Console,
    formats: list[Wanted],
    config: Config,
    session: Session,
    checked: Callable[[Judged], Report],
    report: Report,
    known_text: str | None = None,
) -> int:
    """``known_text`` is the baseline that holds instead of the file."""
    if args.force_exclude and session.taken is not None and not report.verdicts:
        config = replace(config, require_verdict=False)  # a hook whose files belong to no run has nothing to judge
    lost: list[str] = []
    if args.diff or args.fix:
        from budgetlint.engine.fix import (
            fix_all,  # here and below: what most checks do without is a tenth of the modules of a check of one file
        )

        def recheck(texts: Mapping[str, str]) -> Report:
            return checked(session.rejudged(texts))

        fixed = fix_all(report, recheck, unsafe=args.unsafe_fixes, unwritten=session.unwritten)
        report, lost = (_shown(io, fixed, report), lost) if args.diff else _written(io, fixed, report, recheck)
    known = _baseline(args, io, config)
    if known and not args.diff:
        from budgetlint.commands.baseline import against_baseline

        report = against_baseline(
            report,
            known,
            io,
            whole=_whole(args, io),
            named=_named_baseline(args) is not None,
            write=args.write_baseline is not None,
            text=known_text,
        )
    if not args.diff:
        lost += tell(io, report, formats, Gate(config.fail_on, config.require_verdict), info=args.info, statistics=args.statistics)
    for problem in lost:
        io.complain(problem)
    for crash in report.crashes:
        io.complain_of(crash)
    return MISUSE if lost else report.exit_code(config.fail_on, require_verdict=config.require_verdict)


def _checked(registry: Registry, config: Config, session: Session, judged: Judged) -> Report:
    report = replace(check(judged, registry, config), passed=session.passed, asked=bool(session.launch))
    if session.launch or session.target or session.overrides or session.handed:  # not all runs, or not as they are: nothing is safe to edit
        report = replace(report, findings=tuple(only_in(finding, ()) for finding in report.findings))
    if session.taken is None:
        return report
    from budgetlint.resolve.membership import of_named

    return of_named(report, session.taken)


def _checked_new(args: argparse.Namespace, registry: Registry, base: Base, config: Config, session: Session, judged: Judged) -> Report:
    from budgetlint.commands.only_new import only_new

    before = _settings(args, base.config)
    return only_new(base, judged, _checked(registry, config, session, judged), lambda was: check(was, registry, before))


def _baseline(args: argparse.Namespace, io: Console, config: Config) -> str | None:
    """A baseline is made, and shrinks, by what is found in the whole; not by what a change brings."""
    if args.write_baseline is not None and args.compare_with is not None:
        raise Misuse("--write-baseline does not go with --compare-with: a baseline is made of what is found in the whole")
    if args.write_baseline is not None and args.baseline is not None:
        raise Misuse("--write-baseline makes or shrinks the file that --baseline reads: give one of them")
    if args.baseline and args.compare_with is not None and not (io.root / args.baseline).exists():
        raise Misuse(f"--baseline {args.baseline} does not exist: make it without --compare-with (--write-baseline {args.baseline})")
    return _named_baseline(args) or config.baseline


def _named_baseline(args: argparse.Namespace) -> str | None:
    named: str | None = args.write_baseline if args.write_baseline is not None else args.baseline
    return named


def _settings(args: argparse.Namespace, config: Config) -> Config:
    if args.policy is not None and config.policy is None:
        from budgetlint.commands.policy import under

        config = under(args, config)
    config = config.with_command_line(_words(args.select), _words(args.ignore))
    fail_on = Severity(args.fail_on) if args.fail_on else config.fail_on
    return replace(
        config, fail_on=fail_on, preview=config.preview or args.preview, require_verdict=config.require_verdict or args.require_verdict
    )


def _goes_together(args: argparse.Namespace) -> None:
    """Settings from outside are no text that could be edited, compared or launched."""
    if args.settings_file is None:
        return
    beside = {
        "--fix": args.fix, "--diff": args.diff, "--compare-with": args.compare_with is not None,
        "--stdin-filename": args.stdin_filename is not None, "a launch command": args.launch,
    }  # fmt: skip
    for name, is_there in beside.items():
        if is_there:
            raise Misuse(f"--settings-file judges settings as they are: {name} does not go with it")


def _whole(args: argparse.Namespace, io: Console) -> bool:
    """Did every rule see every run of the files it saw? A finding may need another file than the one it stands in."""
    narrowed = args.select or args.ignore or args.target or args.launch or args.settings_file or args.compare_with is not None
    return not narrowed and args.stdin_filename is None and all((io.root / path).is_dir() for path in args.paths)


def _words(texts: list[str]) -> tuple[str, ...]:
    return tuple(word.strip() for text in texts for word in text.split(",") if word.strip())


def _known_rules(registry: Registry, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        if not registry.matching(pattern):
            near = did_you_mean(pattern, (name for rule in registry.all for name in (rule.name, *rule.aliases)))
            raise Misuse(f"no rule or family is called '{pattern}'{near or '; `budgetlint rule --all` lists them'}")


def _shown(io: Console, fixed: Fixed, report: Report) -> Report:
    """Show what the fixes would change. The files stay as they are, and so does what was found in them."""
    from budgetlint.engine.fix import diff

    io.write(diff(fixed))
    return report


def _written(io: Console, fixed: Fixed, before: Report, recheck: Callable[[Mapping[str, str]], Report]) -> tuple[Report, list[str]]:
    """Write the changed files, say so, and report on what lies on the disk then; with what could not be written, and why."""
    from budgetlint.commands.writing import write_file
    from budgetlint.engine.fix import write

    lost = write(fixed, partial(write_file, io))
    gone = {wrong.path for wrong in lost}
    texts = {path: text for path, text in fixed.texts.items() if path not in gone}
    applied = [fix for _, fix in fixed.applied if not any(edit.file in gone for edit in fix.edits)]
    if applied:
        io.complain(f"{plural(len(applied), 'fix', 'fixes')} applied in {', '.join(sorted(texts))}")
    if not lost:
        return fixed.report, []
    return recheck(texts) if texts else before, [f"{wrong.path} {wrong.problem}: {wrong.cure}" for wrong in lost]

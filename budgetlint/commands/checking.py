"""What ``budgetlint check`` does: every run judged, every rule asked, fixes applied, the answer told in each format."""

from __future__ import annotations

import argparse
from dataclasses import replace

from budgetlint.commands.baseline import against_baseline
from budgetlint.commands.common import Session, open_config, open_session
from budgetlint.commands.console import Console, Misuse
from budgetlint.commands.reports import tell, wanted
from budgetlint.config import Config
from budgetlint.context import Judged
from budgetlint.engine import check
from budgetlint.finding import Severity
from budgetlint.fix import Fixed, diff, fix_all, write
from budgetlint.outcome import Gate, Report
from budgetlint.partaking import without_unused
from budgetlint.registry import Registry, installed
from budgetlint.report.style import plural
from budgetlint.suggest import did_you_mean


def run(args: argparse.Namespace, io: Console) -> int:
    formats = wanted(args.format)
    config = _settings(args, open_config(io))
    registry = installed()
    _known_rules(registry, (*_words(args.select), *_words(args.ignore)))
    session = open_session(args.paths, args, io, config)
    report = _checked(session, session.judged(), registry, config)
    if args.force_exclude and session.taken is not None and not report.verdicts:
        config = replace(config, require_verdict=False)  # a hook whose files belong to no run has nothing to judge
    if args.diff or args.fix:
        fixed = fix_all(report, lambda texts: _checked(session, session.rejudged(texts), registry, config), unsafe=args.unsafe_fixes)
        report = _shown(io, fixed, report) if args.diff else _written(io, fixed)
    known = args.baseline or config.baseline
    if known and not args.diff:
        report = against_baseline(report, known, io, whole=_whole(args, io))
    if not args.diff:
        tell(io, report, formats, Gate(config.fail_on, config.require_verdict), info=args.info, statistics=args.statistics)
    _tell_crashes(io, report)
    return report.exit_code(config.fail_on, require_verdict=config.require_verdict)


def _checked(session: Session, judged: Judged, registry: Registry, config: Config) -> Report:
    report = check(judged, registry, config)
    return report if session.taken is None else without_unused(report, session.taken)


def _settings(args: argparse.Namespace, config: Config) -> Config:
    config = config.with_command_line(_words(args.select), _words(args.ignore))
    fail_on = Severity(args.fail_on) if args.fail_on else config.fail_on
    return replace(
        config, fail_on=fail_on, preview=config.preview or args.preview, require_verdict=config.require_verdict or args.require_verdict
    )


def _whole(args: argparse.Namespace, io: Console) -> bool:
    """Did every rule see every run of the files it saw? A finding may need another file than the one it stands in."""
    narrowed = args.select or args.ignore or args.target or args.launch
    return not narrowed and all((io.root / path).is_dir() for path in args.paths)


def _words(texts: list[str]) -> tuple[str, ...]:
    return tuple(word.strip() for text in texts for word in text.split(",") if word.strip())


def _known_rules(registry: Registry, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        if not registry.matching(pattern):
            near = did_you_mean(pattern, (name for rule in registry.all for name in (rule.name, *rule.aliases)))
            raise Misuse(f"no rule or family is called '{pattern}'{near or '; `budgetlint rule --all` lists them'}")


def _shown(io: Console, fixed: Fixed, report: Report) -> Report:
    """Show what the fixes would change. The files stay as they are, and so does what was found in them."""
    io.write(diff(fixed))
    return report


def _written(io: Console, fixed: Fixed) -> Report:
    """Write the changed files, say so, and report on what is left."""
    for wrong in write(fixed, lambda path: str(io.root / path)):
        io.complain(f"{wrong.path} {wrong.problem}: {wrong.cure}")
    if fixed.applied:
        io.complain(f"{plural(len(fixed.applied), 'fix', 'fixes')} applied in {', '.join(sorted(fixed.texts))}")
    return fixed.report


def _tell_crashes(io: Console, report: Report) -> None:
    for crash in report.crashes:
        io.complain(f"rule {crash.name} failed on {crash.where}: a bug in the rule\n{crash.traceback}")

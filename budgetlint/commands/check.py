"""``budgetlint check``: lint every run, and judge whether it fits."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from budgetlint.commands.baseline import against_baseline
from budgetlint.commands.common import Session, add_paths, add_run_options, open_config, open_session
from budgetlint.commands.console import Console, Misuse
from budgetlint.config import Config
from budgetlint.context import Judged
from budgetlint.engine import check
from budgetlint.finding import Severity
from budgetlint.fix import Fixed, diff, fix_all, write
from budgetlint.outcome import Report
from budgetlint.partaking import without_unused
from budgetlint.registry import Registry, installed
from budgetlint.report import CHECK_FORMATS, TEXT, check_report
from budgetlint.report.style import PLAIN, plural
from budgetlint.suggest import did_you_mean

HELP = """\
Check training configs against their budgets.

Reads every budget and every training config below the given paths, joins the files of each run, works out what the run will
hold in GPU memory, and says what is wrong before anyone pays for the GPU. Exit code 1 when a finding is at or above --fail-on.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    parser.add_argument(
        "--format", metavar="NAME[=FILE]", action="append", default=[], help=f"{', '.join(CHECK_FORMATS)}; repeat for several"
    )
    parser.add_argument(
        "--select", metavar="RULES", action="append", default=[], help="only these rules or families (BL2, does-not-fit), by comma"
    )
    parser.add_argument("--ignore", metavar="RULES", action="append", default=[], help="not these rules or families, by comma")
    parser.add_argument(
        "--fail-on", choices=[severity.value for severity in Severity], help="exit 1 from this severity on (default: error)"
    )
    parser.add_argument("--require-verdict", action="store_true", help="exit 1 when a run could not be judged")
    parser.add_argument(
        "--force-exclude", action="store_true", help="named files too are left out where a folder's would be ([tool.budgetlint] exclude)"
    )
    parser.add_argument("--baseline", metavar="FILE", help="tell only what FILE does not know; it is made when missing, and only shrinks")
    parser.add_argument("--statistics", action="store_true", help="how often each rule spoke, instead of the findings")
    parser.add_argument("--preview", action="store_true", help="run preview rules too")
    parser.add_argument("--info", action="store_true", help="show findings of severity info too")
    parser.add_argument("--fix", action="store_true", help="apply safe fixes")
    parser.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: fixes that change what the run does, too")
    parser.add_argument("--diff", action="store_true", help="show what --fix would change, change nothing")


def run(args: argparse.Namespace, io: Console) -> int:
    formats = [_format(text) for text in args.format] or [("full", None)]
    config = _settings(args, open_config(io))
    registry = installed()
    _known_rules(registry, (*_words(args.select), *_words(args.ignore)))
    session = open_session(args.paths, args, io, config)
    report = _checked(session, session.judged(), registry, config)
    if args.diff or args.fix:
        fixed = fix_all(report, lambda texts: _checked(session, session.rejudged(texts), registry, config), unsafe=args.unsafe_fixes)
        report = _shown(io, fixed, report) if args.diff else _written(io, fixed)
    known = args.baseline or config.baseline
    if known and not args.diff:
        report = against_baseline(report, known, io, whole=_whole(args, io))
    if not args.diff:
        for name, file in formats:
            _write(io, report, "statistics" if args.statistics and name in TEXT else name, file, info=args.info)
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


def _format(text: str) -> tuple[str, str | None]:
    name, _, file = text.partition("=")
    if name not in CHECK_FORMATS:
        raise Misuse(f"--format {text}: unknown format '{name}'; known: {', '.join(CHECK_FORMATS)}")
    return name, file or None


def _write(io: Console, report: Report, name: str, file: str | None, *, info: bool) -> None:
    if file is None:
        io.write(check_report(report, name, io.style, info=info))
        return
    try:
        Path(io.root / file).write_text(check_report(report, name, PLAIN, info=info), encoding="utf-8")
    except OSError as error:
        raise Misuse(f"--format {name}={file}: cannot be written: {error.strerror}") from None


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

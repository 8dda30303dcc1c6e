"""``budgetlint estimate``: the bill of every run."""

from __future__ import annotations

import argparse

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.plain_text import one_line
from budgetlint.commands.common import STDIN, Session, open_config, open_session
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.options import add_paths, add_run_options, add_settings_file
from budgetlint.rules_api.context import Judged, RunContext

HELP = """\
The bill of every run: what is live at the peak, line by line.

PATH is a budget, a training config or a folder; - reads a budget from standard input. Exits 0 unless the input is wrong:
`budgetlint check` is the gate.
"""

EPILOG = """\
examples:
  budgetlint estimate run.budget            # what is live at the peak, line by line
  budgetlint estimate sft.yaml --budget 'device a100-80gb' --set micro_batch=2
  budgetlint estimate sft.yaml --why seq    # step by step where a setting comes from
  budgetlint estimate sft.yaml --oom job.log  # which tensor ran out of memory, who set it
  echo 'device 24GiB; model qwen3-8b; lora r=16; batch 1; seq 2048' | budgetlint estimate -
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    add_settings_file(parser)
    parser.add_argument("--settings", action="store_true", help="the merged run instead: every setting, its value, where it comes from")
    parser.add_argument("--why", metavar="SETTING", help="where one setting comes from instead, step by step; what would settle it")
    parser.add_argument("--terms", action="store_true", help="the peak tensor by tensor instead, biggest first: shape, bytes, which code")
    parser.add_argument("--textbook", action="store_true", help="the textbook formulas beside ours, with the difference")
    parser.add_argument("--oom", metavar="LOG", help="explain the out-of-memory message of a log (- reads it): which tensor, which setting")
    parser.add_argument("--compare-with", metavar="REV", help="what the change since this git revision costs, term by term")
    formats = ("text", "json", "svg", "markdown")
    parser.add_argument("--format", choices=formats, default="text", help="svg draws the step; markdown is for --compare-with")


def run(args: argparse.Namespace, io: Console) -> int:
    if args.why is not None:
        return _why(args, io)
    if args.terms and (args.settings or args.textbook or args.oom or args.compare_with is not None or args.format == "svg"):
        raise Misuse("--terms lists the bill tensor by tensor: none of the other views goes with it")
    if args.settings_file is not None and (args.oom or args.compare_with is not None):
        raise Misuse("--settings-file judges settings as they are: neither --oom nor --compare-with goes with it")
    if args.compare_with is not None or args.format == "markdown":
        return _compared(args, io)
    if args.format == "svg" and (args.settings or args.textbook or args.oom):
        raise Misuse("--format svg draws the bill: it does not go with --settings, --textbook or --oom")
    if args.oom:
        return _oom(args, io)
    result = _session(args, io).judged()
    wrong = _language_errors(result)
    if not result.runs and not wrong:
        raise Misuse(_nothing(args.paths))
    if args.format == "json":
        _json(args, io, result)
    elif args.format == "svg":
        _svg(io, result)
    else:
        _text(args, io, result)
    _complain(io, wrong)
    return 2 if wrong else 0


def _session(args: argparse.Namespace, io: Console) -> Session:
    if args.settings_file is None:
        return open_session(args.paths, args, io, open_config(io))
    from budgetlint.commands.settings_file import settings_session  # few bills are of settings from outside

    return settings_session(args.paths, args, io, open_config(io))


def _why(args: argparse.Namespace, io: Console) -> int:
    from budgetlint.commands.why import setting_named
    from budgetlint.report.setting_why import render, render_json

    views = args.terms or args.settings or args.textbook or args.oom or args.compare_with is not None
    if views or args.format not in ("text", "json"):
        raise Misuse("--why tells where one setting comes from: none of the other views goes with it")
    name = setting_named(args.why)
    result = _session(args, io).judged()
    wrong = _language_errors(result)
    if not result.runs and not wrong:
        raise Misuse(_nothing(args.paths))
    if args.format == "json":
        io.write(render_json(result.runs, name))
    else:
        io.write("\n".join(render(context, name, io.style) for context in result.runs), inked=True)
    _complain(io, wrong)
    return 2 if wrong else 0


def _oom(args: argparse.Namespace, io: Console) -> int:
    from budgetlint.commands.oom import explain_log, read_log

    found = read_log(args, io)
    session = open_session(args.paths, args, io, open_config(io))
    result = session.judged()
    explain_log(found, session, result.runs, io, json=args.format == "json")
    wrong = _language_errors(result)
    _complain(io, wrong)
    return 2 if wrong else 0


def _compared(args: argparse.Namespace, io: Console) -> int:
    from budgetlint.commands.estimate_compared import compared, refuse  # git and what compares: most estimates do without

    refuse(args)
    result, told = compared(args, io)
    wrong = _language_errors(result)
    if not told and not wrong:
        raise Misuse(_nothing(args.paths))
    _complain(io, wrong)
    return 2 if wrong else 0


def _nothing(paths: list[str]) -> str:
    where = "standard input" if paths == [STDIN] else ", ".join(paths) or "this folder"
    return f"nothing to estimate in {where}: no budget with a model and no training config (`budgetlint files` says what each file is)"


def _json(args: argparse.Namespace, io: Console, result: Judged) -> None:
    if args.settings:
        from budgetlint.report.settings_view import render_json

        io.write(render_json(result.runs))
        return
    from budgetlint.report.estimate_json import render

    io.write(render(result.runs))


def _svg(io: Console, result: Judged) -> None:
    from budgetlint.report.svg import render

    io.write(render(result.runs))


def _text(args: argparse.Namespace, io: Console, result: Judged) -> None:
    io.write("\n".join(_shown(args, io, context) for context in result.runs), inked=True)


def _shown(args: argparse.Namespace, io: Console, context: RunContext) -> str:
    if args.settings:
        from budgetlint.report.settings_view import render as settings_text

        return settings_text(context, io.style)
    if args.terms:
        from budgetlint.report.terms import render as terms

        return terms(context, io.style)
    from budgetlint.report.bill import render as bill

    text = bill(context, io.style)
    if args.textbook:
        from budgetlint.report.textbook import render as textbook

        text += "\n" + textbook(context, io.style)
    return text


def _language_errors(result: Judged) -> list[Finding]:
    problems = [problem for context in result.budgets for problem in context.budget.problems]
    return [problem for problem in (*problems, *result.findings) if problem.severity is Severity.ERROR]


def _complain(io: Console, findings: list[Finding]) -> None:
    for finding in findings:
        help = f"    help: {finding.help}\n" if finding.help else ""
        io.tell(f"{one_line(str(finding.location))}: error {finding.code}: {finding.message}\n{help}")

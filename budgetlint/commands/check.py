"""``budgetlint check``: lint every run, and judge whether it fits."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from budgetlint.base.finding import Severity
from budgetlint.commands.console import Console
from budgetlint.commands.options import add_paths, add_policy, add_run_options, add_settings_file
from budgetlint.report import CHECK_FORMATS

HELP = """\
Check training configs against their budgets.

Reads every budget and every training config below the given paths, joins the files of each run, works out what the run will
hold in GPU memory, and says what is wrong before anyone pays for the GPU. Exit code 1 when a finding is at or above --fail-on.
Where files are named, the runs that they take part in are checked; the rest of those runs is found in the repository.
"""

EPILOG = """\
examples:
  budgetlint check                          # every budget and training config below this folder
  budgetlint check sft.yaml --budget 'device rtx-4090; reserve 1GiB'
  budgetlint check --info --select BL1,unknown-key
  budgetlint check --compare-with HEAD      # what this change costs; only new findings count
  budgetlint check -- accelerate launch --config_file fsdp.yaml train.py --config sft.yaml
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    add_settings_file(parser)
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
    parser.add_argument("--stdin-filename", metavar="PATH", help="check the text on standard input as if it stood in PATH")
    parser.add_argument("--baseline", metavar="FILE", help="tell only what FILE does not know")
    parser.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="make FILE of what is found today, or take out of it what is found no longer; then as --baseline",
    )
    parser.add_argument("--compare-with", metavar="REV", help="what the change since this git revision costs; only new findings count")
    add_policy(parser)
    parser.add_argument("--accept-loosening", action="store_true", help="with --compare-with: what loosens the gate is listed, and holds")
    parser.add_argument("--statistics", action="store_true", help="how often each rule spoke, instead of the findings")
    parser.add_argument("--preview", action="store_true", help="run preview rules too")
    parser.add_argument("--info", action="store_true", help="show findings of severity info too")
    parser.add_argument("--fix", action="store_true", help="apply safe fixes, which change nothing in any run that trains")
    parser.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: fixes that may change what a run does, too")
    parser.add_argument("--diff", action="store_true", help="show what --fix would change, change nothing")
    parser.add_argument(
        "--cache",
        action=argparse.BooleanOptionalAction,
        help="repeat what an earlier check said while nothing has changed (default: yes, but not where CI is set)",
    )


def run(args: argparse.Namespace, io: Console) -> int:
    if not can_remember(args, io.environ):
        return _check(args, io)
    from budgetlint.commands.remember import remembered

    return remembered(args, io, _check)


def can_remember(args: argparse.Namespace, environ: Mapping[str, str]) -> bool:
    """Nothing is read from a pipe or from git, nothing is written, and the answer stands in files. On a CI machine the folder may have
    come from somebody else's job: there only ``--cache`` asks for it."""
    from budgetlint.commands.common import is_ci

    writes = args.fix or args.diff or args.baseline or args.write_baseline or args.policy or any("=" in text for text in args.format)
    read = args.stdin_filename is not None or args.settings_file is not None or args.compare_with is not None or "-" in args.paths
    wanted = args.cache if args.cache is not None else not is_ci(environ)
    return wanted and not (writes or read or args.launch)


def _check(args: argparse.Namespace, io: Console) -> int:
    from budgetlint.commands import checking  # the rules and the estimator, which an answer that is remembered does without

    return checking.run(args, io)

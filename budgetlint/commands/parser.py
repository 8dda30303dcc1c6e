"""The parser of the command line: made from the modules of the commands, only of those that are needed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import NoReturn

from budgetlint import __version__
from budgetlint.base.plain_text import one_line

WIDTH = 100
"""`budgetlint.report.style.WIDTH`, which brings in what only reports need."""

COMMANDS = (
    "check", "estimate", "solve", "probe", "files", "waivers", "fmt", "rule", "init", "devices", "models", "optimizers", "lsp",
    "completion",
)  # fmt: skip

EXAMPLES = """\
examples:
  budgetlint check                          # every budget and training config below this folder
  budgetlint check sft.yaml --budget 'device rtx-4090; reserve 1GiB'
  budgetlint check -- accelerate launch --config_file fsdp.yaml train.py --config sft.yaml
  budgetlint estimate run.budget            # the bill: what is live at the peak, line by line
  echo 'device 24GiB; model qwen3-8b; lora r=16; batch 1; seq 2048' | budgetlint estimate -
  budgetlint rule does-not-fit              # what a finding means
  budgetlint init --dry-run                 # a first budget, the commit hook and the CI step for this repository
  eval "$(budgetlint completion bash)"      # completions in this shell
"""


_LAID_OUT = argparse.RawDescriptionHelpFormatter
_CHECKING = partial(_LAID_OUT, width=WIDTH)
"""`add_argument` makes a formatter to check each argument, and one without a width asks the terminal each time: 3 ms."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """An argument may be the name of a checked file."""
        super().error(one_line(message))


class _Command(_Parser):
    def format_help(self) -> str:
        self.description = _filled(self.description or "")
        return super().format_help()


def parser_of(names: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of these commands; with the command already known, only its own module is imported."""
    parser = _Parser(
        prog="budgetlint",
        description="Checks training configs against a memory budget, and says what each run will hold in GPU memory.",
        epilog=EXAMPLES,
        formatter_class=_CHECKING,
    )
    parser.add_argument("--version", action="version", version=f"budgetlint {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Command)
    for name in names:
        module = import_module(f"budgetlint.commands.{name}")
        child = commands.add_parser(
            name,
            help=module.HELP.split("\n")[0],
            description=module.HELP,
            epilog=module.EPILOG,
            formatter_class=_CHECKING,
        )
        child.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="color the output (NO_COLOR is heeded)")
        module.configure(child)
        child.formatter_class = _LAID_OUT
    parser.formatter_class = _LAID_OUT
    if len(names) != 1:
        parser.set_defaults(color="auto")
    return parser


def _filled(text: str) -> str:
    """Paragraphs in lines of at most `WIDTH` columns."""
    import textwrap  # only help needs it

    return "\n\n".join(textwrap.fill(part, WIDTH, break_long_words=False, break_on_hyphens=False) for part in text.strip().split("\n\n"))

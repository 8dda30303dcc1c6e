"""``budgetlint completion``: the script that completes commands, options and names in a shell."""

from __future__ import annotations

import argparse

from budgetlint.commands.console import Console
from budgetlint.commands.shells import RENDERERS
from budgetlint.commands.subcommands import commands_of

HELP = """\
Print the completion script of a shell.

The script is made from the options of this version and holds the names of rules, devices, models and optimizers: completing a
word starts no program. Print it again after an update.
"""

EPILOG = """\
examples:
  eval "$(budgetlint completion bash)"      # in ~/.bashrc
  budgetlint completion zsh                 # save as _budgetlint in a folder of $fpath
  budgetlint completion fish                # save as ~/.config/fish/completions/budgetlint.fish
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(RENDERERS))


def run(args: argparse.Namespace, io: Console) -> int:
    io.write(RENDERERS[args.shell](commands_of()))
    return 0

"""``budgetlint optimizers``: the catalog of optimizers, with the source of every row."""

from __future__ import annotations

import argparse

from budgetlint.catalog.listing import optimizers
from budgetlint.commands.console import Console
from budgetlint.commands.listing import add_options, show

HELP = "The catalog of optimizers; with a name, one row and its sources.\n"

EPILOG = """\
examples:
  budgetlint optimizers                     # every optimizer, with the bytes of its states
  budgetlint optimizers adamw_bnb_8bit      # one of them, by any spelling
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_options(parser)


def run(args: argparse.Namespace, io: Console) -> int:
    return show(optimizers(args.name), args, io)

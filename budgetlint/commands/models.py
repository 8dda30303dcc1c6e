"""``budgetlint models``: the catalog of models, with the source of every row."""

from __future__ import annotations

import argparse

from budgetlint.catalog.listing import models
from budgetlint.commands.console import Console
from budgetlint.commands.listing import add_options, show

HELP = "The catalog of models; with a name, one row and its sources.\n"

EPILOG = """\
examples:
  budgetlint models                         # every model
  budgetlint models qwen2.5-7b              # its shape, with sources
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_options(parser)


def run(args: argparse.Namespace, io: Console) -> int:
    return show(models(args.name), args, io)

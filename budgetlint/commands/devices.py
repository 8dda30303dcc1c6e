"""``budgetlint devices``: the catalog of devices, with the source of every row."""

from __future__ import annotations

import argparse

from budgetlint.catalog.listing import devices
from budgetlint.commands.console import Console
from budgetlint.commands.listing import add_options, show

HELP = "The catalog of devices; with a name, one row and its sources.\n"

EPILOG = """\
examples:
  budgetlint devices                        # every card
  budgetlint devices rtx-4090               # what it offers, and who saw that
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_options(parser)


def run(args: argparse.Namespace, io: Console) -> int:
    return show(devices(args.name), args, io)

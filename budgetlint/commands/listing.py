"""What the three catalog commands share."""

from __future__ import annotations

import argparse

from budgetlint.base.plain_text import ascii_json
from budgetlint.catalog.listing import Listing
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="one row, with its sources")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def show(listing: Listing, args: argparse.Namespace, io: Console) -> int:
    if listing.problem:
        raise Misuse(listing.problem)
    io.write(ascii_json(listing.data, indent=2) if args.format == "json" else listing.text)
    return 0

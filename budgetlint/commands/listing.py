"""What the three catalog commands share."""

from __future__ import annotations

import argparse
import json
from typing import Protocol

from budgetlint.commands.console import Console, Misuse


class Listing(Protocol):
    """Text for people and a mapping for programs; ``problem`` says why a name has no row."""

    text: str
    data: dict[str, object]
    problem: str


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="one row, with its sources")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def show(listing: Listing, args: argparse.Namespace, io: Console) -> int:
    if listing.problem:
        raise Misuse(listing.problem)
    io.write(json.dumps(listing.data, indent=2, ensure_ascii=False) + "\n" if args.format == "json" else listing.text)
    return 0

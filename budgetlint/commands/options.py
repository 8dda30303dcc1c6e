"""The options of several commands: which files, and what holds for every run."""

from __future__ import annotations

import argparse


def add_paths(parser: argparse.ArgumentParser, default: str = "the working directory") -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help=f"files and folders (default: {default})")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", metavar="TEXT", help="a budget for every run that no budget file binds: 'device t4; reserve 1GiB'")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="override a setting of every run: micro_batch=2")
    parser.add_argument("--target", metavar="NAME", help="only this target of the budgets")


def add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="what of the repository counts, as whoever owns the gate says; `strict`: nothing of it weakens anything",
    )


def add_settings_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--settings-file",
        metavar="FILE",
        help="judge runs whose settings are resolved already, as `estimate --settings --format json` prints them (- reads them)",
    )

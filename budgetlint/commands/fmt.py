"""``budgetlint fmt``: the canonical text of budgets, and their JSON export."""

from __future__ import annotations

import argparse

from budgetlint.base.finding import Finding
from budgetlint.base.plain_text import ascii_json, one_line, page, visible
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.writing import write_file
from budgetlint.engine.fix import difference
from budgetlint.files.disk import DiskFiles
from budgetlint.resolve.project import BUDGET_SUFFIX, LOCK
from budgetlint.results.report import MISUSE

HELP = """\
Format budget files in place: comments, units and numbers stay as they are written.

- reads standard input and prints. --format json prints the parsed budget instead and changes nothing; --schema prints the
JSON Schema of that.
"""

EPILOG = """\
examples:
  budgetlint fmt --diff run.budget          # what would change
  budgetlint fmt --format json run.budget   # the parsed budget
  echo 'device   24GiB ;model qwen3-8b' | budgetlint fmt -
"""


SUFFIXES = (BUDGET_SUFFIX, LOCK)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="budget files, or -")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file would change")
    parser.add_argument("--diff", action="store_true", help="print what would change; exit 1 when anything would")
    parser.add_argument("--format", choices=("budget", "json"), default="budget")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of --format json")


def run(args: argparse.Namespace, io: Console) -> int:
    if args.schema:
        from budgetlint.language.export import json_schema

        io.write(ascii_json(json_schema(), indent=2))
        return 0
    if not args.files:
        raise Misuse("fmt: name the budget files, or - for standard input")
    sources = [_source(path, io) for path in args.files]
    if args.format == "json":
        return max(_export(source, io) for source in sources)
    return max(_format(source, args, io) for source in sources)


def _source(path: str, io: Console) -> SourceFile:
    if path == "-":
        return io.read()
    if not path.endswith(SUFFIXES):
        raise Misuse(f"{path} is no budget: fmt formats *.budget files")
    source = DiskFiles(io.root, named=[path]).read(path)
    if isinstance(source, UnreadableFile):
        raise Misuse(f"{path} {source.problem}: {source.cure}")
    return source


def _export(source: SourceFile, io: Console) -> int:
    from budgetlint.language import parse
    from budgetlint.language.export import export_text

    tree, problems = parse(source)
    if problems:
        return _problems(problems, io)
    io.write(export_text(tree))
    return 0


def _format(source: SourceFile, args: argparse.Namespace, io: Console) -> int:
    from budgetlint.language import format_text, parse

    _, problems = parse(source)
    if problems:
        return _problems(problems, io)
    text = format_text(source.text)
    changed = text != source.text
    if args.diff and changed:
        io.write(difference(source.path, source.text, text))
    elif args.check and changed:
        io.line(f"{one_line(source.path)} would be formatted")
    elif source.path == "-":
        _hand_on(text, source.encoding, io)
    elif changed and not args.check:
        wrong = write_file(io, source.path, text, source.encoding)
        if wrong is not None:
            io.complain(f"{wrong.path} {wrong.problem}: {wrong.cure}")
            return MISUSE
        io.line(f"{one_line(source.path)} formatted")
    return 1 if changed and (args.check or args.diff) else 0


def _hand_on(text: str, encoding: str, io: Console) -> None:
    """The text itself, or nothing: broken commands would be another text."""
    if io.runner and page(text) != visible(text):
        raise Misuse("standard input has a line that the runner of this job would take for a command: format the file itself")
    io.write_exact(text, encoding)


def _problems(problems: tuple[Finding, ...], io: Console) -> int:
    for problem in problems:
        io.tell(f"{one_line(str(problem.location))}: error {problem.code}: {problem.message}\n")
    return 1

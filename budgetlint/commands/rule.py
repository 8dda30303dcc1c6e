"""``budgetlint rule``: the manual page of a rule, or the list of all."""

from __future__ import annotations

import argparse

from budgetlint.base.suggest import did_you_mean
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.engine.registry import Registry, installed
from budgetlint.report.manual import render, render_all
from budgetlint.report.style import TerminalStyle

HELP = "The manual page of a rule: what it checks, what the mistake costs, how to write it right.\n"

EPILOG = """\
examples:
  budgetlint rule does-not-fit              # the page of one rule
  budgetlint rule BL5                       # the rules of a family
  budgetlint rule --all --format json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rule", nargs="*", metavar="NAME", help="rule names, codes or families: does-not-fit, BL101, BL1")
    parser.add_argument("--all", action="store_true", help="list every rule")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    registry = installed()
    if args.all or not args.rule:
        io.write(render_all(registry.all, args.format, io.style), inked=True)
        return 0
    known = {name: rule for rule in registry.all for name in (rule.name, rule.code.lower(), *rule.aliases)}
    for word in args.rule:
        found = known.get(word.lower())
        io.write(render(found, args.format, io.style) if found else _family(registry, word, args.format, io.style), inked=True)
    return 0


def _family(registry: Registry, word: str, format: str, style: TerminalStyle) -> str:
    """``BL1``: the list of its rules."""
    rules = tuple(rule for rule in registry.all if rule.code.startswith(word.upper())) if word.upper().startswith("BL") else ()
    if not rules:
        raise Misuse(f"no rule is called '{word}'{did_you_mean(word, (rule.name for rule in registry.all))}")
    return render_all(rules, format, style)

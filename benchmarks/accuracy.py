"""How right the estimates are: every committed measurement as a budget, estimated, compared like with like.

``python benchmarks/accuracy.py`` prints figures per source and what issue 3 asks; ``--row fms-009`` shows one row with its
budget and bill; ``--page`` writes docs/accuracy.md and its plot; ``--peers`` asks the estimators on PyPI for the same rows.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from accuracy_report import as_json, report, shown
from accuracy_score import outcomes

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 whatever the figures are; they are there to be read."""
    asked = _parser().parse_args(arguments)
    detail = 1 if asked.detail == "all" or asked.row or asked.page else int(asked.detail)
    found = outcomes(detail, lambda row: (not asked.source or asked.source in row["family"]) and (not asked.row or row["id"] == asked.row))
    if asked.row:
        print("\n\n".join(map(shown, found)) or f"no row {asked.row}")
        return 0
    if asked.page:
        from accuracy_page import write_page

        write_page(found, ROOT / "docs")
        return 0
    print(report(found))
    if asked.json:
        Path(asked.json).write_text(json.dumps(as_json(found), indent=1) + "\n", encoding="utf-8")
    if asked.peers:
        from accuracy_peers import peers

        print(peers(found, None if asked.peers == "all" else asked.peers, keep=asked.peers == "all" and not asked.source))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="estimates against measurements")
    parser.add_argument("--detail", choices=("3", "all"), default="3", help="rows with every knob known (default), or all")
    parser.add_argument("--source", default="", help="only families whose name contains this")
    parser.add_argument("--row", default="", help="one row: budget, bill and figures")
    parser.add_argument("--json", default="", metavar="FILE", help="write every row's figures")
    parser.add_argument("--page", action="store_true", help="write docs/accuracy.md and docs/img/accuracy.svg")
    parser.add_argument("--peers", nargs="?", const="all", default="", help="also the estimators on PyPI, or one of them")
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""How much is read: every bound of one file's work in one table. Counted, never timed: the same file gives the same answer anywhere.

Past a bound there is a finding (`budgetlint.too_large`), and the rest is checked. ``python -m budgetlint.limits`` writes the table of
`docs/limits.md`. "Corpus" is 2,680 files of public training repositories, most of them configs and launch scripts.
"""

from __future__ import annotations

import sys

from budgetlint.record import record


@record
class Bound:
    """At most ``most`` of what is ``counted`` (a plural, for messages); ``why`` is a figure from the real world and the factor above it."""

    name: str
    most: int
    counted: str
    of: str
    why: str
    past: str = "told as `too-large`"


FILE_BYTES = Bound(
    "file-bytes", 8 * 2**20, "bytes", "a file",
    "the largest config of the corpus has 290 kB: x 29", "a named file: `unreadable-file`; a found one is listed as passed over",
)  # fmt: skip
DOCUMENTS = Bound("documents", 1_000, "documents", "a YAML file", "3 in the corpus; bundles of Kubernetes manifests hold some hundreds")
NODES = Bound(
    "nodes", 200_000, "values", "a YAML, JSON or TOML file",
    "the largest config of the corpus has 4,500 keys and values: x 44", "told as `too-large` where the file looks like a config",
)  # fmt: skip
DEPTH = Bound(
    "depth", 64, "levels", "a YAML, JSON or TOML file",
    "13 levels in 1,800 public configs: x 5; PyYAML itself gives up near 300",
    "told as `unparsable-file` where the file looks like a config",
)  # fmt: skip
ALIASED = Bound(
    "aliased", 100_000, "values that aliases add", "a YAML document",
    "OmegaConf 2.4 stops at 10,000: x 10", "told as `unparsable-file` where the file looks like a config",
)  # fmt: skip

BOUNDS = (FILE_BYTES, DOCUMENTS, NODES, DEPTH, ALIASED)
"""In the order of the manual."""

MADE = "<!-- the table is made by python -m budgetlint.limits -->"


def table() -> str:
    """The bounds in Markdown."""
    rows = [f"| {bound.name} | {bound.most:,} {bound.counted} | {bound.of} | {bound.why} | {bound.past} |" for bound in BOUNDS]
    return "\n".join(["| bound | at most | of | why so many | past it |", "|---|---|---|---|---|", *rows])


def page(text: str) -> str:
    """The manual's page with the table as it is now."""
    return f"{text.partition(MADE)[0]}{MADE}\n\n{table()}\n"


def main(path: str) -> None:
    from pathlib import Path

    there = Path(path)
    there.write_text(page(there.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/limits.md")

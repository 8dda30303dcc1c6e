"""How much is read: every bound of one file's work in one table. Counted, never timed: the same file gives the same answer anywhere.

Past a bound there is a finding (`budgetlint.base.too_large`), and the rest is checked. ``python -m budgetlint.base.limits`` writes that of
`docs/limits.md`. "Corpus" is 2,680 files of public training repositories, most of them configs and launch scripts.
"""

from __future__ import annotations

import sys

from budgetlint.base.record import record


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
DOCUMENTS = Bound(
    "documents", 500, "documents", "a YAML file",
    "3 in the corpus; bundles of Kubernetes manifests hold a hundred: x 5",
    "told as `too-large` where the file looks like a config or a job",
)  # fmt: skip
NODES = Bound(
    "nodes", 100_000, "keys and values", "a YAML, JSON or TOML file",
    "the largest config of the corpus has 2,787: x 36", "told as `too-large` where the file looks like a config",
)  # fmt: skip
DEPTH = Bound(
    "depth", 64, "levels", "a YAML, JSON or TOML file",
    "13 levels in 1,800 public configs: x 5; PyYAML itself gives up near 300",
    "told as `unparsable-file` where the file looks like a config",
)  # fmt: skip
ALIASED = Bound(
    "aliased", 100_000, "values that aliases add", "a YAML file",
    "OmegaConf 2.4 stops at 10,000: x 10", "told as `unparsable-file` where the file looks like a config",
)  # fmt: skip
FINDINGS = Bound(
    "findings", 200, "findings", "one rule in one file",
    "the most in the corpus are 6: x 33", "told as `too-large`, once for the rule and file",
)  # fmt: skip
SUPPRESSIONS = Bound("suppressions", 2_000, "suppressions", "a file", "none in the corpus; the longest file but 1 has 1,516 lines")
SUGGESTIONS = Bound(
    "suggestions", 50, "unknown names", "a check's suppressions and levels",
    "nobody misspells 50 names of rules: each is compared with 250", "a name is told without a near one",
)  # fmt: skip
SETTINGS = Bound(
    "settings",
    1_000,
    "names and globs",
    "`[tool.budgetlint]`",
    "4 times the 250 rules that there are",
    "told as `too-large`; none of them holds",
)
WORDS = Bound("words", 60_000, "words and parts of words", "the scripts of a file", "the largest script of the corpus has 8,537: x 7")
EXPANSIONS = Bound(
    "expansions", 100_000, "steps of expansion", "the scripts of a file",
    "the most in the corpus are 3,496: x 29", "told as `too-large`; variables past it are not known",
)  # fmt: skip
LAUNCHES = Bound("launches", 200, "launches", "a file", "the most in 800 public scripts are 60: x 3")
ROUNDS = Bound(
    "rounds", 4, "rounds of loops that stand in each other", "a launch",
    "161 of 178 loops of 14 repositories have 4 items or fewer; each round is followed", "its loop's variable is not known",
)  # fmt: skip
UNROLLED = Bound(
    "unrolled", 8_000, "words and parts of words", "the rounds of a file's loops, to know what they leave behind",
    "a loop over options has 200 words, and 5 of them are given: x 8", "what a loop sets is not known",
)  # fmt: skip
DATA_TEXT = Bound(
    "data-text", 64 * 2**20, "characters", "the data files of a project, looked at for their longest rows",
    "a file of 8 MB is the largest that is read: x 8", "no data bounds a length",
)  # fmt: skip
CONTAINERS = Bound("containers", 50, "containers", "a Kubernetes document", "10 in the corpus: x 5")
BUDGET_BYTES = Bound(
    "budget-bytes", 256 * 2**10, "bytes", "a budget", "the largest that we know has 1.3 kB: x 200", "told as `budget-too-large`"
)  # fmt: skip
BUDGET_WORDS = Bound(
    "budget-words", 20_000, "words", "a budget, without its comments", "173 in the largest that we know: x 115",
    "told as `budget-too-large`",
)  # fmt: skip
READ_PLACES = Bound(
    "read-places", 8, "keys", "a text of a `reads`", "1 is the rule, 2 make a ratio: x 4", "told as `wrong-value`"
)  # fmt: skip
READ_VALUE = Bound(
    "read-value", 1_000, "characters", "a value that a `reads` takes from a file", "a path of a checkpoint has 200: x 5",
    "told as `misread-value`",
)  # fmt: skip
CELLS = Bound(
    "cells", 512, "cells", "a budget: all of its matrices", "3 in the examples: x 170", "told as `budget-too-large`",
)  # fmt: skip
JUDGED = Bound(
    "judged", 512, "runs to judge", "a file: each run on each of its targets, in each cell of its matrix",
    "26 launches in one script of the corpus: x 20; a run that has a config of its own is not counted against the budget that binds it",
)  # fmt: skip
SOLVE_ESTIMATES = Bound(
    "solve-estimates", 1_500, "estimates", "one `budgetlint solve`", "a run asks about 33: 45 runs", "told, with the run that is next"
)  # fmt: skip
JOINT_READINGS = Bound(
    "joint-readings", 48, "readings", "a run whose verdict hangs on versions or open settings",
    "8 in the median and 28 in nine of ten of 34 bug reports whose range decides nothing",
    "what is left stays open: the ranges of the others hold it",
)  # fmt: skip

FILE_READINGS = Bound(
    "file-readings", 1_000, "readings", "the runs of a file whose verdicts hang on versions or open settings",
    "8 in the median: 125 such runs; 60 launches stand in the longest public script",
    "the runs after it are unknown: `INCOMPLETE: readings`",
)  # fmt: skip

PINS = Bound(
    "pins", 100, "lines about one package", "a requirements file", "1 in the corpus; a few with markers: x 20",
    "the version is not known from them",
)  # fmt: skip

PYTHON_CHARACTERS = Bound(
    "python-characters", 2**17, "characters", "a Python file",
    "`run_clm.py` of transformers has 29,000: x 4", "it is read as no training script",
)  # fmt: skip
PYTHON_NODES = Bound("python-nodes", 20_000, "values", "the configs in a Python file", "a thousand calls of 20 arguments; names may double")
BUILDERS = Bound("builders", 200, "functions that build a config", "a Python file", "torchtitan's own registry has 9 in a file: x 20")
BUILDER_KEYS = Bound("builder-keys", 500, "keys", "a block that Python builds", "torchtitan's widest block has 25: x 20")
PROGRAM_STEPS = Bound(
    "program-steps", 60_000, "statements and expressions", "a program that is followed",
    "860 in the median, 39,000 at most in 67 programs of 26 repositories: x 1.5",
    "before its trainer it is not followed; after that, what comes then is not known",
)  # fmt: skip
PROGRAM_CHANGES = Bound(
    "program-changes", 150_000, "changes of names and objects", "a program that is followed",
    "13,600 at most in 67 programs of 26 repositories: x 11", "as with its steps",
)  # fmt: skip
PROGRAM_CALLS = Bound(
    "program-calls", 45, "functions within functions", "a program that is followed", "8 in 67 programs of 26 repositories: x 5",
    "the call is not followed; what it was given is not known",
)  # fmt: skip
PROGRAM_ROUNDS = Bound(
    "program-rounds", 64, "items of a loop that are followed one by one", "a program that is followed",
    "32 or fewer in 587 of 590 loops of 67 programs: x 2",
    "the loop is followed as one of any number of rounds",
)  # fmt: skip
PROGRAM_FILES = Bound(
    "program-files", 200, "files that nobody names, tried with its programs", "a project", "the recipes of Firefly are 64: x 3",
    "the files after it are nobody's",
)  # fmt: skip
COMPOSED_FILES = Bound("composed-files", 100, "files", "a config composed by a defaults list", "verl's own trainer has 40: x 2.5")
COMPOSED_DEPTH = Bound("composed-depth", 12, "levels of defaults lists", "a config", "verl's own trainer has 4: x 3")
WATCHED_FILES = Bound(
    "watched-files", 500, "files", "a `watches` line", "a program and its own modules are some tens: x 10",
    "the declaration is not known to hold: no verdict",
)  # fmt: skip
WATCHED_BYTES = Bound(
    "watched-bytes", 16 * 2**20, "characters", "the files of a `watches` line", "500 programs of 33 kB",
    "the declaration is not known to hold: no verdict",
)  # fmt: skip
INCLUDES = Bound("includes", 8, "includes", "a budget", "a card, a cluster and a team are 3: x 2.7", "told as `bad-include`")
REFERENCES = Bound(
    "references", 16, "references that follow each other", "an OmegaConf config", "1 in the corpus: x 16",
    "the value is not known",
)  # fmt: skip
FIX_ROUNDS = Bound("fix-rounds", 10, "rounds", "`--fix`", "two fixes that meet need 2 rounds: x 5", "what is left is told again")
FIX_TRIALS = Bound(
    "fix-trials", 100, "checks of a fix by itself", "`--fix`", "only where a round of fixes fails; 100 of them are a file of mistakes",
    "what is left is told again",
)  # fmt: skip
FIX_TEXT = Bound(
    "fix-text", 800_000, "characters of edited files that are read again", "`--fix`, after its first two rounds",
    "a trial reads the files that its fix edits once: 100 trials in a file of 8 kB", "what is left is told again",
)  # fmt: skip

BOUNDS = (
    FILE_BYTES, DOCUMENTS, NODES, DEPTH, ALIASED, REFERENCES, COMPOSED_FILES, COMPOSED_DEPTH, WORDS, EXPANSIONS, LAUNCHES, ROUNDS,
    UNROLLED, CONTAINERS, DATA_TEXT,
    PYTHON_CHARACTERS, PYTHON_NODES, BUILDERS, BUILDER_KEYS,
    PROGRAM_STEPS, PROGRAM_CHANGES, PROGRAM_CALLS, PROGRAM_ROUNDS, PROGRAM_FILES, BUDGET_BYTES, BUDGET_WORDS,
    INCLUDES, READ_PLACES, READ_VALUE, WATCHED_FILES,
    WATCHED_BYTES, CELLS, JUDGED, JOINT_READINGS, FILE_READINGS, PINS, SOLVE_ESTIMATES, FINDINGS, SUPPRESSIONS, SUGGESTIONS, SETTINGS,
    FIX_ROUNDS, FIX_TRIALS, FIX_TEXT,
)  # fmt: skip
"""In the order of the manual."""

BY_NAME = {bound.name: bound for bound in BOUNDS}

CURE = "split it, or leave it out of the check"


def told(bound: Bound, found: int | None = None) -> str:
    """``40,000 documents: 500 are read``."""
    if found is None:
        return f"more than {bound.most:,} {bound.counted}: no more are read"
    return f"{found:,} {bound.counted}: {bound.most:,} are read"


MADE = "<!-- the table is made by python -m budgetlint.base.limits -->"


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

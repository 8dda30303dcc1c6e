"""Mutants: does a test notice when a figure or a condition of a module is another one?

    python benchmarks/mutants.py budgetlint/memory/loss.py tests/memory                       # forty, one after the other
    python benchmarks/mutants.py budgetlint/memory/loss.py tests/memory/test_loss.py tests/memory --count 0   # all; quick tests first
    python benchmarks/mutants.py budgetlint/memory/loss.py tests/memory --list                # what would be tried

A mutant is the module with one thing changed: a whole number one higher, an operator or a comparison another one, a condition the other
way round. It is written into a copy of the tree (`git ls-files`), never into the tree itself, and killed if pytest, stopping at the first
failure, fails there. The sample is the same for one seed and one module. The last line is ``module: killed/total``; the exit code is 1
where a mutant survived. Annotations and texts are not changed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
COUNT, SEED, LONGEST = 40, 16, 600
"""Mutants of one module, the seed of the sample, and the seconds after which the tests of one count as failed."""

BINARY = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "+"),
}
COMPARED = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
}  # fmt: skip
JOINED = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


@dataclass(frozen=True)
class Mutant:
    """``text`` in the place of the bytes from ``start`` to ``end``."""

    start: int
    end: int
    text: str
    line: int
    what: str


class Source:
    """A module's text, by bytes, as `ast` counts them."""

    def __init__(self, text: str) -> None:
        self.bytes, self.tree = text.encode(), ast.parse(text)
        self.lines = text.splitlines()
        self._starts = [0]
        for line in text.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def with_(self, mutant: Mutant) -> bytes:
        return self.bytes[: mutant.start] + mutant.text.encode() + self.bytes[mutant.end :]


def mutants(source: Source) -> list[Mutant]:
    """Every mutant, in order of place."""
    passed = {id(part) for node in ast.walk(source.tree) for part in skipped(node)}
    found = [mutant for node in ast.walk(source.tree) if id(node) not in passed for mutant in of_node(source, node)]
    return sorted(found, key=lambda mutant: (mutant.start, mutant.text))


def skipped(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations and decorators, what stands inside f-strings, imports for annotations only: nothing that a run does."""
    whole: list[ast.AST | None] = []
    if isinstance(node, (ast.AnnAssign, ast.arg)):
        whole = [node.annotation]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        whole = [node.returns, *node.decorator_list]
    elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        whole = [node]
    for part in whole:
        yield from () if part is None else ast.walk(part)


def of_node(source: Source, node: ast.AST) -> Iterator[Mutant]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield _replaced(source, node, str(node.value + 1), f"{node.value}->{node.value + 1}")
    elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        yield from _operator(source, node.left, node.right, BINARY[type(node.op)])
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _operator(source, node.left, node.comparators[0], COMPARED[type(node.ops[0])])
    elif isinstance(node, ast.BoolOp):
        yield from _operator(source, node.values[0], node.values[1], JOINED[type(node.op)])
    if isinstance(node, (ast.If, ast.IfExp)):
        text = source.bytes[source.start(node.test) : source.end(node.test)].decode()
        yield _replaced(source, node.test, f"(not ({text}))", "negate if" if isinstance(node, ast.If) else "negate if-exp")


def _replaced(source: Source, node: ast.expr, text: str, what: str) -> Mutant:
    return Mutant(source.start(node), source.end(node), text, node.lineno, what)


def _operator(source: Source, left: ast.expr, right: ast.expr, pair: tuple[str, str]) -> Iterator[Mutant]:
    """The operator between two operands; none where a bracket or comment makes the place unsure."""
    old, new = pair
    start, end = source.end(left), source.start(right)
    between = source.bytes[start:end].decode()
    if between.strip(" \n()") == old:
        at = start + between.index(old)
        yield Mutant(at, at + len(old), new, left.end_lineno or left.lineno, f"{old}->{new}")


def copied(folder: Path) -> Path:
    """The tree as git sees it, with what is not committed yet."""
    listed = subprocess.run(
        ["git", "-C", str(TREE), "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (TREE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, folder / name)
    return folder


def survives(tree: Path, tests: Sequence[str], *, keep: bool = False) -> bool:
    """Whether every test passes in the copy. ``keep`` what is compiled: the next runs compile the one module that changed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "" if keep else "1"}
    try:
        ran = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0


def tried(module: str, tests: Sequence[str], chosen: Sequence[Mutant], source: Source) -> int:
    """How many are killed; each that is not gets its line."""
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        if not survives(tree, tests, keep=True):
            sys.exit("the tests fail without any mutant")
        for mutant in chosen:
            (tree / module).write_bytes(source.with_(mutant))
            if survives(tree, tests):
                print(f"  SURVIVED {shown(module, mutant, source)}", flush=True)
            else:
                killed += 1
    return killed


def shown(module: str, mutant: Mutant, source: Source) -> str:
    return f"{module}:{mutant.line} {mutant.what} | {source.lines[mutant.line - 1].strip()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="from the tree's top")
    parser.add_argument("tests", nargs="+", help="what pytest is to run, the quickest first")
    parser.add_argument("--count", type=int, default=COUNT, help=f"how many mutants ({COUNT}); 0: all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    options = parser.parse_args()
    source = Source((TREE / options.module).read_text(encoding="utf-8"))
    found = mutants(source)
    picked = found if not options.count else random.Random(options.seed).sample(found, min(options.count, len(found)))
    chosen = sorted(picked, key=lambda mutant: (mutant.start, mutant.text))
    if options.list:
        print("\n".join(shown(options.module, mutant, source) for mutant in chosen))
        return
    begun = time.monotonic()
    killed = tried(options.module, options.tests, chosen, source)
    print(
        f"{options.module}: {killed}/{len(chosen)} killed of {len(found)} there are, seed {options.seed}, {time.monotonic() - begun:.0f} s"
    )
    sys.exit(int(killed < len(chosen)))


if __name__ == "__main__":
    main()

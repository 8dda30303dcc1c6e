"""Whole commands on hostile folders, in process: ``python benchmarks/fuzz_commands.py --minutes 60 --corpus FOLDER --found FOLDER``.

A case is a folder of one to four files (public configs, budgets and scripts, changed by `fuzz_mutate`, some grown to megabytes) and one
command line. Wrong is a traceback, a contained crash (BL998, BL999), an exit code outside 0, 1, 2, JSON that is none, a file outside the
folder that changed, and more CPU time than `docs/limits.md` promises: 2 s for less than a megabyte, 10 s below the size limit. A slow case
is run again before it counts. Case N of a seed is always the same: ``--case N`` runs it alone and leaves its folder.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz_mutate import grown, mutated
from fuzz_seeds import BUDGETS, INTERPOLATED, JOBS, JSON, LOCKS, MAKEFILES, REQUIREMENTS, SCRIPTS, TOML, YAML

MEGABYTE = 10**6
ALLOWED = ((MEGABYTE, 2.0), (2**33, 10.0))
"""CPU seconds for a folder of fewer bytes; a session of the server checks each file when it is opened and after each of two changes."""
CHECKS_OF_A_SESSION = 3
LIMIT = 40.0
"""Where a case is given up."""

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check",),
    ("check", "--info", "--format", "json"),
    ("check", "--format", "full", "--budget", "device 24GiB", "--require-verdict"),
    ("check", "--format", "github"),
    ("check", "--format", "gitlab"),
    ("check", "--format", "sarif"),
    ("check", "--format", "junit"),
    ("check", "--format", "markdown"),
    ("check", "--format", "concise", "--statistics"),
    ("check", "--fix"),
    ("check", "--fix", "--unsafe-fixes"),
    ("check", "--baseline", "base.json"),
    ("check", "{file}"),
    ("check", "--", "bash", "{file}"),
    ("estimate",),
    ("estimate", "--format", "json"),
    ("estimate", "--format", "svg"),
    ("estimate", "{file}", "--budget", "device 8x h100-80gb"),
    ("solve", "--budget", "device 24GiB"),
    ("files", "--format", "json"),
    ("files",),
    ("fmt",),
    ("fmt", "--check", "--diff"),
    ("fmt", "--format", "json", "{file}"),
    ("init",),
    ("estimate", "{file}", "--oom", "{file}"),
    ("lsp",),
)

NAMES: dict[str, tuple[str, ...]] = {
    ".yaml": ("a.yaml", "conf/b.yaml", "recipes/train.yml", "sky.yaml"),
    ".json": ("ds.json", "config.json", "conf/zero3.json"),
    ".toml": ("train.toml", "pyproject.toml"),
    ".sh": ("run.sh", "scripts/train.sh", "Makefile", "Dockerfile", "job.sbatch"),
    ".py": ("train.py", "src/sft.py"),
    ".budget": ("run.budget", "conf/team.budget"),
    ".txt": ("requirements.txt", "uv.lock", "budget.lock", "log.txt"),
}
SEEDS: dict[str, tuple[str, ...]] = {
    ".yaml": (*YAML, *INTERPOLATED, *JOBS), ".json": JSON, ".toml": TOML, ".sh": (*SCRIPTS, *MAKEFILES), ".budget": BUDGETS,
    ".txt": (*REQUIREMENTS, *LOCKS),
}  # fmt: skip
JSON_OUT = {"json", "sarif", "gitlab"}
LARGEST_SEED = 2**16


@dataclass(frozen=True)
class Case:
    files: dict[str, bytes]
    argv: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))

    @property
    def command(self) -> str:
        return " ".join(word for word in self.argv if "." not in word) or self.argv[0]


def seeds(corpus: Path | None) -> dict[str, tuple[bytes, ...]]:
    """Texts by suffix: ours, and those of a folder of public files."""
    found = {suffix: [text.encode("utf-8", "surrogatepass") for text in texts] for suffix, texts in SEEDS.items()}
    found[".py"] = []
    for path in sorted(corpus.rglob("*")) if corpus else ():
        suffix = {".yml": ".yaml", ".bash": ".sh", ".slurm": ".sh", ".sbatch": ".sh"}.get(path.suffix, path.suffix)
        if suffix in NAMES and path.is_file() and path.stat().st_size < LARGEST_SEED:
            found[suffix].append(path.read_bytes())
    return {suffix: tuple(texts) for suffix, texts in found.items() if texts}


def case_of(number: int, seed: int, known: dict[str, tuple[bytes, ...]]) -> Case:
    """The case of a number: any of them can be made again without those before it."""
    random = Random(f"{seed}:{number}")
    files: dict[str, bytes] = {}
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        suffix = random.choices(tuple(known), [5 if suffix in (".yaml", ".sh", ".budget") else 2 for suffix in known])[0]
        text = random.choice(known[suffix])
        if random.random() < 0.9:
            text = mutated(text, random, known[random.choice(tuple(known))], largest=2 * LARGEST_SEED)
        if random.random() < 0.03:
            text = grown(text, random, random.choice((10**5, MEGABYTE - 10**4, MEGABYTE - 10**4, 7 * MEGABYTE)))
        files[random.choice(NAMES[suffix])] = text
    argv = random.choice(COMMANDS)
    file = random.choice(tuple(files))
    return Case(files, tuple(word.replace("{file}", file) for word in argv))


class Slow(Exception):
    """A case was given up."""


def _interrupt(_signal: int, _frame: object) -> None:
    raise Slow


def lay(case: Case, root: Path) -> None:
    (root / ".git").mkdir(parents=True)
    for path, text in case.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)


def wrong_with(case: Case, root: Path) -> tuple[str, float]:
    """What is wrong with a call, or nothing; and its CPU seconds."""
    run = served if case.argv[0] == "lsp" else called
    began = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        wrong = run(case, root)
    except Slow:
        wrong = ""
    except BaseException as error:  # whatever is raised is what is looked for
        wrong = _place(traceback.format_exc()) or repr(error)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return wrong, time.process_time() - began


def called(case: Case, root: Path) -> str:
    from budgetlint.cli import main
    from budgetlint.commands.console import Console

    out, err = io.StringIO(), io.StringIO()
    environ = {"HOME": str(root.parent), "XDG_CACHE_HOME": str(root.parent / "cache"), "CI": "1"}
    code = main(case.argv, Console(out, err, io.StringIO(""), environ, root))
    said, complained = out.getvalue(), err.getvalue()
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if "Traceback" in complained or "internal error" in complained:
        return _place(complained)
    if re.search(r"\bBL99[89]\b", said):
        return "BL998 or BL999"
    if JSON_OUT & set(case.argv) and case.argv[0] in ("check", "estimate", "files") and said:
        json.loads(said, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
    return ""


def served(case: Case, root: Path) -> str:
    """A session that opens every file, types in it, and asks everything at some places."""
    from budgetlint.lsp.features import FEATURES
    from budgetlint.lsp.protocol import encoded
    from budgetlint.lsp.server import Server
    from budgetlint.lsp.uris import uri_of

    random = Random(repr(sorted(case.files)))
    first = {"id": 0, "method": "initialize", "params": {"capabilities": {}, "rootUri": uri_of(root)}}
    sent = [first, {"method": "initialized", "params": {}}]
    asked = 0
    for path, data in case.files.items():
        text, uri = data.decode("utf-8", "replace"), uri_of(root / path)
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        sent.append({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        for version in (2, 3):
            line = random.randrange(text.count("\n") + 2)
            place = {"line": line, "character": random.randrange(40)}
            change = {"range": {"start": place, "end": place}, "text": random.choice(("\n", ": ", "x", "é𝄞", "{", "batch "))}
            document = {"uri": uri, "version": version}
            sent.append({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}})
        for method in FEATURES:
            line = random.randrange(text.count("\n") + 2)
            start, end = {"line": line, "character": random.randrange(20)}, {"line": line + random.randrange(9), "character": 0}
            asked += 1
            params = {"textDocument": {"uri": uri}, "position": start, "range": {"start": start, "end": end}}
            params |= {"context": {"diagnostics": []}, "options": {"tabSize": 2, "insertSpaces": True}}
            sent.append({"id": asked, "method": method, "params": params})
    sent += [{"id": asked + 1, "method": "shutdown", "params": None}, {"method": "exit", "params": None}]
    logged: list[str] = []
    code = Server(io.BytesIO(b"".join(map(encoded, sent))), io.BytesIO(), logged.append).run()
    return _place("\n".join(logged)) if logged else f"exit code {code}" if code else ""


def _place(text: str) -> str:
    """Exception and innermost line of ours: what tells two bugs apart."""
    frames = re.findall(r'File "[^"]*(budgetlint[^"]*|rules/[^"]*)", line (\d+)', text)
    last = [line for line in text.strip().splitlines() if re.match(r"\w+(\.\w+)*(Error|Exception|Exit|Interrupt)\b", line)]
    where = ":".join(frames[-1]) if frames else "nowhere"
    return f"{last[-1][:80] if last else 'crash'} at {where}"


@dataclass
class Hunt:
    found: Path
    cases: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, int, int]] = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)

    def run(self, number: int, case: Case) -> None:
        wrong, seconds = _tried(case)
        allowed = next(most for size, most in ALLOWED if case.size < size) * (CHECKS_OF_A_SESSION if case.argv[0] == "lsp" else 1)
        if not wrong and seconds > allowed:
            gc.collect()
            wrong, seconds = _tried(case)  # a busy machine, or an import: once more
            wrong = wrong or (f"slow: {case.command}" if seconds > allowed else "")
        self.cases[case.command] += 1
        if seconds > self.slowest.get(case.command, (0.0, 0, 0))[0]:
            self.slowest[case.command] = (seconds, case.size, number)
        if wrong:
            self.wrong[wrong] += 1
            if self.wrong[wrong] <= 3:
                self._keep(number, case, wrong, seconds)

    def _keep(self, number: int, case: Case, wrong: str, seconds: float) -> None:
        folder = self.found / f"case-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        lay(case, folder)
        (self.found / f"case-{number}.txt").write_text(f"{wrong}\n{case.argv}\n{seconds:.2f} s, {case.size} bytes\n", encoding="utf-8")

    def told(self) -> str:
        lines = [f"{sum(self.cases.values()):,} cases in {time.process_time() / 60:.1f} CPU minutes"]
        for command, count in sorted(self.cases.items()):
            seconds, size, number = self.slowest.get(command, (0.0, 0, 0))
            lines.append(f"  {count:>7,}  {command:<60} slowest {seconds:5.2f} s ({size:,} bytes, case {number})")
        lines += [f"  WRONG {count} x {what}" for what, count in self.wrong.most_common()] or ["  nothing wrong"]
        return "\n".join(lines)


def _tried(case: Case) -> tuple[str, float]:
    base = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))  # noqa: PTH112
    try:
        lay(case, base / "repository")
        (base / "outside").write_text("precious")
        wrong, seconds = wrong_with(case, base / "repository")
        if not wrong and (base / "outside").read_text() != "precious":
            wrong = "a file outside changed"
        return wrong, seconds
    finally:
        shutil.rmtree(base, ignore_errors=True)


def hunted(minutes: float, seed: int, first: int, corpus: Path | None, found: Path, say: Callable[[str], object] = print) -> Hunt:
    """So many CPU minutes of cases, counted by command."""
    signal.signal(signal.SIGVTALRM, _interrupt)
    found.mkdir(parents=True, exist_ok=True)
    known, hunt, number = seeds(corpus), Hunt(found), first
    next_report = 60.0
    while time.process_time() < minutes * 60:
        hunt.run(number, case_of(number, seed, known))
        number += 1
        if time.process_time() > next_report:
            next_report += 60.0
            (found / "counts.txt").write_text(hunt.told() + "\n", encoding="utf-8")
            gc.collect()
    (found / "counts.txt").write_text(hunt.told() + "\n", encoding="utf-8")
    say(hunt.told())
    return hunt


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=60, help="CPU minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first case")
    parser.add_argument("--case", type=int, metavar="N", help="only this case")
    parser.add_argument("--corpus", type=Path, help="a folder of public files")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), metavar="FOLDER")
    asked = parser.parse_args(argv)
    if asked.case is not None:
        case = case_of(asked.case, asked.seed, seeds(asked.corpus))
        signal.signal(signal.SIGVTALRM, _interrupt)
        shutil.rmtree(asked.found / "case", ignore_errors=True)
        lay(case, asked.found / "case")
        print(case.argv, {path: len(text) for path, text in case.files.items()}, _tried(case))
        return 0
    return bool(hunted(asked.minutes, asked.seed, asked.first, asked.corpus, asked.found).wrong)


if __name__ == "__main__":
    sys.exit(main())

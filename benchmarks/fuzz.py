"""Fuzzing of everything that reads text: ``python benchmarks/fuzz.py --minutes 16 --seed 1 --found FOLDER [--engine random]``.

A case is bytes: the first chooses the target (`fuzz_targets.TARGETS`), the second a way to read, the rest is the text. Engine
``atheris`` is libFuzzer's coverage-guided search with the mutations of `fuzz_mutate` beside its own; ``random`` applies those
mutations to the seeds, and needs nothing installed. A case may take ``SECONDS`` of CPU time and the process ``MEMORY`` bytes.

Each new kind of failure (by exception and innermost place) is written to FOLDER with its traceback, the search goes on.
``--replay FILE ...`` runs cases again, without limits. Found cases are kept as tests in ``tests/documents/test_found_cases.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from fuzz_mutate import LARGEST, mutated

SECONDS = 4.0
"""CPU seconds a case may take: under coverage tracing, of at most `LARGEST` bytes."""
MEMORY = 3 * 2**30


class Slow(Exception):
    """A case took longer than ``SECONDS``."""


@dataclass
class Hunt:
    """One process' search, ``until`` so many CPU seconds are spent. ``places`` counts failures by exception and place."""

    found: Path
    until: float
    cases: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)

    def case(self, data: bytes) -> None:
        """Run one case; a failure is written down, never raised."""
        if time.process_time() > self.until:
            self.finish()
        name, began = target_of(data)[0], time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            run_case(data)
        except Exception as error:  # whatever is raised is what is looked for
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self._failed(data, error)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.cases[name] += 1
        self.slowest[name] = max(self.slowest.get(name, 0.0), time.process_time() - began)

    def _failed(self, data: bytes, error: Exception) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "budgetlint" in frame.filename]
        last = frames[-1] if frames else None
        place = f"{type(error).__name__} {Path(last.filename).name}:{last.lineno}" if last else type(error).__name__
        if isinstance(error, Slow | RecursionError):  # interrupted anywhere: told apart by target
            place = f"{type(error).__name__} in {target_of(data)[0]}"
        self.places[place] += 1
        if self.places[place] <= 3:
            file = self.found / hashlib.sha256(data).hexdigest()[:12]
            file.write_bytes(data)
            told = "".join(traceback.format_exception(error, limit=-25))
            file.with_suffix(".txt").write_text(f"{place}\n{target_of(data)[0]}\n{told}", encoding="utf-8", errors="replace")

    def finish(self) -> None:
        """Say what was done, and end the process: libFuzzer's own end reports nothing of this."""
        print(f"{sum(self.cases.values())} cases in {time.process_time() / 60:.1f} CPU minutes")
        for name, count in sorted(self.cases.items()):
            print(f"  {name:<16}{count:>9} cases, slowest {self.slowest[name]:.2f} s")
        print("\n".join(f"  {count} x {place}" for place, count in self.places.most_common()) or "  no failure")
        sys.stdout.flush()
        os._exit(bool(self.places))


def target_of(data: bytes) -> tuple[str, object]:
    from fuzz_targets import TARGETS

    name, target, _ = TARGETS[(data[0] if data else 0) % len(TARGETS)]
    return name, target


def run_case(data: bytes) -> None:
    from fuzz_targets import TARGETS

    from budgetlint.base.source import SourceFile, decode

    _, target, _ = TARGETS[(data[0] if data else 0) % len(TARGETS)]
    source = decode("x", data[2:])
    text = source.text if isinstance(source, SourceFile) else data[2:].decode("utf-8", "replace").replace("\0", "")
    target(text, data[1] if len(data) > 1 else 0)


def seeds() -> tuple[bytes, ...]:
    from fuzz_targets import TARGETS

    return tuple(bytes((at, choice)) + text.encode() for at, (_, _, texts) in enumerate(TARGETS) for text in texts for choice in (0, 7))


def changed(data: bytes, random: Random, others: tuple[bytes, ...]) -> bytes:
    """A mutated case: usually of the same target."""
    head = data[:2] if len(data) > 1 else b"\0\0"
    if random.randrange(10) == 0:
        head = bytes((random.randrange(256), random.randrange(256)))
    return head + mutated(data[2:], random, others)


def by_chance(hunt: Hunt, random: Random) -> None:
    """Mutations of the seeds and, now and then, of what they became."""
    pool = list(seeds())
    others = tuple(seed[2:] for seed in pool)
    while True:
        data = changed(random.choice(pool), random, others)
        hunt.case(data)
        if random.randrange(50) == 0:
            pool.append(data)
        if len(pool) > 3000:
            del pool[len(others) + random.randrange(len(pool) - len(others))]


def instrument() -> None:
    """Import all of budgetlint so that libFuzzer sees which lines a case reaches."""
    import atheris

    with atheris.instrument_imports(include=["budgetlint"]):
        import budgetlint

        for module in pkgutil.walk_packages(budgetlint.__path__, "budgetlint."):
            if not module.name.startswith(("budgetlint.lsp", "budgetlint.probe", "budgetlint.__main__")):
                importlib.import_module(module.name)


def by_coverage(hunt: Hunt, random: Random, corpus: Path) -> None:
    import atheris

    others = tuple(seed[2:] for seed in seeds())
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds():
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)

    def mutate(data: bytes, limit: int, seed: int) -> bytes:
        random.seed(seed)
        return changed(data, random, others)[:limit] if seed % 3 else atheris.Mutate(data, limit)

    arguments = [
        sys.argv[0],
        str(corpus),
        f"-max_len={LARGEST}",
        "-timeout=60",
        "-rss_limit_mb=0",
        "-verbosity=0",
        f"-artifact_prefix={corpus.parent}/",
        "-close_fd_mask=0",
    ]
    atheris.Setup([*arguments, f"-seed={random.randrange(1, 2**31)}"], hunt.case, custom_mutator=mutate)
    atheris.Fuzz()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise Slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=16, help="CPU minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), metavar="FOLDER")
    parser.add_argument("--engine", choices=("atheris", "random"), default="atheris")
    parser.add_argument("--replay", type=Path, nargs="+", default=[], metavar="FILE")
    asked = parser.parse_args()
    for file in asked.replay:
        run_case(file.read_bytes())
    if asked.replay:
        return
    asked.found.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _interrupt)
    if asked.engine == "atheris":
        instrument()
    hunt, random = Hunt(asked.found, time.process_time() + asked.minutes * 60), Random(asked.seed)
    signal.signal(signal.SIGTERM, lambda *_: hunt.finish())
    if asked.engine == "atheris":
        by_coverage(hunt, random, asked.found / f"corpus-{asked.seed}")
    by_chance(hunt, random)


if __name__ == "__main__":
    main()

"""What is fuzzed: each target takes a text through the code that real files of its kind go through."""

from __future__ import annotations

from collections.abc import Callable

from fuzz_seeds import BUDGETS, INTERPOLATED, JOBS, JSON, LOCKS, MAKEFILES, REQUIREMENTS, SCRIPTS, TOML, YAML

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, load, plain
from budgetlint.documents.comments import comments
from budgetlint.documents.interpolate import interpolated
from budgetlint.language import format_text, read_budget
from budgetlint.launch.read import command_launches, script_launches
from budgetlint.launch.readings import flag_reading, format_of, launcher_readings
from budgetlint.readers import Reader, all_readers, identify
from budgetlint.readers.base import complete
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Stack

Target = Callable[[str, int], None]
"""Takes a text and a number that may choose among ways to read it."""


def document(name: str) -> Target:
    """Parse, resolve references, and read: with the reader that claims it, and with any other, as ``kind=`` may ask for."""

    def target(text: str, choice: int) -> None:
        source = SourceFile(name, text)
        for one in load(source):
            tuple(comments(source, one.format))
            if one.root is None:
                continue
            found = identify(interpolated(one))
            readers = all_readers()
            for reader in {readers[choice % len(readers)], *((found,) if isinstance(found, Reader) else ())}:
                _read(reader, one)

    return target


def _read(reader: Reader, one: Document) -> None:
    plain(one.root, reader.loader)
    complete(reader, reader.read(one).settings, Stack())


def project(name: str) -> Target:
    """The whole way to an estimate."""

    def target(text: str, choice: int) -> None:
        beside = {} if choice % 2 else {"zero3.json": JSON[0], "train.yaml": YAML[2], "fsdp.yaml": YAML[3]}
        judge_texts({**beside, name: text}, budget=BUDGETS[2].replace("model qwen3-8b; ", "") if choice % 3 else None)

    return target


def script(name: str) -> Target:
    def target(text: str, choice: int) -> None:
        source = SourceFile(name, text)
        for launch in (script_launches if choice % 4 else command_launches)(source):
            format_of(launch)
            flag_reading(launch, ())
            launcher_readings(launch)

    return target


def budget(text: str, _choice: int) -> None:
    read_budget(SourceFile("x.budget", text), lambda path: SourceFile(path, "batch 1\n"))
    once = format_text(text)
    assert format_text(once) == once, "a formatted budget is formatted differently"


TARGETS: tuple[tuple[str, Target, tuple[str, ...]], ...] = (
    ("yaml", document("x.yaml"), (*YAML, *INTERPOLATED, *JOBS)),
    ("references", document("x.yaml"), INTERPOLATED),
    ("json", document("x.json"), JSON),
    ("toml", document("x.toml"), TOML),
    ("sniffed", document("x.conf"), (YAML[8], JSON[3], TOML[1])),
    ("script", script("run.sh"), SCRIPTS),
    ("makefile", script("Makefile"), MAKEFILES),
    ("job", project("job.yaml"), JOBS),
    ("budget", budget, BUDGETS),
    ("requirements", project("requirements.txt"), REQUIREMENTS),
    ("lock", project("uv.lock"), LOCKS),
    ("run of yaml", project("train2.yaml"), YAML),
    ("run of json", project("config.json"), JSON),
    ("run of toml", project("train.toml"), TOML[:1]),
    ("run of script", project("run2.sh"), SCRIPTS),
    ("run of budget", project("run.budget"), BUDGETS),
)

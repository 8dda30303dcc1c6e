"""How much of what decides a bill is read from public training programs: facts read by eye beside what budgetlint makes of them.

Each row of ``tests/program/scripts/facts.jsonl`` names a program, a launch of it that its repository shows, and eight facts. The launch
is read by the linter's own launch reader from the file that the row names, the program followed, and its run joined as a check does; a row
without a launch is followed as if it were started without words. ``--mirror`` is a folder of ``OWNER+NAME`` with git directories, as
`first_look.py` has it; nothing of a repository is run. ``--trees`` keeps the trees for the next time.

A fact is *known* where the setting has its value (or, where the versions differ and none is pinned, the readings of all), *open* where the
setting is there and says that it is not known, *wrong* where it claims another value, *missing* where no run came of the program. Where
the row itself says that nobody gives the value, a claim is wrong, and everything else is right.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from first_looks import look
from first_looks.trees import materialise

from budgetlint.base.source import SourceFile
from budgetlint.catalog.models import find_model
from budgetlint.catalog.names import NoMatch
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.catalog.peft_targets import BY_TYPE, peft_targets
from budgetlint.documents.notebook import cells_of, is_exported
from budgetlint.files.disk import DiskFiles
from budgetlint.files.wanted import is_readme
from budgetlint.launch import Launch
from budgetlint.launch.fenced import shown_launches
from budgetlint.launch.read import script_launches
from budgetlint.launch.run import launched
from budgetlint.resolve.judged_runs import run_contexts
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.project import Project
from budgetlint.resolve.references import quietly, referenced, resolve_references
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.settings.run import Reading, Setting, Settings

ROOT = Path(__file__).resolve().parents[1]
FACTS = ROOT / "tests" / "program" / "scripts" / "facts.jsonl"
SETTING = {
    "model": "model", "weights_dtype": "weights_dtype", "quantisation": "quant", "adapter": "adapter", "micro_batch": "micro_batch",
    "sequence_length": "seq_len", "gradient_checkpointing": "recompute", "optimizer": "optimizer",
}  # fmt: skip
DTYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
BITS = {"none": ("none",), "8 bit": ("int8",), "4 bit": ("nf4", "fp4")}
KNOWN, OPEN, WRONG, MISSING = "known", "open", "wrong", "missing"
WORDS = (KNOWN, OPEN, WRONG, MISSING)


class Answer(NamedTuple):
    """What became of one fact. ``told``: the row gives its value. ``said``: what the linter says instead."""

    row: Mapping[str, Any]
    fact: str
    word: str
    told: bool
    said: str


def answers(row: Mapping[str, Any], tree: Path) -> Iterator[Answer]:
    """The eight facts of one row. ``tree`` holds the files of its commit."""
    settings, why = settings_of(row, tree)
    for name, fact in row["facts"].items():
        told = is_told(fact)
        if settings is None:
            yield Answer(row, name, MISSING, told, why)
            continue
        setting = settings.get(SETTING[name])
        word = compared(name, fact, setting, settings) if told else WRONG if claims(setting) else OPEN
        yield Answer(row, name, word, told, shown(setting))


def is_told(fact: Mapping[str, Any]) -> bool:
    """Has the row a value? That images have no length is none."""
    return "value" in fact and not (fact["value"] == "none" and "images" in fact.get("note", ""))


def claims(setting: Setting | None) -> bool:
    """Is a value claimed, for every version?"""
    return setting is not None and setting.known and setting.certainty in ("stated", "default")


def shown(setting: Setting | None) -> str:
    if setting is None:
        return "no such setting"
    value = "" if setting.known else f" {list(setting.readings)}" if setting.readings else ""
    return f"{setting.certainty}: {setting.value if setting.known else setting.text or setting.origin.note}{value} ({setting.origin})"


# -- the run -----------------------------------------------------------------------------------------------------------------------


def settings_of(row: Mapping[str, Any], tree: Path) -> tuple[Settings | None, str]:
    """The settings of the row's run as a check has them; None, and why, where there is no run."""
    files = DiskFiles(tree)
    work = Assembly(Project(files))
    if row["launch_at"] is None:
        return alone(work, row["script"])
    launch = launch_of(files, row)
    return (None, "no launch is read there") if launch is None else started(work, launch, row["script"])


def alone(work: Assembly, path: str) -> tuple[Settings | None, str]:
    run = work.programs.alone(path)
    if run is None or run.reading is None:
        return None, unfollowed(run)
    return joined(work, path, (run.reading, *referenced(work, run.reading)))


def started(work: Assembly, launch: Launch, path: str) -> tuple[Settings | None, str]:
    if work.programs.place(launch) != path:
        return None, f"another program is found: {work.programs.place(launch)}"
    program = work.programs.launched(launch)
    if program is None or program.reading is None or program.is_refused:
        return None, unfollowed(program)
    run = launched(launch, partial(quietly, work), program.reading)
    if run is None:
        return None, "no run comes of the launch"
    beside = resolve_references(work, run.readings[0], list(run.references))
    readings = (*run.readings, *(one for one in beside if all(one is not mine for mine in run.readings)))
    return joined(work, path, readings)


def unfollowed(program: ProgramRun | None) -> str:
    """Why there is no one run."""
    if program is None:
        return "not followed to a training"
    stopped = program.followed.stopped or (program.is_refused and "the program refuses its launch")
    return str(stopped or f"{program.trainings} trainings")


def joined(work: Assembly, name: str, readings: tuple[Reading, ...]) -> tuple[Settings | None, str]:
    context = next(iter(run_contexts(work, Collected(name, readings))), None)
    return (context.run.settings, "") if context is not None else (None, "no run")


def launch_of(files: DiskFiles, row: Mapping[str, Any]) -> Launch | None:
    """The launch of a row as the launch reader has it; one that stands inside a sentence, where no reader looks, is given as a script."""
    path, _, lines = row["launch_at"].rpartition(":")
    first, last = (int(one) for one in (lines.split("-") * 2)[:2])
    source = files.read(path)
    if not isinstance(source, SourceFile):
        return None
    cells = cells_of(source) if is_exported(source.text) else None
    found = shown_launches(source) if is_readme(path) else script_launches(cells.commands if cells is not None else source)
    read = _named([one for one in found if first <= one.source.locate(one.span).line <= last], row["script"])
    text = "\n".join(source.text.splitlines()[first - 1 : last])
    alone = re.search(r"`(python [^`]+)`|^> (python .+)$", text)
    if read is not None or alone is None:
        return read
    command = re.sub(r"\[([A-Z ]+)\]", lambda one: one[1].replace(" ", "_"), alone[1] or alone[2])  # a place to fill in is one word
    return _named(script_launches(SourceFile(path, command + "\n")), row["script"])


def _named(found: Sequence[Launch], script: str) -> Launch | None:
    name = re.compile(re.escape(Path(script).stem) + r"(\.py)?$")
    return next((one for one in found if name.search(one.program.program)), None)


# -- facts beside settings ---------------------------------------------------------------------------------------------------------


def compared(name: str, fact: Mapping[str, Any], setting: Setting | None, settings: Settings) -> str:
    """What a told fact comes to."""
    if (
        name == "weights_dtype"
        and "by_version" in fact
        and setting is not None
        and set(setting.readings) == {"auto", DTYPES[fact["value"]]}
    ):
        return KNOWN
    if not claims(setting):
        return OPEN
    assert setting is not None
    return COMPARED[name](fact, setting.value, settings)


def _word(same: bool) -> str:
    return KNOWN if same else WRONG


def _model(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    told, parts = re.split(r"[,\s]", str(fact["value"])), str(value).split(".")
    return _word(told[0] == value or (parts[0] == told[0] == "torchvision" and parts[-1] in told))


def _dtype(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    return _word(DTYPES[re.split(r"[,\s]", fact["value"])[0]] == value)


def _quant(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    wanted = next((words for bits, words in BITS.items() if fact["value"].startswith(bits)), ())
    return _word(value in wanted and ("nf4" not in fact["value"] or value == "nf4"))


def _adapter(fact: Mapping[str, Any], value: Any, settings: Settings) -> str:
    told = fact["value"]
    if told == "none" or value == "none":
        return _word(told == value)
    if told["kind"] != "lora":
        return _word(value == "other")
    if value != "lora":
        return WRONG
    rank, targets = settings.get("lora_r"), settings.get("lora_targets")
    if not claims(rank) or rank is None or (told["targets"] is not None and not claims(targets)):
        return OPEN
    named = set(targets.value) if targets is not None and claims(targets) else None
    if named == {BY_TYPE}:  # what PEFT adapts of this model
        model = find_model(str(settings.value("model")))
        named = None if isinstance(model, NoMatch) else set(peft_targets(model.family) or ())
    return _word(rank.value == told["r"] and (None in (named, told["targets"]) or named == set(told["targets"])))


def _batch(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    return _word(fact["value"] == value)


def _length(fact: Mapping[str, Any], value: Any, settings: Settings) -> str:
    told = fact["value"]
    if not isinstance(told, dict):
        return _word(told == value)
    if "prompt" in told:
        return _word(value == sum(told.values()))
    target = settings.get("target_len")
    return OPEN if not claims(target) or target is None else _word((value, target.value) == (told["source"], told["target"]))


def _checkpointing(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    return _word((value != "none") is fact["value"])


def _optimizer(fact: Mapping[str, Any], value: Any, _: Settings) -> str:
    spelling = re.split(r"[,\s]", fact["value"].removeprefix("transformers "))[0]
    if "of the DeepSpeed file" in fact["value"]:
        spelling = "DeepSpeedCPUAdam" if "CPU" in fact["value"] else spelling
        found = find_optimizer(spelling, "deepspeed")
    else:
        found = find_optimizer(spelling if spelling.startswith("transformers.") else spelling.rpartition(".")[2], "")
    return _word(value in (spelling.lower(), None if isinstance(found, NoMatch) else found.name))


COMPARED = {
    "model": _model, "weights_dtype": _dtype, "quantisation": _quant, "adapter": _adapter, "micro_batch": _batch,
    "sequence_length": _length, "gradient_checkpointing": _checkpointing, "optimizer": _optimizer,
}  # fmt: skip


# -- the page ----------------------------------------------------------------------------------------------------------------------


def page(found: Sequence[Answer]) -> Iterator[str]:
    """A line for each fact, the differences, and the sum."""
    told = [one for one in found if one.told]
    for name in SETTING:
        counted = Counter(one.word for one in told if one.fact == name)
        yield f"{name:24}" + "  ".join(f"{word} {counted[word]:3}" for word in WORDS)
    yield ""
    yield from (_difference(one) for one in found if one.word == WRONG or (one.told and one.word != KNOWN))
    yield ""
    known = sum(one.word == KNOWN for one in told)
    wrong = sum(one.word == WRONG for one in found)
    yield f"known {known} of {len(told)} ({known / max(1, len(told)):.1%}), wrong {wrong}"


def _difference(one: Answer) -> str:
    fact = one.row["facts"][one.fact]
    told = fact.get("value", fact.get("open", fact.get("not_told")))
    return f"{one.word:8}{one.row['repository']} {Path(one.row['script']).name}  {one.fact}: {told!r}"[:150] + f"  |  {one.said}"


def _tree(row: Mapping[str, Any], mirror: Path, trees: Path) -> Path:
    folder = trees / row["repository"].replace("/", "+")
    if not folder.exists():
        folder.mkdir(parents=True)
        repository = look.source(row["repository"], mirror, row["commit"])
        materialise(repository.git, repository.commit, folder)
    return folder


def main(words: list[str]) -> int:
    """The door."""
    parser = argparse.ArgumentParser(prog="program_facts.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--mirror", type=Path, default=Path("mirror"), help="folder of OWNER+NAME with git directories (default: %(default)s)"
    )
    parser.add_argument("--trees", type=Path, help="folder where the trees are kept (default: none is kept)")
    parser.add_argument("names", nargs="*", metavar="OWNER/NAME", help="only these repositories")
    asked = parser.parse_args(words)
    rows = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        trees = asked.trees or Path(scratch)
        wanted = [row for row in rows if not asked.names or row["repository"] in asked.names]
        found = [one for row in wanted for one in answers(row, _tree(row, asked.mirror, trees))]
    print("\n".join(page(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

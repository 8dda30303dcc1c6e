"""A rule says the same of the same settings, wherever they are written: its first case that fires and its first silent one, of each format
that they are written in, are asked again as a JSON file, as flags, as the calls of a program, in a cell and in ``subprocess.run``."""

from __future__ import annotations

import pytest

from budgetlint.engine.registry import build
from budgetlint.registry import installed
from budgetlint.rule import Rule
from budgetlint.testing import Case, case_files, find, load_cases, report_on
from tests.rules.surfaces import CELL, FLAGS, JSON, PYTHON, SUBPROCESS, SURFACES, budget_for, rewritten, written
from tests.test_rules import FOLDER

REGISTRY = installed()
RULES = tuple(rule for rule in REGISTRY.rules if rule.scope in ("run", "document"))
COMMANDS = (FLAGS, CELL, SUBPROCESS)
EVERYWHERE = SURFACES
TEXT = "the fact is how a text is written in this format"

ELSEWHERE: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("accelerate-ds-file-inline-fields", "accelerate"): (COMMANDS, "accelerate 1.15 compares the keys of its file only: launch.py:1394"),
    ("fsdp-ram-eff-without-sync", "accelerate"): (COMMANDS, "a flag's text is not empty, so utils/launch.py:306 lets it pass"),
    ("bnb-compute-fp32-default", "hf_training_arguments"): ((JSON, *COMMANDS), "the program would have to quantise"),
    ("ddp-find-unused-with-gc", "hf_training_arguments"): (COMMANDS, "python alone starts one process, which has no DDP"),
    ("ds-activation-checkpointing-section", "deepspeed"): ((PYTHON,), "the silent case is Megatron's file, here the Trainer reads it"),
    ("duplicate-key", "hf_training_arguments"): (EVERYWHERE, TEXT),
    ("duplicate-key", "deepspeed"): (EVERYWHERE, TEXT),
    ("duplicate-key", "llamafactory"): (EVERYWHERE, TEXT),
    ("json-comment-or-comma", "deepspeed"): (EVERYWHERE, TEXT),
    ("key-not-taken", "llamafactory"): (EVERYWHERE, "the silent case is a file that nobody is seen to read, and here something reads it"),
    ("merge-lora-into-kbit", "llamafactory"): (EVERYWHERE, "a command that only exports starts no training"),
    ("streaming-needs-max-steps", "trl"): ((PYTHON,), "a program streams by calls of its own"),
    ("streaming-needs-max-steps", "hf_training_arguments"): (EVERYWHERE, "a program streams by calls of its own"),
    ("torch-dtype-renamed", "trl"): ((PYTHON,), "from_pretrained takes the old name still, TRL's ModelConfig does not"),
    ("unknown-key", "hf_training_arguments"): (EVERYWHERE, "the program that is written here takes the key for its own"),
    ("adam-l2-weight-decay", "deepspeed"): ((PYTHON,), "the case is of a file that only a budget names"),
    ("eval-batch-gt-train", "hf_training_arguments"): ((JSON, *COMMANDS), "the length of a row is the program's"),
    ("fp32-default-load", "trl"): ((PYTHON,), "TRL loads in fp32, a call of from_pretrained as its release does"),
    ("pure-bf16-adamw", "hf_training_arguments"): (COMMANDS, "the silent case leaves the launch open"),
    ("v5-dtype-auto-pure-bf16", "trl"): ((PYTHON,), "TRL loads in fp32, a call of from_pretrained does not"),
    ("yaml-bool-strategy", "hf_training_arguments"): (COMMANDS, TEXT),
    ("yaml-bool-strategy", "trl"): (COMMANDS, TEXT),
    ("yaml-bool-strategy", "llamafactory"): (COMMANDS, TEXT),
    ("yaml-float-as-string", "hf_training_arguments"): (EVERYWHERE, TEXT),
    ("yaml-float-as-string", "trl"): (EVERYWHERE, TEXT),
    ("yaml-float-as-string", "llamafactory"): (EVERYWHERE, TEXT),
    ("yaml-float-as-string", "accelerate"): (EVERYWHERE, TEXT),
    ("yaml-implicit-typing", "hf_training_arguments"): (EVERYWHERE, TEXT),
    ("yaml-implicit-typing", "axolotl"): (EVERYWHERE, TEXT),
    ("yaml-string-boolean", "hf_training_arguments"): (COMMANDS, "the parser makes true or false of a flag's text"),
    ("yaml-string-boolean", "llamafactory"): (COMMANDS, "the parser makes true or false of a flag's text"),
    ("yaml-string-boolean", "trl"): ((PYTHON,), "TRL's parser converts the text, a call keeps it"),
}
"""By rule and format, the surfaces on which the fact cannot stand, or is not looked for, and why."""


def _drawn(rule: Rule) -> list[tuple[Case, str, str, bool]]:
    """The cases to ask: case, format, surface, and whether it fires."""
    seen: set[tuple[str, bool]] = set()
    found = []
    for case in load_cases(FOLDER / f"{rule.name}.yaml"):
        fires = any(one.endswith(rule.code) for one in case.expect)
        said = written(case) if fires or not case.fires else None
        if said is not None and said.format == "hf_training_arguments" and said.name in case.budget:
            continue  # what a budget says of a file's run, which here is the program's
        if said is None or (said.format, fires) in seen:
            continue
        seen.add((said.format, fires))
        skipped = ELSEWHERE.get((rule.name, said.format), ((), ""))[0]
        found += [(case, said.format, surface, fires) for surface in SURFACES if surface not in skipped]
    return found


def differences(rule: Rule, surfaces: tuple[str, ...] = SURFACES) -> list[str]:
    """Where the rule says something else than of the file."""
    wrong = []
    for case, format, surface, fires in _drawn(rule):
        said = written(case)
        files = rewritten(said, surface) if said is not None and surface in surfaces else None
        if said is None or files is None:
            continue
        registry = build([("test", rule)])  # no other rule tells of the same
        report = report_on(files, budget_for(case, said, surface), case.stack, registry, preview=True)
        found = [finding for finding in report.findings if finding.code == rule.code]
        if bool(found) is not fires:
            wrong.append(f"{format} as {surface}: {'missed' if fires else 'told'} of '{case.name}' {[str(one.location) for one in found]}")
    return wrong


QUICK = (
    "best-metric-direction",
    "load-best-strategy-mismatch",
    "ds-zero-section-missing",
    "fsdp-no-auto-wrap",
)


@pytest.mark.parametrize("name", QUICK)
def test_a_rule_says_the_same_on_every_surface(name: str) -> None:
    rule = REGISTRY.get(name)
    assert rule is not None
    assert differences(rule, (JSON, FLAGS, PYTHON)) == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in RULES if (FOLDER / f"{rule.name}.yaml").is_file()], ids=lambda rule: rule.name)
def test_every_rule_says_the_same_on_every_surface(rule: Rule) -> None:
    assert differences(rule) == []


def test_what_cannot_stand_elsewhere_is_of_a_rule_that_exists() -> None:
    names = {path.stem for path in case_files(FOLDER)} & {rule.name for rule in RULES}
    assert [name for name, _ in ELSEWHERE if name not in names] == []


@pytest.mark.parametrize(
    ("surface", "line"),
    [(JSON, "train.json:6"), (FLAGS, "run.sh:1"), (PYTHON, "train.py:3"), (CELL, "train.ipynb:9"), (SUBPROCESS, "start.py:2")],
)
def test_a_finding_stands_on_the_written_line_that_decides(surface: str, line: str) -> None:
    text = "output_dir: out\nlearning_rate: 0.00002\neval_strategy: epoch\nload_best_model_at_end: true\nmetric_for_best_model: wer\n"
    case = Case("best-metric-direction", "word errors", {"train.yaml": text}, "", ())
    said, rule = written(case), REGISTRY.get("best-metric-direction")
    assert said is not None
    assert rule is not None
    files = rewritten(said, surface)
    assert files is not None
    assert [str(one.location).rpartition(":")[0] for one in find(rule, files)] == [line]

"""Each bound of reading: past it the file has one finding too-large at the place where reading stopped, and the other file is checked.

Sizes are those of `budgetlint.base.limits`, one more than is read. What is counted are findings, calls and steps, never seconds.
"""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.base import limits
from budgetlint.base.source import SourceFile
from budgetlint.catalog import vocabulary
from budgetlint.documents import load
from budgetlint.documents.shell import read_shell
from budgetlint.documents.shell_work import ShellWork
from budgetlint.launch.read import script_launches

HF = (
    "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\n"
    "gradient_accumulation_steps: 4\noutput_dir: x\n"
)
JSON = '"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}, "gradient_accumulation_steps": 1'
TOML = '[training]\nlocal_batch_size = 1\nseq_len = 512\n[model]\nname = "llama3"\nflavor = "8B"\n'
SKY = "resources:\n  accelerators: A100:8\n"
POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n"
LAUNCH = "torchrun train.py --output_dir $A --per_device_train_batch_size 1 --model_name_or_path gpt2\n"
BUILD = "from torchtitan.trainer import Trainer\n"
WRONG = HF + "bf16: true\nfp16: true\n"
"""Another file, with a mistake of its own."""


def many(count: int, piece: str, join: str = "") -> str:
    """``piece`` so many times, with its number for ``#``."""
    return join.join(piece.replace("#", str(number)) for number in range(count))


def doubling(assign: str, count: int = 80) -> str:
    return "".join(assign.replace("#", str(number + 1)).replace("@", str(number)) for number in range(count))


D, N, F, S = limits.DOCUMENTS.most, limits.NODES.most, limits.FINDINGS.most, limits.SUPPRESSIONS.most
A12, MAKE12 = LAUNCH.replace("$A", "$A12"), LAUNCH.replace("$A", "$(A12)")
ALLOW = "budgetlint: allow bf16-pre-ampere why\n"
VALUES, SUPPRESSED, STEPS = "more than 100,000 keys and values", "more than 2,000 suppressions", "more than 100,000 steps"
ARGUMENTS = "TrainingArguments(output_dir='x', per_device_train_batch_size=1, d=a10)\n"
YAML, SH, DOCKER = "a.yaml", "a.sh", "Dockerfile"
CASES: dict[str, tuple[str, str, str, str]] = {
    "empty documents": (YAML, HF + "---\n" * (D + 1), f"a.yaml:{D + 5}:1", "more than 500 documents"),
    "documents that are jobs": (YAML, "---\n".join([SKY + "run: torchrun train.py\n"] * (D + 1)), YAML, "more than 500 documents"),
    "a list": (YAML, HF + "x: [" + "1," * N + "1]\n", "a.yaml:6:", VALUES),
    "keys": (YAML, HF + many(N // 2, "k#: 1\n"), YAML, VALUES),
    "values of many documents": (YAML, HF + many(3, "---\nx: [" + "1," * (N // 3) + "1]\n"), YAML, VALUES),
    "a list in JSON": ("a.json", "{" + JSON + ', "x": [' + "1," * N + "1]}", "a.json:1:", VALUES),
    "keys in JSON": ("a.json", "{" + JSON + many(N // 2, ', "k#": 1') + "}", "a.json:1:", VALUES),
    "a list in TOML": ("a.toml", TOML + "x = [" + "1," * N + "1]\n", "a.toml:1:1", VALUES),
    "tables in TOML": ("a.toml", TOML + many(N // 3, "[t#]\na = 1\n"), "a.toml:1:1", VALUES),
    "a key said again": (YAML, HF + "bf16: true\n" * (F + 3), f"a.yaml:{6 + F}:1", "more than 200 findings of duplicate-key"),
    "keys said again in documents": (YAML, "---\n".join([HF + "bf16: true\n" * 3] * 101), YAML, "more than 200 findings of duplicate-key"),
    "suppressions": (YAML, HF + ("# " + ALLOW) * (S + 1), f"a.yaml:{6 + S}:1", SUPPRESSED),
    "names of a suppression": (YAML, HF + "# budgetlint: allow x" + many(S, ",x#") + " why\n", "a.yaml:6:1", SUPPRESSED),
    "suppressions in JSON": ("a.json", "{" + JSON + "\n" + ("// " + ALLOW) * (S + 1) + "}", "a.json:", SUPPRESSED),
    "settings": (
        "pyproject.toml", "[tool.budgetlint]\nexclude = [" + many(1_000, '"x#",') + "]\n", "pyproject.toml:", "1,001 names and globs",
    ),
    "words": (SH, "A=x\n" + "echo\n" * limits.WORDS.most + LAUNCH, SH, "more than 60,000 words"),
    "a word of many parts": (SH, "A=x\n" + "$A'b'" * limits.WORDS.most + "\n" + LAUNCH, "a.sh:2:", "more than 60,000 words"),
    "words of a list": (SH, "A=(" + "x " * limits.WORDS.most + ")\n" + LAUNCH, "a.sh:1:", "more than 60,000 words"),
    "launches": (SH, "A=x\n" + LAUNCH * 201, "a.sh:202:1", "more than 200 launches"),
    "launches of recipes": ("Makefile", many(201, "a#:\n\ttorchrun train.py --seed 1\n"), "Makefile:402:2", "more than 200 launches"),
    "launches of an image": (DOCKER, "FROM x\n" + "RUN torchrun train.py\n" * 201, "Dockerfile:202:5", "more than 200 launches"),
    "containers": (YAML, POD + many(51, "  - command: [torchrun, t.py, --seed, '#']\n"), "a.yaml:55:", "more than 50 containers"),
    "variables that double": (SH, "A0=xxxx\n" + doubling("A#=$A@$A@$A@$A@\n", 12) + A12, SH, STEPS),
    "exported variables that double": (SH, "export A0=xxxx\n" + doubling("export A#=$A@$A@$A@$A@\n", 12) + A12, SH, STEPS),
    "ENV that doubles": (DOCKER, "FROM x\nENV A0=x\n" + doubling("ENV A#=$A@$A@\n") + "CMD " + LAUNCH, DOCKER, STEPS),
    "make variables that double": (
        "Makefile", "A0 = x\n" + doubling("A# = $(A@)$(A@)$(A@)$(A@)\n", 12) + "a:\n\t" + MAKE12, "Makefile", STEPS,
    ),
    "envs of a job": (
        YAML, SKY + "envs:\n  B: " + "x" * 9_000 + "\nrun: |\n" + "  echo $B$B$B$B$B$B$B$B$B$B\n" * 80 + "  " + LAUNCH, "a.yaml:", STEPS,
    ),
    "a variable of many words": (SH, "B='" + "x " * 9_000 + "'\n" + "echo $B $B\n" * 12 + "A=x\n" + LAUNCH, SH, STEPS),
    "a list taken often": (SH, "B=(" + "x " * 1_000 + ")\nA=x\n" + "echo ${B[@]}\n" * 101 + LAUNCH, "a.sh:103:6", STEPS),
    "functions that build": (
        "c.py", BUILD + many(201, "def f#():\n  return Trainer.Config()\n"), "c.py:402:1", "more than 200 functions that build a config",
    ),
    "keys of one that builds": (
        "c.py", BUILD + "def f():\n  c = Trainer.Config()\n" + many(502, "  c.k# = 1\n") + "  return c\n",
        "c.py:505:3", "more than 500 keys",
    ),
    "Python values that double": (
        "t.py",
        "from transformers import TrainingArguments\na0 = dict(x=1)\n"
        + doubling("a# = dict(b=a@, c=a@, d=a@, e=a@, f=a@, g=a@, h=a@, i=a@, j=a@)\n", 10) + ARGUMENTS,
        "t.py:", "more than 20,000 values",
    ),
}  # fmt: skip


AGAIN = {file: name for name, (file, *_) in reversed(CASES.items())}.values()
"""The first case of each kind of file is read twice in one process: what is counted of it begins anew."""


@pytest.mark.parametrize("name", CASES)
def test_past_a_bound_there_is_one_finding_and_the_other_file_is_checked(name: str, shell: Any) -> None:
    file, text, where, told = CASES[name]
    shell.write(file, text)
    shell.write("other.yaml", WRONG)
    shell.write("README.md", "```sh\npython run_clm.py other.yaml\n```\n")  # whose it is
    ran = shell("check", "--no-cache", "--format", "concise")
    lines = ran.out.splitlines()
    found = [line for line in lines if "BL915" in line]
    assert len(found) == 1, lines[:5]
    assert found[0].startswith(where)
    assert f"{file} holds " in found[0]
    assert told in found[0]
    assert any(line.startswith("other.yaml:") and "BL205" in line for line in lines)
    assert ran.code == 1
    if name in AGAIN:
        assert shell("check", "--no-cache", "--format", "concise").out == ran.out


WITHIN = {
    "documents": ("a.yaml", HF + "---\n" * (D - 1)),
    "values": ("a.yaml", HF + "x: [" + "1," * (N - 20) + "1]\n"),
    "findings": ("a.yaml", HF + "bf16: true\n" * (F + 1)),
    "suppressions": ("a.yaml", HF + "# budgetlint: allow bf16-pre-ampere why\n" * S),
    "launches": ("a.sh", "A=x\n" + LAUNCH * limits.LAUNCHES.most),
    "containers": ("a.yaml", POD + many(50, "  - command: [torchrun, t.py, --seed, '#']\n")),
    "a data set": ("data.json", "[" + "1," * N + "1]"),
    "manifests": ("all.yaml", many(D + 1, "---\nkind: ConfigMap\nmetadata: {name: c#}\n")),
    "what a trainer logged": (
        "trainer_state.json", '{"num_train_epochs": 3, "log_history": [' + many(N // 4, '{"loss": 1, "step": #},') + "{}]}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHIN)
def test_within_it_and_in_files_that_are_no_configs_nothing_is_told(name: str, shell: Any) -> None:
    shell.write(*WITHIN[name])
    assert "BL915" not in shell("check", "--no-cache", "--info").out


def test_what_lies_within_a_bound_is_read() -> None:
    """The first documents, the first launches, and every command in front of the one that is too much."""
    documents = load(SourceFile("a.yaml", "a: 1\n" + "---\nb: 2\n" * D))
    assert (len(documents), documents[-1].root, documents[-2].root is None) == (D + 1, None, False)
    source = SourceFile("a.sh", "A=x\n" + LAUNCH * 300)
    assert len(script_launches(source)) == limits.LAUNCHES.most
    assert list(source.cut) == ["launches"]


def test_steps_are_counted_and_a_variable_past_them_is_not_known() -> None:
    work = ShellWork(steps=5)
    words = read_shell("A=x\nB=$A$A\nrun $B $B $B", work=work).commands[0].words
    assert [word.text for word in words] == ["run", "xx", "${B}", "${B}"]  # two pieces to make B, two to take it
    assert (work.steps, list(work.cut.items())) == (1, [("expansions", 18)])


def test_the_account_of_a_script_that_is_read_again_begins_anew() -> None:
    source = SourceFile("a.sh", "A=x\n" + LAUNCH)
    first = script_launches(source)
    left = source.facts["shell work"]["launches"].words
    assert len(script_launches(source, ["1"])) == len(first) == 1
    assert source.facts["shell work"]["launches"].words == left


def test_near_names_are_looked_for_among_the_alike_only(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def slips(word: str, name: str) -> int:
        compared.append(name)
        return 0

    monkeypatch.setattr(vocabulary, "_slips", slips)
    known = vocabulary.keys("hf", "training_arguments")
    for number in range(100):
        vocabulary.misspelt(f"no_such_key_{number}", known)
    assert len(known) > 100
    assert len(compared) <= 100


def test_only_the_first_unknown_names_are_compared_with_every_rule(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("budgetlint.engine.registry.near_names", lambda word, *_, **__: asked.append(word) or ())
    shell.write("a.yaml", HF + "".join(f"# budgetlint: allow bf16-pre-ampera{n} why\n" for n in range(90)) * 2)
    out = shell("check", "--no-cache", "--format", "concise").out
    assert (out.count("BL902"), len(asked)) == (180, limits.SUGGESTIONS.most)


def test_launchers_in_launchers_end() -> None:
    for text in ("python -m accelerate.commands.launch ", "python a.py -- "):
        assert len(script_launches(SourceFile("a.sh", text * 3 + LAUNCH))) == 1
        assert len(script_launches(SourceFile("a.sh", text * 5_000 + LAUNCH))) <= 1  # no RecursionError


def test_defaults_lists_are_followed_so_deep_and_so_wide(shell: Any) -> None:
    for number in range(16):
        shell.write(f"deep/c{number}.yaml", f"defaults: [c{number + 1}, _self_]\n{HF}k{number}: 1\n")
    shell.write("wide/a.yaml", f"defaults: [{many(102, 'b#', ', ')}]\n{HF}")
    for number in range(102):
        shell.write(f"wide/b{number}.yaml", f"k{number}: 1\n")
    shell.write("run.sh", "python mine.py --config deep/c0.yaml\npython mine.py --config wide/a.yaml\n")
    out = shell("check", "--no-cache", "--format", "concise").out
    assert "more than 100 files" in out
    assert "more than 12 levels of defaults lists" in out

"""What a verdict says: each word once, what it depends on, and that only what is known decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.base.units import gib
from budgetlint.engine.check import check, verdict_of
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.registry import installed
from budgetlint.report import bill, check_report, estimate_json
from budgetlint.report.answer import fork_lines, loud
from budgetlint.report.forks_json import open_json
from budgetlint.report.svg import render as svg
from budgetlint.resolve.axes import OLDEST
from budgetlint.resolve.fork_table import AT_MOST, _because
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings

PINNED = "stack transformers@5.24 torch@2.13 trl@1.16 peft@0.21 accelerate@1.15"
TRL = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
per_device_train_batch_size: 8
learning_rate: 0.0001
num_train_epochs: 1
max_length: 2048
packing: true
"""
FULL = """\
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
bf16: true
max_length: 16384
packing: true
per_device_train_batch_size: 1
gradient_checkpointing: true
learning_rate: 0.00001
num_train_epochs: 1
"""
LLAMAFACTORY = """\
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
do_train: true
finetuning_type: full
dataset: identity
template: llama3
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 1
learning_rate: 1.0e-5
bf16: true
"""


def judged(budget: str, files: dict[str, str] | None = None) -> RunContext:
    (run,) = judge_texts(files or {}, budget=budget).runs
    return run


def answer(budget: str, files: dict[str, str] | None = None) -> Estimate:
    estimate = judged(budget, files).estimate
    assert estimate is not None
    return estimate


# -- each word once ----------------------------------------------------------------------------------------------------------

MODEL = "model qwen2.5-1.5b"
WORDS = [
    # 1,543,714,304 parameters x 2 B = 2.9 GiB and an adapter
    ("device 24GiB; " + MODEL + f"; lora r=8; batch 1; seq 512; {PINNED}", {}, "FITS", "fits", None),
    # 16 B a parameter are 23.0 GiB of states
    ("device 8GiB; " + MODEL + f"; batch 1; seq 512; {PINNED}", {}, "DOES NOT FIT", "does-not-fit", None),
    (
        "device rtx-4090; " + MODEL + f"; precision bf16; optimizer adamw8bit; batch 1; seq 5120; recompute full; attention sdpa; {PINNED}",
        {},
        "TOO CLOSE",
        "tight",
        None,
    ),
    ("device 24GiB; config train.yaml", {"train.yaml": TRL}, "DEPENDS ON trl", "unknown", "depends"),
    (
        "device 24GiB; model some-lab/nothing-9b; batch 1; seq 128",
        {},
        "INCOMPLETE: model (test.budget:1: some-lab/nothing-9b)",
        "unknown",
        "incomplete",
    ),
    ("device 24GiB; " + MODEL + "; lora r=8; batch 1", {}, "DEPENDS ON seq_len", "unknown", "depends"),
    (MODEL + "; lora r=8; batch 1; seq 512", {}, "INCOMPLETE: device", "unknown", "incomplete"),
    (
        "device 1x a100-80gb; config train.yaml",
        {"train.yaml": LLAMAFACTORY + "deepspeed: train/zero3_offload.json\n"},
        "INCOMPLETE: shard (train.yaml:12: train/zero3_offload.json)",
        "unknown",
        "incomplete",
    ),
    (
        "device 1x a100-80gb; config train.yaml",
        {"train.yaml": LLAMAFACTORY + "use_badam: true\n"},
        "NOT MODELLED: badam",
        "unknown",
        "not-modelled",
    ),
]


@pytest.mark.parametrize(("budget", "files", "words", "verdict", "reason"), WORDS, ids=[row[2] for row in WORDS])
def test_each_word(budget: str, files: dict[str, str], words: str, verdict: str, reason: str | None) -> None:
    run = judged(budget, files)
    assert run.estimate is not None
    assert (loud(run.estimate), run.estimate.verdict.value, run.estimate.reason) == (words, verdict, reason)
    assert bill.render(run).splitlines()[0].startswith(f"{run.label}: {words}")
    assert bool(run.estimate.forks) is (reason == "depends")
    assert bool(run.estimate.missing) is (reason in ("incomplete", "not-modelled")) or reason == "depends"


# -- what it depends on ------------------------------------------------------------------------------------------------------


def test_a_version_that_decides_is_told_with_its_readings() -> None:
    found = answer("device 24GiB; config train.yaml", {"train.yaml": TRL})
    stacks = (PINNED.replace("1.16", trl) for trl in ("1.7", "1.6"))
    newer, older = (answer(f"device 24GiB; config train.yaml; {stack}", {"train.yaml": TRL}) for stack in stacks)
    assert (newer.verdict, older.verdict) == (Verdict.FITS, Verdict.DOES_NOT_FIT)
    assert fork_lines(found) == ["fits with 1.7 or newer (7.05 GiB), does not fit before (33.61 GiB)"]
    assert f"{newer.need.bytes / 2**30:.2f}" == "7.05"
    assert found.need.bytes == newer.need.bytes, "the newest gives the best figure"
    assert found.need.low <= newer.need.low
    assert found.need.high is not None and older.need.high is not None and found.need.high >= older.need.high


def test_forks_in_json() -> None:
    run = judged("device 24GiB; config train.yaml", {"train.yaml": TRL, "requirements.txt": "peft==0.21.0\ntrl>=0.29\n"})
    (fork,) = estimate_json.document([run])["runs"][0]["forks"]
    assert fork["settings"] == [{"name": "trl", "file": "requirements.txt", "line": 2}]
    assert [(one["values"], one["because"], one["verdict"]) for one in fork["readings"]] == [
        ([">=1.7"], "loss chunked", "fits"),
        ([">=0.29,<1.7"], "loss full", "does-not-fit"),
    ]
    assert all(one["need"]["low"] <= one["need"]["bytes"] <= one["need"]["high"] for one in fork["readings"])
    told = open_json(verdict_of(run))
    assert (told["forks"], told["reason"], told["leaning"], told["over_bytes"]) == ([fork], "depends", None, None)


JOINT = "device {}GiB; config train.yaml; stack transformers@5.24 peft@0.21 accelerate@1.15"


def test_two_packages_that_decide_together_are_read_together() -> None:
    """Old torch has 15 GiB of temporaries in the step, old TRL the logits of 16,384 tokens: only without both it fits."""
    found = answer(JOINT.format(72), {"train.yaml": FULL})
    first = found.forks[0]
    assert [one.name for one in first.settings] == ["trl", "torch"] or [one.name for one in first.settings] == ["torch", "trl"]
    by_values = {frozenset(one.values): one.verdict for one in first.readings}
    assert by_values == {
        frozenset({">=1.7", ">=2.8"}): Verdict.FITS,
        frozenset({">=1.7", "<2.8"}): Verdict.DOES_NOT_FIT,
        frozenset({"<1.7", ">=2.8"}): Verdict.DOES_NOT_FIT,
        frozenset({"<1.7", "<2.8"}): Verdict.DOES_NOT_FIT,
    }
    assert [len(fork.settings) for fork in found.forks] == [2, 1, 1]
    assert [fork.spread for fork in found.forks] == sorted((fork.spread for fork in found.forks), reverse=True)
    assert loud(found).startswith("DEPENDS ON ") and " and " in loud(found)


@pytest.mark.parametrize(("card", "verdict"), [(40, Verdict.DOES_NOT_FIT), (200, Verdict.FITS)])
def test_where_all_readings_agree_the_verdict_is_theirs(card: int, verdict: Verdict) -> None:
    found = answer(JOINT.format(card), {"train.yaml": FULL})
    assert (found.verdict, found.reason, found.forks) == (verdict, None, ())


OPEN_RULES = ("probably-does-not-fit", "no-verdict")


@pytest.mark.parametrize(
    ("card", "leaning", "rule"),
    [(60, Verdict.DOES_NOT_FIT, "probably-does-not-fit"), (70, None, "no-verdict"), (80, Verdict.FITS, "no-verdict")],
)
def test_it_leans_where_all_readings_do(card: int, leaning: Verdict | None, rule: str) -> None:
    text = FULL.replace("16384", "1024").replace("gradient_checkpointing: true\n", "loss_type: chunked_nll\n")
    world = judge_texts({"train.yaml": text}, budget=f"device {card}GiB; config train.yaml")
    found = world.runs[0].estimate
    assert found is not None
    assert {one.name for one in check(world, installed()).findings} & {"does-not-fit", "tight-fit", *OPEN_RULES} == {rule}
    assert (found.verdict, found.reason, found.leaning) == (Verdict.UNKNOWN, "depends", leaning)
    assert [opened.name for opened in found.forks[0].settings] == ["torch"]


def test_a_lower_bound_is_no_version() -> None:
    """trl>=0.29 leaves 1.6, which does not fit, and 1.7, which does; trl>=1.8 leaves only the latter."""
    files = {"train.yaml": TRL, "requirements.txt": "trl>=0.29\n"}
    assert answer("device 24GiB; config train.yaml", files).reason == "depends"
    budget = "device 24GiB; config train.yaml"
    for pinned in ("trl>=1.8", "trl==1.7.0", "trl~=1.9", "trl>1.7,<2"):
        assert answer(budget, files | {"requirements.txt": f"{pinned}\n"}).verdict is Verdict.FITS, pinned
    for pinned in ("trl<1.7", "trl==1.6.*", "trl>=0.29,<1.7"):
        assert answer(budget, files | {"requirements.txt": f"{pinned}\n"}).verdict is Verdict.DOES_NOT_FIT, pinned
    assert answer("device 24GiB; config train.yaml", files | {"requirements.txt": "trl<=1.7\n"}).reason == "depends"


def test_a_word_that_a_variable_decides_may_be_any_of_its_few() -> None:
    files = {"train.yaml": FULL.replace("16384", "8192").replace("checkpointing: true", "checkpointing: ${GC}")}
    found = answer(f"device 80GiB; config train.yaml; {PINNED}", files)
    (fork,) = found.forks
    assert [(one.name, one.place and one.place.line, one.text) for one in fork.settings] == [("recompute", 8, "${GC}")]
    assert [(one.values, one.verdict) for one in fork.readings] == [(("full",), Verdict.FITS), (("none",), Verdict.DOES_NOT_FIT)]
    for card, verdict in ((40, Verdict.DOES_NOT_FIT), (120, Verdict.FITS)):
        assert answer(f"device {card}GiB; config train.yaml; {PINNED}", files).verdict is verdict


def test_a_number_that_a_variable_decides_is_named_with_its_line() -> None:
    files = {"train.yaml": FULL.replace("train_batch_size: 1", "train_batch_size: ${BATCH}")}
    found = answer(f"device 200GiB; config train.yaml; {PINNED}", files)
    assert loud(found) == "DEPENDS ON micro_batch"
    (fork,) = found.forks
    assert [(one.name, one.place and one.place.line, one.text) for one in fork.settings] == [("micro_batch", 7, "${BATCH}")]


def test_a_limit_that_cuts_nothing_is_no_length() -> None:
    """48 samples of 32,768 tokens need 450 GiB; as long as the data has them they need what is there."""
    text = LLAMAFACTORY.replace("meta-llama/Meta-Llama-3-8B-Instruct", "Qwen/Qwen2.5-1.5B").replace("2048", "32768")
    found = answer("device 1x a100-80gb; config train.yaml", {"train.yaml": text.replace("batch_size: 1", "batch_size: 48")})
    assert loud(found) == "DEPENDS ON seq_len"
    assert [one.verdict for one in found.forks[0].readings] == [Verdict.DOES_NOT_FIT, Verdict.FITS]
    assert found.need.low < 40 * 2**30 < 400 * 2**30 < found.need.bytes


# -- budgets -----------------------------------------------------------------------------------------------------------------

BROKEN = [
    (
        "at the top level it is in all runs",
        "device 24g\nrun a { model qwen2.5-1.5b; batch 1; seq 128 }\nrun b { model qwen2.5-0.5b }",
        "ab",
    ),
    ("in a run it is in that", "device 24GiB\nrun a { model qwen2.5-1.5b; batch 2x8; seq 128 }\nrun b { model qwen2.5-0.5b }", "a"),
    ("an assert shapes nothing", "device 24GiB\nrun a { model qwen2.5-1.5b; assert peak < 3 }\nrun b { model qwen2.5-0.5b }", ""),
    ("a warning breaks nothing", "device 24GiB\nallow logits-spike\nrun a { model qwen2.5-1.5b }\nrun b { model qwen2.5-0.5b }", ""),
]


@pytest.mark.parametrize(("budget", "broken"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_statement_that_is_not_understood_leaves_no_bill_of_what_it_may_have_shaped(budget: str, broken: str) -> None:
    runs = {run.run.name: run for run in judge_texts({}, budget=budget).runs}
    assert set(runs) == {"a", "b"}
    for name, run in runs.items():
        assert run.estimate is not None
        assert (run.estimate.missing == ("budget",), not run.estimate.bill) == (name in broken, name in broken)
        if name in broken:
            assert loud(run.estimate).startswith("INCOMPLETE: the budget's errors (test.budget:")
            assert (run.estimate.verdict, run.estimate.reason) == (Verdict.UNKNOWN, "incomplete")


def test_a_statement_in_a_target_is_in_the_runs_on_it() -> None:
    runs = judge_texts({}, budget="target x { device 24g }\ntarget y { device 24GiB }\nmodel qwen2.5-1.5b; batch 1; seq 128; lora r=8").runs
    assert [run.estimate and run.estimate.missing for run in runs] == [("budget",), ()]


# -- one figure --------------------------------------------------------------------------------------------------------------


def test_every_report_tells_the_same_lack() -> None:
    world = judge_texts({}, budget=f"device rtx-4090; reserve 2GiB; model llama-3.1-8b; precision bf16; batch 1; seq 2048; {PINNED}")
    (run,) = world.runs
    assert run.estimate is not None and run.estimate.usable_high is not None
    over = run.estimate.need.low - run.estimate.usable_high
    assert over == run.estimate.over > 0
    report = check(world, installed())
    document = json.loads(check_report(report, "json"))
    (finding,) = (one for one in document["findings"] if one["name"] == "does-not-fit")
    assert finding["numbers"]["over_bytes"] == document["runs"][0]["over_bytes"] == over
    assert estimate_json.document([run])["runs"][0]["over_bytes"] == over
    said = gib(over)
    for format in ("full", "concise", "github", "markdown", "junit", "sarif"):
        assert said in check_report(report, format), format
    assert f'data-over="{over}"' in svg([run])
    for text in (bill.render(run), svg([run])):
        assert f"{said} over" in text


# -- what is too close -------------------------------------------------------------------------------------------------------


def is_closed(run: RunContext) -> bool:
    """Nothing that decides is open, and the limit lies in the range or too near to it."""
    found = run.estimate
    assert found is not None and found.usable_high is not None
    nothing = (found.forks, found.missing, found.reason, found.leaning) == ((), (), None, None)
    return nothing and found.need.high is not None and found.need.low <= found.usable_high


def test_what_is_too_close_in_public_bug_reports_and_examples_hangs_on_nothing(repository: Path) -> None:
    cases = map(json.loads, (repository / "benchmarks" / "data" / "field_cases.jsonl").read_text(encoding="utf-8").splitlines())
    runs = [run for case in cases for one in case["runs"] for run in judge_texts(_files(one), budget=one["budget"]).runs]
    tight = [run for run in runs if run.estimate is not None and run.estimate.verdict is Verdict.TIGHT]
    assert len(tight) >= 5
    assert [run.label for run in tight if not is_closed(run)] == []


def _files(run: dict[str, Any]) -> dict[str, str]:
    files: dict[str, str] = run.get("files", {})
    return files


OTHERS = "stack transformers@5.24 peft@0.21 accelerate@1.15"
PINS = [f"{OTHERS} trl@{trl} torch@{torch}" for trl in ("1.16", "1.6", "0.15") for torch in ("2.13", "2.7")]


@pytest.mark.parametrize("text", [TRL, FULL, FULL.replace("16384", "1024")], ids=["adapter", "long", "short"])
def test_what_is_too_close_is_so_whichever_versions_run(text: str) -> None:
    """On cards of every size: no statement of versions makes *fits* or *does not fit* of *too close*."""
    for card in range(4, 130, 6):
        found = judged(f"device {card}GiB; config train.yaml; {OTHERS}", {"train.yaml": text})
        assert found.estimate is not None
        stated = {answer(f"device {card}GiB; config train.yaml; {pins}", {"train.yaml": text}).verdict for pins in PINS}
        if found.estimate.verdict is Verdict.TIGHT:
            assert is_closed(found) and stated == {Verdict.TIGHT}, card
        elif found.estimate.verdict is Verdict.UNKNOWN:
            assert len(stated) > 1, card
        else:
            assert stated == {found.estimate.verdict}, card


def test_llamafactory_starts_data_parallel_processes() -> None:
    """Its launcher is torchrun: 20.9 billion parameters x 2 B are 39 GiB on each of four cards of 24. A file that is not here opens it."""
    text = LLAMAFACTORY.replace("meta-llama/Meta-Llama-3-8B-Instruct", "openai/gpt-oss-20b").replace(": full", ": lora")
    files = {"run.sh": "llamafactory-cli train sft.yaml\n", "sft.yaml": text}
    budget = "device 4x rtx-3090; stack llamafactory@0.9.4 transformers@4.55"
    assert loud(answer(budget, files)) == "DOES NOT FIT"
    absent = files | {"sft.yaml": text + "deepspeed: ds/z3.json\n"}
    assert loud(answer(budget, absent)) == "INCOMPLETE: shard (sft.yaml:12: ds/z3.json)"


def test_the_manual_names_the_oldest_releases_that_are_counted() -> None:
    """One fact in two places: what an open version may be, and what the page says of it."""
    page = " ".join((Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8").split())
    assert [f"{name} {version}" for name, version in OLDEST.items() if f"{name} {version}" not in page] == []


def test_what_is_open_in_a_fork_is_named_in_the_order_of_its_values() -> None:
    """Not in that of a set of words, which another process has otherwise."""
    names = ["quant", "adapter", "loss", "optimizer", "seq_len", "weights_dtype"]
    settings = Settings(Setting(name, None, Origin(OriginKind.FLAG), f"${name}", state="symbolic") for name in sorted(names))
    assert _because(settings, [], names) == ", ".join(f"{name} is ${name}" for name in names)


@pytest.mark.parametrize(("device", "verdict"), [("4GiB", "depends"), ("8GiB", "fits")])
def test_an_adapter_that_is_not_known_needs_at_most_twice_what_training_every_weight_does(device: str, verdict: str) -> None:
    """BERT base and all that is open takes 3.3 GiB at most where every weight trains: any adapter fits in 6.5 GiB."""
    command = "python train.py --model_name_or_path google-bert/bert-base-uncased --output_dir o --per_device_train_batch_size 1 --bf16"
    found = answer(f"device {device}; seq 128", {"run.sh": f"{command} --max_seq_length 128 --num_train_epochs 1 --learning_rate 1e-5\n"})
    assert (found.reason or found.verdict.value) == verdict


@pytest.mark.parametrize("lora", ["r=16", "r=256"])
def test_that_bound_holds_where_activations_are_most_of_a_bill(lora: str) -> None:
    """BERT base, 64 x 512 tokens, nothing recomputed: dropout keeps a copy of each linear's input beside 0.4 GiB of weights."""
    budget = "device h200; model bert-base; optimizer adamw; batch 64; seq 512; recompute none; precision bf16"
    full, adapted = answer(budget).need.high, answer(f"{budget}; lora {lora} dropout=0.1").need.high
    assert full is not None and adapted is not None
    assert full < adapted < AT_MOST * full

"""Keys of a file that nobody else reads, as settings: each judged at its own line, nothing filled in by a framework."""

from __future__ import annotations

import pytest

from budgetlint.base.limits import READ_VALUE
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import Judged, RunContext
from budgetlint.settings.run import OriginKind

LAUNCH = """\
job: sft
overrides:
  model: Qwen/Qwen2.5-1.5B
  mbs: 4
  zero: 3
  gpus: 2
  dtype: torch.bfloat16
  lora: {rank: 16, targets: [q_proj, v_proj]}
"""
BUDGET = "device 2x h100-80gb; seq 2048\n"


def judged(budget: str, **files: str) -> Judged:
    return judge_texts({"launch.yaml": LAUNCH, **{path.replace("__", "."): text for path, text in files.items()}}, budget=BUDGET + budget)


def only(budget: str, **files: str) -> RunContext:
    (context,) = judged(budget, **files).runs
    return context


def answer(context: RunContext) -> Estimate:
    assert context.estimate is not None
    return context.estimate


def test_a_key_is_a_setting_at_its_own_place() -> None:
    context = only('reads launch.yaml { model=overrides.model; batch=overrides.mbs; shard="zero{overrides.zero}" }')
    batch, shard = context.run.settings["micro_batch"], context.run.settings["shard"]
    assert (batch.value, str(batch.origin), batch.origin.key) == (4, "launch.yaml:4:8", "overrides.mbs")
    assert (shard.value, str(shard.origin), shard.text, shard.certainty) == ("zero3", "launch.yaml:5:9", "zero3", "stated")
    assert batch.origin.kind is OriginKind.READ
    assert (context.run.name, answer(context).verdict) == ("launch.yaml", Verdict.FITS)


AS_STATEMENTS = [
    ("model=overrides.model; batch=overrides.mbs", "model Qwen/Qwen2.5-1.5B; batch 4", ""),
    (
        'model=overrides.model; batch=overrides.mbs; shard="zero{overrides.zero}"; precision=overrides.dtype; lora.r=overrides.lora.rank; '
        "lora.targets=overrides.lora.targets",
        "model Qwen/Qwen2.5-1.5B; batch 4; shard zero3; precision bf16; lora r=16 targets=[q_proj, v_proj]",
        "",
    ),
    ("model=overrides.model; optimizer=o", "model Qwen/Qwen2.5-1.5B; optimizer adamw_bnb_8bit", "batch 2; recompute full"),
    ("model=overrides.model; adapter=kind; quant=q", "model Qwen/Qwen2.5-1.5B; quant nf4; lora", "batch 2"),
]


@pytest.mark.parametrize(("keys", "statements", "both"), AS_STATEMENTS)
def test_the_bill_is_that_of_the_same_words_in_a_budget(keys: str, statements: str, both: str) -> None:
    launch = LAUNCH + "o: adamw_bnb_8bit\nkind: lora\nq: nf4\n"
    read, said = only(f"{both}\nreads launch.yaml {{ {keys} }}", launch__yaml=launch), only(f"{both}\n{statements}")
    ours, theirs = answer(read), answer(said)
    assert (ours.verdict, ours.need, ours.peak_phase, ours.missing) == (theirs.verdict, theirs.need, theirs.peak_phase, theirs.missing)
    assert [(term.id, term.bytes) for term in ours.bill] == [(term.id, term.bytes) for term in theirs.bill]
    assert {a.text for a in ours.assumptions} == {a.text for a in theirs.assumptions}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("l.json", '{"a": [{"m": "qwen2.5-1.5b", "b": 3}]}'),
        ("l.toml", '[[a]]\nm = "qwen2.5-1.5b"\nb = 3\n'),
        ("l.yaml", "a:\n- m: qwen2.5-1.5b\n  b: '3'\n"),
    ],
)
def test_json_toml_and_yaml_are_read_alike(path: str, text: str) -> None:
    context = only(f"reads {path} {{ model=a.0.m; batch=a.0.b }}", **{path.replace(".", "__"): text})
    assert [context.run.settings.value(name) for name in ("model", "micro_batch")] == ["qwen2.5-1.5b", 3]


def test_a_key_with_dots_in_it_is_found() -> None:
    context = only("reads l.yaml { model=o.model.name; batch=o.model.mbs }", l__yaml="o:\n  model.name: qwen2.5-1.5b\n  model.mbs: 3\n")
    assert [context.run.settings.value(name) for name in ("model", "micro_batch")] == ["qwen2.5-1.5b", 3]


def test_a_glob_makes_a_run_of_each_file() -> None:
    files = {"runs/a.yaml": "m: qwen2.5-1.5b\nb: 1\n", "runs/b.yaml": "m: qwen2.5-7b\nb: 2\n", "cluster.yaml": "gpus: 4\n"}
    budget = BUDGET + "run sft { reads runs/*.yaml { model=m; batch=b }\n reads cluster.yaml { devices=gpus } }"
    runs = judge_texts(files, budget=budget).runs
    assert [(one.run.name, one.run.settings.value("micro_batch"), one.run.settings.value("devices")) for one in runs] == [
        ("sft:runs/a.yaml", 1, 4),
        ("sft:runs/b.yaml", 2, 4),
    ]


def test_what_is_read_beats_the_config_of_the_run_and_what_the_budget_says() -> None:
    train = "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-5\noutput_dir: o\nmax_length: 512\n"
    context = only("config t.yaml; batch 2\nreads launch.yaml { model=overrides.model; batch=overrides.mbs }", t__yaml=train)
    batch = context.run.settings["micro_batch"]
    assert (batch.value, [loser.value for loser in batch.overrode]) == (4, [1])
    assert context.run.settings.value("model") == "Qwen/Qwen2.5-1.5B"
    assert context.run.settings["seq_len"].value == 512  # from the config


def test_a_missing_key_leaves_the_setting_open() -> None:
    result = judged("reads launch.yaml { model=overrides.model; batch=overrides.mb; lora.r=overrides.lora.r }")
    (context,), found = result.runs, [one for one in result.findings if one.name == "missing-key"]
    assert [context.run.settings[name].certainty for name in ("micro_batch", "lora_r", "adapter")] == ["unresolved"] * 3
    assert answer(context).verdict is Verdict.UNKNOWN
    assert [str(one.location) for one in found] == ["launch.yaml:2:1", "launch.yaml:8:3"]
    assert "did you mean 'overrides.mbs'?" in found[0].help
    assert found[0].related[0].location.file == "test.budget"


def test_of_a_file_that_is_not_there_every_setting_is_open() -> None:
    context = only("reads none.yaml { model=m; batch=b }")
    assert [context.run.settings[name].state for name in ("model", "micro_batch")] == ["symbolic"] * 2
    assert answer(context).verdict is Verdict.UNKNOWN


HOSTILE = [
    ("b: " + "9" * 5000, "misread-value"),
    (f"b: {'x' * (READ_VALUE.most + 1)}", "misread-value"),
    ("b: [1, 2]", "misread-value"),
    ("b: {c: 1}", "misread-value"),
    ("b: -4", "misread-value"),
    ("b: 1.5", "misread-value"),
    ("b: true", "misread-value"),
    ("b: 1\n---\nb: 2\n", "no-such-config"),
    ("", "no-such-config"),
    ("b: [1,", "unparsable-file"),
    ("b: " + "[" * 500, "unparsable-file"),
]


@pytest.mark.parametrize(("text", "rule"), HOSTILE, ids=[text[:12] for text, _ in HOSTILE])
def test_what_is_no_value_is_one_finding(text: str, rule: str) -> None:
    result = judged("model qwen2.5-1.5b\nreads l.yaml { batch=b }", l__yaml=text)
    assert [one.name for one in result.findings] == [rule]
    assert result.crashes == ()
    assert answer(result.runs[0]).verdict is Verdict.UNKNOWN


def test_a_file_that_a_budget_reads_is_not_its_own_run_too() -> None:
    axolotl = "base_model: Qwen/Qwen2.5-1.5B\nmicro_batch_size: 2\nsequence_len: 2048\ndatasets:\n  - path: d\n    type: alpaca\n"
    names = [one.run.name for one in judged("reads a.yaml { model=base_model; batch=micro_batch_size }", a__yaml=axolotl).runs]
    assert names == ["a.yaml"]


def test_what_else_stands_in_the_file_is_nobodys_key() -> None:
    """At the top of a trainer's file the same words are told: both precisions, options without their switch, cards that are not there."""
    launch = "m: qwen2.5-1.5b\nfp16: true\nbf16: true\nbnb_4bit_use_double_quant: true\ngpu_ids: 0,1,2,3\nfsdp: full_shard\n"
    (found,) = judged("batch 1; lora r=8\nreads l.yaml { model=m }", l__yaml=launch).runs
    assert [reading.document.root for reading in found.run.readings] == [None]
    assert set(found.run.settings) == {"model", "micro_batch", "adapter", "lora_r", "seq_len", "devices", "devices_per_node", "device"}

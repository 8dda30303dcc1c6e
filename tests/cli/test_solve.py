"""``budgetlint solve``: the answer in its first line, the remedies by number, and what `--apply` writes."""

from __future__ import annotations

import re

import pytest

LARGE = "device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8; seq 1024; loss fused; stack transformers@5.24 torch@2.13 peft@0.21\n"
SFT = """\
# TRL, one card
model_name_or_path: Qwen/Qwen2.5-1.5B
dtype: bfloat16
max_length: 2048
per_device_train_batch_size: 8  # tried
gradient_accumulation_steps: 2
gradient_checkpointing: false  # faster
bf16: true
packing: true
attn_implementation: sdpa
"""
STACK = "stack transformers@5.24 trl@1.16 torch@2.13 peft@0.21"
CARD = f"device 40GiB; {STACK}"


def test_the_first_line_answers(shell) -> None:
    ran = shell("solve", "-", stdin=LARGE)
    assert ran.code == 0
    head = " ".join(ran.out.split("\n\n")[0].split())
    assert re.match(
        r"stdin: (does not fit|tight): needs \d+\.\d\d GiB .*of 24\.00 GiB; \d+ remed(y|ies) fits?, the first to try is 1: "
        r"recompute full every=\d \(frees \d+\.\d\d GiB, about \d+ % more compute\)",
        head,
    )
    for part in ("largest micro batch", "longest sequence", "smallest card", "no cure here", "arXiv 1604.06174"):
        assert part in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


def test_json_has_the_fields_of_the_contract(shell) -> None:
    document = shell("solve", "-", "--format", "json", stdin=LARGE).json
    run = document["runs"][0]
    assert document["version"] == 1
    assert (run["name"], run["target"], run["verdict"]) == ("stdin", None, "does-not-fit")
    assert 1 <= run["maximum"]["batch"] <= run["tight_until"]["batch"] < 8
    assert set(run["minimum"]) == {"devices", "device"}
    first = run["remedies"][0]
    assert set(first) >= {"title", "bucket", "frees_bytes", "need", "verdict", "cost", "edits"}
    assert run["need"] - first["need"] == first["frees_bytes"] > 0
    assert {"file", "start", "end", "text", "line"} <= set(first["edits"][0])


def test_edits_have_the_shape_of_fixes(shell) -> None:
    """One program reads both: `check --format json` and this."""
    shell.write("sft.yaml", SFT + "warmup_steps: 10\nwarmup_steps: 10\n")
    fixes = [fix for f in shell("check", "--format", "json", "--budget", CARD).json["findings"] for fix in f["fixes"] if fix["edits"]]
    remedies = shell("solve", "--format", "json", "--budget", CARD).json["runs"][0]["remedies"]
    assert set(fixes[0]["edits"][0]) == set(remedies[0]["edits"][0])


def test_apply_writes_what_was_told(shell) -> None:
    shell.write("sft.yaml", SFT)
    told = shell("solve", "sft.yaml", "--budget", CARD, "--format", "json").json["runs"][0]
    number = next(i for i, one in enumerate(told["remedies"], 1) if one["levers"] == ["recompute full"])
    ran = shell("solve", "sft.yaml", "--budget", CARD, "--apply", str(number))
    assert ran.code == 0
    assert "+gradient_checkpointing: true  # faster" in ran.out
    assert "fits now" in ran.out
    assert (shell.root / "sft.yaml").read_text() == SFT.replace("gradient_checkpointing: false", "gradient_checkpointing: true")
    after = shell("estimate", "sft.yaml", "--budget", CARD, "--format", "json").json["runs"][0]
    assert (after["peak"]["bytes"], after["verdict"]) == (told["remedies"][number - 1]["need"], "fits")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--apply", "99"], "numbered from 1 to"),
        (["--apply", "0"], "numbered from 1 to"),
        (["--apply", "1", "--budget", "device 288GiB"], "no remedy for sft.yaml"),
        (["--apply", "1", "--maximize", "batch"], "ask for none"),
        (["--maximize", "batches"], "did you mean 'batch'"),
        (["--minimize", "gpus"], "write devices or device"),
        (["--run", "other"], "no run is called 'other'"),
    ],
)
def test_wrong_use_says_what_to_do(shell, argv: list[str], says: str) -> None:
    shell.write("sft.yaml", SFT)
    budget = [] if "--budget" in argv else ["--budget", CARD]
    ran = shell("solve", "sft.yaml", *budget, *argv)
    assert ran.code == 2
    assert says in ran.err
    assert (shell.root / "sft.yaml").read_text() == SFT


def test_a_remedy_without_an_edit_is_not_applied(shell) -> None:
    shell.write("sft.yaml", SFT)
    remedies = shell("solve", "sft.yaml", "--budget", f"device 64GiB; {STACK}", "--format", "json").json["runs"][0]["remedies"]
    number = next(i for i, one in enumerate(remedies, 1) if not one["edits"])
    ran = shell("solve", "sft.yaml", "--budget", f"device 64GiB; {STACK}", "--apply", str(number))
    assert (ran.code, (shell.root / "sft.yaml").read_text()) == (2, SFT)
    assert "by hand" in ran.err and "offload_optimizer = cpu" in ran.err


def test_standard_input_is_not_written(shell) -> None:
    ran = shell("solve", "-", "--apply", "1", stdin=LARGE)
    assert ran.code == 2
    assert "standard input" in ran.err


def test_one_of_several_runs_is_named(shell) -> None:
    shell.write("a.yaml", SFT)
    shell.write("b.yaml", SFT)
    ran = shell("solve", "--budget", CARD, "--apply", "1")
    assert ran.code == 2
    assert "--run NAME" in ran.err
    assert shell("solve", "--budget", CARD, "--apply", "1", "--run", "b.yaml").code == 0
    assert (shell.root / "a.yaml").read_text() == SFT != (shell.root / "b.yaml").read_text()


def test_only_what_is_asked_for(shell) -> None:
    run = shell("solve", "-", "--maximize", "batch,seq", "--format", "json", stdin=LARGE).json["runs"][0]
    assert run["maximum"]["batch"] and run["maximum"]["seq"]
    assert (run["remedies"], run["minimum"]) == ([], {"devices": None, "device": None})
    run = shell("solve", "-", "--minimize", "devices", "--minimize", "device", "--format", "json", stdin=LARGE).json["runs"][0]
    assert run["maximum"] == {"batch": None, "seq": None}
    assert run["minimum"]["device"]


def test_settings_of_the_command_line_count(shell) -> None:
    run = shell("solve", "-", "--set", "micro_batch=1", "--format", "json", stdin=LARGE).json["runs"][0]
    assert (run["verdict"], run["remedies"]) == ("fits", [])


def test_the_estimate_agrees_with_the_largest_batch(shell) -> None:
    run = shell("solve", "-", "--format", "json", stdin=LARGE).json["runs"][0]
    largest = run["maximum"]["batch"]

    def verdict(batch: int) -> str:
        return shell("estimate", "-", "--set", f"micro_batch={batch}", "--format", "json", stdin=LARGE).json["runs"][0]["verdict"]

    assert verdict(largest) == "fits"
    assert verdict(largest + 1) != "fits"
    assert verdict(run["tight_until"]["batch"] + 1) == "does-not-fit"


def test_nothing_to_solve_is_said(shell) -> None:
    ran = shell("solve")
    assert ran.code == 2
    assert "nothing to solve in this folder" in ran.err


def test_a_run_of_an_unknown_model(shell) -> None:
    ran = shell("solve", "-", stdin="device 24GiB; model some-lab/nothing-9b; batch 1; seq 128")
    assert ran.code == 0
    assert ran.out.startswith("stdin: incomplete: model")


def test_a_broken_line_is_told(shell) -> None:
    ran = shell("solve", "-", stdin=f"{LARGE.rstrip()}\nrecompute ful\n")
    assert ran.code == 2
    assert "BL" in ran.err
    assert "incomplete: the budget's errors (-:" in ran.out

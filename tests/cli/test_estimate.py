"""``budgetlint estimate``: the bill, where its figures come from, and what it says where something is not known."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

LORA = "device rtx-4090; model qwen2.5-7b; lora r=16; optimizer adamw; batch 1; seq 2048; recompute full; attention sdpa\n"


def test_the_bill_at_a_glance(shell) -> None:
    ran = shell("estimate", "-", stdin=LORA)
    assert ran.code == 0
    head, *_ = ran.out.splitlines()
    assert re.fullmatch(r"stdin: (FITS|TIGHT|DOES NOT FIT), needs \d+\.\d\d GiB, limit \d+\.\d\d GiB: \d+\.\d\d GiB (spare|over)", head)
    for part in (
        "live at the peak",
        "weights",
        "gradients",
        "optimizer",
        "activations",
        "need",
        "limit",
        "allocated",
        "reserved",
        "device",
    ):
        assert part in ran.out
    for part in ("the lines that cost most", "model: qwen2.5-7b", "assumed", "torch.cuda.max_memory_allocated"):
        assert part in ran.out


def test_the_bars_add_up(shell) -> None:
    out = shell("estimate", "-", stdin=LORA).out
    section = out.partition("live at the peak")[2].partition("need")
    rows = [float(number) for number in re.findall(r"(\d+\.\d\d) GiB", section[0])]
    rows += [float(number) / 1024 for number in re.findall(r"(\d+\.\d\d) MiB", section[0])]
    need = float(re.search(r"(\d+\.\d\d) GiB", section[2]).group(1))
    assert sum(rows) == pytest.approx(need, abs=0.01 * len(rows))


def test_a_run_per_config_target_and_cell(project) -> None:
    project.write(
        "fleet.budget",
        "target a { device t4 }\ntarget b { device l4 }\nrun r { on a b; matrix seq=[128, 256]; model qwen2.5-0.5b; batch 1 }\n",
    )
    runs = project("estimate", "--format", "json").json["runs"]
    assert [(run["name"], run["target"], run["cell"]) for run in runs if run["name"] == "r"] == [
        ("r", "a", "seq=128"),
        ("r", "a", "seq=256"),
        ("r", "b", "seq=128"),
        ("r", "b", "seq=256"),
    ]
    assert [run["name"] for run in runs if run["name"] != "r"] == ["sft.yaml"]
    only = project("estimate", "--format", "json", "--target", "b").json["runs"]
    assert {run["target"] for run in only} == {"b"}


def test_estimate_is_no_gate(shell) -> None:
    ran = shell("estimate", "-", stdin="device 2GiB; model qwen2.5-7b; batch 1; seq 2048\n")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("stdin: DOES NOT FIT, ")


def test_wrong_input_is_told_and_leaves_no_bill(shell) -> None:
    ran = shell("estimate", "-", stdin="device rtx-4091; model qwen2.5-7b; batch 1; seq 2048\n")
    assert ran.code == 2
    assert ran.err.startswith("-:1:8: error BL010: 'rtx-4091' is no card that is known\n    help: did you mean rtx-4090")
    assert ran.out == "stdin: INCOMPLETE: the budget's errors (-:1)\n"


NOTHING = [
    ([], "", "this folder"),
    (["-"], "", "standard input"),
    (["-"], "device 24GiB\n", "standard input"),
    (["notes.md"], "", "notes.md"),
]


@pytest.mark.parametrize(("paths", "stdin", "where"), NOTHING)
def test_nothing_to_estimate(shell, paths: list[str], stdin: str, where: str) -> None:
    shell.write("notes.md", "# notes\n")
    ran = shell("estimate", *paths, stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert f"nothing to estimate in {where}" in ran.err


def test_a_model_that_is_not_known_has_no_bill(shell) -> None:
    ran = shell("estimate", "-", stdin="device 24GiB; model some-lab/nothing-9b; batch 1; seq 128\n")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "stdin: INCOMPLETE: model (-:1: some-lab/nothing-9b)")
    assert "live at the peak" not in ran.out


def test_what_is_missing_is_named(shell) -> None:
    head, *_ = shell("estimate", "-", stdin="device 24GiB; model qwen2.5-1.5b; lora r=8\n").out.splitlines()
    assert head.startswith("stdin: INCOMPLETE: micro_batch, seq_len, needs ")
    assert "or more" in head
    assert "allowance" in shell("estimate", "-", stdin="device 24GiB; model qwen2.5-1.5b; lora r=8\n").out


def test_no_device_is_no_verdict(shell) -> None:
    head, *_ = shell("estimate", "-", stdin="model qwen2.5-1.5b; batch 1; seq 128\n").out.splitlines()
    assert head.startswith("stdin: INCOMPLETE: device, needs ")
    assert head.endswith("; no budget says what the device offers")


def test_settings_say_where_each_value_comes_from(project) -> None:
    out = project("estimate", "--settings").out
    assert re.search(r"micro_batch +1 +sft\.yaml:13:30  per_device_train_batch_size", out)
    assert re.search(r"lora_dropout +0\.05 +TRL ModelConfig\.lora_dropout", out)
    assert "stack: transformers@5.24 trl@1.16 torch@2.13 peft@0.21" in out
    overridden = project("estimate", "--settings", "--set", "micro_batch=4").out
    assert re.search(r"micro_batch +4 +.*--set micro_batch\n +overrode 1 +sft\.yaml:13:30", overridden)


def test_textbook_formulas_stand_beside_ours(shell) -> None:
    out = shell(
        "estimate", "-", "--textbook", stdin="device 80GiB; model qwen2.5-7b; precision bf16; optimizer adamw; batch 1; seq 2048\n"
    ).out
    assert "Korthikanti" in out
    assert "textbook" in out.lower()


def test_the_pins_beside_a_config_are_its_stack(project) -> None:
    project.write("card.budget", "device 24GiB\n")
    project.write("requirements.txt", "transformers==4.57.1\ntorch>=2.6\n")
    out = project("estimate", "--settings").out
    assert "transformers@4.57.1" in out


def test_paths_of_one_folder_only(project, sft: str) -> None:
    project.write("a/one.yaml", sft)
    project.write("b/two.yaml", sft)
    assert [run["name"] for run in project("estimate", "b", "--format", "json").json["runs"]] == ["b/two.yaml"]


TERM = re.compile(
    r"  (?P<name>\S.*?) {3,}(?:(?P<shape>\w.* B(?: / \d+ ranks)?) = )?(?P<size>\d+\.\d\d) (?P<unit>[GMK]iB|B)(?: {3,}(?P<code>\S.*))?"
)
UNITS = {"GiB": 1024**3, "MiB": 1024**2, "KiB": 1024, "B": 1}


def test_terms_are_told_one_a_line_biggest_first(shell) -> None:
    """Qwen2.5-7B: 28 layers, 152,064 entries of vocabulary; of 2,048 tokens in fp32 those are 1.16 GiB."""
    asked = "device h100-80gb; model qwen2.5-7b; precision bf16-pure; lora r=8; batch 1; seq 2048; recompute full\n"
    head, *lines = shell("estimate", "-", "--terms", stdin=f"{asked}stack transformers@5.24\n").out.splitlines()
    assert re.fullmatch(r"stdin: needs \d+\.\d\d GiB, highest in \w+: .*", head)
    told = [TERM.fullmatch(line) for line in lines]
    assert all(told), [line for line, found in zip(lines, told, strict=True) if not found]
    sizes = [float(one["size"]) * UNITS[one["unit"]] for one in told]
    assert all(one >= other * 0.99 for one, other in pairwise(sizes))
    loss = next(one for one in told if one["name"] == "logits, log probabilities")
    assert loss["shape"] == "batch 1 x seq 2,048 x vocab 152,064 x 4 B"
    assert (loss["size"], loss["code"]) == ("1.16", "transformers loss/loss_utils.py ForCausalLMLoss")


def test_the_bill_says_how_to_get_to_the_terms(shell) -> None:
    assert sum("budgetlint estimate --terms" in line for line in shell("estimate", "-", stdin=LORA).out.splitlines()) == 1


def test_terms_of_json_multiply_out(shell) -> None:
    (run,) = shell("estimate", "-", "--terms", "--format", "json", stdin=LORA.replace("lora", "quant nf4; lora")).json["runs"]
    packed = next(term for term in run["terms"] if term["id"] == "weights.nf4")
    assert packed["bytes_per_element"] == {"bytes": 9, "elements": 16}
    assert packed["shape"] == [{"name": "weight", "size": 6_525_288_448}]
    assert packed["bytes"] == 6_525_288_448 * 9 // 16
    assert packed["source"]["framework"] == "bitsandbytes"
    assert sum(term["bytes"] for term in run["terms"]) == run["peak"]["bytes"]
    (context,) = [term for term in run["terms"] if term["id"] == "context.cuda"]
    assert [context[key] for key in ("shape", "bytes_per_element", "ranks", "source")] == [None] * 4


@pytest.mark.parametrize("other", ["--settings", "--textbook", "--oom=x.log", "--format=svg", "--compare-with=HEAD"])
def test_terms_do_not_go_with_other_views(shell, other: str) -> None:
    ran = shell("estimate", "-", "--terms", other, stdin=LORA)
    assert (ran.code, "--terms" in ran.err) == (2, True)


def test_terms_of_an_unknown_model(shell) -> None:
    shell.write("sft.yaml", "model_name_or_path: nobody/nothing\noutput_dir: out\nper_device_train_batch_size: 1\n")
    assert "no model is known" in shell("estimate", "sft.yaml", "--terms").out

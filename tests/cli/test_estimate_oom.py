"""``budgetlint estimate --oom LOG``: which tensor it was, what set it, what fits instead; and every way it can be called wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "estimate.schema.json").read_text(encoding="utf-8"))

SFT = """\
model_name_or_path: Qwen/Qwen2.5-7B
dtype: bfloat16
max_length: 2048
packing: true
learning_rate: 2.0e-5
per_device_train_batch_size: 4
gradient_checkpointing: true
bf16: true
num_train_epochs: 1
output_dir: out
"""
CARD = "device h100-80gb; stack transformers@5.24 trl@0.24 torch@2.9"
MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. GPU 0 has a total capacity of 79.15 GiB of which "
    "1.33 GiB is free. Of the allocated memory 62.88 GiB is allocated by PyTorch, and 14.62 GiB is reserved by PyTorch but unallocated."
)
LOG = "\n".join(
    [
        "  0%|   | 0/100",
        "Traceback (most recent call last):",
        '  File "trainer.py", line 9, in compute_loss',
        "    logits = logits.float()",
        MESSAGE,
    ]
)


@pytest.fixture
def failed(shell):
    """A run and the log of it."""
    shell.write("sft.yaml", SFT)
    shell.write("job.log", LOG)
    return shell


def test_the_first_line_is_the_answer(failed) -> None:
    ran = failed("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log")
    assert ran.code == 0, ran.err
    answer = " ".join(line.strip() for line in ran.out.partition("\n\n")[0].splitlines())
    assert answer == (
        "sft.yaml: 4.64 GiB = 8,192 tokens x vocab 152,064 x 4 B: logits, fp32 copy (forward, set by "
        "per_device_train_batch_size: 4 at sft.yaml:6 and max_length: 2048 at sft.yaml:3)"
    )


def test_what_was_live_and_what_the_message_says(failed) -> None:
    out = failed("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log").out
    for part in ("live in the forward", "optimizer", "logits", "the limit is 79.1", "the lines that set it", "expandable_segments:True"):
        assert part in out
    assert max(map(len, out.splitlines())) <= 100


def test_what_fits_instead(failed) -> None:
    card = CARD.replace("h100-80gb", "a100-40gb")
    out = failed("estimate", "sft.yaml", "--budget", card, "--oom", "job.log").out
    instead = out.partition("what fits instead")[2]
    assert "frees" in instead
    assert "fits" in instead
    assert "larger card" in out


def test_a_run_without_a_card_is_told_how_to_name_it(failed) -> None:
    assert "--budget 'device 79.15GiB'" in failed("estimate", "sft.yaml", "--oom", "job.log").out


def test_json(failed) -> None:
    document = failed("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log", "--format", "json").json
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)) == []
    (run,) = document["runs"]
    oom = run["oom"]
    assert {name: oom[name] for name in ("bytes", "tensor", "phase", "certainty", "kind")} == {
        "bytes": 8_192 * 152_064 * 4,
        "tensor": "logits, fp32 copy",
        "phase": "forward",
        "certainty": "sure",
        "kind": "logits",
    }
    assert oom["because"][0]["file"] == "sft.yaml"
    assert (oom["because"][0]["line"], oom["because"][0]["key"]) == (6, "per_device_train_batch_size")
    assert set(oom["because"][0]) == set(run["terms"][0]["because"][0])  # the shape of the terms'
    assert (document["oom"]["line"], document["oom"]["ranks"], document["oom"]["host"]) == (5, 1, False)


SITUATIONS = {
    "a longer batch": (SFT, LOG.replace("4.64", "9.28"), "more than the 8,192 that the config allows"),
    "a shorter batch": (SFT, LOG.replace("4.64", "2.32"), "of at most 8,192: samples are padded to the longest"),
    "no traceback": (SFT, MESSAGE, "most likely logits, log probabilities"),
    "no tensor of that size": (
        SFT,
        MESSAGE.replace("4.64", "0.97").replace("GiB. GPU", "MiB. GPU"),
        "is the size of no tensor of this run",
    ),
    "no allocation quoted": (SFT, "RuntimeError: CUDA error: out of memory", "quotes no allocation"),
    "the host": (SFT, "slurmstepd: error: Detected 1 oom_kill event in StepId=4.0.", "the host ran out of memory"),
    "an unknown model": (SFT.replace("Qwen/Qwen2.5-7B", "some/thing"), LOG, "model is not known"),
}


@pytest.mark.parametrize(("config", "log", "told"), SITUATIONS.values(), ids=SITUATIONS)
def test_situations(shell, config: str, log: str, told: str) -> None:
    shell.write("sft.yaml", config)
    shell.write("job.log", log)
    ran = shell("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log")
    assert ran.code == 0, ran.err
    assert told in " ".join(ran.out.split())
    document = shell("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log", "--format", "json").json
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)) == []


def test_only_a_log(shell) -> None:
    shell.write("job.log", LOG)
    ran = shell("estimate", "--oom", "job.log")
    assert ran.code == 0
    assert "no run is known here" in ran.out
    assert "fragmentation" in ran.out
    document = shell("estimate", "--oom", "job.log", "--format", "json").json
    assert document["runs"] == []
    assert document["oom"]["bytes"] > 0
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)) == []


def test_several_kinds_are_all_told(shell) -> None:
    shell.write(
        "run.budget", "device h100-80gb; model mistral-7b-v0.1; precision bf16-pure; optimizer adamw; batch 1; seq 4096; attention flash"
    )
    shell.write("job.log", MESSAGE.replace("4.64 GiB", "112.00 MiB"))
    out = " ".join(shell("estimate", "run.budget", "--oom", "job.log").out.split())
    assert "one of several" in out
    assert "equally likely" in out


def test_the_log_from_standard_input(failed) -> None:
    ran = failed("estimate", "sft.yaml", "--budget", CARD, "--oom", "-", stdin=LOG)
    assert "logits, fp32 copy" in ran.out


@pytest.mark.parametrize(
    ("argument", "content", "told"),
    [
        ("missing.log", None, "missing.log does not exist"),
        (".", None, "is no file"),
        ("quiet.log", b"loss 0.1\nIf you run out of memory, use a smaller batch\n", "holds no out-of-memory message"),
        ("empty.log", b"", "holds no out-of-memory message"),
        ("packed.log", b"\x1f\x8b\x08\0\0\0\0\0\0", "is no text"),
    ],
)
def test_wrong_use(failed, argument: str, content: bytes | None, told: str) -> None:
    if content is not None:
        failed.write(argument, content)
    ran = failed("estimate", "sft.yaml", "--oom", argument)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_standard_input_is_one_thing(failed) -> None:
    ran = failed("estimate", "-", "--oom", "-", stdin=LOG)
    assert ran.code == 2
    assert "name the log by its file" in ran.err


def test_bytes_that_are_no_utf8_and_endless_lines(failed) -> None:
    failed.write("job.log", b"\xff\xfe\xe4" + b"x" * 3_000_000 + b"\r" + LOG.encode())
    ran = failed("estimate", "sft.yaml", "--budget", CARD, "--oom", "job.log")
    assert ran.code == 0, ran.err
    assert "logits, fp32 copy" in ran.out


def test_a_broken_budget_is_told_as_ever(failed) -> None:
    failed.write("bad.budget", "devcie 24GiB; model qwen2.5-1.5b; batch 1; seq 128\n")
    ran = failed("estimate", "bad.budget", "--oom", "job.log")
    assert ran.code == 2
    assert "bad.budget:1:1" in ran.err

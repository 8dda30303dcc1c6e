"""What fills the card where a run does not fit, told although the verdict hangs on something: the cause does not."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.memory.estimate import Excess, Fork, ForkReading, Opened, Range, Verdict
from budgetlint.memory.term import Bucket
from budgetlint.registry import installed
from budgetlint.report.answer import fork_words
from budgetlint.resolve.runs import judge_texts

SFT = """model_name_or_path: {model}
dataset_name: trl-lib/Capybara
bf16: true
dtype: bfloat16
max_length: {length}
packing: true
per_device_train_batch_size: 1
gradient_checkpointing: {checkpointing}
learning_rate: 1.0e-5
num_train_epochs: 1
attn_implementation: flash_attention_2
"""
PINNED = "stack trl@1.16 transformers@5.24 peft@0.21 torch@2.13 accelerate@1.15 deepspeed@0.19"
LORA = "use_peft: true\nlora_r: 8\n"
GIB = 2**30


def excess(machine: str, text: str, **files: str) -> tuple[Excess, str]:
    world = judge_texts({"train.yaml": text, **files}, budget=f"device {machine}; config train.yaml; {PINNED}")
    (run,) = world.runs
    assert run.estimate is not None and run.estimate.excess is not None
    (said,) = [one.message for one in check(world, installed()).findings if one.name in ("no-verdict", "probably-does-not-fit")]
    return run.estimate.excess, said


def test_activations_that_are_kept_are_told_with_what_recomputing_leaves() -> None:
    """A packed row of 16,384 tokens under a variable that decides recomputation."""
    one, said = excess("50GiB", SFT.format(model="Qwen/Qwen2.5-1.5B", length=16384, checkpointing="${GC}"))
    assert (one.verdict, one.held[0][0]) == (Verdict.DOES_NOT_FIT, Bucket.ACTIVATIONS)
    assert one.checkpointed is not None and one.checkpointed < 40 * GIB < one.held[0][1]
    assert f"what does not fit is activations {one.held[0][1] / GIB:.2f} GiB, " in said
    assert "; nothing is recomputed there, and with gradient checkpointing it needs " in said


def test_weights_that_are_whole_on_each_card() -> None:
    """32.76 billion weights in 16 bits are 61 GiB on each card, as data parallelism splits none of them."""
    one, said = excess("8x 72GiB; shard ddp", SFT.format(model="Qwen/Qwen2.5-32B", length=2048, checkpointing="${GC}") + LORA)
    assert (one.held[0][0], one.held[0][1] // GIB, one.checkpointed) == (Bucket.WEIGHTS, 61, None)
    assert said.endswith(", the weights whole on each of 8 devices (ddp)")
    assert "what does not fit is weights 61." in said


def test_what_fits_whatever_is_open_has_no_excess() -> None:
    text = SFT.format(model="Qwen/Qwen2.5-1.5B", length=512, checkpointing="${GC}")
    (run,) = judge_texts({"train.yaml": text}, budget=f"device 80GiB; config train.yaml; {PINNED}").runs
    assert run.estimate is not None and (run.estimate.verdict, run.estimate.excess) == (Verdict.FITS, None)


def reading(size: int, verdict: Verdict, *values: str) -> ForkReading:
    return ForkReading(values, "", Range(size * GIB, size * GIB, size * GIB), verdict)


@pytest.mark.parametrize("count", [6, 9])
def test_of_many_readings_each_verdict_is_shown(count: int) -> None:
    """The first four alone would all have sgd."""
    open_ones = [reading(size, Verdict.UNKNOWN, "sgd", str(size)) for size in range(1, count)]
    fork = Fork((Opened("optimizer"), Opened("seq_len")), (*open_ones, reading(90, Verdict.DOES_NOT_FIT, "adamw", "1")))
    said = fork_words(fork)
    assert "does not fit with optimizer adamw (90.00 GiB)" in said
    assert said.startswith("open with optimizer sgd (")


@pytest.mark.slow
def test_a_program_that_is_not_here_is_told_what_training_whole_would_take() -> None:
    """Whether it puts adapters on is not known. 13.02 billion weights, with gradients and two moments in float32, are
    48.5 GiB four times, and FSDP over one process splits none of it."""
    script = (
        "torchrun --nproc_per_node=1 own/train.py --model_name_or_path llama-13b-hf/ --bf16 True --per_device_train_batch_size 1 "
        '--output_dir out --learning_rate 2e-5 --fsdp "full_shard auto_wrap" --model_max_length 2048 --gradient_checkpointing True\n'
    )
    world = judge_texts({"train.sh": script}, budget="device a100-80gb")
    (said,) = [one.message for one in check(world, installed()).findings if one.name == "no-verdict"]
    assert "incomplete: adapter; with adapter none, quant none, optimizer adamw it does not fit, whatever else is open, and " in said
    assert "needs at least 192." in said
    assert said.endswith("over one process divides none of it")


def test_what_a_rollout_engine_takes_is_named() -> None:
    """vLLM beside the trainer takes 0.5 of the card all the time, which is no buffer of the run's own."""
    text = SFT.format(model="Qwen/Qwen2.5-1.5B", length=1024, checkpointing="${GC}").replace("max_length: 1024\npacking: true\n", "")
    text += "num_generations: 8\nper_device_eval_batch_size: 8\nmax_prompt_length: 512\nmax_completion_length: 1024\nuse_vllm: true\n"
    text += "vllm_mode: colocate\nvllm_gpu_memory_utilization: 0.5\n"
    one, said = excess("64GiB", text.replace("train_batch_size: 1", "train_batch_size: 8"))
    assert (one.engine, one.share) == ("vllm", 32 * GIB)
    assert "the share of vllm 32.00 GiB" in said


OWN = "model_name_or_path: some-lab/{name}\ndataset_name: trl-lib/Capybara\nbf16: true\nmax_length: 512\nper_device_train_batch_size: 1\n"


@pytest.mark.parametrize(
    ("name", "more", "machine", "least"),
    [
        # 34 billion x 0.9 x 2 bytes: 57 GiB of weights, whatever it is
        ("Own-34B", "use_peft: true\n", "48GiB", "weights alone are 57.00 GiB"),
        ("Own-34B", "", "80GiB", "weights, gradients and AdamW's moments alone are 227.99 GiB"),
        ("Own-34B", "use_peft: true\n", "80GiB", ""),
        ("Own-34B", "use_peft: true\n", "8x 48GiB", ""),  # a launcher that nobody sees may shard it
        ("Own-34B", "use_peft: true\nload_in_4bit: true\n", "48GiB", ""),
        ("Own-34B-AWQ", "use_peft: true\n", "48GiB", ""),
        ("Own-8x34B", "use_peft: true\n", "48GiB", ""),
        ("Own-30B-A3B", "use_peft: true\n", "48GiB", "by the 30B of its name"),
        ("Own34Base", "", "1GiB", ""),
    ],
)
def test_a_size_in_a_name_is_a_bound(name: str, more: str, machine: str, least: str) -> None:
    text = OWN.format(name=name) + more
    world = judge_texts({"train.yaml": text}, budget=f"device {machine}; config train.yaml; {PINNED}")
    (said,) = [one.message for one in check(world, installed()).findings if one.name == "no-verdict"]
    assert said.startswith("no verdict on ")
    assert least in said and ("of its name" in said) is bool(least)

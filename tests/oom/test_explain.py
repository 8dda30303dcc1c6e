"""Which tensor it was: by size, by frames, and never with more certainty than there is."""

from __future__ import annotations

import pytest

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of 79.15 GiB of which 1.00 GiB is free."
FLOAT = "    logits = logits.float()"
STEP = ["    self.optimizer.step()", '    state["exp_avg"] = torch.zeros_like(']


def test_size_and_frame_agree(ask, sft) -> None:
    found = ask(sft, FLOAT, OOM.format("4.64 GiB"))
    assert found.certainty == "sure"
    assert found.best.arithmetic == "8,192 tokens x vocab 152,064 x 4 B"
    assert (found.best.tensor.what, found.phase, found.bytes) == ("logits, fp32 copy", "forward", 8_192 * 152_064 * 4)
    assert [setting.name for setting in found.best.tensor.because[:2]] == ["micro_batch", "seq_len"]


def test_without_a_traceback_the_highest_phase_is_told(ask, sft) -> None:
    found = ask(sft, OOM.format("4.64 GiB"))
    assert (found.certainty, found.best.tensor.kind, found.phase) == ("likely", "logits", "backward")


def test_a_shorter_batch_is_told_with_its_tokens(ask, sft) -> None:
    found = ask(sft, FLOAT, OOM.format("2.32 GiB"))
    assert (found.best.by_size, found.certainty) == ("tokens", "likely")
    assert found.best.low <= 4_096 <= found.best.high
    assert found.best.low % 4 == found.best.high % 4 == 0  # four sequences of one length


def test_a_longer_one_too(ask, sft) -> None:
    found = ask(sft, FLOAT, OOM.format("9.28 GiB"))
    assert found.best.low > 8_192


def test_a_frame_decides_between_tensors_of_one_size(ask) -> None:
    # 4,096 x 14,336 x 2 B, and 4,096 tokens x 14,336 x 2 B
    budget = "device h100-80gb; model mistral-7b-v0.1; precision bf16-pure; optimizer adamw; batch 1; seq 4096; attention flash"
    assert ask(budget, *STEP, OOM.format("112.00 MiB")).best.tensor.kind == "state"
    assert ask(budget, "    down_proj = self.down_proj(x)", OOM.format("112.00 MiB")).best.tensor.kind == "mlp"
    without = ask(budget, OOM.format("112.00 MiB"))
    assert without.certainty == "several"
    kinds = {without.best.tensor.kind, *(rival.tensor.kind for rival in without.rivals)}
    assert {"mlp", "gradient", "state"} <= kinds


def test_no_tensor_of_that_size(ask, sft) -> None:
    found = ask(sft, *STEP, OOM.format("33.33 GiB"))
    assert (found.best, found.certainty, found.phase) == (None, "none", "step")
    assert found.nearest is not None
    assert found.nearest.kind == "state"


def test_a_size_that_any_small_tensor_has(ask, sft) -> None:
    assert ask(sft, OOM.format("20.00 MiB")).best is None
    found = ask(sft, *STEP, OOM.format("20.00 MiB"))
    assert found.vague
    assert found.certainty == "likely"
    assert found.best.tensor.kind == "state"


def test_scores_of_a_kernel_that_the_config_does_not_name(ask) -> None:
    budget = "device a100-80gb; model llama-2-7b; precision fp16; optimizer adamw; batch 16; seq 4096; attention flash"
    found = ask(budget, "    attn_weights = nn.functional.softmax(attn_weights, dtype=torch.float32)", OOM.format("32.00 GiB"))
    assert found.best.arithmetic == "16 x 32 heads x 4,096 x 4,096 x 4 B"
    assert not found.best.tensor.planned
    shorter = ask(budget, "    attn_weights = torch.matmul(q, k)", OOM.format("8.00 GiB"))
    assert shorter.best.by_size == "length"
    assert shorter.best.low <= 2_048 <= shorter.best.high or shorter.best.low <= 2_896 <= shorter.best.high


def test_a_sub_group_ends_with_a_whole_parameter(ask) -> None:
    budget = "device 8x a100-80gb; nodes 2; model qwen2-72b; precision bf16; optimizer adamw; batch 1; seq 512; shard zero3"
    for amount in ("3.73 GiB", "3.74 GiB"):
        assert ask(budget, *STEP, OOM.format(amount)).best.tensor.what == "an fp32 optimizer state of this rank"


def test_a_run_whose_batch_is_not_known(ask) -> None:
    found = ask("device h100-80gb; model qwen2.5-7b", FLOAT, OOM.format("4.64 GiB"))
    assert found.best.by_size == "tokens"
    assert found.best.low <= 8_192 <= found.best.high


@pytest.mark.parametrize("budget", ["device h100-80gb; model some-lab/nothing-9b; batch 1; seq 128"])
def test_a_run_whose_model_is_not_known(ask, budget) -> None:
    found = ask(budget, FLOAT, OOM.format("4.64 GiB"))
    assert (found.best, found.nearest, found.certainty) == (None, None, "none")


def test_the_host(ask, sft) -> None:
    found = ask(sft, "exitcode  : -9 (pid: 57250)")
    assert found.best is None
    assert "host's memory" in found.remarks[0]


def test_a_batch_that_nothing_speaks_for_is_a_guess(ask, sft) -> None:
    found = ask(sft, OOM.format("3.33 GiB"))
    assert (found.certainty, found.best.by_size) == ("guess", "tokens")
    assert ask(sft, FLOAT, OOM.format("3.33 GiB")).certainty == "likely"


def test_a_state_as_large_as_the_base_under_an_adapter(ask) -> None:
    budget = "device h100-80gb; model mistral-7b-v0.1; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 512"
    found = ask(budget, *STEP, OOM.format("112.00 MiB"))
    assert found.best.tensor.kind == "state"
    assert not found.best.tensor.planned  # the log is of a run without the adapter
    near = ask(budget, *STEP, OOM.format("500.50 MiB"))
    assert near.best is None
    assert "adapter factor" in near.nearest.what

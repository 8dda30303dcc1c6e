"""What frames tell of phase and kind."""

from __future__ import annotations

import pytest

from budgetlint.oom.traceback import clue_of

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB."
RUN_BACKWARD = "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass"
STEP = ['  File "accelerate/optimizer.py", line 178, in step', "    self.optimizer.step(closure)"]

CASES = [
    (['  File "trainer.py", line 9, in compute_loss', "    outputs = model(**inputs)", "    logits = logits.float()"], "forward", "logits"),
    (['  File "torch/nn/functional.py", line 3479, in cross_entropy', "    return torch._C._nn.cross_entropy_loss("], "forward", "logits"),
    (["    self.accelerator.backward(loss)", RUN_BACKWARD], "backward", ""),
    ([*STEP, '  File "torch/optim/adamw.py", line 159, in _init_group', '    state["exp_avg_sq"] = torch.zeros_like('], "step", "state"),
    ([*STEP, '  File "torch/optim/adamw.py", line 606', "    exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)"], "step", "state"),
    (["    self.accelerator.clip_grad_norm_(", "    norms.extend(torch._foreach_norm(grads, norm_type))"], "step", "gradient"),
    (
        ['  File "accelerate/utils/modeling.py", line 311, in set_module_tensor_to_device', "    new_value = value.to(device)"],
        "load",
        "weight",
    ),
    (
        [
            "    engine = deepspeed.initialize(",
            '  File "deepspeed/runtime/zero/stage_1_and_2.py", line 3, in __init__',
            "    x = self.flatten_dense_tensors_aligned(",
        ],
        "load",
        "flat",
    ),
    (
        [
            '  File "torch/utils/checkpoint.py", line 321, in backward',
            "    torch.autograd.backward(outputs)",
            "    down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))",
        ],
        "backward",
        "mlp",
    ),
    (["    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)"], "forward", "scores"),
    (
        [
            "    output = eval_loop(",
            '  File "transformers/trainer.py", line 3140, in evaluation_loop',
            "    preds_host = nested_concat(preds_host, logits)",
        ],
        "eval",
        "logits",
    ),
    (
        [
            "    out = model.generate(**inputs)",
            '  File "transformers/cache_utils.py", line 3, in update',
            "    torch.cat([self.key_cache[i], k], dim=-2)",
        ],
        "rollout",
        "cache",
    ),
    (
        ['  File "bitsandbytes/autograd/_functions.py", line 3, in backward', "    F.dequantize_4bit(B, ctx.state)"],
        "backward",
        "dequantised",
    ),
    (
        ['  File "torch/distributed/fsdp/_flat_param.py", line 3, in _alloc_padded_unsharded_flat_param', "    _alloc_storage(t, size)"],
        "",
        "gathered",
    ),
    (["    self._save_checkpoint(model, trial)", "    state_dict = self.accelerator.get_state_dict(self.deepspeed)"], "save", ""),
    ([], "", ""),
]


@pytest.mark.parametrize(("frames", "phase", "kind"), CASES)
def test_frames(frames: list[str], phase: str, kind: str) -> None:
    clue = clue_of(["Traceback (most recent call last):", *frames, OOM])
    assert (clue.phase, clue.kind) == (phase, kind)


@pytest.mark.parametrize(
    ("line", "width"),
    [("logits = logits.float()", 4), ("cross_entropy(source, target)", 4), ("logits = self.lm_head(h)", 2), ("logits[..., :-1]", 0)],
)
def test_the_width_of_an_element(line: str, width: int) -> None:
    assert clue_of([line, OOM]).width == width


def test_the_message_itself_may_name_the_tensor() -> None:
    line = "fsdp.py:2224: UserWarning: Failed to clone() tensor with name lm_head.weight. Error: CUDA out of memory. Tried to allocate"
    clue = clue_of([f"{line} 500.00 MiB"])
    assert (clue.phase, clue.kind) == ("save", "gathered")


def test_compiled_code_gives_the_shape() -> None:
    assert clue_of(["--> 408 buf7 = empty_strided_cuda((262208, 2560), (2560, 1), torch.float32)", OOM]).bytes == 262_208 * 2_560 * 4

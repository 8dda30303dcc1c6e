"""What a traceback says of the moment: which phase, and which kind of tensor the innermost frames make.

Frames are names of files, functions and source lines of the frameworks; each row of the tables names where it is from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod

from budgetlint.base.record import record


@record
class Clue:
    """``phase`` load, rollout, forward, backward, step, eval or save, and ``kind`` of tensor (`tensor.KINDS`), each empty where no
    frame tells it; ``frame`` the line that told the kind, else the innermost; ``width`` bytes of an element, and ``bytes`` of
    the whole tensor, where the frame says it."""

    phase: str = ""
    kind: str = ""
    frame: str = ""
    width: int = 0
    bytes: int = 0


_PHASES: tuple[tuple[str, str], ...] = (
    ("load", r"from_pretrained|load_state_dict|set_module_tensor_to_device|_load_pretrained|load_checkpoint_in_model|safetensors/torch"),
    ("load", r"Loading checkpoint shards:\s+\d\d?%"),
    ("load", r"\bload_model\b|dispatch_model|_move_model_to_device|module\.py.* in (?:_apply|cuda|to)\b|shard_modules|\.to\(0\)"),
    ("load", r"_configure_zero_optimizer|_configure_optimizer|deepspeed\.initialize|_setup_for_real_optimizer|init_for_lora_finetune"),
    ("load", r"FullyShardedDataParallel\(|fully_shard\(|_init_param_handle|_initialize_flat_param|in prepare_model|_prepare_fsdp"),
    ("load", r"\bin get_peft_model\b|DistributedDataParallel\(|_ddp_init_helper|_verify_param_shape_across_processes"),
    ("rollout", r"\.generate\(|in generate\b|generation/utils\.py|\b_sample\(|vllm/|sglang/|in _generate_and_score"),
    (
        "eval",
        r"evaluation_loop|trainer_pt_utils|torch_pad_and_concatenate|prediction_step|in evaluate\b|\bnested_concat|nested_detach",
    ),
    ("save", r"Failed to clone\(\) tensor|_save_checkpoint|save_pretrained|in save_model\b|_zero3_consolidated"),
    ("save", r"get_state_dict|state_dict_type|full_state_dict"),
    ("backward", r"loss\.backward|autograd/__init__\.py|run_backward|accelerator\.backward|in backward\b|engine\.backward|\.backward\("),
    ("backward", r"unpack_hook|recompute_fn|CheckpointFunctionBackward|in unpack\b"),
    ("step", r"optimizer\.step|torch/optim/|bitsandbytes/optim|in optim_step\b|_take_model_step|clip_grad_norm|_foreach_|optimizer_step"),
    ("step", r"stage_1_and_2\.py.* in step\b|stage3\.py.* in (?:step|_optimizer_step|_prepare_sub_group)|apply_gradients"),
    ("forward", r"compute_loss|in forward\b|_call_impl|training_step"),
)
"""Phase by frame. Of the phases that a traceback names the innermost counts, but a forward inside another phase is that phase's."""

_KINDS: tuple[tuple[str, str], ...] = (
    ("gathered", r"Failed to clone\(\) tensor"),
    ("logits", r"cross_entropy|log_softmax|logits?\s*=\s*logits?\.float\(\)|logits\.float|loss_utils\.py|nn/modules/loss\.py|shift_logits"),
    ("logits", r"ForCausalLMLoss|self\.loss_function|selective_log_softmax|logsumexp|logits\.to\(|get_batch_logps|LogSoftmax"),
    (
        "logits",
        r"logits_processor|compute_logits|lm_head|self\.output\(|output_layer|embed_out\(|logits\s*/\s*temperature|entropy_from_logits",
    ),
    ("logits", r"logits\s*=|logits\[|nested_concat|_pad_across_processes|gather_for_metrics|vocab_parallel|liger_kernel/.*cross_entropy"),
    ("scores", r"attn_weights|attention_scores|attention_probs|eager_attention_forward|baddbmm|softmax\(scores|torch\.matmul\(q|q @ k"),
    ("scores", r"attn_scores|_make_causal_mask|_update_causal_mask|prepare_4d|masked_fill|alibi|_softmax_backward|position_bias"),
    ("attention", r"scaled_dot_product|flash_attn|repeat_kv|apply_rotary|rotate_half|xformers|self\.(?:q|k|v|o|qkv)_proj|query_key_value"),
    ("attention", r"c_attn\(|torch\.cat\(\(key|self_attn|query_states|key_states|value_states"),
    ("cache", r"past_key_value|cache_utils\.py|kv_cache|allocate_kv_cache|key_cache|layer_past"),
    ("mlp", r"act_fn|gate_proj|up_proj|down_proj|F\.silu|F\.gelu|swiglu|SwiGLU|activations\.py|dense_h_to_4h|dense_4h_to_h|in gelu|c_fc"),
    ("mlp", r"self\.mlp\(|feed_forward|experts|w1\(|w2\(|w3\("),
    ("hidden", r"rms_?norm|layer_?norm|LayerNorm|hidden_states\.to\(torch\.float32\)|inputs_embeds|embed_tokens|residual \+|self\.norm\("),
    ("dropout", r"F\.dropout|nn/modules/dropout|dropout\("),
    ("adapter", r"lora_A|lora_B|peft/tuners|lora\.py"),
    ("dequantised", r"dequantize|MatMul4Bit|matmul_4bit|bitsandbytes/autograd|bitsandbytes/functional|fast_dequantize|qlinear"),
    ("quantised", r"quantize_4bit|Params4bit|Int8Params|quantize_blockwise|double_quant"),
    ("gradient", r"_foreach_norm|clip_grad|get_total_norm|vector_norm"),
    (
        "state",
        r"exp_avg|_init_group|init_state|get_state_buffer|momentum_buffer|_foreach_|_multi_tensor|_single_tensor|_fused_adam|adamw?\.py",
    ),
    ("state", r"initialize_optimizer_states|fp32_groups|single_partition_of_fp32|flat_hp|optim/lion|adamw_8bit|denom\s*=|torch/optim/"),
    (
        "gathered",
        r"all_gather|_unshard|partitioned_param_coordinator|fetch_sub_module|unshard|_get_padded_unsharded_flat_param|foreach_all_gather",
    ),
    ("gathered", r"_alloc_padded_unsharded|_alloc_storage|GatheredParameters|summon_full_params"),
    ("flat", r"_flatten|flatten_|_flat_param|fused_optimizer\.py|get_flat_partition|flat_buffer|fp16_groups_flat"),
    ("flat", r"stage_1_and_2\.py.*in __init__|stage3\.py.*in (?:__init__|_setup|_create_fp16|_create_fp32)"),
    (
        "bucket",
        r"reduce_scatter|ipg_buffer|ipg_bucket|reduce_bucket|allreduce|_reduce_scatter|reduction_stream|distributed\.py.*Reducer|Reducer\(",
    ),
    ("gradient", r"accumulate_grad|AccumulateGrad|clip_grad_norm|get_total_norm|_unscale_|\.grad\b|param_grad|main_grad"),
    (
        "weight",
        r"set_module_tensor_to_device|from_pretrained|load_state_dict|safetensors|\.to\(device|in _apply\b|\.cuda\(|param_applied",
    ),
    ("weight", r"torch\.empty\(|nn/modules/linear\.py.*__init__|init_weights|_load_state_dict_into|in convert\b|new_value = |old_value"),
    ("communicator", r"ncclUnhandledCudaError|init_process_group|in barrier\b|ProcessGroupNCCL|nccl error|NCCL error"),
)
"""Kind of tensor by frame or source line, innermost line first."""

_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_COMPILED_PHASES = tuple((phase, re.compile(pattern)) for phase, pattern in _PHASES)

INNERMOST = 14
"""Lines (seven frames) that can tell the kind: further out stand the loops of the trainer."""

_OUTER = frozenset({"rollout", "eval", "save"})


def clue_of(lines: Iterable[str]) -> Clue:
    """Read a traceback, innermost frame last; the message itself is its last line."""
    frames = [line.strip() for line in lines if line.strip()]
    body = [line for line in (*frames[:-1], _before_the_message(frames)) if _telling(line)]
    kind, frame = _innermost(body[-INNERMOST:])
    return Clue(
        _phase(body) or ("forward" if kind in _OF_THE_FORWARD else ""),
        kind,
        frame or (body[-1] if body else ""),
        _width(kind, frame),
        _bytes(body[-INNERMOST:]),
    )


_OF_THE_FORWARD = frozenset({"logits", "scores", "attention", "mlp", "hidden", "dropout", "adapter"})
"""Python lines that make these run in the forward; in a backward they stand below ``run_backward``."""


def _before_the_message(frames: list[str]) -> str:
    """``Failed to clone() tensor with name lm_head.weight ... Error: CUDA out of memory``."""
    return re.split(r"[\w.]*Error: |CUDA out of memory", frames[-1])[0] if frames else ""


def _telling(line: str) -> bool:
    """Lines of carets and of the process starting up tell nothing."""
    return bool(line.strip("^~ ")) and "Traceback (most recent call" not in line


def _innermost(lines: list[str]) -> tuple[str, str]:
    for line in reversed(lines):
        for kind, pattern in _COMPILED:
            if pattern.search(line):
                return kind, line
    return "", ""


_WIDE = re.compile(r"\.float\(\)|float32|cross_entropy|log_softmax|CrossEntropy")
_HALF = re.compile(r"lm_head\(|embed_out\(|F\.linear|output_layer\(")


def _width(kind: str, frame: str) -> int:
    """fp32 where the line casts to it or is the cross entropy, which autocast and transformers run in fp32."""
    if kind not in ("logits", "scores", "hidden"):
        return 0
    return 4 if _WIDE.search(frame) else 2 if _HALF.search(frame) else 0


_STRIDED = re.compile(r"empty_strided_cuda\(\((?P<shape>[0-9, ]{1,200})\), .*torch\.(?P<dtype>float32|bfloat16|float16)\)")


def _bytes(lines: list[str]) -> int:
    """Code that torch.compile wrote allocates with the shape in the source line (torch 2.13 _inductor/codegen/wrapper.py)."""
    found = next((match for line in reversed(lines) if (match := _STRIDED.search(line))), None)
    if found is None:
        return 0
    size = prod(int(number) for number in found["shape"].split(",") if number.strip())
    return size * (4 if found["dtype"] == "float32" else 2)


def _phase(lines: list[str]) -> str:
    named = [phase for line in lines for phase, pattern in _COMPILED_PHASES if pattern.search(line)]
    outer = next((phase for phase in named if phase in _OUTER), "")
    if outer:
        return outer
    strong = [phase for phase in named if phase not in ("forward",)]
    return strong[-1] if strong else named[-1] if named else ""

"""Hugging Face keys as settings: name, value, and where they stand."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.settings.run import OriginKind, Role

SEEDS = {
    "hf_training_arguments": "{output_dir: o, per_device_train_batch_size: 1, report_to: none, num_train_epochs: 1, bf16: true}",
    "hf_training_arguments in a section": "{a: {per_device_train_batch_size: 1, save_strategy: a, report_to: b, seed: 1, bf16: true}}",
    "trl": "{model_name_or_path: m, dataset_name: d, learning_rate: 1, report_to: none, num_train_epochs: 1}",
    "alignment_handbook": "{output_dir: o, dataset_mixer: {a: 1}, report_to: none, num_train_epochs: 1, bf16: true}",
    "open_instruct": "{output_dir: o, use_slow_tokenizer: true, report_to: none, num_train_epochs: 1, bf16: true}",
}
"""Documents that the readers of Hugging Face's trainers claim (`test_marks.py`)."""

PLAIN = "output_dir: out\nper_device_train_batch_size: 2\nnum_train_epochs: 3\nlogging_steps: 5\n"
TRL = PLAIN + "dataset_name: d\nuse_peft: false\n"


def read(text: str, name: str = "a.yaml"):
    (document,) = load(SourceFile(name, text))
    return identify(document).read(document)


def values(text: str, name: str = "a.yaml") -> dict:
    return {setting.name: setting.value for setting in read(text, name).settings.values() if setting.known}


SAYS = {
    # what is written on top of a TRL file, and what it says
    "model_name_or_path: org/m": {"model": "org/m"},
    "torch_dtype: bfloat16": {"weights_dtype": "bf16"},
    "torch_dtype: auto": {"weights_dtype": "auto"},
    "torch_dtype: float16\ndtype: float32": {"weights_dtype": "fp32"},
    "model_init_kwargs: {torch_dtype: bfloat16, attn_implementation: sdpa}": {"weights_dtype": "bf16", "attention": "sdpa"},
    "bf16: true": {"autocast": "bf16"},
    "fp16: true": {"autocast": "fp16"},
    "bf16: false": {"autocast": "none"},
    'bf16: "false"': {"autocast": "none"},
    "gradient_accumulation_steps: 4": {"grad_accum": 4},
    "per_gpu_train_batch_size: 7": {"micro_batch": 7},
    "accelerator_config: {gradient_accumulation_kwargs: {num_steps: 3}}": {"grad_accum": 3},
    "max_length: 2048": {"seq_len": 2048},
    "max_source_length: 512\nmax_target_length: 64": {"seq_len": 512, "target_len": 64},
    "max_seq_length: 512\nmax_length: 2048": {"seq_len": 2048},
    "max_prompt_length: 512\nmax_completion_length: 1024": {"seq_len": 1536},
    "packing: true\npadding_free: true": {"packing": True, "padding_free": True},
    "gradient_checkpointing: true": {"recompute": "full"},
    "gradient_checkpointing: false": {"recompute": "none"},
    "activation_checkpointing: false\ngradient_checkpointing: true": {"recompute": "none"},
    "gradient_checkpointing: true\ngradient_checkpointing_kwargs: {use_reentrant: false}": {"recompute_reentrant": False},
    "gradient_checkpointing_kwargs: '{\"use_reentrant\": true}'": {"recompute_reentrant": True},
    "activation_checkpointing: true\nactivation_checkpointing_kwargs: {every_n_layers: 2, offload: true}": {
        "recompute": "full",
        "recompute_every": 2,
        "recompute_offload": True,
    },
    "gradient_checkpointing: true\ngradient_checkpointing_kwargs: {selective: true}": {"recompute": "selective"},
    "activation_offloading: true": {"recompute_offload": True},
    "optim: adamw_torch": {"optimizer": "adamw"},
    "optim: adamw_torch_fused": {"optimizer": "adamw_torch_fused", "optimizer_impl": "fused"},
    "adafactor: true": {"optimizer": "adafactor"},
    "learning_rate: 2e-5": {"learning_rate": 2e-5},
    "warmup_ratio: 0.1\nwarmup_steps: 10": {"warmup_ratio": 0.1, "warmup_steps": 10.0},
    "attn_implementation: flash_attention_2": {"attention": "flash"},
    "attn_implementation: kernels-community/flash-attn2": {"attention": "flash"},
    "attn_implementation: flex_attention": {"attention": "flex"},
    "use_flash_attention_2: true": {"attention": "flash"},
    "use_liger_kernel: true": {"kernels": ("rms_norm", "rope", "swiglu", "linear_cross_entropy")},
    "use_liger: true\nliger_kernel_config: {cross_entropy: true, fused_linear_cross_entropy: false}": {
        "kernels": ("rms_norm", "rope", "swiglu", "cross_entropy")
    },
    "use_liger_kernel: false": {"kernels": ()},
    "loss_type: chunked_nll": {"loss": "chunked", "task": "sft"},
    "torch_compile_mode: default": {"compile": True},
    "use_peft: true\nlora_r: 8\nlora_target_modules: [q_proj, v_proj]": {
        "adapter": "lora",
        "lora_r": 8,
        "lora_targets": ("q_proj", "v_proj"),
    },
    "lora_r: 8": {"adapter": "none", "lora_r": 8},
    "load_in_4bit: true": {"quant": "nf4"},
    "load_in_4bit: true\nbnb_4bit_quant_type: fp4\nuse_bnb_nested_quant: true": {"quant": "fp4", "quant_double": True},
    "load_in_8bit: true": {"quant": "int8"},
    "load_in_4bit: false\nload_in_8bit: false": {"quant": "none"},
    "quantization_config: {load_in_4bit: true, bnb_4bit_compute_dtype: bfloat16}": {"quant": "fp4", "quant_compute_dtype": "bf16"},
    "quantization_config: {quant_method: gptq, bits: 4, group_size: 128}": {"quant": "gptq", "quant_group": 128},
    "quantization_config: {quant_method: awq, bits: 4, group_size: -1}": {"quant": "awq", "quant_group": 0},
    "quantization_config: {quant_method: bitsandbytes, load_in_4bit: true, bnb_4bit_quant_type: nf4}": {"quant": "nf4"},
    "quantization_config: {bits: 8}": {"quant": "int8"},
    "eval_strategy: no": {"eval_on": False},
    "evaluation_strategy: steps\ndo_eval: false": {"eval_on": True},
    "do_eval: true": {"eval_on": True},
    "save_strategy: no": {"save_strategy": "no"},
    "num_generations: 8": {"task": "grpo"},
    "beta: 0.1\nmax_length: 1024": {"task": "dpo"},
    "beta: 0.1\noutput_dir: out/zephyr-orpo": {"task": "orpo"},
    "use_vllm: true\nloss_type: sigmoid": {"task": "dpo"},
    "center_rewards_coefficient: 0.01": {"task": "reward"},
}


@pytest.mark.parametrize(("text", "expected"), SAYS.items(), ids=SAYS)
def test_what_a_trl_key_says(text, expected):
    found = values(TRL + text + "\n")
    assert {name: found.get(name) for name in expected} == expected


def test_fp16_off_alone_leaves_trl_its_bf16():
    assert "autocast" not in values(TRL + "fp16: false\n")
    assert values(PLAIN + "fp16: false\n")["autocast"] == "none"


def test_both_16_bit_switches_stay_in_sight():
    autocast = read(PLAIN + "bf16: true\nfp16: true\n").settings["autocast"]
    assert autocast.value == "fp16"
    assert [(lost.value, lost.origin.key) for lost in autocast.overrode] == [("bf16", "bf16")]


def test_the_plain_parser_takes_a_quoted_false_for_true():
    assert values(PLAIN + 'bf16: "false"\n')["autocast"] == "bf16"


def test_without_trl_a_rank_alone_says_lora():
    assert values(PLAIN + "lora_r: 64\n")["adapter"] == "lora"
    assert values(PLAIN + "bits: 4\ndouble_quant: true\n")["quant"] == "nf4"


def test_a_peft_section_is_read():
    found = values(PLAIN + "peft_config: {r: 16, lora_alpha: 32, target_modules: all-linear, use_dora: true}\n")
    assert (found["adapter"], found["lora_r"], found["lora_alpha"], found["lora_targets"]) == ("lora", 16, 32.0, ("all-linear",))
    assert found["lora_dora"] is True


def test_a_null_max_length_is_unbounded():
    length = read(TRL + "max_length: null\n").settings["seq_len"]
    assert (length.value, length.state, length.text) == (None, "unbounded", "null")


def test_placeholders_stay_symbolic():
    settings = read(TRL + "per_device_eval_batch_size: ${oc.env:EVAL}\nbf16: ${is_bf16}\nfsdp: ${fsdp}\noptim: ${optim}\n").settings
    assert {settings[name].state for name in ("eval_batch", "autocast", "shard", "optimizer")} == {"symbolic"}


def test_origins_span_exactly_the_value():
    reading = read("learning_rate: 2e-5  # comment\n" + TRL)
    origin = reading.settings["learning_rate"].origin
    assert (origin.kind, origin.key, str(origin.location)) == (OriginKind.FILE, "learning_rate", "a.yaml:1:16")
    assert origin.source.text[origin.span.start : origin.span.end] == "2e-5"


MISREAD = {
    "per_device_train_batch_size: many": "is not a number",
    "per_device_train_batch_size: 0": "not a positive count",
    "gradient_accumulation_steps: 1.5": "not a whole number",
    "optim: adamw_torhc": "no optimizer",
    "torch_dtype: int8": "not a floating dtype",
    "attn_implementation: fast": "no attention implementation",
    "eval_strategy: sometimes": "no evaluation strategy",
    "bnb_4bit_quant_type: int4\nload_in_4bit: true": "no 4-bit type",
    "fsdp: full_sharding": "no FSDP option",
    "learning_rate: .nan": "not a finite number",
}


@pytest.mark.parametrize(("text", "message"), MISREAD.items(), ids=MISREAD)
def test_an_illegal_value_is_told_with_its_place(text, message):
    (wrong, *_) = read(TRL.replace("per_device_train_batch_size: 2\n", "gradient_checkpointing: true\n") + text + "\n").misreads
    assert message in wrong.message and wrong.cure and wrong.origin.location


def test_fsdp_words_and_section():
    found = values(
        PLAIN + 'fsdp: "shard_grad_op auto_wrap offload"\nfsdp_config: {fsdp_version: 1, fsdp_state_dict_type: FULL_STATE_DICT}\n'
    )
    assert (found["shard"], found["shard_strategy"], found["wrap"]) == ("fsdp", "grad-op", "layer")
    assert (found["offload_params"], found["offload_optimizer"], found["state_dict_type"]) == ("cpu", "cpu", "FULL_STATE_DICT")
    found = values(PLAIN + "fsdp: true\nfsdp_config: {version: 2, reshard_after_forward: false, activation_checkpointing: true}\n")
    assert (found["shard"], found["reshard_after_forward"], found["recompute"]) == ("fsdp2", False, "full")
    assert "shard" not in values(PLAIN + 'fsdp: ""\nfsdp_config: {version: 2}\n')


def test_a_deepspeed_path_is_a_reference():
    (reference,) = read(PLAIN + "deepspeed: ds/zero3.json\n").references
    assert (reference.role, reference.text, reference.origin.key) == (Role.ENGINE, "ds/zero3.json", "deepspeed")
    assert read(PLAIN + "deepspeed: null\n").references == ()


def test_an_inline_deepspeed_section_joins_the_run():
    reading = read(PLAIN + "deepspeed: {zero_optimization: {stage: 3}, train_micro_batch_size_per_gpu: auto, optimizer: {type: AdamW}}\n")
    assert reading.settings.value("shard") == "zero3"
    assert reading.settings.value("micro_batch") == 2
    assert reading.settings["optimizer"].origin.key == "deepspeed.optimizer.type"


def test_nested_arguments_are_read_with_their_model_section():
    text = (
        "model: {model_id: org/m, max_seq_length: 512, quantization: {load_in_4bit: true, bnb_4bit_quant_type: nf4}}\n"
        "training: {per_device_train_batch_size: 8, num_train_epochs: 1, logging_steps: 1, optim: paged_adamw_8bit, bf16: true}\n"
        "lora: {r: 8, lora_dropout: 0.1}\n"
    )
    found = values(text)
    assert (found["model"], found["micro_batch"], found["seq_len"], found["quant"]) == ("org/m", 8, 512, "nf4")
    assert (found["lora_r"], found["autocast"]) == (8, "bf16")
    assert read(text).settings["adapter"].readings == ("lora", "none")  # the script may have a switch of its own

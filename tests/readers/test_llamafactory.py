"""LLaMA-Factory training files of both schemas."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers.base import complete, names
from budgetlint.readers.llamafactory.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Role, Setting, Stack
from budgetlint.settings.vocabulary import SETTINGS

SEEDS = {
    "llamafactory": "{model_name_or_path: m, finetuning_type: lora, stage: sft, template: a, do_train: true, cutoff_len: 1, lora_rank: 1}",
    "llamafactory v1": "{model: m, train_dataset: d, micro_batch_size: 1, peft_config: {name: lora}}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
model_name_or_path: acme/tiny-1b
do_train: true
dataset: chat
template: llama3
learning_rate: 1e-4
"""
SECOND = """\
model: acme/tiny-1b
train_dataset: data/chat.yaml
micro_batch_size: 2
"""


def document(text: str, name: str = "train.yaml"):
    return load(SourceFile(name, dedent(text)))[0]


def reading(extra: str = "", base: str = BASE) -> Reading:
    return READER.read(document(base + dedent(extra)))


def stack(version: str = "") -> Stack:
    origin = Origin(OriginKind.FLAG, note="test")
    return Stack({"llamafactory": Release("llamafactory", Version(version), None, origin, exact=True)} if version else {})


def full(extra: str = "", version: str = "", base: str = BASE) -> dict[str, Setting]:
    return dict(complete(READER, reading(extra, base).settings, stack(version)))


def values(extra: str, *names: str, base: str = BASE) -> tuple:
    settings = reading(extra, base).settings
    return tuple(settings.value(name) for name in names)


# -- recognition


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (BASE + "finetuning_type: lora\n", 1.0),
        (BASE + "stage: sft\ncutoff_len: 512\npure_bf16: true\n", 0.9),
        (SECOND, 0.95),
        (SECOND.replace("micro_batch_size: 2", "dist_config:\n  name: fsdp2"), 0.95),
    ],
)
def test_training_files_are_recognised(text, score):
    assert READER.recognise(document(text)) == score


@pytest.mark.parametrize(
    "text",
    [
        "model_name_or_path: acme/x\ntemplate: llama3\ninfer_backend: vllm\n",
        "model_name_or_path: acme/x\ntemplate: qwen3\nexport_dir: out\nexport_size: 5\n",
        "model_name_or_path: acme/x\nfinetuning_type: lora\nper_device_eval_batch_size: 1\n",
        "model_name_or_path: acme/x\nper_device_train_batch_size: 1\nlearning_rate: 1e-5\noutput_dir: out\n",
        "model:\n  name: tts\ntrain_dataset: data\nmicro_batch_size: 2\n",
        "base_model: acme/x\nsequence_len: 1\nfinetuning_type: lora\n",
        "",
    ],
)
def test_other_files_are_not(text):
    assert READER.recognise(document(text)) == 0.0


INFERENCE = {
    "export": "template: llama3\nfinetuning_type: lora\nexport_dir: out\n",
    "chat": "template: llama3\nfinetuning_type: lora\ninfer_backend: vllm\n",
    "prediction": "stage: sft\ndo_predict: true\nfinetuning_type: lora\ntemplate: llama3\ncutoff_len: 512\n",
    "evaluation": "finetuning_type: lora\ntemplate: fewshot\ntask: mmlu\nn_shot: 5\nbatch_size: 4\n",
    "training switched off": "stage: sft\ndo_train: false\ndo_predict: true\nfinetuning_type: full\nlearning_rate: 1e-5\n",
}


@pytest.mark.parametrize("text", INFERENCE.values(), ids=INFERENCE)
def test_files_that_train_nothing_are_known_and_start_no_run(text):
    text = "model_name_or_path: acme/x\n" + text
    assert READER.recognise(document(text)) == 0.9
    assert READER.read(document(text)).role is Role.INFERENCE
    judged = judge_texts({"x.yaml": text})
    assert (judged.runs, len(judged.documents)) == ((), 1)


def test_training_files_start_a_run():
    assert reading("finetuning_type: lora").role is Role.TRAINER
    assert reading(base=SECOND).role is Role.TRAINER


def test_json_is_read_too():
    found = document(
        json.dumps({"model_name_or_path": "a/b", "do_train": True, "finetuning_type": "lora", "template": "x", "lora_rank": 4}), "a.json"
    )
    assert READER.recognise(found) == 1.0
    assert READER.read(found).settings.value("lora_r") == 4


def test_exponent_floats_are_omegaconfs():
    assert values("weight_decay: 1e-2", "learning_rate", "weight_decay") == (1e-4, 0.01)


# -- what trains, in which dtype


def test_lora_defaults():
    settings = full("finetuning_type: lora\nbf16: true")
    names = ("lora_r", "lora_alpha", "lora_dropout", "lora_targets", "adapter_dtype", "recompute", "recompute_reentrant", "seq_len")
    assert [settings[name].value for name in names] == [8, 16.0, 0.0, ("all-linear",), "fp32", "full", True, None]


def test_alpha_follows_a_written_rank():
    assert full("lora_rank: 32")["lora_alpha"].value == 64.0
    assert full("lora_rank: 32\nlora_alpha: 16")["lora_alpha"].value == 16.0


def test_lora_is_the_default_method():
    assert full()["adapter"].value == "lora"


def test_lora_keys():
    extra = "finetuning_type: lora\nlora_target: q_proj, v_proj\nadditional_target: embed_tokens,lm_head\nuse_dora: true\nuse_rslora: true"
    names = ("lora_targets", "lora_modules_to_save", "lora_dora", "lora_rslora")
    assert values(extra, *names) == (("q_proj", "v_proj"), ("embed_tokens", "lm_head"), True, True)


def test_full_tuning_casts_weights_to_fp32_under_autocast():
    settings = full("finetuning_type: full\nbf16: true")
    assert (settings["adapter"].value, settings["weights_dtype"].value, settings["autocast"].value) == ("none", "fp32", "bf16")


@pytest.mark.parametrize(("version", "dtype"), [("0.9.5", "auto"), ("0.9.3", "bf16"), ("", None)])
def test_the_frozen_base_loads_by_version(version, dtype):
    setting = full("finetuning_type: lora\nbf16: true", version)["weights_dtype"]
    assert setting.value == dtype
    assert setting.known is bool(version)


@pytest.mark.parametrize(("version", "dtype"), [("0.9.4", "auto"), ("0.9.3", "bf16"), ("", None)])
def test_pure_bf16_stays_in_the_loaded_dtype(version, dtype):
    settings = full("finetuning_type: full\npure_bf16: true", version)
    assert (settings["weights_dtype"].value, settings["autocast"].value) == (dtype, "none")


def test_fp16_and_fp8():
    assert values("fp16: true", "autocast") == ("fp16",)
    assert values("bf16: true\nfp8: true", "autocast") == ("fp8",)


def test_freezing_needs_the_models_names():
    settings = reading("finetuning_type: freeze").settings
    assert (settings.value("adapter"), settings["freeze"].state) == ("none", "symbolic")


def test_oft_is_another_adapter():
    assert values("finetuning_type: oft", "adapter", "adapter_kind") == ("other", "oft")


@pytest.mark.parametrize(
    ("keys", "task"),
    [
        ("stage: pt", "pretrain"),
        ("stage: rm", "reward"),
        ("stage: dpo", "dpo"),
        ("stage: dpo\npref_loss: simpo", "orpo"),
        ("stage: kto", "kto"),
        ("stage: ppo", "ppo"),
    ],
)
def test_stages(keys, task):
    assert values(keys, "task") == (task,)


# -- quantised base


def test_four_bits_are_double_quantised_nf4_by_default():
    settings = full("finetuning_type: lora\nbf16: true\nquantization_bit: 4")
    names = ("quant", "quant_double", "quant_compute_dtype", "quant_storage", "quant_upcast")
    assert [settings[name].value for name in names] == ["nf4", True, "bf16", "bfloat16", "none"]


def test_quantisation_keys():
    extra = "quantization_bit: 4\nquantization_type: fp4\ndouble_quantization: false\nupcast_layernorm: true"
    assert values(extra, "quant", "quant_double", "quant_upcast") == ("fp4", False, "norms")


@pytest.mark.parametrize(
    ("keys", "value", "state"),
    [("quantization_bit: 8", "int8", "known"), ("quantization_bit: 2\nquantization_method: hqq", None, "symbolic")],
)
def test_other_widths(keys, value, state):
    setting = reading(keys).settings["quant"]
    assert (setting.value, setting.state) == (value, state)


def test_a_null_width_says_nothing():
    assert "quant" not in reading("quantization_bit: null").settings


# -- activations, kernels, optimizers


@pytest.mark.parametrize(
    ("keys", "recompute", "offload"),
    [
        ("disable_gradient_checkpointing: true", "none", False),
        ("gradient_checkpointing: false", "full", False),
        ("use_unsloth_gc: true", "full", True),
        ("use_unsloth: true", "full", True),
    ],
)
def test_checkpointing_is_on_unless_disabled(keys, recompute, offload):
    settings = full(keys)
    assert (settings["recompute"].value, settings["recompute_offload"].value) == (recompute, offload)


@pytest.mark.parametrize(("written", "kind"), [("fa2", "flash"), ("disabled", "eager"), ("sdpa", "sdpa"), ("auto", None), ("off", "eager")])
def test_attention(written, kind):
    assert values(f"flash_attn: {written}", "attention") == (kind,)


def test_liger_fuses_the_loss_only_without_logits():
    assert values("stage: sft\nenable_liger_kernel: true", "kernels", "loss")[1] == "fused"
    kernels, loss = values("stage: dpo\nenable_liger_kernel: true", "kernels", "loss")
    assert ("cross_entropy" in kernels, loss) == (True, None)


@pytest.mark.parametrize(
    ("stage", "unsloth", "loss"),
    [
        ("sft", "", ("fused", "in-place-copied")),  # unsloth kernels/cross_entropy_loss.py 2024.11.7 and 2024.11.8
        ("sft", "2024.11.7", "in-place-copied"),
        ("sft", "2024.11.8", "fused"),
        ("dpo", "2024.11.8", "full"),
    ],
)
def test_unsloths_loss_is_by_its_release(stage, unsloth, loss):
    budget = f"stack unsloth@{unsloth}" if unsloth else ""
    (context,) = judge_texts(
        {"train.yaml": f"{BASE}finetuning_type: lora\ncutoff_len: 512\nstage: {stage}\nuse_unsloth: true\n"}, budget=budget
    ).runs
    said = context.run.settings.get("loss")
    assert (said.readings or said.value) == loss


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ("optim: paged_adamw_8bit", "paged_adamw8bit"),
        ("use_galore: true\noptim: adamw_torch", "galore_adamw"),
        ("use_galore: true\noptim: adamw_8bit", "galore_adamw_8bit"),
        ("use_apollo: true", "apollo_adamw"),
        ("use_adam_mini: true", "adam_mini"),
        ("use_muon: true", "muon"),
        ("use_muon: false\noptim: sgd", "sgd"),
        ("use_badam: true", None),
    ],
)
def test_optimizers(keys, name):
    from budgetlint.catalog.optimizers import find_optimizer

    value = values(keys, "optimizer")[0]
    assert value == (find_optimizer(name, "llamafactory").name if name else None)


# -- workload, evaluation, distribution


@pytest.mark.parametrize(("version", "length"), [("0.9.5", 2048), ("0.9.0", 1024)])
def test_default_length_by_version(version, length):
    assert full(version=version)["seq_len"].value == length


def test_packing():
    assert full("stage: pt")["packing"].value is True
    assert full("stage: sft")["packing"].value is False
    assert full("neat_packing: true")["packing"].value is True
    assert full("packing: true")["pad_to_seq_len"].value is True


def test_trainer_keys_and_defaults():
    settings = full("per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\neval_strategy: steps\nval_size: 0.1")
    names = ("micro_batch", "grad_accum", "eval_batch", "eval_on", "max_grad_norm", "num_epochs", "use_cache")
    assert [settings[name].value for name in names] == [1, 8, 8, True, 1.0, 3.0, False]


def test_deepspeed_and_fsdp():
    assert [reference.text for reference in reading("deepspeed: ds/z3.json").references] == ["ds/z3.json"]
    assert values("fsdp: full_shard auto_wrap", "shard_strategy", "wrap") == ("full", "layer")


# -- the second schema


def test_second_schema():
    extra = """
    cutoff_len: 4096
    flash_attn: flash_attention_2
    batching_strategy: dynamic_padding_free
    peft_config:
      name: lora
      r: 16
      target_modules: all
    quant_config:
      name: bnb
      quantization_bit: 4
    dist_config:
      name: fsdp2
    """
    names = ("model", "micro_batch", "seq_len", "attention", "padding_free", "adapter", "lora_r", "lora_targets", "quant", "shard")
    expected = ("acme/tiny-1b", 2, 4096, "flash", True, "lora", 16, ("all-linear",), "nf4", "fsdp2")
    assert values(extra, *names, base=SECOND) == expected


def test_second_schema_defaults():
    settings = full(base=SECOND)
    names = ("weights_dtype", "autocast", "recompute", "seq_len", "adapter", "learning_rate", "attention")
    assert [settings[name].value for name in names] == ["fp32", "bf16", "full", 2048, "none", 1e-4, "sdpa"]
    assert full("peft_config:\n  name: lora", base=SECOND)["lora_dropout"].value == 0.05


def test_second_schema_names_its_deepspeed_file():
    found = reading("dist_config:\n  name: deepspeed\n  config_file: ds/z2.json\n", SECOND)
    assert [reference.text for reference in found.references] == ["ds/z2.json"]


@pytest.mark.parametrize(
    "line", ["cutoff_len: long", "quantization_bit: four", "flash_attn: fast", "optim: adamww", "per_device_train_batch_size: 0"]
)
def test_illegal_values_are_reported_with_a_cure(line):
    wrong = reading(line).misreads
    assert len(wrong) == 1
    assert wrong[0].cure


@pytest.mark.parametrize(
    ("bits", "quant", "double"),
    [("quantization_bit: 4", "nf4", True), ("quantization_bit: 8", "int8", None), ("double_quantization: false", "nf4", False)],
)
def test_second_schema_quantisation(bits, quant, double):
    settings = full(f"quant_config:\n  name: bnb\n  {bits}\n  quantization_type: nf4", base=SECOND)
    assert settings["quant"].value == quant
    assert (settings["quant_double"].value if "quant_double" in settings else None) == double


ODD = ("", "null", "[]", "[1, {a: 1}]", "{}", "{a: {b: 1}}", "${X}", "???", "1e999", ".nan", "-3", "'true'", "no", "2020-01-01", "auto")
TOUCHED = names("""
stage finetuning_type pref_loss pure_bf16 use_badam fp8 bf16 fp16 quantization_bit quantization_method
quantization_type double_quantization use_galore use_muon optim use_unsloth enable_liger_kernel deepspeed fsdp
fsdp_config lora_rank lora_target cutoff_len flash_attn packing neat_packing upcast_layernorm
disable_gradient_checkpointing peft_config quant_config dist_config kernel_config
""")


@pytest.mark.parametrize("key", sorted(TOUCHED))
@pytest.mark.parametrize("base", [BASE, SECOND])
def test_odd_values_never_crash(key, base):
    for value in ODD:
        found = document(f"{base}{key}: {value}\n")
        READER.recognise(found)
        assert set(complete(READER, READER.read(found).settings, stack())) <= set(SETTINGS)


@pytest.mark.parametrize(("written", "shown"), [("true", "none"), ("false", "full")])
def test_a_switch_that_turns_off_is_shown_as_what_it_comes_to(written, shown):
    text = f"model_name_or_path: a/b\nstage: sft\nfinetuning_type: lora\ndisable_gradient_checkpointing: {written}\n"
    settings = READER.read(load(SourceFile("train.yaml", text))[0]).settings
    assert settings["recompute"].shown == shown


@pytest.mark.parametrize(
    ("model", "version", "told"),
    [
        ("meta-llama/Llama-3.1-8B", "0.9.4", None),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "0.9.2", (589_824, ())),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "0.9.1", (262_144, ())),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "", (None, (589_824, 262_144))),
    ],
)
def test_the_largest_image_is_by_release_and_for_models_that_see(model, version, told):
    settings = complete(READER, reading(base=BASE.replace("acme/tiny-1b", model)).settings, stack(version))
    found = settings.get("image_max_pixels")
    assert told == ((found.value, found.readings) if found else None)

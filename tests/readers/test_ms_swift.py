"""ms-swift: flags of three generations, files, presets, and its Megatron side."""

from __future__ import annotations

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document
from budgetlint.documents.load import load
from budgetlint.documents.shell import read_shell
from budgetlint.launch.flags import parse
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.ms_swift.reader import READER
from budgetlint.settings.run import Origin, OriginKind, Release, Role, Setting, Stack

SEEDS = {
    "ms_swift": "{tuner_type: lora, rlhf_type: dpo, model: m, dataset: d, attn_impl: a, quant_bits: 4, max_length: 1}",
}
"""Documents that it claims (`test_marks.py`)."""

FILE = """\
model: Qwen/Qwen2.5-7B-Instruct
torch_dtype: bfloat16
tuner_type: lora
lora_rank: 16
dataset: [a#500]
max_length: 2048
per_device_train_batch_size: 2
learning_rate: 1e-4
gradient_accumulation_steps: 8
deepspeed: zero3_offload
"""


def flags(text: str, program: str = "swift sft") -> Document:
    (command,) = read_shell(f"{program} {text}").commands
    return Document(SourceFile("run.sh", f"{program} {text}"), "shell", parse(command.words[2:], command.span).root, program=program)


def full(text: str, program: str = "swift sft", stack: Stack | None = None):
    return complete(READER, READER.read(flags(text, program)).settings, stack or Stack())


def values(text: str, *names: str, program: str = "swift sft") -> dict:
    settings = full(text, program)
    return {name: settings.value(name) for name in names}


def file(text: str, name: str = "sft.yaml") -> Document:
    return load(SourceFile(name, text))[0]


def test_files_and_commands_are_recognised():
    assert identify(file(FILE)) is READER
    assert (
        identify(
            file('{"sft_type": "lora", "model_type": "qwen", "dataset": "a", "max_length": 8, "lora_target_modules": "ALL"}', "a.json")
        )
        is READER
    )
    assert identify(flags("--model x")) is READER
    assert READER.read(file(FILE)).role is Role.TRAINER


@pytest.mark.parametrize(
    "text",
    [
        "model: x\ndataset: y\nlearning_rate: 1e-4\n",
        "tuner_type: lora\n",
        "base_model: x\ntuner_type: lora\ndataset: y\nmodel: z\nmax_length: 1\n",
    ],
)
def test_strangers_stay_strangers(text):
    assert READER.recognise(file(text)) == 0


def test_other_commands_are_not_its():
    assert READER.recognise(flags("--model x", "swift export")) == 0
    assert READER.recognise(flags("--model x --tuner_type lora", "train.py")) == 0


def test_a_file():
    settings = READER.read(file(FILE)).settings
    expected = {
        "model": "Qwen/Qwen2.5-7B-Instruct", "weights_dtype": "bf16", "autocast": "bf16", "adapter": "lora", "lora_r": 16, "seq_len": 2048,
        "micro_batch": 2, "grad_accum": 8, "shard": "zero3", "offload_params": "cpu",
    }  # fmt: skip
    assert {name: settings.value(name) for name in expected} == expected
    assert settings["shard"].origin.key == "deepspeed"


@pytest.mark.parametrize(
    ("today", "old", "older"),
    [
        ("--tuner_type full", "--train_type full", "--sft_type full"),
        ("--model a/b", "--model a/b", "--model_id_or_path a/b"),
        ("--torch_dtype bfloat16", "--torch_dtype bfloat16", "--dtype bf16"),
        ("--per_device_train_batch_size 4", "--per_device_train_batch_size 4", "--batch_size 4"),
        ("--target_modules all-linear", "--target_modules all-linear", "--lora_target_modules ALL"),
        ("--lora_dropout 0.1", "--lora_dropout 0.1", "--lora_dropout_p 0.1"),
        ("--attn_impl flash_attn", "--attn_impl flash_attention_2", "--use_flash_attn true"),
        ("--quant_method bnb --quant_bits 4", "--quant_method bnb --quant_bits 4", "--quantization_bit 4"),
        ("--deepspeed zero2", "--deepspeed zero2", "--deepspeed default-zero2"),
    ],
)
def test_three_generations_of_names_mean_the_same(today, old, older):
    readings = [READER.read(flags(text)).settings for text in (today, old, older)]
    said = [{name: setting.value for name, setting in settings.items() if not setting.is_default} for settings in readings]
    assert said[0] == said[1] == said[2] != {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--model x", {"adapter": "lora", "lora_r": 8, "lora_alpha": 32.0, "learning_rate": 1e-4, "recompute": "full", "micro_batch": 1}),
        ("--tuner_type full", {"adapter": "none", "learning_rate": 1e-5, "lora_r": None, "weights_dtype": "auto"}),
        ("--torch_dtype float16", {"weights_dtype": "fp16", "autocast": "fp16"}),
        ("--torch_dtype float32 --bf16 true", {"weights_dtype": "fp32", "autocast": "bf16"}),
        ("--gradient_checkpointing false", {"recompute": "none"}),
        ("--use_liger_kernel true", {"kernels": ("rms_norm", "rope", "swiglu", "linear_cross_entropy")}),
        ("--quant_bits 4 --quant_method bnb", {"quant": "nf4", "quant_double": True}),
        ("--quant_bits 8 --quant_method bnb", {"quant": "int8"}),
        ("--tuner_type adalora", {"adapter": "lora"}),
        ("--tuner_type llamapro", {"adapter": "other", "adapter_kind": "llamapro"}),
        ("--tuner_type lora_llm", {"adapter": "other", "adapter_kind": "lora_llm"}),
        ("--fsdp fsdp2", {"shard": "fsdp2", "wrap": "layer", "recompute": "full"}),
        ("--deepspeed zero1", {"shard": "zero1", "zero_bucket": 200_000_000}),
        ("--optimizer muon", {"optimizer": "muon"}),
        ("--use_galore true", {"optimizer": "galore_adamw"}),
    ],
)
def test_what_a_flag_means(text, expected):
    assert values(text, *expected) == expected


def test_the_second_generation_adapted_the_attention_and_cut_at_2048():
    old, new = full("--sft_type lora --lora_target_modules DEFAULT"), full("--train_type lora")
    assert "q_proj" in old.value("lora_targets")
    assert (old.value("seq_len"), "seq_len" in new) == (2048, False)
    assert new.value("lora_targets") == ("all-linear",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--rlhf_type dpo --tuner_type full", {"task": "dpo", "reference_model": "policy"}),
        ("--rlhf_type dpo --tuner_type lora", {"task": "dpo", "reference_model": None}),
        ("--rlhf_type simpo --tuner_type full", {"task": "orpo", "reference_model": None}),
        ("--rlhf_type rm", {"task": "reward"}),
        (
            "--rlhf_type grpo --use_vllm true --vllm_mode colocate --vllm_gpu_memory_utilization 0.4",
            {"task": "grpo", "rollout_engine": "vllm", "rollout_memory": 0.4},
        ),
        ("--rlhf_type grpo --use_vllm true --vllm_mode server", {"task": "grpo", "rollout_engine": "vllm", "rollout_on": "other"}),
        ("--rlhf_type grpo --use_vllm true --vllm_server_host 127.0.0.1", {"rollout_engine": "vllm", "rollout_on": "other"}),
        ("--rlhf_type grpo --use_vllm true", {"rollout_engine": "vllm", "rollout_on": "same"}),
        (
            "--rlhf_type ppo --reward_model AI/rm --tuner_type full",
            {"rollout_engine": "hf", "reward_model": "AI/rm", "critic_model": "AI/rm", "reference_model": "policy"},
        ),
    ],
)
def test_rlhf_runs_name_the_models_beside_the_policy(text, expected):
    assert values(text, *expected, program="swift rlhf") == expected


def at(version: str) -> Stack:
    return Stack({"ms-swift": Release("ms-swift", Version(version), None, Origin(OriginKind.BUDGET), exact=True)})


@pytest.mark.parametrize(("version", "evaluates"), [("3.5.3", True), ("3.6.0", False), ("4.6.0", False)])
def test_up_to_3_5_a_hundredth_of_the_data_was_for_evaluation(version, evaluates):
    assert full("--model x", stack=at(version)).value("eval_on") is evaluates


@pytest.mark.parametrize(
    ("text", "program", "readings"),
    [
        ("--model x", "swift sft", ("fused", "full")),
        ("--model x --rlhf_type dpo", "swift rlhf", ("fused", "full")),
        ("--model x --rlhf_type grpo", "swift rlhf", ()),
        ("--model x", "swift pt", ()),
        ("--model x --use_logits_to_keep false", "swift sft", ()),
        ("--model x --use_liger_kernel true", "swift sft", ()),
    ],
)
def test_only_tokens_with_a_label_make_logits(text, program, readings):
    """How many they are hangs on the data: the bill runs from hardly any to all."""
    assert full(text, program, at("3.5.3"))["loss"].readings == readings


OLD = [
    ("3.2.0", "swift sft", {"adapter": False, "micro_batch": False}),
    ("3.3.0", "swift sft", {"adapter": True, "micro_batch": True, "loss": True, "quant": True}),
    ("3.4.1", "swift sft", {"lora_r": True, "eval_on": True}),
    ("3.4.0", "swift rlhf", {"rollout_on": False, "completion_len": True}),
    ("3.5.0", "swift rlhf", {"rollout_on": True}),
    ("3.4.0", "megatron sft", {"attention": False}),
    ("3.5.0", "megatron sft", {"attention": True}),
]


@pytest.mark.parametrize(("version", "program", "known"), OLD)
def test_defaults_are_claimed_from_the_first_release_that_has_them(version, program, known):
    text = "--load x --micro_batch_size 1" if program.startswith("megatron") else "--model x --rlhf_type grpo"
    found = full(text if program != "swift sft" else "--model x", program, at(version))
    assert {name: found[name].known for name in known} == known


@pytest.mark.parametrize(("version", "shard", "reentrant"), [("3.4.0", "", True), ("3.6.0", "", False), ("4.6.0", "zero3", True)])
def test_checkpoints_are_not_reentrant_under_ddp_from_3_6(version, shard, reentrant):
    document = flags("--model x" + (f" --deepspeed {shard}" if shard else ""))
    settings = READER.read(document).settings.filled([Setting("devices", 8, Origin(OriginKind.BUDGET))])
    assert complete(READER, settings, at(version)).value("recompute_reentrant") is reentrant


def test_what_grpo_writes_is_only_bounded():
    bounded = full("--rlhf_type grpo --max_length 1024 --max_completion_length 2048", "swift rlhf")["seq_len"]
    assert (bounded.value, bounded.readings) == (None, (3072, 1))


def test_pretraining_is_told_by_the_command():
    assert full("--model x", "swift pt").value("task") == "pretrain"


def test_a_file_of_ones_own_is_followed():
    reading = READER.read(flags("--deepspeed ds/mine.json"))
    assert [reference.text for reference in reading.references] == ["ds/mine.json"]
    assert READER.read(flags("--deepspeed zero2")).references == ()


def test_a_preset_that_changed_keeps_both_readings():
    overlap = full("--deepspeed zero2")["zero_overlap"]
    assert (overlap.state, overlap.readings) == ("auto", (False, True))


@pytest.mark.parametrize(("devices", "steps"), [(None, None), (4, 2), (1, 8), (32, 1)])
def test_sixteen_sequences_make_a_step(devices, steps):
    settings = READER.read(flags("--per_device_train_batch_size 2")).settings
    launched = settings.filled([Setting("devices", devices, Origin(OriginKind.FLAG))] if devices else [])
    assert complete(READER, launched, Stack()).value("grad_accum") == steps


def test_the_optimizer_follows_the_stack():
    origin = Origin(OriginKind.FLAG, note="test")
    stack = Stack({name: Release(name, Version(v), None, origin, exact=True) for name, v in (("torch", "2.9"), ("transformers", "4.57"))})
    assert full("--model x", stack=stack).value("optimizer") == "adamw_torch_fused"


def test_its_megatron_side():
    text = "--model Qwen/Qwen3-8B --micro_batch_size 2 --global_batch_size 16 --tensor_model_parallel_size 4 "
    text += "--max_length 4096 --tuner_type full"
    expected = {
        "micro_batch": 2, "global_batch": 16, "tensor_parallel": 4, "seq_len": 4096, "recompute": "selective", "shard": "zero1",
        "weights_dtype": "bf16", "master_dtype": "fp32", "grads_dtype": "fp32", "learning_rate": 1e-5, "model_code": "megatron",
        "optimizer": "megatron_adam", "adapter": "none",
    }  # fmt: skip
    assert values(text, *expected, program="megatron sft") == expected
    assert values(text.replace("full", "lora"), "adapter", "lora_r", program="megatron sft") == {"adapter": "lora", "lora_r": 8}

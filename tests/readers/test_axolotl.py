"""axolotl files: what is one, what its keys mean, what the framework fills in."""

from __future__ import annotations

from textwrap import dedent

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers.axolotl.adapter import target_words
from budgetlint.readers.axolotl.reader import READER
from budgetlint.readers.base import complete, names
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Setting, Stack
from budgetlint.settings.vocabulary import SETTINGS

SEEDS = {
    "axolotl": "{base_model: m, sequence_len: 1, micro_batch_size: 1, val_set_size: 0, adapter: lora, load_in_4bit: on}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
base_model: acme/tiny-1b
datasets:
  - path: acme/chat
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
"""


def document(text: str, name: str = "train.yaml"):
    return load(SourceFile(name, dedent(text)))[0]


def reading(extra: str = "") -> Reading:
    return READER.read(document(BASE + dedent(extra)))


def stack(version: str = "") -> Stack:
    origin = Origin(OriginKind.FLAG, note="test")
    return Stack({"axolotl": Release("axolotl", Version(version), None, origin, exact=True)} if version else {})


def full(extra: str = "", version: str = "") -> dict[str, Setting]:
    return dict(complete(READER, reading(extra).settings, stack(version)))


def values(extra: str, *names: str) -> tuple:
    settings = reading(extra).settings
    return tuple(settings.value(name) for name in names)


# -- recognition


def test_its_own_file_is_certain():
    assert READER.recognise(document(BASE)) == 1.0


OWN_PROGRAMS = (
    "base_model: acme/x\nsequence_len: 512\nload_in_4bit: true\nnum_epochs: 1\nbnb_4bit_quant_type: nf4\ntarget_modules: [q_proj]\n"
)
"""Keys of axolotl beside two that it does not know."""


@pytest.mark.parametrize(
    "text",
    [
        "base_model: acme/x\nmerge_method: ties\nslices: []\nsequence_len: 1\nadapter: lora\n",
        "base_model: acme/x\nper_device_train_batch_size: 1\nlearning_rate: 1e-4\n",
        "base_model: acme/x\ndescription: a model card\n",
        "model_name_or_path: acme/x\nfinetuning_type: lora\ncutoff_len: 512\n",
        "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\n",
        "- base_model\n- sequence_len\n",
        "",
        "just text",
        f"{OWN_PROGRAMS}optim: adamw_torch\n",
    ],
)
def test_look_alikes_are_not_claimed(text):
    assert READER.recognise(document(text)) == 0.0


@pytest.mark.parametrize("more", ["", "optim: adamw_torch\ndatasets: []\n", "optim: adamw_torch\npretraining_dataset: c4\n"])
def test_two_foreign_keys_may_be_slips_and_a_file_with_data_is_its_own(more):
    assert READER.recognise(document(f"{OWN_PROGRAMS}{more}")) == 1.0


def test_a_file_without_sequence_len_still_counts_by_its_other_keys():
    text = "base_model: acme/x\nadapter: lora\nmicro_batch_size: 1\nval_set_size: 0.1\nnum_epochs: 1\n"
    assert READER.recognise(document(text)) == 0.9


# -- precision


@pytest.mark.parametrize(
    ("keys", "weights", "autocast"),
    [
        ("bf16: auto", "bf16", "bf16"),
        ("bf16: true", "bf16", "bf16"),
        ("bf16: 'true'", "bf16", "bf16"),
        ("bf16: true\nfp16: true", "bf16", "bf16"),
        ("bf16: auto\nfp16: true", "fp16", "fp16"),
        ("bf16: false\nfp16: true", "fp16", "fp16"),
        ("bf16: false", "fp32", "none"),
        ("bf16:\nfp16: false", "fp32", "none"),
        ("bf16: false\nfloat16: true", "fp16", "none"),
        ("bf16: false\nbfloat16: true", "bf16", "bf16"),
        ("bf16: false\nload_in_8bit: true\nadapter: lora", "fp16", "none"),
        ("fp16: true", "fp16", "fp16"),
        ("bf16: true\nfp8: true", "bf16", "fp8"),
    ],
)
def test_dtypes_follow_resolve_dtype(keys, weights, autocast):
    assert values(keys, "weights_dtype", "autocast") == (weights, autocast)


def test_missing_bf16_is_auto():
    settings = full()
    assert settings["weights_dtype"].value == "bf16"
    assert settings["weights_dtype"].origin.kind is OriginKind.DEFAULT


def test_a_placeholder_is_symbolic_not_guessed():
    settings = reading("bf16: ${BF16}\nadapter: ${ADAPTER}\nsample_packing: '{{ pack }}'").settings
    assert {settings[name].state for name in ("weights_dtype", "autocast", "adapter", "packing")} == {"symbolic"}


# -- adapter and quantisation


def test_qlora_is_lora_over_double_quantised_nf4():
    names = ("adapter", "quant", "quant_double", "quant_storage", "lora_r", "lora_alpha", "lora_targets")
    extra = "adapter: qlora\nload_in_4bit: true\nlora_r: 32\nlora_alpha: 16\nlora_target_linear: true"
    assert values(extra, *names) == ("lora", "nf4", True, "bfloat16", 32, 16.0, ("all-linear",))


def test_bnb_arguments_override_axolotls_own():
    extra = """
    adapter: qlora
    load_in_4bit: true
    bnb_config_kwargs:
      bnb_4bit_quant_type: fp4
      bnb_4bit_use_double_quant: false
    """
    assert values(extra, "quant", "quant_double") == ("fp4", False)


@pytest.mark.parametrize(
    ("keys", "quant"),
    [
        ("adapter: lora\nload_in_8bit: true", "int8"),
        ("adapter: lora\nload_in_8bit: false\nload_in_4bit: false", "none"),
        ("load_in_8bit: true", "none"),
        ("adapter: qlora\ngptq: true", "gptq"),
    ],
)
def test_what_quantises(keys, quant):
    assert values(keys, "quant") == (quant,)


@pytest.mark.parametrize(("version", "quant"), [("0.15.0", "none"), ("0.12.0", "fp4"), ("", None)])
def test_lora_with_four_bits_depends_on_the_version(version, quant):
    setting = full("adapter: lora\nload_in_4bit: true", version)["quant"]
    assert setting.value == quant
    assert setting.known is bool(version)
    assert setting.readings == (() if version else ("none", "fp4"))


def test_lora_keys_say_nothing_without_an_adapter():
    assert "lora_r" not in reading("adapter:\nlora_r: 8\nlora_dropout: 0.05").settings
    assert full("adapter:\nlora_r: 8")["adapter"].value == "none"


def test_another_adapter_keeps_its_name():
    assert values("adapter: llama-adapter", "adapter", "adapter_kind") == ("other", "llama-adapter")


@pytest.mark.parametrize(
    ("written", "targets"),
    [
        ("[q_proj, v_proj]", ("q_proj", "v_proj")),
        ("all-linear", ("all-linear",)),
        (r"'layers.[\d]+.(self_attn|mlp).(q|k|up)_proj'", ("q_proj", "k_proj", "up_proj")),
    ],
)
def test_targets_are_a_list_or_one_pattern(written, targets):
    assert values(f"adapter: lora\nlora_target_modules: {written}", "lora_targets") == (targets,)


def test_a_pattern_without_projections_stays_a_pattern():
    assert target_words(r"transformer\.h\.\d+\.attn") == (r"transformer\.h\.\d+\.attn",)


def test_unfrozen_parameters_leave_freezing_unknown():
    assert reading("unfrozen_parameters:\n  - lm_head").settings["freeze"].state == "symbolic"


@pytest.mark.parametrize(
    ("keys", "task"),
    [
        ("rl: dpo", "dpo"),
        ("rl: ipo", "dpo"),
        ("rl: simpo", "orpo"),
        ("rl: gdpo", "grpo"),
        ("rl: ebft", "other"),
        ("reward_model: true", "reward"),
        ("pretraining_dataset:\n  - path: acme/web", "pretrain"),
    ],
)
def test_tasks(keys, task):
    assert values(keys, "task") == (task,)


# -- optimizer and schedule


def test_optimizer_names_are_canonical_and_numbers_in_text_are_numbers():
    names = ("optimizer", "learning_rate", "weight_decay", "num_epochs")
    assert values("optimizer: adamw_bnb_8bit\nlearning_rate: 2e-5\nweight_decay: 0\nnum_epochs: 3", *names) == ("adamw8bit", 2e-5, 0.0, 3.0)


def test_an_optimizer_the_catalog_does_not_know_is_no_mistake():
    found = reading("optimizer: dion")
    assert found.settings["optimizer"].state == "symbolic"
    assert not found.misreads


def test_a_misspelt_optimizer_is():
    assert "adamw_bbn_8bit" in reading("optimizer: adamw_bbn_8bit").misreads[0].message


@pytest.mark.parametrize(("version", "name", "impl"), [("0.19.0", "adamw_torch_fused", "fused"), ("0.6.0", "adamw_hf", "for-loop")])
def test_default_optimizer_by_version(version, name, impl):
    settings = full(version=version)
    assert (settings["optimizer"].value, settings["optimizer_impl"].value) == (name, impl)


def test_default_optimizer_of_an_unknown_version_has_both_readings():
    assert full()["optimizer"].readings == ("adamw_torch_fused", "adamw_hf")


# -- workload


def test_workload_keys():
    names = ("micro_batch", "grad_accum", "seq_len", "packing", "pad_to_seq_len", "eval_batch")
    extra = "gradient_accumulation_steps: 4\nsample_packing: true\npad_to_sequence_len: false\neval_batch_size: 8"
    assert values(extra, *names) == (2, 4, 2048, True, False, 8)


def test_underscores_in_numbers_are_pyyamls():
    text = BASE.replace("2048", "500_000")
    assert READER.read(document(text)).settings.value("seq_len") == 500_000


def test_evaluation_batch_follows_the_micro_batch():
    setting = full()["eval_batch"]
    assert (setting.value, setting.origin.kind) == (2, OriginKind.DERIVED)


@pytest.mark.parametrize(("packing", "pads"), [("true", True), ("false", False)])
def test_packing_pads_unless_told_otherwise(packing, pads):
    assert full(f"sample_packing: {packing}")["pad_to_seq_len"].value is pads


def test_the_old_batch_size_decides_an_empty_accumulation():
    assert values("batch_size: 16\ngradient_accumulation_steps:", "grad_accum") == (8,)


@pytest.mark.parametrize(("version", "steps"), [("0.19.0", 1), ("0.3.0", 8), ("", None)])
def test_the_old_batch_size_and_a_missing_accumulation_depend_on_the_version(version, steps):
    assert full("batch_size: 16", version)["grad_accum"].value == steps


# -- activations


@pytest.mark.parametrize(
    ("keys", "recompute", "offload"),
    [
        ("gradient_checkpointing: true", "full", None),
        ("gradient_checkpointing: false", "none", None),
        ("gradient_checkpointing: offload", "full", True),
        ("gradient_checkpointing: offload_disk", "full", True),
        ("gradient_checkpointing: true\nactivation_offloading: legacy", "full", True),
        ("gradient_checkpointing: true\nactivation_offloading: false", "full", False),
        ("gradient_checkpointing: true\nselective_checkpointing: true", "selective", None),
        ("gradient_checkpointing:", None, None),
    ],
)
def test_checkpointing(keys, recompute, offload):
    assert values(keys, "recompute", "recompute_offload") == (recompute, offload)


def test_reentrant_is_off_unless_written():
    assert full("gradient_checkpointing: true")["recompute_reentrant"].value is False
    assert full("gradient_checkpointing: true\ngradient_checkpointing_kwargs:\n  use_reentrant: true")["recompute_reentrant"].value is True


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ("attn_implementation: flash_attention_2", "flash"),
        ("attn_implementation: kernels-community/vllm-flash-attn3", "flash"),
        ("attn_implementation: flex_attention", "flex"),
        ("attn_implementation: eager", "eager"),
        ("flash_attention: true", "flash"),
        ("flash_attention:\nxformers_attention: true", "sdpa"),
        ("flash_attention: true\nflex_attention: true", "flex"),
        ("sdp_attention: true", "sdpa"),
        ("flash_attention: false", None),
    ],
)
def test_attention(keys, kind):
    assert values(keys, "attention") == (kind,)


def test_attention_is_sdpa_when_nothing_is_said():
    assert full("flash_attention:")["attention"].value == "sdpa"


def test_liger_needs_its_plugin():
    keys = "liger_rms_norm: true\nliger_glu_activation: true\nliger_fused_linear_cross_entropy: true\nliger_rope: false\n"
    assert values(keys, "kernels", "loss") == (None, None)
    plugin = "plugins:\n  - axolotl.integrations.liger.LigerPlugin\n"
    assert values(keys + plugin, "kernels", "loss") == (("rms_norm", "swiglu", "linear_cross_entropy"), "fused")


@pytest.mark.parametrize(
    ("keys", "loss"),
    [
        ("plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]", "fused"),
        ("plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]\ncut_cross_entropy: false", None),
        ("chunked_cross_entropy: true", "chunked"),
    ],
)
def test_losses(keys, loss):
    assert values(keys, "loss") == (loss,)


@pytest.mark.parametrize(
    ("keys", "version", "kernels"),
    [
        ("adapter: lora", "0.19.0", ("lora",)),
        ("adapter: lora\nlora_dropout: 0.05", "0.19.0", ("lora",)),
        ("adapter: lora\nlora_dropout: 0.05", "0.10.0", None),
        ("adapter: lora\nlora_dropout: 0", "0.10.0", ("lora",)),
        ("adapter: lora", "0.8.0", None),
        ("adapter: lora", "", None),
        ("adapter: lora\nload_in_8bit: true", "0.19.0", None),
        ("adapter: lora\nrl: dpo", "0.19.0", None),
        ("adapter: lora\nlora_mlp_kernel: false", "0.19.0", ()),
    ],
)
def test_lora_kernels_switch_themselves_on(keys, version, kernels):
    setting = full(keys, version).get("kernels")
    assert (setting.value if setting else None) == kernels


# -- distribution


def test_deepspeed_names_its_file():
    found = reading("deepspeed: deepspeed_configs/zero3.json")
    assert [reference.text for reference in found.references] == ["deepspeed_configs/zero3.json"]
    assert found.references[0].origin.key == "deepspeed"


def test_an_empty_deepspeed_names_nothing():
    assert reading("deepspeed:\nfsdp:\nfsdp_config:").references == ()


def test_deepspeed_in_the_file_itself():
    extra = "deepspeed:\n  zero_optimization:\n    stage: 2\n    offload_optimizer:\n      device: cpu\n"
    assert values(extra, "shard", "offload_optimizer") == ("zero2", "cpu")


@pytest.mark.parametrize("prefix", ["", "fsdp_"])
def test_fsdp_keys_with_and_without_prefix(prefix):
    extra = f"""
    fsdp_version: 2
    fsdp_config:
      {prefix}offload_params: true
      {prefix}auto_wrap_policy: TRANSFORMER_BASED_WRAP
      {prefix}reshard_after_forward: false
      {prefix}state_dict_type: SHARDED_STATE_DICT
      {prefix}activation_checkpointing: true
    """
    names = ("shard", "offload_params", "offload_optimizer", "wrap", "reshard_after_forward", "state_dict_type", "recompute")
    assert values(extra, *names) == ("fsdp2", "cpu", "cpu", "layer", False, "SHARDED_STATE_DICT", "full")


def test_an_unversioned_fsdp_config_is_version_one():
    extra = "fsdp:\n  - shard_grad_op\n  - auto_wrap\nfsdp_config:\n  fsdp_offload_params: false"
    assert values(extra, "shard", "shard_strategy", "wrap", "offload_params") == ("fsdp", "grad-op", "layer", "none")


def test_the_version_may_stand_inside():
    assert values("fsdp_config:\n  fsdp_version: 2\n  offload_params: false", "shard") == ("fsdp2",)


def test_fsdp_wins_over_deepspeed():
    assert reading("deepspeed: z3.json\nfsdp: [full_shard]").references == ()


def test_parallel_sizes():
    extra = "tensor_parallel_size: 2\ncontext_parallel_size: 4\nexpert_parallel_size: 0\n"
    extra += "fsdp_version: 2\nfsdp_config:\n  offload_params: false\ndp_shard_size: 4\ndp_replicate_size: 2"
    names = ("tensor_parallel", "context_parallel", "expert_parallel", "shard_strategy")
    assert values(extra, *names) == (2, 4, 1, "hybrid")


@pytest.mark.parametrize(
    ("keys", "version", "devices"),
    [
        ("dp_shard_size: 2", "0.12.0", 2),
        ("dp_shard_size: 2", "", 2),
        ("dp_shard_size: 2", "0.11.0", None),
        ("dp_shard_size: 4\ndp_replicate_size: 2", "0.12.0", 8),
        ("dp_shard_size: 2\ncontext_parallel_size: 2", "0.12.0", 4),
        ("dp_shard_size: 1", "0.12.0", None),
    ],
)
def test_a_group_of_shards_takes_a_device_each(keys: str, version: str, devices: int | None) -> None:
    told = full(f"fsdp_version: 2\nfsdp_config:\n  offload_params: false\n{keys}", version).get("devices")
    assert (told and told.value) == devices


# -- evaluation and saving


@pytest.mark.parametrize(
    ("keys", "version", "on"),
    [
        ("val_set_size: 0.05\nevals_per_epoch: 4", "", True),
        ("val_set_size: 0.05\neval_steps: 0.1", "", True),
        ("val_set_size: 0\nevals_per_epoch: 4", "", False),
        ("test_datasets:\n  - path: acme/test\neval_strategy: epoch", "", True),
        ("val_set_size: 0.05\neval_strategy: no", "", False),
        ("val_set_size: 0.05", "0.19.0", False),
        ("val_set_size: 0.05", "0.8.0", True),
        ("val_set_size: 0.05", "", None),
        ("", "", False),
    ],
)
def test_evaluation_needs_data_and_a_moment(keys, version, on):
    assert full(keys, version)["eval_on"].value is on


@pytest.mark.parametrize(
    ("keys", "strategy"), [("save_steps: 10", "steps"), ("saves_per_epoch: 1", "steps"), ("save_strategy: best", "best"), ("", "epoch")]
)
def test_saving(keys, strategy):
    assert full(keys)["save_strategy"].value == strategy


# -- origins and mistakes


def test_a_setting_points_at_the_value_that_decided_it():
    origin = reading("adapter: qlora\nload_in_4bit: true").settings["quant"].origin
    assert origin.key == "load_in_4bit"
    assert str(origin) == "train.yaml:8:15"


@pytest.mark.parametrize(
    "line", ["micro_batch_size: many", "micro_batch_size: 0", "lora_r: [1]\nadapter: lora", "learning_rate: fast", "sample_packing: maybe"]
)
def test_an_illegal_value_is_reported_with_a_cure(line):
    wrong = READER.read(document("base_model: acme/x\nsequence_len: 2048\n" + line)).misreads
    assert len(wrong) == 1
    assert wrong[0].cure


ODD = ("", "null", "[]", "[1, {a: 1}]", "{}", "{a: {b: 1}}", "${X}", "???", "1e999", ".nan", "-3", "'true'", "no", "2020-01-01", "auto")
TOUCHED = names("""
bf16 fp16 float16 bfloat16 fp8 load_in_8bit load_in_4bit gptq adapter lora_target_linear lora_target_modules
lora_r rl reward_model pretraining_dataset unfrozen_parameters gradient_checkpointing
gradient_checkpointing_kwargs activation_offloading attn_implementation flash_attention plugins
cut_cross_entropy chunked_cross_entropy lora_mlp_kernel fsdp fsdp_version fsdp_config deepspeed
dp_replicate_size val_set_size test_datasets eval_steps eval_strategy save_steps batch_size optimizer
bnb_config_kwargs datasets
""")


@pytest.mark.parametrize("key", sorted(TOUCHED))
def test_odd_values_never_crash(key):
    for value in ODD:
        found = document(f"{BASE}adapter: qlora\nload_in_4bit: true\nfsdp: [full_shard]\n{key}: {value}\n")
        READER.recognise(found)
        assert set(complete(READER, READER.read(found).settings, stack())) <= set(SETTINGS)


def test_every_default_names_its_source():
    defaults = [
        setting for setting in full("adapter: qlora\nload_in_4bit: true\ngradient_checkpointing: true").values() if setting.is_default
    ]
    assert len(defaults) > 15
    assert all("axolotl" in s.origin.note or "transformers" in s.origin.note or "peft" in s.origin.note for s in defaults)

"""torchtune recipes."""

from __future__ import annotations

from textwrap import dedent

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import find_model
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.torchtune.models import built_by
from budgetlint.readers.torchtune.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Role, Setting, Settings, Stack, release

SEEDS = {
    "torchtune": "{model: {_component_: a.b}, optimizer: {_component_: c.D}}",
}
"""Documents that it claims (`test_marks.py`)."""

FULL = """\
output_dir: /tmp/out
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
batch_size: 2
gradient_accumulation_steps: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
"""
LORA = FULL.replace("llama3_1.llama3_1_8b", "llama3_1.lora_llama3_1_8b\n  lora_attn_modules: [q_proj, output_proj]\n  lora_rank: 16")


def document(text: str):
    return load(SourceFile("recipe.yaml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str, devices: int | None = None) -> dict[str, Setting]:
    settings = reading(text).settings
    if devices is not None:
        origin = Origin(OriginKind.FLAG, note="--nproc_per_node")
        settings = settings.under(Settings([Setting("devices", devices, origin, str(devices))]))
    return dict(complete(READER, settings, Stack()))


@pytest.mark.parametrize("text", [FULL, LORA, "x:\n  _component_: torchtune.training.get_dtype\n"])
def test_a_component_is_torchtune(text):
    assert identify(document(text)) is READER


@pytest.mark.parametrize("text", ["_component: 1\n", "note: _component_\n", "", "- _component_\n"])
def test_others_are_not(text):
    assert READER.recognise(document(text)) == 0


@pytest.mark.parametrize(
    ("builder", "model", "lora", "quantised"),
    [
        ("llama2.llama2_7b", "llama-2-7b", False, False),
        ("code_llama2.lora_code_llama2_13b", "codellama-13b", True, False),
        ("llama3_1.qlora_llama3_1_405b", "llama-3.1-405b", True, True),
        ("llama3_3.llama3_3_70b", "llama-3.1-70b", False, False),
        ("llama3_2.llama3_2_1b", "llama-3.2-1b", False, False),
        ("gemma2.gemma2_27b", "gemma-2-27b", False, False),
        ("mistral.qlora_mistral_7b", "mistral-7b-v0.1", True, True),
        ("phi3.phi3_mini", "phi-3-mini", False, False),
        ("phi4.lora_phi4_14b", "phi-4", True, False),
        ("qwen2_5.lora_qwen2_5_1_5b_instruct", "qwen2.5-1.5b", True, False),
        ("qwen2.qwen2_0_5b", "qwen2-0.5b", False, False),
        ("qwen3.qwen3_0_6b_base", "qwen3-0.6b", False, False),
    ],
)
def test_a_builder_names_model_and_adapter(builder, model, lora, quantised):
    built = built_by(f"torchtune.models.{builder}")
    assert (built.model, built.lora, built.quantised) == (model, lora, quantised)
    assert isinstance(find_model(built.model), Architecture)


@pytest.mark.parametrize("builder", ["my_project.llama3_8b", "torchtune.models.llama2.llama2", "torchtune.models.clip.clip_text"])
def test_other_builders_name_no_model(builder):
    assert built_by(builder).model == ""


def test_a_full_recipe():
    found = reading(FULL)
    value = found.settings.value
    assert found.role is Role.TRAINER
    assert [value(name) for name in ("model", "adapter", "weights_dtype", "micro_batch", "grad_accum", "seq_len", "loss")] == [
        "llama-3.1-8b", "none", "bf16", 2, 4, 2048, "chunked",
    ]  # fmt: skip
    assert value("learning_rate") == 2e-5


def test_lora_targets_are_roles_and_the_adapter_has_the_recipe_dtype():
    value = reading(LORA).settings.value
    assert value("lora_targets") == ("q_proj", "o_proj")
    assert (value("adapter"), value("lora_r"), value("adapter_dtype"), value("quant")) == ("lora", 16, "bf16", None)
    with_mlp = LORA.replace("lora_rank: 16", "apply_lora_to_mlp: True\n  apply_lora_to_output: True")
    assert reading(with_mlp).settings.value("lora_targets")[2:] == ("gate_proj", "up_proj", "down_proj", "lm_head")


@pytest.mark.parametrize("text", [LORA.replace("lora_llama3_1", "qlora_llama3_1"), LORA + "x: 1\n"])
def test_qlora_by_builder_or_argument(text):
    text = text.replace("  lora_rank: 16", "  lora_rank: 16\n  quantize_base: True")
    value = reading(text).settings.value
    assert (value("quant"), value("quant_double")) == ("nf4", True)


@pytest.mark.parametrize(
    ("extra", "name", "value"),
    [
        ("clip_grad_norm: null", "max_grad_norm", 0.0),
        ("clip_grad_norm: 1.0", "max_grad_norm", 1.0),
        ("enable_activation_checkpointing: True", "recompute", "full"),
        ("", "recompute", "none"),
        ("ac_mode: selective\nac_option: 2", "recompute_every", 2),
        ("ac_mode: selective\nac_option: op", "recompute", "selective"),
        ("optimizer_in_bwd: True", "optimizer_in_backward", True),
        ("fsdp_cpu_offload: True", "offload_params", "cpu"),
        ("fsdp_cpu_offload: True", "shard", "fsdp2"),
        ("custom_sharded_layers: [output]", "shard", "fsdp2"),
        ("tensor_parallel_dim: 8", "tensor_parallel", 8),
        ("dataset:\n  packed: True", "pad_to_seq_len", True),
        ("dataset:\n  _component_: torchtune.datasets.text_completion_dataset", "task", "pretrain"),
        ("", "optimizer_impl", "foreach"),
        ("", "model_code", "torchtune"),
        ("run_val_every_n_steps: 10", "eval_on", True),
        ("run_val_every_n_steps: null", "eval_on", False),
    ],
)
def test_settings_and_defaults(extra, name, value):
    assert full(FULL + extra + "\n")[name].value == value


@pytest.mark.parametrize("version", ["0.6.1", None])
def test_the_builders_dropout_hangs_on_the_version(version):
    """0.05 in the builders of 0.2.1 (``models/llama3_1/_model_builders.py``), 0.0 from 0.3.0 on."""
    builder = "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_attn_modules: [q_proj]\n"
    origin = Origin(OriginKind.BUDGET)
    stack = Stack({"torchtune": Release("torchtune", Version(version), None, origin, exact=True)} if version else {})
    found = complete(READER, reading(builder + "tokenizer: {_component_: x}\n").settings, stack)["lora_dropout"]
    assert (found.value, found.readings) == ((0.0, ()) if version else (None, (0.0, 0.05)))


def test_fused_that_is_off_leaves_the_loop():
    assert full(FULL.replace("  lr: 2e-5", "  lr: 2e-5\n  fused: False"))["optimizer_impl"].value == "for-loop"


def test_fused_is_the_block_of_the_optimizer():
    assert full(FULL.replace("  lr: 2e-5", "  lr: 2e-5\n  fused: True"))["optimizer_impl"].value == "fused"


def test_both_ways_of_checkpointing_are_left_open():
    found = full(FULL + "enable_activation_checkpointing: True\nac_mode: selective\n")["recompute"]
    assert found.readings == ("none", "full")


@pytest.mark.parametrize(("devices", "shard"), [(None, None), (1, None), (8, "fsdp2")])
def test_several_processes_are_a_distributed_recipe(devices, shard):
    found = full(FULL, devices).get("shard")
    assert (found.value if found else None) == shard


def test_references_inside_the_file_are_seen_through():
    text = FULL.replace("batch_size: 2", "batch_size: ${micro}\nmicro: 3\nbatch_size_val: ${batch_size}")
    found = reading(text).settings
    assert (found.value("micro_batch"), found.value("eval_batch")) == (3, 3)
    assert found["micro_batch"].origin.key == "batch_size"


def test_a_null_length_is_unbounded():
    found = reading(FULL.replace("2048", "null")).settings["seq_len"]
    assert (found.state, found.value) == ("unbounded", None)
    other = FULL.replace("2048", "null") + "dataset:\n  max_seq_len: 512\n"
    assert reading(other).settings.value("seq_len") == 512


@pytest.mark.parametrize(
    ("loss", "task", "kind"),
    [
        ("torchtune.rlhf.loss.DPOLoss", "dpo", "full"),
        ("torchtune.modules.loss.ORPOLoss", "orpo", "full"),
        ("torchtune.rlhf.loss.SimPOLoss", "orpo", "full"),
        ("torchtune.rlhf.loss.PPOLoss", "ppo", "full"),
        ("torchtune.dev.grpo.loss.GRPOSimpleLoss", "grpo", "full"),
        ("torchtune.modules.loss.CEWithChunkedOutputLoss", None, "chunked"),
        ("torch.nn.CrossEntropyLoss", None, "full"),
    ],
)
def test_the_loss_tells_the_task(loss, task, kind):
    value = reading(FULL.replace("torchtune.modules.loss.LinearCrossEntropyLoss", loss)).settings.value
    assert (value("task"), value("loss")) == (task, kind)


def test_a_builder_without_a_size_takes_its_numbers():
    numbers = "vocab_size: 32000\n  num_layers: 22\n  num_heads: 32\n  num_kv_heads: 4\n  embed_dim: 2048\n  intermediate_dim: 5632"
    text = FULL.replace("llama3_1.llama3_1_8b", f"llama2.llama2\n  {numbers}")
    found = dict(reading(text).settings.value("model_custom"))
    assert (found["hidden"], found["layers"], found["kv_heads"], found["vocab"]) == (2048, 22, 4, 32000)


CHECKPOINT = "checkpointer:\n  checkpoint_dir: /tmp/Llama-3.1-8B\n"


def test_a_builder_of_the_project_may_build_anything():
    """A mixture of experts that is grown from a dense checkpoint is not the checkpoint's model."""
    mine = FULL.replace("torchtune.models.llama3_1", "mine")
    assert reading(mine).settings["model"].state == "symbolic"
    assert reading(mine + CHECKPOINT).settings["model"].state == "symbolic"


def test_a_builder_of_torchtune_that_is_not_in_the_table_is_known_by_its_checkpoint():
    found = reading(FULL.replace("llama3_1.llama3_1_8b", "newer.newer_8b") + CHECKPOINT).settings["model"]
    assert found.value == "/tmp/Llama-3.1-8B"
    assert found.origin.note


@pytest.mark.parametrize(
    ("extra", "torch", "attention", "readings"),
    [
        ("", "2.6.0", "sdpa", ()),
        ("dataset:\n  packed: False", "2.6.0", "sdpa", ()),
        ("dataset:\n  packed: True", "2.4.1", "sdpa", ()),
        ("dataset:\n  packed: True", "2.6.0", None, ("flex", "sdpa")),
        ("dataset:\n  packed: True", None, None, ("flex", "sdpa")),
    ],
)
def test_packed_samples_take_flex_attention_where_it_runs(extra, torch, attention, readings):
    pins = {"torch": release("torch", torch, Origin(OriginKind.BUDGET))} if torch else {}
    found = complete(READER, reading(FULL + extra + "\n").settings, Stack(pins))["attention"]
    assert (found.value, found.readings) == (attention, readings)


RECIPES = ("task", "autocast", "packing", "pad_to_seq_len", "save_strategy", "model_code", "recompute", "compile", "eval_on", "attention")
"""What torchtune's recipes do where their config is silent."""


@pytest.mark.parametrize(
    ("launch", "stock"),
    [
        ("tune run full_finetune_single_device --config recipe.yaml", True),
        ("tune run recipes/full_finetune_single_device.py --config recipe.yaml", True),  # `tune cp` of a stock one
        ("tune run recipes/mine.py --config recipe.yaml", False),
        ("tune run --nproc_per_node 2 recipes/mine.py --config recipe.yaml", False),
        ("torchrun --nproc_per_node 2 recipes/mine.py --config recipe.yaml", False),
        ("python recipes/mine.py --config recipe.yaml batch_size=2", False),
    ],
)
def test_a_recipe_of_the_project_does_what_its_own_code_says(launch, stock):
    (context,) = judge_texts({"recipe.yaml": FULL, "run.sh": f"{launch}\n"}).runs
    settings = context.run.settings
    assert {name: settings[name].known for name in RECIPES} == dict.fromkeys(RECIPES, stock)
    assert (settings.value("micro_batch"), settings.value("optimizer_impl")) == (2, "foreach")


@pytest.mark.parametrize("drop", ["optimizer", "model"])
def test_generation_and_evaluation_train_nothing(drop):
    lines = FULL.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith(f"{drop}:"))
    rest = [line for index, line in enumerate(lines) if index not in (at, at + 1)]
    assert reading("\n".join(line for line in rest if not line.startswith("  lr:")) + "\n").role is Role.INFERENCE


def test_asynchronous_grpo_has_its_recipe_in_a_section():
    section = "training:\n  batch_size: 16\n  optimizer:\n    _component_: torch.optim.AdamW\n    lr: 1e-5\n"
    found = reading("model:\n  _component_: torchtune.models.qwen2_5.qwen2_5_3b\n" + section)
    assert found.role is Role.TRAINER
    assert (found.settings.value("micro_batch"), found.settings.value("optimizer")) == (16, "adamw")


def test_wrong_values_are_told():
    assert any("batch_size" in wrong.message for wrong in reading(FULL.replace("batch_size: 2", "batch_size: two")).misreads)


@pytest.mark.parametrize(
    ("override", "name", "value"),
    [
        ("optimizer=bitsandbytes.optim.PagedAdamW8bit", "optimizer", "paged_adamw_8bit"),
        ("batch_size=8", "micro_batch", 8),
        ("model.lora_rank=64", "lora_r", 64),
        ("model=torchtune.models.llama3_2.qlora_llama3_2_1b", "quant", "nf4"),
        ("optimizer.fused=True", "optimizer_impl", "fused"),
        ("tokenizer.max_seq_len=4096", "seq_len", 4096),
        ("dtype=fp32", "weights_dtype", "fp32"),
    ],
)
def test_overrides_of_a_launch(override, name, value):
    files = {"recipe.yaml": LORA, "run.sh": f"tune run lora_finetune_single_device --config recipe.yaml {override}\n"}
    (context,) = judge_texts(files).runs
    assert context.run.settings.value(name) == value


def test_the_other_models_of_a_run():
    text = FULL + (
        "teacher_model:\n  _component_: torchtune.models.qwen2.qwen2_1_5b\n"
        "ref_policy_checkpointer:\n  checkpoint_dir: /tmp/a\n"
        "value_checkpointer:\n  checkpoint_dir: /tmp/value-1b\n"
        "reward_checkpointer:\n  checkpoint_dir: /tmp/reward-1b\n"
    )
    value = reading(text).settings.value
    assert [value(f"{name}_model") for name in ("teacher", "reference", "critic", "reward")] == [
        "qwen2-1.5b", "policy", "/tmp/value-1b", "/tmp/reward-1b",
    ]  # fmt: skip

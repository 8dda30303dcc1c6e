"""Configs that are composed of several files: Hydra's lists and NeMo-RL's inheritance."""

from __future__ import annotations

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, load, plain
from budgetlint.documents.defaults_list import bases
from budgetlint.documents.merge import foreign, merged
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run

GRPO = """\
policy:
  model_name: Qwen/Qwen2.5-1.5B
  train_global_batch_size: 512
  train_micro_batch_size: 4
  precision: bfloat16
  max_total_sequence_length: 512
  optimizer: {name: torch.optim.AdamW, kwargs: {lr: 5e-6}}
  dtensor_cfg: {enabled: true, activation_checkpointing: true, tensor_parallel_size: 2}
  megatron_cfg: {enabled: false, activation_checkpointing: false, tensor_model_parallel_size: 1, optimizer: {optimizer: adam, lr: 5e-6}}
grpo: {max_num_steps: 100}
cluster: {gpus_per_node: 1, num_nodes: 1}
"""


def document(text: str, path: str = "a.yaml") -> Document:
    return load(SourceFile(path, text))[0]


def run_of(files: dict[str, str], name: str) -> Run:
    return next(context.run for context in judge_texts(files).runs if context.run.name == name)


def test_a_recipe_inherits_key_by_key() -> None:
    child = (
        "defaults: ../../grpo.yaml\npolicy: {dtensor_cfg: {enabled: false}, megatron_cfg: {enabled: true}}\ncluster: {gpus_per_node: 8}\n"
    )
    run = run_of({"configs/grpo.yaml": GRPO, "configs/recipes/llm/child.yaml": child}, "configs/recipes/llm/child.yaml")
    expected = {
        "model": "Qwen/Qwen2.5-1.5B", "model_code": "megatron", "tensor_parallel": 1, "recompute": "none", "autocast": "none",
        "optimizer": "megatron_adam", "devices_per_node": 8, "nodes": 1, "shard": "zero1",
    }  # fmt: skip
    assert {name: run.settings.value(name) for name in expected} == expected


def test_each_value_has_the_file_that_it_stands_in() -> None:
    files = {"configs/grpo.yaml": GRPO, "configs/child.yaml": "defaults: grpo.yaml\npolicy: {max_total_sequence_length: 4096}\n"}
    run = run_of(files, "configs/child.yaml")
    assert str(run.settings["seq_len"].origin) == "configs/child.yaml:2:37"
    assert str(run.settings["model"].origin) == "configs/grpo.yaml:2:15"


def test_inheritance_over_several_files_and_in_a_circle() -> None:
    files = {
        "a.yaml": "defaults: b.yaml\npolicy: {train_micro_batch_size: 1}\n",
        "b.yaml": "defaults: c.yaml\npolicy: {train_micro_batch_size: 2, train_global_batch_size: 8}\n",
        "c.yaml": "defaults: a.yaml\n" + GRPO,
    }
    run = run_of(files, "a.yaml")
    assert (run.settings.value("micro_batch"), run.settings.value("global_batch")) == (1, 8)
    assert run.settings.value("model") == "Qwen/Qwen2.5-1.5B"


def test_a_base_that_is_not_here_is_told() -> None:
    judged = judge_texts({"a.yaml": "defaults: ../up/base.yaml\n" + GRPO})
    assert [finding.name for finding in judged.findings] == ["missing-reference"]


VERL = """\
defaults:
  - actor@actor_rollout_ref.actor: dp_actor
  - model@actor_rollout_ref.model: hf_model
  - _self_
actor_rollout_ref: {actor: {ppo_micro_batch_size_per_gpu: 2}}
trainer: {nnodes: 1, n_gpus_per_node: 4}
data: {train_batch_size: 64}
"""


def test_groups_go_below_their_package() -> None:
    files = {
        "config/ppo_trainer.yaml": VERL,
        "config/actor/dp_actor.yaml": "defaults:\n  - actor\n  - ../engine@fsdp_config: fsdp\n  - _self_\nppo_mini_batch_size: 8\n",
        "config/actor/actor.yaml": "strategy: fsdp2\noptim: {lr: 1e-6}\n",
        "config/engine/fsdp.yaml": "offload_policy: true\n",
        "config/model/hf_model.yaml": "path: Qwen/Qwen2.5-0.5B\nenable_gradient_checkpointing: false\n",
    }
    run = run_of(files, "config/ppo_trainer.yaml")
    expected = {"micro_batch": 2, "learning_rate": 1e-6, "recompute": "none", "shard": "fsdp2", "offload_params": "cpu"}
    assert {name: run.settings.value(name) for name in expected} == expected
    assert str(run.settings["learning_rate"].origin) == "config/actor/actor.yaml:2:13"


def listed(text: str) -> list[tuple[str, object, bool]]:
    return [(base.path, base.package, base.is_above) for base in bases(document("defaults:\n" + text))]


def test_what_a_list_names() -> None:
    assert listed("  - base\n  - _self_\n  - model: llama\n") == [("base.yaml", None, False), ("model/llama.yaml", None, True)]
    assert listed("  - /db@a.b: x\n  - optional c: d\n") == [("/db/x.yaml", ("a", "b"), False), ("c/d.yaml", None, False)]
    assert listed("  - model: null\n  - opt: ${x}\n  - opt: ???\n") == []
    assert listed("  - model: llama\n  - override model: qwen\n") == [("model/qwen.yaml", None, False)]
    assert listed("  - .@base_model: shared\n") == [("./shared.yaml", ("base_model",), False)]


def test_lists_are_replaced_and_missing_values_are_not() -> None:
    below, above = document("a: [1, 2]\nb: {x: 1, y: 2}\nc: 3\n"), document("a: [9]\nb:\n  y: ???\n  z: 4\nc: null\n")
    assert below.root is not None and above.root is not None
    whole = merged(foreign(below.root, below.source), above.root)
    assert plain(whole, Loader.OMEGACONF) == {"a": [9], "b": {"x": 1, "y": 2, "z": 4}, "c": None}

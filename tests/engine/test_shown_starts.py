"""A run that no script starts, as a README, its own head or a docstring shows how it is started."""

from __future__ import annotations

import pytest
from budgetlint_rules.does_not_fit import RULE

from budgetlint.base.finding import Severity
from budgetlint.memory.estimate import Estimate
from budgetlint.resolve.runs import judge_texts
from budgetlint.testing import find

PROGRAM = """from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B")
args = TrainingArguments(output_dir="o", per_device_train_batch_size=1, bf16=True, optim="adamw_torch")
Trainer(model=model, args=args, train_dataset=None).train()
"""
FSDP = """compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 1
num_processes: 4
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
"""
RECIPE = """output_dir: /tmp/o
model:
  _component_: torchtune.models.llama3_1.lora_llama3_1_70b
  lora_attn_modules: [q_proj, v_proj]
  lora_rank: 16
  lora_alpha: 32
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
dataset:
  _component_: torchtune.datasets.alpaca_dataset
  packed: true
optimizer:
  _component_: torch.optim.AdamW
  fused: true
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
batch_size: 1
device: cuda
dtype: bf16
enable_activation_checkpointing: true
"""
TUNE = "# tune run --nproc_per_node 8 lora_finetune_distributed --config llama3_1/70B_lora\n"
OWN_RECIPE = """from torchtune import config

@config.parse
def recipe_main(cfg):
    tokenizer, data = config.instantiate(cfg.tokenizer), config.instantiate(cfg.dataset)
    model, loss = DDP(config.instantiate(cfg.model)), config.instantiate(cfg["loss"])
    optimizer = config.instantiate(cfg.optimizer, model.parameters())
    loss(model(data)).backward()
"""
WITH_FSDP = "    accelerate launch --config_file fsdp.yaml train.py\n"
TWO_WAYS = f"Run:\n\n{WITH_FSDP}\nor\n\n    python train.py\n"
BUDGET = "device {}; seq 2048; stack transformers@5.1 torch@2.9"


def judged(files: dict[str, str], device: str = "a100-40gb") -> tuple[str, Estimate]:
    only = next(iter(judge_texts(files, budget=BUDGET.format(device)).runs))
    assert only.estimate is not None
    return only.run.name, only.estimate


@pytest.mark.parametrize(
    ("files", "device", "verdict"),
    [
        ({"train.py": PROGRAM}, "a100-40gb", "does-not-fit"),
        ({"train.py": PROGRAM, "fsdp.yaml": FSDP, "README.md": f"Run:\n\n{WITH_FSDP}"}, "a100-80gb", "fits"),
        ({"train.py": PROGRAM, "fsdp.yaml": FSDP, "README.md": TWO_WAYS}, "a100-80gb", "depends"),
        ({"train.py": PROGRAM, "README.md": f"Run:\n\n{WITH_FSDP}"}, "a100-40gb", "incomplete"),
        ({"train.py": PROGRAM, "README.md": "```sh\naccelerate launch train.py\n```\n"}, "a100-40gb", "incomplete"),
        ({"train.py": PROGRAM, "README.md": "```sh\ntorchrun --nproc_per_node 4 other.py\n```\n"}, "a100-40gb", "does-not-fit"),
        ({"70B.yaml": RECIPE}, "a100-80gb", "does-not-fit"),
        ({"70B.yaml": TUNE + RECIPE}, "a100-80gb", "fits"),
        ({"70B_lora_mine.yaml": TUNE + RECIPE}, "a100-80gb", "fits"),
        ({"70B_orpo.yaml": TUNE + RECIPE}, "a100-80gb", "does-not-fit"),
        ({"70B.yaml": TUNE + RECIPE, "recipes/lora_finetune_distributed.py": OWN_RECIPE}, "a100-80gb", "fits"),
    ],
    ids=[
        "nothing",
        "README",
        "two ways",
        "its file is not here",
        "a file of the user's",
        "another program",
        "a recipe",
        "its head",
        "its name goes on",
        "another's head",
        "a copied recipe",
    ],
)
def test_what_a_text_shows_is_how_it_is_started(files: dict[str, str], device: str, verdict: str) -> None:
    """8.03 billion parameters x 16 B and more are 124 GiB on one card, 42 GiB on each of four; 70 billion x 2 B are 131 GiB on one."""
    _, found = judged(files, device)
    assert (found.reason or found.verdict.value) == verdict


def test_the_place_is_said() -> None:
    _, found = judged({"train.py": PROGRAM, "fsdp.yaml": FSDP, "README.md": f"Run:\n\n{WITH_FSDP}"})
    assert "started as README.md:3 shows" in [one.text for one in found.assumptions]


@pytest.mark.parametrize(("readme", "severity"), [("", Severity.ERROR), (f"Run:\n\n{WITH_FSDP}", Severity.WARNING)])
def test_a_command_of_a_text_alone_makes_no_error(readme: str, severity: Severity) -> None:
    files = {"train.py": PROGRAM, "fsdp.yaml": FSDP, "README.md": readme}
    found = find(RULE, files, BUDGET.format("rtx-4090"))
    assert [one.severity for one in found] == [severity]


def test_the_example_in_a_script_names_its_config() -> None:
    """``$1`` is what the script's own comment shows."""
    files = {
        "train.sh": "#!/bin/bash\n# bash train.sh configs/a.yaml\ntune run --nproc_per_node 8 lora_finetune_distributed --config $1\n",
        "configs/a.yaml": RECIPE,
    }
    assert (name := judged(files, "a100-80gb"))[0] == "train.sh"
    assert name[1].verdict.value == "fits"


def test_the_default_of_a_variable_names_the_config_of_a_target() -> None:
    files = {
        "Makefile": "CONFIG ?= configs/a.yaml\ntrain:\n\ttune run --nproc_per_node 8 lora_finetune_distributed --config $(CONFIG)\n",
        "configs/a.yaml": RECIPE,
    }
    name, found = judged(files, "a100-80gb")
    assert (name, found.verdict.value) == ("Makefile", "fits")


@pytest.mark.parametrize(
    ("recipe", "own"),
    [
        (OWN_RECIPE, True),
        (OWN_RECIPE.replace("@config.parse\n", ""), False),
        (OWN_RECIPE.replace(".backward()", ""), False),
        (OWN_RECIPE.replace("cfg.optimizer", "None"), False),
    ],
    ids=["its own", "not parsed", "trains nothing", "asks for other keys"],
)
def test_a_recipe_of_the_project_is_started_by_no_copied_head(recipe: str, own: bool) -> None:
    """Whether it shards, and on how many devices it runs, its own code says."""
    (context,) = judge_texts({"70B.yaml": TUNE + RECIPE, "lora_ddp.py": recipe}).runs
    settings = context.run.settings
    assert (settings.value("shard"), settings.value("devices")) == ((None, None) if own else ("fsdp2", 8))
    assert ("devices" in settings, "shard" in settings) == (True, True)  # open, or as the head says
    assert (settings["compile"].known, settings.value("lora_dora")) == (not own, False)


def test_a_recipe_of_one_process_leaves_no_sharding_open() -> None:
    (context,) = judge_texts({"70B.yaml": TUNE + RECIPE, "lora_one.py": OWN_RECIPE.replace("DDP", "")}).runs
    assert ("shard" in context.run.settings, context.run.settings["compile"].known) == (False, False)


def test_a_command_that_names_the_config_beats_the_project_s_own_recipe() -> None:
    files = {"70B.yaml": RECIPE, "lora_ddp.py": OWN_RECIPE, "run.sh": f"{TUNE.removeprefix('# ').replace('llama3_1/70B_lora', '70B.yaml')}"}
    name, found = judged(files, "a100-80gb")
    assert (name, found.verdict.value) == ("run.sh", "fits")

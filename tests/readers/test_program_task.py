"""What a TRL run trains is told by the program that a command starts, then by the keys, else by nothing."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

RECIPE = """\
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
dataset_name: a/b
output_dir: out
per_device_train_batch_size: 4
gradient_checkpointing: true
logging_steps: 1
"""
SCRIPT = """\
from trl import {config}, {trainer}, ModelConfig, ScriptArguments, TrlParser
from datasets import load_dataset

parser = TrlParser((ScriptArguments, {config}, ModelConfig))
script_args, training_args, model_args = parser.parse_args_and_config()
trainer = {trainer}(model=model_args.model_name_or_path, args=training_args, train_dataset=load_dataset(script_args.dataset_name))
trainer.train()
"""
FLAGS = (
    "--model_name_or_path Qwen/Qwen2.5-1.5B-Instruct --dataset_name a/b --output_dir out --per_device_train_batch_size 4 --logging_steps 1"
)


def run(files: dict[str, str]):
    (context,) = judge_texts(files).runs
    return context


def script(name: str) -> str:
    return SCRIPT.format(config=f"{name}Config", trainer=f"{name}Trainer")


@pytest.mark.parametrize(
    ("command", "task"),
    {
        "trl grpo": "grpo",
        "trl dpo": "dpo",
        "trl sft": "sft",
        "trl rloo": "grpo",
        "python -m trl.scripts.kto": "kto",
        "accelerate launch src/open_r1/grpo.py": "grpo",
        "accelerate launch examples/scripts/reward_modeling.py": "reward",
    }.items(),
)
def test_the_name_of_the_program_tells(command, task):
    context = run({"a.yaml": RECIPE, "run.sh": f"{command} --config a.yaml\n"})
    assert context.run.settings.value("task") == task


@pytest.mark.parametrize("key", ["max_seq_length: 512", "dataset_text_field: text", "packing: false"])
def test_the_program_beats_a_key_of_another_trainer(key):
    context = run({"a.yaml": f"{RECIPE}{key}\n", "run.sh": "trl grpo --config a.yaml\n"})
    assert context.run.settings.value("task") == "grpo"


@pytest.mark.parametrize(
    ("name", "task"), {"GRPO": "grpo", "DPO": "dpo", "KTO": "kto", "PPO": "ppo", "Reward": "reward", "SFT": "sft"}.items()
)
@pytest.mark.parametrize("written", ["flags", "file"])
def test_the_trainer_of_the_script_tells(name, task, written):
    files = {"train.py": script(name), "run.sh": f"python train.py {FLAGS}\n"}
    if written == "file":
        files |= {"a.yaml": RECIPE, "run.sh": "python train.py --config a.yaml\n"}
    assert run(files).run.settings.value("task") == task


@pytest.mark.parametrize(
    ("more", "stack", "task"),
    [
        ("", "", ("grpo", "ppo")),
        ("", "stack trl@0.22.0", "grpo"),
        ("", "stack trl@0.21.0", "ppo"),
        ("--num_generations 8", "", "grpo"),
        ("--rloo_k 2", "", "ppo"),
        ("--packing false", "", ("grpo", "ppo")),  # a key of SFT's tells nothing of RLOO's
    ],
)
def test_rloos_trainer_is_by_its_keys_then_by_its_version(more, stack, task):
    """TRL 0.21.0 and 0.22.0 ``trainer/rloo_trainer.py``."""
    files = {"train.py": script("RLOO"), "run.sh": f"python train.py {FLAGS} {more}\n"}
    (context,) = judge_texts(files, budget=f"device a100-80gb; {stack}").runs
    said = context.run.settings["task"]
    assert (said.readings or said.value) == task


def test_a_class_of_the_scripts_own_beside_the_trainer_is_enough():
    text = script("GRPO").replace("import GRPOConfig, ", "import ").replace("\n\n", "\nfrom mine import GRPOConfig\n\n", 1)
    context = run({"train.py": text, "run.sh": f"python train.py {FLAGS}\n"})
    assert context.run.settings.value("task") == "grpo"
    assert "rollout_engine" in context.estimate.missing


def test_the_class_fills_in_what_generates():
    """GRPOConfig.use_vllm is false (TRL 0.14 to 1.16 ``grpo_config.py``): the policy writes its completions itself."""
    settings = run({"train.py": script("GRPO"), "run.sh": f"python train.py {FLAGS}\n"}).run.settings
    assert (settings.value("rollout_engine"), settings.value("learning_rate")) == ("hf", 1e-6)


def test_a_script_with_two_trainers_tells_nothing():
    text = script("SFT") + "from trl import GRPOTrainer\nGRPOTrainer(model='x', reward_funcs=len)\n"
    context = run({"train.py": text, "run.sh": f"python train.py {FLAGS}\n"})
    assert "task" not in context.run.settings


@pytest.mark.parametrize(
    ("keys", "task"),
    [("", "sft"), ("num_generations: 8", "grpo"), ("num_iterations: 2", "grpo"), ("epsilon_high: 0.28", "grpo"), ("beta: 0.1", "dpo")],
)
def test_without_a_program_the_keys_tell(keys, task):
    context = run({"a.yaml": f"{RECIPE}use_peft: false\n{keys}\n"})
    assert context.run.settings.value("task") == task


@pytest.mark.parametrize("key", ["max_prompt_length: 512", "use_vllm: true", "max_completion_length: 256"])
def test_a_key_that_sft_has_not_leaves_the_task_open(key):
    context = run({"a.yaml": f"{RECIPE}{key}\n"})
    assert not context.run.settings["task"].known
    assert "task" in context.estimate.missing


@pytest.mark.parametrize(
    ("more", "stack"),
    [("--rloo_k 2 --reward_model_path Qwen/Qwen2.5-0.5B", ""), ("--reward_model_path Qwen/Qwen2.5-0.5B", "stack trl@0.21.0")],
)
def test_rloos_old_trainer_has_no_critic(more, stack):
    """TRL 0.19.1 ``trainer/rloo_trainer.py`` moves a policy, a reference and a reward model."""
    files = {"train.py": script("RLOO"), "run.sh": f"python train.py {FLAGS} {more}\n"}
    (context,) = judge_texts(files, budget=f"device a100-80gb; {stack}").runs
    assert context.run.settings.value("critic_model") == "none"
    assert "critic_model" not in context.estimate.missing
    assert not [term for term in context.estimate.bill if term.id.startswith("critic")]

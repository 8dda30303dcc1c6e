"""Which contract a run is held to: by its class, its format, or the program that a command starts."""

from __future__ import annotations

from budgetlint.rule import PYTHON, TRAINER_RUNS, TRL_FORMATS, RunContext, arguments_home, written_by

CLASSES = {
    "TrainingArguments": "transformers.TrainingArguments",
    "Seq2SeqTrainingArguments": "transformers.Seq2SeqTrainingArguments",
    **{name: f"trl.{name}" for name in ("SFTConfig", "DPOConfig", "GRPOConfig", "KTOConfig", "RewardConfig", "RLOOConfig")},
}
"""Classes of scripts, and the contracts that they are."""
TASKS = {
    "sft": "trl.SFTConfig",
    "dpo": "trl.DPOConfig",
    "grpo": "trl.GRPOConfig",
    "kto": "trl.KTOConfig",
    "reward": "trl.RewardConfig",
    "rloo": "trl.RLOOConfig",
}
"""TRL's own programs, by what they train."""
FORMATS = {
    "hf_training_arguments": "transformers.TrainingArguments",
    "llamafactory": "llamafactory.LLaMA-Factory",
    "axolotl": "axolotl.axolotl",
}
"""Formats whose keys one contract takes."""
PROGRAMS = {
    "verl.trainer.main_ppo": "verl.main_ppo",
    **{f"openrlhf.cli.{name}": f"openrlhf.{name}" for name in ("train_sft", "train_dpo", "train_rm", "train_ppo_ray")},
}
"""Programs whose own contract holds of the config or the flags that they are given, by the command that starts them."""

SECTIONS = {
    **{
        name: f"peft.{name}"
        for name in (
            "LoraConfig",
            "AdaLoraConfig",
            "LoHaConfig",
            "LoKrConfig",
            "IA3Config",
            "OFTConfig",
            "VeraConfig",
            "PromptTuningConfig",
        )
    },
    **{name: f"transformers.{name}" for name in ("BitsAndBytesConfig", "GPTQConfig", "AwqConfig", "QuantoConfig")},
    **{name: f"accelerate.{name}" for name in ("FullyShardedDataParallelPlugin", "BnbQuantizationConfig", "Accelerator")},
}
"""Other classes of scripts, by the call that makes them."""
ENGINES = {"deepspeed": "deepspeed.DeepSpeedConfig"}
"""Formats of files that an engine reads, whatever trainer names them."""

HELD_TO_CONTRACTS = (*TRAINER_RUNS, "ms_swift", "verl", "openrlhf", "torchtune")
"""Formats whose runs a contract can hold."""


def named(run: RunContext) -> str:
    trainer = run.run.trainer
    assert trainer is not None
    if trainer.format in PYTHON:
        return CLASSES.get(arguments_home(trainer), "")
    if trainer.format in TRL_FORMATS:
        task = run.setting("task")
        told = task is not None and task.known and "assumed" not in task.origin.note
        return TASKS.get(str(task.value), "") if task is not None and told else "transformers.TrainingArguments"
    if trainer.format == "ms_swift":
        return _swift(run)
    if trainer.format == "torchtune":
        return _recipe(run)
    return FORMATS.get(trainer.format, "") or _program(run)


def _recipe(run: RunContext) -> str:
    """torchtune's own recipe by the name that ``tune run`` is given; a file of the project is another program."""
    programs = [one.document.program for one in run.run.readings if one.document.program.startswith("tune run ")]
    name = programs[0].removeprefix("tune run ") if programs else ""
    return f"torchtune.{name}" if name and "." not in name and "/" not in name else ""


def _swift(run: RunContext) -> str:
    """By the command's word; a file alone is held to what all commands ask. Megatron's arguments are others."""
    words = [one.document.program for one in run.run.readings if one.document.is_command]
    code = run.setting("model_code")
    if any(word.startswith("megatron") for word in words) or (code is not None and code.value == "megatron"):
        return ""
    return "ms-swift.swift rlhf" if "swift rlhf" in words else "ms-swift.swift sft"


def composed_of_own(run: RunContext) -> bool:
    """Hydra composes verl's own config of other files where a command chooses groups or another config: their defaults are not read."""
    trainer = run.run.trainer
    if trainer is None or trainer.format != "verl":
        return True
    if not trainer.document.is_command or trainer.document.mapping is None:
        return False
    keys = [entry.key.text for entry in trainer.document.mapping.entries]
    foreign = any("@" in key or "/" in key or key in ("config_dir", "model_engine") for key in keys)
    folder = written_by(run, "config_path")
    return not foreign and (folder is None or folder.value == "config") and _config_name(run) in ("ppo_trainer", "ppo_megatron_trainer")


def _config_name(run: RunContext) -> str:
    """Of verl's program. ``--config-path=config`` is the folder beside the program's own file: Hydra's relative paths count from there."""
    named = written_by(run, "config_name")
    return str(named.value).removesuffix(".yaml") if named is not None else "ppo_trainer"


def _program(run: RunContext) -> str:
    """The contract of the program that a command starts; empty for others."""
    trainer = run.run.trainer
    assert trainer is not None
    name = trainer.document.program or (trainer.consumer.program if trainer.consumer is not None else "")
    name = name.removesuffix(".py").replace("/", ".")
    dotted = PROGRAMS.get(name, "")
    if dotted == "verl.main_ppo":
        return "verl.main_ppo with Megatron" if _config_name(run) == "ppo_megatron_trainer" else dotted
    return dotted

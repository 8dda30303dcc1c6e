"""Programs that are known by name: what they read, whatever keys stand there. One row for each; nothing else names programs.

A name is what `budgetlint.launch.commands` makes of a command: a tool with its subcommand (``trl sft``), a module
(``openrlhf.cli.train_sft``), or the path of a script. Official scripts are known by the end of their path, where the file is not in the
project: source beats name.
"""

from __future__ import annotations

import re
from functools import cache

from budgetlint.base.record import record


@record
class Program:
    """``pattern`` matches the whole name, or its end behind a slash; ``format`` is the reader's; ``arguments`` are the classes that its
    parser fills; ``source`` says where that is written. ``alone``: a single script that people copy and change, so that a file of the
    project beats the name; the others come with their package."""

    pattern: str
    format: str
    arguments: str
    source: str
    alone: bool = False
    towers: bool = False
    """It has flags of its own for the parts of a model with a vision tower."""


_TRL_TASKS = "sft|dpo|kto|grpo|rloo|reward|orpo|cpo|ppo|reward_modeling|gkd|online_dpo|xpo|nash_md|bco"
_TEXT = "language-modeling|text-classification|token-classification|question-answering|summarization|translation|multiple-choice"
"""Folders of transformers' examples whose programs train on text alone."""

HYDRA = "Hydra"
"""Programs of this kind start from a config that lies in their package."""

PROGRAMS = (
    Program(r"trl (\S+)", "trl", "ScriptArguments, the task's config, ModelConfig", "TRL 1.16 cli/main.py, scripts/"),
    Program(r"trl\.scripts\.\w+", "trl", "as the command's", "TRL 1.16 scripts/"),
    Program(rf"trl/scripts/({_TRL_TASKS})\.py", "trl", "TrlParser of the same three", "TRL 0.12 to 1.16"),
    Program(rf"examples/scripts/({_TRL_TASKS})\.py", "trl", "TrlParser of the same three", "TRL 0.9 to 1.16", alone=True),
    Program(rf"open_r1[/.]({_TRL_TASKS})(\.py)?", "trl", "TrlParser", "open-r1 src/open_r1/{sft,grpo}.py", alone=True),
    Program(
        r"(scripts/)?run_(sft|dpo|orpo|cpt|kto)\.py", "alignment_handbook", "H4ArgumentParser", "alignment-handbook 0.2 and 0.4", alone=True
    ),
    Program(
        rf"(examples/)?pytorch/({_TEXT})/run_(?!\w+_no_trainer)\w+\.py",
        "hf_training_arguments",
        "HfArgumentParser",
        "transformers 4.46 to 5.24 examples/pytorch/",
        alone=True,
    ),
    Program(
        r"(examples/(?!legacy|research_projects)\S+/)?run_(clm|fim|mlm|plm|qa|seq2seq_qa|summarization|translation)\.py",
        "hf_training_arguments",
        "HfArgumentParser",
        "the same, started from their folder",
        alone=True,
    ),
    Program(
        r"internvl_chat_(finetune|pretrain)\w*\.py",
        "hf_training_arguments",
        "HfArgumentParser",
        "InternVL internvl/train/",
        alone=True,
        towers=True,
    ),
    Program(r"open_instruct[/.]\w+(\.py)?", "open_instruct", "ArgumentParserPlus", "open-instruct"),
    Program(r"llamafactory-cli \S+", "llamafactory", "hparams/parser.py", "LLaMA-Factory 0.9"),
    Program(r"axolotl \S+", "axolotl", "AxolotlInputConfig", "axolotl 0.19 cli/main.py"),
    Program(r"(swift|megatron) \S+", "ms_swift", "arguments/", "ms-swift 4.6"),
    Program(r"tune run .*", "torchtune", "OmegaConf", "torchtune 0.6 _cli/run.py"),
    Program(r"litgpt \S+", "litgpt", "jsonargparse", "LitGPT 0.5 __main__.py"),
    Program(r"xtuner \S+", "xtuner", "mmengine Config", "XTuner 0.2"),
    Program(r"oumi \S+", "oumi", "TrainingConfig", "oumi 0.7"),
    Program(r"openrlhf\..*", "openrlhf", "argparse", "OpenRLHF 0.8 cli/"),
    Program(r"verl(\..*|/(\w+/)*\w+\.py)", "verl", HYDRA, "verl trainer/main_ppo.py, trainer/fsdp_sft_trainer.py"),
    Program(r"pretrain_(gpt|bert|t5|mamba|vlm|retro|ict|vision_\w+)\.py", "megatron", "argparse", "Megatron-LM"),
    Program(r"(.*/)?torchtitan[/.]train(\.py)?", "torchtitan", "tyro", "torchtitan 0.2"),
    Program(r"deepy\.py( .*)?", "gpt_neox", "NeoXArgs", "GPT-NeoX deepy.py"),
    Program(r"llmfoundry[/.].*", "llm_foundry", "OmegaConf", "llm-foundry 0.22 cli"),
)
"""The first row that matches counts."""


@cache
def known_program(name: str) -> Program | None:
    """The row of a program's name; None for a script that only its own code tells about."""
    return next((row for row in PROGRAMS if re.fullmatch(rf"(?:.*/)?(?:{row.pattern})", name)), None)

"""What is known of the Hugging Face trainers beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import CONVERTS, SERVES, Format, Idle, Manifest, Package, Patch, Program, Tool, names

TRAINING_ARGUMENTS = {
    "micro_batch": "per_device_train_batch_size",
    "grad_accum": "gradient_accumulation_steps",
    "eval_batch": "per_device_eval_batch_size",
    "recompute": "gradient_checkpointing",
    "optimizer": "optim",
    "kernels": "use_liger_kernel",
    "shard": "fsdp",
    "autocast": "bf16",
    "recompute_every": "gradient_checkpointing_kwargs.every_n_layers",
}
"""Keys of ``transformers.TrainingArguments``."""
_TRL = {
    **TRAINING_ARGUMENTS,
    "weights_dtype": "dtype",
    "attention": "attn_implementation",
    "adapter": "use_peft",
    "lora_r": "lora_r",
    "lora_targets": "lora_target_modules",
    "quant": "load_in_4bit",
    "quant_double": "use_bnb_nested_quant",
    "seq_len": "max_length",
    "recompute_offload": "activation_offloading",
}
_TASKS = "sft|dpo|kto|grpo|rloo|reward|orpo|cpo|ppo|reward_modeling|gkd|online_dpo|xpo|nash_md|bco"
_TEXT = "language-modeling|text-classification|token-classification|question-answering|summarization|translation|multiple-choice"
"""Folders of transformers' examples whose programs train on text alone."""
_TRAINER = "hf_training_arguments"

FORMATS = (
    Format(
        _TRAINER,
        "Transformers",
        kinds=("hf",),
        spellings=TRAINING_ARGUMENTS,
        arguments="transformers",
        one_process=True,
        fsdp_key=True,
        liger_key=True,
        lone="arguments of transformers' Trainer",
        program="transformers",
    ),
    Format(
        "trl",
        "TRL",
        spellings=_TRL,
        renamed={  # TRL model_config.py, sft_config.py
            "dtype": ("trl", "0.24", "torch_dtype"),
            "max_length": ("trl", "0.16", "max_seq_length"),
        },
        same_keys=True,
        arguments="trl",
        one_process=True,
        fsdp_key=True,
        liger_key=True,
        lone="trl's",
        schema="budgetlint.readers.hf.schema",
        program="trl",
    ),
    Format(
        "alignment_handbook",
        "TRL",
        spellings={**_TRL, "weights_dtype": "torch_dtype"},
        arguments="trl",
        one_process=True,
        fsdp_key=True,
        liger_key=True,
        lone="a recipe of alignment-handbook",
        program="alignment-handbook",
    ),
    Format("open_instruct", "open-instruct", arguments="transformers", own_loop=True, lone="open-instruct's", program="open-instruct"),
)
PROGRAMS = (
    Program(r"trl (\S+)", "trl", "ScriptArguments, the task's config, ModelConfig", "TRL 1.16 cli/main.py, scripts/"),
    Program(r"trl\.scripts\.\w+", "trl", "as the command's", "TRL 1.16 scripts/"),
    Program(rf"trl/scripts/({_TASKS})\.py", "trl", "TrlParser of the same three", "TRL 0.12 to 1.16"),
    Program(rf"examples/scripts/({_TASKS})\.py", "trl", "TrlParser of the same three", "TRL 0.9 to 1.16", alone=True),
    Program(rf"open_r1[/.]({_TASKS})(\.py)?", "trl", "TrlParser", "open-r1 src/open_r1/{sft,grpo}.py", alone=True),
    Program(
        r"(scripts/)?run_(sft|dpo|orpo|cpt|kto)\.py", "alignment_handbook", "H4ArgumentParser", "alignment-handbook 0.2 and 0.4", alone=True
    ),
    Program(
        rf"(examples/)?pytorch/({_TEXT})/run_(?!\w+_no_trainer)\w+\.py",
        _TRAINER,
        "HfArgumentParser",
        "transformers 4.46 to 5.24 examples/pytorch/",
        alone=True,
    ),
    Program(
        r"(examples/(?!legacy|research_projects)\S+/)?run_(clm|fim|mlm|plm|qa|seq2seq_qa|summarization|translation)\.py",
        _TRAINER,
        "HfArgumentParser",
        "the same, started from their folder",
        alone=True,
    ),
    Program(r"internvl_chat_(finetune|pretrain)\w*\.py", _TRAINER, "HfArgumentParser", "InternVL internvl/train/", alone=True, towers=True),
    Program(r"open_instruct[/.]\w+(\.py)?", "open_instruct", "ArgumentParserPlus", "open-instruct"),
)

MANIFEST = Manifest(
    "hf",
    FORMATS,
    asked="budgetlint.readers.hf.recognise:find_home",
    telling=names("per_device_train_batch_size gradient_accumulation_steps model_name_or_path num_train_epochs"),
    telling_large=("training_args",),
    programs=PROGRAMS,
    tools=(
        Tool(
            "trl",
            names("sft dpo kto grpo reward rloo orpo cpo ppo"),
            modules={"trl.cli": ""},
            every_device=True,  # TRL cli.py calls accelerate
        ),
    ),
    idle=(
        Idle(r"transformers\.onnx", CONVERTS, "transformers 4.57 onnx/__main__.py"),
        Idle(r"trl\.scripts\.vllm_serve", SERVES, "TRL 1.16 scripts/vllm_serve.py"),
    ),
    packages=(Package("transformers"), Package("trl")),
    patches=(
        Patch(
            "liger-kernel",
            "kernels",
            "liger-kernel 0.6 to 0.8 transformers/monkey_patch.py apply_liger_kernel_to_*: on by default; cross_entropy is off",
            names("rms_norm rope swiglu linear_cross_entropy"),
        ),
    ),
)

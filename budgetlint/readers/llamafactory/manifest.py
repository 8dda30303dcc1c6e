"""What is known of LLaMA-Factory beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, Tool, names
from budgetlint.readers.hf.manifest import TRAINING_ARGUMENTS

MANIFEST = Manifest(
    "llamafactory",
    (
        Format(
            "llamafactory",
            "LLaMA-Factory",
            kinds=("llama-factory", "llama_factory"),
            own_keys=names("finetuning_type cutoff_len lora_target lora_rank template stage"),
            schema="budgetlint.readers.llamafactory.schema",
            spellings={
                **TRAINING_ARGUMENTS,
                "kernels": "enable_liger_kernel",
                "seq_len": "cutoff_len",
                "attention": "flash_attn",
                "adapter": "finetuning_type",
                "lora_r": "lora_rank",
                "lora_targets": "lora_target",
                "quant": "quantization_bit",
                "quant_double": "double_quantization",
                "recompute": "disable_gradient_checkpointing",
            },
            same_keys=True,
            arguments="transformers",
            one_process=True,
            fsdp_key=True,
            liger_key=True,
        ),
    ),
    top=names(
        """finetuning_type cutoff_len template stage lora_target lora_rank pref_loss neat_packing dataset_dir mask_history
        train_on_prompt flash_attn use_unsloth use_galore use_badam use_apollo pure_bf16 quantization_bit upcast_layernorm
        overwrite_cache plot_loss max_samples preprocessing_num_workers disable_gradient_checkpointing freeze_vision_tower
        train_dataset"""
    ),
    telling=names("cutoff_len finetuning_type"),
    programs=(Program(r"llamafactory-cli \S+", "llamafactory", "hparams/parser.py", "LLaMA-Factory 0.9"),),
    tools=(
        Tool(
            "llamafactory-cli",
            ("train",),
            modules={"llamafactory.cli": "", "llamafactory.launcher": "train"},
            scripts={"src/train_bash.py": "train", "llamafactory/launcher.py": "train"},
            also=("lmf",),
            every_device=True,  # LLaMA-Factory launcher.py calls torchrun
        ),
    ),
    packages=(Package("llamafactory", modules=("llamafactory", "llmtuner"), version_files={"extras/env.py": "assigned"}),),
)

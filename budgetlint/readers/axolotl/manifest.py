"""What is known of axolotl beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import CONVERTS, PREPARES, SERVES, Format, Idle, Manifest, Package, Program, Tool, names

MANIFEST = Manifest(
    "axolotl",
    (
        Format(
            "axolotl",
            "Axolotl",
            own_keys=names("base_model sequence_len micro_batch_size sample_packing lora_target_linear num_epochs"),
            schema="budgetlint.readers.axolotl.schema",
            spellings={
                "micro_batch": "micro_batch_size",
                "grad_accum": "gradient_accumulation_steps",
                "seq_len": "sequence_len",
                "recompute": "gradient_checkpointing",
                "optimizer": "optimizer",
                "attention": "flash_attention",
                "adapter": "adapter",
                "lora_r": "lora_r",
                "lora_targets": "lora_target_linear",
                "quant": "load_in_4bit",
                "eval_batch": "eval_batch_size",
                "loss": "chunked_cross_entropy",
                "loss fused": "plugins",
                "recompute_offload": "activation_offloading",
                "autocast": "bf16",
            },
            same_keys=True,
            makes_arguments=True,  # axolotl 0.19 core/builders/base.py
            one_of=names("datasets pretraining_dataset"),  # axolotl 0.12.2 utils/schemas/validation.py check_dataset_or_pretraining_dataset
        ),
    ),
    top=names("base_model sequence_len"),
    marks_flags=True,
    telling=names("micro_batch_size base_model sequence_len"),
    programs=(Program(r"axolotl \S+", "axolotl", "AxolotlInputConfig", "axolotl 0.19 cli/main.py"),),
    tools=(
        Tool(
            "axolotl",
            ("train",),
            modules={"axolotl.cli.train": "train", "axolotl.cli.main": ""},
            every_device=True,  # cli/main.py calls accelerate or torchrun
        ),
    ),
    idle=(
        Idle(r"axolotl\.cli\.preprocess", PREPARES, "axolotl 0.19 cli/preprocess.py"),
        Idle(r"axolotl\.cli\.(merge_lora|merge_sharded_fsdp_weights|quantize)", CONVERTS, "axolotl 0.19 cli/"),
        Idle(r"axolotl\.cli\.(inference|vllm_serve)", SERVES, "axolotl 0.19 cli/"),
    ),
    packages=(Package("axolotl"),),
)

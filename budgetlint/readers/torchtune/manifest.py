"""What is known of torchtune beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program

MANIFEST = Manifest(
    "torchtune",
    (
        Format(
            "torchtune",
            "torchtune",
            schema="budgetlint.readers.torchtune.schema",
            recipes="budgetlint.readers.torchtune.recipes:own_recipes",
            ends_at_positions=True,  # torchtune 0.6.1 modules/transformer.py _validate_inputs: ValueError above max_seq_len
            spellings={
                "micro_batch": "batch_size",
                "grad_accum": "gradient_accumulation_steps",
                "recompute": "enable_activation_checkpointing",
                "recompute_offload": "enable_activation_offloading",
                "seq_len": "tokenizer.max_seq_len",
                "optimizer": "optimizer._component_",
                "offload_params": "fsdp_cpu_offload",
                "offload_optimizer": "fsdp_cpu_offload",
                "weights_dtype": "dtype",
                "loss": "loss._component_",
            },
        ),
    ),
    documents=("json", "yaml"),
    text="_component_",
    programs=(Program(r"tune run .*", "torchtune", "OmegaConf", "torchtune 0.6 _cli/run.py"),),
    packages=(Package("torchtune"),),
    model_code="torchtune",
    code_by_stack=True,
    without=("sqrt checkpoints", "fused loss", "flash attention", "offload optimizer"),  # torchtune 0.6.1 recipes
)

"""What is known of torchtitan beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, names

MANIFEST = Manifest(
    "torchtitan",
    (
        Format(
            "torchtitan",
            "torchtitan",
            spellings={
                "micro_batch": "training.local_batch_size",
                "seq_len": "training.seq_len",
                "recompute": "activation_checkpoint.mode",
                "offload_params": "training.enable_cpu_offload",
                "offload_optimizer": "training.enable_cpu_offload",
            },
        ),
    ),
    documents=names("toml python"),
    top=("training",),
    telling_large=("[training]",),
    programs=(Program(r"(.*/)?torchtitan[/.]train(\.py)?", "torchtitan", "tyro", "torchtitan 0.2"),),
    packages=(Package("torchtitan"),),
    model_code="torchtitan",
    code_by_stack=True,
    without=("sqrt checkpoints", "fused loss", "flash attention", "chunked loss"),  # torchtitan 0.2.2 config/job_config.py
)

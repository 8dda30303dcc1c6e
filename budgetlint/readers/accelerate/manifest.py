"""What is known of accelerate beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, names

MANIFEST = Manifest(
    "accelerate",
    (
        Format(
            "accelerate",
            "Accelerate",
            own_keys=names("distributed_type compute_environment num_machines num_processes"),
            schema="budgetlint.readers.accelerate.schema",
            spellings={
                "offload_params": "fsdp_config.fsdp_offload_params",
                "offload_optimizer": "fsdp_config.fsdp_offload_params",
                "shard_strategy": "fsdp_config.fsdp_sharding_strategy",
                "recompute": "fsdp_config.fsdp_activation_checkpointing",
            },
        ),
    ),
    top=names("distributed_type compute_environment"),
    marks_flags=True,
    telling=("distributed_type",),
    packages=(Package("accelerate"),),
)

"""What is known of DeepSpeed beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, names

_ZERO = "zero_optimization."

MANIFEST = Manifest(
    "deepspeed",
    (
        Format(
            "deepspeed",
            "DeepSpeed",
            own_keys=names("zero_optimization train_micro_batch_size_per_gpu train_batch_size gradient_clipping"),
            schema="budgetlint.readers.deepspeed.schema",
            spellings={
                "shard": f"{_ZERO}stage",
                "offload_optimizer": f"{_ZERO}offload_optimizer",
                "offload_params": f"{_ZERO}offload_param",
                "zero_bucket": f"{_ZERO}reduce_bucket_size",
                "zero_allgather_bucket": f"{_ZERO}allgather_bucket_size",
            },
        ),
    ),
    documents=names("json yaml"),
    top=names(
        """zero_optimization train_micro_batch_size_per_gpu fp16 bf16 bfloat16 optimizer scheduler flops_profiler
        activation_checkpointing amp"""
    ),
    telling=names("zero_optimization train_micro_batch_size_per_gpu"),
    packages=(Package("deepspeed"),),
)

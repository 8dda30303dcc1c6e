"""The JSON Schema of DeepSpeed's configs, in key tables."""

from __future__ import annotations

from budgetlint.frameworks.file_schema import FileSchema

_ZERO = "zero_optimization"

SCHEMA = FileSchema(
    "DeepSpeed config",
    {
        "": ("deepspeed:top",),
        **{name: (f"deepspeed:{name}",) for name in (_ZERO, f"{_ZERO}.offload_optimizer", f"{_ZERO}.offload_param", "fp16", "bf16")},
    },
    "deepspeed 0.19.8 runtime/config.py asks the top key by key, runtime/config_utils.py forbids unknown keys of the ZeRO sections",
    strict=(_ZERO, f"{_ZERO}.offload_optimizer", f"{_ZERO}.offload_param"),
)

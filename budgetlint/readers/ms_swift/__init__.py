"""ms-swift: YAML, JSON and flags of ``swift`` and ``megatron``."""

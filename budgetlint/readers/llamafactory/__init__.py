"""LLaMA-Factory, both schemas."""

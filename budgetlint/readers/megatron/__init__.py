"""Megatron-LM: command-line flags, and YAML that lists them."""

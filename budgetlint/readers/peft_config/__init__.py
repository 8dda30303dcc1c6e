"""PEFT: ``adapter_config.json``."""

"""oumi: YAML with ``model``, ``data``, ``training``, ``peft``, ``fsdp`` and ``deepspeed``."""

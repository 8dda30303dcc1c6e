"""LLM Foundry: YAML for Composer's trainer, alone or inside an mcli job."""

"""LitGPT: YAML for its fine-tuning and pretraining scripts."""

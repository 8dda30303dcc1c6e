"""Python training scripts around the Hugging Face Trainer and TRL, read from the syntax tree."""

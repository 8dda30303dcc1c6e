"""transformers: a model's ``config.json``."""

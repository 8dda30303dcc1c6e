"""GPT-NeoX."""

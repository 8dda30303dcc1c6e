"""torchtitan: TOML job files."""

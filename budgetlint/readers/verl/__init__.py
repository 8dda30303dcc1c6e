"""verl: Hydra configs and overrides."""

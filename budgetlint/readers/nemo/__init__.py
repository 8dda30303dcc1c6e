"""NeMo: Hydra configs, the NeMo launcher's, and NeMo-RL."""

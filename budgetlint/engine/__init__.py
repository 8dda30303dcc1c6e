"""Runs rules, and decides what of their findings is told; fixes, baselines, the cache."""

"""The estimator: what a run holds in device memory, term by term."""

"""torch.distributed.algorithms._checkpoint."""

"""torch.distributed.algorithms."""

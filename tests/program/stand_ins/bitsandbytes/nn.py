"""bitsandbytes.nn."""

from torch.nn import Linear


class Linear4bit(Linear):
    """A linear layer."""


class Linear8bitLt(Linear):
    """A linear layer."""

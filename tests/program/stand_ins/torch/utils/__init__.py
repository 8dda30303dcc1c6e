"""torch.utils."""

from torch.utils import checkpoint, data

"""deepspeed.ops."""

from deepspeed.ops import adam

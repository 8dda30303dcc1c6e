"""The flags of launchers: torchrun, deepspeed, composer, srun, mpirun, and the environment and job around them."""

from __future__ import annotations

FORMAT = "launcher"

"""All frameworks that are read."""

from __future__ import annotations

from collections.abc import Mapping

from .engine_sources import ACCELERATE, DEEPSPEED
from .recipe_sources import TORCHTUNE
from .rl_sources import OPENRLHF, VERL
from .sources import SOURCES, Source

EVERY: Mapping[str, Source] = {**SOURCES, **{one.package: one for one in (VERL, OPENRLHF, ACCELERATE, DEEPSPEED, TORCHTUNE)}}

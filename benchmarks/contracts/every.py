"""All frameworks that are read."""

from __future__ import annotations

from collections.abc import Mapping

from .rl_sources import OPENRLHF, VERL
from .sources import SOURCES, Source

EVERY: Mapping[str, Source] = {**SOURCES, **{one.package: one for one in (VERL, OPENRLHF)}}

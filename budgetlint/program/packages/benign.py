"""Packages that change neither a training's model nor its arguments."""

from __future__ import annotations

_PACKAGES = frozenset({"logging", "wandb", "datasets", "numpy", "tqdm"})


def changes_nothing(name: str) -> bool:
    """Whether a call of this qualified name, or into this package, leaves what it is given as it was."""
    return name.partition(".")[0] in _PACKAGES

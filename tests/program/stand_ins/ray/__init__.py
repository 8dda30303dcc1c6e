"""The little of ray that training scripts touch."""

from typing import Any

from ray import train


def init(*args: Any, **kwargs: Any) -> None:
    """There is no cluster."""


def shutdown() -> None:
    """There is no cluster."""


__all__ = ["init", "shutdown", "train"]

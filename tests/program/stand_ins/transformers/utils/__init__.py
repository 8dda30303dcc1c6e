"""transformers.utils."""

from transformers.trainer import logging


def is_flash_attn_2_available() -> bool:
    return False


def check_min_version(version: str) -> None:
    """Every version will do."""


def send_example_telemetry(*args: object, **kwargs: object) -> None:
    """Nothing is sent."""


__all__ = ["check_min_version", "is_flash_attn_2_available", "logging", "send_example_telemetry"]

"""accelerate.logging."""

import logging
from typing import Any


def get_logger(name: str, log_level: Any = None) -> logging.Logger:
    return logging.getLogger(name)

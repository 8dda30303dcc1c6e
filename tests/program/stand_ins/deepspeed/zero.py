"""deepspeed.zero."""

from contextlib import contextmanager
from typing import Any

from recorder import sink


@contextmanager
@sink("deepspeed.zero.Init")
def Init(module: Any = None, **kwargs: Any) -> Any:
    yield


@contextmanager
def GatheredParameters(*args: Any, **kwargs: Any) -> Any:
    yield

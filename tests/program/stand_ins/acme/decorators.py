"""Decorators that call what they decorate with other arguments."""

import functools
from collections.abc import Callable
from typing import Any


def configured(function: Callable[..., Any]) -> Callable[..., Any]:
    """Every parameter with a default of a number is given 3."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        import inspect

        numbers = {n: 3 for n, p in inspect.signature(function).parameters.items() if type(p.default) is int}
        return function(*args, **{**numbers, **kwargs})

    return call


def entry(batch_size: int = 3) -> Callable[..., Any]:
    """A decorator with arguments, which hands the function a config."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call() -> Any:
            return function({"batch_size": batch_size, "model": "acme/base"})

        return call

    return decorate

"""wandb: a sweep gives the last value of each parameter, another than a program would default to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

config: Any = SimpleNamespace()
_sweep: dict[str, Any] = {}


class Config(SimpleNamespace):
    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self, key, default)

    def keys(self) -> Any:
        return vars(self).keys()

    def update(self, more: Any, **kwargs: Any) -> None:
        vars(self).update(more)


class Run:
    def __init__(self) -> None:
        self.config, self.name, self.id = config, "a run", "0"

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends nothing."""

    def finish(self) -> None:
        """Ends nothing."""


def init(*args: Any, config: Any = None, **kwargs: Any) -> Run:
    given = dict(vars(config) if hasattr(config, "__dict__") else config or {})
    globals()["config"] = Config(**{**given, **{key: _value(one) for key, one in _sweep.get("parameters", {}).items()}})
    return Run()


def _value(parameter: dict[str, Any]) -> Any:
    return parameter["values"][-1] if "values" in parameter else parameter.get("value", parameter.get("max"))


def sweep(sweep: dict[str, Any], **kwargs: Any) -> str:
    _sweep.update(sweep)
    return "a sweep"


def agent(sweep_id: str, function: Any = None, count: int | None = None, **kwargs: Any) -> None:
    function()


def log(*args: Any, **kwargs: Any) -> None:
    """Nothing is sent."""


finish = watch = login = log

"""PyTorch Lightning: what a Trainer calls of the module and the data that it is given.

Sources: lightning 2.0 to 2.6 ``pytorch/trainer/trainer.py`` fit, ``pytorch/core/mixins/hparams_mixin.py`` save_hyperparameters.
"""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.program.functions import opaque_call
from budgetlint.program.state import Call, Interpreter
from budgetlint.program.values import NONE, Function, Object, Value

_PACKAGES = ("pytorch_lightning", "lightning", "lightning.pytorch", "pytorch_lightning.trainer", "pytorch_lightning.core")
_HOOKS = ("prepare_data", "setup", "configure_model", "train_dataloader", "configure_optimizers", "training_step")


def _fit(it: Interpreter, base: Value, call: Call) -> Value:
    """The hooks that a training goes through, each with what Lightning gives it."""
    given = [call.get("model", 0), call.get("datamodule", 3)]
    for one in given:
        for name in _HOOKS if isinstance(one, Object) and one.cls is not None else ():
            hook = one.cls.find(name) if isinstance(one, Object) and one.cls is not None else None
            if isinstance(hook, Function) and one is not None:
                it.call(hook.of(one), opaque_call(it, hook, "Lightning calls it"))
    return NONE


def _saved(it: Interpreter, base: Value, call: Call) -> Value:
    """``self.hparams``: what it is given, else the arguments of the ``__init__`` around."""
    if not isinstance(base, Object):
        return NONE
    if len(call.positional) == 1 and isinstance(call.positional[0], Object):
        it.heap.write(base, "hparams", call.positional[0])
    elif not call.positional:
        made = Object("argparse.Namespace")
        made.attributes = {name: value for name, value in call.frame.names.bound.items() if value is not base}
        it.heap.write(base, "hparams", made)
    return NONE


METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{package}.Trainer.fit": _fit for package in _PACKAGES},
    **{f"{package}.{name}.save_hyperparameters": _saved for package in _PACKAGES for name in ("LightningModule", "LightningDataModule")},
}

"""PyTorch Lightning: what a Trainer calls of the module and the data that it is given.

Sources: lightning 2.0 to 2.6 ``pytorch/trainer/trainer.py`` fit, ``pytorch/core/mixins/hparams_mixin.py`` save_hyperparameters,
``fabric/utilities/seed.py`` seed_everything (generators of random numbers, and two variables of its own); lightning-utilities 0.15
``core/rank_zero.py``: what ``rank_zero_only`` decorates is called on rank 0.
"""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.program.calling import Call
from budgetlint.program.functions import opaque_call
from budgetlint.program.objects import Class, Function, Handler, Object
from budgetlint.program.state import Interpreter
from budgetlint.program.values import NONE, Opaque, Value

_PACKAGES = (
    "lightning", *(f"{package}{module}" for package in ("pytorch_lightning", "lightning.pytorch")
    for module in ("", ".trainer", ".trainer.trainer", ".core", ".core.module", ".core.datamodule")),
)  # fmt: skip
_HOOKS = ("prepare_data", "setup", "configure_model", "train_dataloader", "configure_optimizers", "training_step")


def _fit(it: Interpreter, base: Value, call: Call) -> Value:
    """The hooks that a training goes through, each with what Lightning gives it."""
    module = call.get("model", 0)
    for one in (module, call.get("datamodule", 3)):
        if isinstance(one, Object) and one.cls is not None:
            if isinstance(base, Object) and module is not None:
                it.heap.write(base, "model", module)
                it.heap.write(one, "trainer", base)
            _hooked(it, one, one.cls)
    return NONE


def _hooked(it: Interpreter, one: Object, cls: Class) -> None:
    for name in _HOOKS:
        hook = cls.find(name)
        if isinstance(hook, Function):
            bound = hook.of(one)
            it.call(bound, opaque_call(it, bound, "Lightning calls it"))


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


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    """What logs changes nothing."""
    return NONE


def _on_rank_zero(it: Interpreter, call: Call) -> Value:
    """Rank 0 calls it as it stands; there what it gives is given."""
    return call.positional[0] if call.positional else NONE


def _told(it: Interpreter, call: Call) -> Value:
    return NONE


def _seed(it: Interpreter, call: Call) -> Value:
    return call.get("seed", 0) or Opaque("a seed")


_RANK_ZERO = (
    "lightning_utilities.core.rank_zero", *(f"{package}.utilities{module}" for module in ("", ".rank_zero", ".distributed")
    for package in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric", "lightning_fabric")),
)  # fmt: skip
FUNCTIONS: dict[str, Handler] = {
    **{f"{module}.rank_zero_only": _on_rank_zero for module in _RANK_ZERO},
    **{f"{module}.rank_zero_{word}": _told for module in _RANK_ZERO for word in ("info", "warn", "debug", "deprecation")},
    **{f"{package}.seed_everything": _seed for package in (
        "pytorch_lightning", "lightning", "lightning.pytorch", "lightning.fabric", "lightning_fabric", "pytorch_lightning.utilities.seed",
        "lightning.fabric.utilities.seed")},
}  # fmt: skip


def _made_before(it: Interpreter, base: Value, call: Call) -> Value:
    """``self.optimizers()``, ``self.lr_schedulers()``: those of ``configure_optimizers``; asking for them changes nothing."""
    return Opaque("what configure_optimizers gave")


METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{package}.Trainer.fit": _fit for package in _PACKAGES},
    **{f"{package}.{name}.save_hyperparameters": _saved for package in _PACKAGES for name in ("LightningModule", "LightningDataModule")},
    **{f"{package}.LightningModule.{name}": _nothing for package in _PACKAGES for name in ("log", "log_dict", "print")},
    **{f"{package}.LightningModule.{name}": _made_before for package in _PACKAGES for name in ("optimizers", "lr_schedulers")},
}

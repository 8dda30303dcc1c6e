"""The model that a value is a part of; modules and layers of the repository's own; what is none of a model's modules."""

from __future__ import annotations

import ast

from budgetlint.program.objects import Object
from budgetlint.program.sink_kinds import READY
from budgetlint.program.sinks import MODELS
from budgetlint.program.values import External, Opaque, Value


def model_of(value: Value | None, most: int = 30) -> Object | None:
    """The model that something is a part of."""
    for _ in range(most):
        if isinstance(value, Object) and value.made is not None and value.made.kind in MODELS:
            return value
        value = (
            value.of if isinstance(value, Opaque) else value.data if isinstance(value, Object) and isinstance(value.data, Value) else None
        )
        if value is None:
            return None
    return None


def module_of(value: Value | None, most: int = 30) -> Object | None:
    """The model that something is a part of, or the module of the repository's own."""
    for _ in range(most):
        if isinstance(value, Object) and ((value.made is not None and value.made.kind in MODELS) or is_module(value)):
            return value
        value = (
            value.of if isinstance(value, Opaque) else value.data if isinstance(value, Object) and isinstance(value.data, Value) else None
        )
        if value is None:
            return None
    return None


def is_module(value: Value | None) -> bool:
    """A ``torch.nn.Module`` of the repository's own code, or one that Lightning or transformers offers to build on."""
    if not isinstance(value, Object):
        return False
    if ready_of(value):
        return True
    line = [one.name for one in value.cls.line if isinstance(one, External)] if value.cls is not None else []
    return any(name.startswith("torch.nn.") or name.endswith((".LightningModule", ".PreTrainedModel", "PreTrainedModel")) for name in line)


def ready_of(value: Value | None) -> str:
    """What a model of a package is called that has models ready, none of transformers' code; empty for all else."""
    if not isinstance(value, Object):
        return ""
    if value.kind.startswith("torchvision.models."):
        return "torchvision"
    return READY.get(value.made.name, "") if value.made is not None and value.made.kind == "ready" else ""


def is_layer(value: Value) -> bool:
    """A module of the repository's own, or a layer of torch or of bitsandbytes; a parameter is none."""
    if not isinstance(value, Object) or value.kind.endswith("Parameter"):
        return False
    return is_module(value) or value.kind.startswith(("torch.nn.", "bitsandbytes.nn."))


_CONFIGS = (".config of ", ".generation_config of ", ".model_config of ")
_REGISTERED = ("_modules", "_module", "_parameters", "_buffers", "_mod")
"""What ``torch.nn.Module`` keeps its parts in, and wrappers theirs."""
_MODULES = ("quant", "dtype", "attn", "architectures")


TENSORS = frozenset({"data", "weight", "bias", "grad", "ds_tensor"})
_NUMBERS = tuple(f".{name} of " for name in TENSORS)


def is_of_modules(node: ast.AST | None) -> bool:
    """``parent._modules[name] = layer``"""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "_modules"


def is_content(node: ast.AST | None) -> bool:
    """``weight.data[-3:] = mean``: numbers of a tensor, which stays what it is."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr in TENSORS


def is_no_module(base: Opaque, name: str) -> bool:
    """A field of the model's configuration, which nobody asks once the model is made; the content of a weight."""
    if name.startswith("_") and not name.startswith("__") and not name.endswith(_REGISTERED):
        return True  # modules are called by public names
    if name == "__setitem__":
        return ("embeddings" in base.why and base.why.startswith("what get_")) or base.why.startswith(_NUMBERS)
    return (base.why.startswith(_CONFIGS) or " of config of " in base.why) and not any(word in name for word in _MODULES)

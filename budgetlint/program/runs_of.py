"""How the methods of a module run the model that it holds, read off their text: how often, and what is done beside it.

A step runs ``forward``, of a module of Lightning ``training_step``, and what these call of the module's own. Where a text does not say that
the model runs once, and that nothing else of size is done, it is said what stands in the way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from budgetlint.program.choices import alternatives
from budgetlint.program.models import is_module, model_of
from budgetlint.program.objects import Function, Object
from budgetlint.program.sinks import MODELS
from budgetlint.program.values import ABSENT, Known, Opaque, Value

_STEPS = ("training_step", "forward")
_MOST = 3_000
"""Nodes of the methods that are read."""
_DEEPEST = 6
_KEEPS = frozenset({"output_hidden_states", "output_attentions"})
_UNTRAINED = frozenset({"no_grad", "inference_mode"})
_LOOKS = frozenset({
    "config", "device", "dtype", "training", "generation_config", "parameters", "named_parameters", "train", "eval", "state_dict",
})  # fmt: skip
"""What is asked of a model without running it."""
_OF_TENSORS = frozenset({
    "mean", "sum", "max", "min", "size", "view", "reshape", "squeeze", "unsqueeze", "expand", "expand_as", "transpose", "permute",
    "contiguous", "float", "to", "type", "type_as", "long", "int", "bool", "cuda", "cpu", "item", "items", "keys", "values",
    "get", "pop", "append", "update", "clone", "detach", "masked_fill", "masked_fill_", "clamp", "clamp_", "cat", "stack",
    "split", "chunk", "gather", "index_select", "where", "arange", "zeros", "zeros_like", "ones", "ones_like", "full",
    "full_like", "tensor", "argmax", "softmax", "log_softmax", "sigmoid", "tanh", "relu", "gelu", "dropout", "normalize", "norm",
    "layer_norm", "eq", "ne", "lt", "gt", "ge", "le", "any", "all", "dim", "numel", "flatten", "unbind", "repeat", "log", "exp",
    "sqrt", "pow", "abs", "mul", "add", "sub", "div", "log_dict", "print", "tolist", "format", "join", "nonzero", "cross_entropy",
    "mse_loss", "l1_loss", "smooth_l1_loss", "nll_loss", "kl_div", "binary_cross_entropy", "logsigmoid",
    "binary_cross_entropy_with_logits", "no_grad", "inference_mode", "autocast", "warn", "warning", "info", "debug", "copy",
    "shape",
})  # fmt: skip
"""Functions of torch and methods of tensors whose result is no larger than what they are given, or is of the rows alone."""
_OF_PYTHON = frozenset({
    "len", "isinstance", "range", "zip", "enumerate", "int", "float", "bool", "str", "tuple", "list", "dict", "getattr", "hasattr", "print",
    "super", "min", "max", "sum", "any", "all", "ValueError", "RuntimeError", "NotImplementedError",
})  # fmt: skip


class _Run(NamedTuple):
    times: int = 0
    doubt: str = ""


def ran(module: Object, held: Object) -> str:
    """Why a step of the module is not one run of the model it holds, and small things beside; empty where it is."""
    methods = [module.cls.find(name) for name in _STEPS] if module.cls is not None else []
    first = next((one for one in methods if isinstance(one, Function)), None)
    if first is None:
        return "has no forward that is followed"
    reader = _Reader(module, held)
    found = reader.method(first, 0)
    if found.doubt:
        return found.doubt
    if not found.times:
        return "does not say where it runs the model"
    return "" if found.times == 1 else f"runs the model {found.times} times a step"


class _Reader:
    def __init__(self, module: Object, held: Object) -> None:
        self.module, self.held, self.read = module, held, 0

    def method(self, function: Function, depth: int) -> _Run:
        node = function.node
        if depth > _DEEPEST or isinstance(node, ast.Lambda):
            return _Run(doubt="calls too much of its own to be read")
        if any(ast.unparse(one).rpartition(".")[2].partition("(")[0] not in _DECORATORS for one in node.decorator_list):
            return _Run(doubt=f"has a decorator around {node.name} that is not known")
        own = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args)[:1]}
        return _Body(self, own, _losses(node), depth).block(node.body)

    def part(self, name: str) -> list[Value]:
        """What is behind ``self.name``."""
        value = self.module.attributes.get(name)
        found = value if value is not None else self.module.cls.find(name) if self.module.cls is not None else None
        return [way.value for way in alternatives(found) if way.value is not ABSENT] if found is not None else []

    def is_held(self, value: Value) -> bool:
        return isinstance(value, Object) and value.made is not None and value.made.kind in MODELS


_DECORATORS = frozenset({
    "autocast", "override", "add_start_docstrings_to_model_forward", "add_code_sample_docstrings", "replace_return_docstrings",
    "staticmethod", "classmethod", "torch_compile_disable", "custom_fwd",
})  # fmt: skip


def _losses(node: ast.AST) -> frozenset[str]:
    """Local names of losses: ``loss_fct = CrossEntropyLoss()``."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and _last(one.value.func).endswith("Loss"):
            found |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    return frozenset(found)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class _Body:
    """One method. ``own``: what it calls the module."""

    def __init__(self, reader: _Reader, own: set[str], losses: frozenset[str], depth: int) -> None:
        self.reader, self.own, self.losses, self.depth = reader, own, losses, depth

    def block(self, body: Sequence[ast.stmt]) -> _Run:
        whole = _Run()
        for one in body:
            whole = _after(whole, self.statement(one))
            if whole.doubt:
                break
        return whole

    def statement(self, node: ast.stmt) -> _Run:
        match node:
            case ast.If():
                return _after(self.parts([node.test]), _either(self.block(node.body), self.block(node.orelse)))
            case ast.For() | ast.While() | ast.AsyncFor():
                head = node.test if isinstance(node, ast.While) else node.iter
                inner = _after(self.block(node.body), self.block(node.orelse))
                again = _Run(inner.times, inner.doubt or ("runs the model in a loop" if inner.times else ""))
                return _after(self.parts([head]), again)
            case ast.With() | ast.AsyncWith():
                inner = self.block(node.body)
                stops = any(_last(one) in _UNTRAINED for item in node.items for one in ast.walk(item.context_expr))
                if stops and inner.times:
                    return _Run(inner.times, "runs the model without gradients")
                return _after(self.parts([item.context_expr for item in node.items]), inner)
            case ast.Try():
                handlers = _Run()
                for one in node.handlers:
                    handlers = _either(handlers, self.block(one.body))
                return _after(_after(self.block(node.body), handlers), self.block([*node.orelse, *node.finalbody]))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Match():
                return _Run(doubt=f"has a {type(node).__name__} of its own in a step")
        return self.parts(list(ast.iter_child_nodes(node)))

    def parts(self, nodes: Iterable[ast.AST]) -> _Run:
        whole = _Run()
        for one in nodes:
            whole = _after(whole, self.expression(one))
            if whole.doubt:
                break
        return whole

    def expression(self, node: ast.AST) -> _Run:
        self.reader.read += 1
        if self.reader.read > _MOST:
            return _Run(doubt="is too long to be read")
        match node:
            case ast.Call():
                return self.call(node)
            case ast.IfExp():
                return _after(self.parts([node.test]), _either(self.expression(node.body), self.expression(node.orelse)))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                inner = self.parts(ast.iter_child_nodes(node))
                return _Run(inner.times, inner.doubt or ("runs the model in a loop" if inner.times else ""))
            case ast.BinOp() if isinstance(node.op, ast.MatMult):
                return _Run(doubt="multiplies matrices beside the model")
            case ast.Attribute() if node.attr in _LOOKS and isinstance(node.value, ast.Attribute) and self.is_self(node.value.value):
                return _Run()
            case ast.Attribute() if self.is_self(node.value) and any(map(self.reader.is_held, self.reader.part(node.attr))):
                return _Run(doubt="hands the model on")
            case ast.Lambda() | ast.Await() | ast.Yield() | ast.YieldFrom():
                return _Run(doubt="does what is not read in a step")
        return self.parts(ast.iter_child_nodes(node))

    def is_self(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.own

    def call(self, node: ast.Call) -> _Run:
        given = self.parts([*node.args, *(one.value for one in node.keywords)])
        return _after(given, self.called(node.func, node))

    def called(self, function: ast.expr, node: ast.Call) -> _Run:
        if self.is_self(function):  # ``self(batch)``
            return self.own_method("forward")
        if isinstance(function, ast.Name):
            known = function.id in _OF_PYTHON or function.id in self.losses or function.id.endswith("Output")
            return _Run() if known or _makes_output(function.id) else _Run(doubt=f"calls {function.id} in a step")
        if isinstance(function, ast.Call):  # ``CrossEntropyLoss()(logits, labels)``
            return self.parts([function]) if _last(function.func).endswith("Loss") else _Run(doubt="calls what it makes in a step")
        if not isinstance(function, ast.Attribute):
            return _Run(doubt="calls what is not read in a step")
        if self.is_self(function.value):
            return self.of_self(function.attr, node)
        if isinstance(function.value, ast.Attribute) and self.is_self(function.value.value):
            parts = self.reader.part(function.value.attr)
            if any(map(self.reader.is_held, parts)):
                if function.attr in _LOOKS:
                    return _Run()
                return self.run(node) if function.attr == "forward" else _Run(doubt=f"calls {function.attr} of the model")
        elif isinstance(function.value, ast.Call) and _last(function.value.func) == "super":
            return _Run(doubt=f"calls {function.attr} of what it is built on")
        inner = self.expression(function.value)
        known = function.attr in _OF_TENSORS or function.attr.endswith(("Loss", "Output"))
        return inner if inner.doubt or known else _Run(inner.times, f"calls {function.attr} in a step")

    def of_self(self, name: str, node: ast.Call) -> _Run:
        """``self.name(…)``"""
        parts = self.reader.part(name)
        if any(map(self.reader.is_held, parts)):
            return self.run(node)
        if any(isinstance(one, Opaque) and model_of(one) is not None for one in parts):
            return _Run(doubt="runs a part of the model")
        if any(isinstance(one, Function) for one in parts):
            return self.own_method(name)
        if name in _OF_LIGHTNING and not parts:
            return _Run()
        found = _Run()
        for one in parts or [ABSENT]:
            found = _either(found, self.of_part(one, name))
        return found

    def of_part(self, one: Value, name: str) -> _Run:
        if isinstance(one, Known) and one.value is None:
            return _Run()
        if not isinstance(one, Object):
            return _Run(doubt=f"runs {name}, which is not known")
        if one.cls is not None and is_module(one):
            inner = one.cls.find("forward")
            if not isinstance(inner, Function):
                return _Run(doubt=f"runs {name}, which is not known")
            return _Reader(one, self.reader.held).method(inner, self.depth + 1)
        known = one.kind.startswith(("torch.nn.", "torchmetrics."))
        return _Run() if known else _Run(doubt=f"runs {name}, which is not known")

    def own_method(self, name: str) -> _Run:
        method = next((one for one in self.reader.part(name) if isinstance(one, Function)), None)
        return self.reader.method(method, self.depth + 1) if method is not None else _Run(doubt=f"calls {name}, which is not followed")

    def run(self, node: ast.Call) -> _Run:
        """A run of the model."""
        for one in node.keywords:
            if one.arg in _KEEPS and not (isinstance(one.value, ast.Constant) and one.value.value in (False, None)):
                return _Run(1, f"asks the model for {str(one.arg).removeprefix('output_').replace('_', ' ')}")
            if one.arg in {"inputs_embeds", "past_key_values", "encoder_outputs", "encoder_hidden_states"}:
                return _Run(1, f"gives the model {one.arg}")
        return _Run(1)


_OF_LIGHTNING = frozenset({"log", "log_dict", "print", "optimizers", "lr_schedulers", "manual_backward", "parameters", "register_buffer"})


def _makes_output(name: str) -> bool:
    """``SequenceClassifierOutput``, ``BaseModelOutputWithPooling``: records of what is there already."""
    return name[:1].isupper() and ("Output" in name or name.endswith("Loss"))


def _after(one: _Run, other: _Run) -> _Run:
    return _Run(one.times + other.times, one.doubt or other.doubt)


def _either(one: _Run, other: _Run) -> _Run:
    return _Run(max(one.times, other.times), one.doubt or other.doubt)

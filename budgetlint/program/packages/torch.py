"""torch, accelerate and deepspeed, as far as programs ask them before they train.

Sources: torch 2.4 to 2.9 ``cuda/__init__.py``; accelerate 0.34 to 1.12 ``accelerator.py`` (prepare gives what it is given, in order),
``state.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.models import model_of
from budgetlint.program.objects import Handler, Object
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter, name_of
from budgetlint.program.values import FALSE, NONE, TRUE, External, Items, Known, Opaque, Value, Way
from budgetlint.program.wording import negated, shown

_ASSUMED = Origin("declared", Place("", 0), "a training has a device")


def _yes(it: Interpreter, call: Call) -> Value:
    """A training runs on a device."""
    return Known(True, (_ASSUMED,))


def _either(it: Interpreter, call: Call) -> Value:
    """The device decides it."""
    asked = shown(call.node) if isinstance(call.node, ast.Call) else ""
    return choice([Way(asked, TRUE), Way(negated(asked) if asked else "", FALSE)])


def _nothing(it: Interpreter, call: Call) -> Value:
    return NONE


def _device(it: Interpreter, call: Call) -> Value:
    made = Object("torch.device")
    made.attributes = {"type": call.get("type", 0) or Opaque("the type of a device")}
    return made


def _compiled(it: Interpreter, call: Call) -> Value:
    """``torch.compile`` keeps what it is given; as a decorator, the function."""
    given = call.get("model", 0)
    if given is None:
        return Object("torch.compile()")
    if model_of(given) is not None:
        it.sink("compile", "torch.compile", call).receiver = given
    return given


def _first(it: Interpreter, base: Value, call: Call) -> Value:
    return call.positional[0] if call.positional else Opaque("what is wrapped")


def _prepare(it: Interpreter, base: Value, call: Call) -> Value:
    """What is prepared is given back in its order, one alone by itself."""
    if call.rest is not None or not call.positional:
        return Opaque("what is prepared", package="accelerate")
    return call.positional[0] if len(call.positional) == 1 else Items(call.positional, "tuple")


def _backward(it: Interpreter, base: Value, call: Call) -> Value:
    made = it.sink("backward", "backward", call)
    made.receiver = base
    return NONE


def _context(it: Interpreter, base: Value, call: Call) -> Value:
    return Object("a context")


def _autocast(it: Interpreter, call: Call) -> Value:
    made = it.sink("autocast", "torch.autocast", call)
    result = Object("torch.autocast")
    result.made, made.result = made, result
    return result


def _default_dtype(it: Interpreter, call: Call) -> Value:
    if name_of(call.positional[0] if call.positional else NONE).startswith("torch."):
        it.doubt("patch", "torch.set_default_dtype", it.place(call.node, call.frame))
    return NONE


_ACCELERATOR = "accelerate.Accelerator"
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    f"{_ACCELERATOR}.prepare": _prepare,
    f"{_ACCELERATOR}.prepare_model": _first,
    f"{_ACCELERATOR}.prepare_optimizer": _first,
    f"{_ACCELERATOR}.prepare_data_loader": _first,
    f"{_ACCELERATOR}.unwrap_model": _first,
    f"{_ACCELERATOR}.backward": _backward,
    f"{_ACCELERATOR}.accumulate": _context,
    f"{_ACCELERATOR}.autocast": _context,
    "torch.compile().__call__": _first,
    "torch.no_grad().__call__": _first,
    "torch.inference_mode().__call__": _first,
    "a context.__call__": _first,
}


def _decorator(it: Interpreter, call: Call) -> Value:
    """``@torch.no_grad()``, ``@record``: what is decorated stays what it is."""
    return call.positional[0] if call.positional else Object("a context")


_DOCUMENTS = ("add_start_docstrings", "add_start_docstrings_to_model_forward", "add_end_docstrings", "replace_return_docstrings",
              "add_code_sample_docstrings")  # fmt: skip


def _documented(it: Interpreter, call: Call) -> Value:
    """``@add_start_docstrings(…)`` of transformers ``utils/doc.py`` gives back what it decorates."""
    return Object("a context")


def _spawned(it: Interpreter, call: Call) -> Value:
    """``spawn(fn, args=(…))``: each process calls ``fn(rank, …)`` (torch ``multiprocessing/spawn.py``)."""
    function, args = call.get("fn", 0), call.get("args", 1)
    given = args.items if isinstance(args, Items) else ()
    more = args.more if isinstance(args, Items) else args
    if function is not None:
        it.call(function, call._replace(positional=(Opaque("the rank of a process"), *given), keywords={}, rest=more))
    return NONE


def _launched(it: Interpreter, call: Call) -> Value:
    """``notebook_launcher(fn, args=(…))`` (accelerate ``launchers.py``)."""
    function, args = call.get("function", 0), call.get("args", 1)
    given = args.items if isinstance(args, Items) else ()
    if function is not None:
        it.call(function, call._replace(positional=tuple(given), keywords={}, rest=None))
    return NONE


_SWITCH: dict[str, Value] = {"action": Known("store_true"), "default": Known(False)}
_PATH: dict[str, Value] = {"type": External("str"), "default": NONE}
_FLAGS = (("--deepspeed", True), ("--deepspeed_config", False), ("--deepscale", True), ("--deepscale_config", False))


def _with_flags(it: Interpreter, call: Call) -> Value:
    """``deepspeed.add_config_arguments(parser)`` adds four options and gives the parser back (deepspeed ``__init__.py``)."""
    parser = call.get("parser", 0)
    add = it.parts.methods["argparse.ArgumentParser.add_argument"]
    if not isinstance(parser, Object):
        return parser or Opaque("a parser")
    for name, is_switch in _FLAGS:
        keywords = _SWITCH if is_switch else _PATH
        add(it, parser, call._replace(positional=(Known(name),), keywords=keywords, rest=None))
    return parser


FUNCTIONS: dict[str, Handler] = {
    **{f"transformers.{name}": _documented for name in _DOCUMENTS},
    "torch.multiprocessing.spawn": _spawned,
    "accelerate.notebook_launcher": _launched,
    "deepspeed.add_config_arguments": _with_flags,
    "torch.state_dict_type": lambda it, call: Object("a context"),  # static methods of FullyShardedDataParallel: how states are saved
    "torch.set_state_dict_type": _nothing,
    "torch.optim_state_dict": lambda it, call: Opaque("the states of an optimizer", package="torch"),
    "torch.cuda.is_available": _yes,
    "torch.cuda.is_bf16_supported": _either,
    "torch.device": _device,
    "torch.compile": _compiled,
    "torch.autocast": _autocast,
    "torch.cuda.amp.autocast": _autocast,
    "torch.amp.autocast": _autocast,
    "torch.set_default_dtype": _default_dtype,
    "torch.distributed.is_available": _yes,
    "torch.no_grad": _decorator,
    "torch.inference_mode": _decorator,
    "torch.distributed.elastic.multiprocessing.errors.record": _decorator,
    "torch.cuda.set_device": _nothing,
    "torch.cuda.empty_cache": _nothing,
    "torch.manual_seed": _nothing,
    "torch.distributed.init_process_group": _nothing,
    "deepspeed.init_distributed": _nothing,
    "accelerate.utils.set_seed": _nothing,
    "ray.remote": _decorator,
}

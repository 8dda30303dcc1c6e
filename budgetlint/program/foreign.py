"""Calls of code that is not followed: what it gives, what it may have changed, which functions it calls back."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.copies import reachable
from budgetlint.program.functions import opaque_call
from budgetlint.program.generators import consumed
from budgetlint.program.models import model_of, module_of
from budgetlint.program.noted import UNKNOWN
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.packages.benign import CHANGES, PACKAGES
from budgetlint.program.reads import handed_on
from budgetlint.program.repeat import repeated
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import External, Items, Map, Opaque, Value


def short(name: str) -> str:
    """``trl.TrlParser`` of ``trl.scripts.utils.TrlParser``: the name under which a package offers it."""
    return f"{name.partition('.')[0]}.{name.rpartition('.')[2]}"


def made_by(name: str, call: Call) -> Object:
    """An object of a package's class that is not known: what it was given, it may have as attributes."""
    made = Object(name)
    made.data = next((one for one in call.given() if model_of(one) is not None), None)
    if name.startswith("torch.nn."):
        made.given = call
    return made


def harmless(it: Interpreter, name: str, call: Call, base: Value | None) -> Value:
    """Code that changes none of what it is given; functions that it is given are called by it."""
    call_back(it, call.given(), f"{name} calls it")
    model = next((one for one in (base, *call.given()) if module_of(one) is not None), None)
    return Opaque(f"what {name} gives", model, name.partition(".")[0])


def not_followed(it: Interpreter, what: Value, call: Call, why: str) -> Value:
    """Code that nobody knows: what it was given may be changed, and if it was given nothing, it was called for what it changes
    elsewhere."""
    place = it.place(call.node, call.frame)
    given = call.given()
    call_back(it, given, why)
    handed_on(it, "", call)
    for one in (*given, *([what] if isinstance(what, Items | Map | Object) else [])):
        it.disturb(one, f"{why} was given it", place)
    if isinstance(what, External):
        model = next((one for one in given if model_of(one) is not None), None)
        if model is None and _may_patch(what.name, given):
            it.doubt(UNKNOWN, why, place, what)
        return Opaque(why, model, what.name.partition(".")[0])
    return Opaque(why, next((one for one in (what, *given) if model_of(one) is not None), None))


def _may_patch(name: str, given: Sequence[Value]) -> bool:
    """May a call that is not handed the model change it all the same, by what it does to the code of a package?

    Of a package that is known as one that changes something (`benign`), always. A class that loads an object of its own
    (``X.from_pretrained``) and a part of a module's own names (``x.__file__.split``) never do. Of code that nobody has: where the name says
    so (``replace_llama_attn``), where it is handed code of a framework (``convert(LlamaAttention)``) or what may have
    the model, and where it is handed nothing and its name asks for nothing (``setup()``): ``make_data(tokenizer, args)`` has neither."""
    *owners, last = name.split(".")
    loads = bool(owners) and owners[-1][:1].isupper() and last.startswith(("from_", "load_"))
    if loads or any(one.startswith("__") and one.endswith("__") for one in owners):
        return False
    if name.partition(".")[0] in _KNOWN or any(word in f"{''.join(owners[-1:])}.{last}".lower() for word in _PATCHES):
        return True
    if any(_has_it(one) for value in given for one in reachable(value)):
        return True
    if not given:
        return not last.lstrip("_").lower().startswith(_ASKS)
    return any(isinstance(one, External) and one.name.partition(".")[0] in _KNOWN and not one.name.startswith(_NO_CODE) for one in given)


def _has_it(value: Value) -> bool:
    """A trainer, a module of the program's own; a function or class that is wrapped may be called with the model later."""
    trainer = isinstance(value, Object) and value.made is not None and value.made.kind == "trainer"
    return trainer or module_of(value) is not None or isinstance(value, Function | Class)


_KNOWN = frozenset(one.partition(".")[0] for one in (*PACKAGES, *CHANGES)) & {
    "accelerate", "bitsandbytes", "deepspeed", "peft", "torch", "transformers", "trl",
}  # fmt: skip
_NO_CODE = tuple(f"torch.{name}" for name in ("float", "bfloat", "half", "double", "int", "long", "cuda", "device"))
_PATCHES = (
    "accelerat", "adapter", "apply", "attention", "attn", "compile", "convert", "disable", "enable", "flash", "hack", "hijack", "inject",
    "kernel", "liger", "lora", "monkey", "optimi", "overrid", "patch", "peft", "quant", "register", "replace", "swap", "upgrade",
    "use_", "wrap", "xformers",
)  # fmt: skip
_ASKS = ("arg", "build_", "create_", "find_", "get", "is_", "load_", "make_", "parse", "read", "seed", "set_seed")


def call_back(it: Interpreter, given: Sequence[Value], why: str) -> None:
    """Functions that are handed over are called any number of times, with anything."""
    for value in given:
        for one in value.items if isinstance(value, Items) else (value,):
            consumed(it, one)
            if isinstance(one, Function) and all(other.node is not one.node for other in it.stack):
                repeated(it, lambda one=one: _run(it, one, why), "", one.node)  # type: ignore[misc]


def _run(it: Interpreter, function: Function, why: str) -> Signal:
    consumed(it, it.call(function, opaque_call(it, function, why)))
    return GOES_ON

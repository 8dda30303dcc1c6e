"""Sinks written down as they are met: arguments by name, what comes of the call, and what a trainer calls back."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.documents.python_marks import EVALUATES
from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.functions import opaque_call
from budgetlint.program.generators import consumed
from budgetlint.program.misfits import misspelt_fields
from budgetlint.program.models import model_of, module_of
from budgetlint.program.noted import Watched
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.packages.signatures import one_name, positional_names
from budgetlint.program.passed_on import calls_base, only_calls_base, passes_on
from budgetlint.program.places import Place
from budgetlint.program.repeat import repeated
from budgetlint.program.reworked import leave_open
from budgetlint.program.sink_kinds import SIGNATURES, WATCHED, kind_of_call, kind_of_method
from budgetlint.program.sinks import MODELS, Sink
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.steps import ModelRun
from budgetlint.program.value_errors import text_for_a_number
from budgetlint.program.values import NONE, Items, Known, Map, Opaque, Value

_ITSELF = frozenset({"cast", "mode", "freeze", "checkpointing", "kbit", "ddp", "fsdp"})
"""A method that gives the model itself."""
_OF_MODULES = frozenset({"cast", "freeze", "checkpointing", "mode"})
"""Methods that are written down of modules of the repository too."""


def sink(it: Interpreter, name: str, call: Call, receiver: Value | None) -> Value | None:
    """A call of this name, if it decides memory: the object that comes of it. None for all others."""
    kind = kind_of_call(name)
    if name.rpartition(".")[2] in WATCHED:
        _watch(it, name, call)
    if not kind:
        return _method(it, name, call, receiver)
    written = it.sink(kind, name, _named(call, kind, name))
    own = receiver.cls if isinstance(receiver, Object) else receiver if isinstance(receiver, Class) else None
    if own is not None:
        written.base, written.overrides = own.name, _overridden(own)
    if kind in {"arguments", "adapter_config"}:
        misspelt_fields(it, name, call, own)
    elif kind == "optimizer" and own is None:
        text_for_a_number(it, written, call)
    made = receiver if isinstance(receiver, Object) else Object(name, own)
    made.kind, made.made = made.kind or name, written
    written.result = made
    _keep(it, made, kind, _named(call, kind, name))
    if kind == "trainer":
        _made_by_function(it, written)
    if kind in {"trainer", "dataloader"}:
        _called_back(it, [*call.positional, *call.keywords.values()])
    return _given(made, kind)


def _watch(it: Interpreter, name: str, call: Call) -> None:
    """A call that only rules ask about."""
    names = WATCHED[name.rpartition(".")[2]]
    given = {**dict(zip(names, call.positional, strict=False)), **call.keywords}
    it.slips.watched.append(Watched(name, given, it.place(call.node, call.frame), call.rest is None and not any(it.conditions)))


def _made_by_function(it: Interpreter, trainer: Sink) -> None:
    """``model_init`` is called for the model that is trained (transformers ``trainer.py`` call_model_init)."""
    make, model = trainer.get("model_init"), trainer.get("model")
    if isinstance(make, Function) and (model is None or (isinstance(model, Known) and model.value is None)):
        trainer.arguments["model"] = it.call(make, opaque_call(it, make, "the trial of a search"))
        trainer.number = len(it.sinks)


def _named(call: Call, kind: str, name: str) -> Call:
    """Positional arguments by their names, as far as the signature is known."""
    if kind == "trainer":
        call = call._replace(keywords=one_name(name, call.keywords))
    names = positional_names(kind, name, call.positional, SIGNATURES.get(kind, ()))
    pairs = list(zip(names, call.positional, strict=False))
    named = {one: value for one, value in pairs if one not in call.keywords}
    others = tuple(value for one, value in pairs if one in call.keywords)  # the signature is another one: they are kept as they are
    return call._replace(positional=(*others, *call.positional[len(names) :]), keywords={**named, **call.keywords})


def _overridden(cls: Class) -> dict[str, Place]:
    """Methods that the repository's classes have of their own, and where, beside those that only look at what the base's do."""
    found: dict[str, Place] = {}
    for one in cls.line:
        for name, value in one.attributes.items() if isinstance(one, Class) else ():
            if isinstance(value, Function) and not _is_bases(str(name), value):
                found.setdefault(str(name), Place(value.names.module.path, value.node.lineno))
    return found


def _is_bases(name: str, method: Function) -> bool:
    """Does a method leave what the base's does? An evaluation that does something beside it has the base's rows too."""
    return passes_on(method.node) or only_calls_base(method.node) or (name in EVALUATES and calls_base(method.node, name))


def _keep(it: Interpreter, made: Object, kind: str, call: Call) -> None:
    """What the object can be asked for: a config of a package has its arguments as attributes."""
    if kind in {"arguments", "adapter_config", "quantisation", "config"}:
        for name, value in call.keywords.items():
            if name not in made.attributes:
                it.heap.write(made, name, value)
        if call.rest is not None:
            made.rest = call.rest
    elif kind in {"adapter", "unsloth_adapter", "kbit", "peft_load", "ddp", "dp", "fsdp", "deepspeed"}:
        made.data = next((one for one in call.given() if module_of(one) is not None), None)
    elif kind == "trainer":
        for name, value in call.keywords.items():
            it.heap.write(made, name, value)


def _given(made: Object, kind: str) -> Value:
    if kind == "unsloth_load":
        return Items([made, Object("transformers.PreTrainedTokenizer")], "tuple")
    if made.kind.endswith("create_model_and_transforms"):
        return Items([made, *(Opaque("a transform", package="torchvision") for _ in range(2))], "tuple")
    if kind == "deepspeed":
        return Items([made, *(Opaque(f"item {at} of deepspeed.initialize", package="deepspeed") for at in (1, 2, 3))], "tuple")
    return made


def _method(it: Interpreter, name: str, call: Call, receiver: Value | None) -> Value | None:
    """A method of a model, of a part of one, of a tokenizer."""
    last = name.rpartition(".")[2]
    kind = kind_of_method(last)
    if last == "backward" and receiver is not None and not isinstance(receiver, Class):
        return _written(it, "backward", last, call, receiver)
    if (
        isinstance(receiver, Object)
        and receiver.made is not None
        and receiver.made.kind == "tokenizer"
        and last in {"__call__", "apply_chat_template", "encode", "batch_encode_plus"}
    ):
        _written(it, "tokenize", last, call, receiver)
        leave_open(it.sinks[-1], call)
        return Opaque("what a tokenizer gives", package="transformers")
    if isinstance(receiver, Object) and receiver.made is not None and receiver.made.kind == "config" and last in _UPDATES:
        return _updated(it, receiver, call)
    if kind and (model_of(receiver) is not None or (kind in _OF_MODULES and module_of(receiver) is not None)):
        return _written(it, kind, last, call, receiver)
    if isinstance(receiver, Object) and receiver.made is not None and receiver.made.kind == "trainer":
        if last == "train":
            _written(it, "trains", last, call, receiver)
            return Opaque("what a training gives", package="transformers")
        if last not in _BESIDE:
            _written(it, "evaluates" if last in _EVALUATE else "uses", last, call, receiver)
    module = module_of(receiver)
    if module is not None and last in {"__call__", "forward"}:
        it.runs.append(ModelRun(module, call.node, call.frame.module.path, call.frame.module.tree))
    if last in _LOOKS and module is not None:
        return Opaque(f"what {last} of the model gives", receiver, "torch")
    if isinstance(receiver, Object) and receiver.made is not None and receiver.made.kind in MODELS and last not in _KEPT:
        return Opaque(f"what {last} of the model gives", receiver, receiver.kind.partition(".")[0])
    return None


def _updated(it: Interpreter, config: Object, call: Call) -> Value:
    """``config.update({"n_layer": 2})``, ``config.update_from_string("n_layer=2")`` (transformers ``configuration_utils.py``)."""
    given = call.get("config_dict", 0)
    if isinstance(given, Map) and given.rest is None:
        for key, value in given.items.items():
            it.heap.write(config, key, value)
    else:
        it.heap.write(config, "rest", Opaque("what an update sets", package="transformers"), part="rest")
    return NONE


_UPDATES = frozenset({"update", "update_from_string"})
_EVALUATE = frozenset({"evaluate", "predict"})
_BESIDE = frozenset({
    "save_model", "save_state", "save_metrics", "log_metrics", "log", "metrics_format", "create_model_card", "push_to_hub", "add_callback",
    "remove_callback", "pop_callback", "is_world_process_zero", "is_local_process_zero", "num_examples", "get_train_dataloader",
    "get_eval_dataloader", "get_test_dataloader",
})  # fmt: skip
"""Methods of a trainer that neither train nor evaluate (transformers 5.24 ``trainer.py``, ``trainer_pt_utils.py``)."""
_KEPT = frozenset({"get_peft_model"})
_LOOKS = frozenset({
    "parameters", "named_parameters", "buffers", "modules", "named_modules", "children", "named_children", "state_dict", "num_parameters",
    "print_trainable_parameters", "get_nb_trainable_parameters", "zero_grad", "clip_grad_norm_", "no_sync", "post_init", "__call__",
    "forward", "generate", "step", "save_pretrained", "push_to_hub", "get_input_embeddings", "get_output_embeddings", "optim_state_dict",
    "is_gradient_checkpointing",
})  # fmt: skip
"""Methods of a model, or of what is wrapped around one, that leave its modules as they are."""


def _written(it: Interpreter, kind: str, name: str, call: Call, receiver: Value | None) -> Value:
    written = it.sink(kind, name, call)
    written.receiver = receiver
    if kind in _ITSELF and receiver is not None:
        return receiver
    return Opaque(f"what {name} gives", model_of(receiver), "torch")


def _called_back(it: Interpreter, given: Sequence[Value]) -> None:
    """Data sets and collators of the repository are asked by the trainer: that is where lengths are."""
    for value in given:
        for way in alternatives(value):
            for one in way.value.items.values() if isinstance(way.value, Map) else (way.value,):
                if isinstance(one, Object) and one.cls is not None:
                    for name in ("__getitem__", "__iter__", "__call__"):
                        _call(it, one, name)
                elif isinstance(one, Function):
                    repeated(it, lambda one=one: _run(it, one), "", one.node)  # type: ignore[misc]


def _call(it: Interpreter, one: Object, name: str) -> None:
    method = one.cls.find(name) if one.cls is not None else None
    if isinstance(method, Function):
        repeated(it, lambda: _run(it, method.of(one)), "", method.node)


def _run(it: Interpreter, function: Function) -> Signal:
    consumed(it, it.call(function, opaque_call(it, function, "the trainer calls it")))
    return GOES_ON

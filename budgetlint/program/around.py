"""What a module of the repository puts around the model that it holds: parameters of its own, and how it runs the model.

A bill of the model alone is that of the module only where it runs the model once a step, and beside it does no more than small layers on
what the model gives. Everything else is a doubt in words: no size is guessed.

Sources of the sizes: torch 2.4 to 2.9 ``nn/modules/`` (linear.py, normalization.py, sparse.py, batchnorm.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from budgetlint.program.choices import alternatives, same
from budgetlint.program.models import is_module, model_of
from budgetlint.program.objects import Object
from budgetlint.program.runs_of import ran
from budgetlint.program.sinks import MODELS, Sink
from budgetlint.program.values import Items, Known, Map, Opaque, Value

Size = tuple[int, int]
"""A number, and how many times the model's hidden size."""
Count = tuple[int, int, int]
"""Parameters: a number, how many times the hidden size, and its square."""
NONE_OF_ITS_OWN: Count = (0, 0, 0)
_MOST_PARTS = 64
_DEEPEST = 4
_WIDEST, _TIMES_HIDDEN = 4_096, 4
"""Outputs of a layer on what a model gives, up to which what it keeps is small beside the model's own layers, which keep more than 20 times
the hidden size each."""
_PLAIN = (
    "Dropout", "Identity", "Flatten", "Unflatten", "ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "Softmax", "LogSoftmax", "LeakyReLU", "ELU",
    "Softplus", "Mish", "Hardtanh",
)  # fmt: skip
"""Layers of torch without parameters; losses are called ``…Loss``."""
_LISTS = frozenset({"Sequential", "ModuleList", "ModuleDict"})


class Around(NamedTuple):
    """``parameters``: those of its own layers. ``unsized``: layers on the hidden size whose number of outputs, labels as a rule, is not
    known. ``doubt``: why the module is more than the model, empty where it is not."""

    parameters: Count = NONE_OF_ITS_OWN
    unsized: int = 0
    doubt: str = ""


def around(module: Object, held: Object) -> Around:
    """``held``: the one model that it holds."""
    name = module.cls.name if module.cls is not None else module.kind
    found = _of_module(module, held, 0)
    doubt = found.doubt or ran(module, held)
    return found._replace(doubt=f"class {name} {doubt}" if doubt else "")


def _of_module(module: Object, held: Object, depth: int) -> Around:
    parts = [way.value for value in module.attributes.values() for one in _spread(value) for way in alternatives(one)]
    if depth > _DEEPEST or len(parts) > _MOST_PARTS * 8:
        return Around(doubt="holds more than is counted")
    found = Around()
    for part in parts:
        if isinstance(part, Object) and part.made is not None and part.made.kind in MODELS:
            continue
        found = _together(found, _of_part(part, held, depth))
    return found


def _spread(value: Value) -> Iterator[Value]:
    """A list or dict of modules is none of the module's; a list that torch makes of it is. Either is counted, as either may be."""
    if isinstance(value, Items):
        yield from value.items[:_MOST_PARTS]
    elif isinstance(value, Map):
        yield from list(value.items.values())[:_MOST_PARTS]
    else:
        yield value


def _together(one: Around, other: Around) -> Around:
    first, second = one.parameters, other.parameters
    counted = (first[0] + second[0], first[1] + second[1], first[2] + second[2])
    return Around(counted, one.unsized + other.unsized, one.doubt or other.doubt)


def _of_part(part: Value, held: Object, depth: int) -> Around:
    if not isinstance(part, Object):
        return Around()  # what is run of it that nobody knows is told by `runs_of`
    if part.cls is not None and is_module(part):
        return _of_module(part, held, depth + 1)
    if part.kind.startswith("torch.nn.") and not part.kind.startswith("torch.nn.functional."):
        return _layer(part, held, depth)
    return Around(doubt=f"holds a {part.kind}") if part.kind.startswith(("torchvision.models.", "timm.")) else Around()


def _layer(part: Object, held: Object, depth: int) -> Around:
    last = part.kind.rpartition(".")[2]
    if last.startswith(_PLAIN) or last.endswith("Loss"):
        return Around()
    call = part.given
    if last in _LISTS and call is not None and call.rest is None:
        found = Around()
        for one in (inner for value in call.given() for inner in _spread(value)):
            for way in alternatives(one):
                found = _together(found, _of_part(way.value, held, depth + 1) if depth < _DEEPEST else Around(doubt=f"holds a {last}"))
        return found
    sizes = _SIZES.get(last)
    if call is None or call.rest is not None or sizes is None:
        return Around(doubt=f"holds a {last}")
    given = [call.get(name, at) for at, name in enumerate(sizes)]
    known = [_size(one, held) for one in given]
    if known[0] is None or (last == "Embedding" and known[1] is None):
        return Around(doubt=f"holds a {last} of a size that is not known")
    if last in {"LayerNorm", "RMSNorm", "BatchNorm1d"}:
        return Around(_times(known[0], (1 if last == "RMSNorm" else 2, 0)))
    outputs = known[1]
    if outputs is None:
        return _unsized(given[1], last)
    if outputs[0] > _WIDEST or outputs[1] > _TIMES_HIDDEN:
        return Around(doubt=f"holds a {last} of {_words(outputs)} outputs")
    bias = call.get("bias", 2)
    biased = last == "Linear" and not (isinstance(bias, Known) and bias.value is False)
    return Around(_times(known[0], outputs, outputs if biased else (0, 0)))


def _unsized(given: Value | None, last: str) -> Around:
    """Labels are counted in the data. What is called after a vocabulary is none of that."""
    why = given.why if isinstance(given, Opaque) else repr(given)
    if last != "Linear" or "vocab" in why or "token" in why or any("vocab" in origin.key for origin in (given.origins if given else ())):
        return Around(doubt=f"holds a {last} of a size that is not known")
    return Around(unsized=1)


_SIZES = {
    "Linear": ("in_features", "out_features"),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "LayerNorm": ("normalized_shape",),
    "RMSNorm": ("normalized_shape",),
    "BatchNorm1d": ("num_features",),
}
_HIDDEN = (".hidden_size of ", ".d_model of ", ".n_embd of ", ".dim of ")


def _size(value: Value | None, held: Object) -> Size | None:
    """A whole number, or the hidden size of the model's own configuration."""
    ways = alternatives(value) if value is not None else ()
    if len(ways) != 1:
        return None
    one = ways[0].value
    if isinstance(one, Items) and len(one.items) == 1 and one.more is None:
        return _size(one.items[0], held)
    if isinstance(one, Known) and isinstance(one.value, int) and not isinstance(one.value, bool) and one.value > 0:
        return one.value, 0
    if isinstance(one, Opaque) and _is_hidden(one, held):
        return 0, 1
    return None


def _is_hidden(value: Opaque, held: Object) -> bool:
    """``encoder.config.hidden_size``, ``AutoConfig.from_pretrained(name).hidden_size`` of the name that the model is loaded by."""
    if not value.why.startswith(_HIDDEN):
        return False
    mine = model_of(value)
    if mine is not None:
        return mine.made is held.made
    config, load = value.of, _load_of(held)
    if load is None or not isinstance(config, Object) or config.made is None:
        return False
    given = load.get("config")
    if isinstance(given, Object) and given.made is config.made:
        return True
    names = [one.get("pretrained_model_name_or_path", at=0) for one in (config.made, load)]
    return config.made.kind == "config" and names[0] is not None and names[1] is not None and same(names[0], names[1])


def _load_of(held: Object) -> Sink | None:
    for _ in range(_MOST_PARTS):
        if held.made is None or held.made.kind in {"load", "unsloth_load"}:
            return held.made
        inner = held.data if isinstance(held.data, Object) else held.made.get("model")
        if not isinstance(inner, Object):
            return None
        held = inner
    return None


def _times(one: Size, other: Size, beside: Size = (0, 0)) -> Count:
    return one[0] * other[0] + beside[0], one[0] * other[1] + one[1] * other[0] + beside[1], one[1] * other[1]


def _words(size: Size) -> str:
    return f"{size[0]:,}" if not size[1] else f"{size[1]} times the hidden size"


def summed(found: Iterable[Around]) -> Around:
    """All of them: what one puts around the other."""
    whole = Around()
    for one in found:
        whole = _together(whole, one)
    return whole

"""Which model a torchtune builder builds: ``torchtune.models.llama3_1.lora_llama3_1_8b`` is Llama 3.1 8B with LoRA.

Source: torchtune 0.6.1 and main ``torchtune/models/*/_model_builders.py``. A builder without a size
(``torchtune.models.llama2.llama2``) takes the numbers as arguments (``_component_builders.py``).
"""

from __future__ import annotations

from budgetlint.base import numerals
from budgetlint.base.record import record, replace
from budgetlint.documents import Mapping, Scalar
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_PREFIX = "torchtune.models."

_STEMS: tuple[tuple[str, str], ...] = (
    ("code_llama2_", "codellama-"),
    ("llama2_reward_", "llama-2-"),
    ("llama2_", "llama-2-"),
    ("llama3_1_", "llama-3.1-"),
    ("llama3_2_vision_", "llama-3.2-vision-"),
    ("llama3_2_", "llama-3.2-"),
    ("llama3_3_", "llama-3.3-"),
    ("llama3_", "llama-3-"),
    ("llama4_", "llama-4-"),
    ("gemma2_", "gemma-2-"),
    ("gemma_", "gemma-"),
    ("mistral_reward_7b", "mistral-7b-v0.1"),
    ("mistral_7b", "mistral-7b-v0.1"),
    ("phi3_mini", "phi-3-mini"),
    ("phi4_14b", "phi-4"),
    ("qwen2_5_", "qwen2.5-"),
    ("qwen2_", "qwen2-"),
    ("qwen3_", "qwen3-"),
)
"""The start of a builder's name, without its adapter -> the start of the model's name; what follows is the size."""

_SAME = {"llama-3.3-70b": "llama-3.1-70b"}
"""Releases that keep the shape of another."""

_ENDINGS = ("_instruct", "_base", "_it")
_DENSE = frozenset(f"{_PREFIX}{name}" for name in ("llama2.llama2", "llama3.llama3", "llama3_1.llama3_1", "mistral.mistral"))
_ADAPTED = frozenset(f"{path.rpartition('.')[0]}.lora_{path.rpartition('.')[2]}" for path in _DENSE)

_NUMBERS = {
    "embed_dim": "hidden", "num_layers": "layers", "num_heads": "heads", "num_kv_heads": "kv_heads", "vocab_size": "vocab",
    "intermediate_dim": "intermediate", "head_dim": "head_dim", "max_seq_len": "max_positions",
}  # fmt: skip
_NEEDED = frozenset(("hidden", "layers", "heads", "vocab", "intermediate"))


@record
class Built:
    """What a builder's path says: the model's name, and whether it is built with LoRA or QLoRA."""

    model: str
    lora: bool
    quantised: bool


def built_by(component: str) -> Built:
    """``model`` is empty for a builder that is not torchtune's own, or takes the numbers as arguments."""
    name = component.rpartition(".")[2]
    quantised, lora = name.startswith("qlora_"), name.startswith(("lora_", "qlora_"))
    stem = name.removeprefix("qlora_").removeprefix("lora_")
    return Built(_model(stem) if component.startswith(_PREFIX) else "", lora, quantised)


def _model(stem: str) -> str:
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    for start, name in _STEMS:
        if stem.startswith(start):
            full = name + _size(stem[len(start) :])
            return _SAME.get(full, full)
    return ""


def _size(words: str) -> str:
    """``0_5b`` is 0.5b, ``scout_17b_16e`` stays three words."""
    first, _, rest = words.partition("_")
    return f"{first}.{rest}" if numerals.is_digits(first) and numerals.is_digits(rest[:1]) else words.replace("_", "-")


def component_path(view: View, path: str) -> str:
    """Where the component of a block stands: its ``_component_``, or the key itself in an override such as ``optimizer=X``
    (torchtune/config/_utils.py ``_merge_yaml_and_cli_args``); empty where there is none."""
    inner = f"{path}._component_"
    return inner if view.has(inner) else path if isinstance(view.value(path), str) else ""


def component_of(view: View, path: str) -> str:
    return view.text(found) if (found := component_path(view, path)) else ""


def model_settings(view: View, path: str) -> list[Setting]:
    """``model`` by name, ``model_custom`` from the numbers of a builder without a size, or a model that only the code knows."""
    line = component_path(view, path)
    component = component_of(view, path)
    if not component:
        return []
    name = built_by(component).model
    if name:
        return [view.setting("model", name, line)]
    numbers = _numbers(view, path) if component in _DENSE | _ADAPTED else ()
    if numbers:
        return [view.setting("model_custom", numbers, line)]
    return [(_by_checkpoint(view) if component.startswith(_PREFIX) else None) or view.symbolic("model", line)]


_CHECKPOINT = "checkpointer.checkpoint_dir"
_ASSUMED = "the builder is not known: the model is taken from the checkpoint's folder"


def _by_checkpoint(view: View) -> Setting | None:
    if not view.first(_CHECKPOINT):
        return None
    found = view.setting("model", view.text(_CHECKPOINT), _CHECKPOINT)
    return replace(found, origin=replace(found.origin, note=_ASSUMED))


def _numbers(view: View, path: str) -> tuple[tuple[str, int], ...]:
    block = view.value(path)
    if not isinstance(block, Mapping):
        return ()
    pairs = ((_NUMBERS.get(entry.key.text), entry.value) for entry in block.entries)
    found = {name: node.value(view.loader) for name, node in pairs if name and isinstance(node, Scalar)}
    whole = {name: value for name, value in found.items() if isinstance(value, int) and not isinstance(value, bool) and value > 0}
    return tuple(whole.items()) if whole.keys() >= _NEEDED else ()

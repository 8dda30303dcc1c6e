"""Loops of a program's own, without a Trainer: what its calls tell of them (`budgetlint.program.own_loops`).

Nothing here has a framework's defaults but the dtype of ``from_pretrained``: what the calls do not tell is unresolved. Sources: torch
2.13 ``nn/modules/module.py`` (parameters are float32 unless something else is asked for); accelerate 1.15 ``accelerator.py``
(``mixed_precision`` None: that of ``accelerate launch``; ``gradient_accumulation_steps=1``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Mapping, Scalar
from budgetlint.documents.python_marks import LOOP, is_open
from budgetlint.readers.base import ENDS, Key, Raw, default, hidden, read_keys, to_count, to_dtype, to_float, to_text
from budgetlint.readers.deepspeed.auto import engine_over_trainer
from budgetlint.readers.deepspeed.reader import read_section
from budgetlint.readers.fsdp_words import to_strategy
from budgetlint.readers.hf.defaults import weights_dtype
from budgetlint.readers.hf.keys import truthy
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.python_script import classes
from budgetlint.readers.python_script.adapter import read_lora
from budgetlint.readers.python_script.around import ready, with_own_modules
from budgetlint.readers.python_script.beside import read_beside
from budgetlint.readers.python_script.model import is_loaded, read_model
from budgetlint.readers.python_script.spans import SPANS, elsewhere, open_model, spread
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack, over

FORMAT = "python_loop"
_OLD = "transformers from_pretrained: float32 where transformers still has AdamW, which 5.0.0 has not"
_NOTE = "the loop decides it where it cannot be read"
_TORCH = {"none": "none", "torch.bfloat16": "bf16", "torch.float16": "fp16", "torch.half": "fp16"}
_AUTOCAST = {"no": "none", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8"}
_KEYS = (
    Key("batch_size", "micro_batch", to_count),
    Key("gradient_accumulation_steps", "grad_accum", to_count),
    Key("weight_decay", "weight_decay", to_float),
    Key("weights_dtype", "weights_dtype", to_dtype),
    Key("model", "model", to_text),
    Key("quant", "quant", to_text),
    Key("adapter", "adapter", to_text),
    Key("shard", "shard", to_text),
    Key("loss", "loss", to_text),
    Key("shard_strategy", "shard_strategy", to_strategy),
)


def score(document: Document) -> float:
    return 1.0 if classes.block(document, LOOP) is not None else 0.0


def read(document: Document) -> Reading:
    look = Lookup(document, Loader.PYTHON, LOOP, flag=truthy)
    top = Lookup(document, Loader.PYTHON, "", look.misreads, truthy)
    settings, misreads = read_keys(document, Loader.PYTHON, _KEYS, LOOP)
    look.misreads.extend(misreads)
    found = [*_model(top, look), *ready(top), *_others(look), *settings, *_optimizer(look), *_autocast(look)]
    found += [*read_beside(top, LOOP), *_checkpointing(top)]
    merged: dict[str, Setting] = {}
    for setting in found:
        merged[setting.name] = over(setting, merged.get(setting.name))
    whole = engine_over_trainer(Settings(spread(merged.values())), _inline_engine(look))
    return Reading(FORMAT, Role.TRAINER, document, whole, tuple(_references(look)), tuple(look.misreads))


def _model(top: Lookup, look: Lookup) -> list[Setting]:
    """The loaded model, and an adapter that is put on it; of one that the program makes itself only what the loop tells."""
    section = classes.model_of(top.document)
    if not section:
        return list(open_model())
    found = [*with_own_modules(read_model(top, section, ""), top)]
    adapter = read_lora(top, "") if is_loaded(found) else []
    partial = look.raw("whole") is None
    return [
        *found,
        *(
            replace(one, value=None, state="symbolic", readings=SPANS["adapter"])
            if partial and one.name == "adapter" and one.value == "none"
            else one
            for one in adapter
        ),
    ]


def _others(look: Lookup) -> Iterator[Setting]:
    """A second model that is loaded: a reference, a teacher, or one that only an evaluation has."""
    raw = look.raw("loads")
    if raw is not None:
        yield Setting("reference_model", None, raw.origin, raw.text, "symbolic", readings=("none", "policy"))


def _optimizer(look: Lookup) -> list[Setting]:
    raw = look.raw("optimizer")
    if raw is None:
        return []
    if is_open(raw.node):
        return [Setting("optimizer", None, raw.origin, raw.text, "symbolic", readings=SPANS["optimizer"])]
    return read_optimizer(raw, "", look.misreads)


def _autocast(look: Lookup) -> Iterator[Setting]:
    """``Accelerator(mixed_precision=…)``; None leaves it to the launcher."""
    if (precision := look.raw("precision")) is not None:
        yield from _of_lightning(precision)
    cast = look.raw("autocast")
    if cast is not None:
        word = _TORCH.get(str(cast.value))
        yield Setting("autocast", word, cast.origin, cast.text, "known" if word else "symbolic", readings=() if word else SPANS["autocast"])
    raw = look.raw("mixed_precision")
    if raw is None:
        return
    if not is_open(raw.node) and str(raw.value) in _AUTOCAST:
        yield Setting("autocast", _AUTOCAST[str(raw.value)], raw.origin, raw.text)
    else:
        yield Setting("autocast", None, raw.origin, raw.text, "symbolic", readings=SPANS["autocast"])


def _of_lightning(raw: Raw) -> Iterator[Setting]:
    """``Trainer(precision=…)``: words that keep the weights in float32; others cast them too (lightning ``plugins/precision/``)."""
    word = str(raw.value).removesuffix("-mixed")
    if not is_open(raw.node) and word in _LIGHTNING and not str(raw.value).endswith("-true"):
        yield Setting("autocast", _LIGHTNING[word], raw.origin, raw.text)
        return
    yield Setting("autocast", None, raw.origin, raw.text, "symbolic", readings=SPANS["autocast"])
    yield Setting("weights_dtype", None, raw.origin, raw.text, "symbolic", readings=SPANS["weights_dtype"])


_LIGHTNING = {"bf16": "bf16", "16": "fp16", "32": "none"}


def _checkpointing(top: Lookup) -> Iterator[Setting]:
    """A loop's model checkpoints where it is told to, or where the modules that make it do."""
    yield from (one for one in elsewhere(top, "") if one.name in ("recompute", "quant_upcast"))
    raw = top.under(LOOP).raw("checkpoints")
    if raw is not None and raw.value is False and "gradient_checkpointing_enable" not in (top.document.mapping or ()):
        yield Setting("recompute", "none", raw.origin, raw.text)


def _inline_engine(look: Lookup) -> Settings:
    raw = look.raw("deepspeed")
    if raw is None or not isinstance(raw.node, Mapping):
        return Settings()
    settings, misreads = read_section(look.document, look.loader, raw.path)
    look.misreads.extend(misreads)
    return settings


def _references(look: Lookup) -> Iterator[Reference]:
    raw = look.raw("deepspeed")
    if raw is not None and isinstance(raw.node, Scalar) and not is_open(raw.node):
        yield Reference(Role.ENGINE, raw.text, raw.origin)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """The dtype of a load that names none, by version; of all else both ends."""
    model = settings.get("model")
    if model is not None and model.known:
        made = settings.get("optimizer")
        old = made is not None and made.text.startswith("transformers.") and made.text.endswith(".AdamW")
        yield default("weights_dtype", "fp32", _OLD) if old else weights_dtype(stack)
    yield from (hidden(name, readings, _NOTE) for name, readings in ENDS.items())

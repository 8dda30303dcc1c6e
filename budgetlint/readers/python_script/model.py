"""The model of a training script: which one, in which dtype, how it is quantised.

Sources: transformers 5.24.0 ``modeling_utils.py`` from_pretrained, ``utils/quantization_config.py``; Unsloth 2024.8
to 2026.10.9 ``models/loader.py`` FastLanguageModel.from_pretrained (``load_in_4bit`` on in all, nested nf4, computed in bfloat16).
``max_seq_length`` is the model's own in 2024, 2048 since 2025 (`length.py` takes what is written).
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.documents import Mapping, Node, Scalar
from budgetlint.documents.python_marks import CAST, FACTS, LOOP, REPLACED, is_open
from budgetlint.readers.base import Key, default, hidden, read_keys, to_dtype, to_text, unsettled
from budgetlint.readers.hf import keys as hf_keys
from budgetlint.readers.hf.adapters import read_quant
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.readers.python_script.adapter import full_finetuning
from budgetlint.readers.python_script.built import read_built, resized
from budgetlint.settings.run import Setting

_ONCE = "what the script does with it cannot be told from its text"
QUANT = ("nf4", "none")
DTYPE = ("auto", "fp32")
_FIRST = (
    Key("0", "model", to_text),
    Key("pretrained_model_name_or_path", "model", to_text),
    *(key for key in hf_keys.MODEL if key.path not in ("model", "model_id", "name_or_path", "model_path")),
)
_QUANTISED = ("bit", "gptq", "awq", "int4", "int8", "fp8", "bnb", "quant", "mxfp4", "gpt-oss")
_BITSANDBYTES = "transformers.BitsAndBytesConfig"


def read_model(look: Lookup, section: str, trainer: str) -> list[Setting]:
    """What ``from_pretrained`` is given. TRL's trainers also take a name, and load the model with ``model_init_kwargs``."""
    inner = look.under(section) if section else None
    if inner is None:
        return _by_trainer(look, trainer)
    block = classes.block(look.document, section)
    if block is not None and classes.is_made(block):
        return [*read_built(inner, section), *_head(inner, section)]
    settings, misreads = read_keys(look.document, look.loader, _FIRST, inner.prefix)
    look.misreads.extend(misreads)
    settings = [resized(setting, inner) for setting in settings]
    return [*settings, *_head(inner, section), *_quant(inner, section), *_dtype(inner, section, settings), *_split(inner)]


def _by_trainer(look: Lookup, trainer: str) -> list[Setting]:
    inner = look.under(trainer)
    raw = inner.raw("model", "0") if trainer else None
    named = raw is not None and isinstance(raw.node, Scalar) and not is_open(raw.node)
    model = inner.setting("model", to_text, "model", "0") if named else None
    return [model, *_loaded_with(look)] if model else []


_KWARGS = tuple(key for key in _FIRST if key.setting in ("weights_dtype", "attention", "use_cache") and "." not in key.path)


def _loaded_with(look: Lookup) -> list[Setting]:
    """``model_init_kwargs`` of the arguments: what the trainer hands to ``from_pretrained``. What of it is not read is not absent."""
    arguments = classes.arguments_of(look.document)
    path = f"{arguments}.model_init_kwargs"
    given = look.document.get(path) if arguments else None
    if not classes.is_given(given):
        return []
    settings: list[Setting] = []
    if isinstance(given, Mapping) and not given.tag:
        settings, misreads = read_keys(look.document, look.loader, _KWARGS, path)
        look.misreads.extend(misreads)
    told = isinstance(given, Mapping) and not classes.is_partial(given) and not given.tag
    if not told and not any(setting.name == "weights_dtype" for setting in settings):
        settings.append(hidden("weights_dtype", DTYPE, f"{path}: {_ONCE}"))
    return settings


def is_loaded(settings: list[Setting]) -> bool:
    return any(setting.name in ("model", "model_config") for setting in settings)


def _head(inner: Lookup, section: str) -> list[Setting]:
    entry = inner.document.entry(section)
    remote = inner.raw("trust_remote_code")
    head = classes.head_of(section, remote=remote is not None and remote.value is not False)
    if entry is None or head is None:
        return []
    origin = next(iter(inner.raws("0", "pretrained_model_name_or_path", "config")), None)
    return [Setting("model_head", head, origin.origin, section)] if origin else []


def _quant(inner: Lookup, section: str) -> list[Setting]:
    found = classes.block(inner.document, inner.prefix)
    given = inner.document.get(inner.path("quantization_config"))
    partial = isinstance(given, Mapping) and classes.is_partial(given)
    if classes.is_given(given) and (partial or classes.class_of(given) != _BITSANDBYTES):
        return [hidden("quant", QUANT, f"{section}: {_ONCE}")]
    settings = [_whole(setting) for setting in read_quant(inner, "nf4" if section in classes.UNSLOTH else "fp4")]
    if (whole := full_finetuning(Lookup(inner.document, inner.loader, "", inner.misreads))) is not None:
        return [Setting("quant", "none", whole.origin, "full_finetuning")]
    if any(setting.name == "quant" for setting in settings):
        return [*settings, *_unwritten(section, settings)]
    if classes.is_partial(found) or (section in classes.UNSLOTH and inner.has("full_finetuning")):
        return [*settings, hidden("quant", QUANT, f"{section}: {_ONCE}")]
    if section in classes.UNSLOTH:
        return [default("quant", "nf4", f"unsloth {section}.from_pretrained load_in_4bit"), *_unwritten(section, settings)]
    if REPLACED in (inner.document.mapping or ()):
        return [*settings, hidden("quant", QUANT, f"{section}: {_ONCE}")]
    if _is_quantised(inner):
        return [*settings, hidden("quant", QUANT, "the checkpoint's name says that it is quantised")]
    return [*settings, default("quant", "none", f"no quantization_config in {section}.from_pretrained")]


def _is_quantised(inner: Lookup) -> bool:
    """``unsloth/Llama-3.1-8B-bnb-4bit``: a checkpoint that brings its own ``quantization_config``."""
    raw = inner.raw("0", "pretrained_model_name_or_path", "model_name")
    name = raw.text.lower() if raw is not None else ""
    return any(word in name for word in _QUANTISED)


def _whole(setting: Setting) -> Setting:
    """A method that hangs on an unknown ``bnb_4bit_quant_type`` is not known."""
    return replace(setting, state="symbolic") if setting.known and setting.value is None else setting


def _unwritten(section: str, settings: list[Setting]) -> list[Setting]:
    """What BitsAndBytesConfig fills in, whoever trains with it."""
    unsloth = section in classes.UNSLOTH
    note = f"unsloth {section}.from_pretrained" if unsloth else "transformers BitsAndBytesConfig"
    rows = (("quant_double", unsloth), ("quant_compute_dtype", "bf16" if unsloth else "fp32"))
    written = {setting.name for setting in settings}
    return [default(name, value, note) for name, value in rows if name not in written]


def _dtype(inner: Lookup, section: str, settings: list[Setting]) -> list[Setting]:
    """Where the script says nothing that is read, the version decides (`defaults`); where it may have said something, nobody."""
    cast = next((raw for name in (FACTS, LOOP) if (raw := Lookup(inner.document, inner.loader, name).raw("cast")) is not None), None)
    if cast is not None and not is_open(cast.node):
        return [Setting("weights_dtype", to_dtype(cast.value), cast.origin, cast.text)]
    if any(setting.name == "weights_dtype" for setting in settings):
        there = inner.document.mapping or ()
        doubted = CAST in there and (FACTS in there or LOOP in there)
        return [hidden("weights_dtype", DTYPE, f"{section}: {_ONCE}")] if doubted else []
    if section in classes.UNSLOTH:
        return [unsettled("weights_dtype", ("bf16", "fp16"), "unsloth: bfloat16 where the device has it")]
    if classes.is_partial(classes.block(inner.document, inner.prefix)) or CAST in (inner.document.mapping or ()):
        return [hidden("weights_dtype", DTYPE, f"{section}: {_ONCE}")]
    return []


def _split(inner: Lookup) -> list[Setting]:
    """``device_map="auto"`` lays the layers over all devices that the process sees (`budgetlint.resolve.spread_over`), a map of several
    devices over those; a word, a number or a device is one."""
    raw = inner.raw("device_map")
    if raw is None or (_is_one_device(raw.text) if isinstance(raw.node, Scalar) else _names_one(raw.node)):
        return []
    return [Setting("pipeline_parallel", None, raw.origin, raw.text, "symbolic")]


_SPREADS = ("auto", "balanced", "balanced_low_0", "sequential")
_DEVICES = (
    "<torch.device", "<.device of ", "<int of ", "<.process_index of ", "<.local_process_index of ", "<.local_rank of ",
    "<what torch.cuda.current_device gives>", "<what torch.distributed.get_rank gives>",
)  # fmt: skip
"""How values are marked that are one device whatever they are: an object of torch, a state's own (accelerate 1.15 ``state.py``,
transformers ``training_args.py``), a rank.
transformers 4.41.2 and 4.53.2 ``modeling_utils.py`` from_pretrained make ``{"": number}`` of a number."""


def _is_one_device(text: str) -> bool:
    return text.startswith(_DEVICES) if text.startswith("<") else text not in _SPREADS


def _names_one(node: Node) -> bool:
    """One key (``{"": rank}``), or the same device for each."""
    if not isinstance(node, Mapping):
        return False
    devices = [entry.value for entry in node.entries]
    return len(devices) == 1 or (not any(map(is_open, devices)) and len({getattr(one, "text", None) for one in devices}) == 1)

"""A model's ``config.json``: the shape of the model, and how its checkpoint is stored.

Source: transformers 5.24 ``configuration_utils.py`` PreTrainedConfig, ``utils/quantization_config.py``. The shape itself is read
by `budgetlint.catalog.hf_config` where a run names the file or its folder.
"""

from __future__ import annotations

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Key, Reader, loader_of, names, read_keys, to_bool
from budgetlint.readers.hf.adapters import read_quant
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings

_LOADER = Loader.JSON
_SIZES = names(
    "hidden_size num_hidden_layers num_attention_heads vocab_size intermediate_size d_model n_embd n_layer n_head num_layers dim"
)
_SHAPE = frozenset(("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"))
_FOREIGN = names("""base_model sequence_len model_name_or_path per_device_train_batch_size output_dir peft_type pipe_parallel_size
    no_weight_tying zero_optimization train_batch_size micro_batch_size learning_rate exp_manager trainer apiVersion defaults _target_""")


def recognise(document: Document) -> float:
    """``architectures`` beside a ``model_type`` or sizes, or a ``model_type`` with its sizes; the whole shape in YAML."""
    mapping = document.mapping
    if mapping is None or document.format not in ("json", "yaml"):
        return 0.0
    keys = frozenset(mapping.keys())
    if keys & _FOREIGN:
        return 0.0
    if document.format != "json":
        return 0.6 if keys >= _SHAPE else 0.0
    sized = len(keys & _SIZES) >= 2 or any(isinstance(mapping.get(key), Mapping) for key in ("text_config", "llm_config", "vision_config"))
    if "architectures" in keys and (sized or "model_type" in keys):
        return 1.0
    return 0.9 if "model_type" in keys and sized else 0.7 if keys >= _SHAPE else 0.0


def read(document: Document) -> Reading:
    loader = loader_of(document, Loader.PYYAML)
    settings, misreads = read_keys(document, loader, (Key("use_cache", "use_cache", to_bool),))
    look = Lookup(document, loader, misreads=misreads)
    quant = read_quant(look, "none") if look.has("quantization_config") else []
    model = Setting("model", document.path, Origin(OriginKind.DERIVED, note=f"{document.path} is the model's own config"), document.path)
    return Reading("model_config", Role.MODEL, document, Settings((*settings, *quant, model)), (), tuple(misreads))


READER = Reader("model_config", Role.MODEL, _LOADER, recognise, read, package="transformers")

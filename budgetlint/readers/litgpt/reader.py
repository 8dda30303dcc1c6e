"""LitGPT: one YAML file per run of ``litgpt finetune_*`` or ``litgpt pretrain``, read by jsonargparse (``litgpt/__main__.py``).

Sources: litgpt 0.5.13 ``finetune/{full,lora,adapter_v2}.py``, ``pretrain.py``, ``args.py``, ``utils.py``; the multi-GPU strategy of
LoRA from 0.5.9 to 0.5.11.
"""

from __future__ import annotations

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Key, Misread, Reader, Unreadable, is_symbolic, raw_at, read_keys, to_count, to_float, to_int
from budgetlint.readers.derived import ADAMS, derived, left_open
from budgetlint.readers.lightning.words import precision_settings
from budgetlint.readers.litgpt.defaults import PAGED, defaults
from budgetlint.readers.litgpt.models import model_settings
from budgetlint.readers.optimizer_names import decoupled, read_optimizer
from budgetlint.readers.unbounded import unbounded
from budgetlint.readers.view import View
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings

_LOADER = Loader.OMEGACONF
"""jsonargparse reads YAML 1.1 with the float rule that takes ``2e-5`` (``_loaders_dumpers.py``), as OmegaConf does."""
_QUANTS = {
    "bnb.nf4": ("nf4", False), "bnb.nf4-dq": ("nf4", True), "bnb.fp4": ("fp4", False), "bnb.fp4-dq": ("fp4", True),
    "bnb.int8-training": ("int8", False), "bnb.int8": ("int8", False),
}  # fmt: skip
_TARGETS = (
    ("lora_query", ("q_proj",)), ("lora_key", ("k_proj",)), ("lora_value", ("v_proj",)), ("lora_projection", ("o_proj",)),
    ("lora_mlp", ("gate_proj", "up_proj", "down_proj")), ("lora_head", ("lm_head",)),
)  # fmt: skip
_SAID = {"lora_query": True, "lora_value": True}
"""The switches that are on when unsaid (finetune/lora.py setup)."""


def recognise(document: Document) -> float:
    """``train`` with both batch sizes, which trlx, mlx_lm and oumi do not have, beside a checkpoint or a model's name."""
    mapping = document.mapping
    if document.is_command:
        return 0.9 if document.program.startswith("litgpt ") else 0.0
    train = mapping.get("train") if mapping is not None else None
    if mapping is None or not isinstance(train, Mapping) or document.format == "toml":
        return 0.0
    sized = "global_batch_size" in train and "micro_batch_size" in train
    named = any(key in mapping for key in ("checkpoint_dir", "model_name", "model_config"))
    return 1.0 if sized and named else 0.0


KEYS = (
    Key("train.micro_batch_size", "micro_batch", to_count),
    Key("train.global_batch_size", "global_batch", to_count),
    Key("train.max_seq_length", "seq_len", to_count),
    Key("train.max_norm", "max_grad_norm", to_float),
    Key("train.epochs", "num_epochs", to_float),
    Key("train.max_steps", "max_steps", to_int),
    Key("train.lr_warmup_steps", "warmup_steps", to_float),
    Key("devices", "devices_per_node", to_count),
    Key("num_nodes", "nodes", to_count),
    Key("optimizer.init_args.lr", "learning_rate", to_float),
    Key("optimizer.init_args.weight_decay", "weight_decay", to_float),
    Key("optimizer.init_args.eps", "adam_epsilon", to_float),
    Key("lora_r", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
)


def read(document: Document) -> Reading:
    view = View(document, _LOADER)
    settings, misreads = read_keys(document, _LOADER, KEYS)
    together: list[Setting] = [
        *model_settings(view), *unbounded(view, "train.max_seq_length"), *_task(view), *_adapter(view), *_quant(view, misreads),
        *precision_settings(view, "precision", misreads), *_optimizer(view, misreads), *_evaluation(view),
    ]  # fmt: skip
    opened = left_open(document, _LOADER, _DECIDES)
    return Reading("litgpt", Role.TRAINER, document, Settings((*settings, *together, *opened)), (), tuple(misreads))


_DECIDES = (
    ("precision", "weights_dtype", ()),
    ("quantize", "quant", ()),
    ("optimizer.init_args.decoupled_weight_decay", "optimizer", ADAMS),
)
"""Keys that decide a setting together with others, and what it can be where they are left open."""


def _task(view: View) -> list[Setting]:
    path = view.first("model_name", "tokenizer_dir", "initial_checkpoint_dir") if not view.first("checkpoint_dir") else ""
    return [view.setting("task", "pretrain", path)] if path else []


def _adapter(view: View) -> list[Setting]:
    """Only ``finetune_lora`` has LoRA keys; ``finetune_full`` alone has ``resume``."""
    path = view.first("lora_r", *(name for name, _ in _TARGETS))
    if not path and view.document.program in ("litgpt finetune_lora", "litgpt finetune"):
        return [_by_command(view)]
    if not path:
        return [view.setting("adapter", "none", "resume", "a key of finetune_full and pretrain")] if view.has("resume") else []
    roles = [role for name, parts in _TARGETS if (view.on(name) if view.has(name) else _SAID.get(name, False)) for role in parts]
    targets = view.first(*(name for name, _ in _TARGETS)) or path
    return [view.setting("adapter", "lora", path), view.setting("lora_targets", tuple(roles), targets, ", ".join(roles))]


def _by_command(view: View) -> Setting:
    """``litgpt finetune`` is ``finetune_lora`` (litgpt/__main__.py)."""
    document = view.document
    span = document.root.span if document.root is not None else None
    return Setting("adapter", "lora", Origin(OriginKind.FLAG, document.source, span, document.program), document.program)


def _quant(view: View, misreads: list[Misread]) -> list[Setting]:
    word = view.word("quantize")
    if not word:
        return []
    found = _QUANTS.get(word)
    if found is None and is_symbolic(view.value("quantize")):
        return []
    if found is None:
        wrong = Misread(
            f"quantize: '{word}' is no quantisation for training", f"write one of {', '.join(_QUANTS)}", view.origin("quantize")
        )
        misreads.append(wrong)
        return []
    kind, double = found
    return [view.setting("quant", kind, "quantize"), view.setting("quant_double", double, "quantize")]


def _optimizer(view: View, misreads: list[Misread]) -> list[Setting]:
    """With bitsandbytes quantisation LitGPT builds ``bnb.optim.PagedAdamW`` whatever AdamW is named (utils.py)."""
    path = "optimizer.class_path" if view.first("optimizer.class_path") else "optimizer"
    raw = raw_at(view.document, _LOADER, path)
    if raw is None or not isinstance(raw.value, str):
        return []
    if view.word("quantize").startswith("bnb.") and "AdamW" in raw.text:
        return [derived("optimizer", "paged_adamw_32bit", PAGED, None), *_betas(view)]
    spelling = decoupled(raw.text if "." in raw.text else f"torch.optim.{raw.text}", view.on("optimizer.init_args.decoupled_weight_decay"))
    named = [setting for setting in read_optimizer(raw, "litgpt", misreads, spelling) if setting.name == "optimizer"]
    return [*named, *_betas(view)]


def _betas(view: View) -> list[Setting]:
    path = "optimizer.init_args.betas"
    try:
        numbers = [to_float(word) for word in view.words(path)]
    except Unreadable:
        return []
    return [view.setting(name, number, path, str(number)) for name, number in zip(("adam_beta1", "adam_beta2"), numbers, strict=False)]


def _evaluation(view: View) -> list[Setting]:
    path = "eval.interval"
    value = view.value(path)
    return [view.setting("eval_on", value > 0, path)] if isinstance(value, int) else []


READER = Reader("litgpt", Role.TRAINER, _LOADER, recognise, read, defaults, package="litgpt", since="0.5")

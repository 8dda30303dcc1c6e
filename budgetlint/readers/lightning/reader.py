"""Lightning CLI: YAML with ``trainer``, ``model`` and ``data``, whose class paths are the project's own code.

What the Trainer does is known. What a model or data class does with its arguments is not: the usual names (``batch_size``,
``max_length``, ``model_name_or_path``) are read with that reservation.

Sources: lightning 2.6 ``pytorch/cli.py``, ``pytorch/trainer/trainer.py``; ``gpus`` from pytorch-lightning before 2.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base import numerals
from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Mapping, Sequence
from budgetlint.readers.base import Key, Misread, Reader, default, names, raw_at, read_keys, to_count, to_float, to_int
from budgetlint.readers.derived import ADAMS, left_open
from budgetlint.readers.lightning.words import STRATEGIES, precision_settings, strategy_name
from budgetlint.readers.optimizer_names import decoupled, read_optimizer
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack

_LOADER = Loader.OMEGACONF
_TRAINER = names("""accelerator strategy devices num_nodes precision logger callbacks fast_dev_run max_epochs min_epochs max_steps
    min_steps max_time limit_train_batches limit_val_batches val_check_interval check_val_every_n_epoch num_sanity_val_steps
    log_every_n_steps enable_checkpointing enable_progress_bar accumulate_grad_batches gradient_clip_val gradient_clip_algorithm
    deterministic benchmark use_distributed_sampler profiler detect_anomaly sync_batchnorm default_root_dir gpus""")
_FOREIGN = names("exp_manager actor_rollout_ref policy hydra defaults restore_from_path run apiVersion train_loader")
_PARTS = ("model", "data", "optimizer", "lr_scheduler")


def recognise(document: Document) -> float:
    """A ``trainer`` of Lightning's arguments beside a class path or ``seed_everything``. NeMo has ``exp_manager``, verl its own keys."""
    mapping = document.mapping
    if mapping is None or document.format == "toml" or frozenset(mapping.keys()) & _FOREIGN:
        return 0.0
    home = mapping.get("fit") if isinstance(mapping.get("fit"), Mapping) else mapping
    trainer = home.get("trainer") if isinstance(home, Mapping) else None
    if not isinstance(home, Mapping) or not isinstance(trainer, Mapping):
        return 0.0
    own = len(_TRAINER & {key.rstrip("+") for key in tuple(trainer.keys())})
    built = any(isinstance(part := home.get(name), Mapping) and "class_path" in part for name in _PARTS)
    return 0.9 if own >= 2 and (built or "seed_everything" in mapping) else 0.0


TRAINER = (
    Key("trainer.accumulate_grad_batches", "grad_accum", to_count),
    Key("trainer.gradient_clip_val", "max_grad_norm", to_float),
    Key("trainer.max_epochs", "num_epochs", to_float),
    Key("trainer.max_steps", "max_steps", to_int),
    Key("trainer.num_nodes", "nodes", to_count),
    Key("optimizer.init_args.lr", "learning_rate", to_float),
    Key("optimizer.init_args.weight_decay", "weight_decay", to_float),
)
_NOTE = "an argument of the project's own class: its meaning is assumed"
_MODELS = ("model_name_or_path", "pretrained_model_name_or_path", "model_name", "model_id", "transformer_model_name", "pretrained_model")
_BATCHES = ("micro_batch_size", "train_batch_size", "batch_size", "per_device_train_batch_size")
_LENGTHS = ("max_seq_length", "max_seq_len", "max_length", "block_size", "seq_length")


def read(document: Document) -> Reading:
    view = View(document, _LOADER)
    home = "" if view.has("trainer") else "fit."
    settings, misreads = read_keys(document, _LOADER, TRAINER, home.rstrip("."))
    references: list[Reference] = []
    together: list[Setting] = [
        *precision_settings(view, f"{home}trainer.precision", misreads), *_split(view, home, references), *_devices(view, home),
        *_optimizer(view, home, misreads), *_arguments(view, home, misreads),
        *left_open(document, _LOADER, ((f"{home}optimizer.init_args.decoupled_weight_decay", "optimizer", ADAMS),)),
    ]  # fmt: skip
    return Reading("lightning", Role.TRAINER, document, Settings((*settings, *together)), tuple(references), tuple(misreads))


def _split(view: View, home: str, references: list[Reference]) -> list[Setting]:
    name, path = strategy_name(view, f"{home}trainer.strategy")
    arguments = f"{home}trainer.strategy.init_args"
    references.extend(view.reference(Role.ENGINE, f"{arguments}.config"))
    if name == "fsdp2":
        return [view.setting("shard", "fsdp2", path)]
    split = STRATEGIES.get(name)
    if split is None or not split.shard:
        return [view.symbolic("shard", path)] if name and split is None else []
    stage = view.value(f"{arguments}.stage")
    shard = f"zero{stage}" if name == "deepspeed" and stage in (1, 2, 3) else split.shard
    engine = _engine(view, home) if shard.startswith("zero") else []
    places = (("offload_optimizer", split.offload_optimizer), ("offload_params", split.offload_params))
    return [view.setting("shard", shard, path), *engine, *(view.setting(key, place, path) for key, place in places if place != "none")]


def _engine(view: View, home: str) -> list[Setting]:
    """DeepSpeed keeps the weights in the Trainer's 16-bit type (strategies/deepspeed.py ``_format_precision_config``)."""
    path = f"{home}trainer.precision"
    kind = {"16": "fp16", "bf16": "bf16"}.get(view.word(path).partition("-")[0])
    return [view.setting("engine_dtype", kind, path)] if kind else []


def _devices(view: View, home: str) -> list[Setting]:
    """A number, ``-1`` or ``auto`` for all there are, or the indices of some (``0, 1`` as text or list)."""
    path = view.first(f"{home}trainer.devices", f"{home}trainer.gpus")
    if not path:
        return []
    value = view.value(path)
    if isinstance(value, Sequence):
        return [view.setting("devices_per_node", len(value.items), path, f"{len(value.items)} indices")]
    word = view.word(path)
    if "," in word:
        return [view.setting("devices_per_node", len([part for part in word.split(",") if part.strip()]), path)]
    count = numerals.small(word) or 0
    return [view.setting("devices_per_node", count, path)] if 0 < count < 1000 else [_all_there(view, path)]


def _all_there(view: View, path: str) -> Setting:
    return Setting("devices_per_node", None, view.origin(path), view.text(path), "auto")


def _optimizer(view: View, home: str, misreads: list[Misread]) -> list[Setting]:
    raw = raw_at(view.document, _LOADER, f"{home}optimizer.class_path")
    if raw is None or "." not in raw.text:
        return []
    library = raw.text.startswith(("torch.optim.", "bitsandbytes.", "torchao.", "deepspeed.", "apex."))
    spelling = decoupled(raw.text, view.on(f"{home}optimizer.init_args.decoupled_weight_decay"))
    return read_optimizer(raw, "lightning", misreads, spelling) if library else [view.symbolic("optimizer", raw.path)]


def _arguments(view: View, home: str, misreads: list[Misread]) -> list[Setting]:
    """The usual names among the arguments of the project's own classes."""
    rows = (("model", "model", _MODELS, str), ("data", "micro_batch", _BATCHES, to_count), ("data", "seq_len", _LENGTHS, to_count))
    found: list[Setting] = []
    for part, name, words, convert in rows:
        path = view.first(*(f"{home}{part}.init_args.{word}" for word in words))
        if path:
            key = path[len(home) :]
            settings, wrong = read_keys(view.document, _LOADER, (Key(key, name, convert),), home.rstrip("."))
            misreads.extend(wrong)
            found.extend(replace(setting, origin=replace(setting.origin, note=_NOTE)) for setting in settings)
    return found


_ARGS = "lightning pytorch/trainer/trainer.py Trainer."
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("weights_dtype", "fp32", f"{_ARGS}precision: 32-true"),
    ("autocast", "none", f"{_ARGS}precision: 32-true"),
    ("grad_accum", 1, f"{_ARGS}accumulate_grad_batches"),
    ("max_grad_norm", 0.0, f"{_ARGS}gradient_clip_val: None"),
    ("max_steps", -1, f"{_ARGS}max_steps"),
    ("nodes", 1, f"{_ARGS}num_nodes"),
)


def defaults(_settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)


READER = Reader("lightning", Role.TRAINER, _LOADER, recognise, read, defaults, package="lightning")

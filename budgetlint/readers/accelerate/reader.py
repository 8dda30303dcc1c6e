"""accelerate launch configs, YAML or JSON: how many processes, what splits the model, and mixed precision for who asks for none.

Sources: accelerate 1.15.0 ``commands/config/config_args.py``, ``commands/launch.py``, ``utils/launch.py`` and
``utils/dataclasses.py``; the same in 0.30.0, 1.6.0 and 1.10.0 but for FSDP 2, which starts at 1.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader
from budgetlint.readers.accelerate.keys import ALWAYS, DEEPSPEED, FSDP1, FSDP2, MEGATRON, PROCESSES
from budgetlint.readers.base import Key, Reader, default, loader_of, names, read_keys
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack

_LOADER = Loader.PYYAML

_OWN = names("""compute_environment distributed_type mixed_precision num_processes num_machines machine_rank gpu_ids downcast_bf16
    deepspeed_config fsdp_config megatron_lm_config parallelism_config dynamo_config dynamo_backend fp8_config mpirun_config
    main_process_ip main_process_port main_training_function rdzv_backend same_network use_cpu debug tpu_env tpu_use_cluster
    enable_cpu_affinity ec2_instance_type iam_role_name fp16 command_file commands""")
_TRAINERS = names("base_model model_name_or_path model learning_rate per_device_train_batch_size sequence_len cutoff_len")
_ENVIRONMENTS = ("LOCAL_MACHINE", "AMAZON_SAGEMAKER")


def recognise(document: Document) -> float:
    """``distributed_type`` beside another key of accelerate; or ``compute_environment`` with accelerate's own words."""
    mapping = document.mapping
    if mapping is None or document.format == "toml":
        return 0.0
    keys = frozenset(mapping.keys())
    own = len(keys & _OWN)
    if "distributed_type" in keys and own >= 2:
        return 0.5 if keys & _TRAINERS else 1.0
    environment = View(document, _LOADER).words("compute_environment")
    return 0.9 if environment and environment[0] in _ENVIRONMENTS and own >= 2 else 0.0


def read(document: Document) -> Reading:
    loader = loader_of(document, _LOADER)
    view = View(document, loader)
    kind = _kind(view)
    settings, misreads = read_keys(document, loader, (*ALWAYS, *_sections(view, kind)))
    if kind == "DEEPSPEED":
        settings = [_by_engine(setting) for setting in settings]
    together = _SHARDS[kind](view) if kind in _SHARDS else []
    references = _references(view) if kind == "DEEPSPEED" else ()
    return Reading("accelerate", Role.LAUNCHER, document, Settings((*together, *settings)), references, tuple(misreads))


_COMPILED = (True, False)


def _by_engine(setting: Setting) -> Setting:
    """What ``settle`` decides: a DeepSpeed engine is compiled by some releases only."""
    if setting.name != "compile" or setting.value is not True:
        return setting
    return replace(setting, value=None, state="auto", readings=_COMPILED)


def settle(settings: Settings, stack: Stack) -> Settings:
    """accelerate 1.1.0 ``accelerator.py`` _prepare_deepspeed compiles the engine of DeepSpeed 0.14.4 and later; up to 1.0.0 only
    ``prepare_model`` compiles, which DeepSpeed's way does not take."""
    written = settings.get("compile")
    if written is None or written.readings != _COMPILED or "dynamo" not in written.origin.key:
        return settings
    asked = (stack.at_least("accelerate", "1.1.0"), stack.at_least("deepspeed", "0.14.4"))
    if False not in asked and None in asked:
        return settings
    chosen = replace(written, value=all(asked), state="known", readings=())
    return Settings(chosen if setting is written else setting for setting in settings.values())


def _kind(view: View) -> str:
    """``distributed_type`` in capitals. A bare ``NO`` is false to YAML, and false counts as no distribution."""
    word = view.word("distributed_type").upper()
    return {"FALSE": "NO", "": ""}.get(word, "MULTI" if word.startswith("MULTI_") and word != "MULTI_CPU" else word)


def _sections(view: View, kind: str) -> tuple[Key, ...]:
    if kind == "NO":
        return ()
    sections = {
        "DEEPSPEED": () if _file(view) else DEEPSPEED,
        "FSDP": FSDP2 if _second(view) else FSDP1,
        "MEGATRON_LM": MEGATRON,
    }
    return (*PROCESSES, *sections.get(kind, ()))


_FILE = "deepspeed_config.deepspeed_config_file"
_VERSIONS = ("fsdp_config.fsdp_version", "fsdp_config.version")


def _file(view: View) -> bool:
    return view.word(_FILE) not in ("", "none")


def _references(view: View) -> tuple[Reference, ...]:
    return view.reference(Role.ENGINE, _FILE) if _file(view) else ()


def _second(view: View) -> bool:
    version = view.first(*_VERSIONS)
    return bool(version) and view.word(version) == "2"


def _no_shard(view: View) -> list[Setting]:
    """One process, whatever ``num_processes`` says (commands/launch.py simple_launcher)."""
    return [view.setting("shard", "none", "distributed_type"), view.setting("devices", 1, "distributed_type", "NO: one process")]


def _ddp(view: View) -> list[Setting]:
    return [view.setting("shard", "ddp", "distributed_type")]


def _zero(view: View) -> list[Setting]:
    """Stage 2 unless ``zero_stage`` or a DeepSpeed file says otherwise (DeepSpeedPlugin: ACCELERATE_DEEPSPEED_ZERO_STAGE, 2)."""
    if _file(view):
        return []
    return [view.setting("shard", "zero2", "distributed_type", "DEEPSPEED without zero_stage: stage 2")]


def _fsdp(view: View) -> list[Setting]:
    version = view.first(*_VERSIONS)
    name = "fsdp2" if _second(view) else "fsdp"
    shard = view.setting("shard", name, version or "distributed_type")
    return [shard, *_hybrid(view)] if _second(view) else [shard]


def _hybrid(view: View) -> list[Setting]:
    path = "parallelism_config.parallelism_config_dp_replicate_size"
    size = view.value(path)
    if not isinstance(size, int) or size < 2:
        return []
    return [view.setting("shard_strategy", "hybrid", path), view.setting("shard_replicas", size, path)]


_SHARDS = {"NO": _no_shard, "MULTI": _ddp, "DEEPSPEED": _zero, "FSDP": _fsdp}

_PLUGIN = "accelerate utils/dataclasses.py"
_FSDP_DEFAULTS: tuple[tuple[str, Any, str], ...] = (
    ("shard_strategy", "full", f"{_PLUGIN} FullyShardedDataParallelPlugin: FULL_SHARD"),
    ("reshard_after_forward", True, f"{_PLUGIN} FullyShardedDataParallelPlugin"),
    ("wrap", "none", f"{_PLUGIN} FullyShardedDataParallelPlugin.auto_wrap_policy: NO_WRAP"),
    ("offload_params", "none", f"{_PLUGIN} FullyShardedDataParallelPlugin.cpu_offload"),
    ("offload_optimizer", "none", f"{_PLUGIN} FullyShardedDataParallelPlugin.cpu_offload"),
)
_ZERO_DEFAULTS: tuple[tuple[str, Any, str], ...] = (
    ("offload_optimizer", "none", f"{_PLUGIN} DeepSpeedPlugin.offload_optimizer_device"),
    ("offload_params", "none", f"{_PLUGIN} DeepSpeedPlugin.offload_param_device"),
)


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    shard = settings.value("shard", "")
    rows = _FSDP_DEFAULTS if shard in ("fsdp", "fsdp2") else _ZERO_DEFAULTS if shard in ("zero1", "zero2", "zero3") else ()
    yield from (default(name, value, note) for name, value, note in rows)
    if shard in ("fsdp", "fsdp2"):
        kind = "FULL_STATE_DICT" if shard == "fsdp" else "SHARDED_STATE_DICT"
        yield default("state_dict_type", kind, f"{_PLUGIN} FullyShardedDataParallelPlugin.set_state_dict_type")
    yield default("autocast", "none", "accelerate commands/launch.py mixed_precision: no")
    yield default("nodes", 1, "accelerate commands/config/config_args.py ClusterConfig.num_machines")


READER = Reader("accelerate", Role.LAUNCHER, _LOADER, recognise, read, defaults, package="accelerate", settle=settle)

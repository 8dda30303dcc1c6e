"""Who wins when two files of a run disagree. The frameworks' own precedence, with its sources, in one table.

transformers 5.24 training_args.py:1614 (HF fp16/bf16 beat accelerate's mixed_precision, which counts only when both are off),
integrations/deepspeed.py:577, 593 (the DeepSpeed file's optimizer and scheduler beat ``optim`` and ``lr_scheduler_type``),
accelerate 1.15 accelerator.py:2211 (DeepSpeed's accumulation wins over accelerate's; :547, the launcher's over the script's).
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.frameworks import format_of
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings, over

ENGINE_FIRST = frozenset({
    "optimizer", "lr_scheduler", "shard", "offload_optimizer", "offload_params", "pin_optimizer", "pin_params", "engine_dtype",
    "grads_dtype", "loss_scale",
    "zero_bucket", "zero_allgather_bucket", "zero_overlap", "zero_prefetch", "zero_persistence", "zero_max_live", "zero_sub_group",
    "zero_contiguous",
})  # fmt: skip
LAUNCHER_BEFORE_TRAINER = frozenset({"shard", "devices", "nodes", "devices_per_node"})

_LOOP = "python_loop"
_ORDER = {Role.STATED: -3, Role.TRAINER: 0, Role.ENGINE: 1, Role.LAUNCHER: 2, Role.MODEL: 3, Role.INFERENCE: 4, Role.INPUT: 5}


def join(readings: Iterable[Reading]) -> Settings:
    """One run's settings from its documents, before framework defaults. Among files of one role a flag beats a file: TRL 1.16
    ``scripts/utils.py`` TrlParser, axolotl ``cli/config.py`` load_cfg, LLaMA-Factory ``hparams/parser.py`` read_args, accelerate
    ``commands/launch.py`` _validate_launch_command."""
    by_name: dict[str, list[tuple[tuple[int, bool], Setting]]] = {}
    every = tuple(readings)
    if len(every) == 1:  # as of most runs: nobody disagrees
        return every[0].settings
    loops = any(format_of(one.format).own_loop or is_own_script(one.settings) for one in every if one.role is Role.TRAINER)
    counts = any(format_of(one.format).by_ray and "devices_per_node" in one.settings for one in every if one.role is Role.TRAINER)
    for reading in _with_own_optimizer(_with_one_batch(every)):
        for name, setting in reading.settings.items():
            if counts and name in _COUNTS and reading.role is Role.LAUNCHER:
                continue
            rank = (_rank(name, reading.role, loops), setting.origin.kind is not OriginKind.FLAG)
            by_name.setdefault(name, []).append((rank, setting))
    return Settings(_winner(sorted(found, key=lambda item: item[0])) for found in by_name.values())


def _with_one_batch(every: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Megatron-DeepSpeed's batch is ``--global-batch-size``, or micro batch x data-parallel ranks without accumulation (``arguments.py``
    ``validate_args``), while the engine steps by its own file: where the two differ nobody is believed."""
    trainer = next((one for one in every if one.format == "megatron" and one.role is Role.TRAINER), None)
    engine = next((one for one in every if one.role is Role.ENGINE), None)
    if trainer is None or engine is None:
        return every
    flag, steps = trainer.settings.get("global_batch"), engine.settings.value("grad_accum")
    whole = engine.settings.value("global_batch")
    differ = flag is not None and whole is not None and whole != flag.value
    dropped = {"global_batch"} if flag is None and steps == 1 else {"global_batch", "grad_accum"}
    return tuple(
        _less(one, dropped) if one is engine else _less(one, {"global_batch"}) if one is trainer and differ else one for one in every
    )


def _with_own_optimizer(every: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """A loop of its own that makes an optimizer hands it to ``deepspeed.initialize``, which then makes none of its file's (deepspeed 0.17.4
    ``runtime/engine.py`` `_configure_optimizer`); accelerate stops where both are there (1.7.0 ``accelerator.py`` `_prepare_deepspeed`)."""
    loops = (one.settings.get("optimizer") for one in every if one.role is Role.TRAINER and one.format == _LOOP)
    if not any(one is not None and one.known and not one.is_default for one in loops):
        return every
    return tuple(_less(one, {"optimizer"}) if one.role is Role.ENGINE else one for one in every)


def _less(reading: Reading, dropped: set[str]) -> Reading:
    return replace(reading, settings=Settings(one for name, one in reading.settings.items() if name not in dropped))


_COUNTS = frozenset(("devices", "nodes", "devices_per_node"))
"""Where Ray places the workers, the program's own counts say on how many devices: ``srun --ntasks=1`` around it starts the driver
alone."""


def _rank(name: str, role: Role, loops: bool) -> int:
    if role is Role.STATED:  # what a budget reads is what arrives, whoever else says so
        return _ORDER[role]
    if name == "grad_accum" and loops and role in (Role.ENGINE, Role.LAUNCHER):
        return -1
    if name in ENGINE_FIRST and role is Role.ENGINE:
        return -2
    if name in LAUNCHER_BEFORE_TRAINER and role is Role.LAUNCHER:
        return -1
    return _ORDER[role]


def _winner(ranked: list[tuple[tuple[int, bool], Setting]]) -> Setting:
    """The strongest known setting; an ``auto`` yields to whoever knows, a switched-off autocast to one that is on."""
    settings = [setting for _, setting in ranked]
    heard = [setting for rank, setting in ranked if not _is_beaten(rank, ranked)]
    known = [setting for setting in heard if setting.known and not _says_nothing(setting)] or [s for s in heard if s.known] or settings
    winner = known[0]
    for loser in settings:
        if loser is not winner:
            winner = over(winner, loser)
    return winner


def _is_beaten(rank: tuple[int, bool], ranked: list[tuple[tuple[int, bool], Setting]]) -> bool:
    """A file's value counts for nothing where a flag of its program says another, even one that nobody can know."""
    flags = [one for (role, is_file), one in ranked if role == rank[0] and not is_file]
    return rank[1] and any(one.state == "symbolic" for one in flags)


OFF = {"autocast": "none", "recompute": "none"}
"""Switches that another file can still turn on: HF's precision yields to accelerate's, and FSDP's own activation
checkpointing works beside ``gradient_checkpointing: false`` (accelerate 1.15 utils/fsdp_utils.py)."""


def _says_nothing(setting: Setting) -> bool:
    return setting.name in OFF and setting.value == OFF[setting.name]


def with_stored_weights(settings: Settings, claims: Settings) -> Settings:
    """Nobody says how the base is quantised, but the checkpoint's name does: an assumption, weaker than every written value;
    not known where its words mean nothing that is billed."""
    model = settings.get("model") or claims.get("model")
    if model is None or not model.known or "quant" in settings or "quant" in claims:
        return settings
    from budgetlint.catalog.stored import storage  # most files say it themselves

    found = storage(str(model.value))
    if found is None:
        return settings
    words, kind = found
    if kind is None:
        return settings.filled([Setting("quant", None, Origin(OriginKind.DERIVED, note=f"the name says {words}"), words, "symbolic")])
    return settings.filled([Setting("quant", kind, Origin(OriginKind.DERIVED, note=f"the checkpoint's name ends in -{words}"), kind)])


ARGUMENTS = {
    "recompute_reentrant": "recompute", "recompute_every": "recompute", "recompute_offload": "recompute",
    "pin_optimizer": "offload_optimizer", "pin_params": "offload_params", "offload_ratio": "offload_optimizer",
    "quant_double": "quant", "quant_compute_dtype": "quant", "quant_storage": "quant", "quant_upcast": "quant",
}  # fmt: skip
"""Settings that only say how another is done."""


def without_idle_defaults(settings: Settings) -> Settings:
    """Nobody asks for the default argument of what is switched off."""
    idle = {name for name, of in ARGUMENTS.items() if name in settings and settings[name].is_default and settings.value(of) == "none"}
    return Settings(setting for name, setting in settings.items() if name not in idle) if idle else settings


_SUBTRACTS = expression(r"^\$\(\(.*-")
"""``$((WORLD_SIZE - 1))``: a device is kept for something else, a server of samples as a rule."""


def with_derived(settings: Settings) -> Settings:
    """What follows from the joined settings: the number of devices from the machines and the devices on each."""
    per_node, stated = settings.value("devices_per_node"), settings.get("devices")
    nodes = settings.value("nodes") if "nodes" in settings else 1
    if not per_node or not nodes or (stated is not None and (stated.known or stated.origin.kind is not OriginKind.FLAG)):
        return settings
    if stated is not None and _SUBTRACTS.search(stated.text):
        return settings
    origin = Origin(OriginKind.DERIVED, note="devices per node x nodes")
    return settings.under(Settings([Setting("devices", per_node * nodes, origin, str(per_node * nodes))]))

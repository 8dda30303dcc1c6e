"""Engine files that a trainer ships and its users name: ms-swift's ``zero2``, XTuner's ``deepspeed_zero2``, LLaMA-Factory's and
Axolotl's DeepSpeed files.

A user's config says ``deepspeed: zero2`` or ``deepspeed: examples/deepspeed/ds_z3_config.json``; the file lies in the trainer's own
repository. Rows hold what the files say in our vocabulary, with the versions that say so. Written from the files named as sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import record

AUTO = "auto"
"""The trainer fills the value in."""


@record
class Versions:
    """A value that changed: ``newer`` since version ``since`` of the trainer, ``older`` before."""

    newer: Any
    older: Any
    since: str


Row = tuple[str, Any]


@record
class Preset:
    """``name`` is what users write; ``package`` whose versions decide; ``source`` where it was read."""

    framework: str
    name: str
    package: str
    source: str
    rows: tuple[Row, ...]


def find_preset(framework: str, text: str) -> Preset | None:
    """The preset that ``text`` names in a config of ``framework``: its name, or a path that ends in its file's name."""
    word = text.strip().removeprefix("default-")
    leaf = word.rpartition("/")[2]
    for preset in PRESETS:
        if preset.framework == framework and (preset.name == word or (preset.name.endswith(".json") and preset.name == leaf)):
            return preset
    return None


_HALF: tuple[Row, ...] = (("engine_dtype", AUTO), ("loss_scale", 0.0))
_BATCH: tuple[Row, ...] = (("micro_batch", AUTO), ("grad_accum", AUTO), ("global_batch", AUTO))
_CLIPPED: tuple[Row, ...] = (*_BATCH, ("max_grad_norm", AUTO))
_GATHERED: tuple[Row, ...] = (
    ("zero_contiguous", True),
    ("zero_bucket", AUTO),
    ("zero_prefetch", AUTO),
    ("zero_persistence", AUTO),
    ("zero_gathers_on_save", True),
)
"""ZeRO 3 with the three sizes that follow from the model; all of these files have
``stage3_gather_16bit_weights_on_model_save: true``."""


def _offload(optimizer: Any, params: Any = None, *, pinned: bool = True) -> tuple[Row, ...]:
    """All of these files but axolotl's zero2.json say ``pin_memory: true``."""
    rows = (("offload_optimizer", optimizer), *((("offload_params", params),) if params is not None else ()))
    return (*rows, *((name.replace("offload", "pin"), True) for name, place in rows if pinned and place != "none"))


# -- ms-swift: swift/config/*.json of 4.6.0; swift/llm/ds_config/*.json of 3.0.0 to 3.9.0 ---------------------------------

_OVERLAP = Versions(False, True, "ms-swift 3.3.0")


def _swift() -> Iterator[Preset]:
    low = (*_HALF, *_CLIPPED, ("zero_bucket", 200_000_000), ("zero_allgather_bucket", 200_000_000), ("zero_contiguous", True))
    high = (*_HALF, *_CLIPPED, *_GATHERED, ("zero_sub_group", 1_000_000_000), ("zero_max_live", 1_000_000_000), ("zero_overlap", _OVERLAP))
    rows: tuple[tuple[str, tuple[Row, ...]], ...] = (
        ("zero0", (("shard", "ddp"), *low, ("zero_overlap", False))),
        ("zero1", (("shard", "zero1"), *_offload("none"), *low, ("zero_overlap", False))),
        ("zero2", (("shard", "zero2"), *_offload("none"), *low, ("zero_overlap", _OVERLAP))),
        ("zero2_offload", (("shard", "zero2"), *_offload("cpu"), *low, ("zero_overlap", _OVERLAP))),
        ("zero3", (("shard", "zero3"), *_offload("none", "none"), *high)),
        ("zero3_offload", (("shard", "zero3"), *_offload(Versions("cpu", "none", "ms-swift 3.1.0"), "cpu"), *high)),
    )
    yield from (Preset("ms_swift", name, "ms-swift", f"ms-swift 4.6.0 swift/config/{name}.json", found) for name, found in rows)
    fsdp: tuple[Row, ...] = (
        ("shard", "fsdp2"),
        ("shard_strategy", "full"),
        ("reshard_after_forward", True),
        ("wrap", "layer"),
        ("state_dict_type", "SHARDED_STATE_DICT"),
        ("recompute", "full"),
        ("offload_params", "none"),
        ("offload_optimizer", "none"),
    )
    yield Preset("ms_swift", "fsdp2", "ms-swift", "ms-swift 4.6.0 swift/config/fsdp2.json", fsdp)


# -- LLaMA-Factory: examples/deepspeed/*.json of the main branch (1d6e8b2); copies of 2024 say overlap_comm true -----------

_FACTORY_OVERLAP = Versions(False, True, "the main branch of 2025")


def _factory() -> Iterator[Preset]:
    low = (
        *_HALF, *_CLIPPED, ("zero_bucket", 500_000_000), ("zero_allgather_bucket", 500_000_000), ("zero_contiguous", True),
        ("zero_overlap", _FACTORY_OVERLAP),
    )  # fmt: skip
    high = (
        *_HALF, *_CLIPPED, *_GATHERED, ("zero_sub_group", 1_000_000_000), ("zero_max_live", 1_000_000_000),
        ("zero_overlap", _FACTORY_OVERLAP),
    )  # fmt: skip
    rows: tuple[tuple[str, tuple[Row, ...]], ...] = (
        ("ds_z0_config.json", (("shard", "ddp"), *low)),
        ("ds_z2_config.json", (("shard", "zero2"), *low)),
        ("ds_z2_offload_config.json", (("shard", "zero2"), *_offload("cpu"), *low)),
        ("ds_z2_autotp_config.json", (("shard", "zero2"), ("tensor_parallel", 2), *low)),
        ("ds_z3_config.json", (("shard", "zero3"), *high)),
        ("ds_z3_offload_config.json", (("shard", "zero3"), *_offload("cpu", "cpu"), *high)),
    )
    for name, found in rows:
        yield Preset("llamafactory", name, "llamafactory", f"LLaMA-Factory 0.9 examples/deepspeed/{name}", found)


# -- Axolotl: deepspeed_configs/*.json of 0.5 to 0.18 ----------------------------------------------------------------------


def _axolotl() -> Iterator[Preset]:
    live: tuple[Row, ...] = (("zero_sub_group", 0), ("zero_max_live", 0))
    low = (*_HALF, *_CLIPPED, ("zero_overlap", True))
    high = (*_CLIPPED, *_GATHERED, *live, ("zero_overlap", True))
    bf16: tuple[Row, ...] = (("engine_dtype", "bf16"),)
    rows: tuple[tuple[str, tuple[Row, ...]], ...] = (
        ("zero1.json", (("shard", "zero1"), *low)),
        ("zero1_torch_compile.json", (("shard", "zero1"), *low)),
        ("zero2.json", (("shard", "zero2"), *_offload("cpu", pinned=False), ("zero_contiguous", True), *low)),
        ("zero2_torch_compile.json", (("shard", "zero2"), *_offload("cpu", pinned=False), ("zero_contiguous", True), *low)),
        ("zero3.json", (("shard", "zero3"), *_HALF, *high)),
        ("zero3_bf16.json", (("shard", "zero3"), *bf16, *high)),
        ("zero3_bf16_cpuoffload_params.json", (("shard", "zero3"), *_offload("none", "cpu"), *bf16, *high)),
        ("zero3_bf16_cpuoffload_all.json", (("shard", "zero3"), *_offload("cpu", "cpu"), *bf16, *high)),
    )
    for name, found in rows:
        yield Preset("axolotl", name, "axolotl", f"axolotl deepspeed_configs/{name}", found)


# -- XTuner: xtuner/configs/deepspeed/*.json of 0.1.9 and 0.2.0 ----------------------------------------------------------------


def _xtuner() -> Iterator[Preset]:
    """The sizes are DeepSpeed's own defaults: none of the files names any."""
    low = (*_HALF, *_CLIPPED, ("zero_overlap", True))
    high = (*low, ("zero_gathers_on_save", True))
    rows: tuple[tuple[str, tuple[Row, ...]], ...] = (
        ("deepspeed_zero1", (("shard", "zero1"), *low)),
        ("deepspeed_zero2", (("shard", "zero2"), *low)),
        ("deepspeed_zero2_offload", (("shard", "zero2"), *_offload("cpu"), *low)),
        ("deepspeed_zero3", (("shard", "zero3"), *high)),
        ("deepspeed_zero3_offload", (("shard", "zero3"), *_offload("cpu", "cpu"), *high)),
    )
    for name, found in rows:
        yield Preset("xtuner", name, "xtuner", f"xtuner 0.2.0 configs/deepspeed/{name}.json", found)


PRESETS: tuple[Preset, ...] = (*_swift(), *_factory(), *_axolotl(), *_xtuner())

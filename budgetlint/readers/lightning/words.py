"""Lightning's words for precision and strategy, shared by Fabric scripts (LitGPT) and the Trainer.

Sources: lightning 2.6 ``fabric/plugins/precision/precision.py`` (aliases: 16 is 16-mixed), ``half.py`` (``-true``: weights,
gradients and states in that dtype), ``amp.py`` (``-mixed``: autocast over fp32 weights), ``pytorch/strategies/*.py``.
"""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.readers.base import Misread
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_PRECISIONS: dict[str, tuple[str, str]] = {
    "64": ("fp32", "none"), "64-true": ("fp32", "none"), "32": ("fp32", "none"), "32-true": ("fp32", "none"),
    "16": ("fp32", "fp16"), "16-mixed": ("fp32", "fp16"), "16-true": ("fp16", "none"),
    "bf16": ("fp32", "bf16"), "bf16-mixed": ("fp32", "bf16"), "bf16-true": ("bf16", "none"),
    "transformer-engine": ("bf16", "fp8"), "transformer-engine-float16": ("fp16", "fp8"),
}  # fmt: skip
"""Weights and autocast. Doubles count as fp32: the catalog has no 8-byte dtype."""


def precision_settings(view: View, path: str, misreads: list[Misread]) -> list[Setting]:
    word = view.word(path)
    if not word:
        return []
    if view.setting("autocast", "", path).state == "symbolic":
        return [view.symbolic("autocast", path)]
    if word not in _PRECISIONS:
        cure = "write 32-true, bf16-mixed, bf16-true, 16-mixed or 16-true"
        misreads.append(Misread(f"{path}: '{view.text(path)}' is no precision of Lightning", cure, view.origin(path)))
        return []
    weights, autocast = _PRECISIONS[word]
    return [view.setting("weights_dtype", weights, path), view.setting("autocast", autocast, path)]


@record
class Split:
    """What a strategy's name says."""

    shard: str
    offload_optimizer: str = "none"
    offload_params: str = "none"


STRATEGIES: dict[str, Split] = {
    "ddp": Split("ddp"), "ddp_spawn": Split("ddp"), "ddp_fork": Split("ddp"), "ddp_notebook": Split("ddp"),
    "ddp_find_unused_parameters_true": Split("ddp"), "ddp_find_unused_parameters_false": Split("ddp"),
    "deepspeed_stage_1": Split("zero1"), "deepspeed_stage_2": Split("zero2"), "deepspeed": Split("zero2"),
    "deepspeed_stage_2_offload": Split("zero2", "cpu"),
    "deepspeed_stage_3": Split("zero3"), "deepspeed_stage_3_offload": Split("zero3", "cpu", "cpu"),
    "deepspeed_stage_3_offload_nvme": Split("zero3", "nvme", "nvme"),
    "fsdp": Split("fsdp"), "fsdp_cpu_offload": Split("fsdp", "cpu", "cpu"),
    "single_device": Split("none"), "auto": Split(""),
}  # fmt: skip
"""``auto`` is one device or DDP, by how many devices there are (``accelerator_connector.py``)."""

_CLASSES = {
    "DDPStrategy": "ddp", "FSDPStrategy": "fsdp", "DeepSpeedStrategy": "deepspeed", "SingleDeviceStrategy": "single_device",
    "FSDP2Strategy": "fsdp2", "ModelParallelStrategy": "fsdp2",
}  # fmt: skip


def strategy_name(view: View, path: str) -> tuple[str, str]:
    """The registered name, and the path it stands at: a word, or a block with a ``class_path``."""
    inner = f"{path}.class_path"
    if view.first(inner):
        return _CLASSES.get(str(view.value(inner)).rpartition(".")[2], ""), inner
    return view.word(path), path

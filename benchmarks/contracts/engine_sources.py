"""What trains below the trainers: quantization configs, Accelerate's plugins and DeepSpeed's config."""

from __future__ import annotations

from typing import Any

from .sources import Contract, Source, Walked


def signed(name: str, dotted: str, made: str = "dataclass", **base: Any) -> Contract:
    """A class whose fields are the parameters of its constructor."""
    return Contract(name, {"self": (dotted,)}, (Walked("__init__"),), made, dotted, base, signature=True)


def _plugin(name: str) -> Contract:
    dotted = f"accelerate.utils.dataclasses.{name}"
    base = {"load_in_8bit": True} if name == "BnbQuantizationConfig" else {}
    return Contract(name, {"self": (dotted,)}, (Walked("__post_init__"),), "dataclass", dotted, base)


ACCELERATE = Source(
    "accelerate",
    (
        *(_plugin(name) for name in ("FullyShardedDataParallelPlugin", "BnbQuantizationConfig")),
        signed("Accelerator", "accelerate.accelerator.Accelerator", "accelerator"),
    ),
)

_ZERO = "deepspeed.runtime.zero"
_PRECISION = "deepspeed.runtime.precision_config"
_CONFIG = "deepspeed.runtime.config"
_MADE = (
    "_reject_removed_config_keys(config)\nself.world_size = dist.world_size\nself._param_dict = config\nself._initialize_params(config)\n"
)
_CHECKED = "self._configure_train_batch_size()\nself._do_sanity_check()"

DEEPSPEED = Source(
    "deepspeed",
    (
        Contract(
            "DeepSpeedConfig",
            {"self": (f"{_CONFIG}.DeepSpeedConfig",), "config": ()},
            (Walked(_CONFIG, {"self": "self", "config": "config"}, code=_MADE + _CHECKED),),
            "deepspeed",
            f"{_CONFIG}.DeepSpeedConfig",
            {"train_micro_batch_size_per_gpu": 2},
            as_given=("config",),
            lenient=True,
            sections={
                "zero_optimization": (f"{_ZERO}.config.DeepSpeedZeroConfig",),
                "zero_optimization.offload_param": (f"{_ZERO}.offload_config.DeepSpeedZeroOffloadParamConfig",),
                "zero_optimization.offload_optimizer": (f"{_ZERO}.offload_config.DeepSpeedZeroOffloadOptimizerConfig",),
                "fp16": (f"{_PRECISION}.DeepSpeedFP16Config",),
                "bf16": (f"{_PRECISION}.DeepSpeedBF16Config",),
                "comms_logger": ("deepspeed.comm.config.CommsLoggerConfig",),
                "tensorboard": ("deepspeed.monitor.config.TensorBoardConfig",),
                "wandb": ("deepspeed.monitor.config.WandbConfig",),
                "csv_monitor": ("deepspeed.monitor.config.CSVConfig",),
                "hybrid_engine": (f"{_CONFIG}.HybridEngineConfig",),
                "compile": ("deepspeed.compile.config.CompileConfig",),
                "optimizer": (),
                "scheduler": (),
                "checkpoint": (),
                "data_types": (),
            },
            typed=dict.fromkeys(("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"), "int | None"),
        ),
    ),
)

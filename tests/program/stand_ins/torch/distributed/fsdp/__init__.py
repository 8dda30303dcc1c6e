"""FSDP, both of them."""

import enum
from typing import Any

from recorder import sink

from torch.nn import Module


class ShardingStrategy(enum.Enum):
    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4


class BackwardPrefetch(enum.Enum):
    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class MixedPrecision:
    __stand_in__ = True

    @sink("torch.distributed.fsdp.MixedPrecision")
    def __init__(self, param_dtype: Any = None, reduce_dtype: Any = None, buffer_dtype: Any = None, **kwargs: Any) -> None:
        self.param_dtype = param_dtype


class CPUOffload:
    @sink("torch.distributed.fsdp.CPUOffload")
    def __init__(self, offload_params: bool = False) -> None:
        self.offload_params = offload_params


class MixedPrecisionPolicy:
    @sink("torch.distributed.fsdp.MixedPrecisionPolicy")
    def __init__(self, param_dtype: Any = None, reduce_dtype: Any = None, **kwargs: Any) -> None:
        self.param_dtype = param_dtype


class FullyShardedDataParallel(Module):
    @sink("torch.distributed.fsdp.FullyShardedDataParallel")
    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        sharding_strategy: Any = None,
        cpu_offload: Any = None,
        auto_wrap_policy: Any = None,
        backward_prefetch: Any = None,
        mixed_precision: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


@sink("torch.distributed.fsdp.fully_shard")
def fully_shard(module: Module, *, mesh: Any = None, reshard_after_forward: Any = None, mp_policy: Any = None, **kwargs: Any) -> Module:
    return module


from torch.distributed.fsdp import wrap

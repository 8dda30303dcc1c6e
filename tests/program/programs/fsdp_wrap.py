import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision, ShardingStrategy
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM
from transformers.models import LlamaDecoderLayer


def main(sharding="FULL_SHARD", low=True):
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("nccl", rank=rank, world_size=world)
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={LlamaDecoderLayer})
    half = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if low else None
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if world > 1:
        model = FSDP(model, sharding_strategy=getattr(ShardingStrategy, sharding), auto_wrap_policy=policy, mixed_precision=half)
    else:
        model = DDP(model, device_ids=[rank], find_unused_parameters=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    model(None).loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main(os.environ.get("SHARDING", "FULL_SHARD"))

"""Torch's FSDP around a model in a loop of the program's own: which of its strategies it is."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

LOOP = """\
import os, torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy, fully_shard
from torch.distributed.fsdp.fully_sharded_data_parallel import ShardingStrategy as Other
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
from absent import rows
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
{}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in DataLoader(rows, batch_size=2, shuffle=True):
    model(**batch).loss.backward()
    optimizer.step()
"""
CASES = {
    "FSDP(model)": ("fsdp", None),
    "FSDP(model, sharding_strategy=None)": ("fsdp", None),
    "FSDP(model, sharding_strategy=ShardingStrategy.FULL_SHARD)": ("fsdp", "full"),
    "FSDP(model, None, ShardingStrategy.SHARD_GRAD_OP)": ("fsdp", "grad-op"),
    "FSDP(model, sharding_strategy=Other.HYBRID_SHARD)": ("fsdp", "hybrid"),
    "FSDP(model, sharding_strategy=ShardingStrategy._HYBRID_SHARD_ZERO2)": ("fsdp", "hybrid-grad-op"),
    "FSDP(model, sharding_strategy=ShardingStrategy.NO_SHARD)": ("fsdp", "no-shard"),
    "FSDP(model, **dict(sharding_strategy=ShardingStrategy.SHARD_GRAD_OP, limit_all_gathers=True))": ("fsdp", "grad-op"),
    "FSDP(model, sharding_strategy=ShardingStrategy[os.environ['S']])": (None, None),
    "FSDP(model, sharding_strategy=ShardingStrategy.FULL_SHARD if input() else ShardingStrategy.NO_SHARD)": (None, None),
    "FSDP(model, **rows.settings)": (None, None),
    "fully_shard(model)": ("fsdp2", None),
}


@pytest.mark.parametrize("call", CASES)
def test_the_strategy(call: str) -> None:
    (run,) = judge_texts({"train.py": LOOP.format(f"model = {call}")}, budget="device 80GiB").runs
    assert (run.run.settings.value("shard"), run.run.settings.value("shard_strategy")) == CASES[call]

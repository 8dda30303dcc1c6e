"""What the tests of the probe share: small models as jobs."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.hf_config import architecture_from_config
from budgetlint.probe.job import Job, row_of
from budgetlint.resolve.runs import judge_texts

TINY: dict[str, dict[str, Any]] = {
    "llama": {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 160},
    "gpt2": {"n_embd": 64, "n_head": 4, "n_positions": 128},
    "qwen2_moe": {
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96, "moe_intermediate_size": 48,
        "shared_expert_intermediate_size": 64, "num_experts": 4, "num_experts_per_tok": 2,
    },
    "bert": {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 160, "max_position_embeddings": 128},
}  # fmt: skip


def _tiny(family: str, layers: int = 4, **changes: Any) -> Job:
    """A job of a small model in fp32, with changes."""
    arch = architecture_from_config({"model_type": family, "num_hidden_layers": layers, "vocab_size": 512, **TINY[family]}, family)
    assert isinstance(arch, Architecture)
    usual: dict[str, Any] = {
        "arch": row_of(arch), "task": "masked" if family == "bert" else "causal", "weights": 4, "grads": 4, "master": 0, "state": 4,
        "autocast": False, "compute": 4, "optimizer": "adamw", "optimizer_impl": "for-loop", "in_backward": False, "batch": 2, "seq": 64,
        "accum": 1, "recompute": "none", "every": 1, "first": None, "reentrant": False, "attention": "eager", "loss": "full",
        "lora": None, "shard": "none", "world": 1, "reshard": True,
    }  # fmt: skip
    return Job(**{**usual, **changes})


@pytest.fixture
def context() -> Any:
    """The run that a line of budget language says."""

    def of(budget: str) -> Any:
        return judge_texts({"run.budget": budget}).runs[0]

    return of


@pytest.fixture
def tiny() -> Any:
    """`_tiny`: a job by family, with changes."""
    return _tiny

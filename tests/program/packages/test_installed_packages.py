"""Questions for what is installed, and what TPUs are asked: none of it leaves a doubt about the model."""

from __future__ import annotations

import pytest

from budgetlint.program.packages.benign import changes_nothing


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("transformers.integrations.is_optuna_available", True),
        ("transformers.utils.is_flash_attn_2_available", True),
        ("torch.jit.script", True),
        ("torch_xla.core.xla_model.xrt_world_size", True),
        ("transformers.integrations.replace_with_bnb_linear", False),
        ("torch.jit.freeze", False),
        ("acme.is_ready_available", False),
    ],
)
def test_changes_nothing(name: str, harmless: bool) -> None:
    assert changes_nothing(name) is harmless

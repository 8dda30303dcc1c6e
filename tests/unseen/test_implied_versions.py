"""What a pinned release leaves no choice of."""

from __future__ import annotations

import pytest

from budgetlint.resolve.implied import with_implied
from budgetlint.resolve.pins import required
from budgetlint.settings.run import Origin, OriginKind, Stack


def stack(*texts: str) -> Stack:
    told = [required(text, Origin(OriginKind.FILE)) for text in texts]
    return Stack({one.package: one for one in told if one is not None})


@pytest.mark.parametrize(
    ("texts", "implied"),
    [
        (["transformers==4.46"], {"trl": "<0.18.0"}),  # 0.17.0 asks for 4.46, 0.18.0 for 4.50
        (["transformers==4.50.0"], {"trl": "<0.19.0"}),
        (["transformers<4.50"], {"trl": "<0.18.0"}),
        (["transformers<=4.50.0"], {"trl": "<0.19.0"}),
        (["transformers>=4.46"], {"trl": None}),
        (["transformers==4.57.6"], {"trl": None}),
        (["transformers==4.30.0"], {"trl": "<0.13.0"}),  # 0.12.2 asks for nothing below 4.47
        (["transformers==4.46", "trl>=0.9"], {"trl": ">=0.9,<0.18.0"}),
        (["transformers==4.46", "trl==0.29.0"], {"trl": "0.29.0", "transformers": "4.46"}),
        (["transformers==4.46", "trl>=0.20"], {"trl": ">=0.20"}),  # nothing can be installed: what is written stays
        (["trl==0.24.0"], {"transformers": ">=4.56.1", "accelerate": ">=1.4.0"}),
        (["trl==0.9.6"], {"transformers": ">=4.31.0", "accelerate": None}),
        (["trl==0.12.2"], {"transformers": "<4.47.0"}),
        (["trl>=0.12,<0.14"], {"transformers": None}),  # 0.12.2 takes older ones
        (["trl>=0.18"], {"transformers": ">=4.50.0"}),
        (["trl==0.24.0", "transformers>=4.40"], {"transformers": ">=4.56.1"}),
        (["torch==2.4.0"], {"trl": None, "transformers": None}),
    ],
)
def test_what_pip_would_have_to_take(texts: list[str], implied: dict[str, str | None]) -> None:
    found = with_implied(stack(*texts)).releases
    assert {name: found[name].said if name in found else None for name in implied} == implied

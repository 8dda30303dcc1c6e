"""Commands that stand above the first statement of a text."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.launch.in_comments import told_calls, told_launches

TORCHTUNE = """# LoRA.
# To launch on 2 devices:
#   tune run --nproc_per_node 2 \\
#     lora_finetune_distributed --config llama3/8B

batch_size: 1
"""
DOCSTRING = '"""Trains.\n\nUsage: torchrun --nproc_per_node=4 train.py --config a.yaml\n"""\nimport os\n'
BACKTICKS = "#!/usr/bin/env python\n# Start it with `accelerate launch train.py`, or not at all.\nimport os\n"
PROSE = "# deepspeed is needed, and python 3.10; see https://x.org/a: b\nbatch_size: 1\n"
PLACEHOLDER = '"""Usage: torchrun --nproc_per_node=<N> train.py [options]"""\n'
BELOW = "batch_size: 1\n# torchrun --nproc_per_node=4 train.py\n"
IN_CODE = 'import os\n"""torchrun --nproc_per_node=4 train.py"""\n'


@pytest.mark.parametrize(
    ("path", "text", "programs", "line"),
    [
        ("a.yaml", TORCHTUNE, ["tune run lora_finetune_distributed"], 3),
        ("train.py", DOCSTRING, ["train.py"], 3),
        ("train.py", BACKTICKS, ["train.py"], 2),
        ("a.yaml", PROSE, ["is"], 1),
        ("train.py", PLACEHOLDER, [], 0),
        ("a.yaml", BELOW, [], 0),
        ("train.py", IN_CODE, [], 0),
    ],
)
def test_launches_of_a_head(path: str, text: str, programs: list[str], line: int) -> None:
    """Words of prose may look like a program; it is no file of the project."""
    source = SourceFile(path, text)
    found = told_launches(source)
    assert [one.program.program for one in found] == programs
    assert [source.locate(one.span).line for one in found] == [line] * len(programs)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("#!/bin/bash\n# Usage: bash train.sh en configs/a.yaml\ntorchrun train.py --config $2\n", [("en", "configs/a.yaml")]),
        ("#!/bin/bash\n# Usage: bash train.sh <lang> <config>\ntorchrun train.py --config $2\n", []),
    ],
)
def test_calls_of_a_head(text: str, arguments: list[tuple[str, ...]]) -> None:
    assert [call.arguments for call in told_calls(SourceFile("train.sh", text))] == arguments

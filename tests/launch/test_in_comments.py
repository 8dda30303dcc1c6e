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
IN_CODE = 'import os\n"""torchrun --nproc_per_node=4 train.py"""\nmain()\n'
AT_THE_END = 'import os\nmain()\n\n"""\ndeepspeed --num_gpus 4 train.py \\\n  --lr 1\n"""\n'
COMMENTS_THERE = "import os\nmain()\n\n# start it with:\n#   torchrun train.py --lr 1\n"
BOTH = "\"\"\"Trains.\n\ntorchrun train.py\n\"\"\"\nimport os\n'''\npython train.py --lr 1\n'''\n# that is all"
A_VALUE = 'import os\nUSE = """\ndeepspeed --num_gpus 4 train.py\n"""\n'
OF_A_FUNCTION = 'import os\ndef f():\n    """\n    deepspeed --num_gpus 4 train.py\n    """\n'


@pytest.mark.parametrize(
    ("path", "text", "programs", "lines"),
    [
        ("a.yaml", TORCHTUNE, ["tune run lora_finetune_distributed"], [3]),
        ("train.py", DOCSTRING, ["train.py"], [3]),
        ("train.py", BACKTICKS, ["train.py"], [2]),
        ("a.yaml", PROSE, ["is"], [1]),
        ("train.py", PLACEHOLDER, [], []),
        ("a.yaml", BELOW, [], []),
        ("train.py", IN_CODE, [], []),
        ("train.py", AT_THE_END, ["train.py"], [5]),
        ("train.py", COMMENTS_THERE, ["train.py"], [5]),
        ("train.py", BOTH, ["train.py", "train.py"], [3, 7]),
        ("train.py", A_VALUE, [], []),
        ("train.py", OF_A_FUNCTION, [], []),
        ("train.py", "", [], []),
    ],
)
def test_launches_of_a_head_and_an_end(path: str, text: str, programs: list[str], lines: list[int]) -> None:
    """Words of prose may look like a program; it is no file of the project."""
    source = SourceFile(path, text)
    found = told_launches(source)
    assert [one.program.program for one in found] == programs
    assert [source.locate(one.span).line for one in found] == lines


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("#!/bin/bash\n# Usage: bash train.sh en configs/a.yaml\ntorchrun train.py --config $2\n", [("en", "configs/a.yaml")]),
        ("#!/bin/bash\n# Usage: bash train.sh <lang> <config>\ntorchrun train.py --config $2\n", []),
    ],
)
def test_calls_of_a_head(text: str, arguments: list[tuple[str, ...]]) -> None:
    assert [call.arguments for call in told_calls(SourceFile("train.sh", text))] == arguments

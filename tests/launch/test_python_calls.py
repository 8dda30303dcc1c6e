"""Commands that a program starts with ``subprocess`` or ``os.system``."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.launch.python_calls import called_launches
from budgetlint.testing import settings_of

WORDS = '["torchrun", "train.py", "--learning_rate", "1e-5"]'


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (f"import subprocess\nsubprocess.run({WORDS})", {"learning_rate": "1e-5"}),
        (f"from subprocess import check_call as go\ngo({WORDS}, check=True)", {"learning_rate": "1e-5"}),
        (f"import subprocess\ndef main():\n    cmd = {WORDS}\n    subprocess.Popen(cmd)", {"learning_rate": "1e-5"}),
        ('import os\nos.system("torchrun train.py --learning_rate 1e-5")', {"learning_rate": "1e-5"}),
        ('import subprocess, sys\nsubprocess.run([sys.executable, "train.py", "--seed", "1"])', {"seed": "1"}),
        ('import subprocess\nsubprocess.run(("torchrun", "train.py", "--seed", str(seed)))', {"seed": "${str_seed_}"}),
    ],
)
def test_a_command_that_stands_there_as_a_whole(text: str, flags: dict[str, str]) -> None:
    (launch,) = called_launches(SourceFile("start.py", text))
    root = launch.program.mapping
    assert root is not None
    assert {entry.key.text: getattr(entry.value, "text", None) for entry in root.entries} == flags


@pytest.mark.parametrize(
    "text",
    [
        f"import subprocess\ncmd = {WORDS}\ncmd += more\nsubprocess.run(cmd)",
        f"import subprocess\ncmd = {WORDS}\ncmd.append(more)\nsubprocess.run(cmd)",
        f"import subprocess\ncmd = {WORDS}\nif debug:\n    cmd = ['ls']\nsubprocess.run(cmd)",
        "import subprocess\nsubprocess.run(['torchrun', 'train.py', *flags])",
        f"import subprocess\nsubprocess.run({WORDS}, cwd='other')",
        f"def run(command):\n    print(command)\nrun({WORDS})",
        f"commands = [{WORDS}]",
    ],
)
def test_what_is_put_together_is_not_taken(text: str) -> None:
    assert called_launches(SourceFile("start.py", text)) == ()


def test_the_flags_are_those_of_the_followed_program() -> None:
    program = (
        "from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments\n"
        "(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
        "model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-1.5B')\n"
        "Trainer(model=model, args=args, train_dataset=data).train()\n"
    )
    start = 'import subprocess\nsubprocess.run(["python", "train.py", "--output_dir", "out", "--per_device_train_batch_size", "3"])\n'
    assert [one["micro_batch"] for one in settings_of({"start.py": start, "train.py": program})] == [3]

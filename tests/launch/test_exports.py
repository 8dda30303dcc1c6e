"""Variables that a script sets for what it starts reach the program: its defaults count only where nobody sets them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.yaml import read_yaml
from budgetlint.launch.read import document_launches
from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import os
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=int(os.environ.get("BATCH", "4")))
Trainer(model=model, args=args, train_dataset=rows).train()
"""
UNKNOWN = None
SCRIPTS: dict[str, tuple[str, int | None]] = {
    "nobody sets it": ("python train.py", 4),
    "before the command": ("BATCH=2 python train.py", 2),
    "export": ("export BATCH=2\npython train.py", 2),
    "export of several": ("export LR=1 BATCH=2\npython train.py", 2),
    "export of a variable": ("BATCH=2\nexport BATCH\npython train.py", 2),
    "export of what another holds": ("N=2\nexport BATCH=$N\npython train.py", 2),
    "declare -x": ("declare -x BATCH=2\npython train.py", 2),
    "set -a": ("set -a\nBATCH=2\nset +a\npython train.py", 2),
    "set -o allexport": ("set -o allexport\nBATCH=2\npython train.py", 2),
    "set -e": ("set -e\nBATCH=2\npython train.py", 4),
    "not exported": ("BATCH=2\npython train.py", 4),
    "behind set +a": ("set -a\nset +a\nBATCH=2\npython train.py", 4),
    "exported later": ("python train.py\nexport BATCH=2", 4),
    "export -n": ("BATCH=2\nexport -n BATCH\npython train.py", 4),
    "the command's own wins": ("export BATCH=2\nBATCH=8 python train.py", 8),
    "env": ("env BATCH=2 python train.py", 2),
    "env behind nohup": ("nohup env LR=1 BATCH=2 python train.py &", 2),
    "env of something else": ("env LR=1 python train.py", 4),
    "one that is not known": ("export BATCH=$1\npython train.py", UNKNOWN),
    "in a branch": ("if test -d x; then export BATCH=2; fi\npython train.py", UNKNOWN),
    "around a function": ("run() { python train.py; }\nexport BATCH=2\nrun", 2),
    "in a function": ("run() { export BATCH=$1; python train.py; }\nrun 2", 2),
    "before a function": ("run() { python train.py; }\nBATCH=2 run", 2),
    "changed in the function": ("run() { BATCH=3; python train.py; }\nBATCH=2 run", 3),
    "in a loop": ("for b in 2; do export BATCH=$b; python train.py; done", 2),
    "behind a loop": ("for b in 2 3; do export BATCH=$b; done\npython train.py", 3),
    "around another shell": ("export BATCH=2\nsrun bash -c 'python train.py'", 2),
    "in another shell": ("export BATCH=2\nsrun bash -c 'export BATCH=3; python train.py'", 3),
    "twice": ("export BATCH=2\nexport BATCH=3\npython train.py", 3),
}


def batch(files: Mapping[str, str]) -> int | None:
    [run] = judge_texts({"train.py": PROGRAM, **files}).runs
    setting = run.run.settings["micro_batch"]
    return setting.value if setting.known else None


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_program_finds_what_its_script_exports(name: str) -> None:
    text, expected = SCRIPTS[name]
    assert batch({"run.sh": f"{text}\n"}) == expected


def test_scripts_hand_on_what_they_export() -> None:
    assert batch({"run.sh": "export BATCH=2\nbash inner.sh\n", "inner.sh": "python train.py\n"}) == 2


def test_a_job_sets_variables() -> None:
    job = "resources:\n  accelerators: A100:1\nenvs:\n  BATCH: 2\nrun: |\n  python train.py --x ${BATCH}\n"
    [launch] = document_launches(read_yaml(SourceFile("job.yaml", job))[0])
    assert launch.environment["BATCH"].text == "2"

"""Where the paths of a script lead that it works out from where it lies itself, and what its own words come to for a program."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import argparse, json
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--config")
p.add_argument("--batch", type=int, default=1)
p.add_argument("--note", action="store_true")
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained(json.load(open(a.config))["model"])
Trainer(model=model, args=TrainingArguments(output_dir="o", per_device_train_batch_size=a.batch)).train()
"""
CONFIG = '{"model": "Qwen/Qwen2.5-0.5B"}'
FILES = {"code/train.py": PROGRAM, "configs/a.json": CONFIG}

SCRIPTS = {
    "beside it": 'HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\npython "$HERE/../train.py" '
    '--config "$HERE/../../configs/a.json" --batch 4',
    "from a folder above": 'ROOT=$(cd "$(dirname "$0")/../.." && pwd)\npython $ROOT/code/train.py --config $ROOT/configs/a.json --batch 4',
    "step by step": 'A="$(cd "$(dirname "$0")" && pwd)"\nB="$(cd "$A/.." && pwd)"\nC=$(dirname "$B")\n'
    'python "$B/train.py" --config "$C/configs/a.json" --batch 4',
    "by parameters": 'A="${BASH_SOURCE[0]%/*}"\npython $A/../train.py --config ${A%/*}/../configs/a.json --batch 4',
    "entered first": 'cd "$(dirname "$0")/../.."\npython code/train.py --config configs/a.json --batch 4',
    "numbers that are worked out": 'cd "$(dirname "$0")/../.."\nT=8\npython code/train.py --config configs/a.json --batch $((T / 2))',
    "a comment among the flags": 'cd "$(dirname "$0")/../.."\npython code/train.py `#--note` --config configs/a.json `# old` --batch 4',
    "devices of a list": 'cd "$(dirname "$0")/../.."\nG=0,1,2,3\npython code/train.py --config configs/a.json --batch '
    '$(echo $G | tr "," "\\n" | wc -l)',
}  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_finds_its_files_and_the_program_its_values(script: str) -> None:
    judged = judge_texts({**FILES, "code/scripts/run.sh": f"{script}\n"})
    (run,) = judged.runs
    assert (run.run.settings.value("model"), run.run.settings.value("micro_batch")) == ("Qwen/Qwen2.5-0.5B", 4)
    assert [one.name for one in judged.findings] == []


CALLED = """\
python train.py --config "$1" --batch "$2"
"""
CALLER = 'HERE="$(cd "$(dirname "$0")" && pwd)"\n"$HERE/one.sh" configs/a.json 4 train.py\n'


def test_a_script_that_is_called_with_a_programs_name_starts_no_program_itself() -> None:
    judged = judge_texts({"train.py": PROGRAM, "configs/a.json": CONFIG, "s/one.sh": CALLED, "s/all.sh": CALLER})
    assert {one.run.name: (one.run.settings.value("model"), one.run.settings.value("micro_batch")) for one in judged.runs} == {
        "s/one.sh": ("Qwen/Qwen2.5-0.5B", 4)
    }


SOURCES = {
    "installed": ("python -m tool.train --config configs/a.json --batch 4", {}, "src/tool/train.py"),
    "by a launcher": ("accelerate launch -m tool.train --config configs/a.json --batch 4", {}, "src/tool/train.py"),
    "of two that end so": ("python -m tool.train --config configs/a.json --batch 4", {"old/tool/train.py": PROGRAM}, "src/tool/train.py"),
    "in front of it": ("python -m tool.train --config configs/a.json --batch 4", {"tool/train.py": PROGRAM}, "tool/train.py"),
    "entered": ("cd src && python -m tool.train --config ../configs/a.json --batch 4", {}, "src/tool/train.py"),
}


@pytest.mark.parametrize(("command", "others", "program"), SOURCES.values(), ids=SOURCES)
def test_modules_of_a_package_are_found_below_src(command: str, others: dict[str, str], program: str) -> None:
    files = {"src/tool/__init__.py": "", "src/tool/train.py": PROGRAM, "configs/a.json": CONFIG, **others}
    judged = judge_texts({**files, "run.sh": f"{command}\n"})
    run = next(one for one in judged.runs if one.run.name == "run.sh")
    assert (run.run.settings.value("model"), run.run.settings.value("micro_batch")) == ("Qwen/Qwen2.5-0.5B", 4)
    assert run.run.trainer is not None and run.run.trainer.consumer is not None and not run.run.trainer.consumer.says
    assert run.run.trainer.program is not None and run.run.trainer.program.path == program
    assert [one.name for one in judged.findings] == []


def test_what_such_a_module_refuses_is_known() -> None:
    files = {"src/tool/train.py": PROGRAM, "configs/a.json": CONFIG}
    (context,) = judge_texts({**files, "run.sh": "python -m tool.train --config configs/a.json --rows 4\n"}).runs
    assert context.run.trainer is not None and context.run.trainer.program is not None
    assert [one.kind for one in context.run.trainer.program.refusals] == ["unrecognized"]

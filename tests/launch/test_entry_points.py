"""What of a project is a run: what something starts, or what trains when it is started without words; no module that only defines."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

BUILT = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

def build(model):
    args = SFTConfig(output_dir="o", per_device_train_batch_size=2, max_length=512, bf16=True)
    return SFTTrainer(model=AutoModelForCausalLM.from_pretrained(model), args=args)

class Recipe:
    def run(self):
        trainer = build("Qwen/Qwen2.5-0.5B")
        trainer.train()
"""
MAIN = BUILT + "\ndef main():\n    Recipe().run()\n"
GUARD = '\nif __name__ == "__main__":\n    main()\n'
QWEN = ("Qwen/Qwen2.5-0.5B", 2)

NO_ARGUMENTS = """\
from transformers import AutoModelForCausalLM, Trainer
Trainer(model=AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")).train()
"""
FEW = """\
import sys
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
args = TrainingArguments(sys.argv[1])
Trainer(model=AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B"), args=args).train()
"""
OPAQUE = FEW.replace("TrainingArguments(sys.argv[1])", "acme.arguments()").replace("import sys", "import acme")

CASES = {
    "a module that defines": ({"lib.py": BUILT}, {}),
    "a module that defines, and is imported by what trains": (
        {"lib.py": MAIN, "train.py": "from lib import main\nmain()\n", "run.sh": "python train.py\n"},
        {"run.sh": QWEN},
    ),
    "it has a main that nothing calls": ({"lib.py": MAIN}, {}),
    "it is started by itself": ({"t.py": MAIN + GUARD}, {"t.py": QWEN}),
    "its body trains": ({"t.py": MAIN + "main()\n"}, {"t.py": QWEN}),
    "a script starts it": ({"t.py": MAIN + GUARD, "run.sh": "python t.py\n"}, {"run.sh": QWEN}),
    "a package": (
        {
            "mine/__init__.py": "",
            "mine/__main__.py": "from mine.lib import main\nmain()\n",
            "mine/lib.py": MAIN,
            "run.sh": "python -m mine\n",
        },
        {"run.sh": QWEN},
    ),
    "a guard in a part of another": (
        {"lib.py": MAIN, "t.py": "import lib\nif __name__ == '__main__':\n    lib.main()\n", "run.sh": "python t.py\n"},
        {"run.sh": QWEN},
    ),
    "a template that trains nothing": ({"templates/t.py": BUILT + "\nTEMPLATE = build\n"}, {}),
    "no arguments": ({"t.py": NO_ARGUMENTS, "run.sh": "python t.py\n"}, {"run.sh": ("Qwen/Qwen2.5-0.5B", 8)}),
    "few arguments": ({"t.py": FEW, "run.sh": "python t.py out\n"}, {"run.sh": ("Qwen/Qwen2.5-0.5B", 8)}),
    "arguments that nobody can follow": ({"t.py": OPAQUE, "run.sh": "python t.py out\n"}, {"run.sh": ("Qwen/Qwen2.5-0.5B", None)}),
}


def found(files: dict[str, str]) -> dict[str, tuple[object, object]]:
    runs = judge_texts(files).runs
    return {one.run.name: (one.run.settings.value("model"), getattr(one.setting("micro_batch"), "value", None)) for one in runs}


@pytest.mark.parametrize(("files", "runs"), CASES.values(), ids=CASES)
def test_only_an_entry_point_is_a_run(files: dict[str, str], runs: dict[str, tuple[object, object]]) -> None:
    assert found(files) == runs


PROJECT = '[project]\nname = "mine"\nversion = "1"\n[project.scripts]\nmine-train = "mine.cli:main"\n'
POETRY = '[tool.poetry.scripts]\nmine-train = "mine.cli:main"\n'
SETUP_CFG = "[options.entry_points]\nconsole_scripts =\n    mine-train = mine.cli:main\n"
SETUP_PY = (
    "from setuptools import setup\nsetup(name='mine', package_dir={'': 'src'}, "
    "entry_points={'console_scripts': ['mine-train=mine.cli:main']})\n"
)
PARSED = MAIN.replace(
    "def main():\n",
    "import argparse\n\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--batch', type=int)\n    p.parse_args()\n",
)
DECLARED = {
    "pyproject": ("pyproject.toml", PROJECT),
    "a gui": ("pyproject.toml", PROJECT.replace("scripts", "gui-scripts")),
    "poetry": ("pyproject.toml", POETRY),
    "setup.cfg": ("setup.cfg", SETUP_CFG),
    "setup.py": ("setup.py", SETUP_PY),
}


@pytest.mark.parametrize(("name", "text"), DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("folder", ["", "src/"])
def test_a_console_script_is_the_function_that_it_names(name: str, text: str, folder: str) -> None:
    files = {name: text, f"{folder}mine/__init__.py": "", f"{folder}mine/cli.py": PARSED}
    assert found(files) == {f"{folder}mine/cli.py": QWEN}
    started = "#!/bin/bash\nCUDA_VISIBLE_DEVICES=0 mine-train --batch 2\n"
    assert found({**files, "run.sh": started}) == {"run.sh": QWEN}


def test_a_console_script_is_followed_with_the_words_of_its_launch() -> None:
    program = PARSED.replace("    p.parse_args()\n", "    global N\n    N = p.parse_args().batch\n").replace("size=2", "size=N")
    files = {"pyproject.toml": PROJECT, "mine/__init__.py": "", "mine/cli.py": program, "run.sh": "uv run mine-train --batch 4\n"}
    assert found(files) == {"run.sh": ("Qwen/Qwen2.5-0.5B", 4)}

"""A notebook is the program of its code cells, each line where it stands."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.notebook import cells_of
from budgetlint.resolve.runs import judge_texts


def notebook(*cells: str, indent: int | None = 1) -> str:
    """As nbformat writes it."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)} for text in cells]
    return json.dumps(
        {"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["import this"]}, *made], "nbformat": 4}, indent=indent
    )


@pytest.mark.parametrize(
    ("cells", "python", "shell"),
    [
        (("a = 1\nb = 2", "c = 3"), ["a = 1", "b = 2", "c = 3"], []),
        (("%pip install trl\n!nvidia-smi\na = 1",), ["a = 1"], ["nvidia-smi"]),
        (("if a:\n    !ls {a}\nelse:\n    %cd x",), ["if a:", "    pass", "else:", "    pass"], ["ls ${a}"]),
        (("%%bash\necho hi", "%%time\na = 1", "a.train?"), ["a = 1"], ["echo hi"]),
        (("%%javascript\nalert(1)", "%%script bash\necho {a}"), [], ["echo {a}"]),
        (("a = 1\n!python a.py \\\n  --b {a} \\\n  --c\nb = 2",), ["a = 1", "b = 2"], ["python a.py \\", "  --b 1 \\", "  --c"]),
        (("%env A=1 \\\n  2\nb = 2",), ["b = 2"], []),
        (("!jq '{\"a\": 1}' ${X} {o.p[0]} {{y}}",), [], ["jq '{\"a\": 1}' ${X} ${o_p_0} {{y}}"]),
        (('a = "\\n\\t\\"é"',), ['a = "\\n\\t\\"é"'], []),
    ],
)
def test_cells_are_one_program_and_its_commands(cells: tuple[str, ...], python: list[str], shell: list[str]) -> None:
    text = notebook(*cells)
    found = cells_of(SourceFile("n.ipynb", text))
    assert found is not None
    assert [line for line in found.program.text.splitlines() if line] == python
    assert [line for line in found.commands.text.splitlines() if line] == shell
    where = {line: number for number, line in enumerate(found.program.text.splitlines()) if line and line.strip() != "pass"}
    lines = text.splitlines()
    assert all(json.dumps(line)[1:-1] in lines[number] for line, number in where.items())


FILLED = {
    "a text": ("m = 'org/model'", "t.py {m}", "t.py org/model"),
    "numbers": ("e, n, r = 3, 4, 5\nk = -2\nlr = 3e-5\nok = True", "t.py {e} {k} {lr} {ok}", "t.py ${e} -2 3e-05 True"),
    "two words": ("m = '--a 1'", "t.py {m}", "t.py --a 1"),
    "set again": ("m = 'a'\nm = 'b'", "t.py {m}", "t.py b"),
    "set in a block": ("m = 'a'\nif x:\n    m = 'b'", "t.py {m}", "t.py ${m}"),
    "made": ("m = 'a' + x", "t.py {m}", "t.py ${m}"),
    "of a loop": ("m = 'a'\nfor m in 'ab':\n    pass", "t.py {m}", "t.py ${m}"),
    "changed": ("m = 1\nm += 1", "t.py {m}", "t.py ${m}"),
    "lines": ("m = 'a\\nb'", "t.py {m}", "t.py ${m}"),
    "an attribute": ("m = 'a'", "t.py {m.lower} $m", "t.py ${m_lower} $m"),
    "no Python": ("m = = 1", "t.py {m}", "t.py ${m}"),
}


@pytest.mark.parametrize(("cell", "command", "filled"), FILLED.values(), ids=FILLED)
def test_names_of_earlier_cells_are_filled_in(cell: str, command: str, filled: str) -> None:
    found = cells_of(SourceFile("n.ipynb", notebook(cell, f"!{command}", "%%bash\necho {m}", "z = 'late'")))
    assert found is not None
    assert [line for line in found.commands.text.splitlines() if line] == [filled, "echo {m}"]


def test_what_a_later_cell_sets_is_not_known_yet() -> None:
    found = cells_of(SourceFile("n.ipynb", notebook("!t.py {m}", "m = 'late'")))
    assert found is not None and found.commands.text.strip() == "t.py ${m}"


EXPORTED = """\
# Databricks notebook source
# MAGIC %md
# MAGIC python no.py

# COMMAND ----------

a = 1

# COMMAND ----------

# MAGIC %sh
# MAGIC python b.py --x 1

# COMMAND ----------

# MAGIC !python c.py \\
# MAGIC   --y {a}

# COMMAND ----------

!python d.py \\
    --z 2
b = 2
"""


def test_a_notebook_of_databricks_is_its_cells() -> None:
    found = cells_of(SourceFile("n.py", EXPORTED))
    assert found is not None
    assert [line for line in found.program.text.splitlines() if line and not line.startswith("#")] == ["a = 1", "b = 2"]
    shell = found.commands.text.splitlines()
    assert [line for line in shell if line] == ["python b.py --x 1", "python c.py \\", "  --y 1", "python d.py \\", "    --z 2"]
    assert shell[11] == "python b.py --x 1"


@pytest.mark.parametrize("text", [notebook("a = 1", "b = 2", indent=None), "{}", "[]", "{", '{"cells": {}}'])
def test_what_is_not_laid_in_lines_is_no_program(text: str) -> None:
    assert cells_of(SourceFile("n.ipynb", text)) is None


TRAINS = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")"""
RUNS = "SFTTrainer(model=model, args=SFTConfig(output_dir='o', per_device_train_batch_size=4, max_length=1024)).train()"


def test_a_notebook_trains() -> None:
    text = notebook("!pip install trl", TRAINS, RUNS)
    (context,) = judge_texts({"n.ipynb": text}).runs
    batch = context.setting("micro_batch")
    assert batch is not None
    assert batch.value == 4
    line = batch.origin.location
    assert line is not None
    assert "per_device_train_batch_size=4" in text.splitlines()[line.line - 1]


def test_a_notebook_starts_a_program() -> None:
    program = f"{TRAINS}\n{RUNS}".replace("=4", "=2")
    runs = judge_texts({"n.ipynb": notebook("!python train.py"), "train.py": program}).runs
    assert [(one.run.name, one.run.settings.value("micro_batch"), one.run.settings.value("devices")) for one in runs] == [("n.ipynb", 2, 1)]


COMMAND = "!python train.py \\\n  --per_device_train_batch_size {rows} \\\n  --output_dir o --gradient_accumulation_steps 3"
FLAGS = f"""\
from transformers import HfArgumentParser
{TRAINS}
(args,) = HfArgumentParser(SFTConfig).parse_args_into_dataclasses()
SFTTrainer(model=model, args=args).train()
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.ipynb", notebook("rows = 4", COMMAND)),
        ("n.py", f"# Databricks notebook source\nrows = 4\n\n# COMMAND ----------\n\n{COMMAND}\n"),
        (
            "m.py",
            "# Databricks notebook source\n# MAGIC %sh\n# MAGIC "
            + COMMAND[1:].replace("\n", "\n# MAGIC ").replace("{rows}", "$rows")
            + "\n",
        ),
    ],
)
def test_a_command_of_several_lines_has_all_its_flags(name: str, text: str) -> None:
    (context,) = judge_texts({name: text, "train.py": FLAGS}).runs
    batch, steps = context.setting("micro_batch"), context.setting("grad_accum")
    assert batch is not None
    assert batch.value == (None if name == "m.py" else 4)
    assert (context.run.name, steps.value if steps is not None else None) == (name, 3)

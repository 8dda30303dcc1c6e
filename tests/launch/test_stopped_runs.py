"""A launch whose program would train and surely stops is a run; one that evaluates, or says how it is used, is none."""

from __future__ import annotations

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect

BEGIN = """
import argparse, sys
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="plain")
parser.add_argument("--evaluate", action="store_true")
args = parser.parse_args()
def refuse(kind):
    if kind == "plain":
        return 1
    raise ValueError(kind)
def fit(model):
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in torch.load("rows.pt"):
        (model(batch).loss * refuse(args.kind)).backward()
        optimizer.step()
def load():
    return AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
"""
STOPS = {
    "in the loop": ("--kind other", "fit(load())"),
    "before the model": ("--kind other", "refuse(args.kind)\nfit(load())"),
    "with a handler of other errors": ("--kind other", "try:\n    fit(load())\nexcept KeyboardInterrupt:\n    pass"),
    "with what is done at last": ("--kind other", "try:\n    fit(load())\nfinally:\n    print('done')"),
    "with a Trainer": ("--kind other", "model = load()\nrefuse(args.kind)\nTrainer(model, TrainingArguments('out')).train()"),
}
HANDLED = "try:\n    refuse(args.kind)\nexcept ValueError:\n    args.kind = 'plain'\nfit(load())"
GOES = {
    "a word that it knows": ("--kind plain", "fit(load())"),
    "behind what nobody knows": (
        "--kind other",
        "if torch.cuda.device_count() > 1:\n    refuse(args.kind)\nargs.kind = 'plain'\nfit(load())",
    ),
    "a handler takes it": ("--kind other", HANDLED),
    "in a loop that may have no round": (
        "--kind other",
        "for one in torch.load('a.pt'):\n    refuse(args.kind)\nargs.kind = 'plain'\nfit(load())",
    ),
}
NONE = {
    "it evaluates": ("--kind other --evaluate", "model = load()\nif args.evaluate:\n    refuse(args.kind)\nelse:\n    fit(model)"),
    "it says how it is used": ("--kind help", "if args.kind == 'help':\n    sys.exit(0)\nfit(load())"),
    "what is wrong is no one's word": ("", "refuse('other')\nfit(load())"),
    "it ends as it is meant to": ("--kind help", "def usage():\n    raise SystemExit\nif args.kind == 'help':\n    usage()\nfit(load())"),
    "a handler ends it": ("--kind other", "try:\n    fit(load())\nexcept ValueError:\n    print('unknown')"),
}


def _runs(flags: str, end: str) -> list[tuple[str, object, list[str]]]:
    work = collect(open_project(TextFiles({"run.sh": f"python train.py {flags}\n", "train.py": BEGIN + end + "\n"}), ["."]))
    return [
        (run.name, run.readings[0].settings.get("model"), [one.says for one in program.refusals] if program is not None else [])
        for run in work.runs
        for program in [run.readings[0].program]
    ]


@pytest.mark.parametrize(("flags", "end"), STOPS.values(), ids=STOPS)
def test_it_stops(flags: str, end: str) -> None:
    ((name, model, says),) = _runs(flags, end)
    assert (name, getattr(model, "value", None), says) == ("run.sh", "Qwen/Qwen2.5-1.5B", ["not (kind == 'plain')"])


@pytest.mark.parametrize(("flags", "end"), GOES.values(), ids=GOES)
def test_it_goes_on(flags: str, end: str) -> None:
    ((name, model, says),) = _runs(flags, end)
    assert (name, getattr(model, "value", None), says) == ("run.sh", "Qwen/Qwen2.5-1.5B", [])


@pytest.mark.parametrize(("flags", "end"), NONE.values(), ids=NONE)
def test_no_run(flags: str, end: str) -> None:
    assert [says for _, _, says in _runs(flags, end) if says] == []

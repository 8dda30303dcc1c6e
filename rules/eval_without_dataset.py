"""Evaluation is on, and the run has no data to evaluate on.

LLaMA-Factory takes it from `eval_dataset` or splits off `val_size`; axolotl from `test_datasets` or `val_set_size`; a Python program
gives it to its Trainer. Of a file for a script that is not here (TRL, transformers examples) nothing is told.

## What it costs

The run stops at start: "Please make sure eval_dataset be provided or val_size >1e-6".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
eval_strategy: steps
eval_steps: 500
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
eval_strategy: steps
eval_steps: 500
val_size: 0.1
```

## Sources

- LLaMA-Factory 0.9.0, 0.9.3 and 0.9.5 `hparams/parser.py` `get_train_args`: `do_eval`, which `eval_strategy` switches on (transformers
  `training_args.py`), `do_predict`, `predict_with_generate`.
- transformers 4.46.3 and 5.24.0 `trainer.py`: "you didn't pass an `eval_dataset` to `Trainer`"; 4.41.0 does not look for it there.
- axolotl 0.8.0 to 0.19.0 `utils/schemas/validation.py` `check_evals`: `val_set_size == 0`, written.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.vocabulary import gone, groups, keys
from budgetlint.rule import (
    PYTHON,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    argument_entries,
    is_on,
    number_of,
    trainer_of,
    written_by,
)

from ._llamafactory import takes_hparams
from ._moments import evaluation
from ._scripts import without_eval_data

ASKING = ("do_eval", "do_predict", "predict_with_generate")
LEAST = 1e-6


def check(run: RunContext) -> Iterator[Finding]:
    if takes_hparams(run):
        yield from _llamafactory(run)
    elif trainer_of(run, ("axolotl",)) is not None:
        yield from _axolotl(run)
    elif trainer_of(run, PYTHON) is not None:
        yield from _program(run)


def _llamafactory(run: RunContext) -> Iterator[Finding]:
    wants, size = _wants(run), written_by(run, "val_size")
    share = number_of(size) if size is not None else 0
    if wants is not None and not _of_its_own(run) and written_by(run, "eval_dataset") is None and share is not None and share < LEAST:
        yield run.finding(
            wants,
            f"{wants.name} {wants.text} without eval_dataset, and val_size is {size.text if size else 'not set'}: "
            "LLaMA-Factory stops at start",
            help="val_size: 0.1 splits a tenth of the data off, eval_dataset names other data",
            because=[size] if size else (),
            fixes=run.advice("add eval_dataset or val_size"),
            numbers={"val_size": share},
        )


def _of_its_own(run: RunContext) -> bool:
    """A fork with arguments of its own may split its data by another name (``train_size``)."""
    known = keys("hf", *groups("hf")) | keys("llamafactory", "hparams") | gone("llamafactory", "hparams").keys()
    files = (reading for reading in run.run.readings if reading.format == "llamafactory")
    return any(entry.key.text not in known for reading in files for entry in argument_entries(reading))


def _wants(run: RunContext) -> Setting | None:
    evaluates, word = evaluation(run)
    if word in ("steps", "epoch"):
        return evaluates
    return next((one for key in ASKING if is_on(one := written_by(run, key))), None)


def _axolotl(run: RunContext) -> Iterator[Finding]:
    size = written_by(run, "val_set_size")
    asked = [one for key in ("eval_steps", "eval_strategy") if (one := written_by(run, key)) is not None and one.known and one.value]
    off = any(one.value == "no" for one in asked if one.name == "eval_strategy")
    if asked and not off and size is not None and number_of(size) == 0 and written_by(run, "test_datasets") is None:
        yield run.finding(
            asked[0],
            f"{asked[0].name} {asked[0].text} with val_set_size {size.text} and no test_datasets: axolotl stops at start",
            help="val_set_size: 0.05, test_datasets, or no evaluation",
            because=[size],
            fixes=run.advice("set val_set_size, or remove the evaluation"),
        )


def _program(run: RunContext) -> Iterator[Finding]:
    """transformers before 4.46 looks for the data at the first evaluation."""
    (strategy, word), trainer = evaluation(run), without_eval_data(run)
    if strategy is not None and word in ("steps", "epoch") and trainer and run.at_least("transformers", "4.46") is not False:
        yield run.finding(
            strategy,
            f"eval_strategy {word}, and {trainer} is given no eval_dataset: the run stops when it is built",
            help=f"give {trainer} an eval_dataset, or no eval_strategy",
            fixes=run.advice("give the Trainer an eval_dataset"),
        )


RULE = Rule(
    code="BL613",
    name="eval-without-dataset",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    formats=("llamafactory", "axolotl", *PYTHON),
    applies="Python programs: transformers >= 4.46",
    words=("llamafactory", *PYTHON, "eval_steps", "eval_strategy"),
    harm=7.0,
    stops=True,
)

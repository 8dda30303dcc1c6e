"""`device_map: auto` in a run of several processes.

`auto` lays the layers of one model over all GPUs that the process sees. Several processes that each do so would share every GPU.

## What it costs

The run stops once the model is loaded: "You can't train a model that has been loaded with `device_map='auto'` in any distributed
mode"; with ZeRO-3 and with 4-bit or 8-bit weights there are messages of their own.

## Failing

```python train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", device_map="auto")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
trainer = Trainer(model=model, args=args)
```

```sh run.sh
torchrun --nproc_per_node=4 train.py
```

## Passing

```python train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", device_map="auto")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
trainer = Trainer(model=model, args=args)
```

```sh run.sh
python train.py
```

## Sources

- accelerate 1.15.0 and 1.0.0 `accelerator.py` `prepare_model`, `verify_device_map`.
- transformers 4.40.0 and 4.57.6 `modeling_utils.py`, 5.24.0 `integrations/accelerate.py`: "DeepSpeed Zero-3 is not compatible with
  passing a `device_map`".
- transformers 5.24.0 `modeling_utils.py` `from_pretrained`: warns of `device_map="auto"` under torchrun.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.python_script import classes
from budgetlint.rule import HUGGING_FACE, PYTHON, Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, written_by, written_in

_SPREAD = ("auto", "balanced", "balanced_low_0", "sequential")
_OWN = ("device_map", "model_kwargs.device_map")


def check(run: RunContext) -> Iterator[Finding]:
    spread, devices, trainer = _map(run), run.setting("devices"), run.run.trainer
    if spread is None or devices is None or trainer is None or not devices.known or devices.value < 2:
        return
    own = spread.name in _OWN and trainer.format not in PYTHON
    packed = run.value("quant") in ("nf4", "fp4", "int8")
    yield run.finding(
        spread,
        f"device_map {spread.text} in {devices.value} processes lays {'a quantised' if packed else 'the'} model over all GPUs in each "
        f"of them: {_end(run)}",
        help='leave device_map out, so that each process loads to its own GPU (4 and 8 bits: device_map={"": local_rank}), '
        "or start one process",
        because=[devices],
        numbers={"processes": devices.value},
        severity=Severity.WARNING if own else Severity.ERROR,
        confidence=Confidence.MEDIUM if own else Confidence.HIGH,
    )


def _end(run: RunContext) -> str:
    if run.value("shard") == "zero3":
        return "transformers refuses a device_map under ZeRO-3, which places the weights itself"
    return "the run stops once it is loaded"


def _map(run: RunContext) -> Setting | None:
    trainer = run.run.trainer
    python = trainer is not None and trainer.format in PYTHON
    found = _in_script(trainer) if trainer is not None and python else written_by(run, "model_init_kwargs.device_map", *_OWN)
    return found if found is not None and found.text in _SPREAD else None


def _in_script(trainer: Reading) -> Setting | None:
    """Of the model that the script loads, or that the trainer loads by its name."""
    document = trainer.document
    places = (classes.model_of(document), f"{classes.arguments_of(document)}.model_init_kwargs")
    return next((found for place in places if place and (found := written_in(trainer, f"{place}.device_map")) is not None), None)


RULE = Rule(
    code="BL408",
    name="device-map-auto-distributed",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*HUGGING_FACE, *PYTHON),
    aliases=("kbit-multi-device",),
    harm=9.0,
    stops=True,
)

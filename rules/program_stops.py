"""The program ends before it trains: a condition of its own holds, an option does not take its value, or a key of a config does not fit.

A key does not fit that is read and not there (of a dict, or of the closed config that Hydra makes), or that is handed to a function or
class of the project that has no such parameter (`Model(**config["model"])`, `hydra.utils.instantiate`); a section does not fit that gives
no value for one without a default. A value does not fit that Python refuses where it arrives: a text compared or reckoned with a number,
or given to an optimizer of torch's as one (`1e-4` is a text to PyYAML), a text that `int` or `float` does not take, a word that a table
of the program or torch itself lacks. An override of Hydra's does not fit whose key, or whose option of a group, is not there. Of
`TrainingArguments`, TRL's configs and `LoraConfig` a name is told that is a letter or two from one that some release has.

The program is followed, never run. Told only where all that the condition hangs on is known: flags of the launch, keys of the configs that
it opens, literals; defaults of options too where a command starts the program. A condition inside another that nobody knows, in a `try`,
or behind the start of the training is not told, and an exit that reports no error is none. An error inside the program's own functions, or
in the rounds of its loop, is told where all of its training lies behind it and a flag or key decides it; what is not in a register that
functions fill is none.

## What it costs

The run stops when it is started: on a cluster after it has waited for its machines.

## Failing

```sh run.sh
python train.py --load_in_4bit --full
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--load_in_4bit", action="store_true")
parser.add_argument("--full", action="store_true")
args = parser.parse_args()
if args.load_in_4bit and args.full:
    raise ValueError("a 4-bit model is not trained in full")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", load_in_4bit=args.load_in_4bit)
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=2)).train()
```

## Passing

```sh run.sh
python train.py --full
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--load_in_4bit", action="store_true")
parser.add_argument("--full", action="store_true")
args = parser.parse_args()
if args.load_in_4bit and args.full:
    raise ValueError("a 4-bit model is not trained in full")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", load_in_4bit=args.load_in_4bit)
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=2)).train()
```

## Sources

- The program itself: the finding names the condition, its line and where each value comes from.
- CPython 3.13 `argparse.py` `_get_value`, `_check_value`: an error for a word that the type or the choices refuse.
- transformers 4.57.6 `hf_argparser.py` `_parse_dataclass_field`: `choices` of a field's metadata, and of an enumeration, go to argparse.
- torch 2.13 `optim/adam.py`, `sgd.py`: `if not 0.0 <= lr`. CPython 3.13 `argparse.py`: "ambiguous option".
- hydra-core 1.3 `_internal/config_loader_impl.py`: `OmegaConf.set_struct(cfg, True)`; OmegaConf 2.3 `dictconfig.py` `_validate_get`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, ProgramRefusal, Rule, RunContext, Severity

from ._program import from_outside, places, refusals


def check(run: RunContext) -> Iterator[Finding]:
    for number, (program, one) in enumerate(refusals(run, "condition", "value", "lacks", "unexpected", "ungiven", "fails")):
        where = from_outside(one.because)
        if where is None and number and any(step.kind.startswith("default") for step in one.because):
            continue  # the program stops before: what it would need beside is not asked for
        if one.kind == "fails" and any(other.kind in ("condition", "unrecognized") for other in program.refusals):
            continue  # nor is what would come of values that are refused before
        at = where.location if where is not None else one.location
        said = f"{one.location.file}:{one.location.line}"
        if one.kind in ("lacks", "unexpected", "ungiven", "fails"):
            yield _misfit(run, one)
            continue
        if one.kind == "value":
            cure = "give a value that the option takes" if " does not take " in one.says else "correct it: the message says how"
            yield run.finding(at, f"{said} stops when it reads its arguments: {one.says}", help=cure, key=one.says)
            continue
        yield run.finding(
            at,
            f"{said} stops before it trains: '{one.says}' holds ({places(one.because)}): {one.ends}",
            help="change one of the values that the condition asks for",
            related=[(one.location, "the condition")],
            key=one.says,
        )


def _misfit(run: RunContext, one: ProgramRefusal) -> Finding:
    """A key of a config or flag beside the code that it reaches."""
    where = from_outside(one.because) or next(iter(one.because), None)
    at = where.location if where is not None and where.location is not None else one.location
    called, _, name = one.says.rpartition(".")
    if one.kind == "lacks":
        said, cure = f"reads {one.says}, which {at.file} does not have: it stops there", f"add {name}, or read what is there"
    elif one.kind == "fails":
        said, cure = f"stops before it trains: {one.says}", "give a value that the program can use there"
    elif one.kind == "ungiven":
        said, cure = f"gives {called} no {name}, which it requires: it stops there", f"add {name}"
    else:
        said, cure = f"hands {name} to {called}, which takes no such argument: it stops there", f"remove {name}, or add it to {called}"
    return run.finding(
        at,
        f"{one.location.file}:{one.location.line} {said}",
        help=f"is '{one.near}' meant?" if one.near else cure,
        related=[(one.location, "stops here")],
        key=one.says,
    )


RULE = Rule(
    code="BL629",
    name="program-stops",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=9.0,
    stops=True,
)

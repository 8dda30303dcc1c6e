"""LoRA dropout beside `target_parameters` (the stacked expert matrices of a mixture).

PEFT adapts a parameter, which is no module, by adding to its weight; there is no input that a dropout could act on.

## What it costs

PEFT stops when the adapter is made: "lora.ParamWrapper does not work with lora_dropout != 0". axolotl stops when it reads the file.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen3-30B-A3B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_dropout: 0.05
lora_target_parameters: [mlp.experts.gate_up_proj, mlp.experts.down_proj]
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen3-30B-A3B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_dropout: 0
lora_target_parameters: [mlp.experts.gate_up_proj, mlp.experts.down_proj]
```

## Sources

- PEFT 0.21.2 `tuners/lora/layer.py` `ParamWrapper`.
- axolotl 0.18.0 `utils/schemas/peft.py` `validate_lora_target_parameters_dropout`.
- TRL 1.16.0 and 0.24.0 `trainer/model_config.py`: `lora_target_parameters`; `lora_dropout` is 0.05 by default.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    PYTHON,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Sequence,
    Setting,
    Severity,
    as_written,
    number_text,
    stated,
    written_by,
)

from ._adapters import inside, lora_sections


def check(run: RunContext) -> Iterator[Finding]:
    dropout, parameters = run.setting("lora_dropout"), _parameters(run)
    if dropout is None or parameters is None or not dropout.known or not dropout.value or run.value("adapter") != "lora":
        return
    told = f"'{as_written(dropout)}'" if stated(dropout) else f"the default lora_dropout {number_text(dropout.value)}"
    yield run.finding(
        dropout if stated(dropout) else parameters,
        f"{told} beside target parameters, which PEFT adapts without dropout: the run stops",
        help="write lora_dropout: 0, or adapt modules only",
        because=[parameters],
        fixes=run.set(dropout, 0, safety=Safety.UNSAFE) if stated(dropout) else (),
        numbers={"dropout_ratio": dropout.value},
    )


def _parameters(run: RunContext) -> Setting | None:
    """The names of parameters to adapt, where there are some."""
    found = written_by(run, "lora_target_parameters")
    for reading in run.run.readings if found is None else ():
        if reading.format in (*HUGGING_FACE, *PYTHON):
            names = (inside(reading, section, "target_parameters") for section in lora_sections(reading))
            found = next((name for name in names if name is not None), found)
    if found is None or not found.known or (isinstance(found.value, Sequence) and not found.value.items):
        return None
    return found


RULE = Rule(
    code="BL430",
    name="lora-dropout-target-parameters",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*HUGGING_FACE, *PYTHON, "axolotl"),
    words=("lora_target_parameters", "target_parameters"),
    harm=3.0,
)

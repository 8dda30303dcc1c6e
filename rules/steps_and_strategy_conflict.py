"""A number of steps beside a strategy that does not count steps.

`save_steps` belongs to `save_strategy: steps`, `eval_steps` to `eval_strategy: steps`. axolotl also has `saves_per_epoch` and
`evals_per_epoch`, which stand in the place of both.

## What it costs

axolotl stops at start: "save_strategy and save_steps mismatch". The Trainer ignores the number: a run that is thought to save every
100 steps saves once per epoch. Nothing is told of a Trainer's run that switches saving or evaluation off, nor of a number that a program
has for whoever asks for steps.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data.jsonl
    type: alpaca
micro_batch_size: 2
num_epochs: 3
save_strategy: epoch
save_steps: 100
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data.jsonl
    type: alpaca
micro_batch_size: 2
num_epochs: 3
save_strategy: steps
save_steps: 100
```

## Sources

- axolotl 0.8.0, 0.12.2, 0.16.1 and 0.19.0 `utils/schemas/validation.py` `check_saves`, `check_evals`.
- transformers 5.24.0 `trainer_callback.py` `DefaultFlowCallback`: steps are asked for under the strategy steps only.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    trainer_of,
    written_by,
)

from ._moments import evaluation, saving
from ._scripts import is_literal

STRATEGIES = (("save_strategy", "save_steps"), ("eval_strategy", "eval_steps"), ("eval_strategy", "evals_per_epoch"))
EXCLUSIVE = (("saves_per_epoch", "save_steps"), ("evals_per_epoch", "eval_steps"))


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("axolotl",)) is not None:
        yield from _axolotl(run)
    elif trainer_of(run) is not None:
        for name, moment in (("save_steps", saving), ("eval_steps", evaluation)):
            steps = written_by(run, name)
            strategy, word = moment(run) if steps is not None else (None, "")
            if steps is not None and strategy is not None and word in ("epoch", "best") and is_literal(steps):
                yield run.finding(
                    steps,
                    f"{name} {steps.text} has no effect under {strategy.name} {word}",
                    help=f"remove it, or write {strategy.name}: steps",
                    because=[strategy],
                    fixes=run.delete(steps, safety=Safety.SAFE if _unread(run, name) else Safety.UNSAFE),
                    severity=Severity.INFO,
                )


def _unread(run: RunContext, name: str) -> bool:
    """Does nothing else follow the number? TRL 1.13.0 ``trainer/callbacks.py`` generates every ``eval_steps`` under any strategy,
    LLaMA-Factory 0.9.5 ``train/ppo/trainer.py`` saves every ``save_steps``."""
    return name == "save_steps" and trainer_of(run, ("llamafactory",)) is None


def _axolotl(run: RunContext) -> Iterator[Finding]:
    """Every check that axolotl makes, in its order, on values that count as true in Python."""
    for strategy_key, name in STRATEGIES:
        strategy, steps = _true(run, strategy_key), _true(run, name)
        if strategy is not None and steps is not None and strategy.value != "steps":
            yield _refused(run, steps, strategy, f"write {strategy_key}: steps, or remove {name}")
    for share, name in EXCLUSIVE:
        times, steps = _true(run, share), _true(run, name)
        if times is not None and steps is not None:
            yield _refused(run, steps, times, f"keep {share} or {name}")


def _refused(run: RunContext, steps: Setting, other: Setting, help: str) -> Finding:
    return run.finding(
        steps,
        f"{steps.name} {steps.text} beside {other.name} {other.text}: axolotl stops at start",
        help=help,
        because=[other],
        fixes=run.delete(steps, safety=Safety.UNSAFE),
    )


def _true(run: RunContext, name: str) -> Setting | None:
    setting = written_by(run, name)
    return setting if setting is not None and setting.known and setting.value else None


RULE = Rule(
    code="BL612",
    name="steps-and-strategy-conflict",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=(*TRAINERS_AND_AXOLOTL, *PYTHON),
    aliases=("axolotl-save-eval-steps-conflict",),
    words=("save_steps", "eval_steps", "saves_per_epoch", "evals_per_epoch"),
    harm=7.0,
    stops=True,
)

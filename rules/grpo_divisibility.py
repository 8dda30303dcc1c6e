"""GRPO's batch of completions does not divide by the number of completions for each prompt.

A step takes `per_device_train_batch_size` x processes x `steps_per_generation` (by default the accumulation steps) completions, or
`generation_batch_size`; each prompt needs `num_generations` of them (8 where unset). The evaluation batch has to divide too. Told
where the number of processes is known, else on which numbers it runs; axolotl from 0.18 on also asks it of the batch of one process.

## What it costs

The run stops at start, in axolotl before 0.18 and in TRL before 0.19 after the model has been loaded.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
per_device_train_batch_size: 4
gradient_accumulation_steps: 1
num_generations: 6
```

```sh run.sh
python examples/scripts/grpo.py --config train.yaml
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
per_device_train_batch_size: 4
gradient_accumulation_steps: 3
num_generations: 6
```

```sh run.sh
python examples/scripts/grpo.py --config train.yaml
```

## Sources

- TRL 0.14.0 asks for nothing; 0.15.2 and 0.16.1 `trainer/grpo_trainer.py` `__init__` leave the accumulation out, which is stricter;
  0.17.0 has it; 0.19.1, 0.24.0, 1.10.0 and 1.16.0 `trainer/grpo_config.py` `__post_init__`.
- axolotl 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_grpo_batch_size_divisibility`; not in 0.16.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Setting, Severity, trainer_of, written_by

from ._completions import batch_of, count, world_of
from ._moments import evaluation

ASKED_SINCE, ACCUMULATES_SINCE = "0.15.0", "0.17.0"
"""TRL that first asks, and the first that counts the accumulation steps."""
DEFAULT_GENERATIONS = 8
DEFAULT_EVAL_BATCH = 8


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("axolotl",)) is not None:
        yield from _axolotl(run)
    elif trainer_of(run, TRL_ARGUMENTS) is not None and run.value("task") == "grpo":
        yield from _trl(run)


def _trl(run: RunContext) -> Iterator[Finding]:
    written, micro, world = written_by(run, "num_generations"), run.setting("micro_batch"), world_of(run)
    each = count(written, DEFAULT_GENERATIONS)
    if micro is None or not micro.known or each is None or each < 2 or run.at_least("trl", ASKED_SINCE) is False:
        return
    if world is None:
        yield from _on_any_number(run, written, micro, each)
        return
    batch, why = _batch(run, int(micro.value) * int(world.value))
    if batch is not None and batch % each:
        yield _finding(run, written or micro, f"a batch of {batch} completions ({why})", batch, each, [micro, world])
    yield from _evaluated(run, world, each)


def _batch(run: RunContext, at_once: int) -> tuple[int | None, str]:
    """Completions that have to divide, by TRL's version."""
    if run.at_least("trl", ACCUMULATES_SINCE) is False:
        return at_once, f"TRL before {ACCUMULATES_SINCE} counts {at_once} at once, without accumulation"
    return batch_of(run, at_once)


def _on_any_number(run: RunContext, written: Setting | None, micro: Setting, each: int) -> Iterator[Finding]:
    """Nobody starts it here: which numbers of processes it runs on, where that is not any and somebody wrote the number."""
    batch, _ = _batch(run, int(micro.value))
    if written is None or batch is None or batch % each == 0 or written_by(run, "generation_batch_size") is not None:
        return
    times = each // gcd(batch, each)
    yield run.finding(
        written,
        f"{batch} completions of each process divide by num_generations {each} only on a multiple of {times} processes: on another number "
        "the run stops at start",
        help=f"start {times} processes or a multiple of it, or make the batch of one process a multiple of {each}",
        because=[micro],
        severity=Severity.INFO,
        numbers={"batch_completions": batch, "num_generations": each, "processes": times},
    )


def _evaluated(run: RunContext, world: Setting, each: int) -> Iterator[Finding]:
    (strategy, word), size = evaluation(run), written_by(run, "per_device_eval_batch_size")
    own = written_by(run, "num_generations_eval")
    batch, wanted = count(size, DEFAULT_EVAL_BATCH), count(own, each)
    if strategy is None or word not in ("steps", "epoch") or batch is None or not wanted or batch * int(world.value) % wanted == 0:
        return
    total = batch * int(world.value)
    yield _finding(run, size or strategy, f"an evaluation batch of {total} completions", total, wanted, [strategy, world])


def _axolotl(run: RunContext) -> Iterator[Finding]:
    method, written, whole = written_by(run, "rl"), written_by(run, "trl.num_generations"), written_by(run, "trl.generation_batch_size")
    micro, accumulation = written_by(run, "micro_batch_size"), written_by(run, "gradient_accumulation_steps")
    each, batch = count(written, 0), count(whole, 0)
    if method is None or method.value != "grpo" or written is None or not each or each < 2 or not run.at_least("axolotl", "0.18"):
        return
    parts = (count(micro, 1), count(accumulation, 1))
    if whole is None:
        batch = None if parts[0] is None or parts[1] is None else parts[0] * parts[1]
    if batch is not None and batch % each:
        because = [one for one in (whole, micro, accumulation) if one is not None]
        yield _finding(run, written, f"a batch of {batch} completions for each process", batch, each, because)


def _finding(run: RunContext, at: Setting, batch_text: str, batch: int, each: int, because: list[Setting]) -> Finding:
    return run.finding(
        at,
        f"{batch_text} is no multiple of num_generations {each}: the run stops at start",
        help=f"make the batch a multiple of {each}, or num_generations one of {_divisors(batch)}",
        because=because,
        fixes=run.advice("make the batch a multiple of num_generations"),
        numbers={"batch_completions": batch, "num_generations": each},
    )


def _divisors(batch: int) -> str:
    return ", ".join(str(one) for one in range(2, min(batch, 64) + 1) if batch % one == 0) or "none"


RULE = Rule(
    code="BL614",
    name="grpo-divisibility",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    formats=(*TRL_ARGUMENTS, "axolotl"),
    applies="axolotl's batch of one process: axolotl >= 0.18",
    words=("rl", "task=grpo"),
    harm=6.5,
    stops=True,
)

"""Completions that are sampled for a reward, at a temperature of 0.

GRPO, RLOO and PPO compare completions that differ by chance, and divide the policy's logits by the temperature.

## What it costs

transformers' `generate` stops at the first step ("temperature has to be a strictly positive float"); vLLM stops where a prompt has several
completions ("n must be 1 when using greedy sampling"), or gives the same one each time; what the trainer computes of the logits is
infinite.

## Failing

```py train.py
from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, num_generations=8, temperature=0.0)
GRPOTrainer(model="Qwen/Qwen2.5-1.5B-Instruct", reward_funcs=reward, args=args, train_dataset=data).train()
```

## Passing

```py train.py
from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(output_dir="out", per_device_train_batch_size=8, num_generations=8, temperature=1.0)
GRPOTrainer(model="Qwen/Qwen2.5-1.5B-Instruct", reward_funcs=reward, args=args, train_dataset=data).train()
```

## Sources

- transformers 4.57.6 `generation/logits_process.py` `TemperatureLogitsWarper`; vLLM 0.8.5 `sampling_params.py` `_verify_greedy_sampling`.
- TRL 0.16.1 and 1.16.0 `trainer/grpo_trainer.py`: ``logits / self.temperature``; verl 0.4.1 `workers/actor/dp_actor.py`:
  ``logits.div_(temperature)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, number_of, trainer_of, written_by

FORMATS = tuple(dict.fromkeys((*TRL_ARGUMENTS, *PYTHON, "ms_swift", "axolotl", "verl", "openrlhf")))
SAMPLED = ("grpo", "rloo", "ppo", "online_dpo", "nash_md", "xpo")
NAMES = ("temperature", "trl.temperature", "actor_rollout_ref.rollout.temperature", "rollout.temperature")


def check(run: RunContext) -> Iterator[Finding]:
    if str(run.value("task")) not in SAMPLED or trainer_of(run, FORMATS) is None:
        return
    temperature = written_by(run, *NAMES)
    if temperature is not None and number_of(temperature) == 0:
        yield run.finding(
            temperature,
            f"temperature {temperature.text}: completions are sampled with it and the policy's logits divided by it, "
            "so the run stops at its first step or computes infinite losses",
            help="temperature: 1.0; an evaluation has a temperature of its own",
            numbers={"temperature": 0.0},
        )


RULE = Rule(
    code="BL641",
    name="sampling-temperature-zero",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=FORMATS,
    words=("temperature",),
    harm=8.0,
)

"""A group-relative advantage with one completion a prompt, where the framework goes on without a word.

GRPO and its kin subtract the mean of a prompt's completions. verl takes a group of one as it is: mean 0, deviation 1, so the advantage is
the bare reward, and every completion with a reward above 0 is made likelier. TRL stops (`grpo-num-generations-min`).

## What it costs

The baseline that the method is about is missing, silently: gradients are far noisier, and rewards that are never negative only push up.

## Failing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=512 \
  data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=1 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Passing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=512 \
  data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Sources

- verl 0.4.1 and 0.9.1 `trainer/ppo/core_algos.py`: ``if len(id2score[idx]) == 1`` in the outcome advantages of grpo, grpo_passk and rloo;
  `trainer/config/rollout/rollout.yaml`: ``n: 1``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, number_of, trainer_of, written_by

from ._contract_names import composed_of_own

GROUPED = ("grpo", "rloo", "grpo_passk", "reinforce_plus_plus_baseline")


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("verl",)) is None or "verl" in run.run.stack.copied:
        return  # a copy may count completions under a name of its own
    method, count = written_by(run, "algorithm.adv_estimator"), written_by(run, "actor_rollout_ref.rollout.n")
    if method is None or not method.known or str(method.value) not in GROUPED:
        return
    if count is not None and number_of(count) != 1:
        return
    if count is None and not composed_of_own(run):
        return
    said = f"actor_rollout_ref.rollout.n {count.text}" if count is not None else "actor_rollout_ref.rollout.n is not set, which is 1"
    yield run.finding(
        count if count is not None else method,
        f"{said}: {method.value} compares the completions of a prompt, and with one the advantage is the bare reward",
        help="actor_rollout_ref.rollout.n=8",
        because=[method],
        numbers={"completions": 1},
    )


RULE = Rule(
    code="BL642",
    name="group-of-one",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("verl",),
    words=("adv_estimator",),
    harm=8.0,
)

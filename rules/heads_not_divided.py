"""A rollout engine that is split over a number of devices which does not divide the model's attention heads.

## What it costs

vLLM stops when it starts, after the policy is loaded and sharded: "Total number of attention heads (28) must be divisible by tensor
parallel size (8)".

## Failing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=512 \
  data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.tensor_model_parallel_size=8 \
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Passing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=512 \
  data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.tensor_model_parallel_size=4 \
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Sources

- vLLM 0.8.5 `config.py` `ModelConfig.verify_with_parallel_config`; the heads of each model's config.json, in the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Architecture, Confidence, Finding, Rule, RunContext, Severity


def check(run: RunContext) -> Iterator[Finding]:
    degree, plan = run.setting("rollout_tensor_parallel"), run.plan
    arch: Architecture | None = plan.arch if plan is not None else None
    if degree is None or not degree.known or degree.is_default or arch is None or str(run.value("rollout_engine")) != "vllm":
        return
    if arch.kind != "decoder" or degree.value < 1 or arch.heads % degree.value == 0:
        return
    fitting = [str(count) for count in (1, 2, 4, 8) if arch.heads % count == 0]
    model = run.setting("model")
    yield run.finding(
        degree,
        f"{degree.origin.key.rpartition('.')[2]} {degree.text} does not divide the {arch.heads} attention heads of {arch.name}: "
        "vLLM stops at start",
        help=f"one of {', '.join(fitting)}",
        because=[model] if model else (),
        numbers={"heads": arch.heads, "devices": degree.value},
    )


RULE = Rule(
    code="BL643",
    name="heads-not-divided",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
)

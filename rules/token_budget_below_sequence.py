"""A token budget of verl's dynamic batches that is smaller than one sequence.

With `use_dynamic_bsz` a micro batch is filled up to `ppo_max_token_len_per_gpu` tokens, times the degree of Ulysses' sequence parallelism.
A prompt and its completion must fit.

## What it costs

verl stops at the first update, after the first rollouts: "max_token_len must be greater than the sequence length".

## Failing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=1024 \
  data.max_response_length=8192 actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.use_dynamic_bsz=True \
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Passing

```sh run.sh
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=1024 \
  data.max_response_length=8192 actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.use_dynamic_bsz=True \
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=18432 trainer.n_gpus_per_node=8 trainer.nnodes=1
```

## Sources

- verl 0.2.0.post2, 0.4.1, 0.7.0 and 0.9.1 `utils/seqlen_balancing.py` `rearrange_micro_batches`: ``assert max_token_len >= max_seq_len``,
  the padded width of the batch, prompt and response; with nested tensors (0.7.0 and newer) the longest sequence that came.
- verl 0.4.1 `workers/actor/dp_actor.py`: ``ppo_max_token_len_per_gpu * self.ulysses_sequence_parallel_size``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, is_on, number_of, number_text, trainer_of, written_by

ACTOR = "actor_rollout_ref.actor."


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("verl",)) is None or not is_on(written_by(run, ACTOR + "use_dynamic_bsz")):
        return
    budget = written_by(run, ACTOR + "ppo_max_token_len_per_gpu")
    lengths = [written_by(run, "data.max_prompt_length"), written_by(run, "data.max_response_length")]
    degrees = [written_by(run, ACTOR + name) for name in ("ulysses_sequence_parallel_size", "megatron.context_parallel_size")]
    given, sizes = number_of(budget), [number_of(one) for one in lengths]
    split = 1.0
    for degree in degrees:
        number = 1.0 if degree is None else number_of(degree)
        if number is None:
            return
        split *= number
    prompt, response = sizes
    if budget is None or given is None or prompt is None or response is None or given * split >= prompt + response:
        return
    times = f" x {number_text(split)} devices" if split > 1 else ""
    yield run.finding(
        budget,
        f"ppo_max_token_len_per_gpu {number_text(given)}{times} is less than a prompt and its response, {number_text(prompt)} + "
        f"{number_text(response)} tokens: verl stops at the first update that holds one so long",
        help=f"at least {number_text(-(-(prompt + response) // split))}; twice that is usual",
        because=[one for one in lengths if one is not None],
        numbers={"budget_tokens": given, "sequence_tokens": prompt + response},
    )


RULE = Rule(
    code="BL651",
    name="token-budget-below-sequence",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("verl",),
    words=("ppo_max_token_len_per_gpu",),
    harm=8.0,
)

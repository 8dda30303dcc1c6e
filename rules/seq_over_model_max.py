"""The training length is beyond the positions that the model knows.

With learned positions (GPT-2, OPT, BERT) the first long sample fails. With rotary positions nothing fails: the model sees
angles that it never met in pretraining, unless a rope scaling is stated.

## What it costs

Learned positions: an index error or a device-side assert at the first long batch. Rotary positions: quality, silently.

## Failing

```budget
device 24GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: openai-community/gpt2
dataset_name: roneneldan/TinyStories
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
max_length: 2048
```

## Passing

```budget
device 24GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: openai-community/gpt2
dataset_name: roneneldan/TinyStories
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
max_length: 1024
```

## When it is meant

Training a longer context on purpose: state the rope scaling beside the length. Packed rows count positions anew for each
sample, so only samples longer than the limit matter there.

## Sources

- `max_position_embeddings` (`n_positions`) of each model's config.json, in the catalog.
- transformers 5.24.0, run: GPT-2 with 16 positions and 64 tokens raises IndexError, Llama trains without a word.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Architecture, Confidence, Finding, Rule, RunContext, Setting, Severity, is_on, walk, written_in

STATED = frozenset({
    "rope_scaling", "rope_parameters", "rope_theta", "max_position_embeddings", "rope_type", "rope_factor", "shift_attn", "s2_attention",
    "overrides_of_model_config", "overrides_of_model_kwargs", "model_overrides", "config_overrides", "tokenizer_use_mistral_common",
})  # fmt: skip
"""Keys that change what positions mean; with one of them the length is meant."""


def check(run: RunContext) -> Iterator[Finding]:
    length, plan = run.setting("seq_len"), run.plan
    arch: Architecture | None = plan.arch if plan is not None else None
    if length is None or not length.known or length.is_default or arch is None or not arch.max_positions:
        return
    if length.value <= arch.max_positions or arch.position not in ("learned", "rope") or _scaled(run):
        return
    learned, packed = arch.position == "learned", bool(run.value("packing"))
    cost = (
        "the first longer sample fails with an index error"
        if learned
        else "positions beyond it were never trained, and no rope scaling is stated"
    )
    summed = "+" in length.text
    if packed:
        cost = f"{cost} (packed rows count positions by sample)"
    model = run.setting("model")
    yield run.finding(
        length,
        f"{_named(length)} is beyond the {arch.max_positions:,} positions of {arch.name}: {cost}",
        help=f"at most {arch.max_positions}" + ("" if learned else ", or state the rope scaling"),
        because=[model] if model else (),
        numbers={"seq_tokens": length.value, "max_positions": arch.max_positions},
        severity=Severity.INFO if packed or summed else Severity.ERROR if learned else None,
        confidence=Confidence.HIGH if learned and not packed else None,
    )


def _named(length: Setting) -> str:
    """``max_length 4096``; reinforcement learning bounds prompt and completion apart."""
    if "+" in length.text:
        return f"prompt and completion, {length.text} = {length.value:,} tokens,"
    return f"{length.origin.key.rpartition('.')[2] or length.name} {length.text}"


def _scaled(run: RunContext) -> bool:
    trainer = run.run.trainer
    if trainer is None:
        return False
    return is_on(written_in(trainer, "use_unsloth")) or any(entry.key.text in STATED for _, entry in walk(trainer.document.root))


RULE = Rule(
    code="BL701",
    name="seq-over-model-max",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("plan", "seq_len"),
    aliases=("seq-gt-max-position",),
    harm=11.0,
)

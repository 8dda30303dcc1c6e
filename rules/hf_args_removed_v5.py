"""A training argument that transformers 5 no longer has.

The names went in steps: most at 5.0.0, `group_by_length` at 5.2.0, `warmup_ratio` and `logging_dir` at 5.15.0. Told only
where the version is known to be that new. LLaMA-Factory keeps `overwrite_output_dir` as its own.

## What it costs

The run stops at start: "unexpected keyword argument", or "Some keys are not used by the HfArgumentParser".

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
overwrite_output_dir: true
```

```text requirements.txt
transformers==5.24.0
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
overwrite_output_dir: true
```

```text requirements.txt
transformers==4.57.6
```

## Sources

- Fields of `training_args.py` in 34 transformers releases from 4.45.2 to 5.24.0.
- LLaMA-Factory 0.9.5 `hparams/training_args.py`: `overwrite_output_dir`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import open_record
from budgetlint.rule import (
    TRAINERS,
    Confidence,
    DocumentContext,
    Finding,
    Fix,
    Rule,
    Safety,
    Setting,
    Severity,
    argument_entries,
    is_own_script,
    number_of,
    written_in,
)


@open_record
class Removed:
    """``version`` is the first without the name; ``renamed`` keeps the value; ``drop``: today's default does the same."""

    version: str
    help: str
    renamed: str = ""
    drop: bool = False


def _to(name: str) -> Removed:
    return Removed("5.0.0", f"rename it to {name}", renamed=name)


def _gone(version: str = "5.0.0", help: str = "delete it") -> Removed:
    return Removed(version, help, drop=True)


REMOVED: dict[str, Removed] = {
    "warmup_ratio": Removed("5.15.0", "rename it to warmup_steps, which takes a ratio since 5.0.0", renamed="warmup_steps"),
    "logging_dir": _gone("5.15.0", "delete it, and set TENSORBOARD_LOGGING_DIR where the place matters"),
    "group_by_length": Removed("5.2.0", "train_sampling_strategy: group_by_length"),
    "adafactor": Removed("5.0.0", "optim: adafactor"),
    "no_cuda": _to("use_cpu"),
    "per_gpu_train_batch_size": _to("per_device_train_batch_size"),
    "per_gpu_eval_batch_size": _to("per_device_eval_batch_size"),
    "push_to_hub_model_id": _to("hub_model_id"),
    "push_to_hub_token": _to("hub_token"),
    "push_to_hub_organization": Removed("5.0.0", "write the organization in front of hub_model_id"),
    "include_inputs_for_metrics": Removed("5.0.0", "include_for_metrics: [inputs]"),
    "torchdynamo": _to("torch_compile_backend"),
    "fsdp_min_num_params": Removed("5.0.0", "fsdp_config: {min_num_params: ...}"),
    "fsdp_transformer_layer_cls_to_wrap": Removed("5.0.0", "fsdp_config: {transformer_layer_cls_to_wrap: ...}"),
    "include_tokens_per_second": Removed("5.0.0", "include_num_input_tokens_seen counts the tokens"),
    **{name: _gone() for name in (
        "overwrite_output_dir", "save_safetensors", "fp16_backend", "fp16_opt_level", "half_precision_backend", "jit_mode_eval",
        "mp_parameters", "past_index", "ray_scope", "tpu_num_cores", "tpu_metrics_debug", "use_legacy_prediction_loop", "use_mps_device",
    )},
}  # fmt: skip


def check(document: DocumentContext) -> Iterator[Finding]:
    if is_own_script(document.reading.settings):
        return
    own = {"overwrite_output_dir"} if document.format == "llamafactory" else set[str]()
    for entry in argument_entries(document.reading):
        removed = REMOVED.get(entry.key.text)
        found = written_in(document.reading, entry.key.text) if removed and entry.key.text not in own else None
        if removed and found and document.at_least("transformers", removed.version):
            yield document.finding(
                found,
                f"{found.name} {found.text}: transformers {removed.version} removed the argument, so the run stops at start",
                help=removed.help,
                fixes=_fixes(document, found, removed),
            )


def _fixes(document: DocumentContext, found: Setting, removed: Removed) -> tuple[Fix, ...]:
    if removed.drop:
        return document.delete(found, safety=Safety.UNSAFE)
    if removed.renamed and written_in(document.reading, removed.renamed) is None and not _reads_as_steps(found):
        return document.rename(found, removed.renamed, safety=Safety.SAFE)
    return ()


def _reads_as_steps(found: Setting) -> bool:
    """As ``warmup_steps``, 0.1 is a share of the run, and 1.0 is one step (transformers 5.24.0 ``get_warmup_steps``)."""
    share = number_of(found)
    return found.name == "warmup_ratio" and (share is None or not 0 <= share < 1)


RULE = Rule(
    code="BL606",
    name="hf-args-removed-v5",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=TRAINERS,
    flags=True,
    applies="transformers >= 5.0.0, by argument",
    aliases=("warmup-ratio-removed-v5", "group-by-length-removed"),
    words=tuple(REMOVED),
    harm=12.5,
    stops=True,
)

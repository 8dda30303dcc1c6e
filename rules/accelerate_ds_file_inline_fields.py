"""An accelerate file names a DeepSpeed file and also says what that file should say.

With `deepspeed_config_file`, accelerate refuses every field that the DeepSpeed file covers: the zero stage, accumulation,
clipping, the offload fields, `zero3_save_16bit_model`, and `mixed_precision` at the top. `zero3_init_flag` and the
multi-node fields may stay.

## What it costs

The run stops at start: "When using `deepspeed_config_file`, the following accelerate config variables will be ignored".

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
mixed_precision: bf16
deepspeed_config:
  deepspeed_config_file: ds.json
  zero_stage: 3
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  deepspeed_config_file: ds.json
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` `_deepspeed_config_checks`; `commands/launch.py` `launch_command` collects the fields.
  Since accelerate 0.15 (huggingface/accelerate#941).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Fix, Mapping, Rule, Safety, Setting, Severity, written_in

FIELDS = (
    "deepspeed_config.zero_stage",
    "deepspeed_config.gradient_accumulation_steps",
    "deepspeed_config.gradient_clipping",
    "deepspeed_config.offload_optimizer_device",
    "deepspeed_config.offload_param_device",
    "deepspeed_config.offload_optimizer_nvme_path",
    "deepspeed_config.offload_param_nvme_path",
    "deepspeed_config.zero3_save_16bit_model",
    "mixed_precision",
)


def check(document: DocumentContext) -> Iterator[Finding]:
    kind = written_in(document.reading, "distributed_type")
    named = written_in(document.reading, "deepspeed_config.deepspeed_config_file")
    section = document.node("deepspeed_config")
    if kind is None or named is None or str(kind.value).upper() != "DEEPSPEED" or named.value == "none":
        return
    found = [field for field in (_field(document, section, path) for path in FIELDS) if field is not None]
    if found:
        names = ", ".join(field.name.rpartition(".")[2] for field in found)
        yield document.finding(
            found[0],
            f"{names} beside deepspeed_config_file: accelerate stops at start",
            help="delete here, say it in the DeepSpeed file",
            because=[named],
            related=[(field, "this too") for field in found[1:]],
            fixes=_deletions(document, found),
        )


def _field(document: DocumentContext, section: object, path: str) -> Setting | None:
    """A null field counts inside the section (its keys are looked at), not at the top."""
    last = path.rpartition(".")[2]
    if "." in path and not (isinstance(section, Mapping) and last in section):
        return None
    return written_in(document.reading, path)


def _deletions(document: DocumentContext, found: list[Setting]) -> Iterator[Fix]:
    for field in found:
        yield from document.delete(field, safety=Safety.UNSAFE)


RULE = Rule(
    "BL507",
    "accelerate-ds-file-inline-fields",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate",),
    applies="accelerate >= 0.15",
    harm=8.8,
    stops=True,
)

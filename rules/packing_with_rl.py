"""Packed samples in a training that compares answers.

Preference and reinforcement learning need each answer by itself.

## What it costs

The run stops when the arguments are read: axolotl "`sample_packing: true` does not work with RLHF training", LLaMA-Factory
"`neat_packing` cannot be set as True except SFT".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
rl: dpo
datasets:
  - path: argilla/distilabel-intel-orca-dpo-pairs
    type: chatml.intel
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.000005
sample_packing: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
rl: dpo
datasets:
  - path: argilla/distilabel-intel-orca-dpo-pairs
    type: chatml.intel
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.000005
sample_packing: false
```

## Sources

- axolotl 0.8.0, 0.12.2, 0.18.0 and 0.19.0 `utils/schemas/` `check_sample_packing_w_rl`, `check_kto_config`.
- LLaMA-Factory 0.9.4 and 0.9.5 `hparams/parser.py` `get_train_args`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Role, Rule, Safety, Setting, Severity, is_on, written_in

_PAIRS = {"axolotl": (("sample_packing",), "rl"), "llamafactory": (("neat_packing",), "stage")}
"""The packing keys and the key that says what is trained."""


def check(document: DocumentContext) -> Iterator[Finding]:
    keys, by = _PAIRS[document.format]
    what = written_in(document.reading, by)
    if what is None or not what.known or document.reading.role is not Role.TRAINER or not _compares(document.format, what):
        return
    packing = next((found for found in (written_in(document.reading, key) for key in _keys(keys, what)) if is_on(found)), None)
    if packing is not None:
        yield document.finding(
            packing,
            f"{packing.name} {packing.text} with {by}: {what.text}: {_name(document)} stops when it reads the arguments",
            help=f"{packing.name}: false",
            because=[what],
            fixes=document.set(packing, False, safety=Safety.UNSAFE),
        )


def _keys(keys: tuple[str, ...], what: Setting) -> tuple[str, ...]:
    return (*keys, "eval_sample_packing") if what.value == "kto" and "sample_packing" in keys else keys


def _compares(format: str, what: Setting) -> bool:
    return bool(what.value) if format == "axolotl" else what.value != "sft"


def _name(document: DocumentContext) -> str:
    return "axolotl" if document.format == "axolotl" else "LLaMA-Factory"


RULE = Rule(
    "BL718",
    "packing-with-rl",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl", "llamafactory"),
    flags=True,
    words=("rl", "neat_packing"),
    harm=4.5,
)

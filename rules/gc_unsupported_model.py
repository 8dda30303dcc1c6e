"""Activation checkpointing is asked of a model that cannot do it.

axolotl refuses it for MPT; transformers for model classes without `supports_gradient_checkpointing`, of which JetMoE is the language
model. LLaMA-Factory only warns and trains without, so that the memory plan fails.

## What it costs

The run stops at start, or needs the memory of a run without checkpointing.

## Failing

```yaml axolotl.yaml
base_model: mosaicml/mpt-7b
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
gradient_checkpointing: true
```

## Passing

```yaml axolotl.yaml
base_model: mosaicml/mpt-7b
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
gradient_checkpointing: false
```

## Sources

- axolotl 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_mpt_checkpointing` (any name with "mpt" in it).
- transformers 4.57.6 and 5.24.0 `models/jetmoe/modeling_jetmoe.py`; `modeling_utils.py`: "does not support gradient checkpointing".
- LLaMA-Factory 0.9.5 `model/model_utils/checkpointing.py`: "Current model does not support gradient checkpointing."
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import HUGGING_FACE, PYTHON, Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, written_in

MODELS = ("base_model", "model_name_or_path", "model_name")
SWITCHES = ("gradient_checkpointing", "activation_checkpointing")
UNABLE = {"axolotl": "mpt", **dict.fromkeys((*HUGGING_FACE, *PYTHON), "jetmoe")}
"""A part of the names of models that each trainer cannot checkpoint."""


def check(document: DocumentContext) -> Iterator[Finding]:
    model, switch = written_in(document.reading, *MODELS) or document.setting("model"), written_in(document.reading, *SWITCHES)
    if model is None or not model.known or switch is None or not switch.known or not (is_on(switch) or "offload" in str(switch.value)):
        return
    if UNABLE[document.format] not in str(model.value).lower():
        return
    who = "axolotl" if document.format == "axolotl" else "transformers"
    yield document.finding(
        switch,
        f"{switch.name} {switch.text} with {model.value}: {who} refuses to checkpoint this model and stops at start",
        help=f"{switch.name}: false, and a smaller micro batch",
        because=[model],
        fixes=document.set(switch, False, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL807",
    name="gc-unsupported-model",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(UNABLE),
    flags=True,
    harm=5.0,
    stops=True,
)

"""The checkpoint is stored in a quantised format that transformers cannot train on, with or without an adapter.

bitsandbytes, GPTQ, AWQ, HQQ and others let an adapter train beside them. GGUF, auto-round, SpQR, VPTQ and others serve only
inference; fp8 checkpoints (DeepSeek's) joined the first group with transformers 5.

## What it costs

The run stops when the Trainer is made: "that quantization method do not support training". A GGUF file is not found at all unless
`gguf_file` names it.

## Failing

```yaml train.yaml
model_name_or_path: bartowski/Qwen2.5-7B-Instruct-GGUF
dataset_name: data
use_peft: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
dataset_name: data
use_peft: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Sources

- transformers 5.24.0 `trainer_utils.py` and 4.57.6 `trainer.py` `validate_quantization_for_training`.
- `is_trainable` in `quantizers/quantizer_*.py` of transformers 5.24.0, 5.0.0 and 4.57.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Setting, Severity, stated, written_by, written_in

NEVER = frozenset(("auto-round", "fbgemm_fp8", "higgs", "quark", "spqr", "vptq"))
"""Not trainable in any version read; gguf and nvfp4 are methods of their own by 5.24.0, mxfp4 may be dequantised on loading."""
_UNTIL_5_0 = "fp8"


def check(run: RunContext) -> Iterator[Finding]:
    yield from _by_config(run)
    model = run.setting("model")
    if model is not None and stated(model) and model.known and _is_gguf(str(model.value)) and not _names_file(run):
        yield run.finding(
            model,
            f"{model.value} holds GGUF files, which serve inference: from_pretrained finds no weights to train",
            help="name the repository of the original 16-bit model (GGUF repositories say which in their model card)",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )


def _by_config(run: RunContext) -> Iterator[Finding]:
    """``quantization_config`` in the model's own config.json."""
    config = run.reading("model_config")
    method = written_in(config, "quantization_config.quant_method") if config is not None else None
    if method is None or not method.known or not _cannot_train(run, method):
        return
    yield run.finding(
        method,
        f"the checkpoint is stored in {method.text}, which transformers cannot train on: the run stops when the Trainer is made",
        help="take the 16-bit checkpoint and quantise it with bitsandbytes (load_in_4bit with an adapter), or train it as it is",
        because=[model] if (model := run.setting("model")) is not None else (),
    )


def _cannot_train(run: RunContext, method: Setting) -> bool:
    word = str(method.value).lower()
    return word in NEVER or (word == _UNTIL_5_0 and run.at_least("transformers", "5.0.1") is False)


def _is_gguf(model: str) -> bool:
    return model.lower().rstrip("/").endswith("gguf")


def _names_file(run: RunContext) -> bool:
    trainer = run.run.trainer
    if trainer is not None and trainer.format in PYTHON:
        return trainer.document.source.mentions("gguf_file")
    return written_by(run, "gguf_file", "model_init_kwargs.gguf_file") is not None


RULE = Rule(
    code="BL413",
    name="quant-method-not-trainable",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*TRAINER_RUNS, *PYTHON),
    harm=7.0,
)

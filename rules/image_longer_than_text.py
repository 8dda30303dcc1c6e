"""One image that is longer than the sequence that should hold it.

LLaMA-Factory puts as many tokens into the text as an image has patches, then cuts the text at `cutoff_len`. The image is not cut: it goes
through the vision tower whole, and its features find fewer places than they need.

## What it costs

The run stops at the first such sample: "Image features and image tokens do not match". Before that the tower holds all patches of the
image, which no `cutoff_len` bounds.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-VL-3B-Instruct
stage: sft
do_train: true
finetuning_type: lora
template: qwen2_vl
cutoff_len: 2048
image_max_pixels: 16777216
per_device_train_batch_size: 1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-VL-3B-Instruct
stage: sft
do_train: true
finetuning_type: lora
template: qwen2_vl
cutoff_len: 2048
image_max_pixels: 262144
per_device_train_batch_size: 1
```

## Sources

- llamafactory 0.9.4 `data/processor/supervised.py` (`infer_seqlen` cuts ids), `data/mm_plugin.py` (`image_max_pixels` 768 x 768,
  images are never cut); hiyouga/LLaMA-Factory#9075.
- transformers 4.55 `models/qwen2_5_vl/modeling_qwen2_5_vl.py` `get_placeholder_mask`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.families import family_of
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, trainer_of


def check(run: RunContext) -> Iterator[Finding]:
    pixels, length = run.setting("image_max_pixels"), run.setting("seq_len")
    tower = run.plan.arch.part("vision") if run.plan is not None else None
    if tower is None or family_of(tower.family).tower.square or pixels is None or length is None or not (pixels.known and length.known):
        return
    if trainer_of(run, ("llamafactory",)) is None:
        return
    side = tower.number("patch_size", 1) * tower.number("merge", 1)
    tokens = pixels.value // side**2
    if tokens <= length.value:
        return
    where, other = (pixels, length) if pixels.origin.span is not None else (length, pixels)
    fitting = length.value // 2 * side**2
    yield run.finding(
        where,
        f"one image can be {tokens:,} tokens (image_max_pixels {pixels.value:,}), cutoff_len is {length.value:,}: the text is cut, the "
        "image is not, and the run stops where they no longer match",
        help=f"image_max_pixels: {fitting} leaves half of the length to an image; or a longer cutoff_len",
        because=[other] if other.origin.span is not None else [],
        numbers={"image_tokens": tokens, "length_tokens": length.value},
    )


RULE = Rule(
    code="BL722",
    name="image-longer-than-text",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    needs=("plan", "image_max_pixels", "seq_len"),
    words=("image_max_pixels", "cutoff_len"),
    harm=7.0,
)

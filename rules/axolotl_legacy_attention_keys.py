"""axolotl's old attention switches, two at a time or beside `attn_implementation`.

Since 0.17 `attn_implementation` names the attention; `flash_attention: true` and its like are deprecated.

## What it costs

An old switch beside the new key stops the run: "cannot be combined with legacy attention flags". Of two old switches, 0.17 and
newer take one by their own order; before, the run stops.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
attn_implementation: flash_attention_2
flash_attention: true
```

```budget
stack axolotl@0.19
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
attn_implementation: flash_attention_2
```

```budget
stack axolotl@0.19
```

## Sources

- axolotl 0.17.0 to 0.19.0 `utils/schemas/config.py` `normalize_attn_implementation`, `enums.py`
  LEGACY_ATTN_FLAG_TO_IMPL; 0.12.2 and 0.16.1 `utils/schemas/validation.py` `check_attention_fields`: "Only one of".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Fix, Rule, Safety, Setting, Severity, is_on, written_in

NAMED_SINCE = "0.17.0"
CANONICAL = {
    "xformers_attention": "xformers",
    "sage_attention": "sage",
    "flex_attention": "flex_attention",
    "flash_attention": "flash_attention_2",
    "sdp_attention": "sdpa",
    "eager_attention": "eager",
}
"""Old switch to new name, the one that wins first."""

EXCLUSIVE = frozenset(("xformers_attention", "sdp_attention", "flash_attention", "flex_attention"))
"""Of these, axolotl before 0.17 takes one only; ``sage_attention`` joined them later."""


def check(document: DocumentContext) -> Iterator[Finding]:
    named, newer = written_in(document.reading, "attn_implementation"), document.at_least("axolotl", NAMED_SINCE)
    old = [flag for flag in (written_in(document.reading, key) for key in CANONICAL) if flag is not None and is_on(flag)]
    if newer is not False and named is not None and old:
        yield _beside(document, named, old[0], newer)
    elif named is None and len(rivals := [flag for flag in old if newer or flag.name in EXCLUSIVE]) > 1:
        yield _several(document, rivals, newer)
    elif named is None and old and newer:
        yield _old(document, old[0], alone=not is_on(written_in(document.reading, "s2_attention")))


def _beside(document: DocumentContext, named: Setting, old: Setting, newer: bool | None) -> Finding:
    since = "" if newer else f" from {NAMED_SINCE} on"
    return document.finding(
        old,
        f"{old.name} {old.text} beside attn_implementation {named.text}: axolotl stops when it reads the file{since}",
        help=f"delete {old.name}",
        because=[named],
        fixes=document.delete(old, safety=Safety.UNSAFE),
        severity=None if newer else Severity.WARNING,
        confidence=None if newer else Confidence.MEDIUM,
    )


def _several(document: DocumentContext, old: list[Setting], newer: bool | None) -> Finding:
    won, lost = old[0], old[1]
    cost = {
        True: f"{won.name} wins",
        False: "axolotl stops when it reads the file",
        None: f"axolotl stops before {NAMED_SINCE}, and takes {won.name} since",
    }[newer]
    return document.finding(
        lost,
        f"{' and '.join(flag.name for flag in old)} are all on: {cost}",
        help=f"attn_implementation: {CANONICAL[won.name]}" if newer else "leave one of them on",
        because=old,
        severity=Severity.ERROR if newer is False else Severity.WARNING,
    )


def _old(document: DocumentContext, old: Setting, *, alone: bool) -> Finding:
    """``s2_attention`` beside it would win, and stop the run beside the new key."""
    name = CANONICAL[old.name]
    edits = [
        edit
        for fix in (*document.rename(old, "attn_implementation", safety=Safety.SAFE), *document.set(old, name, safety=Safety.SAFE))
        for edit in fix.edits
    ]
    return document.finding(
        old,
        f"{old.name} {old.text} is deprecated and will go",
        help=f"attn_implementation: {name}",
        fixes=[Fix(f"attn_implementation: {name}", Safety.SAFE, tuple(edits))] if edits and alone else (),
        severity=Severity.INFO,
    )


RULE = Rule(
    "BL721",
    "axolotl-legacy-attention-keys",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="safe",
    formats=("axolotl",),
    applies="the new key: axolotl >= 0.17",
    words=tuple(CANONICAL),
    harm=1.5,
)

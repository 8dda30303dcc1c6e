"""A declared run watches files, and no hash says what they were.

`watches FILES` names what somebody read to declare a run. Until their hash stands behind it, a change of them is not seen. `--fix` writes
it: `seen=sha256:…`.

## What it costs

The declaration stays as it is whatever becomes of the program.

## Failing

```budget
device l4; declared; model qwen2.5-1.5b; precision bf16-pure; lora r=16; quant none; optimizer adamw
batch 2; seq 1024; recompute full; attention sdpa; loss full
watches train.yaml
```

```yaml train.yaml
steps: 4
```

## Passing

```budget
device l4; declared; model qwen2.5-1.5b; precision bf16-pure; lora r=16; quant none; optimizer adamw
batch 2; seq 1024; recompute full; attention sdpa; loss full
watches train.yaml seen=sha256:147b7ea358cc9f86
```

```yaml train.yaml
steps: 4
```

## Sources

- `docs/declaring.md` in the project.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity

from ._declared import Seal, sealed


def check(run: RunContext) -> Iterator[Finding]:
    for one in run.watched:
        if one.seal is Seal.UNSEALED and one.files:
            yield run.finding(
                one.watch.origin,
                f"{run.label} watches {_count(len(one.files))}, and nothing says what they were: a change of them would not be seen",
                help=f"let --fix write the hash of their texts: seen={one.now}",
                fixes=sealed(one, Safety.SAFE),
            )


def _count(number: int) -> str:
    return "a file" if number == 1 else f"{number} files"


RULE = Rule(
    code="BL137",
    name="declaration-unsealed",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    needs=("declaration",),
    harm=5.0,
)

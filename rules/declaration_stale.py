"""A declared run was written from files that are not what they were.

`watches FILES seen=sha256:…` names the files that somebody read to declare a run: the program, its templates, the launcher. The hash is of
their texts, in any order, whatever their lines end with. One that cannot be read, or more than are read, counts as changed.

## What it costs

The bill is of the run of that day. Whoever changed the batch in the launcher's own template would still see it fit; so there is no verdict.

## Failing

```budget
device l4; declared; model qwen2.5-1.5b; precision bf16-pure; lora r=16; quant none; optimizer adamw
batch 2; seq 1024; recompute full; attention sdpa; loss full
watches train.yaml seen=sha256:0f3c9a7712ab34cd
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

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._declared import Seal, sealed


def check(run: RunContext) -> Iterator[Finding]:
    for one in run.watched:
        if one.seal in (Seal.STALE, Seal.UNREAD):
            yield run.finding(
                one.watch.origin,
                f"{run.label} was declared from files that are not what they were: {one.why}",
                help="read what changed, bring the budget to it, then let --fix --unsafe-fixes write the new hash",
                fixes=sealed(one),
            )


RULE = Rule(
    code="BL136",
    name="declaration-stale",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("declaration",),
    harm=7.0,
)

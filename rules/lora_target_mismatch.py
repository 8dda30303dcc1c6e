"""A LoRA target module that the model does not have.

Told when the model is in the catalog (or its `config.json` is at hand) and the targets are plain names. Patterns are not judged,
nor are targets of frameworks that bring their own model code (LitGPT, torchtune): theirs are roles, not modules.

## What it costs

When no name matches, PEFT stops with "Target modules ... not found in the base model". When some match, it says nothing: the others
are left out, so the adapter is smaller than planned and trains less.

## Failing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_modules: [q_proj, query_key_value]
learning_rate: 2e-4
```

## Passing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_modules: [q_proj, k_proj, v_proj]
learning_rate: 2e-4
```

## Sources

- PEFT 0.21.2 `tuners/tuners_utils.py` `check_target_module_exists`: a listed name matches the end of a module path.
- Run: `[q_proj, query_key_value]` on Llama adapts q_proj alone without a warning; `[query_key_value]` raises.
- Module names: transformers 5.24.0 `modeling_*.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from budgetlint.rule import Architecture, Confidence, Finding, Rule, RunContext, Scalar, Setting, Severity, stated

from ._modules import names_like

_PATTERN = frozenset("*()[]{}|\\^$+?<> ")


def check(run: RunContext) -> Iterator[Finding]:
    from budgetlint.catalog.targets import module_names, resolve_targets

    setting, plan = run.setting("lora_targets"), run.plan
    if setting is None or plan is None or plan.model_code != "transformers" or not stated(setting) or plan.arch.parts:
        return
    if plan.arch.experts:
        return  # by the release, a name of an expert's matrix is a module, a parameter, or nothing
    names = tuple(map(str, setting.value))
    if not names or _is_pattern(run, setting) or any(_PATTERN & set(name) for name in names):
        return
    _, unmatched = resolve_targets(plan.arch, names)
    others = {name for group in module_names(plan.arch).values() for name in group}
    missing = [name for name in unmatched if name.rpartition(".")[2] not in others]
    if missing:
        yield _finding(run, setting, plan.arch, names, missing)


def _is_pattern(run: RunContext, setting: Setting) -> bool:
    """A single text in the file; readers take the names out of a pattern, which may match more than they see."""
    for reading in run.run.readings:
        if reading.document.source is setting.origin.source:
            node = reading.document.get(setting.origin.key)
            return isinstance(node, Scalar) and bool(_PATTERN & set(node.text.replace(", ", ",")))
    return False


def _finding(run: RunContext, setting: Setting, arch: Architecture, names: Sequence[str], missing: Sequence[str]) -> Finding:
    none, remote = len(missing) == len(names), run.value("trust_remote_code", False)
    kept = [name for name in names if name not in missing]
    verb = "are no modules" if len(missing) > 1 else "is no module"
    cost = "PEFT finds nothing to adapt and stops" if none else f"PEFT passes over that without a warning and adapts only {_listed(kept)}"
    model = run.setting("model")
    return run.finding(
        setting,
        f"{_listed(missing)} {verb} of {arch.name}: {cost}",
        help=_help(arch, missing),
        because=[model] if model else (),
        numbers={"missing": len(missing), "targets": len(names)},
        severity=Severity.ERROR if none and not remote else Severity.WARNING,
        confidence=Confidence.MEDIUM if remote else Confidence.HIGH,
    )


def _help(arch: Architecture, missing: Sequence[str]) -> str:
    from budgetlint.catalog.targets import resolve_targets

    pairs = [(name, names_like(arch, name)) for name in missing]
    meant = "; ".join(f"for {name} write {', '.join(near)}" for name, near in pairs if near)
    linears, _ = resolve_targets(arch, "all-linear")
    every = ", ".join(dict.fromkeys(linear.module.rpartition(".")[2] for linear in linears))
    return f"{meant or f'its linear layers are {every}'}; 'all-linear' takes all of them"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


RULE = Rule(
    code="BL401",
    name="lora-target-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("lora_targets", "plan"),
    harm=11.0,
)

"""A key stands twice in the same block, or a flag twice in the same command.

PyYAML and `json.load` keep the last one without a word, while people read the first. OmegaConf (LLaMA-Factory from 0.9.4,
torchtune) and DeepSpeed's own loader refuse the file. Command lines keep the last flag; told where both stand in the command itself, not
where one comes from a variable that the other is meant to override.

## What it costs

The run uses a value that nobody sees, or stops at start. In a block whose order may count (a mixture of datasets), the fix is unsafe
where it would move the key.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.0001
learning_rate: 0.00002
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
```

## Sources

- PyYAML 6.0 (run): `{a: 1, a: 2}` is 2. OmegaConf 2.3 (run): "found duplicate key".
- CPython 3.13 `argparse.py` `_StoreAction`: the last value is stored; a list (`nargs="+"`) replaces the list before it.
- DeepSpeed 0.19.8 `runtime/config.py` `dict_raise_error_on_duplicate_keys`; accelerate 1.15.0 `utils/deepspeed.py` `json.load`.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.catalog.vocabulary import keys
from budgetlint.rule import (
    Confidence,
    DocumentContext,
    Entry,
    Finding,
    Loader,
    Mapping,
    Node,
    Rule,
    Safety,
    Scalar,
    Sequence,
    Severity,
    Span,
    argument_entries,
    loads_with,
    plain,
)

BOOKKEEPING = expression(r"-*(?:log|save|run_name|checkpoint|timing|report|wandb|tensorboard|tracking)")
LAST_WINS = "the last one counts, without a word"
UNKNOWN_LOADER = "PyYAML and json take the last one without a word, OmegaConf stops"
OMEGACONF = "OmegaConf stops at start"
COSTS = {
    "deepspeed": "the Trainer and accelerate take the last one without a word, DeepSpeed itself stops",
    "llamafactory": "LLaMA-Factory 0.9.4 and newer stop at start, older ones take the last one without a word",
    "torchtune": OMEGACONF,
}


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.reading.document.is_command:
        yield from _flags(document)
        return
    for block in _blocks(document.reading.document.root):
        if len(set(map(_name, block.entries))) != len(block.entries):
            yield from _repeated(document, block)


def _flags(document: DocumentContext) -> Iterator[Finding]:
    """Flags of a program that is known; of another, which may collect what is said several times, those of training arguments."""
    consumer, root = document.reading.consumer, document.reading.document.root
    if consumer is None or root is None:
        return
    single = None if consumer.followed else keys("hf", "training_arguments")
    for block in _blocks(root):
        last = {entry.key.text: entry for entry in block.entries}
        for entry in block.entries:
            winner = last[entry.key.text]
            if winner is entry or (single is not None and not _is_single(entry, single)):
                continue
            if all(_inside(one.key.span, root.span) for one in (entry, winner)):
                yield _flag(document, entry, winner)


def _is_single(entry: Entry, names: frozenset[str]) -> bool:
    return entry.key.text in names and isinstance(entry.value, Scalar)


def _as_flag(document: DocumentContext, entry: Entry) -> str:
    """As the command has it: ``--learning-rate``, ``actor.model.lr``."""
    span = entry.key.span
    return document.reading.document.source.text[span.start : span.end]


def _inside(one: Span, command: Span) -> bool:
    return command.start <= one.start and one.end <= command.end


def _flag(document: DocumentContext, first: Entry, winner: Entry) -> Finding:
    how = loads_with(document.reading)
    same = plain(first.value, how) == plain(winner.value, how)
    said = f"{_shown(first.value)} both times" if same else f"{_shown(first.value)} here and {_shown(winner.value)} behind it"
    name = _as_flag(document, first)
    return document.finding(
        first.key,
        f"{name} stands twice in this command, {said}: {LAST_WINS}",
        help="delete one",
        related=[(winner.key, "again here; this one counts")],
        fixes=document.delete(first, f"delete the first {name}, which has no effect", safety=Safety.SAFE),
        severity=Severity.INFO if same or BOOKKEEPING.match(first.key.text) else Severity.WARNING,
        key=first.key.text,
        value=_shown(first.value),
    )


def _blocks(root: Node | None) -> Iterator[Mapping]:
    """Each block once, though an alias may stand in several places."""
    stack, seen = [root], set[int]()
    while stack:
        node = stack.pop()
        if not isinstance(node, (Mapping, Sequence)) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            yield node
            stack.extend(entry.value for entry in node.entries)
        else:
            stack.extend(node.items)


def _name(entry: Entry) -> str:
    return entry.key.text


def _repeated(document: DocumentContext, block: Mapping) -> Iterator[Finding]:
    """Two keys are one where the loader makes the same of them: ``1`` and ``"1"`` are two."""
    how = loads_with(document.reading)
    names = [(type(value := entry.key.value(how)), value) for entry in block.entries]
    last = {key: at for at, key in enumerate(names)}
    ordered = block is document.reading.document.root or block.entries is argument_entries(document.reading)
    others = _next_others(names)
    for at, (key, entry) in enumerate(zip(names, block.entries, strict=True)):
        if last[key] > at and entry.key.text != "<<":
            moves = not ordered and others[at] < last[key]
            yield _finding(document, entry, block.entries[last[key]], Safety.UNSAFE if moves else Safety.SAFE)


def _next_others(keys: abc.Sequence[tuple[type, object]]) -> list[int]:
    """For each key the place of the next one that is another. A loader keeps the place of a key's first appearance: without it the
    key may stand behind others, and a mixture of datasets is read in another order. Training arguments have no order."""
    places = [len(keys)] * len(keys)
    for at in reversed(range(len(keys) - 1)):
        places[at] = places[at + 1] if keys[at] == keys[at + 1] else at + 1
    return places


def _finding(document: DocumentContext, first: Entry, winner: Entry, safety: Safety) -> Finding:
    how = loads_with(document.reading)
    same = plain(first.value, how) == plain(winner.value, how)
    said = f"{_shown(first.value)} here and {_shown(winner.value)} below" if not same else f"{_shown(first.value)} both times"
    consumer = document.reading.consumer
    omegaconf = document.reading.loader is Loader.OMEGACONF
    told = OMEGACONF if omegaconf else COSTS.get(document.format, LAST_WINS)
    cost = told if consumer is None or consumer.followed else UNKNOWN_LOADER
    refuses = omegaconf or document.format in COSTS
    return document.finding(
        first.key,
        f"{first.key.text} stands twice, {said}: {cost}",
        help="delete one",
        related=[(winner.key, "again here; this one counts")],
        fixes=document.delete(first, f"delete the first {first.key.text}, which has no effect", safety=safety),
        severity=_severity(first.key.text, same=same, refuses=refuses),
        key=first.key.text,
        value=_shown(first.value),
    )


def _severity(name: str, *, same: bool, refuses: bool) -> Severity:
    """Of two different values one is not what somebody meant; that a run logs or saves at another pace spoils nothing."""
    if same:
        return Severity.WARNING if refuses else Severity.INFO
    return Severity.WARNING if BOOKKEEPING.match(name) and not refuses else Severity.ERROR


def _shown(node: Node) -> str:
    if isinstance(node, Scalar):
        return node.text or "nothing"
    return "a block" if isinstance(node, Mapping) else "a list"


RULE = Rule(
    code="BL922",
    name="duplicate-key",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    flags=True,
    aliases=("yaml-duplicate-key", "ds-duplicate-key"),
    harm=9.3,
)

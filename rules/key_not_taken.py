"""A key or flag that no release of the framework's own program takes.

Told where the program that reads the file or the flags is the framework's own (`llamafactory-cli`, `swift`, `axolotl`, OpenRLHF's and
verl's modules), no copy of the framework lies in the project, and the name is in none of the releases that were read, the old ones too:
misspelt, another framework's word for the same thing, or invented. A name that is one or two letters off is `unknown-key`'s already.

An override that Hydra is told to add (`+trainer.key=1`) is taken by Hydra, whoever reads it then; keys behind `plugins:` of a project of
one's own are axolotl's no more.

## What it costs

LLaMA-Factory, ms-swift, OpenRLHF and verl (Hydra's struct mode) stop at start. axolotl drops the key without a word: the run goes on with
the default, one epoch instead of three.

## Failing

```sh run.sh
llamafactory-cli train sft.yaml
```

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
sequence_length: 2048
output_dir: out
```

## Passing

```sh run.sh
llamafactory-cli train sft.yaml
```

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
cutoff_len: 2048
output_dir: out
```

## Sources

- LLaMA-Factory 0.7.1 and 0.9.5 `hparams/parser.py` `_parse_args`: `parse_dict` without `allow_extra_keys`, and ValueError for flags that
  remain; from 0.9.3 on `ALLOW_EXTRA_ARGS=1` allows them.
- ms-swift 2.6.1 to 4.6.0 `pipelines/base.py` (`remaining_argv`); OpenRLHF 0.3.6 to 0.11.2 `cli/*.py` (`parser.parse_args()`).
- verl 0.1 to 0.9.1 `trainer/main_ppo.py` (`@hydra.main`) with Hydra 1.3 `_internal/config_loader_impl.py`: "Key is not in struct".
- axolotl 0.6 to 0.19 `utils/schemas/config.py`: a pydantic model that says nothing of extra keys, which drops them.
- The tables of `budgetlint.catalog.vocabulary` and `budgetlint.contracts`: fields of every release that was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from budgetlint.catalog.vocabulary import groups, keys, misspelt, releases
from budgetlint.rule import (
    Confidence,
    Entry,
    Finding,
    Mapping,
    Reading,
    Rule,
    RunContext,
    Scalar,
    Sequence,
    Severity,
    argument_entries,
    may_hide_arguments,
)

from ._contract_names import composed_of_own

STOPS, DROPS = "stops at start", "drops it without a word"
TABLES = {
    "llamafactory": ("llamafactory", "llamafactory", "LLaMA-Factory", STOPS),
    "axolotl": ("axolotl", "axolotl", "axolotl", DROPS),
    "ms_swift": ("ms_swift", "ms-swift", "ms-swift", STOPS),
    "openrlhf": ("openrlhf", "openrlhf", "OpenRLHF", STOPS),
    "verl": ("verl", "verl", "Hydra", STOPS),
}
"""By format: the key table, the package, who meets the key, and what it does then."""
TOLD_OF_SLIPS = ("llamafactory", "axolotl", "ms_swift")
"""Formats of which `unknown-key` tells names that are a letter or two off."""
SHORTEST = 3
LAUNCHER = frozenset(("local_rank", "node_rank", "config", "deepspeed_config", "help"))
"""Flags that launchers or argparse itself bring."""
ALIKE = (
    ("num_train_epochs", "num_epochs", "max_epochs", "epochs", "total_epochs", "train_epochs", "n_epochs"),
    ("cutoff_len", "sequence_len", "max_length", "max_len", "max_seq_length", "max_seq_len", "sequence_length", "seq_len", "seq_length"),
    ("per_device_train_batch_size", "micro_batch_size", "micro_train_batch_size", "batch_size", "train_micro_batch_size_per_gpu"),
    ("learning_rate", "lr", "actor_learning_rate"),
    ("lora_rank", "lora_r", "r", "rank"),
    ("lr_scheduler_type", "lr_scheduler", "scheduler"),
    ("optim", "optimizer", "optimizer_type"),
    ("lora_target", "lora_target_modules", "target_modules"),
    ("gradient_accumulation_steps", "grad_accum", "accumulation_steps", "gradient_accumulation", "grad_accumulation_steps"),
    ("model_name_or_path", "base_model", "model", "pretrain", "model_id", "model_path"),
    ("val_size", "val_set_size", "split_dataset_ratio", "validation_split"),
    ("ppo_epochs", "ppo_epoch", "num_ppo_epochs"),
)
"""Words of different programs for one thing."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is None or not _is_own(run, trainer):
        return
    readings = [one for one in run.run.readings if one.role is trainer.role and one.format == trainer.format]
    found = [(one, entry) for one in readings for entry in _all(trainer.format, argument_entries(one))]
    written = {_name(entry, trainer.format) for _, entry in found}
    for reading, entry in found:
        if not _is_taken(reading, entry):
            yield _finding(run, reading, entry, written)


def _finding(run: RunContext, reading: Reading, entry: Entry, written: set[str]) -> Finding:
    table, package, who, ends = TABLES[reading.format]
    oldest, newest = next((first, last) for name, first, last in releases(table) if name.replace("_", "-") == package)
    meant = _meant(_name(entry, reading.format), reading.format, written)
    return run.finding(
        reading.document.source.locate(entry.key.span),
        f"{entry.key.text} is a key of no {package} from {oldest} to {newest}: {who} {ends}",
        help=f"did you mean '{meant}'?" if meant else "remove it, or look up what this release calls it",
        severity=None if ends == STOPS else Severity.WARNING if meant else Severity.INFO,
        key=entry.key.text,
    )


def _is_own(run: RunContext, trainer: Reading) -> bool:
    """Does the framework's own program read this, as it was released?"""
    consumer = trainer.consumer
    if consumer is None or consumer.is_nobody or not consumer.followed or TABLES[trainer.format][1] in run.run.stack.copied:
        return False
    if trainer.format == "verl":
        return trainer.document.is_command and trainer.document.program.startswith("verl.") and composed_of_own(run)
    if trainer.format == "openrlhf":
        return trainer.document.program.startswith("openrlhf.")
    if trainer.format == "ms_swift":
        return _of_swift(run)
    if trainer.format == "llamafactory":
        told = {entry.key.text for entry in argument_entries(trainer)}
        return consumer.program.startswith("llamafactory-cli") and bool(told & {"stage", "finetuning_type"})
    return consumer.program.startswith("axolotl") and not _has_foreign_plugins(trainer)


def _of_swift(run: RunContext) -> bool:
    words = [one.document.program for one in run.run.readings if one.document.is_command]
    lenient = any(entry.key.text == "ignore_args_error" for one in run.run.readings for entry in argument_entries(one))
    return not lenient and bool(words) and all(word in ("swift sft", "swift pt", "swift rlhf") for word in words)


def _has_foreign_plugins(trainer: Reading) -> bool:
    """Plugins add keys; those of axolotl itself are in the table."""
    entry = trainer.document.entry("plugins")
    if entry is None:
        return False
    items = entry.value.items if isinstance(entry.value, Sequence) else ()
    return not items or not all(isinstance(one, Scalar) and one.text.startswith("axolotl.integrations.") for one in items)


def _all(format: str, entries: tuple[Entry, ...]) -> Iterator[Entry]:
    """Keys of the file, or the ends of the paths of an override."""
    for entry in entries:
        if _is_tree(format) and isinstance(entry.value, Mapping):
            yield from _all(format, entry.value.entries)
        else:
            yield entry


def _is_tree(format: str) -> bool:
    """Is a path of keys judged by its end? A flag with dots is one name: ``--actor.gradient_checkpointing`` of newer OpenRLHF."""
    return format == "verl"


def _name(entry: Entry, format: str) -> str:
    name = entry.key.text.replace("-", "_")
    return name.rpartition(".")[2] if _is_tree(format) else name


def _is_taken(reading: Reading, entry: Entry) -> bool:
    name, known = _name(entry, reading.format), _names(reading.format)
    if (
        not name.replace(".", "").isidentifier()
        or name.startswith("_")
        or len(name) < SHORTEST
        or name in (LAUNCHER | known)
        or entry.key.text in known
    ):
        return True
    if reading.format in TOLD_OF_SLIPS and misspelt(name, known) and name not in keys("axolotl", "asked"):
        return True
    if not reading.document.is_command:
        return may_hide_arguments(reading)
    if reading.format == "verl":
        text, start = reading.document.source.text, entry.key.span.start
        return text[start - 1 : start] in ("+", "~")
    return any(one.startswith(name) for one in known)  # argparse: the beginning of a name stands for it


@cache
def _names(format: str) -> frozenset[str]:
    """Every name that some release takes."""
    from budgetlint.contracts.table import package

    table, name, _, _ = TABLES[format]
    # what axolotl's code asks its config for are names of other objects too; only words that nobody else means by it are told
    asked = keys("axolotl", "asked").difference(*ALIKE) if format == "axolotl" else frozenset[str]()
    own = keys(table, *(group for group in groups(table) if group != "asked")) | asked
    fields = {
        part
        for one in package(name).values()
        for field in one.specs
        for part in (field, field.rpartition(".")[2] if _is_tree(format) else field)
    }
    return own | fields | (keys("hf", "training_arguments") if format in TOLD_OF_SLIPS and format != "axolotl" else frozenset())


def _meant(name: str, format: str, written: set[str]) -> str:
    """A slip, or what this framework calls what another one calls so; empty where the file says it already."""
    known = _names(format)
    slip = misspelt(name, known)
    alike = [one for group in ALIKE if name in group for one in group if one in known]
    meant = slip or (alike[0] if alike else "")
    return meant if meant not in written else ""


RULE = Rule(
    code="BL640",
    name="key-not-taken",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=tuple(TABLES),
    status="preview",
    harm=9.0,
)

"""Schemas of training configs, from the key tables (`budgetlint.catalog.vocabulary`) and the closed values
(`budgetlint.catalog.choice_rows`).

A schema is as strict as the framework: unknown keys are refused where it stops at them, and taken where it passes over them.
Keys that the newest release has no more are marked as deprecated; the older releases take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from budgetlint.base.record import record
from budgetlint.catalog import vocabulary
from budgetlint.catalog.choice import Choice
from budgetlint.catalog.choice_rows import CHOICES
from budgetlint.schemas.values import value_schema

Schema = dict[str, Any]
TOP = ""


@record
class Framework:
    """``groups``: for each section (``""`` is the top) the groups of key tables it takes, each ``table:group``. ``strict``: the
    sections in which an unknown key stops the run, as ``source`` says. ``old``: the group whose dropped keys are deprecated.
    ``beside``: the key without which the file is of another schema (LLaMA-Factory 1), which has values of its own."""

    title: str
    choices: str
    groups: Mapping[str, tuple[str, ...]]
    source: str
    strict: tuple[str, ...] = ()
    old: tuple[str, str] | None = None
    beside: str = ""


_ZERO = "zero_optimization"
_ARGUMENTS = ("hf:training_arguments",)

FRAMEWORKS: Mapping[str, Framework] = {
    "deepspeed": Framework(
        "DeepSpeed config",
        "deepspeed",
        {
            TOP: ("deepspeed:top",),
            **{name: (f"deepspeed:{name}",) for name in (_ZERO, f"{_ZERO}.offload_optimizer", f"{_ZERO}.offload_param", "fp16", "bf16")},
        },
        "deepspeed 0.19.8 runtime/config.py asks the top key by key, runtime/config_utils.py forbids unknown keys of the ZeRO sections",
        strict=(_ZERO, f"{_ZERO}.offload_optimizer", f"{_ZERO}.offload_param"),
    ),
    "accelerate": Framework(
        "Accelerate config (accelerate launch --config_file)",
        "accelerate",
        {TOP: ("accelerate:top",)},
        "accelerate 1.15.0 commands/config/config_args.py: 'had unknown keys'",
        strict=(TOP,),
    ),
    "axolotl": Framework(
        "Axolotl config",
        "axolotl",
        {TOP: ("axolotl:top", "axolotl:plugins"), "fsdp_config": ("axolotl:fsdp_config",)},
        "axolotl 0.19.0 utils/schemas/config.py: pydantic passes over unknown keys",
        old=("axolotl", "top"),
    ),
    "llamafactory": Framework(
        "LLaMA-Factory config",
        "llamafactory",
        {TOP: ("llamafactory:hparams", *_ARGUMENTS)},
        "LLaMA-Factory 0.9.5 hparams/parser.py refuses unknown keys unless ALLOW_EXTRA_ARGS is set, and its examples for Megatron and "
        "KTransformers bring keys that no release lists, so other keys are taken here",
        old=("llamafactory", "hparams"),
        beside="finetuning_type",
    ),
    "trl": Framework(
        "TRL config (trl sft --config, TrlParser)",
        "trl",
        {TOP: ("hf:trl", "hf:trl_script", *_ARGUMENTS)},
        "trl 1.16.0 scripts/utils.py TrlParser: a script may bring arguments of its own, so other keys are taken here",
    ),
    "torchtune": Framework(
        "torchtune config",
        "torchtune",
        {TOP: ("torchtune:top",)},
        "torchtune 0.6.1 recipes ask for the keys they know",
        old=("torchtune", "top"),
    ),
}


def framework_schema(name: str) -> Schema:
    """The schema of one framework's configs."""
    row = FRAMEWORKS[name]
    dropped = vocabulary.gone(*row.old) if row.old else {}
    whole: Schema = {"title": row.title, "description": f"Keys as in {_releases(row)}. {row.source}.", "type": "object", "properties": {}}
    for path in sorted(row.groups, key=lambda path: (path.count("."), path)):
        section = _section(whole, path)
        section["properties"] |= {key: _key(row, key, dropped) for key in sorted(_keys(row.groups[path]))} | section["properties"]
        section["additionalProperties"] = path not in row.strict
    holder = whole.setdefault("dependentSchemas", {}).setdefault(row.beside, {"properties": {}}) if row.beside else whole
    for choice in CHOICES.get(row.choices, ()):
        _place(holder, choice)
    return whole


def _releases(row: Framework) -> str:
    tables = dict.fromkeys(group.partition(":")[0] for groups in row.groups.values() for group in groups)
    return ", ".join(f"{package} {first} to {last}" for table in tables for package, first, last in vocabulary.releases(table))


def _keys(groups: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(vocabulary.keys(*group.split(":")) for group in groups))


def _key(row: Framework, key: str, dropped: Mapping[str, str]) -> Schema:
    since = dropped.get(key)
    return {"deprecated": True, "description": f"not in {row.choices} {since} and newer"} if since else {}


def _section(whole: Schema, path: str) -> Schema:
    """The schema of a section, made where it is missing."""
    found = whole
    for part in path.split(".") if path else ():
        found = found["properties"].setdefault(part, {})
        found.setdefault("properties", {})
    return found


def _place(whole: Schema, choice: Choice) -> None:
    """The values of a key, where its section lists keys at all or is named by the choice."""
    folder, _, key = choice.path.rpartition(".")
    properties = _section(whole, folder)["properties"]
    properties[key] = {**properties.get(key, {}), **value_schema(choice)}

"""The published JSON Schemas: committed as they are made, schemas by their own dialect, true of what budgetlint writes and reads."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from budgetlint.catalog.choice import Choice
from budgetlint.catalog.vocabulary import keys
from budgetlint.schemas import pages, schemas
from budgetlint.schemas.frameworks import file_schema, with_schemas
from budgetlint.schemas.values import value_schema

MADE = schemas()
HERE = Path(__file__).parents[1]
FOLDER = HERE / "docs" / "schemas"


def errors(name: str, data: object) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(MADE[name]).iter_errors(data)]


def test_the_folder_is_what_is_made() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    made = pages()
    assert sorted(name for name in {*there, *made} if there.get(name) != made.get(name)) == [], "python -m budgetlint.schemas docs/schemas"


@pytest.mark.parametrize("name", MADE)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(MADE[name])
    assert MADE[name]["$schema"].endswith("2020-12/schema")
    assert MADE[name]["title"]


@pytest.mark.parametrize("name", MADE)
def test_the_page_of_schemas_names_it(name: str) -> None:
    assert f"{name}.schema.json" in (FOLDER / "README.md").read_text(encoding="utf-8")


# -- what budgetlint writes --------------------------------------------------------------------------------------------------

WRITTEN = {
    "check": ["check", "--info"],
    "estimate": ["estimate"],
    "files": ["files"],
    "rule": ["rule", "--all"],
    "run-settings": ["estimate", "--settings"],
    "solve": ["solve"],
    "waivers": ["waivers"],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_reports_on_the_examples(shell, name: str) -> None:
    command, *options = WRITTEN[name]
    paths = [] if name == "rule" else [str(HERE / "examples")]
    document = shell(command, *paths, *options, "--format", "json").json
    assert errors(name, document) == []
    del document["version"]
    assert errors(name, document) != []


@pytest.mark.parametrize("path", sorted(HERE.glob("examples/*/*.budget")), ids=lambda path: path.parent.name)
def test_budget_exports(shell, path: Path) -> None:
    shell.write("a.budget", path.read_bytes())
    document = shell("fmt", "--format", "json", "a.budget").json
    assert errors("budget", document) == []
    assert errors("budget", {**document, "statements": [{"type": "no such"}]}) != []


SETTINGS = [
    ('select = ["BL1"]\nfail-on = "warning"\n[levels]\nBL2 = "off"\n', True),
    ('[[allow]]\nrule = "does-not-fit"\nreason = "known"\nin = "a.yaml"\n', True),
    ("fail_on = 3\n", False),
    ('fail-on = "sometimes"\n', False),
]


@pytest.mark.parametrize(("text", "valid"), SETTINGS)
def test_settings(text: str, valid: bool) -> None:
    assert (errors("settings", tomllib.loads(text)) == []) is valid


# -- training configs --------------------------------------------------------------------------------------------------------

CONFIGS: list[tuple[str, str, bool]] = [
    ("deepspeed", "{zero_optimization: {stage: 3, overlap_comm: true}, some_note: 1}", True),
    ("deepspeed", "{zero_optimization: {stage: 3, stgae: 2}}", False),
    ("deepspeed", "{zero_optimization: {offload_optimizer: {device: cpu}}}", True),
    ("deepspeed", "{zero_optimization: {offload_optimizer: {device: gpu}}}", False),
    ("accelerate", "{distributed_type: FSDP, mixed_precision: BF16}", True),
    ("accelerate", "{distributed_type: FSDB}", False),
    ("accelerate", "{distributed_typ: FSDP}", False),
    ("accelerate", "{mixed_precision: no}", True),
    ("axolotl", "{base_model: a, rl: dpo, my_plugin_key: 1}", True),
    ("axolotl", "{base_model: a, rl: dpoo}", False),
    ("axolotl", "{gradient_checkpointing: true}", True),
    ("axolotl", "{fsdp_config: {fsdp_version: 2}}", True),
    ("llamafactory", "{stage: sft, finetuning_type: lora, optim: adamw_torch}", True),
    ("llamafactory", "{stage: sfd, finetuning_type: lora}", False),
    ("llamafactory", "{model: a, flash_attn: flash_attention_2}", True),
    ("trl", "{model_name_or_path: a, eval_strategy: no, save_strategy: best}", True),
    ("trl", "{model_name_or_path: a, eval_strategy: step}", False),
    ("trl", "{lr_scheduler_type: '${SCHED}', optim: null}", True),
    ("trl", "{bf16: [true]}", False),
    ("torchtune", "{batch_size: 2, my_own: {a: 1}}", True),
]


@pytest.mark.parametrize(("name", "text", "valid"), CONFIGS, ids=[f"{name} {text}" for name, text, _ in CONFIGS])
def test_configs(name: str, text: str, valid: bool) -> None:
    assert (errors(name, yaml.safe_load(text)) == []) is valid


@pytest.mark.parametrize("name", with_schemas())
def test_every_key_of_the_tables_is_there(name: str) -> None:
    """Which an editor offers."""
    for path, groups in file_schema(name).groups.items():
        section: Any = MADE[name]
        for part in path.split(".") if path else ():
            section = section["properties"][part]
        assert {key for group in groups for key in keys(*group.split(":"))} <= section["properties"].keys()


def test_dropped_keys_are_deprecated() -> None:
    old = {key: value for key, value in MADE["torchtune"]["properties"].items() if value.get("deprecated")}
    assert old
    assert all("not in torchtune" in value["description"] for value in old.values())


@pytest.mark.parametrize("value", ["nf4", "fp4", None, "${Q}"])
def test_a_closed_set_takes_its_values_nothing_and_what_is_filled_in(value: object) -> None:
    row = Choice("q", "x", "nf4 fp4", "", "")
    assert jsonschema.Draft202012Validator(value_schema(row)).is_valid(value)
    assert not jsonschema.Draft202012Validator(value_schema(row)).is_valid("nf5")

"""One manifest for a framework: the index holds what they say, and they agree with the readers beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import budgetlint.readers
from budgetlint.base.source import SourceFile
from budgetlint.frameworks import every_format, home_of, manifests, patch
from budgetlint.frameworks._index import MANIFESTS
from budgetlint.frameworks.manifest import CONVERTS, EVALUATES, PREPARES, SERVES, Format, Manifest
from budgetlint.launch.read import script_launches
from budgetlint.readers.__main__ import INDEX, index_text
from budgetlint.readers.__main__ import manifests as written
from budgetlint.readers.known_programs import known_program
from budgetlint.rules_api.toolbox import documents
from budgetlint.settings.vocabulary import SETTINGS

FOLDERS = sorted(path.parent.name for path in Path(budgetlint.readers.__file__ or "").parent.glob("*/reader.py"))
SPELLINGS = [(format, setting, key) for format in every_format() for setting, key in format.spellings.items()]


def test_the_index_is_what_the_manifests_say() -> None:
    assert INDEX.read_text(encoding="utf-8") == index_text(), "run: python -m budgetlint.readers"
    assert written() == MANIFESTS


def test_every_reader_has_a_manifest() -> None:
    assert [manifest.name for manifest in MANIFESTS] == FOLDERS


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: one.name)
def test_a_manifest_names_the_formats_of_its_readers(manifest: Manifest) -> None:
    readers = budgetlint.readers._members(manifest.home)
    assert [format.name for format in manifest.formats] == [reader.format for reader in readers]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: one.name)
def test_the_version_that_a_readers_defaults_hang_on_is_looked_for(manifest: Manifest) -> None:
    """Pins of the package that the defaults of a trainer go by are read beside its configs, or nobody publishes the package."""
    pinned = {package.name for one in MANIFESTS for package in one.packages if package.pins}
    asked = {reader.package for reader in budgetlint.readers._members(manifest.home)} - {""}
    assert asked <= pinned | {"megatron", "nemo", "ai2-olmo-core"}


def test_no_name_is_taken_twice() -> None:
    for names in (
        [manifest.name for manifest in MANIFESTS],
        [format.name for format in every_format()],
        [kind for format in every_format() for kind in (*format.kinds, format.name)],
        [name for manifest in MANIFESTS for tool in manifest.tools for name in (tool.name, *tool.also)],
        [package.name for manifest in MANIFESTS for package in manifest.packages],
        [manifest.model_code for manifest in MANIFESTS if manifest.model_code],
    ):
        assert len(names) == len(set(names)), names


@pytest.mark.parametrize("manifest", [one for one in MANIFESTS if one.programs], ids=lambda one: one.name)
def test_a_program_is_of_a_format_of_its_manifest(manifest: Manifest) -> None:
    for program in manifest.programs:
        assert program.format in [format.name for format in manifest.formats]
        assert re.compile(program.pattern) and program.source


@pytest.mark.parametrize("manifest", [one for one in MANIFESTS if one.tools], ids=lambda one: one.name)
def test_a_tool_starts_a_program_that_its_manifest_knows(manifest: Manifest) -> None:
    """Each name of a tool, each of its modules and scripts, with each subcommand that trains: the same program, of the same manifest."""
    formats = {format.name for format in manifest.formats}
    for tool in manifest.tools:
        modules = [f"python -m {module} {'' if word else tool.trains[0]}" for module, word in tool.modules.items()]
        scripts = [f"python {script} {'' if word else tool.trains[0]}" for script, word in tool.scripts.items()]
        commands = [f"{name} {word}" for name in (tool.name, *tool.also) for word in tool.trains]
        for command in (*commands, *modules, *scripts):
            (launch,) = script_launches(SourceFile("run.sh", f"{command} a.yaml\n"))
            known = known_program(launch.program.program)
            assert launch.program.program.startswith(f"{tool.name} "), command
            assert known is not None and known.format in formats, command


@pytest.mark.parametrize("manifest", [one for one in MANIFESTS if one.idle], ids=lambda one: one.name)
def test_what_trains_is_not_among_what_trains_nothing(manifest: Manifest) -> None:
    modules = {module for one in MANIFESTS for tool in one.tools for module in tool.modules}
    for row in manifest.idle:
        assert row.source and row.does in (EVALUATES, PREPARES, CONVERTS, SERVES)
        assert not [module for module in modules if re.fullmatch(row.pattern, module)]


PATCHES = [row for manifest in MANIFESTS for row in manifest.patches]


def test_a_patch_is_of_a_setting_and_told_once() -> None:
    assert len({(row.by, row.setting) for row in PATCHES}) == len(PATCHES)
    for row in PATCHES:
        assert row.setting in SETTINGS and row.source
        assert row.since or row.before is None
        assert patch(row.by, row.setting) is row


def test_ligers_and_unsloths_kernels() -> None:
    """liger-kernel 0.8.5 monkey_patch.py, unsloth 2026.10 kernels/."""
    assert patch("liger-kernel", "kernels").value == ("rms_norm", "rope", "swiglu", "linear_cross_entropy")
    assert set(patch("unsloth", "kernels").value) == {*patch("liger-kernel", "kernels").value, "lora"}


@pytest.mark.parametrize(("format", "setting", "key"), SPELLINGS, ids=[f"{one.name} {setting}" for one, setting, _ in SPELLINGS])
def test_a_spelling_is_of_a_setting(format: Format, setting: str, key: str) -> None:
    assert setting.partition(" ")[0] in SETTINGS
    assert key


def test_manifests_are_the_built_in_ones_where_nothing_else_is_installed() -> None:
    assert manifests()[: len(MANIFESTS)] == MANIFESTS


def test_a_manifest_names_a_model_code_that_the_setting_has() -> None:
    codes = {manifest.model_code for manifest in MANIFESTS} - {""}
    assert codes | {"transformers"} == set(SETTINGS["model_code"].choices)


@pytest.mark.parametrize("format", [format for format in every_format() if format.schema], ids=lambda one: one.name)
def test_a_schema_lies_in_the_readers_own_folder(format: Format) -> None:
    home = home_of(format.name)
    assert home is not None and format.schema == f"budgetlint.readers.{home.name}.schema"


OF_RULES = {
    "HUGGING_FACE": "hf_training_arguments trl alignment_handbook open_instruct",
    "PYTHON": "python_script python_trl_script",
    "TRL_FORMATS": "trl alignment_handbook",
    "TRL_ARGUMENTS": "trl alignment_handbook python_trl_script",
    "TRAINING_ARGUMENTS": "hf_training_arguments trl alignment_handbook open_instruct llamafactory python_script python_trl_script",
    "TRAINERS": "hf_training_arguments trl alignment_handbook llamafactory python_script python_trl_script",
    "TRAINERS_AND_AXOLOTL": "hf_training_arguments trl alignment_handbook llamafactory python_script python_trl_script axolotl",
    "TRAINER_RUNS": "hf_training_arguments trl alignment_handbook open_instruct llamafactory python_script python_trl_script axolotl",
}


@pytest.mark.parametrize("group", OF_RULES)
def test_the_groups_that_rules_ask_for_follow_from_the_manifests(group: str) -> None:
    assert " ".join(getattr(documents, group)) == OF_RULES[group]

"""The built-in rules use what rules of others may use: they import from `budgetlint.rule`, and its names hold."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import budgetlint.rule as door

LEAVES = tuple(f"budgetlint.base.{name}" for name in ("record", "units", "numerals", "expression", "suggest"))
"""Records, amounts of bytes, numbers, near names: they import nothing of ours, and CONTRIBUTING names the first."""

INSIDE = {
    "budgetlint.base.plain_text": ("a name of a file on one line", "no_verdict"),
    "budgetlint.base.source": ("whether a value stands in another file than the program that it reaches", "yaml_float_as_string"),
    "budgetlint.catalog.choice": ("closed values of keys", "unknown_value"),
    "budgetlint.catalog.choice_rows": ("closed values of keys", "unknown_value"),
    "budgetlint.catalog.context": ("what a CUDA process holds, for a card that is not the run's", "smallest_card"),
    "budgetlint.catalog.families": (
        "the record of a model family",
        "fp16_on_bf16_pretrained fsdp_wrap_class_mismatch image_longer_than_text",
    ),
    "budgetlint.catalog.models": ("names of checkpoints, every family", "_adapters _modules"),
    "budgetlint.catalog.model_templates": ("the chat templates that LLaMA-Factory registers", "template_of_another_model"),
    "budgetlint.catalog.module_names": ("a release that changed which modules LoRA reaches", "_offload"),
    "budgetlint.catalog.optimizer_table": (
        "the optimizers that a rule is about, before a run is looked at",
        "adam_l2_weight_decay layerwise_optimizer_grad_accumulation",
    ),
    "budgetlint.catalog.optimizers": ("bytes of the states of what is trained besides", "modules_to_save_embeddings"),
    "budgetlint.catalog.targets": ("module names of a family", "_modules lora_target_mismatch"),
    "budgetlint.catalog.vocabulary": (
        "the keys that frameworks know, by release",
        "_unknown_accelerate _unknown_deepspeed _unknown_sections dataset_type_misspelt duplicate_key eval_without_dataset key_not_taken "
        "unknown_flag unknown_key",
    ),
    "budgetlint.contracts.signature": ("what constructors take, by release", "argument_not_taken flag_ambiguous"),
    "budgetlint.documents.python_marks": ("sections of a followed program", "eval_logits_accumulation"),
    "budgetlint.engine.lazy_rules": ("the index of the built-in rules", "__init__ __main__"),
    "budgetlint.launch.slurm": ("what a job asks for", "_launch"),
    "budgetlint.language.asserted": ("asserts of a budget", "assert_broken"),
    "budgetlint.language.asserts": ("asserts of a budget", "assert_broken static_state_as_total"),
    "budgetlint.language.budget": ("statements of a budget", "measured_differs unit_mixup"),
    "budgetlint.language.tree": ("asserts of a budget", "_asserted assert_broken static_state_as_total"),
    "budgetlint.measured.lines": ("measured lines of a budget", "_measured measured_oom"),
    "budgetlint.measured.reconcile": ("an estimate against what was measured", "measured_below_static measured_differs"),
    "budgetlint.measured.watched": ("files that a declared run was written from", "_declared"),
    "budgetlint.memory.estimate": ("why a verdict is open", "_open"),
    "budgetlint.memory.estimator": ("the estimate with one thing otherwise", "_length _whatif"),
    "budgetlint.memory.short_rows": ("the run with short rows", "_length smallest_card"),
    "budgetlint.memory.layout": ("settings that split a model", "_asserted _by_size"),
    "budgetlint.memory.need": ("the need on a card that is not the run's", "smallest_card"),
    "budgetlint.memory.plan": (
        "parts of the plan, which changes with the estimator",
        "_fit _whatif bnb8bit_embeddings_32bit_state budget_config_mismatch eval_logits_accumulation fp32_default_load "
        "full_state_dict_save_spike gc_off_long_seq host_ram_per_rank_load modules_to_save_embeddings smallest_card",
    ),
    "budgetlint.memory.planner": ("a plan of other settings", "_whatif budget_config_mismatch"),
    "budgetlint.settings.program": ("what goes wrong in a program beside its memory, for preview rules", "_program"),
    "budgetlint.contracts.expression": ("what a class refuses", "_contracts"),
    "budgetlint.contracts.held": ("what a class refuses", "_contracts"),
    "budgetlint.contracts.table": ("what a class takes and refuses", "_contracts key_not_taken"),
    "budgetlint.contracts.words": ("what a class refuses", "_contracts"),
    "budgetlint.memory.standing": ("what the device offers", "_whatif"),
    "budgetlint.memory.static": (
        "bytes of weights and states in another layout",
        "bnb8bit_embeddings_32bit_state budget_config_mismatch full_state_dict_save_spike",
    ),
    "budgetlint.memory.unmodelled": ("what a model is that no formula knows, in words", "_open"),
    "budgetlint.readers.base": ("words of a list of options", "_fsdp fsdp_wrap_class_mismatch quant_options_without_switch"),
    "budgetlint.readers.fsdp_words": ("words of a list of options", "fsdp1_options_under_fsdp2"),
    "budgetlint.readers.llamafactory.v1": ("which of LLaMA-Factory's two schemas", "_llamafactory unknown_value"),
    "budgetlint.readers.python_script.classes": (
        "which call of a script makes what",
        "_adapters _contracts _scripts bnb_fp4_default device_map_auto_distributed eval_logits_accumulation load_in_4bit_kwarg_removed "
        "peft_gc_no_input_grads",
    ),
    "budgetlint.settings.run": ("releases compared; a model of which only the vocabulary is open", "argument_not_taken no_verdict"),
    "budgetlint.report.answer": ("an open verdict in words", "_open"),
}
"""What some rules take from further inside, about a table or an arithmetic that nobody else's rule is promised: why, and who."""


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """``(module, name)`` of every import of ours in a file; a module that is taken as a name stands as itself."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((one.name, "") for one in node.names if one.name.partition(".")[0] == "budgetlint")
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] == "budgetlint":
            yield from (_resolved(node.module or "", one.name) for one in node.names)


def _resolved(module: str, name: str) -> tuple[str, str]:
    found = getattr(import_module(module), name, None)
    return (f"{module}.{name}", "") if found is None or inspect.ismodule(found) else (module, name)


@pytest.fixture(scope="module")
def taken(repository: Path) -> dict[str, list[tuple[str, str]]]:
    """By module of ``rules/``, what it imports of ours."""
    return {path.stem: list(imports(path)) for path in sorted((repository / "rules").glob("*.py"))}


def test_rules_import_from_the_door(taken: dict[str, list[tuple[str, str]]]) -> None:
    further = {
        (module, rule)
        for rule, found in taken.items()
        for module, _ in found
        if module not in ("budgetlint.rule", "budgetlint.testing", *LEAVES)
    }
    known = {(module, rule) for module, (_, rules) in INSIDE.items() for rule in rules.split()}
    assert sorted(further - known) == [], "import it from budgetlint.rule, or say in INSIDE why nobody else may need it"
    assert sorted(known - further) == [], "no longer so"


def test_what_the_door_has_comes_through_the_door(taken: dict[str, list[tuple[str, str]]]) -> None:
    """One name, one import: a reader of any rule sees what a rule of one's own would write."""
    around = [
        f"{rule}: {module}.{name}"
        for rule, found in taken.items()
        for module, name in found
        if module != "budgetlint.rule" and name in door.__all__ and getattr(import_module(module), name) is getattr(door, name)
    ]
    assert around == []


def test_the_example_uses_nothing_else(repository: Path) -> None:
    folder = repository / "examples" / "rule-plugin"
    used = {module for path in folder.rglob("*.py") for module, _ in imports(path)}
    assert used == {"budgetlint.rule", "budgetlint.testing", "budgetlint.registry"}


TOOLS = sorted(name for name in door.__all__ if inspect.isfunction(inspect.unwrap(getattr(door, name))) and name != "never")


def test_every_name_is_there_and_no_other() -> None:
    """`__all__`, what a type checker reads, and what is loaded when it is asked for are one list."""
    tree = ast.parse(Path(inspect.getfile(door)).read_text(encoding="utf-8"))
    ours = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("budgetlint")]
    assert sorted(name.name for node in ours for name in node.names) == sorted(door.__all__)
    later = {name: node.module for block in tree.body if isinstance(block, ast.If) for node in block.body
             if isinstance(node, ast.ImportFrom) for name in (one.name for one in node.names)}  # fmt: skip
    assert later == door._HOMES
    assert all(getattr(door, name) is not None for name in door.__all__)
    with pytest.raises(AttributeError, match="no_such_tool"):
        door.no_such_tool  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_explained_in_the_manual_and_used(name: str, repository: Path, taken: dict[str, list[tuple[str, str]]]) -> None:
    found = inspect.unwrap(getattr(door, name))
    if found.__module__.startswith("budgetlint.rules_api.toolbox."):
        assert re.search(rf"\n    Example: .*\b{name}\(", found.__doc__ or "", re.DOTALL)
    manual = (repository / "docs" / "plugins.md").read_text(encoding="utf-8")
    assert re.search(rf"`{name}\(", manual), "a row of the table in docs/plugins.md"
    assert any(("budgetlint.rule", name) in names for names in taken.values()), "no built-in rule uses it"


def test_the_toolbox_is_loaded_when_it_is_asked_for() -> None:
    asked = "import sys, budgetlint.rule; print([name for name in sys.modules if 'toolbox' in name or 'catalog.models' in name])"
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"

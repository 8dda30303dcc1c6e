"""Model families: each record answers what is asked of it, and nothing is taken from another unsaid."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from budgetlint.base.record import fields
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import SAME_CODE, UNLISTED, all_families, family_of, known_family
from budgetlint.catalog.family import FIELDS, OWN, TRACED, Family, Unfilled
from budgetlint.catalog.models import all_models

FAMILIES = {one.name: one for one in all_families()}
OF_TENSORS = {"names"}
OF_PLANS = {"sdpa", "position_bias", "always_masked", "repeats_for_flash", "logits_plain_until"}
OF_LAYERS = {
    *("layer", "eager", "drops_scores", "norm", "normed_stream", "rotates_as_given", "packed_heads", "layer_period"),
    *("caps_logits", "scales_embedding", "basis"),
}
OF_TWO_STACKS = {"one_dropout_rate", "casts_before_down"}
OF_OTHERS = {"tools", "new_names", "experts_are_parameters", "probe_keys", "probe_no_window", "probe_no_padding"}
OF_A_TEXT_MODEL = OF_TENSORS | OF_PLANS | OF_LAYERS | OF_OTHERS
NEEDED = {
    "decoder": OF_A_TEXT_MODEL,
    "encoder": OF_A_TEXT_MODEL,
    "encoder-decoder": OF_A_TEXT_MODEL | OF_TWO_STACKS | {"stacks"},
    "speech": OF_A_TEXT_MODEL | OF_TWO_STACKS,
    "vision": OF_A_TEXT_MODEL | {"vision"},
    "dual-encoder": OF_A_TEXT_MODEL,
    "tower": {"tower", "eager", "norm", "normed_stream", "always_masked", "basis"},
}
"""Kind of architecture -> the fields that are asked of its family."""


def models() -> Iterator[Architecture]:
    """Every model of the catalog, and every tower in front of one."""
    for model in all_models():
        yield model
        yield from (part for name, part in model.parts if name == "vision" and model.kind == "decoder")


def needs(model: Architecture) -> set[str]:
    mixture = {"router", "expert_product"} if model.experts else set()
    return NEEDED[model.kind] | mixture | ({"one_delta_input"} if model.number("attention_layers") else set())


@pytest.mark.parametrize("name", sorted({model.family for model in models()}))
def test_every_family_of_the_catalog_answers_what_its_models_need(name: str) -> None:
    asked = set().union(*(needs(model) for model in models() if model.family == name))
    family = known_family(name)
    assert family is not None, "a record of its own, not that of the unlisted"
    assert {field for field in asked if not family.said(field)} == set()


@pytest.mark.parametrize("name", sorted(one.name for one in FAMILIES.values() if one.said("config")))
def test_every_family_that_a_config_may_name_answers_what_its_kind_needs(name: str) -> None:
    family = FAMILIES[name]
    asked = NEEDED[family.config.shape.get("kind", "decoder")] | {"attention_bias"}
    assert {field for field in asked if not family.said(field)} == set()


@pytest.mark.parametrize("name", sorted(one.name for one in FAMILIES.values() if one.said("config")))
def test_a_config_speaks_of_fields_that_an_architecture_has(name: str) -> None:
    config = FAMILIES[name].config
    assert {*config.shape, *config.sizes} - {one.name for one in fields(Architecture)} == set()


def test_a_field_that_nobody_filled_in_is_an_error_that_names_it() -> None:
    with pytest.raises(Unfilled, match=r"the record of 'bert' does not say 'tower'"):
        _ = family_of("bert").tower


def test_no_record_takes_what_was_found_out_about_another() -> None:
    parent = Family("a", basis=TRACED, model_type="b", elsewhere={"torchtune": "plain"}, eager="fp32", sdpa=True)
    child = Family("c", like="a", sdpa=False).after(parent)
    assert (child.eager, child.sdpa) == ("fp32", False)
    assert not any(child.said(field) for field in OWN - {"name", "like", "model_type", "classes", "elsewhere"})
    assert (child.classes, child.model_type, child.elsewhere) == ((), "", {})


def test_every_record_is_like_one_that_is_there() -> None:
    assert {one.like for one in FAMILIES.values() if one.like} <= {*FAMILIES, UNLISTED}
    assert all(one.name.replace("-", "_").isidentifier() for one in FAMILIES.values())


@pytest.mark.parametrize("name", ["", "Llama", "_shapes", "__init__", "os.path", "../llama", "xlm_roberta", "llama\n", "ﬁ", "class", "9"])
def test_a_word_that_is_no_family_has_no_record(name: str) -> None:
    assert known_family(name) is None
    assert family_of(name).name == UNLISTED
    assert not family_of(name).basis.exact


def test_a_module_that_does_not_import_is_no_missing_family(monkeypatch: pytest.MonkeyPatch) -> None:
    known_family.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "budgetlint.catalog.family", None)
    monkeypatch.delitem(__import__("sys").modules, "budgetlint.catalog.families.mpt")
    with pytest.raises(ModuleNotFoundError, match=r"budgetlint\.catalog\.family"):
        known_family("mpt")


def test_fields_are_those_that_are_asked() -> None:
    assert set().union(*NEEDED.values()) | {"router", "expert_product", "one_delta_input", "attention_bias"} | OWN == FIELDS


FUNCTIONS = sorted(
    {("catalog", one.config.reader) for one in FAMILIES.values() if one.said("config") and one.config.reader}
    | {("probe", one.probe_keys) for one in FAMILIES.values() if one.said("probe_keys") and one.probe_keys}
    | {("memory", one.layer) for one in FAMILIES.values() if one.said("layer")}
)


@pytest.mark.parametrize(("room", "named"), FUNCTIONS)
def test_every_function_that_a_record_names_is_there(room: str, named: str) -> None:
    module, _, function = named.partition(".")
    assert callable(getattr(import_module(f"budgetlint.{room}.{module}"), function))


def test_a_record_stands_for_each_word_of_other_code() -> None:
    assert {kind for kind, family in SAME_CODE.items() if known_family(family) is None} == set()


ROOT = Path(__file__).parents[2]
ASKING = ("budgetlint/catalog", "budgetlint/memory", "budgetlint/oom", "budgetlint/probe", "budgetlint/solve", "rules")


def asked_by_name(tree: ast.AST) -> Iterator[int]:
    """Lines where ``….family`` of an architecture is compared with names or looked up in a table of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                used = [node.left, *node.comparators]
            case ast.Subscript():
                used = [node.slice]
            case ast.Call(func=ast.Attribute(attr="get" | "setdefault" | "pop")):
                used = list(node.args)
            case _:
                continue
        if any(isinstance(one, ast.Attribute) and one.attr == "family" for one in used):
            yield node.lineno


def test_a_record_is_asked_and_no_name_is_compared() -> None:
    modules = (path for room in ASKING for path in (ROOT / room).rglob("*.py"))
    found = {str(path.relative_to(ROOT)): list(asked_by_name(ast.parse(path.read_text(encoding="utf-8")))) for path in modules}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_what_asks_by_name_is_found() -> None:
    texts = ("if arch.family == 'llama': pass", "plan.arch.family in NAMES", "TABLE[arch.family]", "TABLE.get(arch.family, 1)")
    assert [list(asked_by_name(ast.parse(text))) for text in texts] == [[1], [1], [1], [1]]
    assert list(asked_by_name(ast.parse("family_of(arch.family).norm == 'shape'"))) == []

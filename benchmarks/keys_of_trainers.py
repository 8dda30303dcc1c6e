"""The keys of litgpt, torchtitan, ms-swift, PEFT, torchtune, verl and OpenRLHF, read from their releases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from key_trees import KEY, all_classes, asked_keys, classes, fields, of, parameters

Trees = dict[str, ast.Module]
Groups = dict[str, set[str]]


def litgpt(trees: Trees) -> Groups:
    """The parameters of every trainer's ``setup``, which jsonargparse turns into keys, and the classes behind three of them."""
    found = classes(trees.values())
    trainers = [tree for name, tree in trees.items() if not name.endswith("args.py")]
    groups = {"top": {key for tree in trainers for key in parameters(tree, "setup")}}
    groups |= {section: of(found, name) for section, name in (("train", "TrainArgs"), ("eval", "EvalArgs"), ("log", "LogArgs"))}
    return groups


def torchtitan(trees: Trees) -> Groups:
    """The sections of ``JobConfig`` and what stands in them; models and experiments extend it by classes of the same name."""
    found: dict[str, list[ast.ClassDef]] = {}
    for node in all_classes(trees.values()):
        found.setdefault(node.name, []).append(node)
    return dict(sections(found, "JobConfig", "top"))


def sections(found: dict[str, list[ast.ClassDef]], name: str, path: str) -> Iterator[tuple[str, set[str]]]:
    """A class's fields under the path of its section, then those of its sections: ``quantize.linear.float8``."""
    nodes = found[name]
    yield path, {key for node in nodes for key in fields(node)}
    prefix = "" if path == "top" else f"{path}."
    inner = {(key, kind) for node in nodes for key, kind in annotated(node) if kind in found}
    for key, kind in sorted(inner):
        yield from sections(found, kind, f"{prefix}{key}")


def annotated(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and isinstance(item.annotation, ast.Name):
            yield item.target.id, item.annotation.id


def ms_swift(trees: Trees) -> Groups:
    """Every field of its argument classes; those of transformers' and TRL's are in the table ``hf``."""
    return {"top": {key for node in all_classes(trees.values()) for key in fields(node)}}


def peft(trees: Trees) -> Groups:
    """``adapter_config.json`` holds the fields of one class: ``top`` those of LoRA, ``any`` those of every method."""
    found = [node for node in all_classes(trees.values()) if node.name.endswith(("Config", "ConfigMixin"))]
    common = ("PeftConfig", "PeftConfigMixin")
    return {
        "top": {key for node in found if node.name in ("LoraConfig", *common) for key in fields(node)},
        "any": {key for node in found for key in fields(node)},
    }


def torchtune(trees: Trees) -> Groups:
    """The top-level keys of the recipes' own files, and what the recipes ask for."""
    files = {
        node.value for name, tree in trees.items() if name.endswith(".yaml") for node in ast.walk(tree) if isinstance(node, ast.Constant)
    }
    scripts = {name: tree for name, tree in trees.items() if name.endswith(".py")}
    return {"top": {str(key) for key in files if KEY.fullmatch(str(key))}, "asked": asked_keys(scripts)}


def verl(trees: Trees) -> Groups:
    """Names of keys at any depth: of the trainers' YAML files, of the dataclasses behind them, and those that code asks a config for."""
    written = {
        key.value for name, tree in trees.items() if name.endswith(".yaml") for key in ast.walk(tree) if isinstance(key, ast.Constant)
    }
    modules = {name: tree for name, tree in trees.items() if name.endswith(".py")}
    declared = {key for node in all_classes(modules.values()) for key in fields(node)}
    asked = {
        node.attr for tree in modules.values() for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_config(node.value)
    }
    return {"names": {str(key) for key in written} | declared | asked_keys(modules) | {key for key in asked if KEY.fullmatch(key)}}


def _is_config(node: ast.expr) -> bool:
    """``config``, ``self.config``, ``self.config.actor.optim``"""
    while isinstance(node, ast.Attribute) and not node.attr.endswith("config"):
        node = node.value
    return (node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "").endswith("config")


def openrlhf(trees: Trees) -> Groups:
    """The options of every program; newer ones are named by their section: ``--actor.learning_rate``."""
    words = {
        node.value for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {"flags": {word[2:] for word in words if re.fullmatch(r"--[a-z0-9_.]+", word)}}

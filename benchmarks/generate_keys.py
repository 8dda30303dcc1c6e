"""Writes the key vocabularies of `budgetlint.catalog.vocabulary` from the frameworks' own code.

    pip download --no-deps transformers==5.24.0 trl==1.16.0 accelerate==1.15.0 llamafactory==0.9.5 axolotl==0.19.0 deepspeed==0.19.8 ...
    python benchmarks/generate_keys.py *.whl *.tar.gz

Several versions of one package give the union of their names: a name that any of them takes is known. Nothing is imported;
class bodies and constants are read with `ast`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

TARGET = Path(__file__).parents[1] / "budgetlint" / "catalog" / "keys"
Classes = dict[str, ast.ClassDef]
KEY = re.compile(r"[a-z][a-z0-9_]*")


def main(archives: Iterable[str]) -> None:
    found: dict[str, dict[str, set[str]]] = {}
    sources: dict[str, dict[str, None]] = {}
    for archive in sorted(archives):
        package, version = identity(Path(archive))
        table, collect = PACKAGES[package]
        sources.setdefault(table, {})[f"{package} {version}"] = None
        for group, names in collect(modules(Path(archive), package)).items():
            found.setdefault(table, {}).setdefault(group, set()).update(names)
    TARGET.mkdir(exist_ok=True)
    for table, groups in found.items():
        write(table, list(sources[table]), groups)


def write(table: str, sources: list[str], groups: dict[str, set[str]]) -> None:
    rows = {"sources": sources, "groups": {group: " ".join(sorted(names)) for group, names in sorted(groups.items())}}
    (TARGET / f"{table}.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def identity(archive: Path) -> tuple[str, str]:
    package, version = re.match(r"([a-z_]+)-([0-9.]+?)(?:-py|\.tar)", archive.name).groups()  # type: ignore[union-attr]
    return package, version


def modules(archive: Path, package: str) -> dict[str, ast.Module]:
    """Every module that can hold keys, by its path below the package."""
    marker = f"{package}/"
    texts = {name[name.index(marker) + len(marker) :]: text for name, text in members(archive) if marker in name}
    return {name: ast.parse(text) for name, text in texts.items() if WANTED[package].search(name)}


def members(archive: Path) -> Iterator[tuple[str, str]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".py"):
                    yield name, wheel.read(name).decode()
        return
    with tarfile.open(archive) as sdist:
        for member in sdist:
            handle = sdist.extractfile(member) if member.name.endswith(".py") else None
            if handle is not None:
                yield re.sub(r"^[^/]+/(src/)?", "", member.name), handle.read().decode()


def classes(trees: Iterable[ast.Module]) -> Classes:
    return {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


def fields(node: ast.ClassDef, aliases: bool = False) -> set[str]:
    """The annotated names of a class body, and the aliases of its pydantic fields."""
    names: set[str] = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_"):
            names.add(item.target.id)
            if aliases and isinstance(item.value, ast.Call):
                names |= {str(k.value.value) for k in item.value.keywords if k.arg == "alias" and isinstance(k.value, ast.Constant)}
    return names


def of(classes_: Classes, *names: str) -> set[str]:
    return {key for name in names if name in classes_ for key in fields(classes_[name], aliases=True)}


def transformers(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    found = classes(trees.values())
    return {"training_arguments": of(found, "TrainingArguments", "Seq2SeqTrainingArguments")}


def trl(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {"trl": set(), "trl_script": set()}
    for name, node in classes(trees.values()).items():
        script = name in ("ModelConfig", "ScriptArguments", "DatasetMixtureConfig", "DatasetConfig") or name.endswith("ScriptArguments")
        groups["trl_script" if script else "trl"] |= fields(node)
    return groups


def llamafactory(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    return {"hparams": {key for node in classes(trees.values()).values() for key in fields(node)}}


def accelerate(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    found = classes(trees[name] for name in trees if name.endswith("config_args.py"))
    top = of(found, "BaseConfig", "ClusterConfig", "SageMakerConfig") | {"fp16", "dynamo_backend", "dynamo_config", "enable_cpu_affinity"}
    flags = {word for tree in trees.values() for word in flag_names(tree)}
    return {"top": top, "launch_flags": flags}


def flag_names(tree: ast.Module) -> Iterator[str]:
    """``--zero_stage`` as ``zero_stage``: every section's key becomes the launch argument of that name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"--[a-z0-9_]+", node.value):
            yield node.value[2:]


def axolotl(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    schemas = classes(tree for name, tree in trees.items() if "schemas/" in name or "config/models/input" in name)
    nested = (
        "Dataset",
        "Pretraining",
        "UserDefined",
        "Synthetic",
        "LoftQ",
        "SpecialTokens",
        "LrGroup",
        "RoleBoundary",
        "ModelOutput",
        "Vllm",
    )
    inner = ("TRLConfig", "QATConfig", "PTQConfig", "FSDPConfig", "EBFTConfig", "DynamicCheckpointConfig", "FP8Config")
    top = {k for n, c in schemas.items() if not n.startswith(nested) and n not in inner and "Enum" not in bases(c) for k in fields(c)}
    plugins = classes(tree for name, tree in trees.items() if "integrations/" in name)
    groups = {"top": top, "plugins": {key for node in plugins.values() for key in fields(node)}}
    groups["fsdp_config"] = of(schemas, "FSDPConfig")
    groups["asked"] = asked_keys(trees)
    return groups


def bases(node: ast.ClassDef) -> set[str]:
    return {base.id for base in node.bases if isinstance(base, ast.Name)}


def asked_keys(trees: dict[str, ast.Module]) -> set[str]:
    """Names that axolotl's code asks for without a schema field: ``data.get("noisy_embedding_alpha")``, ``cfg.name``."""
    names = {name for tree in trees.values() for node in ast.walk(tree) for name in asked_by(node)}
    return {name for name in names if KEY.fullmatch(name)}


def asked_by(node: ast.AST) -> Iterator[str]:
    """``cfg.x``, ``self.cfg.x``, ``data.get("x")`` and ``data.pop("x")``."""
    if isinstance(node, ast.Attribute):
        owner = node.value
        if "cfg" in (getattr(owner, "id", ""), getattr(owner, "attr", "")):
            yield node.attr
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def deepspeed(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    constants = dict(pair for tree in trees.values() for pair in string_constants(tree))
    found = classes(trees.values())
    return {
        "top": {key for tree in trees.values() for key in top_level(tree, constants)} | of(found, "DeepSpeedMonitorConfig"),
        "asked": {
            text for name in trees if name.endswith("constants.py") for _, text in string_constants(trees[name]) if KEY.fullmatch(text)
        },
        "zero_optimization": of(found, "DeepSpeedZeroConfig"),
        "zero_optimization.offload_param": of(found, "DeepSpeedZeroOffloadParamConfig"),
        "zero_optimization.offload_optimizer": of(found, "DeepSpeedZeroOffloadOptimizerConfig"),
        "fp16": of(found, "DeepSpeedFP16Config"),
        "bf16": of(found, "DeepSpeedBF16Config"),
    }


def string_constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from ((target.id, node.value.value) for target in node.targets if isinstance(target, ast.Name))


def top_level(tree: ast.Module, constants: dict[str, str]) -> Iterator[str]:
    """Keys asked of the whole configuration: ``param_dict[X]``, ``X in param_dict``, ``get_scalar_param(param_dict, X, ...)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_config(node.value):
            yield from text_of(node.slice, constants)
        elif isinstance(node, ast.Compare) and any(is_config(side) for side in node.comparators):
            yield from text_of(node.left, constants)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args and is_config(node.args[0]):
            yield from (key for arg in node.args[1:2] for key in text_of(arg, constants))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_config(node.func.value):
            yield from (key for arg in node.args[:1] for key in text_of(arg, constants))


def is_config(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("param_dict", "_param_dict", "pd", "ds_config", "config_dict", "user_config")


def text_of(node: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    text = node.value if isinstance(node, ast.Constant) else constants.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(text, str) and KEY.fullmatch(text):
        yield text


WANTED = {
    "transformers": re.compile(r"^training_args(_seq2seq)?\.py$"),
    "trl": re.compile(r"(_config|scripts/utils|model_config)\.py$"),
    "llamafactory": re.compile(r"hparams/"),
    "accelerate": re.compile(r"commands/(launch|config/config_args)\.py$"),
    "axolotl": re.compile(r"\.py$"),
    "deepspeed": re.compile(r"\.py$"),
}
PACKAGES = {
    "transformers": ("hf", transformers),
    "trl": ("hf", trl),
    "llamafactory": ("llamafactory", llamafactory),
    "accelerate": ("accelerate", accelerate),
    "axolotl": ("axolotl", axolotl),
    "deepspeed": ("deepspeed", deepspeed),
}

if __name__ == "__main__":
    main(sys.argv[1:])

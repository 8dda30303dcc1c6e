"""Writes the key vocabularies of `budgetlint.catalog.vocabulary` from the frameworks' own code.

    pip download --no-deps transformers==5.24.0 trl==1.16.0 accelerate==1.15.0 llamafactory==0.9.5 axolotl==0.19.0 deepspeed==0.19.8 ...
    pip download --no-deps litgpt==0.5.13 torchtitan==0.2.2 ms-swift==4.6.0 peft==0.21.2 torchtune==0.6.1 ...
    python benchmarks/generate_keys.py *.whl *.tar.gz

Several versions of one package give the union of their names: a name that any of them takes is known. ``gone`` names the first of
the versions read from which on a name is unknown. Nothing is imported; class bodies and constants are read with `ast`.
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

from key_trees import KEY, asked_keys, classes, fields, of
from keys_of_trainers import litgpt, ms_swift, openrlhf, peft, torchtitan, torchtune, verl
from packaging.version import Version

TARGET = Path(__file__).parents[1] / "budgetlint" / "catalog" / "keys"


Found = dict[str, dict[str, set[Version]]]
"""The versions that know a name, by group and name."""


def main(archives: Iterable[str]) -> None:
    tables: dict[str, dict[str, Found]] = {}
    for archive in map(Path, archives):
        package, version = identity(archive)
        table, collect = PACKAGES[package]
        found = tables.setdefault(table, {}).setdefault(package, {})
        for group, names in collect(modules(archive, package)).items():
            for name in names:
                found.setdefault(group, {}).setdefault(name, set()).add(Version(version))
    TARGET.mkdir(exist_ok=True)
    for table, packages in tables.items():
        write(table, packages)


def write(table: str, packages: dict[str, Found]) -> None:
    read = {package: sorted({v for names in found.values() for vs in names.values() for v in vs}) for package, found in packages.items()}
    groups: dict[str, set[str]] = {}
    for found in packages.values():
        for group, names in found.items():
            groups.setdefault(group, set()).update(names)
    rows: dict[str, object] = {
        "sources": [f"{package} {version}" for package, versions in sorted(read.items()) for version in versions],
        "groups": {group: " ".join(sorted(names)) for group, names in sorted(groups.items())},
    }
    if len(packages) == 1:
        ((package, found),) = packages.items()
        rows["gone"] = dict(gone(found, read[package]))
    (TARGET / f"{table}.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def gone(found: Found, versions: list[Version]) -> Iterator[tuple[str, str]]:
    """``name=version`` for each name that the newest version does not know."""
    for group, names in sorted(found.items()):
        last = {name: max(known) for name, known in sorted(names.items()) if max(known) < versions[-1]}
        yield group, " ".join(f"{name}={versions[versions.index(version) + 1]}" for name, version in last.items())


def identity(archive: Path) -> tuple[str, str]:
    package, version = re.match(r"([a-z_]+)-([0-9.]+?(?:post[0-9]+)?)(?:-py|-cp|\.tar)", archive.name).groups()  # type: ignore[union-attr]
    return package, version


def modules(archive: Path, package: str) -> dict[str, ast.Module]:
    """Every module that can hold keys, by its path below the package; a YAML file as the list of its keys: those at its top, or all."""
    marker = FOLDERS.get(package, f"{package}/")
    texts = {name[name.index(marker) + len(marker) :]: text for name, text in members(archive) if marker in name}
    return {
        name: ast.parse(text if name.endswith(".py") else keys_of(text, package in DEEP))
        for name, text in texts.items()
        if WANTED[package].search(name)
    }


def keys_of(yaml: str, deep: bool) -> str:
    return repr(re.findall(rf"^{'[ -]*' if deep else ''}([A-Za-z_][A-Za-z0-9_]*):", yaml, re.MULTILINE))


def members(archive: Path) -> Iterator[tuple[str, str]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith((".py", ".yaml")):
                    yield name, wheel.read(name).decode()
        return
    with tarfile.open(archive) as sdist:
        for member in sdist:
            handle = sdist.extractfile(member) if member.name.endswith(".py") else None
            if handle is not None:
                yield re.sub(r"^[^/]+/(src/)?", "", member.name), handle.read().decode()


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
    "litgpt": re.compile(r"^(args|pretrain|finetune/\w+)\.py$"),
    "torchtitan": re.compile(r"(^config_manager|job_config|custom_args)\.py$"),
    "ms_swift": re.compile(r"(^|_|/)(arguments?|args|args_mixin)(/.*)?\.py$|/arguments?/"),
    "peft": re.compile(r"^(tuners/.*|config|utils/config)(\.py)$"),
    "torchtune": re.compile(r"^(configs/.*\.yaml|(dev/)?\w+\.py)$"),
    "verl": re.compile(r"^(trainer/config/.*\.yaml|.*\.py)$"),
    "openrlhf": re.compile(r"^cli/\w+\.py$"),
}
FOLDERS = {"ms_swift": "swift/", "torchtune": "recipes/"}
"""Where a wheel keeps what is read, if not under the package's name."""
DEEP = ("verl",)
"""Packages whose YAML files are trees."""
PACKAGES = {
    "transformers": ("hf", transformers),
    "trl": ("hf", trl),
    "llamafactory": ("llamafactory", llamafactory),
    "accelerate": ("accelerate", accelerate),
    "axolotl": ("axolotl", axolotl),
    "deepspeed": ("deepspeed", deepspeed),
    "litgpt": ("litgpt", litgpt),
    "torchtitan": ("torchtitan", torchtitan),
    "ms_swift": ("ms_swift", ms_swift),
    "peft": ("peft", peft),
    "torchtune": ("torchtune", torchtune),
    "verl": ("verl", verl),
    "openrlhf": ("openrlhf", openrlhf),
}

if __name__ == "__main__":
    main(sys.argv[1:])

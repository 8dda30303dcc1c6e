"""Writes the chat template that LLaMA-Factory registers for each chat model, `budgetlint/catalog/model_templates.json`.

    python benchmarks/templates_of_models.py llamafactory-0.8.3-py3-none-any.whl ... llamafactory-0.9.5-py3-none-any.whl

Read from ``extras/constants.py`` ``register_model_group`` with `ast`; a model that releases register with different templates has all.
Which names count as chat models is that function's own condition.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).parents[1] / "budgetlint" / "catalog" / "model_templates.json"
CHAT = ("-Chat", "-Distill", "-Instruct", "-Thinking")


def main(wheels: list[str]) -> None:
    found: dict[str, set[str]] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            tree = ast.parse(archive.read("llamafactory/extras/constants.py"))
        for template, model in registered(tree):
            found.setdefault(template, set()).add(model.lower())
    releases = [re.search(r"-([0-9.]+)-py", wheel)[1] for wheel in wheels]  # type: ignore[index]
    table = {"sources": [f"llamafactory {release}" for release in releases]}
    table["templates"] = {name: " ".join(sorted(models)) for name, models in sorted(found.items())}  # type: ignore[assignment]
    TARGET.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def registered(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Pairs of a template and a hub id."""
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "register_model_group":
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        template, models = given.get("template"), given["models"]
        multimodal = any(isinstance(given.get(name), ast.Constant) and given[name].value for name in ("multimodal", "vision"))  # type: ignore[attr-defined]
        if not isinstance(template, ast.Constant) or template.value is None or not isinstance(models, ast.Dict):
            continue
        for key, paths in zip(models.keys, models.values, strict=True):
            if isinstance(key, ast.Constant) and (multimodal or any(suffix in str(key.value) for suffix in CHAT)):
                yield from (
                    (str(template.value), one.value) for one in ast.walk(paths) if isinstance(one, ast.Constant) and "/" in str(one.value)
                )


if __name__ == "__main__":
    main(sys.argv[1:])

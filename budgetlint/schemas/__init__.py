"""JSON Schemas (draft 2020-12) of what budgetlint writes and reads, and of training configs.

``python -m budgetlint.schemas docs/schemas`` writes them all; a test fails while the folder differs. They name no ``$id``: an
address is given by whoever publishes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from budgetlint.schemas.frameworks import framework_schema, with_schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def _report(name: str) -> Schema:
    found: Schema = json.loads((files("budgetlint.schemas") / "reports" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _budget() -> Schema:
    from budgetlint.language.export import json_schema

    return {**json_schema(), "title": "a budget, as budgetlint fmt --format json exports it"}


def _settings() -> Schema:
    from budgetlint.config.schema import json_schema

    return {**json_schema(), "title": "[tool.budgetlint] of pyproject.toml"}


def _policy() -> Schema:
    from budgetlint.config.policy_schema import policy_json_schema

    return {**policy_json_schema(), "title": "a policy, as budgetlint check --policy FILE reads it"}


def _run_settings() -> Schema:
    """With the names of today's vocabulary."""
    from budgetlint.settings.run import OriginKind
    from budgetlint.settings.vocabulary import SETTINGS

    schema = _report("run-settings")
    fields = schema["$defs"]["setting"]["properties"]
    fields["name"]["enum"] = list(SETTINGS)
    fields["origin"]["enum"] = [*(kind.value for kind in OriginKind), None]
    return schema


_OWN: Mapping[str, Callable[[], Schema]] = {"budget": _budget, "settings": _settings, "policy": _policy, "run-settings": _run_settings}
REPORTS = ("check", "estimate", "files", "rule", "solve", "waivers", "why")


def schemas() -> dict[str, Schema]:
    """Every schema by its name."""
    found = {name: make() for name, make in _OWN.items()}
    found |= {name: _report(name) for name in REPORTS}
    found |= {name: framework_schema(name) for name in with_schemas()}
    return {name: {"$schema": DIALECT, **schema} for name, schema in found.items()}


def pages() -> dict[str, str]:
    """The files of the folder."""
    return {f"{name}.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n" for name, schema in schemas().items()}

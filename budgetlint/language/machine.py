"""The hardware statements of a scope as a `Target`."""

from __future__ import annotations

from budgetlint.base.units import Amount
from budgetlint.language.budget import Reserve, Target
from budgetlint.language.check import Checked
from budgetlint.language.device_spec import device_spec
from budgetlint.language.judgement import origin
from budgetlint.language.problems import Problems
from budgetlint.language.scopes import Scope
from budgetlint.settings.run import Settings

KEYWORDS = ("device", "nodes", "host", "reserve")


def machine(scope: Scope, name: str | None, settings: Settings, problems: Problems) -> Target:
    device, nodes, host = scope.one("device"), scope.one("nodes"), scope.one("host")
    nodes_given, host_given = nodes.first if nodes else None, host.first if host else None
    pinned = host.option("pinned") if host else None
    return Target(
        name,
        device_spec(device, problems) if device else None,
        nodes_given.value if nodes_given else None,
        _reserve(scope.one("reserve")),
        host_given.value.bytes if host_given else None,
        pinned.bytes if pinned else None,
        origin(host, host_given.span) if host and host_given else None,
        origin(nodes, nodes_given.span) if nodes and nodes_given else None,
        settings,
    )


def _reserve(checked: Checked | None) -> Reserve | None:
    given = checked.first if checked else None
    if checked is None or given is None:
        return None
    where = origin(checked, given.span)
    if isinstance(given.value, Amount):
        return Reserve(given.value.bytes, None, given.text, where, given.value.unit)
    return Reserve(None, given.value, given.text, where, "%")

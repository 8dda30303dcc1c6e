"""What is known of configs that a program of the project reads: that they are."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest

MANIFEST = Manifest("program_config", (Format("program_config", "configs of a project's own programs"),), documents=("program_config",))

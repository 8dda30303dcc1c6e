"""What is known of the launchers beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest

MANIFEST = Manifest("launcher", (Format("launcher", "Launchers"),), documents=("shell",))

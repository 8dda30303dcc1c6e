"""What is known of OLMo-core beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest

MANIFEST = Manifest("olmo_core", (Format("olmo_core", "OLMo-core"),), documents=("shell",), model_code="olmo-core")

"""What is known of a model's config.json beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, names

MANIFEST = Manifest(
    "model_config",
    (Format("model_config", "Model configs"),),
    documents=names("json yaml"),
    top=names("architectures model_type num_hidden_layers"),
)

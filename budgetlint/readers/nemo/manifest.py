"""What is known of NeMo beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, names

MANIFEST = Manifest(
    "nemo",
    (Format("nemo", "NeMo"),),
    documents=names("yaml shell"),
    top=names("exp_manager policy defaults trainer run train_settings inference_settings model strategy data optim"),
)

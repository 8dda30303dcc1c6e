"""What is known of oumi beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, Tool

MANIFEST = Manifest(
    "oumi",
    (Format("oumi", "oumi"),),
    top=("training",),
    marks_flags=True,
    programs=(Program(r"oumi \S+", "oumi", "TrainingConfig", "oumi 0.7"),),
    tools=(Tool("oumi", ("train",), modules={"oumi": ""}),),
    packages=(Package("oumi"),),
)

"""What is known of XTuner beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, Tool, names

MANIFEST = Manifest(
    "xtuner",
    (Format("xtuner", "XTuner"),),
    documents=names("python shell"),
    programs=(Program(r"xtuner \S+", "xtuner", "mmengine Config", "XTuner 0.2"),),
    tools=(Tool("xtuner", ("train",)),),
    packages=(Package("xtuner"),),
)

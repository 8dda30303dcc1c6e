"""What is known of training scripts in Python beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest

MANIFEST = Manifest(
    "python_script",
    (
        Format("python_script", "Python scripts", one_process=True),
        Format("python_trl_script", "Python scripts", one_process=True),
        Format("python_loop", "Python scripts", one_process=True),
    ),
    documents=("python",),
)

"""What is known of the Lightning CLI beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, names

MANIFEST = Manifest(
    "lightning",
    (Format("lightning", "Lightning"),),
    top=names("trainer fit"),
    marks_flags=True,
    packages=(Package("lightning", modules=()),),
)

"""What is known of PEFT beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, names

MANIFEST = Manifest(
    "peft_config",
    (Format("peft_adapter_config", "PEFT"),),
    documents=("json",),
    top=names("peft_type lora_alpha"),
    telling_large=("lora_alpha",),
    packages=(Package("peft"),),
)

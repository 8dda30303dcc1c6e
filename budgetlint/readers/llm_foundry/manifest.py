"""What is known of LLM Foundry beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program, names

MANIFEST = Manifest(
    "llm_foundry",
    (Format("llm_foundry", "LLM Foundry"),),
    documents=names("json yaml"),
    top=names("train_loader icl_tasks parameters"),
    programs=(Program(r"llmfoundry[/.].*", "llm_foundry", "OmegaConf", "llm-foundry 0.22 cli"),),
    packages=(Package("llm-foundry", modules=("llmfoundry",)),),
    model_code="llm-foundry",
)

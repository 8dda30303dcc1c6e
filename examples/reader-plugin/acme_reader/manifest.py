"""What is known of it beside how its files are read."""

from budgetlint.reader import Format, Manifest, Package, Program, Tool

MANIFEST = Manifest(
    "acme",
    (
        Format(
            "acme",
            "Acme",
            spellings={"micro_batch": "fit.batch", "seq_len": "fit.context", "recompute": "fit.gradient_checkpointing"},
            one_process=True,
        ),
    ),
    reader="acme_reader.reader",
    documents=("yaml",),
    top=("fit",),
    programs=(Program(r"acme-train \S+", "acme", "FitConfig", "acme-train 3.1 cli.py"),),
    tools=(Tool("acme-train", ("fit",)),),
    packages=(Package("acme-train", modules=("acme",)),),
)

"""What is known of training scripts in Python beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Patch, names

_KERNELS = "unsloth 2026.10 kernels/: rms_layernorm, rope_embedding, swiglu, fast_lora; the loss as of its own row"

MANIFEST = Manifest(
    "python_script",
    (
        Format("python_script", "Python scripts", arguments="transformers", one_process=True),
        Format("python_trl_script", "Python scripts", arguments="trl", one_process=True),
        Format("python_loop", "Python scripts", one_process=True),
    ),
    documents=("python",),
    patches=(
        Patch(
            "unsloth",
            "loss",
            "unsloth kernels/cross_entropy_loss.py: head and loss in one from 2024.11.8, the gradient over the logits before",
            "fused",
            since="2024.11.8",  # 2024.8 to 2024.11.7: models/llama.py keeps the logits in the model's dtype
            before="in-place-copied",
        ),
        Patch(
            "unsloth",
            "kernels",
            _KERNELS,
            names("rms_norm rope swiglu linear_cross_entropy lora"),
            since="2024.11.8",
            before=names("rms_norm rope swiglu cross_entropy lora"),
        ),
        Patch(  # max_seq_length of from_pretrained, where the trainer has none or a longer one
            "unsloth",
            "seq_len",
            "unsloth 2025.2.6 and 2025.6.1 models/rl.py: written into each TRL trainer; not in the release before 2025.2.6",
            since="2025.2.6",
        ),
    ),
)

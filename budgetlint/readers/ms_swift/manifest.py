"""What is known of ms-swift beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import CONVERTS, EVALUATES, SERVES, Format, Idle, Manifest, Package, Program, Tool, names
from budgetlint.readers.hf.manifest import TRAINING_ARGUMENTS

_TRAINS = names("sft pt rlhf")

MANIFEST = Manifest(
    "ms_swift",
    (
        Format(
            "ms_swift",
            "ms-swift",
            spellings={**TRAINING_ARGUMENTS, "seq_len": "max_length"},
            liger_key=True,
            ends_at_positions=True,  # ms-swift 3.5.3 llm/template/base.py init_processor: max_length is max_model_len where none is given
        ),
    ),
    top=names("tuner_type train_type sft_type rlhf_type"),
    programs=(Program(r"(swift|megatron) \S+", "ms_swift", "arguments/", "ms-swift 4.6"),),
    tools=(
        Tool(
            "swift",
            _TRAINS,
            modules={"swift.cli.main": "", "swift.cli.sft": "sft", "swift.cli.rlhf": "rlhf", "swift.cli.pt": "pt"},
            scripts={
                "swift/cli/sft.py": "sft",
                "llm_sft.py": "sft",
                "llm_pt.py": "pt",
                "llm_dpo.py": "rlhf",
                "swift/cli/rlhf.py": "rlhf",
                "swift/cli/pt.py": "pt",
            },
        ),
        Tool("megatron", _TRAINS),
    ),
    idle=(
        Idle(r"swift\.cli\.eval", EVALUATES, "ms-swift 4.6 cli/eval.py"),
        Idle(r"swift\.cli\.(export|merge_lora)", CONVERTS, "ms-swift 4.6 cli/"),
        Idle(r"swift\.cli\.(infer|deploy|app|rollout)", SERVES, "ms-swift 4.6 cli/"),
    ),
    packages=(Package("ms-swift", modules=("swift",)),),
)

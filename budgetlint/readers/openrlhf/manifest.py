"""What is known of OpenRLHF beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import CONVERTS, SERVES, Format, Idle, Manifest, Package, Program

MANIFEST = Manifest(
    "openrlhf",
    (Format("openrlhf", "OpenRLHF", by_ray=True),),  # openrlhf 0.8.5 cli/train_ppo_ray.py actor_num_nodes x actor_num_gpus_per_node
    documents=("shell",),
    programs=(Program(r"openrlhf\..*", "openrlhf", "argparse", "OpenRLHF 0.8 cli/"),),
    idle=(
        Idle(r"openrlhf\.cli\.lora_combiner", CONVERTS, "OpenRLHF 0.8 cli/lora_combiner.py"),
        Idle(r"openrlhf\.cli\.(serve_rm|batch_inference|interactive_chat)", SERVES, "OpenRLHF 0.8 cli/"),
    ),
    packages=(Package("openrlhf"),),
)

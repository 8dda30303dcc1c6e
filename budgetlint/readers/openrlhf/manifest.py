"""What is known of OpenRLHF beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Manifest, Package, Program

MANIFEST = Manifest(
    "openrlhf",
    (Format("openrlhf", "OpenRLHF", by_ray=True),),  # openrlhf 0.8.5 cli/train_ppo_ray.py actor_num_nodes x actor_num_gpus_per_node
    documents=("shell",),
    programs=(Program(r"openrlhf\..*", "openrlhf", "argparse", "OpenRLHF 0.8 cli/"),),
    packages=(Package("openrlhf"),),
)

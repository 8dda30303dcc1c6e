"""What is known of verl beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import HYDRA, Format, Manifest, Package, Program, names

MANIFEST = Manifest(
    "verl",
    (Format("verl", "verl", by_ray=True),),  # verl 0.6.1 trainer.nnodes
    documents=names("yaml shell"),
    top=names("actor_rollout_ref trainer"),
    text="verl.",
    telling_large=("actor_rollout_ref",),
    programs=(Program(r"verl(\..*|/(\w+/)*\w+\.py)", "verl", HYDRA, "verl trainer/main_ppo.py, trainer/fsdp_sft_trainer.py"),),
    packages=(Package("verl", version_files={"version/version": "text"}),),
)

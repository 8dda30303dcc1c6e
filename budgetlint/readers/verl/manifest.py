"""What is known of verl beside how its files are read."""

from __future__ import annotations

from budgetlint.frameworks.manifest import CONVERTS, EVALUATES, HYDRA, SERVES, Format, Idle, Manifest, Package, Program, names

MANIFEST = Manifest(
    "verl",
    (Format("verl", "verl", by_ray=True),),  # verl 0.6.1 trainer.nnodes
    documents=names("yaml shell"),
    top=names("actor_rollout_ref trainer"),
    text="verl.",
    telling_large=("actor_rollout_ref",),
    programs=(Program(r"verl(\..*|/(\w+/)*\w+\.py)", "verl", HYDRA, "verl trainer/main_ppo.py, trainer/fsdp_sft_trainer.py"),),
    idle=(
        Idle(r"verl\.trainer\.main_eval", EVALUATES, "verl 0.6 trainer/main_eval.py"),
        Idle(r"verl\.model_merger(\.\w+)*", CONVERTS, "verl 0.6 model_merger/"),
        Idle(r"verl\.trainer\.main_generation(_server)?", SERVES, "verl 0.6 trainer/"),
        Idle(
            r"verl\.trainer\.main_ppo",
            EVALUATES,
            "verl 0.2 to 0.9 trainer/ppo/ray_trainer.py fit: returns behind the first validation",
            when=("trainer.val_only",),
            but=("trainer.val_before_train",),
        ),
    ),
    packages=(Package("verl", version_files={"version/version": "text"}),),
)

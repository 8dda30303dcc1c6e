"""What a TRL run trains, told by the fields that only one trainer's config has.

Source: TRL 0.19.1 and 1.16.0 ``trainer/*_config.py``. DPO, ORPO, KTO and CPO share ``beta``; there the names of the run help.
"""

from __future__ import annotations

from budgetlint.readers.base import Raw, names
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting

_DISTILS = (
    "teacher_model_name_or_path", "teacher_model_kind", "teacher_model_server_url", "use_teacher_server", "lmbda", "seq_kd", "use_uld_loss",
    "distillation_alpha", "distillation_mode", "distillation_objective",
)  # fmt: skip
"""Fields of the trainers that learn from a teacher (GKD, GOLD, MiniLLM, SDFT, SDPO, IW-OPD: TRL 1.16.0 ``experimental/*/*_config.py``).
They come before GRPO's, whose ``num_generations`` and ``reward_weights`` several of them have, with other bounds."""
_TELLING: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ppo", ("num_ppo_epochs", "cliprange", "whiten_rewards", "vf_coef", "kl_coef", "rloo_k")),
    ("other", _DISTILS),
    (
        "grpo",
        (
            "num_generations",
            "reward_funcs",
            "reward_weights",
            "scale_rewards",
            "mask_truncated_completions",
            "num_iterations",
            "epsilon_high",
            "steps_per_generation",
        ),
    ),
    ("kto", ("desirable_weight", "undesirable_weight")),
    ("other", ("cpo_alpha", "simpo_gamma", "gamma_beta_ratio", "mixture_coef", "tpo_alpha", "tpo_l_gamma")),
    (
        "dpo",
        ("precompute_ref_log_probs", "rpo_alpha", "f_divergence_type", "reference_free", "sync_ref_model", "dpo_beta", "dpo_loss_type"),
    ),
    ("reward", ("center_rewards_coefficient",)),
    ("sft", ("packing", "eval_packing", "completion_only_loss", "assistant_only_loss", "dataset_text_field", "max_seq_length")),
)
_LOSSES = {
    "dpo": names("sigmoid hinge ipo robust exo_pair nca_pair bco_pair sppo_hard aot aot_pair apo_zero apo_down discopop"),
    "grpo": names("grpo bnpo dr_grpo dapo cispo"),
    "sft": names("nll dft chunked_nll"),
}
"""Values of ``loss_type`` that one trainer takes (KTO has its own keys too)."""
_NOT_SFT = (
    "max_prompt_length", "max_completion_length", "truncation_mode", "use_vllm", "vllm_mode", "vllm_gpu_memory_utilization",
    "vllm_server_host", "vllm_device", "log_completions",
)  # fmt: skip
"""Fields of several trainers, but not of SFT's (TRL 0.16.0: prompts of DPO, KTO, ORPO, CPO, GRPO; vLLM of GRPO and online DPO): the task is
one of theirs, and which one nothing says."""
_PREFERENCE = ("orpo", "kto", "dpo")
_RUN_NAMES = ("output_dir", "hub_model_id", "run_name")


def read_task(look: Lookup) -> list[Setting]:
    """``task``, with the key that tells it as its origin; unresolved where it only tells that it is not
    SFT; nothing where no key does (then the default is SFT)."""
    for task, keys in _TELLING:
        raw = look.raw(*keys)
        if raw is not None:
            return [Setting("task", task, raw.origin, raw.path)]
    return _by_loss(look) or _by_beta(look) or _unresolved(look)


def _unresolved(look: Lookup) -> list[Setting]:
    raw = look.raw(*_NOT_SFT)
    return [Setting("task", None, raw.origin, raw.path, "symbolic")] if raw is not None else []


def without_reference(look: Lookup) -> list[Setting]:
    """No frozen model stands beside the policy: its log-probabilities are computed before, or the loss needs none (TRL 1.16
    ``dpo_config.py`` precompute_ref_log_probs, reference_free)."""
    for key in ("precompute_ref_log_probs", "reference_free"):
        raw = look.raw(key)
        if raw is not None and raw.text.lower() == "true":
            return [Setting("reference_model", "none", raw.origin, raw.path)]
    return []


def _by_loss(look: Lookup) -> list[Setting]:
    loss = look.raw("loss_type")
    task = next((task for task, losses in _LOSSES.items() if loss and loss.text in losses), None)
    return [Setting("task", task, loss.origin, loss.path)] if loss and task else []


def _by_beta(look: Lookup) -> list[Setting]:
    beta = look.raw("beta")
    return [Setting("task", _preference(look), beta.origin, beta.path)] if beta else []


def _preference(look: Lookup) -> str:
    names = " ".join(raw.text.lower() for raw in _run_names(look))
    return next((task for task in _PREFERENCE if task in names), "dpo")


def _run_names(look: Lookup) -> list[Raw]:
    return [raw for raw in (look.raw(name) for name in _RUN_NAMES) if raw is not None]

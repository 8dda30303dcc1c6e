"""The frameworks whose configs are trees or flags of a program: nothing of them is one class."""

from __future__ import annotations

from .sources import Contract, Source, Walked

_VERL = "actor_rollout_ref."
_VERL_BASE = {
    f"{_VERL}actor.ppo_micro_batch_size_per_gpu": 8,
    f"{_VERL}ref.log_prob_micro_batch_size_per_gpu": 8,
    f"{_VERL}rollout.log_prob_micro_batch_size_per_gpu": 8,
    f"{_VERL}rollout.name": "vllm",
    f"{_VERL}model.path": "model",
    "critic.ppo_micro_batch_size_per_gpu": 8,
}
_VERL_CHECKS = "validate_config(config, need_reference_policy(config), need_critic(config))"


def _verl(name: str, config: str) -> Contract:
    return Contract(
        name,
        {"config": ()},
        (Walked("verl.trainer.main_ppo", {"config": "config"}, code=_VERL_CHECKS),),
        "verl",
        config,
        _VERL_BASE,
        as_given=("config",),
        config=f"verl/trainer/config/_generated_{config}.yaml",
        makes=("omega_conf_to_dataclass",),
        without=("profiler", "global_profiler", "tool_config"),
    )


VERL = Source("verl", (_verl("main_ppo", "ppo_trainer"), _verl("main_ppo with Megatron", "ppo_megatron_trainer")))


_RLHF = {
    "train_sft": {"model.model_name_or_path": "model", "data.dataset": "data", "pretrain": "model", "dataset": "data"},
    "train_dpo": {"model.model_name_or_path": "model", "data.dataset": "data", "pretrain": "model", "dataset": "data"},
    "train_rm": {"model.model_name_or_path": "model", "data.dataset": "data", "pretrain": "model", "dataset": "data"},
    "train_ppo_ray": {
        "actor.model_name_or_path": "model",
        "reward.model_name_or_path": "model",
        "data.prompt_dataset": "data",
        "pretrain": "model",
        "reward_pretrain": "model",
        "prompt_data": "data",
    },
}
"""In the words of both styles: flags with dots since 0.10."""


def _openrlhf(name: str) -> Contract:
    module = f"openrlhf.cli.{name}"
    made = {"parser.parse_args": ("args",), "hierarchize": ("args",)}
    return Contract(name, {"args": ()}, (Walked(module, parsed=made, code="__main__"),), "openrlhf", module, _RLHF[name], parser=module)


OPENRLHF = Source("openrlhf", tuple(_openrlhf(name) for name in _RLHF))

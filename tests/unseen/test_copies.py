"""A copy of a framework in the repository: its own version decides what is filled in, and its own config what the command changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import Judged

PROGRAM = "import hydra\n\n@hydra.main(config_path='config', config_name='ppo_trainer', version_base=None)\ndef main(config):\n    ...\n"
READS_A_FILE = "with open(os.path.join(version_folder, 'version/version')) as f:\n    __version__ = f.read().strip()\n"
CONFIG = """\
data: {max_prompt_length: 512, max_response_length: 512}
actor_rollout_ref:
  hybrid_engine: True
  model: {path: ~/models/deepseek-llm-7b-chat, use_remove_padding: False, enable_gradient_checkpointing: False}
  actor:
    strategy: fsdp
    ppo_micro_batch_size: 64
    use_remove_padding: ${actor_rollout_ref.model.use_remove_padding}
    grad_clip: 1.0
    optim: {lr: 1e-6}
  rollout: {name: vllm, gpu_memory_utilization: 0.4, response_length: "${data.max_response_length}"}
algorithm: {adv_estimator: gae}
trainer: {nnodes: 1, n_gpus_per_node: 8}
"""
COMMAND = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B "
    "actor_rollout_ref.actor.ppo_micro_batch_size=16 data.max_response_length=1024 actor_rollout_ref.actor.use_kl_loss=True\n"
)


def verl(top: str = "", version: str = "0.1") -> dict[str, str]:
    return {
        f"{top}verl/__init__.py": READS_A_FILE,
        f"{top}verl/version/version": version,
        f"{top}verl/trainer/main_ppo.py": PROGRAM,
        f"{top}verl/trainer/config/ppo_trainer.yaml": CONFIG,
    }


@dataclass(frozen=True)
class Case:
    """``stack`` as it is told; ``settings`` of the one run: a value, or a word of certainty; ``at``: where a setting stands."""

    files: dict[str, str]
    stack: str
    settings: dict[str, object] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)


OF_THE_COPY = {"recompute": "none", "micro_batch": 2, "rollout_memory": 0.4, "max_grad_norm": 1.0, "model": "Qwen/Qwen2.5-0.5B"}
FACTORY = "llamafactory-cli train a.yaml\n"
TUNED = (
    "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nfinetuning_type: lora\ndataset: d\ntemplate: qwen\noutput_dir: o\n"
    "per_device_train_batch_size: 1\n"
)
NAMED = (
    'def _fetch_package_name():\n    return "openrlhf-nightly" if _is_nightly() else "openrlhf"\n\n\nsetup(name=_fetch_package_name())\n'
)
RAY = "python3 -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-0.5B --init_kl_coef 0 --colocate_all_models --vllm_num_engines 1\n"
SETUP = 'from setuptools import setup\nsetup(\n    name="{}",\n    version="0.12.0",\n)\n'
TRL_0_12 = "trl@0.12.0 accelerate>=0.34.0 transformers>=4.46.0"
TRL_0_24 = "trl@0.24.0 accelerate>=1.4.0 transformers>=4.56.1"
"""With what its METADATA asks for."""
TRL = "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B --dataset_name d --output_dir o --max_length 512\n"

CASES = {
    "verl beside the script": Case(
        {"examples/run.sh": COMMAND, **verl()},
        "verl@0.1",
        {**OF_THE_COPY, "reference_offload": "none", "reward_model": None},
        {"recompute": "verl/trainer/config/ppo_trainer.yaml", "micro_batch": "examples/run.sh"},
    ),
    "verl in a folder above the script": Case({"training/examples/run.sh": COMMAND, **verl("training/")}, "verl@0.1", OF_THE_COPY),
    "verl in a checkout of its own": Case({"run.sh": COMMAND, **verl("third_party/verl/")}, "verl@0.1", OF_THE_COPY),
    "the program by its path": Case(
        {"run.sh": COMMAND.replace("-m verl.trainer.main_ppo", "verl/trainer/main_ppo.py"), **verl()}, "verl@0.1", OF_THE_COPY
    ),
    "another config of the copy": Case(
        {
            "run.sh": COMMAND.replace("main_ppo ", "main_ppo --config-name=small "),
            **verl(),
            "verl/trainer/config/small.yaml": CONFIG.replace("0.4", "0.3"),
        },
        "verl@0.1",
        {**OF_THE_COPY, "rollout_memory": 0.3},
    ),
    "from 0.2 on models beside the actor are on the host": Case(
        {"run.sh": COMMAND, **verl(version="0.3.0.post1")}, "verl@0.3.0.post1", {**OF_THE_COPY, "reference_offload": "cpu"}
    ),
    "what is under development may be anything up to its release": Case(
        {"run.sh": COMMAND, **verl(version="0.3.1.dev\n")}, "verl>=0.3.1.dev0,<=0.3.1", OF_THE_COPY
    ),
    "a trainer of one's own, made after verl's": Case(
        {
            "run.sh": COMMAND.replace("-m verl.trainer.main_ppo", "-m mine.trainer.main_mine"),
            "mine/trainer/main_mine.py": PROGRAM.replace("ppo_trainer", "mine"),
            "mine/trainer/config/mine.yaml": CONFIG,
        },
        "unknown",
        {"recompute": "none", "rollout_memory": 0.4, "rollout_engine": "vllm", "max_grad_norm": 1.0, "model": "Qwen/Qwen2.5-0.5B"},
        {"recompute": "mine/trainer/config/mine.yaml"},
    ),
    "a trainer of one's own whose config is not here": Case(
        {
            "run.sh": COMMAND.replace("-m verl.trainer.main_ppo", "-m mine.trainer.main_mine"),
            "mine/trainer/main_mine.py": PROGRAM.replace("ppo_trainer", "mine"),
        },
        "unknown",
        {"recompute": "full", "rollout_memory": 0.5},
    ),
    "no copy": Case({"run.sh": COMMAND}, "unknown", {"recompute": "full", "rollout_memory": 0.5, "reference_offload": "cpu"}),
    "a copy without its config": Case(
        {"run.sh": COMMAND, "verl/__init__.py": "__version__ = '0.1'\n"}, "verl@0.1", {"recompute": "none", "rollout_memory": 0.5}
    ),
    "a version that is no version": Case(
        {"run.sh": COMMAND, "verl/__init__.py": "__version__ = 'mine'\n"}, "unknown", {"recompute": "full"}
    ),
    "LLaMA-Factory's own place": Case(
        {"run.sh": FACTORY, "a.yaml": TUNED, "src/llamafactory/__init__.py": "from .extras.env import VERSION\n\n__version__ = VERSION\n",
         "src/llamafactory/extras/env.py": 'VERSION = "0.9.0"\n'},
        "llamafactory@0.9.0",
        {"seq_len": 1024},
    ),
    "older than the tables": Case(
        {"run.sh": FACTORY, "a.yaml": TUNED, "LLaMA-Factory/src/llmtuner/__init__.py": '__version__ = "0.6.2"\n'},
        "llamafactory@0.6.2",
        {"micro_batch": 1, "adapter": "lora", "seq_len": "unresolved", "lora_r": "unresolved", "weights_dtype": "unresolved"},
    ),
    "setup.py of the package says it": Case(
        {"run.sh": TRL, "trl/__init__.py": "", "setup.py": SETUP.format("trl")},
        TRL_0_12,
        {"recompute": "none"},
    ),
    "setup.py of something else": Case(
        {"run.sh": TRL, "trl/__init__.py": "", "setup.py": SETUP.format("mine")},
        "unknown",
    ),
    "pyproject of the package says it": Case(
        {"run.sh": TRL, "src/trl/__init__.py": "", "pyproject.toml": '[project]\nname = "trl"\nversion = "0.12.0"\n'}, TRL_0_12
    ),
    "a pin says that another is installed": Case(
        {"run.sh": TRL, "trl/__init__.py": '__version__ = "0.12.0"\n', "requirements.txt": "trl==0.24.0\n"}, TRL_0_24
    ),
    "a bound says nothing": Case(
        {"run.sh": TRL, "trl/__init__.py": '__version__ = "0.12.0"\n', "requirements.txt": "trl>=0.9\n"}, TRL_0_12
    ),
    "python -m takes the folder it stands in": Case(
        {"run.sh": COMMAND, **verl(), "requirements.txt": "verl==0.5.0\n"}, "verl@0.1", {"reference_offload": "none"}
    ),
    "a name that setup.py works out, and a text of the version": Case(
        {"RAG/run.sh": RAY, "RAG/openrlhf/__init__.py": "", "RAG/setup.py": NAMED, "RAG/version.txt": "0.5.5.post2\n"},
        "openrlhf@0.5.5.post2",
        {"rollout_memory": 0.9, "reference_model": "policy"},
    ),
    "a later text of the version": Case(
        {"run.sh": RAY, "openrlhf/__init__.py": "", "setup.py": NAMED, "version.txt": "0.6.4\n"},
        "openrlhf@0.6.4",
        {"rollout_memory": 0.95, "reference_model": "none"},
    ),
    "another name that setup.py works out": Case(
        {"run.sh": RAY, "openrlhf/__init__.py": "", "setup.py": NAMED.replace('"openrlhf"', '"mine"'), "version.txt": "0.6.4\n"},
        "unknown",
    ),
    "two copies": Case(
        {"run.sh": TRL, "one/trl/__init__.py": '__version__ = "0.12.0"\n', "two/trl/__init__.py": '__version__ = "0.24.0"\n'}, "unknown"
    ),
}  # fmt: skip


def told(found: Judged, name: str) -> object:
    (context,) = found.runs
    setting = context.setting(name)
    return None if setting is None else setting.value if setting.known else setting.certainty


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_copy_is_what_it_says(case: Case) -> None:
    found = judge_texts(case.files, budget="device 80GiB")
    (context,) = found.runs
    assert str(context.run.stack) == case.stack
    assert {name: told(found, name) for name in case.settings} == case.settings
    for name, path in case.at.items():
        setting = context.setting(name)
        assert setting is not None
        assert setting.origin.location is not None
        assert setting.origin.location.file == path


def test_the_defaults_of_a_copy_are_nobodys_run() -> None:
    assert judge_texts(verl(), budget="device 80GiB").runs == ()
    named = judge_texts({**verl(), "b.budget": "config verl/trainer/config/ppo_trainer.yaml kind=verl\ndevice 80GiB\n"})
    assert len(named.runs) == 1


def test_what_is_too_old_is_told() -> None:
    (context,) = judge_texts(CASES["older than the tables"].files).runs
    setting = context.setting("lora_r")
    assert setting is not None
    assert str(setting.origin) == "llamafactory 0.6.2 is older than the defaults that are known, from 0.9 on"

"""RL runs: what is held while rollouts are made, the engine's share, the models beside the policy, the logits of completions.

Figures by hand for Qwen2.5-1.5B: 28 layers, hidden 1,536, two key heads of 128, vocabulary 151,936, 1,543,714,304 parameters.
"""

from __future__ import annotations

import pytest

from budgetlint.memory import loss
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

PARAMETERS = 1_543_714_304
USABLE = 30 * 2**30
DEVICE = "device 32GiB usable=30GiB"
OLD = "stack trl@0.24 transformers@4.57.6 torch@2.8"
NEW = "stack trl@1.16 transformers@5.24 torch@2.13"

GRPO = """model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 8
gradient_accumulation_steps: 4
learning_rate: 1.0e-6
num_train_epochs: 1
num_generations: 8
max_prompt_length: 512
max_completion_length: 1024
dtype: bfloat16
bf16: true
"""
VLLM = "use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 0.3\n"

VERL = """actor_rollout_ref:
  model: {path: Qwen/Qwen2.5-1.5B}
  actor: {ppo_micro_batch_size_per_gpu: 4, strategy: fsdp, fsdp_config: {}}
  rollout: {name: vllm, gpu_memory_utilization: 0.5}
data: {max_prompt_length: 512, max_response_length: 512}
algorithm: {adv_estimator: ESTIMATOR}
trainer: {nnodes: 1, n_gpus_per_node: 4}
"""


def judged(text: str, budget: str = f"{DEVICE}; {OLD}") -> RunContext:
    (run,) = judge_texts({"train.yaml": text}, budget=f"{budget}\nconfig train.yaml").runs
    return run


def estimated(text: str, budget: str = f"{DEVICE}; {OLD}") -> Estimate:
    found = judged(text, budget).estimate
    assert found is not None
    return found


def bytes_of(estimate: Estimate, phase: str, slug: str) -> int:
    """Of all terms whose id begins so."""
    return sum(term.bytes for term in estimate.phase(phase).terms if term.id.startswith(slug))


@pytest.mark.parametrize(
    ("more", "budget", "sequences", "tokens", "entry"),
    [
        ("", OLD, 32, 1536, 2 * 256 * 2),
        ("", NEW, 32, 1536, 2 * 256 * 2),
        ("", "stack trl@0.17 transformers@4.51 torch@2.6", 8, 1536, 2 * 256 * 2),
        ("steps_per_generation: 2\n", OLD, 16, 1536, 2 * 256 * 2),
        ("use_vllm: false\n", OLD, 32, 1536, 2 * 256 * 2),
    ],
)
def test_the_models_own_rollouts_hold_a_cache_of_the_generation_batch(
    more: str, budget: str, sequences: int, tokens: int, entry: int
) -> None:
    """TRL grpo_config.py ``__post_init__``: micro batch x steps_per_generation, one micro batch before 0.18."""
    estimate = estimated(GRPO + more, f"{DEVICE}; {budget}")
    cache = sequences * tokens * 28 * entry
    assert bytes_of(estimate, "rollout", "kv-cache.keys") + bytes_of(estimate, "rollout", "kv-cache.values") in (
        cache,
        cache // 3,
    )  # whole, or its prompts
    assert all(bytes_of(estimate, phase, "kv-cache.") == 0 for phase in ("load", "forward", "backward", "step"))


def test_keys_have_the_dtype_of_the_residual_stream() -> None:
    """fp32 weights under autocast: rotary embeddings make keys fp32, values stay 16 bit."""
    estimate = estimated(GRPO.replace("dtype: bfloat16", "dtype: float32").replace("max_prompt_length: 512", "max_prompt_length: 1"))
    assert bytes_of(estimate, "rollout", "kv-cache.keys") == 32 * 1025 * 28 * 256 * 4
    assert bytes_of(estimate, "rollout", "kv-cache.values") == 32 * 1025 * 28 * 256 * 2
    assert bytes_of(estimate, "rollout", "kv-cache.one-layer-copied") == 32 * 1025 * 256 * 4


def test_a_device_alone_generates_what_stage_three_gathers() -> None:
    """ds3_gather_for_generation: the whole model on each device while it generates."""
    zero3 = {"zero_optimization": {"stage": 3}, "bf16": {"enabled": True}}
    files = {"train.yaml": GRPO + "deepspeed: zero3.json\n", "zero3.json": str(zero3).replace("'", '"').replace("True", "true")}
    gathered = []
    for more in ("", "ds3_gather_for_generation: false\n"):
        texts = {**files, "train.yaml": files["train.yaml"] + more}
        (run,) = judge_texts(texts, budget=f"device 4x 32GiB usable=30GiB; {OLD}\nconfig train.yaml").runs
        assert run.estimate is not None
        gathered.append(bytes_of(run.estimate, "rollout", "gathered.to-generate"))
    assert gathered == [PARAMETERS * 2, 0]


@pytest.mark.parametrize(
    ("more", "training", "rollout"),
    [
        (VLLM, 0.3, 0.3),
        (VLLM + "vllm_enable_sleep_mode: true\n", 0.0, 0.3),
        (VLLM.replace("colocate", "server"), 0.0, None),
        ("use_vllm: false\nvllm_gpu_memory_utilization: 0.3\n", 0.0, 0.0),
    ],
)
def test_an_engine_takes_its_share_of_the_device(more: str, training: float, rollout: float | None) -> None:
    """vLLM gpu_worker.py: ``gpu_memory_utilization`` of the device's total; asleep it takes none."""
    estimate = estimated(GRPO + more)
    assert bytes_of(estimate, "backward", "rollout.engine-share") == int(training * USABLE)
    names = [phase.name for phase in estimate.phases]
    assert ("rollout" in names) == (rollout is not None)
    assert rollout is None or bytes_of(estimate, "rollout", "rollout.engine-share") == int(rollout * USABLE)


def test_an_older_engine_counts_what_the_trainer_held_into_its_share() -> None:
    with_engine, without = estimated(GRPO + VLLM), estimated(GRPO + VLLM.replace("colocate", "server"))
    share = int(0.3 * USABLE)
    assert with_engine.allocated.bytes - without.allocated.bytes == share
    assert with_engine.allocated.low - without.allocated.low == share - PARAMETERS * 2


def test_without_a_device_the_share_is_of_the_smallest_that_holds_the_run() -> None:
    estimate = estimated(GRPO + VLLM, OLD)
    share = bytes_of(estimate, "backward", "rollout.engine-share")
    assert estimate.missing == ("device",)
    assert abs(share - estimate.need.bytes * 3 // 10) <= 2
    assert estimate.need.high is not None
    assert estimate.verdict is Verdict.UNKNOWN
    held = estimated(GRPO + VLLM, f"device {estimate.need.high + 2**31}B usable={estimate.need.high + 2**31}B; {OLD}")
    assert held.verdict in (Verdict.FITS, Verdict.TIGHT)


def test_a_version_that_is_not_known_covers_both_places_of_the_engine() -> None:
    """vllm_mode: server before 1.0.0, colocate since."""
    text, rest = GRPO + "use_vllm: true\ngradient_checkpointing_kwargs: {use_reentrant: false}\n", "transformers@4.57.6 torch@2.8"
    either = estimated(text, f"{DEVICE}; stack {rest}")
    server, beside = (estimated(text, f"{DEVICE}; stack trl@{version} {rest}") for version in ("0.24", "1.16"))
    assert either.missing == ()
    assert either.need.high is not None
    assert either.need.low <= min(server.need.low, beside.need.low)
    assert max(server.need.high or 0, beside.need.high or 0) <= either.need.high
    assert (bytes_of(server, "step", "rollout.engine-share"), bytes_of(beside, "step", "rollout.engine-share")) == (0, int(0.3 * USABLE))


@pytest.mark.parametrize(
    ("more", "budget", "copies"),
    [
        ("", OLD, 1),
        ("", "stack trl@0.18 transformers@4.52 torch@2.7", 2),
        ("beta: 0.04\n", OLD, 2),
        ("beta: 0.0\n", "stack trl@0.18 transformers@4.52 torch@2.7", 1),
    ],
)
def test_a_kl_term_needs_a_reference(more: str, budget: str, copies: int) -> None:
    """grpo_trainer.py: no reference model where beta is 0.0, the default since 0.19.0."""
    assert estimated(GRPO + more, f"{DEVICE}; {budget}").phase("load").bytes == copies * PARAMETERS * 2


def test_an_adapter_is_its_own_reference() -> None:
    found = estimated(GRPO + "beta: 0.04\nuse_peft: true\nlora_r: 16\n")
    assert found.phase("load").bytes < 1.1 * PARAMETERS * 2


@pytest.mark.parametrize(
    ("autocast", "batch", "forward", "backward"),
    [("true", 8, 8, 12), ("true", 1, 8, 16), ("false", 8, 4, 4), ("false", 1, 4, 6)],
)
def test_only_completions_get_logits(autocast: str, batch: int, forward: int, backward: int) -> None:
    """``logits_to_keep``: 1,024 tokens and one more of each sequence; fp32 where autocast gives fp32 outputs. The bytes of a token and
    entry were seen in torch 2.13 with TRL's lines: one sequence needs more than several."""
    text = GRPO.replace("bf16: true", f"bf16: {autocast}").replace("train_batch_size: 8", f"train_batch_size: {batch}")
    plan = judged(text).plan
    assert plan is not None
    seen = [sum(term.bytes for term in make(plan)) for make in (loss.forward, loss.backward)]
    assert seen == [batch * 1025 * 151_936 * size for size in (forward, backward)]


@pytest.mark.parametrize(("more", "stack"), [("", NEW), ("use_liger_loss: true\n", OLD)])
def test_a_fused_head_makes_logits_by_chunks(more: str, stack: str) -> None:
    """TRL 1.15 add_fused_lm_head: tiles of 4,096 tokens; Liger's GRPO loss: one sequence (14 B a token and entry)."""
    estimate = estimated(GRPO + more, f"{DEVICE}; {stack}")
    if stack is NEW:
        assert bytes_of(estimate, "forward", "logits.one-tile") == 4096 * 32_768 * 2
    else:
        assert bytes_of(estimate, "forward", "logits.one-chunk") == 1024 * 14 * 151_936


def test_a_prompt_without_a_bound_leaves_the_length_open() -> None:
    """max_prompt_length has no default from 0.26.0 and is gone in 0.28.0: the completion alone is the low end."""
    text = GRPO.replace("max_prompt_length: 512\n", "")
    bounded, open_ended = estimated(text), estimated(text, f"{DEVICE}; {NEW}")
    assert bounded.missing == ()
    assert (open_ended.missing, open_ended.need.high) == (("seq_len",), None)
    assert sum(bytes_of(open_ended, "rollout", f"kv-cache.{one}") for one in ("keys", "values")) == 32 * 1024 * 28 * 1024
    either = estimated(text, f"{DEVICE}; stack transformers@4.57.6 torch@2.8")
    assert either.missing == ("seq_len",)


def test_what_cannot_be_known_is_named() -> None:
    text = GRPO + "generation_batch_size: 64\n"
    assert estimated(text).missing == ("rollout_batch",)
    assert estimated(VERL.replace("ESTIMATOR", "gae"), DEVICE).missing == ("critic_model",)
    assert estimated(VERL.replace("ESTIMATOR", "grpo").replace("name: vllm, ", ""), DEVICE).missing == ("rollout_engine",)


def test_between_updates_verl_moves_what_it_is_told_to() -> None:
    """verl fsdp_workers.py: the engine sleeps while the policy trains; the offload switches empty the device for it."""
    text = VERL.replace("ESTIMATOR", "grpo")
    kept = estimated(text, DEVICE)
    moved = estimated(text.replace("fsdp_config: {}", "fsdp_config: {param_offload: true, optimizer_offload: true}"), DEVICE)
    share, weights, states = USABLE // 2, PARAMETERS * 4 // 4, PARAMETERS * 8 // 4
    assert kept.phase("rollout").bytes - moved.phase("rollout").bytes == weights + states
    assert bytes_of(kept, "rollout", "rollout.engine-share") == share
    assert kept.phase("backward").bytes == moved.phase("backward").bytes
    assert bytes_of(kept, "backward", "rollout.engine-share") == 0


def test_a_critic_of_verl_rests_beside_the_policy() -> None:
    """CriticWorker: fp32 weights and two moments, split over 4 ranks as the policy's."""
    text = VERL.replace("ESTIMATOR", "gae")
    estimate = estimated(text + "critic: {model: {path: Qwen/Qwen2.5-1.5B}}\n", DEVICE)
    assert estimate.missing == ()
    assert bytes_of(estimate, "backward", "critic.weights") == PARAMETERS * 4 // 4
    assert bytes_of(estimate, "backward", "critic.adam.") == PARAMETERS * 8 // 4
    away = "critic: {model: {path: Qwen/Qwen2.5-1.5B, fsdp_config: {param_offload: true, optimizer_offload: true}}}\n"
    assert bytes_of(estimated(text + away, DEVICE), "backward", "critic") == 0


PPO = """model_name_or_path: Qwen/Qwen2.5-1.5B
reward_model_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 2
gradient_accumulation_steps: 1
learning_rate: 1.0e-6
num_train_epochs: 1
num_ppo_epochs: 1
max_length: 512
dtype: bfloat16
bf16: true
gradient_checkpointing: true
"""


def test_ppo_of_trl_holds_four_models_and_trains_two() -> None:
    """ppo_trainer.py: policy, reference, value and reward model; PolicyAndValueWrapper has one backward for two of them."""
    estimate = estimated(PPO, f"device 80GiB; {OLD}")
    assert estimate.phase("load").bytes == 4 * PARAMETERS * 2
    assert bytes_of(estimate, "backward", "critic.gradients.") == PARAMETERS * 2
    assert bytes_of(estimate, "step", "critic.gradients.") == PARAMETERS * 2
    assert sum(bytes_of(estimate, "rollout", f"kv-cache.{one}") for one in ("keys", "values")) == 2 * 512 * 28 * 1024


def test_a_budget_names_models_and_an_engine() -> None:
    budget = f"{DEVICE}; model qwen2.5-1.5b; precision bf16-pure; batch 1; seq 512; optimizer sgd"
    (plain,) = judge_texts({}, budget=budget).runs
    more = "also qwen2.5-1.5b role=reward precision=fp32; also qwen2.5-7b role=teacher offload=on; rollout vllm share=25% on=same"
    (run,) = judge_texts({}, budget=f"{budget}\n{more}").runs
    assert plain.estimate is not None and run.estimate is not None
    assert run.estimate.missing == ()
    assert run.estimate.phase("load").bytes - plain.estimate.phase("load").bytes == PARAMETERS * 4
    assert bytes_of(run.estimate, "step", "rollout.engine-share") == USABLE // 4
    because = [setting.name for term in run.estimate.phase("step").terms if term.id == "rollout.engine-share" for setting in term.because]
    assert because[:2] == ["rollout_memory", "rollout_engine"]
    (other,) = judge_texts({}, budget=f"{budget}\nrollout vllm share=25% on=other").runs
    assert other.estimate is not None
    assert other.estimate.need == plain.estimate.need


@pytest.mark.parametrize("setting", ["completion_len", "rollout_batch", "rollout_memory"])
def test_more_of_it_never_costs_less(setting: str) -> None:
    texts = {
        "completion_len": [GRPO.replace("max_completion_length: 1024", f"max_completion_length: {size}") for size in (256, 1024, 4096)],
        "rollout_batch": [GRPO + f"steps_per_generation: {count}\n" for count in (1, 4, 16)],
        "rollout_memory": [GRPO + VLLM.replace("0.3", share) for share in ("0.1", "0.3", "0.6")],
    }[setting]
    peaks = [estimated(text).need.bytes for text in texts]
    assert peaks == sorted(peaks)


def test_an_engine_on_the_next_device_or_on_the_only_one() -> None:
    """TRL until 0.15: ``vllm_device: auto`` is the device after the last that trains; where there is one device it shares that."""
    text = GRPO + "use_vllm: true\nvllm_device: auto\nvllm_gpu_memory_utilization: 0.3\n"
    old = "stack trl@0.15 transformers@4.49 torch@2.5"
    either, apart = (estimated(body, f"{DEVICE}; {old}") for body in (text, text.replace("auto", "cuda:1")))
    assert either.need.bytes == apart.need.bytes
    assert either.need.high is not None and apart.need.high is not None
    assert either.need.high - apart.need.high >= int(0.3 * USABLE)

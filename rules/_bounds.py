"""What values can be, for numbers that a program takes from anybody: one row for each mistake."""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.base.record import record
from budgetlint.rule import RunContext, Setting, full_tuning, is_off, is_on, number_of, optimizer_of, stated, written_by

from .lora_full_ft_lr import plain_adam

SAMPLED = ("grpo", "rloo", "ppo", "online_dpo")
HALF, RL_TOO_HIGH, LARGE_MODEL = 0.5, 5e-3, 100_000_000


@record
class Bound:
    """One number of a run, or a written key; when it is wrong, and what happens then."""

    names: tuple[str, ...]
    is_wrong: Callable[[float], bool]
    ends: str
    help: str
    stops: bool
    where: Callable[[RunContext], bool]
    written: bool = False
    """The names are keys as written, not settings that every framework's key is read into."""

    def value(self, run: RunContext) -> Setting | None:
        if self.written:
            return written_by(run, *self.names)
        return next((one for one in map(run.setting, self.names) if one is not None and stated(one)), None)


def _adam(run: RunContext) -> bool:
    optimizer = optimizer_of(run.setting("optimizer"))
    return optimizer is not None and plain_adam(optimizer.name)


def _trains(run: RunContext) -> bool:
    """Is training asked for? A config that evaluates or predicts has numbers of a training too."""
    return not is_off(written_by(run, "do_train")) and not any(
        is_on(written_by(run, name)) for name in ("do_eval", "do_predict", "eval_only")
    )


def _by_epochs(run: RunContext) -> bool:
    steps = run.setting("max_steps")
    total = written_by(run, "max_steps", "trainer.total_training_steps", "total_training_steps")
    known = steps is None or (steps.known and isinstance(steps.value, int) and steps.value <= 0)
    return _trains(run) and known and (total is None or (number_of(total) or 1) <= 0)


def _of_policy(run: RunContext) -> bool:
    """A pretrained policy that Adam trains for a reward."""
    large = run.estimate is not None and (run.estimate.params or 0) >= LARGE_MODEL
    return str(run.value("task")) in SAMPLED and _adam(run) and large and (full_tuning(run) or run.value("adapter") == "lora")


def _of_sigmoid(run: RunContext) -> bool:
    loss = written_by(run, "loss_type", "pref_loss")
    plain = loss is None or (loss.known and str(loss.value) in ("sigmoid", "robust"))
    return str(run.value("task")) == "dpo" and plain


MEMORY_SHARES = (
    "vllm_gpu_memory_utilization",
    "trl.vllm_gpu_memory_utilization",
    "actor_rollout_ref.rollout.gpu_memory_utilization",
    "rollout.gpu_memory_utilization",
)
BOUNDS = (
    Bound(
        ("adam_beta1", "adam_beta2"),
        lambda value: not 0 <= value < 1,
        "the optimizer takes 0 up to, not with, 1, and stops when it is made",
        "0.9 and 0.999 are torch's own",
        True,
        _adam,
    ),
    Bound(
        ("learning_rate",), lambda value: value < 0, "the optimizer refuses a negative rate when it is made", "a rate above 0", True, _adam
    ),
    Bound(
        ("weight_decay",), lambda value: value < 0, "the optimizer refuses a negative decay when it is made", "0 is no decay", True, _adam
    ),
    Bound(
        ("dataloader_num_workers",),
        lambda value: value < 0,
        "torch's DataLoader refuses a negative number when training begins",
        "0 loads in the process itself",
        True,
        lambda _: True,
        written=True,
    ),
    Bound(
        MEMORY_SHARES,
        lambda value: value > 1,
        "vLLM takes a share of the device's memory, at most 1, and stops at start",
        "a share, such as 0.6",
        True,
        lambda run: str(run.value("rollout_engine", "vllm")) == "vllm",
        written=True,
    ),
    Bound(
        ("learning_rate",),
        lambda value: value == 0,
        "every step moves the weights by nothing: the run trains nothing",
        "1e-5 to 2e-5 is usual for the whole model, 1e-4 to 2e-4 for LoRA",
        False,
        _trains,
    ),
    Bound(
        ("num_epochs",),
        lambda value: value <= 0,
        "no pass over the data and no number of steps: nothing is trained",
        "1 or more, or a number of steps",
        False,
        _by_epochs,
    ),
    Bound(
        ("learning_rate",),
        lambda value: value >= RL_TOO_HIGH,
        "each step moves every weight of the policy by about this much, a quarter of its size and more: it forgets how to write at once",
        "1e-6 is usual for the whole model, 1e-5 to 1e-4 for LoRA",
        False,
        _of_policy,
    ),
    Bound(
        ("label_smoothing_factor",),
        lambda value: value >= 1,
        "the loss gives the right token no weight of its own: the model learns to say every token alike",
        "0.1 is usual",
        False,
        _trains,
        written=True,
    ),
    Bound(
        ("label_smoothing", "dpo_label_smoothing"),
        lambda value: value >= HALF,
        "the share of wrong preferences: at 0.5 chosen and rejected count alike, above it the rejected one is learnt",
        "0 to 0.3",
        False,
        _of_sigmoid,
        written=True,
    ),
)

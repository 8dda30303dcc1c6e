"""What a training script decides where it cannot be seen: the least and the most memory that it commonly comes to.

A verdict is given only where both ends agree (`budgetlint.memory.planner.readings`), so nothing unknown becomes a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.record import replace
from budgetlint.documents import Scalar
from budgetlint.documents.python_marks import EVALUATES, FACTS, LOOP, is_open
from budgetlint.frameworks import patch
from budgetlint.readers.base import hidden, unsettled
from budgetlint.readers.hf.tasks import without_reference
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Setting

SPANS = {
    "weights_dtype": ("auto", "fp32"),
    "optimizer": ("sgd", "adamw"),
    "adapter": ("other", "none"),
    "quant": ("nf4", "none"),
    "recompute": ("full", "none"),
    "loss": ("fused", "full"),
    "autocast": ("bf16", "none"),
    "attention": ("flash", "sdpa"),
    "shard": ("zero3", "ddp"),
}
"""The leaner reading first, as in ``hf.own_script``."""
_CHECKPOINTING = ("gradient_checkpointing_enable", "prepare_model_for_kbit_training", "prepare_model_for_int8_training", "get_peft_model")
"""They switch it on at the model unless ``use_gradient_checkpointing`` is false; ``get_peft_model`` is Unsloth's, which also offloads
(``"unsloth"``: its default from 2025.9.4 at the latest; up to 2025.6.5 it is True, and ``from_pretrained``, whose default is ``"unsloth"``,
puts the offloading checkpoint in torch's place from 2024.12.4 at the latest)."""
_OWN_LOSS = ("compute_loss", "training_step")
_OWN_OPTIMIZER = ("create_optimizer", "create_optimizer_and_scheduler")
_OWN_SCHEDULER = ("create_scheduler", "create_optimizer_and_scheduler")
_REWARDED = ("PPOTrainer", "PPOv2Trainer", "RLOOTrainer")
_NOTE = "the script decides it where it cannot be read"


def spread(settings: Iterable[Setting]) -> Iterator[Setting]:
    """Each symbolic setting of the table with both its ends, where it stands."""
    for setting in settings:
        ends = SPANS.get(setting.name) if setting.state == "symbolic" and not setting.readings else None
        yield replace(setting, readings=ends) if ends else setting


def open_model() -> Iterator[Setting]:
    """The model is made elsewhere: how, nobody knows here."""
    yield from (hidden(name, SPANS[name], _NOTE) for name in ("adapter", "quant", "weights_dtype"))


def elsewhere(look: Lookup, trainer: str) -> Iterator[Setting]:
    """What the script decides outside its arguments: its own loss and optimizer, checkpointing switched on at the model, an engine
    that the command line names."""
    made = look.document.mapping or ()
    if any(name in made for name in _OWN_LOSS) or look.has("loss_type"):
        yield hidden("loss", SPANS["loss"], _NOTE)
    elif any(name in classes.UNSLOTH for name, _ in classes.sections(look.document)):
        loss = patch("unsloth", "loss")
        yield unsettled("loss", loss.readings, loss.source)
    elif trainer in classes.TRL_TRAINERS and look.prefix in classes.PLAIN_ARGUMENTS:
        yield unsettled("loss", ("chunked", "full"), f"TRL {trainer}: full logits before TRL 1.15.0, chunked head since")
    yield from _replaced(look)
    if classes.is_given(look.document.get(f"{trainer}.optimizers")):
        yield hidden("optimizer", SPANS["optimizer"], _NOTE)
    if any(name in made for name in EVALUATES):
        yield hidden("eval_batch", (), "the trainer's evaluation is the script's own")
    if trainer in _REWARDED and classes.is_given(look.document.get(f"{trainer}.reward_model")):
        yield hidden("reward_model", ("none", "policy"), f"the script hands {trainer} its reward model")
    yield from _checkpointing(look)
    yield from _upcast(look)
    yield from _either_half(look)
    yield from _engine(look)
    yield from _batch(look)
    yield from _reference(look)


def _replaced(look: Lookup) -> Iterator[Setting]:
    """The Trainer's own methods make optimizer and schedule from its arguments (transformers 4.46 to 5.24 ``trainer.py``
    create_optimizer, create_scheduler); what replaces them takes of the arguments what it likes."""
    top = Lookup(look.document, look.loader)
    for names, settings in ((_OWN_OPTIMIZER, ("optimizer",)), (_OWN_SCHEDULER, ("lr_scheduler", "warmup_steps", "warmup_ratio"))):
        raw = top.raw(*names)
        for name in settings:
            if raw is not None and (not name.startswith("warmup") or look.has(name)):
                yield Setting(name, None, raw.origin, f"{raw.path} of its own", "symbolic", readings=SPANS.get(name, ()))


def _checkpointing(look: Lookup) -> Iterator[Setting]:
    """Switched on at the model: the Trainer's own switch turns nothing off (transformers ``trainer.py`` _inner_training_loop)."""
    switch = look.switch("gradient_checkpointing", "activation_checkpointing")
    if switch is not None and switch.known and switch.value:
        return
    yield from _by_config(look)
    for name in _CHECKPOINTING:
        block = classes.block(look.document, name)
        raw = Lookup(look.document, look.loader).raw(name)
        if block is None or raw is None or (name == "get_peft_model" and not classes.class_of(block).startswith("unsloth.")):
            continue
        word = block.get("use_gradient_checkpointing")
        text = word.text if isinstance(word, Scalar) else ""
        if classes.may_skip(block) or classes.is_partial(block) or is_open(word):
            yield hidden("recompute", SPANS["recompute"], _NOTE)
        elif text != "False":
            yield Setting("recompute", "full", raw.origin, name)
            if name == "get_peft_model" and text in ("", "unsloth"):
                yield Setting("recompute_offload", True, raw.origin, "unsloth")


def _by_config(look: Lookup) -> Iterator[Setting]:
    """``config.gradient_checkpointing = True`` before the load."""
    for name in (FACTS, LOOP):
        raw = Lookup(look.document, look.loader, name).raw("checkpoints")
        if raw is not None and raw.value is True:
            yield Setting("recompute", "full", raw.origin, raw.text)
        elif raw is not None and raw.value is not False:
            yield hidden("recompute", SPANS["recompute"], _NOTE)


def _upcast(look: Lookup) -> Iterator[Setting]:
    """PEFT's helper casts what is not quantised to fp32 (peft 0.21.2 utils/other.py ``prepare_model_for_kbit_training``)."""
    for name in ("prepare_model_for_kbit_training", "prepare_model_for_int8_training"):
        block = classes.block(look.document, name)
        raw = Lookup(look.document, look.loader).raw(name)
        if block is not None and raw is not None and classes.class_of(block).startswith("peft."):
            if classes.may_skip(block):
                yield hidden("quant_upcast", ("none", "all"), _NOTE)
            else:
                yield Setting("quant_upcast", "all", raw.origin, name)
            return


def _reference(look: Lookup) -> Iterator[Setting]:
    """``precompute_ref_log_probs=args.precompute``: with a frozen model beside the policy, or without."""
    for raw in look.raws("precompute_ref_log_probs", "reference_free"):
        if is_open(raw.node):
            yield Setting("reference_model", None, raw.origin, raw.text, "symbolic", readings=("none", "policy"))
            return
    yield from without_reference(look)


def _either_half(look: Lookup) -> Iterator[Setting]:
    """``bf16=supported(), fp16=not supported()``: one of them is on, and both take the same memory."""
    bf16, fp16 = look.raw("bf16"), look.raw("fp16")
    if bf16 is None or fp16 is None or not (is_open(bf16.node) and is_open(fp16.node)):
        return
    one, other = bf16.text[1:-1], fp16.text[1:-1]
    if one == f"not {other}" or other == f"not {one}":
        yield Setting("autocast", None, bf16.origin, "bf16 or fp16", "auto", readings=("bf16", "fp16"))


def _engine(look: Lookup) -> Iterator[Setting]:
    """``deepspeed=args.deepspeed``: any stage with any offload, or none."""
    raw = look.raw("deepspeed")
    if raw is None or not is_open(raw.node):
        return
    for name, ends in (("shard", SPANS["shard"]), ("offload_optimizer", ("cpu", "none")), ("offload_params", ("cpu", "none"))):
        yield Setting(name, None, raw.origin, raw.text, "symbolic", readings=ends)
    yield Setting("optimizer", None, raw.origin, raw.text, "symbolic", readings=SPANS["optimizer"])  # the file's own wins


def _batch(look: Lookup) -> Iterator[Setting]:
    """``auto_find_batch_size`` halves the batch until it fits (accelerate ``find_executable_batch_size``)."""
    raw = look.raw("auto_find_batch_size")
    if raw is not None and raw.value is not False:
        yield Setting("micro_batch", None, raw.origin, raw.text, "symbolic")

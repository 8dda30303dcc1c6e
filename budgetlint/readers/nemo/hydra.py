"""NeMo 1 and 2.0 configs: ``trainer``, ``exp_manager``, ``model``.

Sources: nemo_toolkit 2.2.1 ``nemo/collections/nlp/models/language_modeling/megatron_base_model.py`` (``megatron_amp_O2``: 16-bit weights,
fp32 master and, for bf16, fp32 gradients), ``megatron_gpt_model.py``, ``nlp/parts/peft_config.py``; ``core/optim/optimizers.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Key, default, read_keys, to_bool, to_count, to_float, to_int, to_text
from budgetlint.readers.derived import ADAMS
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.megatron.engine import accumulation, engine_defaults
from budgetlint.readers.megatron.keys import BATCH, METHODS, PARALLEL, to_every, to_recompute
from budgetlint.readers.megatron.shape import GPT2_VOCABULARY, LayerStyle, Names, custom_model, padded
from budgetlint.readers.nemo.words import PRECISIONS, to_devices, to_epochs, to_limit, to_targets
from budgetlint.readers.optimizer_names import decoupled, read_optimizer
from budgetlint.settings.run import Misread, Setting, Settings

_SPLIT = ("distributed_fused_adam", "mcore_distributed_optim")


_UNSIZED = ("rprop", "adadelta", "adan", "radam", "muadam", "muadamw", "musgd")
"""Optimizers of NeMo, and of its muTransfer, that the catalog does not have; its RAdam decouples the decay (core/optim/radam.py:117)."""


def _beta(index: int) -> Any:
    def convert(value: Any) -> Any:
        items = getattr(value, "items", ())
        return to_float(getattr(items[index], "text", None)) if len(items) == 2 else None

    return convert


TRAINER = (
    Key("devices", "devices_per_node", to_devices),
    Key("gpus", "devices_per_node", to_devices),
    Key("num_nodes", "nodes", to_count),
    Key("max_steps", "max_steps", to_int),
    Key("max_epochs", "num_epochs", to_epochs),
    Key("gradient_clip_val", "max_grad_norm", to_float),
    Key("limit_val_batches", "eval_on", to_limit),
)

MODEL = (
    Key("train_ds.batch_size", "micro_batch", to_count),
    Key("train_ds.dataloader_params.batch_size", "micro_batch", to_count),
    *BATCH,
    *PARALLEL,
    Key("encoder_seq_length", "seq_len", to_count),
    Key("seq_length", "seq_len", to_count),
    Key("data.seq_length", "seq_len", to_count),
    Key("data.train_ds.max_seq_length", "seq_len", to_count),
    Key("data.train_ds.micro_batch_size", "micro_batch", to_count),
    Key("data.train_ds.global_batch_size", "global_batch", to_count),
    Key("data.train_ds.packed_sequence", "packing", to_bool),
    Key("activations_checkpoint_granularity", "recompute", to_recompute),
    Key("optim.lr", "learning_rate", to_float),
    Key("optim.weight_decay", "weight_decay", to_float),
    Key("optim.betas", "adam_beta1", _beta(0)),
    Key("optim.betas", "adam_beta2", _beta(1)),
    Key("optim.eps", "adam_epsilon", to_float),
    Key("optim.sched.name", "lr_scheduler", to_text),
    Key("optim.sched.warmup_steps", "warmup_steps", to_float),
)

_LORA = (
    Key("adapter_dim", "lora_r", to_count),
    Key("alpha", "lora_alpha", to_float),
    Key("adapter_dropout", "lora_dropout", to_float),
    Key("target_modules", "lora_targets", to_targets),
)


def read_hydra(document: Document, loader: Loader) -> tuple[Settings, list[Misread]]:
    trainer, wrong = read_keys(document, loader, TRAINER, "trainer")
    model, misread = read_keys(document, loader, MODEL, "model")
    look = Lookup(document, loader, "model", [*wrong, *misread])
    together = [
        *_precision(look), *_optimizer(look), *_shard(look), *_adapter(look), *_recompute(look), *_attention(look), *_task(look),
        *_model(look), *_accumulation(look),
    ]  # fmt: skip
    return Settings((*trainer, *model, *together)), look.misreads


def is_megatron(look: Lookup) -> bool:
    return look.has("tensor_model_parallel_size", "megatron_amp_O2", "mcore_gpt", "megatron_lm_model")


def _trainer(look: Lookup) -> Lookup:
    return Lookup(look.document, look.loader, "trainer", look.misreads)


def _precision(look: Lookup) -> Iterator[Setting]:
    """Megatron models under ``megatron_amp_O2`` keep 16-bit weights and fp32 masters; everything else is Lightning's autocast."""
    stated = _trainer(look).setting("autocast", to_text, "precision")
    if stated is None:
        return
    name, value = PRECISIONS.get(str(stated.value), ("autocast", None))
    second = look.switch("megatron_amp_O2")
    if second is not None and second.value and value in ("bf16", "fp16"):
        yield renamed(stated, "weights_dtype", value)
        yield renamed(stated, "engine_dtype", value)
        yield renamed(second, "master_dtype", "fp32")
        if value == "bf16":
            yield renamed(second, "grads_dtype", "fp32")
        yield renamed(second, "autocast", "none")
    elif value is not None or not stated.known:
        yield renamed(stated, name, value)


def _optimizer(look: Lookup) -> list[Setting]:
    raw = look.raw("optim.name")
    if raw is None or raw.text.lower() in _UNSIZED:
        return [Setting("optimizer", None, raw.origin, raw.text, "symbolic")] if raw else []
    switch = look.switch("optim.decoupled_weight_decay")
    if switch is not None and not switch.known:
        return [replace(switch, name="optimizer", readings=ADAMS)]
    return read_optimizer(raw, "nemo", look.misreads, decoupled(raw.text, switch is not None and switch.value is True))


def _shard(look: Lookup) -> Iterator[Setting]:
    """``model.fsdp`` is torch's FSDP; the distributed Adams split states and masters over the data-parallel ranks."""
    fsdp, name = look.switch("fsdp"), look.raw("optim.name")
    if fsdp is not None and fsdp.value:
        yield renamed(fsdp, "shard", "fsdp")
        strategy = look.setting("shard_strategy", _to_strategy, "fsdp_sharding_strategy")
        yield from (strategy,) if strategy else ()
    elif name is not None and name.text in _SPLIT:
        yield Setting("shard", "zero1", name.origin, name.text)


def _to_strategy(value: Any) -> Any:
    return {"full": "full", "hybrid": "hybrid", "grad": "grad-op"}.get(str(value))


def _adapter(look: Lookup) -> list[Setting]:
    scheme = look.setting("adapter", to_text, "peft.peft_scheme")
    if scheme is None or not scheme.known:
        return [scheme] if scheme else []
    kinds = {word.strip() for word in str(scheme.value).lower().split(",")}
    if kinds <= {"none", "null", ""}:
        return [renamed(scheme, "adapter", "none")]
    if kinds != {"lora"}:
        return [renamed(scheme, "adapter", "other"), renamed(scheme, "adapter_kind", str(scheme.value))]
    settings, wrong = read_keys(look.document, look.loader, _LORA, "model.peft.lora_tuning")
    look.misreads.extend(wrong)
    return [renamed(scheme, "adapter", "lora"), *settings]


def _recompute(look: Lookup) -> Iterator[Setting]:
    """``uniform`` keeps the input of every n-th layer; ``activations_checkpoint_method`` alone is the older way to say full."""
    method = look.setting("recompute", to_text, "activations_checkpoint_method")
    count = look.setting("recompute_every", to_every, "activations_checkpoint_num_layers")
    if method is not None and method.known and not look.has("activations_checkpoint_granularity") and count and count.value:
        yield renamed(method, "recompute", "full")
    if method is not None and method.value in METHODS and count is not None and count.value:
        yield renamed(count, METHODS[str(method.value)], count.value)


def _attention(look: Lookup) -> Iterator[Setting]:
    """Transformer Engine picks a kernel without scores by itself; only the older layers write them out."""
    switch = look.switch("use_flash_attention")
    engine = [look.switch(key) for key in ("mcore_gpt", "transformer_engine")]
    if switch is not None and (switch.value or not any(found and found.value for found in engine)):
        yield renamed(switch, "attention", "flash" if switch.value else "eager")


def _task(look: Lookup) -> Iterator[Setting]:
    for key, task in (
        ("dpo", "dpo"),
        ("kto", "kto"),
        ("reward_model_type", "reward"),
        ("ppo", "ppo"),
        ("peft", "sft"),
        ("data.train_ds", "sft"),
    ):
        raw = look.raw(key)
        if raw is not None:
            yield Setting("task", task, raw.origin, key)
            return


def _accumulation(look: Lookup) -> Iterator[Setting]:
    """Megatron models accumulate by the batch sizes, and their trainer's own number must be 1 (megatron_base_model.py)."""
    stated = _trainer(look).setting("grad_accum", to_count, "accumulate_grad_batches")
    if stated is not None and not look.has("global_batch_size"):
        yield stated


_NAMES = Names(vocabulary=("override_vocab_size", "padded_vocab_size", "vocab_size"))
"""NeMo fills in the same dropout (megatron_gpt_model.py ``cfg.get('hidden_dropout', 0.1)``, ``cfg.get('attention_dropout', 0.1)``)."""


def _model(look: Lookup) -> list[Setting]:
    """The numbers of ``model`` build the network; a ``.nemo`` file brings its own."""
    found = custom_model(look, _NAMES, _style(look), _vocabulary(look)) if is_megatron(look) and not look.has("encoder.num_layers") else []
    named = look.setting("model", to_text, "restore_from_path", "language_model_path", "pretrained_model_name")
    return found or ([named] if named is not None else [])


def _vocabulary(look: Lookup) -> int | None:
    """GPT-2's tokens in steps of ``make_vocab_size_divisible_by`` times the tensor-parallel degree (megatron_base_model.py)."""
    kind = look.setting("", to_text, "tokenizer.type")
    if kind is None or str(kind.value) not in ("GPT2BPETokenizer", "GPT2BPE"):
        return None
    steps = [look.setting("", to_count, key) for key in ("make_vocab_size_divisible_by", "tensor_model_parallel_size")]
    by, ranks = (step.value if step is not None and step.known else otherwise for step, otherwise in zip(steps, (128, 1), strict=True))
    return padded(GPT2_VOCABULARY, by * ranks)


def _style(look: Lookup) -> LayerStyle:
    def word(key: str) -> str:
        found = look.setting("", to_text, key)
        return str(found.value).lower() if found is not None and found.known else ""

    def on(key: str, otherwise: bool) -> bool:
        found = look.switch(key)
        return bool(found.value) if found is not None and found.known else otherwise

    norm, bias = word("normalization"), on("bias", True)
    rms = "rms" in norm
    return LayerStyle(
        gated=word("activation") in ("swiglu", "fast-swiglu", "geglu", "fast-geglu", "reglu", "fast-reglu"),
        rms=rms,
        norm_bias=not rms,
        bias=bias,
        qkv_bias=bias or on("qkv_bias", False),
        tied=on("share_embeddings_and_output_weights", True),
        position={"rope": "rope", "alibi": "alibi", "none": "none"}.get(word("position_embedding_type"), "learned"),
    )


_MODEL = "nemo_toolkit 2.2 megatron_gpt_model.py "
_LIGHTNING = "lightning Trainer."
_COMMON: tuple[tuple[str, Any, str], ...] = (
    ("adapter", "none", "no peft block"),
    ("quant", "none", "no quantised base"),
    ("recompute", "none", "activations_checkpoint_granularity: null"),
    ("kernels", (), "no Liger"),
    ("nodes", 1, _LIGHTNING + "num_nodes"),
    ("max_steps", -1, _LIGHTNING + "max_steps"),
    ("weights_dtype", "fp32", "nemo builds models in fp32 and lets Lightning cast"),
    ("autocast", "none", _LIGHTNING + "precision: 32-true"),
)
_MEGATRON: tuple[tuple[str, Any, str], ...] = (
    ("task", "pretrain", _MODEL + "the program"),
    ("tensor_parallel", 1, _MODEL + "tensor_model_parallel_size"),
    ("pipeline_parallel", 1, _MODEL + "pipeline_model_parallel_size"),
    ("sequence_parallel", False, _MODEL + "sequence_parallel"),
    ("shard", "ddp", "nemo nlp/parts/nlp_overrides.py NLPDDPStrategy"),
    ("attention", "flash", "Transformer Engine picks flash or cuDNN attention"),
    ("pad_to_seq_len", True, _MODEL + "samples have the sequence length"),
)


def hydra_defaults(settings: Settings) -> Iterator[Setting]:
    megatron = any(name in settings for name in ("tensor_parallel", "model_custom", "global_batch"))
    if settings.value("adapter") == "lora":
        yield from _lora_defaults(settings)
    yield from (default(name, value, note) for name, value, note in _COMMON)
    if megatron:
        yield from (default(name, value, note) for name, value, note in _MEGATRON)
        yield from engine_defaults(settings)
        yield from accumulation(settings)
    else:
        yield default("grad_accum", 1, _LIGHTNING + "accumulate_grad_batches")


def _lora_defaults(settings: Settings) -> Iterator[Setting]:
    """peft_config.py LoraPEFTConfig: alpha is the rank where none is written, only qkv is adapted."""
    rank = settings.value("lora_r", 32)
    yield default("lora_alpha", float(rank), "nemo nlp/parts/peft_config.py: alpha, else adapter_dim")
    yield default("lora_targets", TARGET_QKV, "nemo nlp/parts/peft_config.py target_modules: attention_qkv")


TARGET_QKV = ("q_proj", "k_proj", "v_proj")

"""What trains, on how much, and how it is distributed."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.language.slots import EVERYWHERE, RUNS, Slot, StatementSpec, choice, count, switch
from budgetlint.settings.vocabulary import DTYPES, SETTINGS

ADAPTERS = (
    "none",
    "ia3",
    "adalora",
    "loha",
    "lokr",
    "oft",
    "boft",
    "vera",
    "fourierft",
    "hra",
    "bone",
    "randlora",
    "shira",
    "c3a",
    "prefix-tuning",
    "prompt-tuning",
    "p-tuning",
    "ln-tuning",
    "llama-adapter",
)
SHARDS = ("none", "ddp", "zero1", "zero2", "zero3", "fsdp", "fsdp2", "hsdp")


def _closed(setting: str) -> Slot:
    """The value of a statement that is exactly one closed setting."""
    spec = SETTINGS[setting]
    return Slot("HOW", "choice", spec.meaning, spec.choices, setting)


LOSS = replace(_closed("loss"), choices=("full", "plain", "fused", "chunked"))
"""What a budget may say; how a trainer's own code works in place is for its reader to know."""


TRAINING_ROWS = (
    StatementSpec(
        "optimizer",
        "canonical name, or any ecosystem's spelling",
        "optimizer adamw8bit",
        EVERYWHERE,
        (Slot("NAME", "optimizer", setting="optimizer"),),
        (
            choice("impl", "how the step walks the parameters", ("foreach", "fused", "for-loop"), "optimizer_impl"),
            choice("state", "dtype of the state", ("fp32", "bf16", "fp16", "int8", "int4", "fp8"), "optimizer_state"),
        ),
        synonyms=("optim", "optimiser"),
    ),
    StatementSpec(
        "lora",
        "train low-rank updates instead of the model",
        "lora r=16 alpha=32 targets=all",
        EVERYWHERE,
        (),
        (
            count("r", "rank", "lora_r", "rank", "lora_r", "lora_rank", "dim"),
            Slot("alpha", "number", "scaling numerator", setting="lora_alpha", required=False, synonyms=("lora_alpha", "scale")),
            Slot(
                "targets",
                "text",
                "all, attention, mlp, or a list of module names",
                many=True,
                required=False,
                synonyms=("target_modules", "lora_target", "modules", "target"),
            ),
            Slot("dropout", "number", "dropout in front of the branch", setting="lora_dropout", required=False, synonyms=("lora_dropout",)),
            Slot(
                "save",
                "text",
                "modules trained in full beside it",
                setting="lora_modules_to_save",
                many=True,
                required=False,
                synonyms=("modules_to_save",),
            ),
            switch("dora", "magnitude vector", "lora_dora", "use_dora"),
            switch("rslora", "rank-stabilised scaling", "lora_rslora", "use_rslora"),
            choice("dtype", "dtype of the adapter", DTYPES[:3], "adapter_dtype"),
        ),
        synonyms=("peft", "lora_r"),
    ),
    StatementSpec(
        "adapter",
        "another adapter, by its name",
        "adapter ia3",
        EVERYWHERE,
        (Slot("NAME", "choice", "", ADAPTERS, "adapter_kind"),),
        free="any",
    ),
    StatementSpec(
        "freeze",
        "modules that do not train",
        "freeze vision_tower",
        RUNS,
        (Slot("MODULE", "text", "", setting="freeze", many=True),),
        repeatable=True,
        synonyms=("frozen", "freeze_layers"),
    ),
    StatementSpec(
        "batch",
        "sequences per device and forward pass",
        "batch 2 accum=8",
        EVERYWHERE,
        (Slot("N", "count", "", setting="micro_batch"),),
        (
            count(
                "accum",
                "micro batches per optimizer step",
                "grad_accum",
                "accumulation",
                "grad_accum",
                "gradient_accumulation_steps",
                "accumulate",
            ),
            Slot("images", "whole", "images in each sequence", setting="images", required=False),
            count("pixels", "pixels of the largest image", "image_max_pixels", "max_pixels", "image_max_pixels"),
            count("tiles", "tiles that one image is cut into at most", "image_tiles", "max_dynamic_patch"),
            Slot("audio", "duration", "seconds of audio in each sequence", setting="audio_seconds", required=False),
        ),
        synonyms=("micro_batch", "batch_size", "per_device_train_batch_size", "micro_batch_size"),
    ),
    StatementSpec(
        "seq",
        "tokens of the longest sequence",
        "seq 4096 packing=on",
        EVERYWHERE,
        (Slot("N", "count", "", setting="seq_len"),),
        (
            switch("packing", "several samples share a sequence", "packing", "pack", "sample_packing"),
            count(
                "target", "tokens of the longest target of an encoder-decoder", "target_len", "target_len", "max_target_length", "labels"
            ),
        ),
        synonyms=("seq_len", "sequence", "sequence_len", "max_length", "max_seq_length", "context", "cutoff_len", "length"),
    ),
    StatementSpec(
        "recompute",
        "activation checkpointing",
        "recompute full every=2",
        EVERYWHERE,
        (_closed("recompute"),),
        (
            count("every", "checkpoint every k-th layer", "recompute_every"),
            switch("reentrant", "reentrant checkpointing", "recompute_reentrant", "use_reentrant"),
            switch("offload", "checkpoints live in host memory", "recompute_offload", "cpu_offload"),
        ),
        synonyms=("gradient_checkpointing", "checkpointing", "activation_checkpointing", "checkpoint", "remat"),
    ),
    StatementSpec(
        "attention",
        "attention implementation",
        "attention flash",
        EVERYWHERE,
        (_closed("attention"),),
        synonyms=("attn_implementation", "attn", "flash_attention", "flash_attn"),
    ),
    StatementSpec("loss", "how the logits become a loss", "loss chunked", EVERYWHERE, (LOSS,), synonyms=("loss_type", "cross_entropy")),
)

DISTRIBUTION_ROWS = (
    StatementSpec(
        "shard",
        "data-parallel strategy",
        "shard zero3 offload=[optimizer, params]",
        EVERYWHERE,
        (
            Slot("HOW", "choice", "", SHARDS, "shard"),
            Slot("WHAT", "choice", "what FSDP shards", ("full", "grad-op"), "shard_strategy", required=False),
        ),
        (
            Slot(
                "offload",
                "choice",
                "what waits in host memory",
                ("none", "optimizer", "params"),
                many=True,
                required=False,
                synonyms=("cpu_offload",),
            ),
            Slot(
                "bucket",
                "count",
                "elements of a reduce bucket",
                setting="zero_bucket",
                required=False,
                synonyms=("reduce_bucket_size", "bucket_size"),
            ),
            count("size", "ranks of one shard group (hsdp, MiCS)", "shard_size", "group", "shard_size", "mics_shard_size"),
            count("replicas", "shard groups that hold the same (hsdp)", "shard_replicas", "replicate", "dp_replicate_size"),
            count("secondary", "ranks that share ZeRO++'s second copy", "zero_secondary", "hpz", "zero_hpz_partition_size"),
            switch("reshard", "gathered parameters are freed after the forward", "reshard_after_forward", "reshard_after_forward"),
            choice("wrap", "the FSDP unit", ("layer", "size", "none"), "wrap", "auto_wrap", "auto_wrap_policy"),
        ),
        synonyms=("zero", "fsdp", "ddp", "deepspeed", "strategy", "zero_stage", "sharding"),
    ),
    StatementSpec(
        "parallel",
        "degrees of the other kinds of parallelism",
        "parallel tp=8 pp=2 dp=2",
        EVERYWHERE,
        (),
        (
            count("tp", "tensor parallel", "tensor_parallel", "tensor", "tensor_parallel_size"),
            count("pp", "pipeline parallel", "pipeline_parallel", "pipeline", "pipeline_parallel_size"),
            count("dp", "data parallel", "data_parallel", "data", "data_parallel_size"),
            count("cp", "context or sequence parallel", "context_parallel", "sp", "context", "sequence", "context_parallel_size"),
            count("ep", "expert parallel", "expert_parallel", "expert", "expert_parallel_size"),
            Slot("stage", "whole", "pipeline stage that the bill is for, from 0; else the worst", setting="pipeline_stage", required=False),
        ),
        needs_option=True,
        synonyms=("parallelism", "tp", "pp", "dp"),
    ),
)

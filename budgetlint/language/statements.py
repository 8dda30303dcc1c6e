"""The statement table of language version 1: every keyword, where it stands, its values and options with their types.

The grammar knows none of this; the checker, the resolver, the reference page and editors read it here.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.language.slots import FILE, RUN, TARGET, Slot, StatementSpec
from budgetlint.settings import DTYPES, SETTINGS

VERSION = 1

_EVERYWHERE = (FILE, TARGET, RUN)
_TRAINING = (FILE, TARGET, RUN)
_RUNS = (FILE, RUN)

PRECISIONS = ("fp32", "bf16", "fp16", "bf16-autocast", "fp16-autocast", "bf16-pure", "fp16-pure")
QUANTS = ("none", "nf4", "fp4", "int8", "gptq", "awq", "fp8")
ADAPTERS = (
    "none", "ia3", "adalora", "loha", "lokr", "oft", "boft", "vera", "fourierft", "hra", "bone", "randlora", "shira", "c3a",
    "prefix-tuning", "prompt-tuning", "p-tuning", "ln-tuning", "llama-adapter",
)  # fmt: skip
KERNELS = ("none", "liger", "unsloth", "rms_norm", "rope", "swiglu", "cross_entropy", "linear_cross_entropy", "lora")
SHARDS = ("none", "ddp", "zero1", "zero2", "zero3", "fsdp", "fsdp2", "hsdp")
FIGURES = (
    "peak", "allocated", "reserved", "device_total", "host", "weights", "gradients", "optimizer", "activations", "logits", "context",
)  # fmt: skip


def _amount(name: str, meaning: str) -> Slot:
    return Slot(name, "amount", meaning, required=False)


def _switch(name: str, meaning: str, setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "switch", meaning, setting=setting, required=False, synonyms=synonyms)


def _count(name: str, meaning: str, setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "count", meaning, setting=setting, required=False, synonyms=synonyms)


def _choice(name: str, meaning: str, choices: Iterable[str], setting: str = "", *synonyms: str) -> Slot:
    return Slot(name, "choice", meaning, tuple(choices), setting, required=False, synonyms=synonyms)


def _of(setting: str, name: str = "") -> Slot:
    """The first value of a statement that is exactly one closed setting."""
    spec = SETTINGS[setting]
    return Slot(name or "HOW", "choice", spec.meaning, spec.choices, setting)


_FILE_ROWS = (
    StatementSpec("budget", "the version of this language; without it, 1", "budget 1", (FILE,), (Slot("1", "count"),)),
    StatementSpec(
        "include", "the statements of another budget, as if they stood here", 'include "team.budget"', (FILE,), (Slot("PATH", "path"),), repeatable=True
    ),
    StatementSpec("let", "a value with a name, used as `$name`", "let ctx = 4096", (FILE,), repeatable=True),
    StatementSpec(
        "target", "a kind of machine by name", "target box { device 4x rtx-3090; host 128GiB }", (FILE,),
        (Slot("NAME", "name"),), repeatable=True, block=True, synonyms=("machine", "hardware"),
    ),
    StatementSpec(
        "run", "a training job by name; the top level then only holds defaults", "run sft { config sft.yaml; seq 2048 }", (FILE,),
        (Slot("NAME", "name"),), repeatable=True, block=True, synonyms=("job", "experiment"),
    ),
)  # fmt: skip

_HARDWARE_ROWS = (
    StatementSpec(
        "device", "the card, by any name nvidia-smi or torch prints, or by size; how many in each machine", "device 8x h100-80gb", _EVERYWHERE,
        (Slot("COUNTx", "count", "cards in each machine", required=False), Slot("NAME or AMOUNT", "device")),
        (
            _amount("usable", "what torch can really allocate from"),
            _switch("ecc", "memory error correction, which costs 1/16 on GDDR cards"),
            _amount("working_set", "Metal's recommended working set"),
        ),
        synonyms=("gpu", "gpus", "card", "accelerator", "vram", "memory", "devices"),
    ),
    StatementSpec("nodes", "machines", "nodes 4", _EVERYWHERE, (Slot("N", "count"),), synonyms=("machines", "num_nodes", "nnodes")),
    StatementSpec(
        "host", "memory of each machine, for offload", "host 512GiB pinned=64GiB", _EVERYWHERE, (Slot("AMOUNT", "amount"),),
        (_amount("pinned", "how much of it may be pinned"),), synonyms=("ram", "cpu_memory"),
    ),
    StatementSpec(
        "reserve", "held back from the device", 'reserve 3GiB for="desktop"', _EVERYWHERE, (Slot("AMOUNT or PERCENT", "share"),),
        (Slot("for", "text", "whom it is held back for", required=False),), synonyms=("headroom", "keep", "reserved", "margin"),
    ),
)  # fmt: skip

_MODEL_OPTIONS = (
    _count("hidden", "width of the residual stream", "", "hidden_size", "d_model", "n_embd"),
    _count("layers", "transformer layers", "", "num_hidden_layers", "n_layer", "num_layers", "depth"),
    _count("heads", "attention heads", "", "num_attention_heads", "n_head"),
    _count("kv_heads", "key and value heads", "", "num_key_value_heads"),
    _count("head_dim", "width of one head", ""),
    _count("intermediate", "width of the MLP", "", "intermediate_size", "ffn", "d_ff"),
    _count("vocab", "rows of the embedding", "", "vocab_size"),
    _count("max_positions", "longest position", "", "max_position_embeddings"),
    _switch("tied", "one matrix for embedding and head", "", "tie_word_embeddings"),
    _switch("glu", "gated MLP"),
    _switch("qkv_bias", "bias on query, key and value"),
    _choice("norm", "normalisation", ("rmsnorm", "layernorm")),
    _choice("position", "position encoding", ("rope", "learned", "alibi")),
    Slot("family", "name", "whose model code runs (llama, qwen2, gpt2, …)", required=False, synonyms=("model_type",)),
    _count("experts", "experts of each MoE layer", "", "num_experts", "num_local_experts"),
    _count("experts_per_token", "experts that one token visits", "", "num_experts_per_tok", "top_k"),
    _count("moe_intermediate", "width of one expert", "", "moe_intermediate_size"),
)

_MODEL_ROWS = (
    StatementSpec(
        "config", "the config files of the run", "config configs/*.yaml kind=axolotl", _RUNS, (Slot("PATH or GLOB", "path", many=True),),
        (Slot("kind", "text", "the format, where the content does not tell", required=False, synonyms=("format", "type")),),
        repeatable=True, synonyms=("file", "yaml", "configs"),
    ),
    StatementSpec(
        "model", "catalog name, hub id, a local config.json, or `custom` with the numbers", "model qwen2.5-1.5b", _TRAINING,
        (Slot("NAME or PATH", "model", setting="model"),),
        (Slot("head", "choice", "what stands on top", ("lm", "classification", "regression", "none"), "model_head", required=False), *_MODEL_OPTIONS),
        synonyms=("base_model", "model_name_or_path", "architecture", "checkpoint"),
    ),
    StatementSpec(
        "stack", "framework versions of the run; a trainer's name says whose model code runs", "stack transformers@5.24 torch@2.13", _TRAINING,
        (Slot("PACKAGE@VERSION", "package", many=True),), repeatable=True, synonyms=("versions", "requirements", "framework", "packages"),
    ),
    StatementSpec(
        "also", "a further model on the device", "also qwen2.5-1.5b role=reference", _RUNS, (Slot("NAME or PATH", "model"),),
        (
            Slot("role", "choice", "what it is for", ("reference", "reward", "teacher", "critic")),
            _choice("precision", "its own dtype", ("fp32", "bf16", "fp16")),
            _switch("offload", "it waits in host memory"),
        ),
        repeatable=True, synonyms=("reference", "ref_model", "teacher"),
    ),
    StatementSpec(
        "rollout", "a generation engine beside the training", "rollout vllm share=30% on=same", _RUNS, (Slot("ENGINE", "name"),),
        (Slot("share", "percent", "its part of the device", required=False, synonyms=("gpu_memory_utilization",)),
         _choice("on", "the same devices or others", ("same", "other"))),
        synonyms=("vllm", "generation"),
    ),
)  # fmt: skip

_PRECISION_ROWS = (
    StatementSpec(
        "precision", "the mixed-precision recipe: fp32 master with bf16 or fp16, autocast over fp32 weights, or all in bf16", "precision bf16", _TRAINING,
        (Slot("RECIPE", "choice", "", PRECISIONS, "precision"),),
        (
            _choice("weights", "dtype of the weights", DTYPES[:3], "weights_dtype"),
            _choice("grads", "dtype of the stored gradients", DTYPES[:3], "grads_dtype", "gradients"),
            _choice("master", "dtype of a separate master copy", ("none", "fp32"), "master_dtype"),
            _choice("autocast", "16-bit compute over the weights", ("on", "off", "bf16", "fp16"), "autocast"),
        ),
        synonyms=("dtype", "mixed_precision", "torch_dtype", "bf16", "fp16"),
    ),
    StatementSpec(
        "quant", "storage of the frozen base weights", "quant nf4 double=on compute=bf16", _TRAINING, (Slot("KIND", "choice", "", QUANTS, "quant"),),
        (
            _switch("double", "quantise the constants again", "quant_double", "double_quant", "bnb_4bit_use_double_quant"),
            _choice("compute", "dtype of the arithmetic", DTYPES[:3], "quant_compute_dtype", "compute_dtype", "bnb_4bit_compute_dtype"),
            _choice("storage", "dtype of the packed storage", ("uint8", "bf16", "fp16", "fp32"), "quant_storage"),
            _choice("upcast", "which unquantised parts become fp32", ("none", "norms", "all"), "quant_upcast"),
        ),
        synonyms=("quantization", "quantize", "load_in_4bit", "load_in_8bit", "bits", "qlora"),
    ),
    StatementSpec(
        "kernels", "fused kernels of the run", "kernels liger", _TRAINING, (Slot("KERNELS", "choice", "", KERNELS, "kernels", many=True),),
        synonyms=("use_liger_kernel", "liger", "unsloth"),
    ),
    StatementSpec("compile", "torch.compile of the model", "compile on", _TRAINING, (Slot("on or off", "switch", "", setting="compile"),), synonyms=("torch_compile",)),
)  # fmt: skip

_TRAINING_ROWS = (
    StatementSpec(
        "optimizer", "canonical name, or any ecosystem's spelling", "optimizer adamw8bit", _TRAINING, (Slot("NAME", "optimizer", setting="optimizer"),),
        (
            _choice("impl", "how the step walks the parameters", ("foreach", "fused", "for-loop"), "optimizer_impl"),
            _choice("state", "dtype of the state", ("fp32", "bf16", "fp16", "int8", "int4", "fp8"), "optimizer_state"),
        ),
        synonyms=("optim", "optimiser"),
    ),
    StatementSpec(
        "lora", "train low-rank updates instead of the model", "lora r=16 alpha=32 targets=all", _TRAINING, (),
        (
            _count("r", "rank", "lora_r", "rank", "lora_r", "lora_rank", "dim"),
            Slot("alpha", "number", "scaling numerator", setting="lora_alpha", required=False, synonyms=("lora_alpha", "scale")),
            Slot("targets", "text", "all, attention, mlp, or a list of module names", many=True, required=False,
                 synonyms=("target_modules", "lora_target", "modules", "target")),
            Slot("dropout", "number", "dropout in front of the branch", setting="lora_dropout", required=False, synonyms=("lora_dropout",)),
            Slot("save", "text", "modules trained in full beside it", setting="lora_modules_to_save", many=True, required=False, synonyms=("modules_to_save",)),
            _switch("dora", "magnitude vector", "lora_dora", "use_dora"),
            _switch("rslora", "rank-stabilised scaling", "lora_rslora", "use_rslora"),
            _choice("dtype", "dtype of the adapter", DTYPES[:3], "adapter_dtype"),
        ),
        synonyms=("peft", "lora_r"),
    ),
    StatementSpec("adapter", "another adapter, by its name", "adapter ia3", _TRAINING, (Slot("NAME", "choice", "", ADAPTERS, "adapter_kind"),), free="any"),
    StatementSpec(
        "freeze", "modules that do not train", "freeze vision_tower", _RUNS, (Slot("MODULE", "text", "", setting="freeze", many=True),),
        repeatable=True, synonyms=("frozen", "freeze_layers"),
    ),
    StatementSpec(
        "batch", "sequences per device and forward pass", "batch 2 accum=8", _TRAINING, (Slot("N", "count", "", setting="micro_batch"),),
        (
            _count("accum", "micro batches per optimizer step", "grad_accum", "accumulation", "grad_accum", "gradient_accumulation_steps", "accumulate"),
            _count("images", "images in each sequence", "images"),
            Slot("audio", "duration", "seconds of audio in each sequence", setting="audio_seconds", required=False),
        ),
        synonyms=("micro_batch", "batch_size", "per_device_train_batch_size", "micro_batch_size"),
    ),
    StatementSpec(
        "seq", "tokens of the longest sequence", "seq 4096 packing=on", _TRAINING, (Slot("N", "count", "", setting="seq_len"),),
        (_switch("packing", "several samples share a sequence", "packing", "pack", "sample_packing"),),
        synonyms=("seq_len", "sequence", "sequence_len", "max_length", "max_seq_length", "context", "cutoff_len", "length"),
    ),
    StatementSpec(
        "recompute", "activation checkpointing", "recompute full every=2", _TRAINING, (_of("recompute"),),
        (
            _count("every", "checkpoint every k-th layer", "recompute_every"),
            _switch("reentrant", "reentrant checkpointing", "recompute_reentrant", "use_reentrant"),
            _switch("offload", "checkpoints live in host memory", "recompute_offload", "cpu_offload"),
        ),
        synonyms=("gradient_checkpointing", "checkpointing", "activation_checkpointing", "checkpoint", "remat"),
    ),
    StatementSpec(
        "attention", "attention implementation", "attention flash", _TRAINING, (_of("attention"),),
        synonyms=("attn_implementation", "attn", "flash_attention", "flash_attn"),
    ),
    StatementSpec("loss", "how the logits become a loss", "loss chunked", _TRAINING, (_of("loss"),), synonyms=("loss_type", "cross_entropy")),
)  # fmt: skip

_DISTRIBUTION_ROWS = (
    StatementSpec(
        "shard", "data-parallel strategy", "shard zero3 offload=[optimizer, params]", _TRAINING,
        (Slot("HOW", "choice", "", SHARDS, "shard"), Slot("WHAT", "choice", "what FSDP shards", ("full", "grad-op"), "shard_strategy", required=False)),
        (
            Slot("offload", "choice", "what waits in host memory", ("none", "optimizer", "params"), many=True, required=False, synonyms=("cpu_offload",)),
            Slot("bucket", "count", "elements of a reduce bucket", setting="zero_bucket", required=False, synonyms=("reduce_bucket_size", "bucket_size")),
            _switch("reshard", "gathered parameters are freed after the forward", "reshard_after_forward", "reshard_after_forward"),
            _choice("wrap", "the FSDP unit", ("layer", "size", "none"), "wrap", "auto_wrap", "auto_wrap_policy"),
        ),
        synonyms=("zero", "fsdp", "ddp", "deepspeed", "strategy", "zero_stage", "sharding"),
    ),
    StatementSpec(
        "parallel", "degrees of the other kinds of parallelism", "parallel tp=8 pp=2 dp=2", _TRAINING, (),
        (
            _count("tp", "tensor parallel", "tensor_parallel", "tensor", "tensor_parallel_size"),
            _count("pp", "pipeline parallel", "pipeline_parallel", "pipeline", "pipeline_parallel_size"),
            _count("dp", "data parallel", "data_parallel", "data", "data_parallel_size"),
            _count("cp", "context or sequence parallel", "context_parallel", "sp", "context", "sequence", "context_parallel_size"),
            _count("ep", "expert parallel", "expert_parallel", "expert", "expert_parallel_size"),
        ),
        needs_option=True, synonyms=("parallelism", "tp", "pp", "dp"),
    ),
)  # fmt: skip

_JUDGEMENT_ROWS = (
    StatementSpec("on", "the targets this run is checked on", "on ci cloud", _RUNS, (Slot("TARGET", "target", many=True),), synonyms=("targets",)),
    StatementSpec(
        "matrix", "a grid: each combination is checked as a cell", "matrix seq=[1024, 4096] batch=[1, 2]", _RUNS, (), (), free="setting", needs_option=True,
        synonyms=("grid", "sweep"),
    ),
    StatementSpec(
        "assert", "a comparison that must hold for every run", 'assert peak <= 90% of usable, "leave room"', _RUNS, repeatable=True,
        synonyms=("require", "ensure", "check", "limit"),
    ),
    *(
        StatementSpec(
            keyword, meaning, example, _RUNS, (Slot("RULE", "rule", many=True),), options, repeatable=True, synonyms=synonyms,
        )
        for keyword, meaning, example, options, synonyms in (
            ("deny", "these rules are errors", "deny does-not-fit BL2*", (), ("error", "forbid")),
            ("warn", "these rules are warnings", "warn adam-l2-weight-decay", (), ("warning",)),
            (
                "allow", "these rules are off", 'allow unit-mixup reason="data sheets are in GB" until=2099-01-31',
                (
                    Slot("reason", "text", "why", required=False, synonyms=("because", "why")),
                    Slot("until", "date", "the last day it holds", required=False, synonyms=("expires", "before")),
                    Slot("in", "text", "only in these files", required=False, synonyms=("file", "files", "path")),
                    Slot("key", "text", "only at these keys", required=False, synonyms=("keys",)),
                ),
                ("ignore", "disable", "off", "skip"),
            ),
        )
    ),
    StatementSpec("tolerance", "how far a measurement may be from the estimate", "tolerance 8%", _RUNS, (Slot("PERCENT", "percent"),), synonyms=("within",)),
    StatementSpec(
        "measured", "what a probe, or a person, saw on a real device", 'measured peak=11.42GiB device="NVIDIA L4" torch="2.13.0" date=2026-11-29', _RUNS, (),
        (
            *(_amount(name, f"{name.replace('_', ' ')} bytes") for name in FIGURES),
            Slot("outcome", "choice", "how the run ended", ("ok", "oom"), required=False),
            Slot("metric", "text", "which tool printed it", required=False),
            Slot("phase", "name", "which phase it is", required=False),
            Slot("device", "text", "on which card", required=False, synonyms=("gpu",)),
            Slot("torch", "version", "torch version", required=False),
            Slot("driver", "version", "driver version", required=False),
            Slot("date", "date", "when", required=False),
            Slot("config", "text", "hash of the settings that matter", required=False),
        ),
        repeatable=True, free="setting", needs_option=True,
    ),
)  # fmt: skip

_GROUPS = (
    ("The file", _FILE_ROWS),
    ("The machine", _HARDWARE_ROWS),
    ("The model and the code", _MODEL_ROWS),
    ("Precision and kernels", _PRECISION_ROWS),
    ("Training", _TRAINING_ROWS),
    ("Distribution", _DISTRIBUTION_ROWS),
    ("Judgement", _JUDGEMENT_ROWS),
)

GROUPS: tuple[tuple[str, tuple[StatementSpec, ...]], ...] = _GROUPS
STATEMENTS: dict[str, StatementSpec] = {row.keyword: row for _, rows in _GROUPS for row in rows}


def setting_paths() -> dict[str, tuple[str, Slot]]:
    """Every name a setting has in a matrix, a `measured` line or an assert: ``seq``, ``lora.r``, ``seq_len``."""
    paths: dict[str, tuple[str, Slot]] = {}
    for spec in STATEMENTS.values():
        if spec.values and spec.values[0].setting:
            paths[spec.keyword] = (spec.values[0].setting, spec.values[0])
        for option in spec.options:
            if option.setting:
                paths[f"{spec.keyword}.{option.name}"] = (option.setting, option)
    for setting, slot in [*paths.values()]:
        paths.setdefault(setting, (setting, slot))
    return paths

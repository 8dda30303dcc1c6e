"""The model, the versions of the code that runs it, its precision and kernels."""

from __future__ import annotations

from budgetlint.language.slots import EVERYWHERE, RUNS, Slot, StatementSpec, choice, count, switch
from budgetlint.settings.vocabulary import DTYPES

PRECISIONS = ("fp32", "bf16", "fp16", "bf16-autocast", "fp16-autocast", "bf16-pure", "fp16-pure")
QUANTS = ("none", "nf4", "fp4", "int8", "gptq", "awq", "fp8")
KERNELS = ("none", "liger", "unsloth", "rms_norm", "rope", "swiglu", "cross_entropy", "linear_cross_entropy", "lora")
COMPILED = ("on", "off", "layers", "model", "loss", "step")

_MODEL_OPTIONS = (
    count("hidden", "width of the residual stream", "", "hidden_size", "d_model", "n_embd"),
    count("layers", "transformer layers", "", "num_hidden_layers", "n_layer", "num_layers", "depth"),
    count("heads", "attention heads", "", "num_attention_heads", "n_head"),
    count("kv_heads", "key and value heads", "", "num_key_value_heads"),
    count("head_dim", "width of one head", ""),
    count("intermediate", "width of the MLP", "", "intermediate_size", "ffn", "d_ff"),
    count("vocab", "rows of the embedding", "", "vocab_size"),
    count("max_positions", "longest position", "", "max_position_embeddings"),
    switch("tied", "one matrix for embedding and head", "", "tie_word_embeddings"),
    switch("glu", "gated MLP"),
    switch("qkv_bias", "bias on query, key and value"),
    choice("norm", "normalisation", ("rmsnorm", "layernorm")),
    choice("position", "position encoding", ("rope", "learned", "alibi")),
    Slot("family", "name", "whose model code runs (llama, qwen2, gpt2, …)", required=False, synonyms=("model_type",)),
    count("experts", "experts of each MoE layer", "", "num_experts", "num_local_experts"),
    count("experts_per_token", "experts that one token visits", "", "num_experts_per_tok", "top_k"),
    count("moe_intermediate", "width of one expert", "", "moe_intermediate_size"),
)

MODEL_ROWS = (
    StatementSpec(
        "config",
        "the config files of the run",
        "config configs/*.yaml kind=axolotl",
        RUNS,
        (Slot("PATH or GLOB", "path", many=True),),
        (Slot("kind", "text", "the format, where the content does not tell", required=False, synonyms=("format", "type")),),
        repeatable=True,
        synonyms=("file", "yaml", "configs"),
    ),
    StatementSpec(
        "reads",
        "keys of a file of your own (YAML, JSON, TOML) that are settings of the run: a change in that file is judged at its own lines",
        'reads launch.yaml { model=overrides.model; batch=overrides.mbs; shard="zero{overrides.zero}" }',
        RUNS,
        (Slot("PATH or GLOB", "path"),),
        repeatable=True,
        block=True,
        keys=True,
        synonyms=("from", "read", "maps", "launcher"),
    ),
    StatementSpec(
        "model",
        "catalog name, hub id, a local config.json, or `custom` with the numbers",
        "model qwen2.5-1.5b",
        EVERYWHERE,
        (Slot("NAME or PATH", "model", setting="model"),),
        (
            Slot("head", "choice", "what stands on top", ("lm", "classification", "regression", "none"), "model_head", required=False),
            *_MODEL_OPTIONS,
        ),
        synonyms=("base_model", "model_name_or_path", "architecture", "checkpoint"),
    ),
    StatementSpec(
        "stack",
        "framework versions of the run; a trainer's name says whose model code runs",
        "stack transformers@5.24 torch@2.13",
        RUNS,
        (Slot("PACKAGE@VERSION", "package", many=True),),
        repeatable=True,
        synonyms=("versions", "requirements", "framework", "packages"),
    ),
    StatementSpec(
        "also",
        "a further model on the device",
        "also qwen2.5-1.5b role=reference",
        RUNS,
        (Slot("NAME or PATH", "model"),),
        (
            Slot("role", "choice", "what it is for", ("reference", "reward", "teacher", "critic")),
            choice("precision", "its own dtype", ("fp32", "bf16", "fp16")),
            switch("offload", "it waits in host memory"),
        ),
        repeatable=True,
        synonyms=("reference", "ref_model", "teacher"),
    ),
    StatementSpec(
        "rollout",
        "a generation engine beside the training",
        "rollout vllm share=30% on=same",
        RUNS,
        (Slot("ENGINE", "name"),),
        (
            Slot("share", "percent", "its part of the device", required=False, synonyms=("gpu_memory_utilization",)),
            choice("on", "the same devices or others", ("same", "other")),
        ),
        synonyms=("vllm", "generation"),
    ),
)

PRECISION_ROWS = (
    StatementSpec(
        "precision",
        "the mixed-precision recipe: fp32 master with bf16 or fp16, autocast over fp32 weights, or all in bf16",
        "precision bf16",
        EVERYWHERE,
        (Slot("RECIPE", "choice", "", PRECISIONS, "precision"),),
        (
            choice("weights", "dtype of the weights", DTYPES[:3], "weights_dtype"),
            choice("grads", "dtype of the stored gradients", DTYPES[:3], "grads_dtype", "gradients"),
            choice("master", "dtype of a separate master copy", ("none", "fp32"), "master_dtype"),
            choice("autocast", "16-bit compute over the weights", ("on", "off", "bf16", "fp16"), "autocast"),
        ),
        synonyms=("dtype", "mixed_precision", "torch_dtype", "bf16", "fp16"),
    ),
    StatementSpec(
        "quant",
        "storage of the frozen base weights",
        "quant nf4 double=on compute=bf16",
        EVERYWHERE,
        (Slot("KIND", "choice", "", QUANTS, "quant"),),
        (
            switch("double", "quantise the constants again", "quant_double", "double_quant", "bnb_4bit_use_double_quant"),
            choice("compute", "dtype of the arithmetic", DTYPES[:3], "quant_compute_dtype", "compute_dtype", "bnb_4bit_compute_dtype"),
            choice("storage", "dtype of the packed storage", ("uint8", "bf16", "fp16", "fp32"), "quant_storage"),
            switch("experts", "a mixture's experts are quantised too", "quant_experts", "quantize_moe_experts"),
            choice("upcast", "which unquantised parts become fp32", ("none", "norms", "all"), "quant_upcast"),
            Slot("group", "whole", "weights that share a scale (GPTQ, AWQ); 0: a whole row", setting="quant_group", required=False),
        ),
        synonyms=("quantization", "quantize", "load_in_4bit", "load_in_8bit", "bits", "qlora"),
    ),
    StatementSpec(
        "kernels",
        "fused kernels of the run",
        "kernels liger",
        EVERYWHERE,
        (Slot("KERNELS", "choice", "", KERNELS, "kernels", many=True),),
        synonyms=("use_liger_kernel", "liger", "unsloth"),
    ),
    StatementSpec(
        "compile",
        "what torch.compile is given: the layers each for itself, the model, the loss, or the step (model and loss in one graph that gives "
        "the loss alone); `on`: what the framework compiles",
        "compile [layers, loss]",
        EVERYWHERE,
        (Slot("WHAT", "choice", "", COMPILED, "compile", many=True),),
        synonyms=("torch_compile",),
    ),
)

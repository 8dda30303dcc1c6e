"""What the words of the measured rows are in the budget language. A word that is missing here makes a row inexpressible."""

from __future__ import annotations

MODELS = {
    "Llama-3.1-8B (torchtitan llama3 8B)": "llama-3.1-8b",
    "Llama-2-7B (torchtrain llama 7B)": "llama-2-7b",
    "TinyLlama/TinyLlama-1.1B (litgpt tiny-llama-1.1b)": "tinyllama-1.1b",
    "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T": "tinyllama-1.1b",
    "meta-llama/Llama-2-7b-hf (litgpt)": "llama-2-7b",
    "Llama-2-7b-hf": "llama-2-7b",
    "meta-llama/Llama-2-7b": "llama-2-7b",
    "meta-llama/Llama-2-70b": "llama-2-70b",
    "llama3-8b-instruct": "llama-3-8b",
    "Llama-3.1-70B": "llama-3.1-70b",
    "Llama-3.1-405B": "llama-3.1-405b",
    "LLaMA-7B (GaLore configs)": "llama-7b",
    "GPT-2 124M (book implementation, untied head)": "gpt2-124m-untied",
    "bert-large-uncased (sequence classification)": "bert-large-uncased head=classification",
    "OpenBuddy/openbuddy-zephyr-7b (Mistral-7B arch)": "mistral-7b-v0.1",
    "timm/vit_huge_patch14_224.orig_in21k": "vit-huge-patch14-224",
    "Llama-3-8B cut to 9 layers (litgpt)": (
        "custom hidden=4096 layers=9 heads=32 kv_heads=8 intermediate=14336 vocab=128256 tied=off family=llama"
    ),
    **{f"GPT-2 style {n} layers x {h}": f"gpt-{n}x{h}" for n, h in ((48, 7168), (64, 8192), (64, 9216), (64, 12288))},
}

# llm-foundry scripts/train/yamls: hidden, layers, heads; a bias everywhere, a plain GELU, no dropout, positions up to the length.
FOUNDRY = {
    "MPT-125m (llm-foundry)": (768, 12, 12), "MPT-350m (llm-foundry)": (1024, 24, 16), "MPT-760m (llm-foundry)": (1536, 24, 12),
    "MPT-1b (llm-foundry)": (2048, 24, 16), "MPT-3b (llm-foundry)": (2560, 32, 20), "MPT-7b (llm-foundry)": (4096, 32, 32),
    "MPT-13b (llm-foundry)": (5120, 40, 40), "MPT-30b (llm-foundry)": (7168, 48, 56), "MPT-70b (llm-foundry)": (8192, 80, 64),
}  # fmt: skip
FOUNDRY_VOCABULARY = 50368

# An ambiguous name stands for its larger card: what does not fit that one fits neither.
DEVICES = {
    "A100": "a100-80gb", "A100-80GB": "a100-80gb", "A100 80GB": "a100-80gb", "A100 80GB class": "a100-80gb", "a100_80gb": "a100-80gb",
    "NVIDIA A100-SXM4-80GB": "a100-80gb", "A100-SXM4-80GB": "a100-80gb", "A100 80GB (79.15 GiB usable)": "a100-80gb",
    "A100 (80GB class; values up to 78.7 GiB)": "a100-80gb", "A100 40GB": "a100-40gb", "A100-SXM4-40GB": "a100-40gb",
    "NVIDIA A100-SXM4-40GB": "a100-40gb", "A100 40GB SMX": "a100-40gb", "a100_40gb": "a100-40gb", "A10G 24GB": "a10g",
    "NVIDIA A10G": "a10g",
    "H100": "h100-80gb", "h100_80gb": "h100-80gb", "H100 80GB SXM": "h100-80gb", "H100 80GB (79.1 GiB)": "h100-80gb",
    "H100 (95.04 GiB)": "96GiB usable=95.04GiB", "H800 80GB": "h800", "GB200 184.3 GiB": "gb200", "NVIDIA L4": "l4", "Tesla T4": "t4",
    "L40S": "l40s", "NVIDIA L40S": "l40s", "RTX 3090": "rtx-3090", "RTX 3090 24GB": "rtx-3090", "RTX 4090": "rtx-4090",
    "RTX 4070 Ti SUPER 16GB": "rtx-4070-ti-super", "Titan RTX 24GB": "titan-rtx", "A5000 24GB": "rtx-a5000", "A6000": "rtx-a6000",
    "A6000 48GB": "rtx-a6000", "A6000 Ada 48GB": "rtx-6000-ada", "V100 32GB": "v100-32gb", "V100 16GB": "v100-16gb",
    "V100 32GB (31.75 GB printed)": "v100-32gb", "V100 32GB (cluster of the RLHF log)": "v100-32gb",
}  # fmt: skip
NO_DEVICE = ("not stated", "unknown", "None", "")

OPTIMIZERS = {
    "AdamW": "adamw", "adamw_torch": "adamw", "AdamW (HF default)": "adamw", "HF adamw_torch (foreach default; eps 1e-4)": "adamw",
    "AdamW (HF/DeepSpeed)": "adamw", "AdamW (HF adamw_hf)": "adamw_hf", "AdamW foreach": "adamw impl=foreach",
    "AdamW (foreach)": "adamw impl=foreach",
    "AdamW fused": "adamw impl=fused", "adamw_torch_fused": "adamw impl=fused", "AdamW / paged (config)": "adamw",
    "bnb PagedAdamW (32-bit)": "paged_adamw_32bit", "bnb PagedAdamW": "paged_adamw_32bit", "paged_adamw_8bit": "paged_adamw_8bit",
    "bnb Adam8bit": "adamw8bit", "bnb AdamW 8-bit": "adamw8bit", "adamw_8bit": "adamw8bit", "adamw_bnb_8bit": "adamw8bit",
    "torchao AdamW8bit": "adamw_torch_8bit", "adamw_torch_8bit": "adamw_torch_8bit", "torchao AdamW4bit": "adamw_torch_4bit",
    "adamw_torch_4bit": "adamw_torch_4bit", "Adafactor": "adafactor", "SGD": "sgd", "DeepSpeed FusedAdam (AdamW)": "fused_adam",
    "DeepSpeed FusedAdam": "fused_adam", "Adam (apex fused)": "fused_adam", "DeepSpeed CPUAdam": "cpu_adam",
    "GaLore AdamW": "galore_adamw", "HybridAdam": "adamw",
    "decoupled AdamW/LionW of the benchmark yaml": "lion",  # not stated which: the smaller, for these rows only say that a run fitted
}  # fmt: skip

# litgpt names parts of a matrix that some families fuse, Qwen and others name the fused one; roles are found in the catalog.
TARGETS = {
    "q": ("q_proj", "qkv_proj"), "k": ("k_proj", "qkv_proj"), "v": ("v_proj", "qkv_proj"), "query": ("q_proj", "qkv_proj"),
    "key": ("k_proj", "qkv_proj"), "value": ("v_proj", "qkv_proj"), "projection": ("o_proj",), "output_proj": ("o_proj",),
    "mlp": ("gate_proj", "up_proj", "down_proj", "gate_up_proj"), "head": ("lm_head",), "W_pack": ("qkv_proj",), "c_attn": ("qkv_proj",),
    "query_key_value": ("qkv_proj",), "c_proj": ("o_proj", "down_proj"), "w1": ("up_proj", "gate_proj"), "w2": ("gate_proj", "up_proj"),
}  # fmt: skip

METHODS = ("lora", "qlora", "gptq-lora", "lora+use_dora", "lora+use_rslora", "lora+emb", "dora", "rslora")
ADAPTERS = {
    "adalora": "adalora", "c3a": "c3a", "fourierft": "fourierft", "ia3": "ia3", "ln_tuning": "ln-tuning", "loha": "loha", "lokr": "lokr",
    "p_tuning": "p-tuning", "prefix_tuning": "prefix-tuning", "prompt_tuning": "prompt-tuning", "shira": "shira", "vera": "vera",
    "adapter": "llama-adapter", "adapter-quantized": "llama-adapter", "p-tuning-v2": "prefix-tuning",
    "randlora": "randlora", "bone": "bone",
}  # fmt: skip

SHARDS = {
    "ddp": "ddp", "fsdp_no_shard (ddp mode)": "ddp", "fsdp_full_shard": "fsdp", "fsdp1_full_shard": "fsdp", "fsdp2_full_shard": "fsdp2",
    "fsdp_shard_grad_op": "fsdp grad-op", "zero0": "ddp", "zero2": "zero2", "zero3": "zero3", "none or zero2 on 1 GPU": "zero2",
    "sharded_ddp (zero2-like)": "zero2", "3d (tp+pp)": "none",
}  # fmt: skip

OFFLOADS = {
    "FSDP cpu_offload (params)": " offload=[params, optimizer]", "FSDP cpu_offload": " offload=[params, optimizer]",
    "FSDP param offload": " offload=[params, optimizer]", "cpu offload": " offload=[params, optimizer]",
    "optimizer to CPU (zero2-cpu)": " offload=optimizer", "optimizer to CPU": " offload=optimizer",
    "optimizer state on CPU": " offload=optimizer", "ZeRO-Offload optimizer": " offload=optimizer", "paged optimizer": "",
}  # fmt: skip

# What a source's own script does and its rows do not repeat: fsdp_qlora train.py casts the adapters to the run's dtype.
ADAPTER_DTYPES = {"fsdp_qlora": "bf16"}

# llmfoundry/models/mpt: ``loss_fn`` is the fused cross entropy of flash-attn unless the yaml says otherwise.
FUSED_LOSS = ("llm-foundry",)

PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "deepspeed", "bitsandbytes")
# The argument lists that the logs of May 2021 print (``use_contiguous_buffers_in_ddp``: False) are those of Megatron-LM 2.4; under
# the engine of DeepSpeed (0.3.16 was its release then) the wrapper is not used.
ENGINES = {"megatron": "megatron@2.4", "deepspeed-pipe": "megatron deepspeed@0.3.16"}

# The page of 2022 prints 1343 MB for a process with one element on the device: every kernel is loaded at once, so torch before 1.13.
RELEASES = {"hf-perf-bert-large": "torch@1.12"}

_EARLY = ("005", "006", "007", "008", "009", "010", "030", "033", "063", "064", "065", "066", "067")
EAGER_LOSS = frozenset([f"titan-{number}" for number in _EARLY])
"""Compiled rows of torchtitan whose loss is not: train.py of their commits (9dec370, 473674acf, 2271b6386: ``torch.compile(loss_fn)``
stands in a comment; 83c879f18: nothing)."""

TRAINERS = {"litgpt": "litgpt", "torchtitan": "torchtitan", "torchtune": "torchtune"}

WITHOUT_GROUPS = ("TheBloke/Llama-2-70B-GPTQ", "TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ")
"""Checkpoints whose main branch has one scale a row (quantize_config.json group_size -1); resting memory says so too (101, 109, 117)."""

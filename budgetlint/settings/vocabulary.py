"""The vocabulary of settings: one name, one type and one meaning for what every ecosystem spells differently.

Readers write these names, the estimator and the rules read them. A value is one of the plain types below, already in our
domain (``micro_batch`` an ``int``, ``optimizer`` a canonical name of `budgetlint.catalog.optimizers`).
"""

from __future__ import annotations

from budgetlint.base.record import record


@record
class SettingSpec:
    """``kind`` is ``int | float | bool | text | choice | list | dtype``; ``choices`` closes a choice; ``unit`` is for people."""

    name: str
    kind: str
    meaning: str
    unit: str = ""
    choices: tuple[str, ...] = ()


DTYPES = ("fp32", "bf16", "fp16", "fp8")

_ROWS: tuple[SettingSpec, ...] = (
    # -- model
    SettingSpec("model", "text", "catalog name, hub id, or path of a checkpoint folder or config.json"),
    SettingSpec("weights_dtype", "choice", "dtype the weights are loaded in; 'auto' is the checkpoint's own", choices=("auto", *DTYPES)),
    SettingSpec("trust_remote_code", "bool", "model code comes from the checkpoint"),
    # -- what trains
    SettingSpec(
        "task",
        "choice",
        "what the trainer optimises",
        choices=("sft", "pretrain", "dpo", "kto", "orpo", "grpo", "ppo", "reward", "classification", "other"),
    ),
    SettingSpec("adapter", "choice", "adapter method; 'none' trains the model itself", choices=("none", "lora", "other")),
    SettingSpec("lora_r", "int", "rank of the LoRA update"),
    SettingSpec("lora_alpha", "float", "LoRA scaling numerator"),
    SettingSpec("lora_dropout", "float", "dropout in front of the LoRA branch"),
    SettingSpec("lora_targets", "list", "target roles or module names; the single item 'all-linear' means every block linear"),
    SettingSpec("lora_modules_to_save", "list", "modules trained in full beside the adapter"),
    SettingSpec("lora_dora", "bool", "DoRA magnitude vector"),
    SettingSpec("lora_rslora", "bool", "rank-stabilised scaling"),
    SettingSpec("adapter_dtype", "dtype", "dtype of the adapter weights", choices=DTYPES),
    SettingSpec("freeze", "list", "module names that do not train"),
    # -- precision
    SettingSpec(
        "precision",
        "choice",
        "a named recipe (budget)",
        choices=("fp32", "bf16", "fp16", "bf16-autocast", "fp16-autocast", "bf16-pure", "fp16-pure"),
    ),
    SettingSpec("autocast", "choice", "16-bit compute over the loaded weights; 'none' is off", choices=("none", "bf16", "fp16", "fp8")),
    SettingSpec("engine_dtype", "choice", "dtype the DeepSpeed engine keeps weights and gradients in", choices=("fp32", "bf16", "fp16")),
    SettingSpec("grads_dtype", "dtype", "dtype of the stored gradients", choices=DTYPES),
    SettingSpec("master_dtype", "choice", "dtype of a separate master copy; 'none' keeps none", choices=("none", "fp32")),
    SettingSpec("tf32", "bool", "TensorFloat-32 matmuls"),
    SettingSpec("loss_scale", "float", "fp16 loss scale; 0 is dynamic"),
    # -- quantised base
    SettingSpec("quant", "choice", "storage of the frozen linears", choices=("none", "nf4", "fp4", "int8", "gptq", "awq", "fp8")),
    SettingSpec("quant_experts", "bool", "a mixture's experts are quantised too"),
    SettingSpec("quant_double", "bool", "quantise the absmax constants again"),
    SettingSpec("quant_compute_dtype", "dtype", "dtype the 4-bit weights are computed in", choices=DTYPES),
    SettingSpec("quant_storage", "text", "dtype of the packed storage (uint8, bf16, ...)"),
    SettingSpec("quant_upcast", "choice", "which unquantised parts are cast to fp32", choices=("none", "norms", "all")),
    SettingSpec("quant_group", "int", "weights that share a scale (GPTQ, AWQ); 0: a whole row", unit="weights"),
    # -- optimizer and schedule
    SettingSpec("optimizer", "text", "canonical optimizer name of the catalog"),
    SettingSpec("optimizer_impl", "choice", "how the step walks the parameters", choices=("foreach", "fused", "for-loop")),
    SettingSpec("optimizer_state", "choice", "dtype of the optimizer state", choices=("fp32", "bf16", "fp16", "int8", "int4", "fp8")),
    SettingSpec("learning_rate", "float", "peak learning rate"),
    SettingSpec("weight_decay", "float", "weight decay coefficient"),
    SettingSpec("adam_beta1", "float", "first Adam beta"),
    SettingSpec("adam_beta2", "float", "second Adam beta"),
    SettingSpec("adam_epsilon", "float", "Adam epsilon"),
    SettingSpec("max_grad_norm", "float", "gradient clipping norm; 0 is off"),
    SettingSpec("lr_scheduler", "text", "learning rate schedule, as the framework names it"),
    SettingSpec("warmup_steps", "float", "warm-up steps (a fraction of the run where the framework reads it so)"),
    SettingSpec("warmup_ratio", "float", "warm-up as a fraction of the run"),
    SettingSpec("max_steps", "int", "optimizer steps; -1 leaves it to the epochs", unit="steps"),
    SettingSpec("num_epochs", "float", "passes over the data", unit="epochs"),
    # -- workload
    SettingSpec("micro_batch", "int", "sequences per device and forward pass", unit="sequences"),
    SettingSpec("grad_accum", "int", "micro batches per optimizer step"),
    SettingSpec("sync_each_batch", "bool", "gradients are reduced after every micro batch, not only before the step"),
    SettingSpec("global_batch", "int", "sequences per optimizer step over all devices", unit="sequences"),
    SettingSpec("eval_batch", "int", "sequences per device in evaluation", unit="sequences"),
    SettingSpec("seq_len", "int", "longest sequence of a micro batch", unit="tokens"),
    SettingSpec("target_len", "int", "longest target (labels) of a model of encoder and decoder", unit="tokens"),
    SettingSpec("packing", "bool", "several samples share one sequence"),
    SettingSpec("padding_free", "bool", "a batch is flattened into one sequence"),
    SettingSpec("pad_to_seq_len", "bool", "every batch is padded to seq_len"),
    # -- activations
    SettingSpec("recompute", "choice", "activation checkpointing", choices=("none", "selective", "full")),
    SettingSpec("recompute_every", "int", "checkpoint every k-th layer"),
    SettingSpec("recompute_layers", "int", "checkpoint only so many layers, from the first on", unit="layers"),
    SettingSpec("recompute_partition", "bool", "checkpoints are split over the tensor-parallel ranks"),
    SettingSpec("recompute_reentrant", "bool", "reentrant checkpointing"),
    SettingSpec("recompute_offload", "bool", "checkpoints live in host memory"),
    SettingSpec("attention", "choice", "attention implementation", choices=("eager", "sdpa", "flash", "flex")),
    SettingSpec(
        "loss", "choice", "how the logits become a loss", choices=("full", "plain", "fused", "chunked", "in-place", "in-place-copied")
    ),
    SettingSpec("kernels", "list", "fused kernels: rms_norm, rope, swiglu, cross_entropy, linear_cross_entropy, lora"),
    SettingSpec("compile", "bool", "torch.compile of the model"),
    SettingSpec("compile_parts", "list", "what is compiled: layers, model, loss, or step (model and loss in one graph)"),
    SettingSpec("use_cache", "bool", "the model keeps a KV cache"),
    # -- distribution
    SettingSpec("shard", "choice", "data-parallel strategy", choices=("none", "ddp", "zero1", "zero2", "zero3", "fsdp", "fsdp2")),
    SettingSpec("shard_strategy", "choice", "what FSDP shards", choices=("full", "grad-op", "hybrid", "hybrid-grad-op", "no-shard")),
    SettingSpec("shard_size", "int", "ranks of one shard group (hybrid sharding, MiCS)", unit="devices"),
    SettingSpec("shard_replicas", "int", "shard groups that hold the same (hybrid sharding)"),
    SettingSpec(
        "zero_secondary", "int", "ranks that share a second copy of the 16-bit parameters (zero_hpz_partition_size)", unit="devices"
    ),
    SettingSpec("reshard_after_forward", "bool", "FSDP frees gathered parameters after the forward"),
    SettingSpec("reduce_dtype", "dtype", "dtype in which FSDP reduces gradients, where it is not the compute dtype", choices=DTYPES),
    SettingSpec("wrap", "choice", "FSDP unit", choices=("layer", "size", "none")),
    SettingSpec("offload_optimizer", "choice", "where the optimizer state lives", choices=("none", "cpu", "nvme")),
    SettingSpec("offload_params", "choice", "where the parameters live", choices=("none", "cpu", "nvme")),
    SettingSpec("pin_optimizer", "bool", "what the offloaded optimizer needs lies in page-locked host memory"),
    SettingSpec("pin_params", "bool", "offloaded parameters lie in page-locked host memory"),
    SettingSpec("offload_ratio", "float", "share of the optimizer's groups that is offloaded, the rest stays on the device"),
    SettingSpec("devices", "int", "data-parallel processes in all (world size)", unit="devices"),
    SettingSpec("devices_per_node", "int", "processes on each machine", unit="devices"),
    SettingSpec("nodes", "int", "machines"),
    SettingSpec("tensor_parallel", "int", "tensor-parallel degree"),
    SettingSpec("pipeline_parallel", "int", "pipeline-parallel degree"),
    SettingSpec("context_parallel", "int", "context- or sequence-parallel degree"),
    SettingSpec("expert_parallel", "int", "expert-parallel degree"),
    SettingSpec("expert_tensor_parallel", "int", "tensor-parallel degree of the experts, where it is their own"),
    SettingSpec("sequence_parallel", "bool", "tensor-parallel ranks split norms and residuals by positions"),
    SettingSpec("vocab_parallel", "bool", "tensor-parallel ranks split the embedding and the logits by the vocabulary"),
    SettingSpec("pipeline_schedule", "text", "order of the micro batches in the pipeline (1f1b, gpipe, interleaved1f1b, ...)"),
    SettingSpec("pipeline_stage", "int", "pipeline stage that the bill is for, from 0; else the worst"),
    SettingSpec("pipeline_micro_batch", "int", "sequences of one pipeline micro batch, where the batch is cut", unit="sequences"),
    SettingSpec("pipeline_first_layers", "int", "layers of the first pipeline stage", unit="layers"),
    SettingSpec("pipeline_last_layers", "int", "layers of the last pipeline stage", unit="layers"),
    SettingSpec("pipeline_counts_embedding", "bool", "the embedding counts as a layer of the first pipeline stage"),
    SettingSpec("pipeline_counts_head", "bool", "the head counts as a layer of the last pipeline stage"),
    SettingSpec("virtual_stages", "int", "model chunks of each pipeline rank"),
    SettingSpec("layers_per_virtual_stage", "int", "layers of one such chunk", unit="layers"),
    SettingSpec("zero_bucket", "int", "reduce_bucket_size", unit="elements"),
    SettingSpec("zero_allgather_bucket", "int", "allgather_bucket_size", unit="elements"),
    SettingSpec("zero_overlap", "bool", "overlap_comm"),
    SettingSpec("zero_prefetch", "int", "stage3_prefetch_bucket_size", unit="elements"),
    SettingSpec("zero_persistence", "int", "stage3_param_persistence_threshold", unit="elements"),
    SettingSpec("zero_max_live", "int", "stage3_max_live_parameters", unit="elements"),
    SettingSpec("zero_sub_group", "int", "sub_group_size", unit="elements"),
    SettingSpec("zero_contiguous", "bool", "contiguous_gradients"),
    SettingSpec("zero_gathers_on_save", "bool", "ZeRO-3 saves a whole 16-bit model"),
    # -- evaluation and saving
    SettingSpec("eval_on", "bool", "evaluation runs during training"),
    SettingSpec("eval_accumulation_steps", "int", "evaluation steps kept on the device"),
    SettingSpec("prediction_loss_only", "bool", "evaluation keeps no logits"),
    SettingSpec("save_strategy", "text", "when checkpoints are written"),
    SettingSpec("state_dict_type", "text", "how FSDP saves"),
    SettingSpec("unmodelled", "list", "what the run asks for and the estimate does not know, by name"),
    # -- what only a budget says
    SettingSpec("model_custom", "list", "the numbers of 'model custom': pairs of an architecture field and its value"),
    SettingSpec("model_config", "text", "the keys of the configuration that a program makes its model of, as in a config.json"),
    SettingSpec("own_parameters", "text", "of a program's own layers around the model: '5 + 5 hidden + 1 hidden^2'"),
    SettingSpec("model_head", "choice", "what stands on top of the model", choices=("lm", "classification", "regression", "none")),
    SettingSpec("adapter_kind", "text", "PEFT method by name where the adapter is not LoRA"),
    SettingSpec("data_parallel", "int", "data-parallel degree"),
    SettingSpec("images", "int", "images in each sequence"),
    SettingSpec("image_max_pixels", "int", "pixels of the largest image, larger ones are made smaller", unit="pixels"),
    SettingSpec("image_tiles", "int", "tiles that one image is cut into at most, a small whole counted"),
    SettingSpec("train_vision", "bool", "the vision tower trains, or takes adapters where its linears match their targets"),
    SettingSpec("train_projector", "bool", "so does the projector between vision tower and decoder"),
    SettingSpec("audio_seconds", "float", "seconds of audio in each sequence", unit="s"),
    SettingSpec(
        "model_code",
        "choice",
        "whose model code runs, where the trainer brings its own",
        choices=("transformers", "litgpt", "torchtune", "torchtitan", "megatron", "llm-foundry", "olmo-core"),
    ),
    SettingSpec("optimizer_in_backward", "bool", "each parameter steps in the backward pass, and its gradient is freed at once"),
    # -- the other models of an RL run; none of them trains, all of them take memory
    SettingSpec("reference_model", "text", "the frozen policy beside the one that trains: its name, or 'policy' for a copy of it"),
    SettingSpec("critic_model", "text", "the value model that trains beside the policy; 'policy' for one of its size, 'none' for none"),
    SettingSpec("reward_model", "text", "the model that scores what the policy wrote"),
    SettingSpec("teacher_model", "text", "the model that a distillation follows"),
    *(
        SettingSpec(f"{role}_offload", "choice", f"where the {role} waits while the policy trains", choices=("none", "cpu", "elsewhere"))
        for role in ("reference", "critic", "reward", "teacher")
    ),
    *(
        SettingSpec(f"{role}_dtype", "dtype", f"dtype of the {role}'s weights", choices=DTYPES)
        for role in ("reference", "critic", "reward", "teacher")
    ),
    SettingSpec("critic_update", "choice", "the value model trains in the policy's backward, or apart", choices=("together", "apart")),
    # -- what an RL run writes before it trains on it
    SettingSpec("completion_len", "int", "longest completion; where the trainer makes logits of completions only", unit="tokens"),
    SettingSpec("rollout_engine", "text", "what generates (vllm, sglang, ...); 'hf' is the trained model itself, by its generate()"),
    SettingSpec("rollout_on", "choice", "the rollout engine runs on the training devices, or on others", choices=("same", "other")),
    SettingSpec("rollout_memory", "float", "share of the device memory that the rollout engine takes"),
    SettingSpec("rollout_sleeps", "bool", "the rollout engine gives its memory back while the policy trains"),
    SettingSpec("rollout_frees", "list", "what waits on the host while rollouts are made: params, optimizer"),
    SettingSpec("rollout_batch", "int", "sequences that one device generates at a time", unit="sequences"),
    SettingSpec("scoring_batch", "int", "sequences per device of a pass that only makes log-probabilities", unit="sequences"),
    SettingSpec("rollout_gathers", "bool", "ZeRO-3 gathers the whole model to generate"),
    SettingSpec("rollout_tensor_parallel", "int", "tensor-parallel degree of the rollout engine"),
)

SETTINGS: dict[str, SettingSpec] = {row.name: row for row in _ROWS}

_LEAST = {"max_steps": -1, "images": 0, "quant_group": 0, "pipeline_stage": 0}


def least_of(name: str) -> int:
    """The least that a whole number can be: 1, but for these; sizes of DeepSpeed's buckets start at 0."""
    return 0 if name.startswith("zero_") else _LEAST.get(name, 1)

"""The arguments of trl 0.25.1 (trl/trainer/*_config.py, trl/scripts/utils.py), with their fields and defaults."""

from dataclasses import dataclass, field
from typing import Any

from transformers.training_args import TrainingArguments


@dataclass
class SFTConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 2e-05
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    model_init_kwargs: dict[str, Any] | None = None
    chat_template_path: str | None = None
    dataset_text_field: str = "text"
    dataset_kwargs: dict[str, Any] | None = None
    dataset_num_proc: int | None = None
    eos_token: str | None = None
    pad_token: str | None = None
    max_length: int | None = 1024
    packing: bool = False
    packing_strategy: str = "bfd"
    padding_free: bool = False
    pad_to_multiple_of: int | None = None
    eval_packing: bool | None = None
    completion_only_loss: bool | None = None
    assistant_only_loss: bool = False
    loss_type: str = "nll"
    activation_offloading: bool = False

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class DPOConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 1e-06
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    model_init_kwargs: dict[str, Any] | None = None
    ref_model_init_kwargs: dict[str, Any] | None = None
    model_adapter_name: str | None = None
    ref_adapter_name: str | None = None
    force_use_ref_model: bool = False
    disable_dropout: bool = True
    use_logits_to_keep: bool = False
    dataset_num_proc: int | None = None
    pad_token: str | None = None
    label_pad_token_id: int = -100
    max_prompt_length: int | None = 512
    max_completion_length: int | None = None
    max_length: int | None = 1024
    truncation_mode: str = "keep_end"
    padding_free: bool = False
    precompute_ref_log_probs: bool = False
    precompute_ref_batch_size: int | None = None
    tools: list[dict] | None = None
    loss_type: list[str] = field(default_factory=lambda: ["sigmoid"])
    use_liger_loss: bool = None
    base_model_attribute_name: str = "model"
    beta: float = 0.1
    f_divergence_type: str = "reverse_kl"
    f_alpha_divergence_coef: float = 1.0
    reference_free: bool = False
    label_smoothing: float = 0.0
    use_weighting: bool = False
    rpo_alpha: float | None = None
    ld_alpha: float | None = None
    discopop_tau: float = 0.05
    loss_weights: list[float] | None = None
    sync_ref_model: bool = False
    ref_model_mixup_alpha: float = 0.6
    ref_model_sync_steps: int = 512
    generate_during_eval: bool = False
    padding_value: int | None = None

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class GRPOConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 1e-06
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    model_init_kwargs: dict | str | None = None
    disable_dropout: bool = False
    cast_lm_head_to_fp32: bool = False
    remove_unused_columns: bool | None = False
    max_prompt_length: int | None = 512
    num_generations: int | None = 8
    max_completion_length: int | None = 256
    ds3_gather_for_generation: bool = True
    shuffle_dataset: bool | None = True
    generation_batch_size: int | None = None
    steps_per_generation: int | None = None
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    min_p: float | None = None
    generation_kwargs: dict | None = None
    chat_template_kwargs: dict | None = None
    repetition_penalty: float = 1.0
    use_transformers_paged: bool = False
    cache_implementation: str | None = None
    use_vllm: bool = False
    vllm_mode: str = "server"
    vllm_model_impl: str = "vllm"
    vllm_enable_sleep_mode: bool = False
    vllm_guided_decoding_regex: str | None = None
    vllm_server_base_url: str | None = None
    vllm_server_host: str = "0.0.0.0"
    vllm_server_port: int = 8000
    vllm_server_timeout: float = 240.0
    vllm_gpu_memory_utilization: float = 0.3
    vllm_tensor_parallel_size: int = 1
    beta: float = 0.0
    num_iterations: int = 1
    epsilon: float = 0.2
    delta: float | None = None
    epsilon_high: float | None = None
    importance_sampling_level: str = "token"
    reward_weights: list[float] | None = None
    scale_rewards: str = "group"
    loss_type: str = "dapo"
    mask_truncated_completions: bool = False
    sync_ref_model: bool = False
    ref_model_mixup_alpha: float = 0.6
    ref_model_sync_steps: int = 512
    top_entropy_quantile: float = 1.0
    use_liger_loss: bool = None
    vllm_importance_sampling_correction: bool = True
    vllm_importance_sampling_cap: float = 2.0
    log_completions: bool = False
    num_completions_to_print: int | None = None
    wandb_log_unique_prompts: bool | None = False

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class RewardConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 0.0001
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    model_init_kwargs: dict[str, Any] | None = None
    chat_template_path: str | None = None
    disable_dropout: bool = True
    dataset_num_proc: int | None = None
    eos_token: str | None = None
    pad_token: str | None = None
    max_length: int | None = 1024
    pad_to_multiple_of: int | None = None
    center_rewards_coefficient: float | None = None
    activation_offloading: bool = False

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class KTOConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 1e-06
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    max_length: int | None = 1024
    max_prompt_length: int | None = 512
    max_completion_length: int | None = None
    beta: float = 0.1
    loss_type: str = "kto"
    desirable_weight: float = 1.0
    undesirable_weight: float = 1.0
    label_pad_token_id: int = -100
    padding_value: int | None = None
    truncation_mode: str = "keep_end"
    generate_during_eval: bool = False
    is_encoder_decoder: bool | None = None
    disable_dropout: bool = True
    precompute_ref_log_probs: bool = False
    model_init_kwargs: dict[str, Any] | None = None
    ref_model_init_kwargs: dict[str, Any] | None = None
    dataset_num_proc: int | None = None
    use_liger_loss: bool = None
    base_model_attribute_name: str = "model"

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class ORPOConfig(TrainingArguments):
    __stand_in__ = True

    learning_rate: float = 1e-06
    logging_steps: float = 10
    gradient_checkpointing: bool = True
    bf16: bool | None = None
    lr_scheduler_kwargs: dict | str | None = None
    max_length: int | None = 1024
    max_prompt_length: int | None = 512
    max_completion_length: int | None = None
    beta: float = 0.1
    disable_dropout: bool = True
    label_pad_token_id: int = -100
    padding_value: int | None = None
    truncation_mode: str = "keep_end"
    generate_during_eval: bool = False
    is_encoder_decoder: bool | None = None
    model_init_kwargs: dict[str, Any] | None = None
    dataset_num_proc: int | None = None

    def __post_init__(self) -> None:
        self.bf16 = not self.fp16 if self.bf16 is None else self.bf16
        super().__post_init__()


@dataclass
class ModelConfig:
    model_name_or_path: str | None = None
    model_revision: str = "main"
    dtype: str | None = None
    trust_remote_code: bool = False
    attn_implementation: str | None = None
    use_peft: bool = False
    lora_r: int = 16
    lora_alpha: int = 32
    lora_dropout: float = 0.05
    lora_target_modules: list[str] | None = None
    lora_target_parameters: list[str] | None = None
    lora_modules_to_save: list[str] | None = None
    lora_task_type: str = "CAUSAL_LM"
    use_rslora: bool = False
    use_dora: bool = False
    load_in_8bit: bool = False
    load_in_4bit: bool = False
    bnb_4bit_quant_type: str = "nf4"
    use_bnb_nested_quant: bool = False
    torch_dtype: str | None = None

    def __post_init__(self) -> None:
        if self.load_in_8bit and self.load_in_4bit:
            raise ValueError("You can't use 8 bit and 4 bit precision at the same time")
        if self.torch_dtype and not self.dtype:
            self.dtype = self.torch_dtype
        if self.lora_target_modules is not None and len(self.lora_target_modules) == 1:
            self.lora_target_modules = self.lora_target_modules[0]


@dataclass
class ScriptArguments:
    dataset_name: str | None = None
    dataset_config: str | None = None
    dataset_train_split: str = "train"
    dataset_test_split: str = "test"
    dataset_streaming: bool = False
    gradient_checkpointing_use_reentrant: bool = False
    ignore_bias_buffers: bool = False

"""The arguments of a training, with the fields and defaults of transformers 4.57.6 (training_args.py, training_args_seq2seq.py;
``optim`` as with torch 2.8 and later); of what ``__post_init__`` changes only what decides memory or is refused."""

import json
from dataclasses import dataclass, field, fields
from typing import Any

from recorder import RecordedClass, note_changes

_DICTS = ("accelerator_config", "fsdp_config", "deepspeed", "gradient_checkpointing_kwargs", "lr_scheduler_kwargs")


@note_changes
@dataclass
class TrainingArguments(metaclass=RecordedClass):
    __stand_in__ = True

    output_dir: str | None = None
    overwrite_output_dir: bool = False
    do_train: bool = False
    do_eval: bool = False
    do_predict: bool = False
    eval_strategy: str = "no"
    prediction_loss_only: bool = False
    per_device_train_batch_size: int = 8
    per_device_eval_batch_size: int = 8
    per_gpu_train_batch_size: int | None = None
    per_gpu_eval_batch_size: int | None = None
    gradient_accumulation_steps: int = 1
    eval_accumulation_steps: int | None = None
    eval_delay: float = 0
    torch_empty_cache_steps: int | None = None
    learning_rate: float = 5e-05
    weight_decay: float = 0.0
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-08
    max_grad_norm: float = 1.0
    num_train_epochs: float = 3.0
    max_steps: int = -1
    lr_scheduler_type: str = "linear"
    lr_scheduler_kwargs: dict | str | None = None
    warmup_ratio: float = 0.0
    warmup_steps: int = 0
    log_level: str = "passive"
    log_level_replica: str = "warning"
    log_on_each_node: bool = True
    logging_dir: str | None = None
    logging_strategy: str = "steps"
    logging_first_step: bool = False
    logging_steps: float = 500
    logging_nan_inf_filter: bool = True
    save_strategy: str = "steps"
    save_steps: float = 500
    save_total_limit: int | None = None
    save_safetensors: bool = True
    save_on_each_node: bool = False
    save_only_model: bool = False
    restore_callback_states_from_checkpoint: bool = False
    no_cuda: bool = False
    use_cpu: bool = False
    use_mps_device: bool = False
    seed: int = 42
    data_seed: int | None = None
    jit_mode_eval: bool = False
    bf16: bool = False
    fp16: bool = False
    fp16_opt_level: str = "O1"
    half_precision_backend: str = "auto"
    bf16_full_eval: bool = False
    fp16_full_eval: bool = False
    tf32: bool | None = None
    local_rank: int = -1
    ddp_backend: str | None = None
    tpu_num_cores: int | None = None
    tpu_metrics_debug: bool = False
    debug: str = ""
    dataloader_drop_last: bool = False
    eval_steps: float | None = None
    dataloader_num_workers: int = 0
    dataloader_prefetch_factor: int | None = None
    past_index: int = -1
    run_name: str | None = None
    disable_tqdm: bool | None = None
    remove_unused_columns: bool = True
    label_names: list[str] | None = None
    load_best_model_at_end: bool = False
    metric_for_best_model: str | None = None
    greater_is_better: bool | None = None
    ignore_data_skip: bool = False
    fsdp: list | str | None = None
    fsdp_min_num_params: int = 0
    fsdp_config: dict[str, Any] | str | None = None
    fsdp_transformer_layer_cls_to_wrap: str | None = None
    accelerator_config: dict | str | None = None
    parallelism_config: str | None = None
    deepspeed: dict | str | None = None
    label_smoothing_factor: float = 0.0
    optim: str = "adamw_torch_fused"
    optim_args: str | None = None
    adafactor: bool = False
    group_by_length: bool = False
    length_column_name: str = "length"
    report_to: None | str | list[str] = None
    project: str = "huggingface"
    trackio_space_id: str | None = "trackio"
    ddp_find_unused_parameters: bool | None = None
    ddp_bucket_cap_mb: int | None = None
    ddp_broadcast_buffers: bool | None = None
    dataloader_pin_memory: bool = True
    dataloader_persistent_workers: bool = False
    skip_memory_metrics: bool = True
    use_legacy_prediction_loop: bool = False
    push_to_hub: bool = False
    resume_from_checkpoint: str | None = None
    hub_model_id: str | None = None
    hub_strategy: str = "every_save"
    hub_token: str | None = None
    hub_private_repo: bool | None = None
    hub_always_push: bool = False
    hub_revision: str | None = None
    gradient_checkpointing: bool = False
    gradient_checkpointing_kwargs: dict[str, Any] | str | None = None
    include_inputs_for_metrics: bool = False
    include_for_metrics: list[str] = field(default_factory=list)
    eval_do_concat_batches: bool = True
    fp16_backend: str = "auto"
    push_to_hub_model_id: str | None = None
    push_to_hub_organization: str | None = None
    push_to_hub_token: str | None = None
    mp_parameters: str = ""
    auto_find_batch_size: bool = False
    full_determinism: bool = False
    torchdynamo: str | None = None
    ray_scope: str | None = "last"
    ddp_timeout: int = 1800
    torch_compile: bool = False
    torch_compile_backend: str | None = None
    torch_compile_mode: str | None = None
    include_tokens_per_second: bool = False
    include_num_input_tokens_seen: str | bool = False
    neftune_noise_alpha: float | None = None
    optim_target_modules: None | str | list[str] = None
    batch_eval_metrics: bool = False
    eval_on_start: bool = False
    use_liger_kernel: bool = False
    liger_kernel_config: dict | None = None
    eval_use_gather_object: bool = False
    average_tokens_across_devices: bool = True

    def __post_init__(self) -> None:
        if self.output_dir is None:
            self.output_dir = "trainer_output"
        for name in _DICTS:
            value = getattr(self, name)
            if isinstance(value, str) and value.startswith("{"):
                setattr(self, name, json.loads(value))
        if self.fp16 and self.bf16:
            raise ValueError("At most one of fp16 and bf16 can be True, but not both")
        if self.load_best_model_at_end and self.save_strategy != "best" and self.eval_strategy != self.save_strategy:
            raise ValueError("--load_best_model_at_end requires the save and eval strategy to match")

    @property
    def device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    @property
    def world_size(self) -> int:
        import os

        return int(os.environ.get("WORLD_SIZE", "1"))

    @property
    def process_index(self) -> int:
        return 0

    @property
    def local_process_index(self) -> int:
        return 0

    @property
    def should_log(self) -> bool:
        return True

    @property
    def parallel_mode(self) -> str:
        return "not_distributed"

    @property
    def train_batch_size(self) -> int:
        return self.per_device_train_batch_size

    def get_process_log_level(self) -> int:
        return 30

    def main_process_first(self, *args: Any, **kwargs: Any) -> Any:
        from recorder import Anything

        return Anything()

    def to_dict(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass
class Seq2SeqTrainingArguments(TrainingArguments):
    __stand_in__ = True

    sortish_sampler: bool = False
    predict_with_generate: bool = False
    generation_max_length: int | None = None
    generation_num_beams: int | None = None
    generation_config: str | None = None

"""The keys with a closed set of values, by format. Each row names where its values were read.

transformers was read in 19 releases from 4.41.0 to 5.24.0, LLaMA-Factory in five of 0.9: a value that came later has the first
release of its minor version. The values that people use most stand first: a misspelt one most likely means them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from budgetlint.base.record import replace
from budgetlint.catalog.choice import Choice
from budgetlint.catalog.choice_templates import NEXT, TEMPLATES

_STOPS = "the run stops when the arguments are read"
_LOADS = "the run stops when the model is loaded"

_OPTIM = """adamw_torch adamw_torch_fused adamw_8bit adamw_bnb_8bit paged_adamw_8bit paged_adamw_32bit adafactor sgd
    adamw_torch_xla adamw_torch_npu_fused adamw_anyprecision adamw_torch_4bit>=4.45.0 adamw_torch_8bit>=4.49.0
    adamw_hf adamw_apex_fused ademamix>=4.45.0 ademamix_8bit>=4.45.0 paged_ademamix_32bit>=4.45.0 paged_ademamix_8bit>=4.45.0
    adagrad lion_8bit lion_32bit paged_lion_32bit paged_lion_8bit rmsprop rmsprop_bnb rmsprop_bnb_8bit rmsprop_bnb_32bit
    galore_adamw galore_adamw_8bit galore_adafactor galore_adamw_layerwise galore_adamw_8bit_layerwise galore_adafactor_layerwise
    lomo>=4.42.0 adalomo>=4.42.0 grokadamw>=4.45.0 schedule_free_radam>=4.49.0 schedule_free_adamw>=4.45.0 schedule_free_sgd>=4.45.0
    apollo_adamw>=4.49.0 apollo_adamw_layerwise>=4.49.0 stable_adamw>=4.54.0"""
"""``adamw_hf`` and ``adamw_apex_fused`` are gone: the rule removed-optim-name tells that."""
_SCHEDULER = """cosine linear constant_with_warmup constant cosine_with_restarts cosine_with_min_lr polynomial inverse_sqrt
    reduce_lr_on_plateau warmup_stable_decay cosine_warmup_with_min_lr>=4.54.0 greedy"""
_SWITCH = "true false yes no on off auto"
_LEVELS = "passive info warning error critical debug detail"

_ARGS = "transformers 5.24.0 training_args.py"
_UTILS = "transformers 5.24.0 trainer_utils.py"


def _switches(package: str, words: str) -> tuple[Choice, ...]:
    """True or false: every spelling that some loader takes is left to it, only slips are told."""
    cost = "a parser of flags stops, and a loader that keeps the text takes it for true"
    row = Choice(
        "",
        package,
        _SWITCH,
        cost,
        f"{package}: fields of type bool",
        folds=True,
        is_open=True,
        is_final=True,
        told="neither true nor false",
    )
    return tuple(replace(row, path=word) for word in words.split())


def _each(
    paths: str, package: str, words: str, cost: str, source: str, is_open: bool = False, is_final: bool = False
) -> tuple[Choice, ...]:
    return tuple(Choice(path, package, words, cost, source, is_open=is_open, is_final=is_final) for path in paths.split())


def _of_any_release(words: str) -> str:
    """The releases of one package say nothing about those of another that takes the same values."""
    return re.sub(r">=\S+", "", words)


ARGUMENTS: tuple[Choice, ...] = (
    Choice("optim", "transformers", _OPTIM, _STOPS, f"{_ARGS} OptimizerNames"),
    Choice("lr_scheduler_type", "transformers", _SCHEDULER, _STOPS, f"{_UTILS} SchedulerType"),
    *_each(
        "eval_strategy evaluation_strategy logging_strategy",
        "transformers",
        "steps epoch no",
        _STOPS,
        f"{_UTILS} IntervalStrategy",
        is_final=True,
    ),
    Choice("save_strategy", "transformers", "steps epoch no best>=4.47.0", _STOPS, f"{_UTILS} SaveStrategy", is_final=True),
    Choice("hub_strategy", "transformers", "every_save end checkpoint all_checkpoints", _STOPS, f"{_UTILS} HubStrategy"),
    *_each("log_level log_level_replica", "transformers", _LEVELS, _STOPS, f"{_ARGS} trainer_log_levels", is_final=True),
    *_switches(
        "transformers",
        """bf16 fp16 tf32 bf16_full_eval fp16_full_eval gradient_checkpointing load_best_model_at_end do_train do_eval
        remove_unused_columns group_by_length dataloader_pin_memory dataloader_drop_last push_to_hub ddp_find_unused_parameters
        save_only_model use_liger_kernel load_in_4bit load_in_8bit use_peft overwrite_output_dir torch_compile""",
    ),
)
"""What ``transformers.TrainingArguments`` takes, wherever its fields come from."""

_ATTENTION = Choice(
    "attn_implementation",
    "transformers",
    "flash_attention_2 sdpa eager flex_attention flash_attention_3",
    _LOADS,
    "transformers 5.24.0 modeling_utils.py get_correct_attn_implementation; programs may register names of their own",
    is_open=True,
)

_HUGGING_FACE: tuple[Choice, ...] = (
    *ARGUMENTS,
    _ATTENTION,
    Choice("bnb_4bit_quant_type", "transformers", "nf4 fp4", _LOADS, "bitsandbytes 0.49.0 functional.py quantize_4bit", is_open=True),
)
_TRL: tuple[Choice, ...] = (
    *_HUGGING_FACE,
    *_each("dtype torch_dtype", "trl", "bfloat16 float16 float32 auto", _STOPS, "trl 1.16.0 trainer/model_config.py", is_open=True),
    Choice("truncation_mode", "trl", "keep_end keep_start", _STOPS, "trl 1.16.0 trainer/dpo_config.py, sft_config.py", is_open=True),
)

_HPARAMS = "LLaMA-Factory 0.9.0 to 0.9.5 hparams/"
_LLAMAFACTORY: tuple[Choice, ...] = (
    *ARGUMENTS,
    Choice("finetuning_type", "llamafactory", "lora full freeze oft>=0.9.4", _STOPS, f"{_HPARAMS}finetuning_args.py __post_init__"),
    Choice("stage", "llamafactory", "sft pt rm ppo dpo kto", "the run stops at its start", "LLaMA-Factory 0.9.5 train/tuner.py"),
    Choice(
        "flash_attn",
        "llamafactory",
        "fa2 auto sdpa disabled fa3>=0.9.4",
        _LOADS,
        "LLaMA-Factory 0.9.0 to 0.9.5 model/model_utils/attention.py: 'Unknown attention type'",
    ),
    Choice("pref_loss", "llamafactory", "sigmoid hinge ipo kto_pair orpo simpo", _STOPS, f"{_HPARAMS}finetuning_args.py", is_open=True),
    Choice(
        "template",
        "llamafactory",
        TEMPLATES,
        "the run stops when the tokenizer is loaded",
        "LLaMA-Factory 0.8.3 to 0.9.5 data/template.py get_template_and_fix_tokenizer",
        grows_with=NEXT,
    ),
    Choice("quantization_type", "llamafactory", "nf4 fp4", _LOADS, f"{_HPARAMS}model_args.py", is_open=True),
    *_switches(
        "llamafactory",
        """enable_liger_kernel neat_packing packing pure_bf16 shift_attn disable_gradient_checkpointing use_unsloth use_dora
        use_rslora use_galore use_badam overwrite_cache plot_loss streaming double_quantization upcast_layernorm""",
    ),
)

_SCHEMA = "axolotl 0.8.0, 0.19.0 utils/schemas/"
_VALIDATES = "axolotl stops when it validates the config"
_AXOLOTL_OPTIM = """muon optimi_adamw ao_adamw_4bit ao_adamw_8bit ao_adamw_fp8 adopt_adamw adamc came_pytorch dion sinkgd polora
    flash_adamw flash_adam flash_sgd flash_sgdw flash_lion q_galore_adamw8bit lion_pytorch"""
_AXOLOTL: tuple[Choice, ...] = (
    Choice("adapter", "axolotl", "lora qlora llama-adapter", _VALIDATES, f"{_SCHEMA}peft.py; plugins bring their own", is_open=True),
    Choice("rl", "axolotl", "dpo grpo kto orpo ipo simpo gdpo ebft", _VALIDATES, f"{_SCHEMA}enums.py RLType"),
    Choice(
        "gradient_checkpointing",
        "axolotl",
        f"true false offload offload_disk unsloth {_SWITCH}",
        _VALIDATES,
        f"{_SCHEMA}config.py",
        folds=True,
    ),
    Choice("optimizer", "axolotl", f"{_of_any_release(_OPTIM)} {_AXOLOTL_OPTIM}", _STOPS, f"{_SCHEMA}enums.py, {_ARGS}", is_open=True),
    Choice("lr_scheduler", "axolotl", f"{_of_any_release(_SCHEDULER)} one_cycle rex", _STOPS, f"{_SCHEMA}training.py, {_UTILS}"),
    *_each("eval_strategy save_strategy", "axolotl", "steps epoch no best", _STOPS, f"{_UTILS} IntervalStrategy, SaveStrategy"),
    Choice(
        "attn_implementation",
        "axolotl",
        """flash_attention_2 sdpa eager flex_attention flash_attention_3 flash_attention_4 flash_attention_torch xformers sage
        fp8 s2""",
        _VALIDATES,
        f"{_SCHEMA}enums.py CANONICAL_ATTN_IMPLS; paths of hub kernels too",
        is_open=True,
    ),
    *_switches("axolotl", "sample_packing pad_to_sequence_len flash_attention load_in_4bit load_in_8bit train_on_inputs bf16 tf32"),
)

_LAUNCHES = "accelerate launch stops"
_PLUGIN = "accelerate 1.15.0 utils/dataclasses.py FullyShardedDataParallelPlugin, utils/constants.py"


def _fsdp(key: str, words: str) -> Choice:
    """Any case; a name that torch knows passes too."""
    return Choice(f"fsdp_config.{key}", "accelerate", words, "the run stops at its start", _PLUGIN, folds=True, is_open=True)


_ACCELERATE: tuple[Choice, ...] = (
    Choice(
        "distributed_type",
        "accelerate",
        """FSDP DEEPSPEED MULTI_GPU NO MULTI_CPU MULTI_NPU MULTI_XPU MEGATRON_LM XLA TPU MULTI_MLU MULTI_SDAA MULTI_MUSA MULTI_HPU
        MULTI_NEURON DATA_PARALLEL MODEL_PARALLEL""",
        _LAUNCHES,
        "accelerate 1.15.0 utils/dataclasses.py DistributedType, SageMakerDistributedType; TPU up to 0.30",
    ),
    Choice(
        "mixed_precision", "accelerate", "bf16 fp16 no fp8", _LAUNCHES, "accelerate 1.15.0 utils/dataclasses.py PrecisionType", folds=True
    ),
    Choice("compute_environment", "accelerate", "LOCAL_MACHINE AMAZON_SAGEMAKER", _LAUNCHES, "accelerate 1.15.0 utils/dataclasses.py"),
    _fsdp("fsdp_sharding_strategy", "FULL_SHARD SHARD_GRAD_OP NO_SHARD HYBRID_SHARD HYBRID_SHARD_ZERO2 _HYBRID_SHARD_ZERO2"),
    _fsdp("fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP SIZE_BASED_WRAP NO_WRAP"),
    _fsdp("fsdp_backward_prefetch", "BACKWARD_PRE BACKWARD_POST NO_PREFETCH"),
    _fsdp("fsdp_state_dict_type", "FULL_STATE_DICT SHARDED_STATE_DICT LOCAL_STATE_DICT"),
)

_OFFLOAD = "deepspeed 0.19.8 runtime/zero/offload_config.py OffloadDeviceEnum"
_DEEPSPEED: tuple[Choice, ...] = (
    *_each(
        "zero_optimization.offload_optimizer.device zero_optimization.offload_param.device",
        "deepspeed",
        "cpu none nvme",
        "deepspeed.initialize stops",
        _OFFLOAD,
    ),
    Choice(
        "scheduler.type",
        "deepspeed",
        "WarmupLR WarmupDecayLR WarmupCosineLR OneCycle LRRangeTest",
        "deepspeed.initialize stops",
        "deepspeed 0.19.8 runtime/lr_schedules.py; torch's schedulers too",
        is_open=True,
    ),
)

_LITGPT: tuple[Choice, ...] = (
    Choice("precision", "litgpt", "bf16-true bf16-mixed 16-true 16-mixed 32-true 64-true", _STOPS, "litgpt 0.5.13, Fabric", is_open=True),
    Choice(
        "quantize",
        "litgpt",
        "bnb.nf4 bnb.nf4-dq bnb.fp4 bnb.fp4-dq bnb.int8-training bnb.int8 gptq.int4",
        _STOPS,
        "litgpt 0.5.13 finetune/lora.py (jsonargparse)",
    ),
)

_JOB = "torchtitan 0.2.2 config/job_config.py"
_TORCHTITAN: tuple[Choice, ...] = (
    Choice("activation_checkpoint.mode", "torchtitan", "selective full none memory_budget", _STOPS, _JOB, is_open=True),
    Choice("optimizer.implementation", "torchtitan", "fused foreach for-loop", _STOPS, _JOB),
    Choice("lr_scheduler.decay_type", "torchtitan", "linear sqrt cosine", _STOPS, _JOB),
    *_each("training.dtype training.mixed_precision_param", "torchtitan", "bfloat16 float32", _STOPS, _JOB, is_open=True),
    Choice("parallelism.fsdp_reshard_after_forward", "torchtitan", "default always never", _STOPS, _JOB),
)

_SWIFT = "ms-swift 3.5.0, 4.6.0"
_TUNERS = "lora full adalora longlora llamapro adapter vera boft fourierft reft bone"
_MS_SWIFT: tuple[Choice, ...] = (
    *ARGUMENTS,
    *_each("tuner_type train_type sft_type", "ms-swift", _TUNERS, _STOPS, f"{_SWIFT} base_args.py; plugins bring their own", is_open=True),
    Choice("rlhf_type", "ms-swift", "dpo grpo kto orpo simpo cpo rm ppo gkd", _STOPS, f"{_SWIFT} rlhf_args.py"),
    Choice("quant_method", "ms-swift", "bnb hqq eetq quanto fp8 awq gptq", _STOPS, f"{_SWIFT} quant_args.py", is_open=True),
    *_each("bnb_4bit_quant_type", "ms-swift", "nf4 fp4", _STOPS, f"{_SWIFT} quant_args.py"),
    Choice("torch_dtype", "ms-swift", "bfloat16 float16 float32", _STOPS, f"{_SWIFT} model_args.py", is_open=True),
    Choice("packing_strategy", "ms-swift", "binpack sequential", _STOPS, "ms-swift 4.6.0 base_args.py", is_open=True),
)

CHOICES: Mapping[str, tuple[Choice, ...]] = {
    "hf_training_arguments": _HUGGING_FACE,
    "trl": _TRL,
    "alignment_handbook": _TRL,
    "llamafactory": _LLAMAFACTORY,
    "axolotl": _AXOLOTL,
    "accelerate": _ACCELERATE,
    "deepspeed": _DEEPSPEED,
    "litgpt": _LITGPT,
    "torchtitan": _TORCHTITAN,
    "ms_swift": _MS_SWIFT,
}

"""A quoted `"false"` in a field of true or false: the text is not empty, so it counts as true.

HfArgumentParser hands the values of a YAML or JSON file on as they are. Flags are converted, and so are TRL's, axolotl's and
accelerate's files.

## What it costs

The run does the opposite of what is written, without a word: `bf16: "false"` trains in bf16.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
bf16: "false"
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
bf16: false
```

## Sources

- transformers 4.57.6 and 5.24.0 `hf_argparser.py` `parse_dict`: no conversion; `training_args.py`: `if self.bf16` (run: mixed_precision
  is bf16). The fields of type bool of 4.41.0 to 5.24.0.
- LLaMA-Factory 0.9.0 to 0.9.5 `hparams/parser.py` `_parse_args`: `parse_dict`; the fields of type bool of `hparams/*.py`.
- TRL 1.16.0 `scripts/utils.py`: file values become argparse defaults, which are converted.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    Confidence,
    DocumentContext,
    Entry,
    Finding,
    Mapping,
    Rule,
    Safety,
    Scalar,
    Severity,
    argument_entries,
    arguments_home,
    loads_with,
    names,
)

FALSE = names("false no off n f 0")
_ARGUMENTS = names(
    """activation_checkpointing adafactor auto_find_batch_size average_tokens_across_devices batch_eval_metrics bf16 bf16_full_eval
    dataloader_drop_last dataloader_persistent_workers dataloader_pin_memory ddp_broadcast_buffers ddp_find_unused_parameters
    ddp_static_graph disable_tqdm do_eval do_predict do_train eval_do_concat_batches eval_on_start eval_use_gather_object fp16
    fp16_full_eval full_determinism gradient_checkpointing greater_is_better group_by_length hub_always_push hub_private_repo
    ignore_data_skip jit_mode_eval load_best_model_at_end log_on_each_node logging_first_step logging_nan_inf_filter no_cuda
    overwrite_output_dir predict_with_generate prediction_loss_only push_to_hub remove_unused_columns
    restore_callback_states_from_checkpoint save_on_each_node save_only_model save_safetensors skip_memory_metrics sortish_sampler
    tf32 torch_compile use_cpu use_ipex use_legacy_prediction_loop use_liger_kernel use_mps_device"""
)
_HPARAMS = names(
    """apollo_layerwise compute_accuracy create_new_adapter disable_gradient_checkpointing disable_shuffling double_quantization
    enable_liger_kernel enable_thinking eval_on_each_dataset fp8 freeze_language_model freeze_multi_modal_projector
    freeze_vision_tower galore_layerwise ignore_pad_token_for_loss low_cpu_mem_usage mask_history neat_packing overwrite_cache packing
    pissa_convert pissa_init plot_loss ppo_score_norm ppo_whiten_rewards pure_bf16 resize_vocab shift_attn split_special_tokens
    streaming train_from_scratch train_mm_proj_only train_on_prompt trust_remote_code upcast_layernorm upcast_lmhead_output
    use_adam_mini use_apollo use_badam use_dft_loss use_dora use_fast_tokenizer use_galore use_kt use_kv_cache use_llama_pro use_mca
    use_muon use_reentrant_gc use_rslora use_swanlab use_unsloth use_unsloth_gc"""
)
SWITCHES = {"hf_training_arguments": _ARGUMENTS, "llamafactory": _ARGUMENTS | _HPARAMS, **dict.fromkeys(PYTHON, _ARGUMENTS)}
BLOCKS = ("gradient_checkpointing_kwargs", "activation_checkpointing_kwargs")


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.reading.document.format not in ("yaml", "json", "python"):
        return
    sure = document.format in PYTHON or not arguments_home(document.reading)
    for entry in argument_entries(document.reading):
        if entry.key.text in SWITCHES[document.format] and _false_text(document, entry):
            yield _finding(document, entry, sure)
        elif entry.key.text in BLOCKS and isinstance(entry.value, Mapping):
            yield from (_finding(document, inner, sure) for inner in entry.value.entries if _false_text(document, inner))


def _false_text(document: DocumentContext, entry: Entry) -> bool:
    value = entry.value.value(loads_with(document.reading)) if isinstance(entry.value, Scalar) else None
    return isinstance(value, str) and value.lower() in FALSE


def _finding(document: DocumentContext, entry: Entry, sure: bool) -> Finding:
    """A nested section is read by a script of its own, which may convert."""
    text = entry.value.text if isinstance(entry.value, Scalar) else ""
    return document.finding(
        entry,
        f"{entry.key.text} is the text '{text}', which is not empty and so counts as true: the switch is on",
        help=f"{entry.key.text}: false, without quotes",
        fixes=document.set(entry, False, safety=Safety.UNSAFE),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL609",
    name="yaml-string-boolean",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(SWITCHES),
    harm=11.0,
)

"""The manifests of the built-in readers. Written by ``python -m budgetlint.readers``; a test compares it with them."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Idle, Manifest, Package, Patch, Program, Tool, made

# fmt: off
# ruff: noqa: E501
MANIFESTS: tuple[Manifest, ...] = (
    made(
        Manifest,
        name='accelerate',
        formats=(
            made(
                Format,
                name='accelerate',
                title='Accelerate',
                own_keys=('distributed_type', 'compute_environment', 'num_machines', 'num_processes'),
                spellings={'offload_params': 'fsdp_config.fsdp_offload_params', 'offload_optimizer': 'fsdp_config.fsdp_offload_params', 'shard_strategy': 'fsdp_config.fsdp_sharding_strategy', 'recompute': 'fsdp_config.fsdp_activation_checkpointing'},
                schema='budgetlint.readers.accelerate.schema',
            ),
        ),
        top=('distributed_type', 'compute_environment'),
        marks_flags=True,
        telling=('distributed_type',),
        packages=(
            made(Package, name='accelerate'),
        ),
    ),
    made(
        Manifest,
        name='axolotl',
        formats=(
            made(
                Format,
                name='axolotl',
                title='Axolotl',
                own_keys=('base_model', 'sequence_len', 'micro_batch_size', 'sample_packing', 'lora_target_linear', 'num_epochs'),
                spellings={'micro_batch': 'micro_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'seq_len': 'sequence_len', 'recompute': 'gradient_checkpointing', 'optimizer': 'optimizer', 'attention': 'flash_attention', 'adapter': 'adapter', 'lora_r': 'lora_r', 'lora_targets': 'lora_target_linear', 'quant': 'load_in_4bit', 'eval_batch': 'eval_batch_size', 'loss': 'chunked_cross_entropy', 'loss fused': 'plugins', 'recompute_offload': 'activation_offloading', 'autocast': 'bf16'},
                same_keys=True,
                makes_arguments=True,
                schema='budgetlint.readers.axolotl.schema',
                one_of=('datasets', 'pretraining_dataset'),
            ),
        ),
        top=('base_model', 'sequence_len'),
        marks_flags=True,
        telling=('micro_batch_size', 'base_model', 'sequence_len'),
        programs=(
            made(Program, pattern='axolotl \\S+', format='axolotl', arguments='AxolotlInputConfig', source='axolotl 0.19 cli/main.py'),
        ),
        tools=(
            made(Tool, name='axolotl', trains=('train',), modules={'axolotl.cli.train': 'train', 'axolotl.cli.main': ''}, every_device=True),
        ),
        idle=(
            made(Idle, pattern='axolotl\\.cli\\.preprocess', does='prepares data', source='axolotl 0.19 cli/preprocess.py'),
            made(Idle, pattern='axolotl\\.cli\\.(merge_lora|merge_sharded_fsdp_weights|quantize)', does='converts weights', source='axolotl 0.19 cli/'),
            made(Idle, pattern='axolotl\\.cli\\.(inference|vllm_serve)', does='generates or serves', source='axolotl 0.19 cli/'),
        ),
        packages=(
            made(Package, name='axolotl'),
        ),
    ),
    made(
        Manifest,
        name='deepspeed',
        formats=(
            made(
                Format,
                name='deepspeed',
                title='DeepSpeed',
                own_keys=('zero_optimization', 'train_micro_batch_size_per_gpu', 'train_batch_size', 'gradient_clipping'),
                spellings={'shard': 'zero_optimization.stage', 'offload_optimizer': 'zero_optimization.offload_optimizer', 'offload_params': 'zero_optimization.offload_param', 'zero_bucket': 'zero_optimization.reduce_bucket_size', 'zero_allgather_bucket': 'zero_optimization.allgather_bucket_size'},
                schema='budgetlint.readers.deepspeed.schema',
            ),
        ),
        documents=('json', 'yaml'),
        top=('zero_optimization', 'train_micro_batch_size_per_gpu', 'fp16', 'bf16', 'bfloat16', 'optimizer', 'scheduler', 'flops_profiler', 'activation_checkpointing', 'amp'),
        telling=('zero_optimization', 'train_micro_batch_size_per_gpu'),
        packages=(
            made(Package, name='deepspeed'),
        ),
    ),
    made(
        Manifest,
        name='gpt_neox',
        formats=(
            made(Format, name='gpt_neox', title='GPT-NeoX'),
        ),
        documents=('json', 'yaml'),
        top=('pipe_parallel_size', 'no_weight_tying', 'gpt_j_residual', 'pos_emb', 'scaled_upper_triang_masked_softmax_fusion', 'model_parallel_size', 'num_layers', 'hidden_size', 'num_attention_heads', 'seq_length', 'checkpoint_activations', 'checkpoint_num_layers', 'partition_activations', 'synchronize_each_layer', 'train_iters', 'lr_decay_iters', 'lr_decay_style', 'keep_last_n_checkpoints', 'data_impl', 'output_layer_init_method', 'attention_config', 'checkpoint_factor', 'init_method', 'min_lr', 'override_lr_scheduler', 'warmup', 'hidden_dropout'),
        programs=(
            made(Program, pattern='deepy\\.py( .*)?', format='gpt_neox', arguments='NeoXArgs', source='GPT-NeoX deepy.py'),
        ),
    ),
    made(
        Manifest,
        name='hf',
        formats=(
            made(
                Format,
                name='hf_training_arguments',
                title='Transformers',
                kinds=('hf',),
                spellings={'micro_batch': 'per_device_train_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'eval_batch': 'per_device_eval_batch_size', 'recompute': 'gradient_checkpointing', 'optimizer': 'optim', 'kernels': 'use_liger_kernel', 'shard': 'fsdp', 'autocast': 'bf16', 'recompute_every': 'gradient_checkpointing_kwargs.every_n_layers'},
                arguments='transformers',
                one_process=True,
                fsdp_key=True,
                liger_key=True,
                lone="arguments of transformers' Trainer",
                program='transformers',
            ),
            made(
                Format,
                name='trl',
                title='TRL',
                spellings={'micro_batch': 'per_device_train_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'eval_batch': 'per_device_eval_batch_size', 'recompute': 'gradient_checkpointing', 'optimizer': 'optim', 'kernels': 'use_liger_kernel', 'shard': 'fsdp', 'autocast': 'bf16', 'recompute_every': 'gradient_checkpointing_kwargs.every_n_layers', 'weights_dtype': 'dtype', 'attention': 'attn_implementation', 'adapter': 'use_peft', 'lora_r': 'lora_r', 'lora_targets': 'lora_target_modules', 'quant': 'load_in_4bit', 'quant_double': 'use_bnb_nested_quant', 'seq_len': 'max_length', 'recompute_offload': 'activation_offloading'},
                renamed={'dtype': ('trl', '0.24', 'torch_dtype'), 'max_length': ('trl', '0.16', 'max_seq_length')},
                same_keys=True,
                arguments='trl',
                one_process=True,
                fsdp_key=True,
                liger_key=True,
                lone="trl's",
                schema='budgetlint.readers.hf.schema',
                program='trl',
            ),
            made(
                Format,
                name='alignment_handbook',
                title='TRL',
                spellings={'micro_batch': 'per_device_train_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'eval_batch': 'per_device_eval_batch_size', 'recompute': 'gradient_checkpointing', 'optimizer': 'optim', 'kernels': 'use_liger_kernel', 'shard': 'fsdp', 'autocast': 'bf16', 'recompute_every': 'gradient_checkpointing_kwargs.every_n_layers', 'weights_dtype': 'torch_dtype', 'attention': 'attn_implementation', 'adapter': 'use_peft', 'lora_r': 'lora_r', 'lora_targets': 'lora_target_modules', 'quant': 'load_in_4bit', 'quant_double': 'use_bnb_nested_quant', 'seq_len': 'max_length', 'recompute_offload': 'activation_offloading'},
                arguments='trl',
                one_process=True,
                fsdp_key=True,
                liger_key=True,
                lone='a recipe of alignment-handbook',
                program='alignment-handbook',
            ),
            made(Format, name='open_instruct', title='open-instruct', arguments='transformers', own_loop=True, lone="open-instruct's", program='open-instruct'),
        ),
        asked='budgetlint.readers.hf.recognise:find_home',
        telling=('per_device_train_batch_size', 'gradient_accumulation_steps', 'model_name_or_path', 'num_train_epochs'),
        telling_large=('training_args',),
        programs=(
            made(Program, pattern='trl (\\S+)', format='trl', arguments="ScriptArguments, the task's config, ModelConfig", source='TRL 1.16 cli/main.py, scripts/'),
            made(Program, pattern='trl\\.scripts\\.\\w+', format='trl', arguments="as the command's", source='TRL 1.16 scripts/'),
            made(
                Program,
                pattern='trl/scripts/(sft|dpo|kto|grpo|rloo|reward|orpo|cpo|ppo|reward_modeling|gkd|online_dpo|xpo|nash_md|bco)\\.py',
                format='trl',
                arguments='TrlParser of the same three',
                source='TRL 0.12 to 1.16',
            ),
            made(
                Program,
                pattern='examples/scripts/(sft|dpo|kto|grpo|rloo|reward|orpo|cpo|ppo|reward_modeling|gkd|online_dpo|xpo|nash_md|bco)\\.py',
                format='trl',
                arguments='TrlParser of the same three',
                source='TRL 0.9 to 1.16',
                alone=True,
            ),
            made(
                Program,
                pattern='open_r1[/.](sft|dpo|kto|grpo|rloo|reward|orpo|cpo|ppo|reward_modeling|gkd|online_dpo|xpo|nash_md|bco)(\\.py)?',
                format='trl',
                arguments='TrlParser',
                source='open-r1 src/open_r1/{sft,grpo}.py',
                alone=True,
            ),
            made(Program, pattern='(scripts/)?run_(sft|dpo|orpo|cpt|kto)\\.py', format='alignment_handbook', arguments='H4ArgumentParser', source='alignment-handbook 0.2 and 0.4', alone=True),
            made(
                Program,
                pattern='(examples/)?pytorch/(language-modeling|text-classification|token-classification|question-answering|summarization|translation|multiple-choice)/run_(?!\\w+_no_trainer)\\w+\\.py',
                format='hf_training_arguments',
                arguments='HfArgumentParser',
                source='transformers 4.46 to 5.24 examples/pytorch/',
                alone=True,
            ),
            made(
                Program,
                pattern='(examples/(?!legacy|research_projects)\\S+/)?run_(clm|fim|mlm|plm|qa|seq2seq_qa|summarization|translation)\\.py',
                format='hf_training_arguments',
                arguments='HfArgumentParser',
                source='the same, started from their folder',
                alone=True,
            ),
            made(Program, pattern='internvl_chat_(finetune|pretrain)\\w*\\.py', format='hf_training_arguments', arguments='HfArgumentParser', source='InternVL internvl/train/', alone=True, towers=True),
            made(Program, pattern='open_instruct[/.]\\w+(\\.py)?', format='open_instruct', arguments='ArgumentParserPlus', source='open-instruct'),
        ),
        tools=(
            made(Tool, name='trl', trains=('sft', 'dpo', 'kto', 'grpo', 'reward', 'rloo', 'orpo', 'cpo', 'ppo'), modules={'trl.cli': ''}, every_device=True),
        ),
        idle=(
            made(Idle, pattern='transformers\\.onnx', does='converts weights', source='transformers 4.57 onnx/__main__.py'),
            made(Idle, pattern='trl\\.scripts\\.vllm_serve', does='generates or serves', source='TRL 1.16 scripts/vllm_serve.py'),
        ),
        packages=(
            made(Package, name='transformers'),
            made(Package, name='trl'),
        ),
        patches=(
            made(
                Patch,
                by='liger-kernel',
                setting='kernels',
                source='liger-kernel 0.6 to 0.8 transformers/monkey_patch.py apply_liger_kernel_to_*: on by default; cross_entropy is off',
                value=('rms_norm', 'rope', 'swiglu', 'linear_cross_entropy'),
            ),
        ),
    ),
    made(
        Manifest,
        name='launcher',
        formats=(
            made(Format, name='launcher', title='Launchers'),
        ),
        documents=('shell',),
    ),
    made(
        Manifest,
        name='lightning',
        formats=(
            made(Format, name='lightning', title='Lightning'),
        ),
        top=('trainer', 'fit'),
        marks_flags=True,
        packages=(
            made(Package, name='lightning', modules=()),
        ),
    ),
    made(
        Manifest,
        name='litgpt',
        formats=(
            made(Format, name='litgpt', title='LitGPT', spellings={'micro_batch': 'train.micro_batch_size', 'seq_len': 'train.max_seq_length', 'quant': 'quantize', 'lora_r': 'lora_r'}),
        ),
        top=('train',),
        programs=(
            made(Program, pattern='litgpt \\S+', format='litgpt', arguments='jsonargparse', source='LitGPT 0.5 __main__.py'),
        ),
        tools=(
            made(Tool, name='litgpt', trains=('pretrain', 'finetune', 'finetune_full', 'finetune_lora', 'finetune_adapter', 'finetune_adapter_v2'), modules={'litgpt': ''}),
        ),
        packages=(
            made(Package, name='litgpt'),
        ),
        model_code='litgpt',
        code_by_stack=True,
        without=('recompute full', 'recompute every', 'offload checkpoints', 'sqrt checkpoints', 'fused loss', 'chunked loss', 'flash attention', 'offload optimizer'),
    ),
    made(
        Manifest,
        name='llamafactory',
        formats=(
            made(
                Format,
                name='llamafactory',
                title='LLaMA-Factory',
                kinds=('llama-factory', 'llama_factory'),
                own_keys=('finetuning_type', 'cutoff_len', 'lora_target', 'lora_rank', 'template', 'stage'),
                spellings={'micro_batch': 'per_device_train_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'eval_batch': 'per_device_eval_batch_size', 'recompute': 'disable_gradient_checkpointing', 'optimizer': 'optim', 'kernels': 'enable_liger_kernel', 'shard': 'fsdp', 'autocast': 'bf16', 'recompute_every': 'gradient_checkpointing_kwargs.every_n_layers', 'seq_len': 'cutoff_len', 'attention': 'flash_attn', 'adapter': 'finetuning_type', 'lora_r': 'lora_rank', 'lora_targets': 'lora_target', 'quant': 'quantization_bit', 'quant_double': 'double_quantization'},
                same_keys=True,
                arguments='transformers',
                one_process=True,
                fsdp_key=True,
                liger_key=True,
                schema='budgetlint.readers.llamafactory.schema',
            ),
        ),
        top=('finetuning_type', 'cutoff_len', 'template', 'stage', 'lora_target', 'lora_rank', 'pref_loss', 'neat_packing', 'dataset_dir', 'mask_history', 'train_on_prompt', 'flash_attn', 'use_unsloth', 'use_galore', 'use_badam', 'use_apollo', 'pure_bf16', 'quantization_bit', 'upcast_layernorm', 'overwrite_cache', 'plot_loss', 'max_samples', 'preprocessing_num_workers', 'disable_gradient_checkpointing', 'freeze_vision_tower', 'train_dataset'),
        telling=('cutoff_len', 'finetuning_type'),
        programs=(
            made(Program, pattern='llamafactory-cli \\S+', format='llamafactory', arguments='hparams/parser.py', source='LLaMA-Factory 0.9'),
        ),
        tools=(
            made(
                Tool,
                name='llamafactory-cli',
                trains=('train',),
                modules={'llamafactory.cli': '', 'llamafactory.launcher': 'train'},
                scripts={'src/train_bash.py': 'train', 'llamafactory/launcher.py': 'train'},
                also=('lmf',),
                every_device=True,
            ),
        ),
        packages=(
            made(Package, name='llamafactory', modules=('llamafactory', 'llmtuner'), version_files={'extras/env.py': 'assigned'}),
        ),
    ),
    made(
        Manifest,
        name='llm_foundry',
        formats=(
            made(Format, name='llm_foundry', title='LLM Foundry'),
        ),
        documents=('json', 'yaml'),
        top=('train_loader', 'icl_tasks', 'parameters'),
        programs=(
            made(Program, pattern='llmfoundry[/.].*', format='llm_foundry', arguments='OmegaConf', source='llm-foundry 0.22 cli'),
        ),
        packages=(
            made(Package, name='llm-foundry', modules=('llmfoundry',)),
        ),
        model_code='llm-foundry',
    ),
    made(
        Manifest,
        name='megatron',
        formats=(
            made(Format, name='megatron', title='Megatron-LM'),
        ),
        top=('MODEL_ARGS',),
        programs=(
            made(Program, pattern='pretrain_(gpt|bert|t5|mamba|vlm|retro|ict|vision_\\w+)\\.py', format='megatron', arguments='argparse', source='Megatron-LM'),
        ),
        packages=(
            made(Package, name='megatron', also=('megatron-core', 'megatron-lm'), pins=False),
        ),
        model_code='megatron',
        code_by_stack=True,
        without=('fused loss', 'chunked loss', 'zero1', 'zero2', 'zero3', 'sgd'),
    ),
    made(
        Manifest,
        name='model_config',
        formats=(
            made(Format, name='model_config', title='Model configs'),
        ),
        documents=('json', 'yaml'),
        top=('architectures', 'model_type', 'num_hidden_layers'),
    ),
    made(
        Manifest,
        name='ms_swift',
        formats=(
            made(
                Format,
                name='ms_swift',
                title='ms-swift',
                spellings={'micro_batch': 'per_device_train_batch_size', 'grad_accum': 'gradient_accumulation_steps', 'eval_batch': 'per_device_eval_batch_size', 'recompute': 'gradient_checkpointing', 'optimizer': 'optim', 'kernels': 'use_liger_kernel', 'shard': 'fsdp', 'autocast': 'bf16', 'recompute_every': 'gradient_checkpointing_kwargs.every_n_layers', 'seq_len': 'max_length'},
                liger_key=True,
                ends_at_positions=True,
            ),
        ),
        top=('tuner_type', 'train_type', 'sft_type', 'rlhf_type'),
        programs=(
            made(Program, pattern='(swift|megatron) \\S+', format='ms_swift', arguments='arguments/', source='ms-swift 4.6'),
        ),
        tools=(
            made(
                Tool,
                name='swift',
                trains=('sft', 'pt', 'rlhf'),
                modules={'swift.cli.main': '', 'swift.cli.sft': 'sft', 'swift.cli.rlhf': 'rlhf', 'swift.cli.pt': 'pt'},
                scripts={'swift/cli/sft.py': 'sft', 'llm_sft.py': 'sft', 'llm_pt.py': 'pt', 'llm_dpo.py': 'rlhf', 'swift/cli/rlhf.py': 'rlhf', 'swift/cli/pt.py': 'pt'},
            ),
            made(Tool, name='megatron', trains=('sft', 'pt', 'rlhf')),
        ),
        idle=(
            made(Idle, pattern='swift\\.cli\\.eval', does='evaluates', source='ms-swift 4.6 cli/eval.py'),
            made(Idle, pattern='swift\\.cli\\.(export|merge_lora)', does='converts weights', source='ms-swift 4.6 cli/'),
            made(Idle, pattern='swift\\.cli\\.(infer|deploy|app|rollout)', does='generates or serves', source='ms-swift 4.6 cli/'),
        ),
        packages=(
            made(Package, name='ms-swift', modules=('swift',)),
        ),
    ),
    made(
        Manifest,
        name='nemo',
        formats=(
            made(Format, name='nemo', title='NeMo'),
        ),
        documents=('yaml', 'shell'),
        top=('exp_manager', 'policy', 'defaults', 'trainer', 'run', 'train_settings', 'inference_settings', 'model', 'strategy', 'data', 'optim'),
    ),
    made(
        Manifest,
        name='olmo_core',
        formats=(
            made(Format, name='olmo_core', title='OLMo-core'),
        ),
        documents=('shell',),
        model_code='olmo-core',
    ),
    made(
        Manifest,
        name='openrlhf',
        formats=(
            made(Format, name='openrlhf', title='OpenRLHF', by_ray=True),
        ),
        documents=('shell',),
        programs=(
            made(Program, pattern='openrlhf\\..*', format='openrlhf', arguments='argparse', source='OpenRLHF 0.8 cli/'),
        ),
        idle=(
            made(Idle, pattern='openrlhf\\.cli\\.lora_combiner', does='converts weights', source='OpenRLHF 0.8 cli/lora_combiner.py'),
            made(Idle, pattern='openrlhf\\.cli\\.(serve_rm|batch_inference|interactive_chat)', does='generates or serves', source='OpenRLHF 0.8 cli/'),
        ),
        packages=(
            made(Package, name='openrlhf'),
        ),
    ),
    made(
        Manifest,
        name='oumi',
        formats=(
            made(Format, name='oumi', title='oumi'),
        ),
        top=('training',),
        marks_flags=True,
        programs=(
            made(Program, pattern='oumi \\S+', format='oumi', arguments='TrainingConfig', source='oumi 0.7'),
        ),
        tools=(
            made(Tool, name='oumi', trains=('train',), modules={'oumi': ''}),
        ),
        packages=(
            made(Package, name='oumi'),
        ),
    ),
    made(
        Manifest,
        name='peft_config',
        formats=(
            made(Format, name='peft_adapter_config', title='PEFT'),
        ),
        documents=('json',),
        top=('peft_type', 'lora_alpha'),
        telling_large=('lora_alpha',),
        packages=(
            made(Package, name='peft'),
        ),
    ),
    made(
        Manifest,
        name='program_config',
        formats=(
            made(Format, name='program_config', title="configs of a project's own programs"),
        ),
        documents=('program_config',),
    ),
    made(
        Manifest,
        name='python_script',
        formats=(
            made(Format, name='python_script', title='Python scripts', arguments='transformers', one_process=True),
            made(Format, name='python_trl_script', title='Python scripts', arguments='trl', one_process=True),
            made(Format, name='python_loop', title='Python scripts', one_process=True),
        ),
        documents=('python',),
        patches=(
            made(
                Patch,
                by='unsloth',
                setting='loss',
                source='unsloth kernels/cross_entropy_loss.py: head and loss in one from 2024.11.8, the gradient over the logits before',
                value='fused',
                since='2024.11.8',
                before='in-place-copied',
            ),
            made(
                Patch,
                by='unsloth',
                setting='kernels',
                source='unsloth 2026.10 kernels/: rms_layernorm, rope_embedding, swiglu, fast_lora; the loss as of its own row',
                value=('rms_norm', 'rope', 'swiglu', 'linear_cross_entropy', 'lora'),
                since='2024.11.8',
                before=('rms_norm', 'rope', 'swiglu', 'cross_entropy', 'lora'),
            ),
            made(Patch, by='unsloth', setting='seq_len', source='unsloth 2025.2.6 and 2025.6.1 models/rl.py: written into each TRL trainer; not in the release before 2025.2.6', since='2025.2.6'),
        ),
    ),
    made(
        Manifest,
        name='torchtitan',
        formats=(
            made(
                Format,
                name='torchtitan',
                title='torchtitan',
                spellings={'micro_batch': 'training.local_batch_size', 'seq_len': 'training.seq_len', 'recompute': 'activation_checkpoint.mode', 'offload_params': 'training.enable_cpu_offload', 'offload_optimizer': 'training.enable_cpu_offload'},
            ),
        ),
        documents=('toml', 'python'),
        top=('training',),
        telling_large=('[training]',),
        programs=(
            made(Program, pattern='(.*/)?torchtitan[/.]train(\\.py)?', format='torchtitan', arguments='tyro', source='torchtitan 0.2'),
        ),
        packages=(
            made(Package, name='torchtitan'),
        ),
        model_code='torchtitan',
        code_by_stack=True,
        without=('sqrt checkpoints', 'fused loss', 'flash attention', 'chunked loss'),
    ),
    made(
        Manifest,
        name='torchtune',
        formats=(
            made(
                Format,
                name='torchtune',
                title='torchtune',
                spellings={'micro_batch': 'batch_size', 'grad_accum': 'gradient_accumulation_steps', 'recompute': 'enable_activation_checkpointing', 'recompute_offload': 'enable_activation_offloading', 'seq_len': 'tokenizer.max_seq_len', 'optimizer': 'optimizer._component_', 'offload_params': 'fsdp_cpu_offload', 'offload_optimizer': 'fsdp_cpu_offload', 'weights_dtype': 'dtype', 'loss': 'loss._component_'},
                ends_at_positions=True,
                schema='budgetlint.readers.torchtune.schema',
                recipes='budgetlint.readers.torchtune.recipes:own_recipes',
            ),
        ),
        documents=('json', 'yaml'),
        text='_component_',
        programs=(
            made(Program, pattern='tune run .*', format='torchtune', arguments='OmegaConf', source='torchtune 0.6 _cli/run.py'),
        ),
        packages=(
            made(Package, name='torchtune'),
        ),
        model_code='torchtune',
        code_by_stack=True,
        without=('sqrt checkpoints', 'fused loss', 'flash attention', 'offload optimizer'),
    ),
    made(
        Manifest,
        name='verl',
        formats=(
            made(Format, name='verl', title='verl', by_ray=True),
        ),
        documents=('yaml', 'shell'),
        top=('actor_rollout_ref', 'trainer'),
        text='verl.',
        telling_large=('actor_rollout_ref',),
        programs=(
            made(Program, pattern='verl(\\..*|/(\\w+/)*\\w+\\.py)', format='verl', arguments='Hydra', source='verl trainer/main_ppo.py, trainer/fsdp_sft_trainer.py'),
        ),
        idle=(
            made(Idle, pattern='verl\\.trainer\\.main_eval', does='evaluates', source='verl 0.6 trainer/main_eval.py'),
            made(Idle, pattern='verl\\.model_merger(\\.\\w+)*', does='converts weights', source='verl 0.6 model_merger/'),
            made(Idle, pattern='verl\\.trainer\\.main_generation(_server)?', does='generates or serves', source='verl 0.6 trainer/'),
            made(
                Idle,
                pattern='verl\\.trainer\\.main_ppo',
                does='evaluates',
                source='verl 0.2 to 0.9 trainer/ppo/ray_trainer.py fit: returns behind the first validation',
                when=('trainer.val_only',),
                but=('trainer.val_before_train',),
            ),
        ),
        packages=(
            made(Package, name='verl', version_files={'version/version': 'text'}),
        ),
    ),
    made(
        Manifest,
        name='xtuner',
        formats=(
            made(Format, name='xtuner', title='XTuner'),
        ),
        documents=('python', 'shell'),
        programs=(
            made(Program, pattern='xtuner \\S+', format='xtuner', arguments='mmengine Config', source='XTuner 0.2'),
        ),
        tools=(
            made(Tool, name='xtuner', trains=('train',)),
        ),
        packages=(
            made(Package, name='xtuner'),
        ),
    ),
)

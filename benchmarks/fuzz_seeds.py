"""Small files to start the fuzzer from: one of each shape that is read, written for this, and the words they are made of."""

from __future__ import annotations

YAML = (
    "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nlora_target_linear: true\nsequence_len: 4096\n"
    "sample_packing: true\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\noptimizer: adamw_bnb_8bit\n"
    "deepspeed: zero3.json\nbf16: auto\n",
    "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_target: all\ntemplate: qwen\n"
    "cutoff_len: 2048\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-4\nbf16: true\n",
    "model_name_or_path: gpt2\nper_device_train_batch_size: 8\nmax_seq_length: 1_024\n"
    "gradient_checkpointing_kwargs: {use_reentrant: false}\n"
    "bf16: yes\noptim: adamw_torch\nlr_scheduler_kwargs:\n  min_lr: 1e-6\n",
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config:\n"
    "  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_offload_params: false\n",
    "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_attn_modules: ['q_proj', 'v_proj']\n  lora_rank: 8\n"
    "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: null\n"
    "optimizer: {_component_: torch.optim.AdamW}\n"
    "batch_size: 2\ndtype: bf16\n",
    "actor_rollout_ref:\n  model: {path: ~/models/x}\n  actor:\n    ppo_mini_batch_size: ${data.train_batch_size}\n    fsdp_config: &f\n"
    "      param_offload: False\n  ref:\n    fsdp_config:\n      <<: *f\ndata:\n  train_batch_size: 256\n  max_prompt_length: 512\n",
    "trainer:\n  devices: 8\n  precision: bf16\nmodel:\n  micro_batch_size: 1\n  tensor_model_parallel_size: ${trainer.devices}\n"
    "  hidden_size: 4096\n  optim:\n    name: distributed_fused_adam\ndefaults:\n  - _self_\n  - optional model: x\n",
    "checkpoint_dir: checkpoints/x\nprecision: bf16-true\ndevices: 1\nlora_r: 32\ntrain:\n  micro_batch_size: 1\n  max_seq_length: 512\n",
    "a: &x [1, 2.5, .inf, 0x1F, 0o17, 1_000, 1:30]\nb: *x\nc: |\n  text\n\n  more\nd: >-\n  folded\n  line\n? complex\n: !!str 12\n---\n"
    "%YAML 1.1\n---\n- - nested\n  - {a: b, c: [d]}\n- \"esc \\x41 \\u00e9\"\n- 'it''s'\n...\n",
    "max_seq_len: &n 2048\nmodel:\n  name: hf_causal_lm\n  pretrained_model_name_or_path: mosaicml/mpt-7b\n"
    "device_train_microbatch_size: auto\nfsdp_config: {sharding_strategy: FULL_SHARD}\nmax_duration: 1ep\n",
)

JOBS = (
    "resources:\n  accelerators: {A100-80GB: 8}\nnum_nodes: 2\nenvs:\n  MODEL: gpt2\nrun: |\n"
    "  torchrun --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE"
    " \\\n    train.py --model_name_or_path $MODEL --bf16 --per_device_train_batch_size=4\n",
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n      replicas: 2\n"
    "      template:\n        spec:\n"
    '          containers:\n          - command: [torchrun, train.py, --bf16, "1"]\n            resources:\n'
    "              limits: {nvidia.com/gpu: 8}\n",
    "entrypoint: python train.py --config x.yaml\nruntime_env: {env_vars: {A: '1'}}\n",
)

INTERPOLATED = (
    "a: 1\nb: ${a}\nc:\n  d: ${..b}\n  e: [1, '${.[0]}', \"${c.d}${a}\"]\nf: ${oc.env:HOME,x}\ng: ${c}\nh: ${c.e[1]}\ni: \\${a}\n",
    "a0: x\na1: ${a0}${a0}\na2: ${a1}${a1}\na3: ${a2}${a2}\nl: &l\n  p: ${.q}\n  q: ${r.s}\nr: {s: ${l.p}}\nm: *l\n",
)

JSON = (
    '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "stage3_prefetch_bucket_size": "auto"},\n'
    ' "bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1e0, "steps": -0.5}\n',
    '{"peft_type": "LORA", "r": 8, "target_modules": ["q_proj", "v_proj"], "base_model_name_or_path": "gpt2", "lora_alpha": 16}\n',
    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, '
    '"num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "torch_dtype": "bfloat16"}\n',
    '{ // hjson\n  "a": "\\ud83d\\ude00\\u12",\n  /* b */ "c": [NaN, Infinity, -1E+5, null,],\n  d: x, # e\n}\n',
)

TOML = (
    "[model]\nname = \"llama3\"\nflavor = '8B'\n[training]\nlocal_batch_size = 1\nseq_len = 8_192\nsteps = 0x10\n"
    '[parallelism]\ndata_parallel_shard_degree = -1\n[activation_checkpoint]\nmode = "selective"\n',
    "a.b.'c d' = 1979-05-27T07:32:00Z\n[[x.y]]\nz = [1, {q = inf}, \"\"\"\nm\\\n  n\"\"\"]\n[[x.y]]\nz = '''r'''\n",
)

SCRIPTS = (
    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:h100:8\nexport MODEL=${1:-meta-llama/Llama-3.1-8B}\nARGS=(--bf16 --lr 1e-5)\n"
    'srun torchrun --nproc_per_node 8 train.py \\\n  --model_name_or_path "$MODEL" ${ARGS[@]} --deepspeed ds.json 2>&1 | tee log\n',
    'for s in 1 2; do\n  if [ -n "$X" ]; then B=4; else B=8; fi\n'
    "  accelerate launch --config_file fsdp.yaml train.py --per_device_train_batch_size $B\n"
    "done\ncase $1 in a|b) deepspeed --num_gpus 4 t.py --deepspeed;; *) echo no;; esac\n",
    'cat <<EOF > x.yaml\nbase_model: gpt2\nEOF\nf() { python train.py "--a=$((1 + 2))" `date`; }\nf & wait\n'
    "llamafactory-cli train cfg.yaml lora_rank=${R/a/b}\naxolotl train x.yaml --micro-batch-size 2\n",
    "swift sft --model Qwen/Qwen2.5-7B --tuner_type lora --deepspeed zero2 --max_length 2048\n"
    "tune run --nproc_per_node 2 lora_finetune_distributed --config llama3/8B_lora batch_size=4 'model.lora_rank=8'\n"
    "python -m verl.trainer.main_ppo data.train_batch_size=256 +trainer.x=[1,2] actor_rollout_ref.model.path=gpt2\n",
)

MAKEFILES = (
    "MODEL ?= gpt2\nN := $(shell nproc)\ntrain: data\n\t@torchrun --nproc_per_node $(N) train.py \\\n"
    "\t--model_name_or_path $(MODEL) --bf16\n",
)

REQUIREMENTS = ("torch>=2.1,<2.9  # c\ntransformers==5.24.*\ntrl~=1.16 --hash=x\npeft[x]; python_version > '3'\n-r other.txt\n",)

LOCKS = ('version = 1\n[[package]]\nname = "transformers"\nversion = "5.24.0"\n[[package]]\nname = "torch"\nversion = "2.13.0+cu1"\n',)

BUDGETS = (
    'budget 1\ndevice 2x rtx-4090\nreserve 1GiB for="desk"\nmodel llama-3.1-8b\nlora r=16 targets=all-linear\nbatch 2; seq 4096\n'
    'precision bf16-autocast\nrecompute full\nassert peak <= 95% of usable, "why"\n',
    "let n = 4\nstack transformers@5.24 torch@2.13\nrun a {\n  config train.yaml kind=axolotl # c\n  device 8x a100-80gb\n  batch $n\n}\n"
    "run b { model custom hidden=64 layers=2 heads=4 vocab=100 tied=on; seq 8k; optimizer adamw8bit }\n",
    "device 24GiB; model qwen3-8b; lora r=16; batch 1; seq 2048\n",
    "matrix {\n  batch [1, 2, 4]\n  seq [1k, 2k]\n}\ndevice t4\nmodel gpt2\nallow no-such-rule until=2027-01-01\n",
)

WORDS = (
    *("${", "}", "${a}", "${..a}", "<<: *a", "&a ", "*a", "!!int ", "!<x> ", "- ", "? ", ": ", "|2-\n", ">+\n", "---\n", "...\n"),
    *("%TAG ! x\n"),
    *("\t", "\r\n", "\x85", "\u2028", "\ufeff", "\xa0", "\x0b", "\x1c", "\U0001f600", "\ud7ff", "\x7f", "\u0660"),
    *("1e400", "-0", "0x", "1_", ".nan", "~", "null", "yes", "1e", "+.", "1:60", "9" * 40, "-1", "auto", "1e999999999", "0b2", "٣"),
    *('"', "'", "\\", "\\u", '"""', "'''", "`", "$(", "$((", ")", "<<EOF\n", "<<-'E'\n", "&&", "||", ";;", "|", "2>&1", "#"),
    *("//", "/*", "*/"),
    *("[", "]", "{", "}", "[[", "]]", "(", ",", "=", "+=", ";", "@", "%", "\\\n", "${x:-", "${!x}", "${x[@]}", "$@", "$1", "!"),
    *("if ", "fi\n"),
    *("do\n", "done\n", "case x in\n", "esac\n", "torchrun ", "python -m ", "accelerate launch ", "--deepspeed ", "--bf16\n"),
    *("#SBATCH --gres=gpu:"),
    *("device ", "model ", "batch ", "seq ", "lora ", "run x {", "matrix {", "let x = ", "assert ", "GiB", "k", "x2", "config "),
    *("include "),
)  # fmt: skip

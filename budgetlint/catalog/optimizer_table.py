"""The optimizers that training configs name: state layouts, what weight decay means, spellings, sources."""

from __future__ import annotations

from dataclasses import replace

from budgetlint.catalog.optimizer import Optimizer, StateTensor

TORCH = "torch 2.13.0 torch/optim"
BNB = "bitsandbytes 0.50.2 optim/optimizer.py (block 256, below 4096 elements fp32; paged from 1e5 elements)"
BNB_DECAY = "bitsandbytes csrc/kernels.cu:700-709, 1103-1104: both Adam and AdamW decouple the decay"
AO = "torchao 0.18.0 optim/adam.py (at least 4096 elements and a multiple of the block)"
HF = "transformers 5.24.0 trainer_optimizer.py"
DS = "deepspeed/runtime/engine.py:2095-2141, ops/adam (adam_w_mode true by default since dd03cff29)"
GALORE = "galore-torch 1.0 galore_projector.py, adamw.py"
APOLLO = "apollo-torch 1.0.3 apollo.py, random_projector.py"

M, V = StateTensor("exp_avg"), StateTensor("exp_avg_sq")
M32, V32 = StateTensor("exp_avg", "fp32"), StateTensor("exp_avg_sq", "fp32")
B1, B2 = (StateTensor(name, "uint8", block=256, small=4096) for name in ("state1", "state2"))
ADAM, ADAM32, ADAM8 = (M, V), (M32, V32), (B1, B2)


def _ao(dtype: str) -> tuple[StateTensor, StateTensor]:
    first = StateTensor("exp_avg", dtype, block=256, small=4096, small_dtype="state", whole=True)
    return first, replace(first, name="exp_avg_sq")


def _low_rank(rank: int, dtype: str = "state", block: int = 0, small: int = 0) -> tuple[StateTensor, ...]:
    moments = tuple(StateTensor(name, dtype, layout="low-rank", rank=rank, block=block, small=small) for name in ("exp_avg", "exp_avg_sq"))
    return (*moments, StateTensor("projector", layout="projector", rank=rank))


def _factored(dtype: str) -> StateTensor:
    return StateTensor("exp_avg_sq", dtype, layout="factored")


def _row(
    name: str, library: str, states: tuple[StateTensor, ...], decay: str, spellings: str, *sources: str, wd: float | None = None, **more: object
) -> Optimizer:
    adam = more.pop("adam_like", None)
    like = decay in ("decoupled", "l2") and len(states) >= 2 if adam is None else bool(adam)
    return Optimizer(name, library, states, decay, tuple(spellings.split()), wd, like, sources=sources, **more)  # type: ignore[arg-type]


OPTIMIZERS: tuple[Optimizer, ...] = (
    # -- torch ----------------------------------------------------------------------------------------------------------
    _row(
        "adamw",
        "torch",
        ADAM,
        "decoupled",
        "adamw_torch torch.optim.AdamW torch.optim.adamw.AdamW nemo.core.optim.adamw",
        f"{TORCH}/adamw.py:27; adam.py _multi_tensor_adam keeps one list of exp_avg_sq_sqrt (foreach)",
        wd=0.01,
        step_temp=1.0,
    ),
    _row(
        "adamw_torch_fused",
        "torch",
        ADAM,
        "decoupled",
        "fused_adamw adamw_fused torch_adamw_fused",
        f"{TORCH}/adamw.py (fused=True); {HF}",
        wd=0.01,
        impl="fused",
    ),
    _row(
        "adam",
        "torch",
        ADAM,
        "l2",
        "torch.optim.Adam torch.optim.adam.Adam torch_adam adam_torch",
        f"{TORCH}/adam.py:49, 416-428: L2 unless decoupled_weight_decay=True; foreach adds grad + wd x p, freed before the square root",
        wd=0.0,
        step_temp=1.0,
        note="weight_decay is L2: it goes through the moments",
    ),
    _row("adamw_torch_xla", "torch_xla", ADAM, "decoupled", "", HF, wd=0.01),
    _row("adamw_torch_npu_fused", "torch_npu", ADAM, "decoupled", "", HF, wd=0.01, impl="fused"),
    _row(
        "adamw_hf",
        "transformers",
        ADAM,
        "decoupled",
        "transformers.AdamW transformers.optimization.AdamW",
        "transformers 4.49 optimization.py AdamW; the name is gone at 4.50.0",
        wd=0.0,
        impl="for-loop",
    ),
    _row("sgd", "torch", (), "l2", "torch.optim.SGD", f"{TORCH}/sgd.py; {HF}: momentum 0 unless optim_args sets it", wd=0.0),
    _row("momentum", "torch", (StateTensor("momentum_buffer"),), "l2", "sgd_momentum nesterov", f"{TORCH}/sgd.py", wd=0.0, step_temp=0.0),
    _row("rmsprop", "torch", (StateTensor("square_avg"),), "l2", "torch.optim.RMSprop", f"{TORCH}/rmsprop.py", wd=0.0, step_temp=1.0),
    _row("adagrad", "torch", (StateTensor("sum"),), "l2", "torch.optim.Adagrad", f"{TORCH}/adagrad.py", wd=0.0, step_temp=1.0),
    _row("adamax", "torch", ADAM, "l2", "torch.optim.Adamax", f"{TORCH}/adamax.py", wd=0.0),
    _row("nadam", "torch", ADAM, "l2", "torch.optim.NAdam", f"{TORCH}/nadam.py", wd=0.0, step_temp=1.0),
    _row("radam", "torch", ADAM, "l2", "torch.optim.RAdam", f"{TORCH}/radam.py", wd=0.0, step_temp=1.0),
    _row(
        "adafactor_torch",
        "torch",
        (StateTensor("variance", layout="factored"),),
        "decoupled",
        "torch.optim.Adafactor",
        f"{TORCH}/_adafactor.py: row_var and col_var for matrices, variance for vectors",
        wd=0.0,
        adam_like=False,
    ),
    _row(
        "muon",
        "torch",
        (StateTensor("momentum_buffer", layout="matrix"), StateTensor("exp_avg", layout="vector"), StateTensor("exp_avg_sq", layout="vector")),
        "decoupled",
        "torch.optim.Muon dist_muon muon_adamw",
        f"{TORCH}/_muon.py: one momentum buffer, raises on parameters that are not 2-D",
        wd=0.1,
        matrices_only=True,
        adam_like=False,
        note="vectors need a second optimizer: counted as AdamW; embeddings that a trainer gives to AdamW cost one state more",
    ),
    # -- transformers, and libraries it calls ---------------------------------------------------------------------------
    _row(
        "adafactor",
        "transformers",
        (_factored("fp32"),),
        "decoupled",
        "transformers.Adafactor transformers.optimization.Adafactor",
        "transformers 5.24.0 optimization.py Adafactor: fp32 gradients, row and column factors of matrices; beta1 None",
        wd=0.0,
        adam_like=False,
    ),
    _row(
        "adamw_anyprecision",
        "torchdistx",
        ADAM32,
        "decoupled",
        "",
        f"{HF}: momentum_dtype and variance_dtype float32 unless optim_args says otherwise",
        wd=0.0,
    ),
    _row(
        "adamw_apex_fused",
        "apex",
        ADAM32,
        "decoupled",
        "apex_fused_adamw",
        "apex optimizers/fused_adam.py (fp32 states); the transformers name is gone at 5.8.0",
        wd=0.0,
        impl="fused",
    ),
    _row(
        "grokadamw",
        "grokadamw",
        (M, V, StateTensor("grok_ema")),
        "decoupled",
        "",
        "grokadamw 0.1.2 grokadamw.py:93-95: states are made with device='cpu' and moved per tensor",
        wd=0.01,
        host=True,
    ),
    _row(
        "stable_adamw", "optimi", ADAM, "decoupled", "optimi.StableAdamW", f"{HF}; with kahan_sum low-precision parameters keep one more bf16 tensor", wd=0.0
    ),
    _row("optimi_adamw", "optimi", ADAM, "decoupled", "optimi.AdamW", "axolotl optimizer names; torch-optimi", wd=0.0),
    _row("schedule_free_adamw", "schedulefree", (StateTensor("z"), V), "decoupled", "adamw_schedulefree", "schedulefree 1.4.1 adamw_schedulefree.py", wd=0.0),
    _row("schedule_free_radam", "schedulefree", (StateTensor("z"), V), "decoupled", "radam_schedulefree", "schedulefree 1.4.1 radam_schedulefree.py", wd=0.0),
    _row(
        "schedule_free_sgd",
        "schedulefree",
        (StateTensor("z"),),
        "l2",
        "sgd_schedulefree",
        "schedulefree 1.4.1 sgd_schedulefree.py",
        wd=0.0,
        adam_like=False,
    ),
    _row("lomo", "lomo_optim", (), "none", "", "lomo-optim 0.1.1 lomo.py: updates inside backward, keeps no gradients", keeps_gradients=False),
    _row(
        "adalomo",
        "lomo_optim",
        (_factored("fp32"),),
        "decoupled",
        "",
        "lomo-optim 0.1.1 adalomo.py:79-96: fp32 row and column factors",
        keeps_gradients=False,
        adam_like=False,
    ),
    _row(
        "adam_mini",
        "adam_mini",
        (M, StateTensor("vmean", layout="row")),
        "decoupled",
        "adam-mini adamini",
        "adam-mini 1.1.1 adam_mini.py: full m; one second moment per output row (per head for q and k)",
        wd=0.0,
    ),
    _row("adopt", "axolotl", ADAM, "decoupled", "adopt_adamw", "axolotl utils/optimizers/adopt.py", wd=0.0),
    _row(
        "came",
        "came_pytorch",
        (M, _factored("state"), StateTensor("exp_avg_res", layout="factored")),
        "decoupled",
        "came_pytorch",
        "came-pytorch CAME.py",
        wd=0.0,
    ),
    _row("ademamix", "bitsandbytes", (StateTensor("m1_m2", "fp32", scale=2.0), V32), "decoupled", "", f"{BNB}; optim/ademamix.py; {HF} (optim_bits=32)", wd=0.01),
    _row(
        "ademamix_8bit",
        "bitsandbytes",
        (replace(B1, name="m1_m2", scale=2.0), B2),
        "decoupled",
        "ademamix8bit",
        f"{BNB}; optim/ademamix.py:156-173: doubled first state",
        wd=0.01,
    ),
    _row(
        "paged_ademamix_32bit",
        "bitsandbytes",
        (StateTensor("m1_m2", "fp32", scale=2.0), V32),
        "decoupled",
        "paged_ademamix",
        BNB,
        wd=0.01,
        paged=True,
    ),
    _row("paged_ademamix_8bit", "bitsandbytes", (replace(B1, name="m1_m2", scale=2.0), B2), "decoupled", "", BNB, wd=0.01, paged=True),
    # -- bitsandbytes ---------------------------------------------------------------------------------------------------
    _row(
        "adamw8bit",
        "bitsandbytes",
        ADAM8,
        "decoupled",
        "adamw_8bit adamw_bnb_8bit bnb_adamw8bit bitsandbytes.optim.AdamW8bit bnb.optim.AdamW8bit",
        BNB,
        BNB_DECAY,
        wd=0.01,
    ),
    _row("adamw_bnb_32bit", "bitsandbytes", ADAM32, "decoupled", "bitsandbytes.optim.AdamW bitsandbytes.optim.AdamW32bit", BNB, BNB_DECAY, wd=0.01),
    _row("adam8bit", "bitsandbytes", ADAM8, "decoupled", "adam_8bit adam_bnb_8bit bitsandbytes.optim.Adam8bit", BNB, BNB_DECAY, wd=0.0),
    _row("adam_bnb_32bit", "bitsandbytes", ADAM32, "decoupled", "bitsandbytes.optim.Adam bitsandbytes.optim.Adam32bit", BNB, BNB_DECAY, wd=0.0),
    _row(
        "paged_adamw_8bit",
        "bitsandbytes",
        ADAM8,
        "decoupled",
        "paged_adamw8bit pagedadamw8bit bitsandbytes.optim.PagedAdamW8bit",
        BNB,
        BNB_DECAY,
        wd=0.01,
        paged=True,
    ),
    _row(
        "paged_adamw_32bit",
        "bitsandbytes",
        ADAM32,
        "decoupled",
        "paged_adamw pagedadamw bitsandbytes.optim.PagedAdamW bitsandbytes.optim.PagedAdamW32bit",
        BNB,
        BNB_DECAY,
        wd=0.01,
        paged=True,
    ),
    _row("paged_adam_8bit", "bitsandbytes", ADAM8, "decoupled", "bitsandbytes.optim.PagedAdam8bit", BNB, BNB_DECAY, wd=0.0, paged=True),
    _row(
        "paged_adam_32bit", "bitsandbytes", ADAM32, "decoupled", "bitsandbytes.optim.PagedAdam bitsandbytes.optim.PagedAdam32bit", BNB, BNB_DECAY, wd=0.0, paged=True
    ),
    _row("lion_32bit", "bitsandbytes", (M32,), "decoupled", "bitsandbytes.optim.Lion bitsandbytes.optim.Lion32bit", BNB, HF, wd=0.0),
    _row("lion_8bit", "bitsandbytes", (B1,), "decoupled", "lion8bit bitsandbytes.optim.Lion8bit", BNB, wd=0.0),
    _row(
        "paged_lion_32bit",
        "bitsandbytes",
        (M32,),
        "decoupled",
        "paged_lion bitsandbytes.optim.PagedLion bitsandbytes.optim.PagedLion32bit",
        BNB,
        wd=0.0,
        paged=True,
    ),
    _row("paged_lion_8bit", "bitsandbytes", (B1,), "decoupled", "bitsandbytes.optim.PagedLion8bit", BNB, wd=0.0, paged=True),
    _row(
        "rmsprop_bnb",
        "bitsandbytes",
        (StateTensor("state1", "fp32"),),
        "l2",
        "rmsprop_bnb_32bit bitsandbytes.optim.RMSprop bitsandbytes.optim.RMSprop32bit",
        BNB,
        "bitsandbytes backends/default/ops.py:457: one-state optimizers add the decay to the gradient",
        wd=0.0,
    ),
    _row("rmsprop_8bit", "bitsandbytes", (B1,), "l2", "rmsprop_bnb_8bit bitsandbytes.optim.RMSprop8bit", BNB, wd=0.0),
    _row("sgd_8bit", "bitsandbytes", (B1,), "l2", "sgd8bit bitsandbytes.optim.SGD8bit", BNB, wd=0.0),
    _row("adagrad_8bit", "bitsandbytes", (B1,), "l2", "adagrad8bit bitsandbytes.optim.Adagrad8bit", BNB, wd=0.0),
    _row("lamb_8bit", "bitsandbytes", ADAM8, "lamb", "lamb8bit bitsandbytes.optim.LAMB8bit", BNB, wd=0.0),
    # -- torchao --------------------------------------------------------------------------------------------------------
    _row(
        "adamw_torch_8bit",
        "torchao",
        _ao("uint8"),
        "decoupled",
        "ao_adamw_8bit torchao.optim.AdamW8bit torchao.prototype.low_bit_optim.AdamW8bit",
        AO,
        wd=0.01,
    ),
    _row(
        "adamw_torch_4bit",
        "torchao",
        _ao("uint4"),
        "decoupled",
        "ao_adamw_4bit torchao.optim.AdamW4bit torchao.prototype.low_bit_optim.AdamW4bit",
        AO,
        f"{HF}: block 256 (the class default is 128)",
        wd=0.01,
    ),
    _row(
        "adamw_torch_fp8",
        "torchao",
        _ao("fp8"),
        "decoupled",
        "ao_adamw_fp8 torchao.optim.AdamWFp8 torchao.prototype.low_bit_optim.AdamWFp8",
        AO,
        wd=0.01,
    ),
    # -- low rank -------------------------------------------------------------------------------------------------------
    _row("galore_adamw", "galore_torch", _low_rank(128), "decoupled", "galore_adamw_layerwise galore", GALORE, f"{HF}: rank 128", wd=0.0),
    _row(
        "galore_adamw_8bit",
        "galore_torch",
        _low_rank(128, "uint8", 256, 4096),
        "decoupled",
        "galore_adamw_8bit_layerwise galore_adamw8bit",
        GALORE,
        f"{HF}: rank 128",
        wd=0.0,
    ),
    _row(
        "galore_adafactor",
        "galore_torch",
        (StateTensor("projector", layout="projector", rank=128), StateTensor("factors", layout="factored")),
        "decoupled",
        "galore_adafactor_layerwise",
        "galore-torch 1.0 adafactor.py",
        f"{HF}: rank 128; the factors are those of the projected gradient, counted at full size",
        wd=0.0,
        adam_like=False,
    ),
    _row(
        "q_galore_adamw8bit",
        "q_galore_torch",
        _low_rank(256, "uint8", 256, 4096),
        "decoupled",
        "q_galore q_galore_adamw8bit_per_layer q_galore_adamw_8bit",
        "Q-GaLore: 8-bit states on projected gradients; its 4-bit projector is counted unquantised",
        wd=0.0,
    ),
    _row("apollo_adamw", "apollo_torch", _low_rank(128), "decoupled", "apollo apollo_adamw_layerwise", APOLLO, f"{HF}: rank 128", wd=0.0),
    _row("apollo_mini", "apollo_torch", _low_rank(1), "decoupled", "apollo_adamw_mini", APOLLO, wd=0.0),
    # -- DeepSpeed, apex, Transformer Engine, Megatron, NeMo ------------------------------------------------------------
    _row(
        "fused_adam",
        "deepspeed",
        ADAM,
        "decoupled",
        "FusedAdam deepspeed.ops.adam.FusedAdam apex.optimizers.FusedAdam transformer_engine.pytorch.optimizers.FusedAdam te_fused_adam",
        DS,
        "apex and TE FusedAdam keep fp32 states",
        wd=0.0,
        impl="fused",
    ),
    _row(
        "cpu_adam",
        "deepspeed",
        ADAM32,
        "decoupled",
        "DeepSpeedCPUAdam deepspeed.ops.adam.DeepSpeedCPUAdam deepspeed_cpu_adam cpuadam zenflow_cpu_adam",
        DS,
        wd=0.0,
        impl="kernel",
        host=True,
        note="states in host memory, updated by the processor",
    ),
    _row("cpu_adam_l2", "deepspeed", ADAM32, "l2", "", "accelerate utils/deepspeed.py:29-97 from 1.2.0: CPU Adam for what was no AdamW", wd=0.0, impl="kernel", host=True),
    _row("fused_lion", "deepspeed", (M,), "decoupled", "deepspeed.ops.lion.FusedLion", "deepspeed ops/lion/fused_lion.py", wd=0.0, impl="fused"),
    _row("cpu_lion", "deepspeed", (M32,), "decoupled", "DeepSpeedCPULion", "deepspeed ops/lion/cpu_lion.py", wd=0.0, impl="kernel", host=True),
    _row("cpu_adagrad", "deepspeed", (StateTensor("exp_avg_sq", "fp32"),), "l2", "DeepSpeedCPUAdagrad", "deepspeed ops/adagrad/cpu_adagrad.py", impl="kernel", host=True),
    _row("lamb", "deepspeed", ADAM, "lamb", "FusedLamb fused_lamb apex.optimizers.FusedLAMB", "deepspeed ops/lamb/fused_lamb.py", wd=0.0, impl="fused"),
    _row(
        "onebit_adam",
        "deepspeed",
        (M, V, StateTensor("worker_error")),
        "decoupled",
        "OneBitAdam 1bit_adam",
        "deepspeed runtime/fp16/onebit/adam.py: one error buffer of full size, a server part of 1/N",
        wd=0.0,
    ),
    _row("zero_one_adam", "deepspeed", (M, V, StateTensor("worker_error")), "decoupled", "ZeroOneAdam 01_adam", "deepspeed runtime/fp16/onebit/zoadam.py", wd=0.0),
    _row("onebit_lamb", "deepspeed", (M, V, StateTensor("worker_error")), "lamb", "OneBitLamb", "deepspeed runtime/fp16/onebit/lamb.py", wd=0.0),
    _row(
        "megatron_adam",
        "megatron",
        ADAM32,
        "decoupled",
        "mcore_distributed_optim megatron_fused_adam",
        "megatron/core/optimizer/optimizer_config.py:250 decoupled_weight_decay True; fp32 states",
        wd=0.01,
        impl="fused",
    ),
    _row(
        "distributed_fused_adam",
        "apex",
        ADAM32,
        "decoupled",
        "megatron_distributed_fused_adam apex.contrib.optimizers.distributed_fused_adam.DistributedFusedAdam",
        "apex contrib/optimizers/distributed_fused_adam.py: fp32 states split over the data-parallel ranks",
        wd=0.0,
        impl="fused",
    ),
    _row(
        "novograd",
        "nemo",
        (M, StateTensor("exp_avg_sq", layout="scalar")),
        "l2",
        "nemo.core.optim.novograd.Novograd",
        "nemo/core/optim/novograd.py: one second moment per layer",
        wd=0.0,
        adam_like=False,
    ),
    # -- the rest -------------------------------------------------------------------------------------------------------
    _row("lion", "lion_pytorch", (M,), "decoupled", "lion_pytorch lion_pytorch.Lion", "lion-pytorch lion_pytorch.py: one momentum like the parameter", wd=0.0),
    _row("decoupled_adamw", "llmfoundry", ADAM, "decoupled", "DecoupledAdamW", "composer/optim/decoupled_weight_decay.py: decay scaled by lr/initial_lr", wd=1e-5),
    _row("decoupled_lionw", "llmfoundry", (M,), "decoupled", "DecoupledLionW decoupled_lionw_8b decoupled_lionw_8bit", "llm-foundry optim/lion.py", wd=0.0),
    _row("decoupled_sgdw", "llmfoundry", (StateTensor("momentum_buffer"),), "decoupled", "DecoupledSGDW", "composer/optim/decoupled_weight_decay.py", wd=1e-5),
    _row("madgrad", "madgrad", (StateTensor("grad_sum_sq"), StateTensor("s"), StateTensor("x0")), "l2", "madgrad_wd", "facebookresearch/madgrad", wd=0.0, adam_like=False),
    _row("prodigy", "prodigyopt", (M, V, StateTensor("s"), StateTensor("p0")), "decoupled", "", "prodigyopt prodigy.py", wd=0.0),
    _row("sophia", "sophia", (M, StateTensor("hessian")), "decoupled", "sophiag", "Liuhong99/Sophia sophia.py", wd=0.1),
)

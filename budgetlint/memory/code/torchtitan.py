"""torchtitan: its models/*/model, priced as transformers' layers; checkpoints, loss, reductions and pipelines are its own.

Sources: torchtitan 0.2.2 ``models/llama3/infra/parallelize.py``, ``distributed/activation_checkpoint.py``,
``distributed/pipeline_parallel.py``, ``config/job_config.py``.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.code.base import CodePlaces, ModelCode, Splits
from budgetlint.memory.parallel import Parallel
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.term import Source
from budgetlint.settings.run import Settings, Stack

_MOE = "models/moe/moe.py"


def _layer(model: str, whole: str, feeds: str = "", experts: tuple[str, str] = (_MOE, "GroupedExperts")) -> CodePlaces:
    """``model``: the folder of its model.py; ``whole``: the class of the model there; ``feeds``: the file of its dense FeedForward."""
    own = f"models/{model}/model/model.py"
    dense = feeds or own
    return CodePlaces(
        "torchtitan",
        "0.2.2",
        (
            ("experts.*", *experts),
            ("router.*", _MOE, "TokenChoiceTopKRouter"),
            ("shared*", _MOE, "FeedForward"),
            ("final-norm.*", own, whole),
            ("[qk]-norm.*", own, "Attention"),
            ("*latent-norm.*", own, "Attention"),
            ("*norm.*", own, "TransformerBlock"),
            *((pattern, own, "Attention") for pattern in ("attention.*", "[qkvo]_*", "kv_*")),
            *((pattern, dense, "FeedForward") for pattern in ("mlp.*", "gate_proj.*", "up_proj.*", "down_proj.*")),
        ),
    )


_LAYERS = {
    "llama3": _layer("llama3", "Transformer"),
    "qwen3": _layer("qwen3", "Qwen3Model"),
    "deepseek_v3": _layer("deepseek_v3", "DeepSeekV3Model", _MOE),
    "gpt_oss": _layer("gpt_oss", "GptOssModel", experts=("models/gpt_oss/model/moe.py", "GptOssGroupedExperts")),
}
"""By what the records of families call them (`budgetlint.catalog.family.Family.elsewhere`)."""
_STEP = CodePlaces(
    "torchtitan",
    "0.2.2",
    (
        ("logits.*", "components/loss.py", "cross_entropy_loss"),
        ("checkpoints", "distributed/activation_checkpoint.py", "apply_ac"),
        ("checkpoints.*", "distributed/activation_checkpoint.py", "apply_ac"),
        ("pipeline.in-flight", "distributed/pipeline_parallel.py", "build_pipeline_schedule"),
    ),
)


class Torchtitan(ModelCode):
    splits = Splits(sequence=True, embedding=True, logits=True)
    """models/llama3/infra/parallelize.py: always sequence parallel, loss parallel."""

    compiles = ("layers", "loss")
    """config/job_config.py Compile.components; parallelize.py ``apply_compile`` compiles each block, behind its checkpoint;
    components/loss.py the loss for itself."""

    loss_compiled_since = "0.1.0"
    """components/loss.py; until February 2025 (473674acf train.py) a comment stands there: compiling the loss causes CUDA errors."""

    def compiled(self, settings: Settings, stack: Stack) -> Compiled:
        """models/llama3/model/model.py to 0.2.1 copies grouped keys and values to every query head (``repeat_kv``), 0.2.2 does not."""
        found = super().compiled(settings, stack)
        return replace(found, repeats=stack.at_least("torchtitan", "0.2.2") is False) if found.scope else found

    reshards_in_pipeline = False
    """``apply_fsdp``: the default policy keeps parameters under a pipeline."""

    def loops_experts(self, stack: Stack) -> bool:
        """models/moe/moe.py ``use_grouped_mm``: on by default."""
        return False

    def selective_bytes(self, plan: Plan) -> int:
        """The per-op policy keeps the output of every second matmul (activation_checkpoint.py ``_get_custom_policy``): of q, k, v, o,
        gate, up, down the first, third, fifth and seventh."""
        arch = plan.arch
        last = 0 if plan.compile else arch.hidden  # the partitioner sees that nothing reads the down projection's
        return plan.precision.compute * (arch.q_width + arch.kv_width + arch.intermediate + last)

    def loss_recipe(self, plan: Plan, stack: Stack) -> str:
        """``loss_parallel`` of torch 2.9 (distributed/tensor/parallel/loss.py) where logits are split."""
        if plan.loss == "full" and plan.parallel.logits and plan.parallel.tensor > 1:
            return "full-dtensor"
        return super().loss_recipe(plan, stack)

    def knows_accumulation(self, stack: Stack) -> bool:
        """train.py reduces in each micro batch, a pipeline after the last."""
        return True

    def unreduced_gradients(self, plan: Plan, elements: int) -> tuple[int, int]:
        """It reduces in fp32, and so it accumulates (torch 2.9 _fsdp_param.py ``to_accumulated_grad_if_needed``)."""
        return elements, plan.precision.grads

    def reduce_scatter_bytes(self, plan: Plan) -> int:
        """config/job_config.py ``mixed_precision_reduce``, of which float32 is the only value."""
        return 4

    def expert_tensor(self, settings: Settings, tensor: int, experts: int) -> int:
        """config/job_config.py ``expert_tensor_parallel_degree``: of no effect without expert parallelism."""
        return tensor if experts == 1 else super().expert_tensor(settings, tensor, experts)

    def pipelined(self, parallel: Parallel, settings: Settings) -> Parallel:
        """pipeline_parallel.py: the local batch is cut into micro batches, and the first and the last stage have a layer less."""
        size, batch = settings.value("pipeline_micro_batch"), settings.value("micro_batch")
        cut = replace(parallel, micro_size=size, micro_batches=max(1, batch // size)) if size and batch else parallel
        return replace(cut, lighter=(1, 1))

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        layer = family_of(plan.arch.family).elsewhere.get("torchtitan", "")
        return _LAYERS[layer].find(name) if layer else None

    def place(self, slug: str, plan: Plan) -> Source | None:
        return None if plan.loss == "full-dtensor" and slug.startswith("logits.") else _STEP.find(slug)

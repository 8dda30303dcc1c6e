"""torchtune: its modules/transformer.py, priced as transformers' layers; what tensor parallelism splits is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.memory import loss
from budgetlint.memory.code.base import CodePlaces, ModelCode, Splits
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.term import Bucket, Source, Term, tensor
from budgetlint.settings.run import Settings, Stack

Rows = tuple[tuple[int, str], ...]
Loss = Callable[[Plan], Iterator[Term]]

_ADAPTER = ("modules/peft/lora.py", "LoRALinear")
_FROZEN = ("modules/low_precision/nf4_linear.py", "FrozenNF4Linear")
_MLP = ("modules/feed_forward.py", "FeedForward")


def _layer(attention: tuple[str, str], norm: tuple[str, str]) -> CodePlaces:
    attends = tuple((pattern, *attention) for pattern in ("attention.*", "[qkvo]_proj.*"))
    feeds = tuple((pattern, *_MLP) for pattern in ("mlp.*", "gate_proj.*", "up_proj.*", "down_proj.*"))
    return CodePlaces("torchtune", "0.6.1", (("*.lora_*", *_ADAPTER), ("*norm.*", *norm), *attends, *feeds))


_LAYERS = {
    "plain": _layer(("modules/attention.py", "MultiHeadAttention"), ("modules/rms_norm.py", "RMSNorm")),
    "gemma": _layer(("modules/attention.py", "MultiHeadAttention"), ("models/gemma/rms_norm.py", "GemmaRMSNorm")),
    "gemma2": _layer(("models/gemma2/_attention.py", "Gemma2Attention"), ("models/gemma/rms_norm.py", "GemmaRMSNorm")),
}
"""By what the records of families call them (`budgetlint.catalog.family.Family.elsewhere`; torchtune 0.6.1
models/*/_component_builders.py)."""
_STEP = CodePlaces(
    "torchtune",
    "0.6.1",
    (
        ("logits.*chunk*", "modules/loss/ce_chunked_output_loss.py", "CEWithChunkedOutputLoss"),
        ("weights.adapter", *_ADAPTER),
        ("weights.nf4", *_FROZEN),
        ("quantised.*", *_FROZEN),
    ),
)


class Torchtune(ModelCode):
    compiles = ("layers", "loss")
    """torchtune 0.3.1 to 0.6.1 training/_compile.py ``compile_model`` compiles each attention layer, ``compile_loss`` the loss for itself,
    of a chunked one the part that each chunk runs."""

    loss_compiled_since = "0.3"
    """training/_compile.py; 0.2.1 recipes/full_finetune_single_device.py compiles the model alone."""

    sums_in_place = True
    """The head runs once a chunk, and its gradients are summed before the lookup's comes."""

    def compiled(self, settings: Settings, stack: Stack) -> Compiled:
        """modules/attention.py ``MultiHeadAttention``: grouped keys and values are copied to every query head. 0.2.1 recipes/
        full_finetune_single_device.py compiles the whole model, and no loss."""
        found = super().compiled(settings, stack)
        if not found.scope:
            return found
        early = "compile_parts" not in settings and stack.at_least("torchtune", "0.3") is False
        return replace(Compiled("model") if early else found, repeats=True)

    def compiled_readings(self, plan: Plan, stack: Stack) -> tuple[Compiled, ...]:
        """0.2.1 modules/loss has no chunked loss: where there is one, it is compiled."""
        return (plan.compiled,) if plan.loss == "chunked" else super().compiled_readings(plan, stack)

    def loss_forward(self, plan: Plan) -> Iterator[Term]:
        return self._logits(plan, loss.forward, eager=((2, "output"), (4, "log-softmax")), fused=((2, "output"),))

    def loss_backward(self, plan: Plan) -> Iterator[Term]:
        """One chunk at a time: a gradient takes the place of what its chunk held, and the head's is made beside the sum of those before."""
        yield from self._logits(plan, loss.backward, eager=((4, "log-softmax"),), fused=((2, "output"),), whole=((4, "gradient"),))
        if plan.makes_logits and plan.loss == "chunked" and plan.full:
            shape = (("copy", 2), ("vocab", plan.arch.vocab), ("hidden", plan.arch.hidden))
            yield tensor(Bucket.GRADIENTS, "gradients.head-of-chunks", plan.because("loss", "model"), shape, plan.precision.compute)

    def _logits(self, plan: Plan, otherwise: Loss, eager: Rows, fused: Rows, whole: Rows = ()) -> Iterator[Term]:
        """modules/transformer.py: whole logits are cast to fp32 outside any graph, chunks (modules/loss/ce_chunked_output_loss.py) inside
        the loss, each of which keeps its log-softmax where the loss is not compiled."""
        if plan.makes_logits and plan.loss == "chunked":
            yield from loss.of_vocabulary(plan, fused if plan.compiled.loss else eager)
        elif plan.makes_logits and plan.loss == "full" and plan.compiled.loss == "apart":
            yield from loss.of_vocabulary(plan, ((4, "fp32-output"), *whole))
        else:
            yield from otherwise(plan)

    splits = Splits(sequence=False, embedding=True, logits=False)
    """torchtune 0.6.1 models/llama3/_parallelism.py: both tables are split, the logits are gathered."""

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        layer = family_of(plan.arch.family).elsewhere.get("torchtune", "")
        return _LAYERS[layer].find(name) if layer else None

    def place(self, slug: str, plan: Plan) -> Source | None:
        if slug.startswith("logits.") and plan.loss == "full":  # a recipe's ``loss``: torch.nn.CrossEntropyLoss
            return Source("torch", "2.13", "nn/functional.py", "cross_entropy")
        return _STEP.find(slug)

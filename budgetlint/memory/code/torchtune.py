"""torchtune: its modules/transformer.py, priced as transformers' layers; what tensor parallelism splits is its own."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.code.base import CodePlaces, ModelCode, Splits
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.term import Source
from budgetlint.settings.run import Settings, Stack

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
    """torchtune 0.6.1 training/_compile.py ``compile_model`` compiles each attention layer, ``compile_loss`` the loss for itself, of a
    chunked one the part that each chunk runs."""

    def compiled(self, settings: Settings, stack: Stack) -> Compiled:
        """modules/attention.py ``MultiHeadAttention``: grouped keys and values are copied to every query head."""
        found = super().compiled(settings, stack)
        return replace(found, repeats=True) if found.scope else found

    splits = Splits(sequence=False, embedding=True, logits=False)
    """torchtune 0.6.1 models/llama3/_parallelism.py: both tables are split, the logits are gathered."""

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        layer = family_of(plan.arch.family).elsewhere.get("torchtune", "")
        return _LAYERS[layer].find(name) if layer else None

    def place(self, slug: str, plan: Plan) -> Source | None:
        if slug.startswith("logits.") and plan.loss == "full":  # a recipe's ``loss``: torch.nn.CrossEntropyLoss
            return Source("torch", "2.13", "nn/functional.py", "cross_entropy")
        return _STEP.find(slug)

"""What one layer keeps for its backward: rows of bytes per token, and the dtypes of the streams between layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from budgetlint.base.record import record, replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, Dims, Term
from budgetlint.settings.run import Setting


@record
class Saved:
    """A tensor that one layer keeps. ``id`` names it among the layer's (``attention.q``). ``per_token`` bytes for each token of the micro
    batch, ``per_pair`` more for each token and each position of its sequence (attention scores); ``fixed`` bytes of what goes with
    neither (a decoder's keys of the encoder), ``dims`` then its shape. ``size``: bytes an element, 0 for several tensors in one row, or
    a part of one. ``mean``: of so many layers (second) so many (first) keep it, and the bytes are the mean of all. ``part`` tells which
    settings it goes by: norm, linear, attention, mlp, adapter, dropout."""

    part: str
    id: str
    per_token: int
    per_pair: int = 0
    fixed: int = 0
    size: int = 0
    dims: Dims = ()
    mean: tuple[int, int] = (1, 1)

    def bytes(self, tokens: int, seq: int) -> int:
        return tokens * (self.per_token + self.per_pair * seq) + self.fixed


@record
class SizeNames:
    """What the sizes of a layer's tensors are called: ``rows`` of the micro batch and positions of a sequence, widths of a token."""

    rows: Dims
    length: int
    heads: tuple[int, int]
    head_dim: int
    widths: tuple[int, int, int]

    def of_token(self, part: str, count: int) -> Dims:
        """The elements of one token."""
        hidden, intermediate, rank = self.widths
        if count == 1:
            return ()
        if part == "attention" and self.head_dim:
            if count in self.heads:
                return (("head", count),)
            if not count % self.head_dim and count // self.head_dim in self.heads:
                return (("head", count // self.head_dim), ("dim", self.head_dim))
        if part == "adapter" and count == rank:
            return (("rank", count),)
        return (("hidden" if count == hidden else "intermediate" if count == intermediate else "width", count),)


def names_of(plan: Plan) -> SizeNames:
    arch = plan.arch
    widths = arch.hidden, arch.intermediate, 0 if plan.adapter is None else plan.adapter.r
    return SizeNames(plan.rows, plan.length, (arch.heads, arch.kv_heads), arch.head_dim, widths)


@record
class Kept:
    """The shape of a row's tensor in so many layers; empty where it is not one whole tensor."""

    names: SizeNames
    row: Saved
    layers: int

    @property
    def dims(self) -> Dims:
        row, names, (some, of) = self.row, self.names, self.row.mean
        if not row.size or self.layers * some % of:
            return ()
        if row.dims:
            return (("layer", self.layers), *row.dims)
        token, more = divmod(row.per_token * of // some, row.size)
        pair, rest = divmod(row.per_pair * of // some, row.size)
        if more or rest or (pair and token not in (0, pair)):
            return ()
        there = (("layer", self.layers * some // of), *names.rows)
        if pair:  # a column more for the sinks
            return (*there, ("head", pair), ("position", names.length + (1 if token else 0)))
        return (*there, *names.of_token(row.part, token))


Held = tuple[Saved, int, int, bool]


@record
class LayerTerms:
    """The tensors of some layers: their bytes at once, a term each when somebody reads them, for a layer has many, and most moments and
    most estimates are only added up. ``held``: each row, in how many layers, the bytes of that, and whether it is so many whole tensors.
    ``sets``: names of the settings that set them, by `Saved.part`, or under ``""`` of all."""

    name: str
    names: SizeNames
    origins: Mapping[str, Setting]
    sets: Mapping[str, tuple[str, ...]]
    held: Sequence[Held]
    bytes: int
    bucket: Bucket = Bucket.ACTIVATIONS

    @property
    def terms(self) -> tuple[Term, ...]:
        sets, origins, names = self.sets, self.origins, self.names
        because = {part: tuple([origins[name] for name in said if name in origins]) for part, said in sets.items()}
        every = because.get("", ())
        return tuple(
            [
                Term(
                    self.bucket,
                    size,
                    f"{self.name}.{row.id}",
                    because.get(row.part, every),
                    Kept(names, row, many) if whole else (),
                    row.size,
                )
                for row, many, size, whole in self.held
            ]
        )

    def within(self, whose: str) -> LayerTerms:
        """The same tensors of another stack or model."""
        return replace(self, name=f"{whose}.{self.name}")


def layer_terms(plan: Plan, name: str, sets: Mapping[str, tuple[str, ...]], held: Sequence[Held]) -> LayerTerms:
    return LayerTerms(name, names_of(plan), plan.origins, sets, held, sum([size for _, _, size, _ in held]))


def total(saved: Iterable[Saved], tokens: int, seq: int) -> int:
    return sum(row.bytes(tokens, seq) for row in saved)


def module_bytes(plan: Plan) -> int:
    """Bytes per element of the weights as the modules see them: FSDP's mixed precision shards fp32 but gathers 16 bit
    (torch/distributed/fsdp MixedPrecision.param_dtype)."""
    if plan.sharding.is_fsdp and plan.precision.autocast:
        return plan.precision.compute
    return plan.precision.weights if plan.precision.autocast else plan.precision.compute


def norm_weight_bytes(plan: Plan) -> int:
    """Norm weights beside a quantised base may be upcast to fp32 (peft prepare_model_for_kbit_training), not under FSDP's
    mixed precision."""
    if plan.quant is not None:
        return 4 if plan.quant.upcast in ("norms", "all") and not plan.sharding.is_fsdp else plan.precision.weights
    return module_bytes(plan)


def residual_bytes(plan: Plan) -> int:
    """Bytes per element of the residual stream: what the embedding gives (fp32 weights give fp32, even under autocast).

    A 4-bit linear gives back its input's dtype (bitsandbytes 0.43.3 nn/modules.py Linear4bit.forward), so fp32 norms make
    the whole stream fp32. Encoders norm the stream itself, and autocast runs LayerNorm in fp32 (modeling_bert.py).
    """
    normed = plan.arch.kind == "encoder" or family_of(plan.arch.family).normed_stream
    return 4 if normed and plan.precision.autocast else norm_weight_bytes(plan)


def norm_output_bytes(plan: Plan) -> int:
    """LayerNorm runs in fp32 under autocast; the Llama RMSNorm multiplies its weight by a tensor of the input's dtype."""
    if plan.precision.autocast and plan.arch.norm == "layernorm":
        return 4
    return residual_bytes(plan)


def linear_output_bytes(plan: Plan) -> int:
    """What a linear of a layer gives: 16 bit under autocast, else the wider of weight and input; a 4-bit linear its input's
    dtype, so fp32 behind fp32 norms."""
    if plan.quant is not None:
        return norm_output_bytes(plan)
    return plan.precision.compute

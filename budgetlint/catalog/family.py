"""What is known of a model family, in one record: how its config.json is read, what its modules are called, how its layer is written,
what of it peft, Liger and FSDP know. The records stand in `families/`, one module each.

A record says what it knows. What it leaves out it takes from the record that ``like`` names, as its code is written after that one's, but
never what was found out about one family alone (`OWN`). A field that nobody filled in is an error for whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from budgetlint.base.record import fields, record
from budgetlint.catalog.module_names import ModuleNames

UNFILLED: Any = object()
"""What a field is that a record does not say."""


class Unfilled(LookupError):
    """Asked for a field of a family that nobody filled in."""

    def __init__(self, family: str, name: str) -> None:
        super().__init__(f"the record of '{family}' does not say '{name}' (budgetlint/catalog/families/)")
        self.family, self.field = family, name


@record
class HubConfig:
    """How a config.json is read. ``shape``: the `Architecture` fields that the modeling code fixes or the config class defaults to;
    ``sizes``: the class defaults of the sizes, for keys that a config.json leaves out (empty: they are not known, and it must write them);
    ``reader``: ``module.function`` of the catalog for what it says in its own way, "" where there is nothing of the kind."""

    shape: Mapping[str, Any]
    sizes: Mapping[str, int]
    reader: str = ""


@record
class Basis:
    """What the program of a layer rests on. ``spread_ppm``: how far the true bytes of activations may lie from it, in 1/10^6 either way;
    ``exact``: it equals every trace of the family."""

    spread_ppm: int
    text: str
    exact: bool


TRACED = Basis(15_000, "traces of transformers 5.24.0, torch 2.13.0 and peft 0.21.2 on meta tensors", exact=True)
SHAPE_ALONE = Basis(400_000, "no table for this architecture: priced from its shape alone", exact=False)


def nearest(other: str, spread_ppm: int) -> Basis:
    return Basis(spread_ppm, f"priced as the nearest traced family, {other}", exact=False)


@record
class Tools:
    """What tools around the model know of it. ``liger``: liger-kernel 0.6 monkey_patch.py MODEL_TYPE_TO_APPLY_LIGER_FN has kernels for it.
    ``wrap_class``: its decoder layer in ``_no_split_modules`` (transformers 5.24.0), which FSDP wraps; "" where it was not read.
    ``folded_experts``: peft 0.21.2 utils/transformers_weight_conversion.py reaches its stacked experts and routers by ``all-linear``.
    ``fp16_overflows``: activations exceed 65,504 (sources: the rule fp16-on-bf16-pretrained). ``liger_head``: of those kernels one fuses
    head and loss (0.6.4 and 0.8.5: for all but Granite, whose model scales its logits)."""

    liger: bool
    wrap_class: str
    folded_experts: bool
    fp16_overflows: bool
    liger_head: bool = True


@record
class Stacks:
    """An encoder-decoder's tensors. ``written``: ``t5`` (relative positions in the first layer) or ``bart`` (positions in either stack);
    ``embed_norm``, ``last_norm``: either stack norms its embeddings, and what it gives."""

    written: str
    embed_norm: bool
    last_norm: bool


@record
class VisionEncoder:
    """A vision encoder that stands alone. ``tokens``: learned tokens in front of the patches that have a position of their own (class, and
    DeiT's distillation), ``class_token`` the name of the first; ``front_norm``: a norm before the blocks."""

    tokens: int
    class_token: str
    patch_bias: bool
    front_norm: str


@record
class Tower:
    """A vision tower in front of a decoder. ``names``: of its blocks, relative to ``at``, where it lies in the model; ``patch`` its patch
    embedding. ``positions``: ``table`` for each patch of the image size, ``grid`` of a fixed number that is resampled, ``rope``.
    ``front``, ``last``: norms before and behind the blocks; ``scales``: vectors that multiply what attention and MLP give; ``decoder``:
    where the decoder behind it lies; ``merger``: two linears and a norm of Qwen's projector.

    ``square``: every image, or tile of one, is seen at the size that the positions are made for; else it is taken as it comes, up to
    ``largest_pixels``, the largest that the checkpoints' processors leave as it is (preprocessor_config.json of Qwen2-VL and Qwen2.5-VL:
    ``max_pixels`` 12,845,056, of Qwen3-VL: ``longest_edge`` 16,777,216, all 16,384 tokens; 0: the checkpoint's image size).

    ``half_stream``: the stream is what the patch embedding's convolution gives, 16 bit under autocast; elsewhere fp32 positions, a class
    token or norm weights come on top."""

    names: ModuleNames
    at: str
    patch: str
    patch_bias: bool
    class_token: bool
    positions: str
    square: bool
    half_stream: bool
    decoder: str
    largest_pixels: int = 0
    front: str = ""
    last: str = ""
    scales: tuple[str, ...] = ()
    merger: tuple[str, str, str] = ("", "", "")


NOWHERE: Mapping[str, str] = MappingProxyType({})


@record
class Family:
    """One family: the transformers ``model_type`` whose module code runs. Words for how the code is written are keys of the tables of
    `budgetlint.memory` that hold the programs (`attend.EAGER`, `blocks.STYLES`, `mixture.ROUTERS`, `mixture.PRODUCTS`).

    - ``like``: the record that the code is written after; ``model_type``: transformers' own word for the language model, where it is
      not the name.
    - ``classes``: the folder of its modeling file, and the classes of its norm, attention and MLP there (transformers 5.24.0), "" where
      they are torch's own or several: what a bill names as the source of a tensor. () where nobody looked.
    - ``elsewhere``: other codes that have a model of it (``model_code``) -> what their module of `budgetlint.memory.code` calls its layers,
      to say where a tensor is made.
    - ``attention_bias``: the `Architecture` fields that the key of this name sets.
    - ``new_names``: names of modules in the newest releases (5.24.0) -> those that ``names`` lists (4.57.0).
    - ``experts_are_parameters``: in every release; elsewhere since `module_names.FUSED_EXPERTS_SINCE`.
    - ``one_delta_input``: the inputs of linear attention are one matrix, and its gates another.
    - ``layer``: ``module.function`` of `budgetlint.memory`, the program of one layer. ``layer_period``: layers after which the kinds
      of attention repeat (``layer_types``).
    - ``sdpa``: the code has it. ``position_bias``: positions are a bias of the scores, so no flash. ``always_masked``: sdpa always gets
      a boolean mask, so flash never runs. ``repeats_for_flash``: its FlashAttention2 class calls repeat_kv (transformers 4.47.1).
    - ``eager``: its attention in Python. ``drops_scores``: with the dropout that everything has.
    - ``one_dropout_rate``: scores of an encoder-decoder drop at the rate of everything, else at their own. ``casts_before_down``: its MLP
      casts to the dtype of its last matrix.
    - ``norm``: how its norm is written, ``shape`` where `Architecture.norm` says it. ``normed_stream``: embeddings, or sums, are normed
      before a layer sees them.
    - ``rotates_as_given``: in the dtype of queries and keys; the others multiply by tables of the residual stream's dtype.
    - ``packed_heads``: keys of a fused matrix are broadcast to the query heads where it is split.
    - ``router``, ``expert_product``: of a mixture.
    - ``logits_plain_until``: the first transformers release whose model code calls ``self.loss_function``, which upcasts the logits; ""
      where that was not read. ``caps_logits``: a tanh over the logits, kept for the backward. ``scales_embedding``: into a new tensor.
    - ``probe_keys``: ``module.function`` of `budgetlint.probe` for keys of its own, "" for none. ``probe_no_window``: no window must be
      said. ``probe_no_padding``: the embedding has no padding index.
    """

    name: str
    like: str = ""
    model_type: str = ""
    classes: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = NOWHERE
    config: HubConfig = UNFILLED
    basis: Basis = UNFILLED
    tools: Tools = UNFILLED
    names: ModuleNames = UNFILLED
    stacks: Stacks = UNFILLED
    vision: VisionEncoder = UNFILLED
    tower: Tower = UNFILLED
    attention_bias: tuple[str, ...] = UNFILLED
    new_names: Mapping[str, str] = UNFILLED
    experts_are_parameters: bool = UNFILLED
    one_delta_input: bool = UNFILLED
    layer: str = UNFILLED
    layer_period: int = UNFILLED
    sdpa: bool = UNFILLED
    position_bias: bool = UNFILLED
    always_masked: bool = UNFILLED
    repeats_for_flash: bool = UNFILLED
    eager: str = UNFILLED
    drops_scores: bool = UNFILLED
    one_dropout_rate: bool = UNFILLED
    casts_before_down: bool = UNFILLED
    norm: str = UNFILLED
    normed_stream: bool = UNFILLED
    rotates_as_given: bool = UNFILLED
    packed_heads: bool = UNFILLED
    router: str = UNFILLED
    expert_product: str = UNFILLED
    logits_plain_until: str = UNFILLED
    caps_logits: bool = UNFILLED
    scales_embedding: bool = UNFILLED
    probe_keys: str = UNFILLED
    probe_no_window: bool = UNFILLED
    probe_no_padding: bool = UNFILLED

    def __post_init__(self) -> None:
        for one in fields(self):
            if object.__getattribute__(self, one.name) is UNFILLED:
                object.__delattr__(self, one.name)  # an empty slot: asking for it comes to __getattr__

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in FIELDS:
                raise Unfilled(self.name, name)
            raise AttributeError(name)

    def said(self, name: str) -> bool:
        """Whether the field is filled in."""
        try:
            getattr(self, name)
        except Unfilled:
            return False
        return True

    def after(self, other: Family) -> Family:
        """This record, with what it leaves out as ``other`` says it."""
        for name in FIELDS - OWN:
            if not self.said(name) and other.said(name):
                object.__setattr__(self, name, getattr(other, name))
        return self


FIELDS = frozenset(one.name for one in fields(Family))
OWN = frozenset({"name", "like", "model_type", "classes", "elsewhere", "config", "basis", "tools"})
"""Fields that no record takes from another: they rest on what was read or traced of this family alone."""

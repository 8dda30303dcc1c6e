"""The shape of a model: every hyperparameter that decides parameters and activations."""

from __future__ import annotations

from budgetlint.base.record import record


@record
class Architecture:
    """One model's shape. Sizes in elements; ``vocab`` is the rows of the embedding matrix.

    ``family`` is the transformers ``model_type`` whose module code runs (``qwen2``, ``llama``, ``gpt2`` ...). ``params_published``
    is the count to compare with (`models.verified` says whether a public file, the transformers class, both or neither gave
    it), None where none was read; the computed count is
    `budgetlint.catalog.ledger.parameter_count`. ``layers`` of an encoder-decoder are the encoder's, `decoder_layers` the
    decoder's. ``parts`` are towers beside the language model (``vision``, ``text``), each an architecture of its own.
    ``extra`` holds numbers that one family needs (``type_vocab``, ``mel_bins``, ``sinks`` ...), read with `number`.
    """

    name: str
    hub_id: str
    family: str
    kind: str  # decoder | encoder | encoder-decoder | vision | speech | dual-encoder
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    tied: bool
    max_positions: int | None
    glu: bool = True
    activation: str = "silu"
    norm: str = "rmsnorm"  # rmsnorm | layernorm
    norm_bias: bool = False
    norms_per_layer: int = 2
    final_norm: bool = True
    qk_norm: str | None = None  # head | full
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    lm_head_bias: bool = False
    position: str = "rope"  # rope | learned | alibi | relative ...
    sliding_window: int | None = None
    sliding_layers: int | None = None
    experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate: int | None = None
    shared_experts: int | None = None
    shared_intermediate: int | None = None
    first_dense_layers: int | None = None
    mla: tuple[tuple[str, int], ...] | None = None
    extra: tuple[tuple[str, int], ...] = ()
    dropout: float = 0.0
    attention_dropout: float | None = None  # of the scores; None: the same
    checkpoint_dtype: str | None = None
    params_published: int | None = None
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    note: str = ""
    parts: tuple[tuple[str, Architecture], ...] = ()

    def number(self, key: str, default: int = 0) -> int:
        return dict(self.extra).get(key, default)

    def mla_number(self, key: str) -> int:
        """A size of multi-head latent attention; 0 where the model has none of it (no ``q_lora_rank`` in V2-Lite)."""
        return dict(self.mla or ()).get(key, 0)

    def part(self, name: str) -> Architecture | None:
        return dict(self.parts).get(name)

    @property
    def decoder_layers(self) -> int:
        return self.number("decoder_layers", self.layers if self.kind in ("decoder", "encoder-decoder", "speech") else 0)

    @property
    def q_width(self) -> int:
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        return self.kv_heads * self.head_dim

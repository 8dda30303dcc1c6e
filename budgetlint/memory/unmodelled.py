"""What a run may ask for and no formula here knows: it is refused by name, never guessed.

A reader that meets one of these sets the setting ``unmodelled``. The verdict is then unknown, ``missing`` has the name, an assumption
says what is not modelled, the high end is open, and so is the low end where the thing saves memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import record
from budgetlint.memory.notes import Notes
from budgetlint.settings.run import Settings


@record
class Unmodelled:
    """``what`` begins the sentence "... is not modelled"; ``saves``: a run may take less than without it."""

    what: str
    saves: bool
    source: str


TABLE = {
    "torchacc": Unmodelled("TorchAcc (XLA's FSDP, fusion and memory planner)", True, "ms-swift 2 fsdp_num, USE_TORCHACC"),
    "xla": Unmodelled("a TPU or another XLA device", True, "accelerate 1.15 distributed_type XLA, TPU"),
    "jax": Unmodelled("JAX (compiled steps, its own arrays and devices)", True, "transformers 4.57 examples/flax; optax 0.2"),
    "habana": Unmodelled("a Gaudi card's graph mode", True, "accelerate 1.15 distributed_type MULTI_HPU; optimum-habana"),
    "tiled-mlp": Unmodelled("an MLP that runs tile by tile", True, "axolotl 0.18 tiled_mlp; DeepSpeed 0.18.6 ulysses_sp.py TiledMLP"),
    "fp8-weights": Unmodelled("weights that are kept and gathered in fp8", True, "Megatron-LM fp8_param_gather"),
    "activation-offload": Unmodelled(
        "offloading single activations to the host", True, "Megatron-LM cpu_offloading_num_layers, fine_grained_activation_offloading"
    ),
    "quantised-zero": Unmodelled("frozen weights that ZeRO quantises", True, "DeepSpeed 0.18.6 zero_quantized_nontrainable_weights"),
    "mtp": Unmodelled("multi-token prediction", False, "Megatron-LM mtp_num_layers: a further layer and logits for each"),
    "state-space": Unmodelled("a hybrid of attention and state-space layers", True, "Megatron-LM hybrid_override_pattern"),
    "badam": Unmodelled("BAdam (gradients and states of one block at a time)", True, "LLaMA-Factory use_badam; arXiv 2404.02827"),
    "dualpipe": Unmodelled("the DualPipe schedule", False, "DeepSeek-V3 report, table 2: two copies of the weights on each rank"),
    "diffusion": Unmodelled("a diffusion model", False, "diffusers 0.35 pipelines/: a UNet or transformer, an autoencoder, text encoders"),
    "timm": Unmodelled("a model of timm", False, "timm 1.0 models/: convolutions and towers of its own code"),
    "torchvision": Unmodelled("a model of torchvision", False, "torchvision 0.24 models/: convolutions and towers of its own code"),
    "openai-whisper": Unmodelled(
        "OpenAI's own code of Whisper", False, "openai-whisper 20250625 whisper/model.py, no code of transformers"
    ),
    "wav2vec2": Unmodelled(
        "an encoder of raw sound (wav2vec 2.0, HuBERT and their kin)",
        False,
        "transformers 5.24.0 modeling_wav2vec2.py: convolutions over samples before the layers; no formula here knows them",
    ),
    "albert": Unmodelled("ALBERT (layers that share their weights)", False, "transformers 5.9.0 modeling_albert.py AlbertTransformer"),
    "translator": Unmodelled(
        "a translation model (M2M-100, NLLB, Marian)",
        False,
        "transformers 5.9.0 modeling_m2m_100.py, modeling_marian.py: two stacks with sinusoidal positions; no formula here knows them",
    ),
    "sparse-attention": Unmodelled(
        "an encoder of windows and global tokens (Longformer, LED, BigBird)",
        False,
        "transformers 5.9.0 modeling_longformer.py, modeling_led.py, modeling_big_bird.py: scores in chunks, projections for global tokens",
    ),
    "xlnet": Unmodelled("XLNet (attention in two streams)", False, "transformers 5.9.0 modeling_xlnet.py XLNetRelativeAttention"),
    "detector": Unmodelled(
        "a detection or segmentation model (DETR and its kin, YOLOS, MaskFormer, SegFormer)",
        False,
        "transformers 5.24.0 modeling_detr.py, modeling_yolos.py, modeling_segformer.py: convolutions or scaled maps before the layers, "
        "a loss that matches boxes or masks",
    ),
    "open-clip": Unmodelled("a model of OpenCLIP", False, "open_clip 3.2 src/open_clip/model.py"),
    "sentence-transformers": Unmodelled(
        "a SentenceTransformer", False, "sentence-transformers 5.1: a loss runs it once for each column of its data"
    ),
}
"""By the name that ``missing`` shows."""
MODELS = frozenset(
    {
        *("diffusion", "timm", "torchvision", "openai-whisper", "wav2vec2", "albert", "translator", "sparse-attention", "xlnet"),
        *("detector", "open-clip", "sentence-transformers"),
    }
)
"""Those that are the model itself: no line of a budget describes them."""
_DIFFUSES = expression(
    r"(?:^|[/_.-])(?:flux[.\d]*|stable-?diffusion|sdxl|sd3[.\d]*|pixart|kandinsky|cogvideox?|hunyuan-?(?:video|dit)|ltx-video|auraflow|sana"
    r"|wan[.\d]+)(?:[_./-]|$)"
)
"""Names of pipelines whose parts (a transformer or UNet, an autoencoder, text encoders) have no language model's numbers (diffusers 0.35
pipelines/)."""
_HEARS = expression(r"wav2vec2?|(?:^|[/_.-])(?:hubert|wavlm|data2vec-audio|unispeech(?:-sat)?|w2v-bert|sew(?:-d)?)(?:[_.-]|$)")
"""Names of checkpoints that hear raw sound (transformers 5.24.0 models/: wav2vec2, hubert, wavlm, data2vec, unispeech, unispeech_sat,
wav2vec2_bert, sew, sew_d)."""
_LAST = r"(?:^|/)(?:[^/]*[_.-])?{}(?:[_.-][^/]*)?/?$"
"""The word in the last part of a name or path: folders above it are people's."""
_NAMED = {
    "diffusion": _DIFFUSES,
    "wav2vec2": _HEARS,
    "albert": expression(_LAST.format(r"albert")),
    "translator": expression(_LAST.format(r"(?:nllb|m2m100|m2m-100|opus-mt)")),
    "sparse-attention": expression(_LAST.format(r"(?:longformer|led-(?:base|large)|bigbird|big-bird)")),
    "xlnet": expression(_LAST.format(r"xlnet")),
    "detector": expression(_LAST.format(r"(?:(?:rt)?detr|yolos|mask2?former|oneformer|segformer|table-transformer)")),
}


def models_of(settings: Settings) -> Iterator[str]:
    """What a run's model is, where nobody knows its shape and no formula would."""
    yield from (name for name in names_of(settings) if name in MODELS)
    model = settings.get("model")
    if model is not None and model.known:
        yield from (name for name, pattern in _NAMED.items() if pattern.search(str(model.value).lower()))


def names_of(settings: Settings) -> Iterator[str]:
    if "unmodelled" not in settings and "pipeline_schedule" not in settings:
        return
    found = settings.value("unmodelled")
    if found:
        yield from (name for name in found if name in TABLE)
    schedule = str(settings.value("pipeline_schedule", "")).lower()
    if schedule == "dualpipe":
        yield "dualpipe"


def refuse(settings: Settings, notes: Notes) -> None:
    for name in names_of(settings):
        notes.missing.append(name)
        notes.assume(f"{TABLE[name].what} is not modelled: the figures are for a run without it", "unmodelled")


def may_save(settings: Settings) -> bool:
    return any(TABLE[name].saves for name in names_of(settings))

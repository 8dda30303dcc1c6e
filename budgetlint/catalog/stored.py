"""What a checkpoint's name says of how its weights are stored.

Sources: hub ids of 2023 to 2026 (Qwen ``-Int4`` is GPTQ, ``cyankiwi/…-AWQ-4bit``, ``RedHatAI/…-quantized.w4a16`` packs 4 bits in groups of
128 as GPTQ does, ``unsloth/…-bnb-4bit``); ``from_pretrained`` reads the same from ``quantization_config`` of config.json.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.expression import expression
from budgetlint.catalog.names import fold
from budgetlint.catalog.paths import last_part, named

_WORDS = frozenset((
    "awq", "gptq", "gptqmodel", "bnb", "nf4", "int2", "int3", "int4", "int8", "2bit", "3bit", "4bit", "5bit", "6bit", "8bit", "4bits",
    "8bits", "w4a16", "w4a8", "w8a16", "w8a8", "w4a4", "fp8", "fp4", "nvfp4", "mxfp4", "mxfp8", "gguf", "exl2", "exl3", "hqq", "aqlm",
    "quip", "spqr", "eetq", "quantized", "quantised", "ptq", "autoround",
))  # fmt: skip
_BESIDE = expression(r"(?:\d+g|gs?\d+|\d+|v\d+|sym|asym|marlin|unsloth|dynamic|block|group|mixed|bf16|fp16|true|false|latest|main)")
"""Words that may stand behind a format and change nothing in it."""
_EIGHT = frozenset(("int8", "8bit", "8bits", "w8a16", "w8a8"))
_OTHER = frozenset(("int2", "int3", "2bit", "3bit", "5bit", "6bit", "w4a8", "w4a4"))


def storage(name: str) -> tuple[str, str | None] | None:
    """The words of the name and the ``quant`` that they mean, None for a storage that is not known; None for a plain checkpoint."""
    last = last_part(named(name))
    words = fold(last.replace(".", "-")).split("-")
    first = next((index for index, word in enumerate(words) if index and word in _WORDS), None)
    if first is None:
        return None
    told = [word for word in words[first:] if word in _WORDS]
    strange = [word for word in words[first:] if word not in _WORDS and not _BESIDE.fullmatch(word)]
    return "-".join(told), None if strange else _kind(told)


def plain(folded: str) -> str:
    """The folded name of what was packed: ``qwen3-8b`` of ``qwen3-8b-mlx-6bit``; the whole where more than storage stands behind it."""
    pieces = list(_PIECE.finditer(folded))
    first = next((at for at, piece in enumerate(pieces) if at and piece[0] in _WORDS), len(pieces))
    if any(piece[0] not in _WORDS | _MAKERS and not _BESIDE.fullmatch(piece[0]) for piece in pieces[first:]):
        return folded
    while first > 1 and pieces[first - 1][0] in _MAKERS:
        first -= 1
    return folded[: pieces[first].start() - 1] if first < len(pieces) else folded


_PIECE = expression(r"[^-.]+")
_MAKERS = frozenset(("unsloth", "mlx", "dwq", "qat", "inc"))
"""Who packed it, and how it was prepared for that: Apple's MLX and its distilled weights, Intel's Neural Compressor."""


def _kind(words: Sequence[str]) -> str | None:
    """One format with its width, of those that are billed."""
    said = set(words) - {"quantized", "quantised", "autoround"}
    if said & _OTHER:
        return None
    eight = bool(said & _EIGHT)
    if "bnb" in said:
        return "int8" if eight else "nf4" if said <= {"bnb", "4bit", "4bits", "nf4", "int4"} and len(said) > 1 else None
    if said <= {"awq", "4bit", "4bits", "int4", "w4a16"} and "awq" in said:
        return "awq"
    if said <= {"gptq", "gptqmodel", "int4", "4bit", "4bits", "w4a16"} and said & {"gptq", "gptqmodel", "int4", "w4a16"}:
        return "gptq"
    return "int8" if eight and said <= {"gptq", "gptqmodel", "awq", *_EIGHT} and said != {"8bit"} else None

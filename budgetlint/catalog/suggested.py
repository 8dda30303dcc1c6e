"""Which model a name suggests that is no model's own: ``Qwen2.5-1.5B_tuned``, ``llama-3.1-8b-sft-merged``, ``whisper-small-belarusian``.

A row of the catalog with a size in its name, as whole words beside others. Such a model may have another vocabulary or other layers, so it
is a supposition that a verdict depends on and never the model itself (`known_model`). What another word says of the shape (``pruned``,
``vl``, ``eagle``), that no model lies there (``lora``, ``gguf``), or a second size, suggests nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from budgetlint.base.expression import expression
from budgetlint.base.record import fields, record
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import all_names, known_model
from budgetlint.catalog.names import fold
from budgetlint.catalog.paths import is_local, named

MOST = 2
"""So many models are told; a name that fits more of them says too little."""
_LONGEST = 300
_ABOVE = 2
"""Folders that are looked at above one that says nothing, of a path of a disk."""

_SIZE = expression(r"\d+x\d+(?:\.\d+)?b|\d+(?:\.\d+)?[bm]")
_BILLIONS = expression(r"\d+(?:\.\d+)?b")
_SIZE_WORDS = frozenset(("tiny", "mini", "small", "medium", "base", "large", "xl", "xxl", "xlarge", "xxlarge", "huge", "giant", "nano"))
_NUMBER = expression(r"\d+(?:\.\d+)*")
_VERSION = expression(r"\d\.\d")
_DIGITS = expression(r"\d{1,2}")
_GLUED = expression(r"([a-z]+)(\d.*)")
_CHECKPOINT = expression(
    r"(?:checkpoints?|ckpts?|steps?|iter|epochs?|global_?steps?|model|main|hf|huggingface|actor|policy|merged|final|latest|last|best|"
    r"weights|output|outputs)(?:[-_.]?(?:model|checkpoint|ckpt|hf|merged))?(?:[-_=]?\d+)?"
)
"""Folders of a training's own: the one above has the name (transformers ``checkpoint-500``, verl ``global_step_120/actor/huggingface``)."""
_ADAPTERS = expression(r"lora|adapter|dora(?![a-z])|peft")
_MERGED = expression(r"merge|fused")

_OTHERWISE = frozenset((
    "vl", "vlm", "vision", "audio", "omni", "video", "speech", "embedding", "embeddings", "embed", "embedder", "reranker",
    "rerank", "colbert", "llava", "internvl", "minicpm", "vila", "cogvlm", "gme", "gte", "bge", "colpali", "colqwen", "siglip",
    "clip", "moshi", "projector", "pruned", "prune", "pruning", "minitron", "sheared", "width", "depth", "layer", "layers",
    "half", "expanded", "pro", "distil", "draft", "drafter", "eagle", "medusa", "speculator", "moe", "upcycled", "upcycling",
    "mamba", "hybrid", "xlm", "tiny", "nano", "micro", "toy", "debug", "dummy", "gguf", "ggml", "onnx", "mlx", "mlc",
    "openvino", "coreml", "ct", "ctranslate", "tokenizer", "delta", "diff",
))  # fmt: skip
"""Words beside a name that make another shape of it, or no checkpoint that trains."""
_EXTENDED = expression(r"-\d{5,}$")
"""Rows named by the size of their vocabulary: ``llama-7b-32001``."""
_LAYERS = expression(r"\d+(?:l|layers?)")

_PLAIN = frozenset(("all", "command", "meta", "micro", "mini", "multi", "open", "seed", "sparse", "stable", "tiny"))
"""First words of models that are no family's name."""


def suggested(text: str) -> tuple[str, ...]:
    """The names of the rows that ``text`` suggests, in the order of the name; nothing where it is a model's own name or says too little."""
    if not text or len(text) > _LONGEST or any(mark in text for mark in "$<{(") or known_model(text) is not None:
        return ()
    path = named(text)
    if _ADAPTERS.search(path.lower()) and not _MERGED.search(path.lower()):
        return ()
    for part in _parts(path):
        words = _words(part)
        found = _in(words)
        if found:
            return found if len(found) <= MOST else ()
        if any(word in _families() for word in words):
            return ()
    return ()


def _parts(path: str) -> Iterator[str]:
    """The last part, and those above it that may be the model's folder."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..", "~")]
    above = _ABOVE if is_local(path) else 0
    while parts:
        part = parts.pop()
        if parts and _CHECKPOINT.fullmatch(part.lower()):
            continue
        yield part
        if not above:
            return
        above -= 1


def _in(words: Sequence[str]) -> tuple[str, ...]:
    """The rows that the words of one part name, one of each shape; nothing where other words say that it is none of them."""
    rows: list[str] = []
    rest: list[str] = []
    said: set[str] = set()
    by_word, at = False, 0
    while at < len(words):
        match = _longest(words, at)
        if match is None:
            rest.append(words[at])
            at += 1
            continue
        rows.extend(match.rows)
        by_word = by_word or match.by_word
        said.update(words[at : match.end])
        at = match.end
    if any(_speaks_against(word, by_word=by_word) for word in rest if word not in said):
        return ()
    return _of_each_shape(rows)


def _speaks_against(word: str, *, by_word: bool) -> bool:
    if word in _OTHERWISE or _LAYERS.fullmatch(word) or _BILLIONS.fullmatch(word):
        return True
    return by_word and word in _SIZE_WORDS


# -- words ---------------------------------------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    """``Qwen2.5-1.5B_tuned`` -> qwen, 2.5, 1.5b, tuned: a family's version is a word of its own."""
    found: list[str] = []
    for word in fold(text.replace(":", "-").replace("=", "-")).split("-"):
        glued = _GLUED.fullmatch(word.strip("."))
        found.extend(glued.groups() if glued is not None else [word.strip(".")])
    return [word for word in found if word]


@record
class _Key:
    """``words`` name ``rows``; ``by_word``: their size is a word (``small``)."""

    words: tuple[str, ...]
    rows: tuple[str, ...]
    by_word: bool


@record
class _Match:
    end: int
    rows: tuple[str, ...]
    by_word: bool


def _longest(words: Sequence[str], at: int) -> _Match | None:
    """The longest key that begins at a word."""
    best: _Match | None = None
    for key in _keys().get(words[at], ()):
        end = _end(key.words, words, at)
        if end and (best is None or end > best.end):
            best = _Match(end, key.rows, key.by_word)
    return best


def _end(key: Sequence[str], words: Sequence[str], at: int) -> int:
    """Where the words of a key end; 0 where they do not stand there. A point may be written as what stands between words
    (``2_5``), that of a version not at all (``qwen25``)."""
    for wanted in key:
        whole, _, part = wanted.partition(".")
        if words[at : at + 1] == [wanted] or (_VERSION.fullmatch(wanted) and words[at : at + 1] == [whole + part]):
            at += 1
        elif part and _DIGITS.fullmatch(whole) and list(words[at : at + 2]) == [whole, part]:
            at += 2
        else:
            return 0
    return at


# -- the catalog ---------------------------------------------------------------------------------------------------------------


@cache
def _keys() -> Mapping[str, tuple[_Key, ...]]:
    """By the first word. Names with a size, and the same without the version: those of all versions."""
    rows: dict[tuple[str, ...], list[str]] = {}
    unversioned: dict[tuple[str, ...], list[str]] = {}
    for name, row in all_names().items():
        words = tuple(_words(name))
        if len(words) < 2 or not any(_is_size(word) for word in words[1:]):
            continue
        rows.setdefault(words, []).append(row)
        plain = tuple(_without_version(words))
        if _EXTENDED.search(name) is not None:
            continue  # one of the same sizes with words of its own: not what the name without them says
        if len(words[0]) > 2 and set(filter(_SIZE.fullmatch, plain)) <= set(_words(row)):  # ``qwen-1-8b`` is no 8b of a version 1
            unversioned.setdefault(plain, []).append(row)
    found: dict[str, list[_Key]] = {}
    for words in {**rows, **unversioned}:
        by_word = not any(_SIZE.fullmatch(word) for word in words)
        if by_word and words not in rows:  # ``deberta-large`` is a model of its own, not any version's
            continue
        named_so = unversioned.get(words) or rows[words]
        found.setdefault(words[0], []).append(_Key(words, tuple(dict.fromkeys(named_so)), by_word))
    return {first: tuple(keys) for first, keys in found.items()}


def _is_size(word: str) -> bool:
    return word in _SIZE_WORDS or _SIZE.fullmatch(word) is not None


def _without_version(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        numbered = _NUMBER.fullmatch(words[at + 1]) is not None if at + 1 < len(words) else False
        if not _NUMBER.fullmatch(word) and not (word == "v" and numbered):
            yield word


@cache
def _families() -> frozenset[str]:
    """First words of the catalog's names: a part that has one, and no size, is about another model than the folder above."""
    return frozenset(words[0] for name in all_names() if (words := _words(name)) and len(words[0]) > 2) - _PLAIN


_BESIDE = frozenset(("name", "hub_id", "params_published", "aliases", "sources", "note", "sliding_window", "sliding_layers"))
"""Nothing that decides bytes; a window narrows what attention looks at, not what it keeps."""


def _of_each_shape(rows: Sequence[str]) -> tuple[str, ...]:
    """Rows that differ in nothing that decides bytes are one: the first."""
    shapes: dict[tuple[object, ...], str] = {}
    for row in dict.fromkeys(rows):
        found = known_model(row)
        if found is not None:
            shapes.setdefault(_shape(found), found.name)
    return tuple(shapes.values())


def same_shape(one: Architecture, other: Architecture) -> bool:
    return _shape(one) == _shape(other)


def _shape(arch: Architecture) -> tuple[object, ...]:
    """Positions that are worked out have no weights; a decoder is published in 16 bit, whichever, where the row does not say."""
    values = {one.name: getattr(arch, one.name) for one in fields(Architecture) if one.name not in _BESIDE}
    if arch.position == "rope":
        values["max_positions"] = None
    if arch.kind == "decoder" and arch.checkpoint_dtype in ("bf16", "fp16"):
        values["checkpoint_dtype"] = None
    return tuple(values.values())

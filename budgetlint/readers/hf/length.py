"""The longest sequence of a Hugging Face run, by the keys of the trainer and of its scripts.

Sources: TRL 0.16 ``sft_config.py`` (``max_seq_length`` deprecated, still wins; gone in 0.20.0), 1.16.0 ``sft_config.py`` (``max_length:
null`` truncates nothing), ``grpo_config.py`` (prompt and completion apart); transformers 4.57.0
examples ``run_summarization.py`` and ``run_translation.py`` (``max_source_length``, ``max_target_length``).
"""

from __future__ import annotations

from budgetlint.readers.base import Raw, read_raw, to_count
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting, over

_KEYS = (
    "max_source_length",
    "max_length",
    "max_seq_length",
    "model_max_length",
    "max_seq_len",
    "block_size",
    "data_max_length",
    "cutoff_len",
)
UNBOUNDED = "unbounded"


def read_length(look: Lookup) -> list[Setting]:
    """``seq_len``: the first key that is there; an explicit null is the state ``unbounded``. ``target_len`` of encoder-decoders."""
    found: Setting | None = None
    for raw in look.raws(*reversed(_KEYS)):
        setting = _length(look, raw)
        found = over(setting, found) if setting else found
    found = found or _prompt_and_completion(look)
    target = look.setting("target_len", to_count, "max_target_length")
    return [setting for setting in (found, target) if setting]


def _length(look: Lookup, raw: Raw) -> Setting | None:
    if raw.value is None:
        return Setting("seq_len", None, raw.origin, raw.text or "null", UNBOUNDED) if raw.path == look.path("max_length") else None
    return read_raw(raw, "seq_len", to_count, look.misreads)


def _prompt_and_completion(look: Lookup) -> Setting | None:
    """GRPO and its like train on prompt plus completion; without a bound on the prompt nothing is known."""
    prompt = look.setting("seq_len", to_count, "max_prompt_length")
    completion = look.setting("seq_len", to_count, "max_completion_length")
    if prompt is None or completion is None:
        return None
    text = f"{prompt.text} + {completion.text}"
    if prompt.known and completion.known:
        return Setting("seq_len", prompt.value + completion.value, completion.origin, text)
    return Setting("seq_len", None, completion.origin, text, "symbolic")

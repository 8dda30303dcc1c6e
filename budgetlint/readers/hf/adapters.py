"""Adapter and quantisation of Hugging Face runs: TRL's flat keys, script keys, and nested PEFT and bitsandbytes sections.

Sources: TRL 1.16.0 ``trainer/model_config.py`` (``use_peft`` decides; nf4 is its default type), ``trainer/utils.py``
``get_quantization_config``; transformers 5.24.0 ``utils/quantization_config.py`` (``BitsAndBytesConfig``: fp4 by default).
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Mapping
from budgetlint.readers.base import Raw, Unreadable, read_keys, read_raw, to_dtype, to_int, to_text
from budgetlint.readers.hf.keys import LORA, PEFT_CONFIG
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting

_SECTIONS = ("peft_config", "lora_config", "lora", "peft")
_QUANT_SECTIONS = ("quantization_config", "bnb_config", "quantization")
_TYPES = {"nf4": "nf4", "fp4": "fp4"}


def read_adapter(look: Lookup, needs_switch: bool) -> list[Setting]:
    """Adapter settings. TRL reads its LoRA keys only with ``use_peft``; elsewhere a rank alone says LoRA."""
    settings, misreads = read_keys(look.document, look.loader, LORA, look.prefix)
    look.misreads.extend(misreads)
    section = next((name for name in _SECTIONS if _section(look, name)), None)
    if section:
        nested, misreads = read_keys(look.document, look.loader, PEFT_CONFIG, look.path(section))
        look.misreads.extend(misreads)
        settings.extend(nested)
    adapter = _adapter(look, section, needs_switch, settings)
    return [*settings, adapter] if adapter else settings


def _adapter(look: Lookup, section: str | None, needs_switch: bool, settings: list[Setting]) -> Setting | None:
    switch = look.switch("use_peft", "use_lora")
    if switch:
        return renamed(switch, "adapter", "lora" if switch.value else "none")
    if section and settings:
        inner = look.under(section)
        kind = inner.setting("adapter", _to_adapter, "peft_type", "method")
        return kind or _follows("adapter", "lora", inner.raw("r", "lora_r", "lora_alpha", "target_modules"))
    return None if needs_switch else _follows("adapter", "lora", look.raw("lora_r", "lora_rank", "lora_dim"))


def _to_adapter(value: Any) -> Any:
    return "lora" if to_text(value).lower() in ("lora", "dora", "qlora") else "other"


def read_quant(look: Lookup, default_type: str) -> list[Setting]:
    """Quantisation of the base weights from the nested section, else from the flat keys."""
    section = next((name for name in _QUANT_SECTIONS if _section(look, name)), None)
    if section:
        inner = look.under(section)
        return _stored(inner) or _quant(inner, "fp4")
    return _quant(look, default_type)


def _stored(look: Lookup) -> list[Setting]:
    """A checkpoint that is stored quantised: ``bits`` of GPTQ and AWQ are no bitsandbytes bits, so the method is asked first."""
    method = look.setting("quant", _to_method, "quant_method")
    if method is None or not method.known:
        return []
    group = look.setting("quant_group", to_group, "group_size")
    return [method, group] if group else [method]


def to_group(value: Any) -> Any:
    """-1 is one group for a whole row."""
    return 0 if value == -1 else to_int(value)


def _quant(look: Lookup, default_type: str) -> list[Setting]:
    rows = (
        look.setting("quant_double", look.flag, "use_bnb_nested_quant", "bnb_4bit_use_double_quant", "double_quant", "bnb_double_quant"),
        look.setting("quant_compute_dtype", to_dtype, "bnb_4bit_compute_dtype", "bnb_compute_dtype"),
        look.setting("quant_storage", to_text, "bnb_4bit_quant_storage"),
        _method(look, default_type),
    )
    return [setting for setting in rows if setting]


def _method(look: Lookup, default_type: str) -> Setting | None:
    four, eight = look.switch("load_in_4bit"), look.switch("load_in_8bit")
    if four and (four.value or not four.known):
        kind = look.setting("quant", _to_type, "bnb_4bit_quant_type", "quant_type", "bnb_quant_type")
        if four.known and kind is not None and not kind.known:
            return replace(kind, readings=("nf4", "fp4"))
        return renamed(four, "quant", kind.value if kind else default_type)
    if eight:
        return renamed(eight, "quant", "int8" if eight.value else "none")
    if four:
        return renamed(four, "quant", "none")
    bits = look.raw("bits")
    return read_raw(bits, "quant", _to_bits, look.misreads) if bits else look.setting("quant", _to_method, "quant_method")


def _to_bits(value: Any) -> Any:
    """``--bits`` of qlora.py: 16 and 32 quantise nothing; its default type is nf4."""
    kinds = {"4": "nf4", "8": "int8", "16": "none", "32": "none"}
    if str(value) not in kinds:
        raise Unreadable(f"{value} is no bit width", "write 4, 8 or 16")
    return kinds[str(value)]


def _to_type(value: Any) -> Any:
    word = to_text(value).lower()
    if word not in _TYPES:
        raise Unreadable(f"'{value}' is no 4-bit type", "write nf4 or fp4")
    return _TYPES[word]


def _to_method(value: Any) -> Any:
    word = to_text(value).lower()
    return word if word in ("gptq", "awq", "fp8") else None


def _section(look: Lookup, name: str) -> bool:
    raw = look.raw(name)
    return raw is not None and isinstance(raw.node, Mapping)


def _follows(name: str, value: Any, raw: Raw | None) -> Setting | None:
    """A setting that a key implies by standing there."""
    return Setting(name, value, raw.origin, raw.text) if raw else None

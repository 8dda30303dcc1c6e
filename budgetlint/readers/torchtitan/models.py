"""Which model a torchtitan ``name`` and ``flavor`` are.

Sources: torchtitan 0.2.0 ``models/{llama3,llama4,qwen3,deepseek_v3}/__init__.py`` (the flavors' numbers compared with the
published configs: deepseek_v3 16B has the numbers of DeepSeek-V2-Lite, llama3 405B those of Llama 3.1), 0.0.2 for llama2.
"""

from __future__ import annotations

from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

MODELS: dict[tuple[str, str], str] = {
    ("llama2", "7b"): "llama-2-7b", ("llama2", "13b"): "llama-2-13b", ("llama2", "70b"): "llama-2-70b",
    ("llama3", "8b"): "llama-3-8b", ("llama3", "70b"): "llama-3-70b", ("llama3", "405b"): "llama-3.1-405b",
    ("llama4", "17bx16e"): "llama-4-scout-17b-16e", ("llama4", "17bx128e"): "llama-4-maverick-17b-128e",
    ("qwen3", "0.6b"): "qwen3-0.6b", ("qwen3", "1.7b"): "qwen3-1.7b", ("qwen3", "4b"): "qwen3-4b", ("qwen3", "8b"): "qwen3-8b",
    ("qwen3", "14b"): "qwen3-14b", ("qwen3", "32b"): "qwen3-32b", ("qwen3", "30b-a3b"): "qwen3-30b-a3b",
    ("qwen3", "235b-a22b"): "qwen3-235b-a22b",
    ("deepseek_v3", "16b"): "deepseek-v2-lite", ("deepseek_v3", "236b"): "deepseek-v2", ("deepseek_v3", "671b"): "deepseek-v3",
    ("gpt_oss", "20b"): "gpt-oss-20b", ("gpt_oss", "120b"): "gpt-oss-120b",
}  # fmt: skip
_VARIANTS = ("_irope", "_flex_attn", "_varlen_attn")
_WRAPPED = "hf_transformers.model"


def model_settings(view: View) -> list[Setting]:
    """A flavor that is no published model (``debugmodel``) is only known to the code."""
    if view.first(_WRAPPED):
        code = view.setting("model_code", "transformers", _WRAPPED)
        return [view.setting("model", view.value(_WRAPPED), _WRAPPED), code]
    if not view.first("model.flavor"):
        return []
    flavor = view.word("model.flavor")
    for variant in _VARIANTS:
        flavor = flavor.removesuffix(variant)
    name = MODELS.get((view.word("model.name").removesuffix("_ft"), flavor))
    return [view.setting("model", name, "model.flavor") if name else view.symbolic("model", "model.flavor")]

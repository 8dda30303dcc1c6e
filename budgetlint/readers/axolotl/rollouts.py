"""axolotl's GRPO: the ``trl`` block becomes TRL's ``GRPOConfig``, the ``vllm`` block says how large the engine is.

Sources: axolotl 0.19.0 ``core/trainers/grpo/__init__.py`` ``set_training_args_kwargs``, ``get_blocklist_args_kwargs`` (``max_length``
and ``max_prompt_length`` are taken away), ``utils/data/rl.py`` (GRPO drops no long sample), ``utils/schemas/vllm.py``, ``validation.py``
``check_vllm_mode_set`` (without ``vllm_mode`` the engine is a server, whatever TRL's own default is).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.base import default, to_count, to_float
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.view import View
from budgetlint.settings.run import Misread, Setting, Settings, Stack


def rollout_settings(view: View, misreads: list[Misread]) -> Iterator[Setting]:
    """Nothing cuts a prompt: ``sequence_len`` is what the file says of its lengths, the completion alone is the least."""
    if view.word("rl") not in ("grpo", "gdpo"):
        return
    from budgetlint.readers.hf.rollouts import at_most, read_rollouts  # here and below: few runs generate

    block = Lookup(view.document, view.loader, "trl", misreads)
    engine = Lookup(view.document, view.loader, "vllm", misreads)
    share = engine.setting("rollout_memory", to_float, "gpu_memory_utilization")
    ranks = engine.setting("rollout_tensor_parallel", to_count, "tensor_parallel_size")
    found = [*read_rollouts(block), *(setting for setting in (share, ranks) if setting is not None)]
    yield from (setting for setting in found if setting.name not in ("rollout_batch", "seq_len"))
    longest = Lookup(view.document, view.loader, "", misreads).setting("seq_len", to_count, "sequence_len")
    if longest is not None:
        yield at_most(longest, next((one.value for one in found if one.name == "completion_len" and one.known), None))


def rollout_filling(settings: Settings, stack: Stack) -> Iterator[Setting]:
    if settings.value("task") == "grpo":
        from budgetlint.readers.hf.rollouts import rollout_defaults

        yield default("rollout_on", "other", "axolotl utils/schemas/validation.py check_vllm_mode_set: server")
        yield default("rollout_memory", 0.9, "axolotl utils/schemas/vllm.py gpu_memory_utilization")
        yield from rollout_defaults(settings, stack)

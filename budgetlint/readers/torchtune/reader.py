"""torchtune recipes: one YAML file of ``_component_`` blocks, loaded by OmegaConf (``torchtune/config/_parse.py``).

Files for evaluation, generation and quantisation are of the same kind, but start no training: `Role.INFERENCE`.
"""

from __future__ import annotations

from budgetlint.documents import Document, Loader
from budgetlint.documents.interpolate import interpolated
from budgetlint.documents.node import walk
from budgetlint.readers.base import Reader, read_keys
from budgetlint.readers.derived import ADAMS, left_open
from budgetlint.readers.torchtune.defaults import defaults, of_program
from budgetlint.readers.torchtune.keys import LORA, RECIPE, TOP
from budgetlint.readers.torchtune.method import (
    adapter_settings,
    loss_settings,
    optimizer_settings,
    selective_settings,
    shard_settings,
    task_settings,
)
from budgetlint.readers.torchtune.models import built_by, component_of, model_settings
from budgetlint.readers.torchtune.others import other_models
from budgetlint.readers.unbounded import unbounded
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Role, Setting, Settings

_LOADER = Loader.OMEGACONF
_MARK = "_component_"


def recognise(document: Document) -> float:
    """A ``_component_`` key is torchtune's alone. Overrides alone are no recipe: the file that they change is."""
    if document.format not in ("yaml", "json") or document.mapping is None or not document.source.mentions(_MARK):
        return 0.0
    return 1.0 if any(path.rpartition(".")[2] == _MARK for path, _ in walk(document.root)) else 0.0


def read(document: Document) -> Reading:
    view = View(interpolated(document), _LOADER)
    home = _home(view)
    built = component_of(view, "model")
    lora = built_by(built).lora or not built  # overrides say a rank without the builder
    found, misreads = read_keys(view.document, _LOADER, (*TOP, *(LORA if lora else ())))
    recipe, wrong = read_keys(view.document, _LOADER, RECIPE, home.rstrip("."))
    misreads.extend(wrong)
    together: list[Setting] = [
        *model_settings(view, "model" if view.has("model") else "policy_model"), *adapter_settings(view), *shard_settings(view),
        *unbounded(view, "tokenizer.max_seq_len"), *task_settings(view, home), *loss_settings(view, home),
        *optimizer_settings(view, home, misreads), *other_models(view),
    ]  # fmt: skip
    block = f"{home}optimizer"
    opened = left_open(
        view.document, _LOADER, ((f"{block}.decoupled_weight_decay", "optimizer", ADAMS), (f"{block}.fused", "optimizer_impl", ()))
    )
    settings = (*together, *found, *recipe, *selective_settings(view, home), *opened)
    return Reading("torchtune", _role(view, home), document, Settings(settings), (), tuple(misreads))


def _home(view: View) -> str:
    """Where the recipe's keys stand: at the top, or in ``training`` beside ``orchestration`` (asynchronous GRPO)."""
    return "training." if view.has("training.optimizer") and not view.has("optimizer") else ""


def _role(view: View, home: str) -> Role:
    if view.document.is_command:
        return Role.TRAINER
    return Role.TRAINER if view.has(f"{home}optimizer") and view.first("model", "policy_model") else Role.INFERENCE


READER = Reader("torchtune", Role.TRAINER, _LOADER, recognise, read, defaults, package="torchtune", since="0.6", of_program=of_program)

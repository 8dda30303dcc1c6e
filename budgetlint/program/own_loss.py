"""The loss of a loop that steps on what the model itself gives: ``model(**batch).loss.backward()``.

Source: transformers 4.40 to 5.24, which computes it over all logits (``loss/loss_utils.py`` ForCausalLMLoss, before 4.46 in the models'
``forward``). Only where nothing of the files that call the model takes its logits or its states into its own hands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from budgetlint.program.noted import Doubt
from budgetlint.program.sinks import Sink
from budgetlint.program.steps import ModelRun
from budgetlint.program.values import Known, Opaque, Value

_HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForMaskedLM", "AutoModelForSeq2SeqLM")
_IN_HAND = frozenset({
    "logits", "hidden_states", "last_hidden_state", "attentions", "softmax", "log_softmax", "logsigmoid", "kl_div", "cross_entropy",
    "CrossEntropyLoss", "KLDivLoss", "NLLLoss", "nll_loss", "gather", "mse_loss", "MSELoss",
})  # fmt: skip
_GIVES = ("what __call__ of the model gives", "what forward of the model gives")


def own_loss(loads: Sequence[Sink], sinks: Sequence[Sink], runs: Sequence[ModelRun], doubts: Iterable[Doubt]) -> dict[str, Value]:
    stepped = [value for one in sinks if one.kind == "backward" for value in (one.positional[0] if one.positional else one.receiver,)]
    if len(loads) != 1 or not stepped or not runs or any(one.is_of_all or one.kind == "replaced" for one in doubts):
        return {}
    owner = loads[0].name.rpartition(".")[0]
    if loads[0].kind != "load" or loads[0].base or not owner.startswith("transformers.") or not owner.endswith(_HEADS):
        return {}
    plain = all(isinstance(one, Opaque) and one.why in _GIVES for one in stepped)
    trees = {id(one.tree): one.tree for one in runs}
    if not plain or any(_takes_it(tree) for tree in trees.values()):
        return {}
    return {"loss": Known("full")}


def _takes_it(tree: ast.AST) -> bool:
    names = (one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else "" for one in ast.walk(tree))
    return not _IN_HAND.isdisjoint(names)

"""Trees that are closed, by ``OmegaConf.set_struct`` or by Hydra: they take and give no key that they have not.

Sources: OmegaConf 2.0 to 2.3 ``dictconfig.py`` _validate_get, _validate_set; hydra-core 1.1 to 1.3 ``config_loader_impl.py``
_load_configuration_impl: set_struct(cfg, True).
"""

from __future__ import annotations

from budgetlint.program.objects import Object
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, TRUE, Map, Value

STRUCT = "omegaconf.<struct>"


def is_closed(it: Interpreter, value: Value) -> bool:
    kept = it.parts.constants.get(STRUCT)
    return isinstance(kept, Object) and isinstance(value, Map) and truth(kept.attributes.get(value.root or value, FALSE)) is True


def closed(it: Interpreter, value: Value) -> Value:
    """The tree, closed."""
    kept = it.parts.constants.get(STRUCT)
    if isinstance(value, Map) and isinstance(kept, Object):
        it.heap.write(kept, value, TRUE)
    return value

"""Words that a parser leaves over and that its program drops: ``args, _ = parser.parse_known_args()``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Known, Value


def left_over(it: Interpreter, words: Sequence[Value], call: Call) -> None:
    """Notes the flags among them, where nothing looks at what is left."""
    flags = [one for one in words if isinstance(one, Known) and str(one.value).startswith("--") and len(str(one.value)) > 2]
    if flags and not it.conditions and _is_dropped(call):
        it.dropped += flags


def _is_dropped(call: Call) -> bool:
    module = call.frame.module.tree
    for node in ast.walk(module):
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=0)) if value is call.node:
                return True
            case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=value) if value is call.node:
                return not any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) for one in ast.walk(module))
    return False

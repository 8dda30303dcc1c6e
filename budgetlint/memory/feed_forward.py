"""The part of a layer behind its attention: an MLP, gated or plain, or a mixture of experts."""

from __future__ import annotations

from budgetlint.memory.blocks import gated_mlp, plain_mlp
from budgetlint.memory.tape import Tape, TapeTensor


def mlp(tape: Tape, source: TapeTensor) -> TapeTensor:
    if tape.arch.experts:
        from budgetlint.memory.mixture import mixture

        return mixture(tape, source)
    return gated_mlp(tape, source, tape.arch.intermediate) if tape.arch.glu else plain_mlp(tape, source, tape.arch.intermediate)

"""Megatron-LM 2.0 to 2.5: the gradients that its own data-parallel wrapper leaves behind.

Sources: Megatron-LM of May 2021, ``--DDP-impl local`` (the default) without ``--use-contiguous-buffers-in-ddp`` (off by default):
``model/distributed.py`` ``allreduce_gradients`` sets ``param.main_grad = param.grad``; ``optimizer/optimizer.py``
``_copy_model_grads_to_main_grads`` makes ``main_param.grad`` in fp32, and ``zero_grad`` drops neither ``main_grad`` nor the fp32
copies, so both stand beside the gradients of the next step. 2.6 sets ``main_grad`` to None after the copy, 3.0 has contiguous
buffers by default.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Term, tensor

_WHY = ("precision", "grads_dtype")


def left_behind(plan: Plan, train: Trainable) -> Iterator[Term]:
    """What the step before left, beside this step's gradients."""
    if not plan.accumulation.left_behind:
        return
    why, shape = plan.because(*_WHY), (("gradient", train.elements),)
    yield tensor(Bucket.BUFFERS, "gradients-left.main-grad", why, shape, plan.precision.grads)
    yield tensor(Bucket.BUFFERS, "gradients-left.fp32", why, shape, 4)

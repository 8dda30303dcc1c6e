"""Tensor, pipeline, context and expert parallelism: the degrees of a run, and how they work."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.settings.run import Setting, Settings


@record
class Parallel:
    """Degrees, and how they work. ``sequence``: tensor-parallel ranks split what lies between their blocks by positions;
    ``embedding`` and ``logits``: the table, the logits are split too; ``partition``: checkpoints are. ``chunks``: virtual
    stages of a rank; ``micro_batches`` of a step, None where unknown; ``micro_size``: sequences of one where the batch is cut;
    ``first`` and ``last``: layers of those stages where stated; ``lighter``: a first or last stage gives up one for its table;
    ``sent``: over how many ranks an output is split that its stage keeps after sending it (0: it keeps none);
    ``only``: the stage that the bill is for, where the budget asks for one."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    expert_tensor: int = 1
    sequence: bool = False
    embedding: bool = False
    logits: bool = False
    partition: bool = False
    step: int = 1
    chunks: int = 1
    chunk_layers: int = 0
    schedule: str = "1f1b"
    micro_batches: int | None = None
    micro_size: int | None = None
    first: int | None = None
    last: int | None = None
    lighter: tuple[int, int] = (0, 0)
    sent: int = 0
    only: int | None = None

    @property
    def ranks(self) -> int:
        """Ranks that hold one copy of what is not an expert."""
        return self.tensor * self.pipeline

    @property
    def on(self) -> bool:
        return max(self.tensor, self.pipeline, self.context, self.expert) > 1

    @property
    def stream_over(self) -> int:
        """Over how many ranks the residual stream between blocks is split."""
        return self.tensor if self.sequence else 1


ALONE = Parallel()


@record
class Stage:
    """One rank's part: pipeline stage ``index`` with ``layers`` layers; ``flying / chunks`` micro batches are in flight there."""

    index: int
    of: int
    layers: int
    flying: int = 1
    chunks: int = 1

    @property
    def first(self) -> bool:
        return self.index == 0

    @property
    def last(self) -> bool:
        return self.index == self.of - 1


DEGREES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")


def is_naive(settings: Settings) -> bool:
    """Layers of one process lie on several devices (``device_map``): no pipeline, one micro batch at a time."""
    found: Setting | None = settings.get("pipeline_parallel")
    return found is not None and found.origin.key.rpartition(".")[2] in ("CUDA_VISIBLE_DEVICES", "device_map")

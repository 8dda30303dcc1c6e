"""Pipeline stages: how many layers each has, and how many micro batches are in flight there.

Sources: megatron-core 0.14.0 ``pipeline_parallel/schedules.py`` (``num_warmup_microbatches``: p - i - 1 before the first backward;
interleaved: 2 (p - i - 1) + (v - 1) p + 1 chunks); Korthikanti et al. 2022 (arXiv 2205.05198, section 4.2.3: the interleaved
schedule keeps 1 + (p - 1) / (p v) times as much); DeepSpeed 0.19.8 ``runtime/pipe/schedule.py`` ``TrainSchedule``; torchtitan
0.2.2 ``distributed/pipeline_parallel.py`` (two chunks under multi-stage schedules).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from budgetlint.memory.parallel import Parallel, Stage

if TYPE_CHECKING:
    from budgetlint.memory.plan import Sharding


@lru_cache(maxsize=512)
def stages(layers: int, parallel: Parallel, *, smaller: bool = False) -> tuple[Stage, ...]:
    """The stages that can be the worst: the first, the second where it has more layers or the first layers are ``smaller`` (dense ones
    of a mixture), the last; or the one that is asked for."""
    counts = layer_counts(layers, parallel)
    if parallel.only is not None:
        return (_stage(parallel.only, counts[parallel.only], parallel),)
    more = {1} if len(counts) > 1 and (smaller or counts[1] > counts[0]) else set()
    chosen = sorted({0, len(counts) - 1} | more)
    return tuple(_stage(index, counts[index], parallel) for index in chosen)


@lru_cache(maxsize=512)
def layer_counts(layers: int, parallel: Parallel) -> tuple[int, ...]:
    """Layers of every stage. What is stated for the first and the last leaves the rest to the others, evenly; what is left over
    goes to the first stages (torchtitan ``generate_llm_fqn_per_model_part``)."""
    count = parallel.pipeline
    if count == 1:
        return (layers,)
    first, last = parallel.first, parallel.last
    others = count - (first is not None) - (last is not None)
    rest = layers - (first or 0) - (last or 0) + sum(parallel.lighter)
    even = [rest // max(others, 1) + (index < rest % max(others, 1)) for index in range(others)]
    whole = [*([first] if first is not None else []), *even, *([last] if last is not None else [])]
    if first is None and last is None:
        whole[0], whole[-1] = whole[0] - parallel.lighter[0], whole[-1] - parallel.lighter[1]
    return tuple(max(0, number) for number in whole)


def _stage(index: int, layers: int, parallel: Parallel) -> Stage:
    chunks = _chunks(layers, parallel)
    return Stage(index, parallel.pipeline, layers, _flying(index, chunks, parallel), chunks)


def _chunks(layers: int, parallel: Parallel) -> int:
    if parallel.chunk_layers and parallel.pipeline > 1:
        return max(1, layers // parallel.chunk_layers)
    multiple = any(word in parallel.schedule for word in ("interleaved", "looped", "zbv", "dualpipe"))
    return max(parallel.chunks, 2 if multiple else 1) if parallel.pipeline > 1 else 1


def _flying(index: int, chunks: int, parallel: Parallel) -> int:
    """Chunks of the stage whose tensors are kept at once."""
    behind, most = parallel.pipeline - index - 1, parallel.micro_batches
    if parallel.pipeline == 1 or parallel.schedule == "naive":
        return 1
    if parallel.schedule in ("gpipe", "loopedbfs"):
        return max(1, most or parallel.pipeline) * chunks
    wanted = 2 * behind + (chunks - 1) * parallel.pipeline + 1 if chunks > 1 else behind + 1
    return wanted if most is None else min(wanted, most * chunks)


RANK = "the bill is for"
"""How the assumption begins that names the rank."""


def micro_batches(stage: Stage) -> float:
    """Whose activations the stage holds at once; a fraction under interleaved schedules."""
    return round(stage.flying / stage.chunks, 3)


def partition_words(sharding: Sharding) -> str:
    """``rank 5 of 8``, where ZeRO-1 or 2 splits optimizer states in the middle of tensors that a rank keeps whole."""
    if sharding.rank is None:
        return ""
    return f"rank {sharding.rank} of {sharding.states_over}, by the gradients that touch its partition"


def described(stage: Stage, parallel: Parallel) -> Iterator[str]:
    """``pipeline stage 0 of 4``, ``embedding``, ``10 layers``, ``4 micro batches in flight`` ..."""
    if stage.of > 1:
        yield f"pipeline stage {stage.index} of {stage.of}"
        yield from ("embedding",) if stage.first else ()
        yield f"{stage.layers} layers"
        yield from ("head",) if stage.last else ()
        flying = f"{stage.flying / stage.chunks:.3g}"
        yield f"{flying} micro batch{'es' * (flying != '1')} in flight"
    for degree, what in (
        (parallel.tensor, "of the linears"),
        (parallel.context, "of the sequence"),
        (parallel.expert, "of the experts"),
    ):
        if degree > 1:
            yield f"1/{degree} {what}"

"""What the figures of a message say beside the tensor: fragmentation, other processes, another card, another run."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import GIB, gib
from budgetlint.oom.log import Found
from budgetlint.oom.message import Message
from budgetlint.rules_api.context import RunContext

SLACK = 20
"""One part in so many is no difference: a card's total differs by driver and ECC (`catalog/devices.json`)."""

OUTSIDE = 3 * GIB
"""Contexts, libraries and communicators of one process stay below this (`memory/need.py`)."""


def remarks(found: Found, context: RunContext | None) -> tuple[str, ...]:
    """Sentences, what matters most first; empty where nothing is remarkable."""
    if found.message is None:
        return tuple(_of_the_host(context))
    rows = [*_of_the_message(found.message), *_of_the_card(found.message, context), *_of_the_run(found.message, context)]
    if found.ranks > 1:
        rows.append(f"{found.ranks} ranks or cards ran out; the first message is explained (line {found.at:,})")
    return tuple(rows)


def _of_the_message(message: Message) -> Iterator[str]:
    wanted = message.requested.bytes if message.requested else 0
    spare, free = message.unallocated, message.free or 0
    if wanted and message.capacity and wanted > message.capacity:
        yield f"the request alone is larger than the card ({gib(message.capacity)}): nothing that is freed beside it helps"
    elif spare and spare + free >= wanted and spare * SLACK >= (message.allocated or 0):
        yield (
            f"{gib(spare)} is reserved by PyTorch but used by no tensor: with the {gib(free)} free it would have been enough in one "
            "piece. That is fragmentation: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (newer torch: PYTORCH_ALLOC_CONF)"
        )
    yield from _others(message)
    if message.allowed is not None:
        yield f"the process may use {gib(message.allowed)} of the card (set_per_process_memory_fraction)"
    if message.graphs is not None:
        yield f"{gib(message.graphs)} lies in private pools of CUDA graphs, which no other tensor can use"


def _others(message: Message) -> Iterator[str]:
    """Inside a container a process sees itself under another number, so the one that holds what this one holds is this one."""
    own = (message.allocated or 0) + (message.unallocated or 0)
    others = [one for one in message.processes if message.in_use is not None or not own <= one.bytes <= own + OUTSIDE]
    if others:
        told = ", ".join(f"process {one.pid} {gib(one.bytes)}" for one in others)
        yield f"other processes hold memory of this card: {told}. End them, or count them as `reserve`"
    elif not message.processes and message.in_use is None and message.capacity and message.free is not None and own:
        beside = message.capacity - message.free - own
        if beside > OUTSIDE:
            yield f"{gib(beside)} of the card is used by something else than this process's tensors: other processes most likely"


def _of_the_card(message: Message, context: RunContext | None) -> Iterator[str]:
    estimate = context.estimate if context is not None else None
    if estimate is None or estimate.usable_low is None or message.capacity is None:
        return
    least, most = estimate.usable_low, estimate.usable_high or estimate.usable_low
    if message.capacity * SLACK < least * (SLACK - 1):
        yield f"the card of the log has {gib(message.capacity)}, the budget says {gib(least)}: the message is of a smaller card"
    elif message.capacity * (SLACK - 1) > most * SLACK:
        yield f"the card of the log has {gib(message.capacity)}, the budget says {gib(least)}: the message is of a larger card"


def _of_the_run(message: Message, context: RunContext | None) -> Iterator[str]:
    estimate = context.estimate if context is not None else None
    if estimate is None or message.allocated is None or message.requested is None or not estimate.phases:
        return
    held = message.allocated + message.requested.bytes
    high = estimate.allocated.high
    if high is not None and held * 10 > high * 11:
        yield (
            f"with it PyTorch would have held {gib(held)}, the config needs at most {gib(high)}: the run of the log holds something "
            "that its config does not say, or is another run"
        )


def _of_the_host(context: RunContext | None) -> Iterator[str]:
    yield "the operating system ended the process: it is the host's memory that ran out, not the card's"
    estimate = context.estimate if context is not None else None
    if estimate is not None and estimate.host.bytes:
        yield f"offloading keeps {gib(estimate.host.bytes)} on the host (all devices of a node), beside the data loaders and page cache"
    elif estimate is not None and estimate.params:
        copy = estimate.params * 2
        yield f"while loading, every process may hold the weights once on the host: {gib(copy)} in 16 bit, {gib(2 * copy)} in fp32"

"""``budgetlint probe --simulate``: each run on fake tensors in a process of its own, beside the estimate."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from budgetlint.probe.record import Simulated


def simulated(contexts: tuple[RunContext, ...], args: argparse.Namespace, io: Console) -> Iterator[tuple[RunContext, Simulated]]:
    """Each run that could be simulated; what stands in the way of the others is told on standard error."""
    from budgetlint.probe.ask import Failed
    from budgetlint.probe.job import Inexpressible

    for context in contexts:
        try:
            yield context, simulate(context, args, io)
        except (Failed, Inexpressible) as reason:
            io.complain(f"{context.label}: {reason}")
        except KeyboardInterrupt:
            raise Misuse("stopped; nothing is left running, nothing was written") from None


def simulate(context: RunContext, args: argparse.Namespace, io: Console) -> Simulated:
    """Raises `Failed` or `Inexpressible`."""
    from budgetlint.probe.ask import Failed, ask, missing
    from budgetlint.probe.job import Inexpressible, job_of
    from budgetlint.probe.record import Simulated

    if context.plan is None:
        raise Inexpressible("the model is not known: name one of `budgetlint models`, a config.json, or its numbers with `model custom`")
    job = job_of(context.plan)
    absent = missing(("torch", "transformers", *(("peft",) if job.lora else ())))
    if absent:
        raise Failed(f"{', '.join(absent)} not installed here: pip install 'budgetlint[probe]'")
    request = {"job": job.model_dump(mode="json"), "full_depth": args.full_depth}
    return Simulated(**ask(request, args.time_limit, lambda doing: io.complain(f"{context.label}: {doing} ...")))

"""``budgetlint probe`` on a device: each run measured in a process of its own, beside the estimate."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.rules_api.context import RunContext

if TYPE_CHECKING:
    from budgetlint.probe.measurement import Measurement
    from budgetlint.probe.record import Simulated
    from budgetlint.probe.work import Work

Found = tuple[RunContext, "Measurement", "Simulated | None"]


def measure(contexts: tuple[RunContext, ...], args: argparse.Namespace, io: Console) -> int:
    """Exit code 0, or 2 where a run could not be measured. Running out of memory is a result."""
    if args.record and args.imitate:
        raise Misuse("--record with --as: a card that is imitated was not measured")
    found = list(_measured(contexts, args, io))
    if io.environ.get("RANK", "0") == "0":  # of the processes of torchrun one speaks
        _show(found, args, io)
        if args.record:
            from budgetlint.commands.probe_record import record

            record([(context, one) for context, one, _ in found], io)
    return 2 if len(found) < len(contexts) else 0


def _show(found: list[Found], args: argparse.Namespace, io: Console) -> None:
    if args.format == "json":
        from budgetlint.report.measured_json import render

        io.write(render(found))
        return
    from budgetlint.report.measured_text import render as text

    io.write("\n".join(text(context, one, simulated, io.style) for context, one, simulated in found), inked=True)


def _measured(contexts: tuple[RunContext, ...], args: argparse.Namespace, io: Console) -> Iterator[Found]:
    """Each run that could be measured; what stands in the way of the others is told on standard error."""
    from budgetlint.probe.ask import Failed
    from budgetlint.probe.job import Inexpressible

    for context in contexts:
        try:
            yield context, measure_one(context, args, io), _simulated(context, args, io)
        except (Failed, Inexpressible) as reason:
            io.complain(f"{context.label}: {reason}")
        except KeyboardInterrupt:
            raise Misuse("stopped; nothing is left running, nothing was written") from None


def measure_one(context: RunContext, args: argparse.Namespace, io: Console) -> Measurement:
    """Raises `Failed` or `Inexpressible`."""
    from budgetlint.probe.ask import Failed, ask, missing
    from budgetlint.probe.measurement import Measurement

    work = work_for(context, args)
    packages = ("torch", "transformers", *(("peft",) if work.job.lora else ()), *(("bitsandbytes",) if work.quant else ()))
    absent = missing(packages)
    if absent:
        raise Failed(f"{', '.join(absent)} not installed here: pip install 'budgetlint[probe]'{' bitsandbytes' if work.quant else ''}")
    request = {"work": work.model_dump(mode="json")}
    return Measurement(**ask(request, args.time_limit, lambda doing: io.complain(f"{context.label}: {doing} ...")))


def work_for(context: RunContext, args: argparse.Namespace) -> Work:
    """What the child is asked to do. Raises `Inexpressible`."""
    from budgetlint.probe.imitate import allowance, card_named
    from budgetlint.probe.job import Inexpressible
    from budgetlint.probe.work import work_of

    if context.plan is None:
        raise Inexpressible("the model is not known: name one of `budgetlint models`, a config.json, or its numbers with `model custom`")
    card = card_named(args.imitate) if args.imitate else None
    loaded = context.estimate.phase("load") if context.estimate else None
    return work_of(
        context.plan, device=args.device, steps=args.steps, limit=allowance(card) if card else None, imitated=card.name if card else "",
        least=loaded.bytes if loaded else 0,
    )  # fmt: skip


def _simulated(context: RunContext, args: argparse.Namespace, io: Console) -> Simulated | None:
    """The second column, where it is asked for and the simulation can express the run."""
    if not args.simulate:
        return None
    from budgetlint.commands.probe_simulate import simulate
    from budgetlint.probe.ask import Failed
    from budgetlint.probe.job import Inexpressible

    try:
        return simulate(context, args, io)
    except (Failed, Inexpressible) as reason:
        io.complain(f"{context.label}: not simulated: {reason}")
        return None

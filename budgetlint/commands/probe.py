"""``budgetlint probe``: the run's real model code, measured on this machine's GPU or simulated on any, beside the estimate."""

from __future__ import annotations

import argparse

from budgetlint.base.finding import Severity
from budgetlint.commands.common import open_config, open_session
from budgetlint.commands.console import Console
from budgetlint.commands.misuse import Misuse
from budgetlint.commands.options import add_paths, add_run_options
from budgetlint.rules_api.context import RunContext

HELP = """\
The run's real model code beside the estimate: a few steps on the GPU, or simulated where there is none.

A process of its own builds the model, runs a warm-up and some steps of the worst shape, reads torch's counters in each phase, and ends.
Out of memory is a result. Several GPUs: torchrun --nproc_per_node N -m budgetlint probe.

--simulate needs no GPU, no weights and no network: pip install 'budgetlint[probe]' (torch, transformers, peft). It builds the
model from its architecture, with the adapter, precision, recomputation, attention, loss and optimizer of the run.
"""

EPILOG = """\
examples:
  budgetlint probe run.budget --simulate             # estimate, simulated, difference, by bucket
  budgetlint probe sft.yaml --budget 'device a100-80gb' --simulate --full-depth
  budgetlint probe run.budget --record               # on this GPU, and a line in budget.lock
  budgetlint probe run.budget --as rtx-4090          # would it live on a smaller card?
  budgetlint probe run.budget --from-log train.log   # a training run's own figures
"""

LIMIT = 120.0


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_run_options(parser)
    parser.add_argument("--run", metavar="NAME", help="only this run (as `budgetlint estimate` names it)")
    parser.add_argument("--simulate", action="store_true", help="on fake tensors, on any machine")
    parser.add_argument("--measure", action="store_true", help="with --simulate: both, side by side")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="where to measure; cpu tries the path, not a card")
    parser.add_argument("--as", dest="imitate", metavar="DEVICE", help="hold the allocator to what this smaller card has")
    parser.add_argument("--steps", metavar="N", type=int, choices=range(1, 101), default=2, help="measured steps after the warm-up (2)")
    parser.add_argument("--record", action="store_true", help="write what was measured into budget.lock beside the budget")
    parser.add_argument("--from-log", metavar="LOG", help="read what a training run printed, instead of measuring; - is standard input")
    parser.add_argument("--full-depth", action="store_true", help="every layer, instead of two shallow models put together")
    parser.add_argument("--time-limit", metavar="SECONDS", type=float, default=LIMIT, help=f"for each run (default: {LIMIT:g})")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace, io: Console) -> int:
    contexts = chosen(args, io)
    if args.from_log is not None:
        from budgetlint.commands.probe_log import from_log

        return from_log(contexts, args, io)
    if args.measure or not args.simulate:
        from budgetlint.commands.probe_measure import measure

        return measure(contexts, args, io)
    if args.record:
        raise Misuse("--record with --simulate alone: a simulation is no measurement; --measure runs both")
    from budgetlint.commands.probe_simulate import simulated

    found = list(simulated(contexts, args, io))
    if args.format == "json":
        from budgetlint.report.probe_json import render

        io.write(render(found))
    else:
        from budgetlint.report.probe_text import render as text

        io.write("\n".join(text(context, result, io.style) for context, result in found), inked=True)
    return 2 if len(found) < len(contexts) else 0


def chosen(args: argparse.Namespace, io: Console) -> tuple[RunContext, ...]:
    """The runs to probe. Raises `Misuse` where there are none."""
    result = open_session(args.paths, args, io, open_config(io)).judged()
    problems = [problem for context in result.budgets for problem in context.budget.problems if problem.severity is Severity.ERROR]
    if problems:
        raise Misuse("; ".join(f"{one.location}: {one.message}{': ' if one.help else ''}{one.help}" for one in problems))
    runs = result.runs
    if args.run is not None:
        from budgetlint.base.suggest import did_you_mean

        names = sorted({name for context in runs for name in (context.run.name, context.label)})
        runs = tuple(context for context in runs if args.run in (context.run.name, context.label))
        if not runs:
            raise Misuse(f"no run is called '{args.run}'{did_you_mean(args.run, names)}")
    if not runs:
        raise Misuse("nothing to probe: no budget with a model and no training config (`budgetlint files` says what each file is)")
    return runs

"""How its files are read: keys become settings, and what a file leaves out is filled in as the trainer does."""

from collections.abc import Iterator

from budgetlint.reader import (
    Document,
    Key,
    Loader,
    Reader,
    Reading,
    Role,
    Setting,
    Settings,
    Stack,
    default,
    loader_of,
    read_keys,
    to_bool,
    to_count,
    to_text,
)


def checkpointing(value: object) -> object:
    return "full" if to_bool(value) else "none"


KEYS = (
    Key("fit.base", "model", to_text),
    Key("fit.batch", "micro_batch", to_count),
    Key("fit.context", "seq_len", to_count),
    Key("fit.gradient_checkpointing", "recompute", checkpointing),
)


def recognise(document: Document) -> float:
    """A section ``fit`` with a base model and a batch, by its content and never by its name."""
    if document.format != "yaml":  # as `documents` of the manifest says
        return 0.0
    return 1.0 if document.get("fit.base") is not None and document.get("fit.batch") is not None else 0.0


def read(document: Document) -> Reading:
    settings, misreads = read_keys(document, loader_of(document, Loader.PYYAML), KEYS)
    return Reading("acme", Role.TRAINER, document, Settings(settings), (), tuple(misreads))


def defaults(_settings: Settings, stack: Stack) -> Iterator[Setting]:
    yield default("task", "sft", "acme-train 3.1 fit.py: it fine-tunes")
    yield default("adapter", "none", "acme-train 3.1 fit.py: every parameter trains")
    yield default("quant", "none", "acme-train 3.1 fit.py: it loads no quantised weights")
    yield default("weights_dtype", "bf16", "acme-train 3.1 fit.py: torch_dtype=torch.bfloat16")
    yield default("autocast", "none", "acme-train 3.1 fit.py")
    yield default("optimizer", "adamw", "acme-train 3.1 fit.py: torch.optim.AdamW")
    yield default("grad_accum", 1, "acme-train 3.1 fit.py")
    yield default("attention", "sdpa", "acme-train 3.1 fit.py: transformers' default")
    yield default("pad_to_seq_len", True, "acme-train 3.1 data.py: samples are joined and cut at the context")
    yield default("recompute", "none", "acme-train 3.1 config.py")
    if stack.at_least("acme-train", "3.0") is not False:
        yield default("seq_len", 4096, "acme-train 3.0 config.py FitConfig.context: 2,048 before")


READER = Reader(
    format="acme", role=Role.TRAINER, loader=Loader.PYYAML, recognise=recognise, read=read, defaults=defaults, package="acme-train"
)

"""Keys that accelerate does not know, or not there.

accelerate 1.15.0 ``commands/config/config_args.py`` refuses unknown keys at the top; ``commands/launch.py`` turns the keys of a
section into launch arguments, and nobody reads one that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.vocabulary import keys, misspelt
from budgetlint.rule import DocumentContext, Entry, Finding, Mapping, argument_entries

from ._unknown import misplaced_key, misspelt_key

CURE = "name a DeepSpeed file with deepspeed_config_file, or use accelerate's flat keys (zero_stage, offload_param_device)"


def check_accelerate(document: DocumentContext) -> Iterator[Finding]:
    top = keys("accelerate", "top")
    for entry in argument_entries(document.reading):
        if entry.key.text not in top and (meant := misspelt(entry.key.text, top)):
            yield misspelt_key(document, entry, meant, "accelerate stops at start")
    for section, prefix in (("deepspeed_config", ""), ("fsdp_config", "fsdp_")):
        node = document.node(section)
        if isinstance(node, Mapping):
            yield from _arguments(document, node, prefix)


def _arguments(document: DocumentContext, section: Mapping, prefix: str) -> Iterator[Finding]:
    flags = keys("accelerate", "launch_flags")
    native = frozenset[str]() if prefix else keys("deepspeed", "top", "zero_optimization")
    foreign: list[Entry] = []
    for entry in section.entries:
        name = entry.key.text if entry.key.text.startswith("fsdp") else prefix + entry.key.text
        if name in flags:
            continue
        if meant := misspelt(name, flags):
            yield misspelt_key(document, entry, meant, "accelerate ignores it")
        elif name in native:
            foreign.append(entry)
    if foreign:
        named = ", ".join(entry.key.text for entry in foreign)
        yield misplaced_key(document, foreign[0], f"accelerate ignores keys of a DeepSpeed file here: {named}", CURE)

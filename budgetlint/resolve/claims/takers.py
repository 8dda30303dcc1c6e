"""Which of the programs that a project starts would read a file that nobody names.

Their parsers refuse keys that they do not know, but for a slip that a rule tells: TRL ``TrlParser``, transformers' ``HfArgumentParser``,
LLaMA-Factory 0.9 ``hparams/parser.py``, ms-swift 4.6 ``cli/main.py``. Where several would, only what all of them fill in alike counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from budgetlint.base.record import replace
from budgetlint.catalog.vocabulary import keys as vocabulary
from budgetlint.catalog.vocabulary import misspelt
from budgetlint.documents import Document
from budgetlint.readers.base import names
from budgetlint.readers.hf.recognise import is_closed
from budgetlint.settings.consumer import ACCEPTED, SEVERAL, Consumer, Sink

_OF_EXAMPLES = names(
    """model_name_or_path model_type config_overrides config_name tokenizer_name cache_dir use_fast_tokenizer model_revision token
    trust_remote_code torch_dtype dtype low_cpu_mem_usage dataset_name dataset_config_name train_file validation_file max_train_samples
    max_eval_samples streaming block_size overwrite_cache validation_split_percentage preprocessing_num_workers keep_linebreaks"""
)
"""transformers 4.57 ``examples/pytorch/language-modeling/run_clm.py`` ModelArguments, DataTrainingArguments."""
_ALIKE = frozenset(("trl", "hf_training_arguments", "alignment_handbook", "llamafactory"))
_DIFFERS = names("learning_rate lr_scheduler_type bf16 fp16 gradient_checkpointing gradient_checkpointing_kwargs")
_AGREED = Sink("transformers.TrainingArguments", _DIFFERS)
"""What these fill in from ``TrainingArguments`` as it is. Precision, checkpointing and learning rate each has its own of: TRL 1.16
``trainer/*_config.py``, alignment-handbook ``configs.py``, LLaMA-Factory 0.9 ``model/model_utils/checkpointing.py``."""


@cache
def _keys_of(format: str) -> frozenset[str]:
    """The keys that a program of this format takes; none where a file of the Hugging Face family is none of its."""
    arguments = vocabulary("hf", "training_arguments")
    tables = {
        "trl": lambda: arguments | vocabulary("hf", "trl", "trl_script"),
        "hf_training_arguments": lambda: arguments | _OF_EXAMPLES,
        "llamafactory": lambda: arguments | vocabulary("llamafactory", "hparams"),
        "ms_swift": lambda: vocabulary("ms_swift", "top"),
    }
    return tables[format]() if format in tables else frozenset()


def taker(programs: Iterable[tuple[Consumer, str]], document: Document, format: str, task: str) -> Consumer | None:
    """The consumer of a file of this format: the one program that takes it, or all that do; None where none does, or where one is not
    followed. ``task`` is what the file's own keys tell, if they do."""
    started = tuple(programs)
    if not all(read for _, read in started) or not is_closed(document):
        return None
    found = {one.program: (one, read) for one, read in reversed(started) if _takes(read, document, format)}
    told = {name: one for name, one in found.items() if task and re.search(rf"(?<![a-z]){task}(?![a-z])", name)} or found
    if not any(read == format for _, read in told.values()):
        return None
    first, _ = next(iter(told.values()))
    if len(told) == 1 or _is_one_cli(told.values()):
        return replace(first, evidence=ACCEPTED)
    every, alike = " or ".join(sorted(told)), _ALIKE.issuperset(read for _, read in told.values())
    says = f"{every} could read it, and no command names it: only what all of them fill in alike is taken"
    return replace(first, program=every, evidence=SEVERAL, followed=False, says=says, sink=_AGREED if alike else None)


def _is_one_cli(told: Iterable[tuple[Consumer, str]]) -> bool:
    """Are they commands of one program? transformers' examples are programs of their own."""
    formats = {read for _, read in told}
    return len(formats) == 1 and formats.isdisjoint(("hf_training_arguments",))


def _takes(read: str, document: Document, format: str) -> bool:
    if read == format:
        return True
    known, mapping = _keys_of(read), document.mapping
    return bool(known) and mapping is not None and all(key in known or misspelt(key, known) for key in frozenset(mapping.keys()))

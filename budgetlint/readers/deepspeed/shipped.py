"""An engine file that the trainer ships, named by a user's config: read from the table of presets where the file is not here."""

from __future__ import annotations

from budgetlint.documents import Document
from budgetlint.readers.presets import preset
from budgetlint.settings.run import Reading, Reference, Role


def shipped_engine(trainer: Reading, reference: Reference) -> Reading | None:
    """The engine's part of the run as the trainer's own file has it, or None where the reference names none of its files.

    Its settings stand at the reference: there is no file whose lines could be shown.
    """
    settings = preset(trainer.format, reference.text, reference.origin) if reference.role is Role.ENGINE else None
    if settings is None:
        return None
    document = Document(reference.origin.source or trainer.document.source, "json", None)
    return Reading("deepspeed", Role.ENGINE, document, settings)

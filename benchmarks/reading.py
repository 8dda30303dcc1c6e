"""Documents and readers, and nothing else: the process that `read_speed.py` measures. ``python benchmarks/reading.py FILE-OR-FOLDER``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from budgetlint.base.source import SourceFile, read_source
from budgetlint.documents import load
from budgetlint.readers import Reader, identify


def read(path: Path) -> None:
    for file in sorted(path.iterdir()) if path.is_dir() else (path,):
        source = read_source(file)
        for document in load(source) if isinstance(source, SourceFile) else ():
            reader = identify(document)
            if isinstance(reader, Reader):
                reader.read(document)


if __name__ == "__main__":
    gc.disable()  # as `budgetlint.cli` does
    read(Path(sys.argv[1]))

"""How many real configs validate: ``python benchmarks/schema_corpus.py CORPUS [--all]``.

CORPUS holds repositories as folders, each with its files. A file is taken by the format that `budgetlint files` gives it, loaded
as its framework loads it (PyYAML, hjson for DeepSpeed), and validated against the framework's schema. Then the reasons of the
rest, most frequent first (``--all``: every file). Needs the packages of the ``test`` extra.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hjson
import jsonschema
import yaml

from budgetlint.files.disk import DiskFiles
from budgetlint.readers.hf.recognise import home_of
from budgetlint.resolve.project import open_project
from budgetlint.schemas import schemas
from budgetlint.settings.run import Reading

SCHEMA_OF = {
    **{name: name for name in ("deepspeed", "accelerate", "axolotl", "llamafactory", "torchtune")},
    **dict.fromkeys(("trl", "alignment_handbook"), "trl"),
}


def readings(corpus: Path) -> Iterator[tuple[str, str, Reading]]:
    """Schema, path and reading of each config file that has a schema."""
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        for entry in open_project(DiskFiles(folder), (".",)).entries.values():
            for reading in entry.readings[:1]:
                whole = reading.format in SCHEMA_OF and reading.document.format in ("yaml", "json")
                if whole and not (SCHEMA_OF[reading.format] == "trl" and home_of(reading.document)):
                    yield SCHEMA_OF[reading.format], f"{folder.name}/{entry.path}", reading


def loaded(reading: Reading) -> Any:
    text = reading.document.source.text
    return hjson.loads(text) if reading.document.format == "json" else next(yaml.safe_load_all(text))


def problems(schema: dict[str, Any], data: Any) -> list[str]:
    """One line per error, by place and kind."""
    found = jsonschema.Draft202012Validator(schema).iter_errors(data)
    return [f"{'.'.join(map(str, error.absolute_path)) or 'top'}: {error.message[:110]}" for error in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    made = schemas()
    files: Counter[str] = Counter()
    wrong: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, path, reading in readings(args.corpus):
        files[name] += 1
        try:
            told = problems(made[name], loaded(reading))
        except (ValueError, yaml.YAMLError) as error:
            told = [f"not loaded: {str(error).splitlines()[0]}"]
        if told:
            wrong[name].append((path, "; ".join(told)))
    print(f"{'format':<14}{'files':>6}{'valid':>7}{'share':>8}")
    for name, count in sorted(files.items()):
        valid = count - len(wrong[name])
        print(f"{name:<14}{count:>6}{valid:>7}{valid / count:>8.1%}")
    for name in sorted(files):
        reasons = Counter(reason for _, told in wrong[name] for reason in [told])
        for reason, count in reasons.most_common(None if args.all else 12):
            example = next(path for path, told in wrong[name] if told == reason)
            print(f"\n{name}, {count} x {reason}\n    {example}")


if __name__ == "__main__":
    main()

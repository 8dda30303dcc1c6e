"""Which edition of the catalog an answer rests on: devices, models, and the keys of the frameworks.

``python -m budgetlint.catalog.edition`` writes both lines anew where the rows are others; a test fails while they are not theirs.
"""

from __future__ import annotations

DATE = "2026-12-01"
DIGEST = "9820174671ec"


def digest() -> str:
    """Twelve digits of SHA-256 over the files of rows, by name."""
    import hashlib
    from importlib.resources import files

    whole = hashlib.sha256()
    folder = files("budgetlint.catalog")
    for place in (folder, folder / "keys"):
        for file in sorted(place.iterdir(), key=lambda one: one.name):
            if file.name.endswith((".json", ".txt")):
                whole.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()[:12]


def _write() -> None:
    import datetime
    import re
    from pathlib import Path

    found = digest()
    if found == DIGEST:
        return
    path = Path(__file__)
    text = re.sub(r'^DIGEST = ".*"$', f'DIGEST = "{found}"', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    path.write_text(re.sub(r'^DATE = ".*"$', f'DATE = "{today}"', text, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    _write()

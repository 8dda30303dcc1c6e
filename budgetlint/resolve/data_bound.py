"""A bound on the rows of a run, from the data files of the project that it names: under a limit that none of them reaches, the bill is made
at the bound.

Only where the framework makes the rows, from one row of the file each, and every data set is a file that is here: LLaMA-Factory (0.9.4
``data/parser.py`` get_dataset_list, ``data/loader.py`` _load_single_dataset), axolotl (0.18 ``utils/data/shared.py`` _load_from_local_path,
strategies of its own ``prompt_strategies``) and ms-swift (``dataset/dataset_syntax.py`` parse). What a program of the project makes of its
rows nobody knows.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from budgetlint.documents import Loader, Node, Scalar, Sequence
from budgetlint.documents import Mapping as Block
from budgetlint.memory.roles import ROLLOUTS
from budgetlint.memory.row_length import joins
from budgetlint.resolve.data_rows import LongestRow
from budgetlint.resolve.edges import candidates
from budgetlint.settings.run import SAID, Origin, OriginKind, Reading, Setting, Settings, over

if TYPE_CHECKING:
    from budgetlint.catalog.architecture import Architecture
    from budgetlint.resolve.state import Assembly

TEMPLATE = 512
"""Tokens that a template adds around a row: the marks of its turns and a system text of its own (ms-swift's longest, of DBRX, has 2,300
characters; LLaMA-Factory's 1,040)."""

MULTIPLE = 64
"""Batches are padded to a multiple of it at most (axolotl 0.18 ``core/builders/causal.py`` build_collator: 64; LLaMA-Factory
``train/sft/workflow.py``: 8)."""

_OWN_ROWS = ("tokenized_path", "custom_register_path", "external_plugins", "custom_dataset_info", "pad_to_multiple_of")
"""Rows that somebody made before, or a program of the project makes, or that are padded further."""


def bounded(work: Assembly, readings: tuple[Reading, ...], settings: Settings, architecture: Architecture | None) -> Settings:
    """The settings with the length that no row exceeds, where that is less than the limit, or where no limit is known."""
    length, packing = settings.get("seq_len"), settings.get("packing")
    if architecture is None or architecture.kind != "decoder" or architecture.part("vision") is not None or joins(settings):
        return settings
    if (packing is not None and not packing.known) or settings.value("task") in ROLLOUTS or "completion_len" in settings:
        return settings
    if length is not None and (length.origin.kind in (*SAID, OriginKind.COMMAND_LINE) or length.readings):
        return settings
    found = _bound(work, readings)
    if found is None or (length is not None and length.known and length.value <= found[0]):
        return settings
    tokens, row = found
    row_words = f"row {row.row:,} of {row.path} has {row.bytes:,} bytes"
    note = f"no row is longer: {row_words}, template and padding add {tokens - row.bytes:,} tokens at most"
    return settings.having(over(Setting("seq_len", tokens, Origin(OriginKind.DERIVED, note=note), f"{tokens}"), length))


def _bound(work: Assembly, readings: tuple[Reading, ...]) -> tuple[int, LongestRow] | None:
    asked = [(reading, _FORMATS[reading.format](work, _keys(reading), reading)) for reading in readings if reading.format in _FORMATS]
    if len(asked) != 1 or any(reading.program is not None for reading in readings):
        return None
    ((reading, paths),) = asked
    keys = _keys(reading)
    around = [str(keys.get(name) or "") for name in _SYSTEM]
    if not paths or any(map(keys.get, _OWN_ROWS)) or any(one.endswith(_FILE) for one in around):
        return None
    rows = [work.data.longest(path) if path is not None else None for path in paths]
    found = [row for row in rows if row is not None]
    if len(found) != len(paths):
        return None
    longest = max(found, key=lambda row: row.bytes)
    return -(-(longest.bytes + TEMPLATE + sum(len(one.encode()) for one in around)) // MULTIPLE) * MULTIPLE, longest


_SYSTEM = ("default_system", "system", "default_system_message")
"""A text that stands before every row."""
_FILE = (".txt", ".md", ".jinja", ".json")


# -- which files -------------------------------------------------------------------------------------------------------------

Keys = Mapping[str, Any]
Paths = list[str | None]
"""None for a data set that is no file here."""


def _keys(reading: Reading) -> Keys:
    root = reading.document.root
    return {entry.key.text: _plain(entry.value) for entry in root.entries} if isinstance(root, Block) else {}


def _plain(node: Node) -> Any:
    if isinstance(node, Scalar):
        return node.value(Loader.PYYAML)
    if isinstance(node, Sequence):
        return [_plain(one) for one in node.items]
    return {entry.key.text: _plain(entry.value) for entry in node.entries} if isinstance(node, Block) else None


def _names(value: Any) -> list[str]:
    """A list, or words with commas or blanks between them."""
    words = value if isinstance(value, list) else str(value or "").replace(",", " ").split()
    return [str(word) for word in words]


def _file(work: Assembly, reading: Reading, path: str) -> str | None:
    return next((one for one in candidates(reading.document.path, path) if work.files.exists(one)), None)


def _llamafactory(work: Assembly, keys: Keys, reading: Reading) -> Paths:
    folder = str(keys.get("dataset_dir") or "data")
    path = _file(work, reading, posixpath.join(folder, "dataset_info.json"))
    info = work.data.registry(path) if path is not None else {}
    names = [name for key in ("dataset", "eval_dataset") for name in _names(keys.get(key))]
    return [_registered(work, info.get(name), posixpath.dirname(path or "")) for name in names]


def _registered(work: Assembly, entry: Any, folder: str) -> str | None:
    """A row of ``dataset_info.json``: a hub's address beats a file."""
    if not isinstance(entry, dict) or any(
        name in entry for name in ("hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name")
    ):
        return None
    path = posixpath.normpath(posixpath.join(folder, str(entry.get("file_name"))))
    return path if work.files.exists(path) else None


_STRATEGIES = ("alpaca", "alpaca_chat", "alpaca_w_system", "chat_template", "completion", "input_output", "sharegpt")
"""axolotl's own, whose texts around a row are short; other names may be modules of the project's."""


def _axolotl(work: Assembly, keys: Keys, reading: Reading) -> Paths:
    if any(not str(plugin).startswith("axolotl.integrations.") for plugin in _names(keys.get("plugins"))):
        return [None]
    written = [keys.get(key) or [] for key in ("datasets", "test_datasets")]
    if not all(isinstance(sets, list) for sets in written):
        return [None]
    sets = [one for sets in written for one in sets]
    return [path for one in sets for path in _axolotl_files(work, one, reading)]


def _axolotl_files(work: Assembly, one: Any, reading: Reading) -> Paths:
    """A file by its path; ``data_files`` are a hub's unless the path is a folder."""
    kind = one.get("type") if isinstance(one, dict) else None
    if not isinstance(kind, str) or kind.partition(".")[0] not in _STRATEGIES:
        return [None]
    return [None if "data_files" in one else _file(work, reading, str(one.get("path")))]


def _ms_swift(work: Assembly, keys: Keys, reading: Reading) -> Paths:
    """``file.jsonl#500`` takes some of its rows."""
    names = [name for key in ("dataset", "val_dataset") for name in _names(keys.get(key))]
    return [_file(work, reading, name.partition("#")[0]) for name in names]


_FORMATS: Mapping[str, Callable[[Assembly, Keys, Reading], Paths]] = {
    "llamafactory": _llamafactory, "axolotl": _axolotl, "ms_swift": _ms_swift,
}  # fmt: skip

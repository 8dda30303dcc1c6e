"""Four rows, whatever is loaded; a row has every column that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_CHAT = [{"role": "user", "content": "a question"}, {"role": "assistant", "content": "an answer"}]
_OF = {"messages": _CHAT, "conversations": _CHAT, "label": 1, "labels": 1, "input_ids": [1, 5, 2]}


class Row(dict):
    def __missing__(self, key: str) -> Any:
        return _OF.get(key, "some text")

    def get(self, key: str, default: Any = None) -> Any:
        return self[key]


class Batch(dict):
    def __missing__(self, key: str) -> Any:
        return [_OF.get(key, "some text")] * 2


class Dataset:
    def __init__(self, row: dict[str, Any] | None = None) -> None:
        self.row = Row(row or {"text": "some text"})
        self.column_names, self.features = list(self.row), dict.fromkeys(self.row)

    def map(
        self, function: Callable[..., Any] | None = None, *args: Any, batched: bool = False, fn_kwargs: Any = None, **kwargs: Any
    ) -> Dataset:
        given = Batch({key: [value] * 2 for key, value in self.row.items()}) if batched else Row(self.row)
        out = function(given, *([0] if kwargs.get("with_indices") else []), **(fn_kwargs or {})) if function else {}
        first = {key: value[0] if batched and isinstance(value, list) and value else value for key, value in (out or {}).items()}
        return Dataset({**self.row, **first})

    def filter(self, function: Any = None, *args: Any, **kwargs: Any) -> Dataset:
        function(Row(self.row))
        return self

    def _same(self, *args: Any, **kwargs: Any) -> Dataset:
        return self

    select = shuffle = with_format = remove_columns = rename_column = select_columns = cast_column = to_iterable_dataset = _same
    shard = take = skip = flatten = sort = _same

    def set_format(self, *args: Any, **kwargs: Any) -> None:
        """Rows stay as they are."""

    def train_test_split(self, *args: Any, **kwargs: Any) -> DatasetDict:
        return DatasetDict({"train": self, "test": self})

    def add_column(self, name: str, column: Any, **kwargs: Any) -> Dataset:
        return self

    @classmethod
    def from_list(cls, rows: Any, **kwargs: Any) -> Dataset:
        return cls(dict(rows[0]) if rows else None)

    @classmethod
    def from_dict(cls, columns: Any, **kwargs: Any) -> Dataset:
        return cls({key: value[0] for key, value in columns.items()})

    @classmethod
    def from_generator(cls, generator: Any, **kwargs: Any) -> Dataset:
        return cls(next(iter(generator(**kwargs.get("gen_kwargs", {})))))

    from_pandas = from_json = from_csv = classmethod(lambda cls, *args, **kwargs: cls())

    def __getitem__(self, at: Any) -> Any:
        return [self.row[at]] * 4 if isinstance(at, str) else Row(self.row)

    def __iter__(self) -> Iterator[Any]:
        return iter([Row(self.row)] * 4)

    def __len__(self) -> int:
        return 4


class DatasetDict(dict):
    def __missing__(self, key: str) -> Dataset:
        return Dataset()

    def map(self, *args: Any, **kwargs: Any) -> DatasetDict:
        return DatasetDict({key: value.map(*args, **kwargs) for key, value in self.items()})

    def _same(self, *args: Any, **kwargs: Any) -> DatasetDict:
        return self

    filter = shuffle = remove_columns = rename_column = _same

    @property
    def column_names(self) -> dict[str, list[str]]:
        return {key: value.column_names for key, value in self.items()}


IterableDataset = Dataset


def load_dataset(path: Any, name: Any = None, *args: Any, split: Any = None, **kwargs: Any) -> Any:
    return Dataset() if split else DatasetDict(train=Dataset(), test=Dataset(), validation=Dataset())


def load_from_disk(path: Any, **kwargs: Any) -> Any:
    return Dataset()


def concatenate_datasets(datasets: Any, **kwargs: Any) -> Any:
    return datasets[0]


interleave_datasets = concatenate_datasets


def disable_progress_bar() -> None:
    """There is none."""

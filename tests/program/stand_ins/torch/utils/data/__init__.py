"""Loaders give two batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from recorder import sink

T = TypeVar("T")


class Dataset(Generic[T]):
    """What the program's own data sets are classes of."""


class IterableDataset(Dataset[T]):
    """The same of those that are gone over."""


class TensorDataset(Dataset[T]):
    def __init__(self, *tensors: Any) -> None:
        self.tensors = tensors

    def __getitem__(self, at: int) -> Any:
        return self.tensors

    def __len__(self) -> int:
        return 4


class Sampler(Generic[T]):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Draws nothing."""

    def set_epoch(self, epoch: int) -> None:
        """Draws nothing."""

    def __len__(self) -> int:
        return 2


RandomSampler = SequentialSampler = DistributedSampler = Sampler


class DataLoader(Generic[T]):
    __stand_in__ = True

    @sink("torch.utils.data.DataLoader")
    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Any = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        **kwargs: Any,
    ) -> None:
        self.dataset, self.batch_size, self.collate_fn, self.sampler = dataset, batch_size, collate_fn, sampler

    def __iter__(self) -> Iterator[Any]:
        for _ in range(2):
            rows = [self.dataset[0]]
            yield self.collate_fn(rows) if self.collate_fn else rows[0]

    def __len__(self) -> int:
        return 2


def random_split(dataset: Any, lengths: Any, **kwargs: Any) -> list[Any]:
    return [dataset for _ in lengths]


class Subset(Dataset[T]):
    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, at: int) -> Any:
        return self.dataset[self.indices[at]]

    def __len__(self) -> int:
        return len(self.indices)


from torch.utils.data import distributed
